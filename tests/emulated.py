"""The modules with emulated lanes; importing them from here skips a file of tests where the build does not have them.

`make .venv/installed` builds them, a plain `pip install .` does not. `test_package.py` fails where they are missing, so
that no run of the tests is green without them.
"""

from __future__ import annotations

import pytest

WHY = "this build has no emulated lanes: set up with `make .venv/installed`"

_core_lanes = pytest.importorskip("arcbatt._core_lanes", reason=WHY)
_waves_1 = pytest.importorskip("arcbatt._waves_1", reason=WHY)
_waves_32 = pytest.importorskip("arcbatt._waves_32", reason=WHY)
_waves_64 = pytest.importorskip("arcbatt._waves_64", reason=WHY)

__all__ = ["_core_lanes", "_waves_1", "_waves_32", "_waves_64"]
