# make run   set up, then the main job on bundled data
# make test  set up, then every check and test
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
NATIVE := $(wildcard src/arcbatt/native/*)
PACKAGES := $(wildcard src/arcbatt/*/__init__.py)
CXX_FILES := $(wildcard src/arcbatt/native/*.h src/arcbatt/native/*.cpp)

.PHONY: run test lint unit native docs format clean

run: $(VENV)/installed
	$(BIN)/arcbatt run

test: lint unit

lint: $(VENV)/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run --Werror $(CXX_FILES)
	$(BIN)/python tools/generate_docs.py --check
	$(BIN)/python tools/generate_native.py --check

unit: $(VENV)/installed
	$(BIN)/pytest

native: $(VENV)/installed
	$(BIN)/python tools/generate_native.py

docs: $(VENV)/installed
	$(BIN)/python tools/generate_docs.py

format: $(VENV)/installed
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(CXX_FILES)

# The editable install builds the compiled core and lists the packages, so it depends on both.
$(VENV)/installed: pyproject.toml CMakeLists.txt src/arcbatt/_version.py $(NATIVE) $(PACKAGES)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "arcbatt needs Python 3.11 or newer; try make PYTHON=python3.12")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]' \
		--config-settings=cmake.define.AB_WERROR=ON
	touch $@

clean:
	rm -rf $(VENV) build dist
