"""The machine figures were measured on, in a line."""

from __future__ import annotations

import importlib
import os
import platform
from datetime import date

import arcbatt
from arcbatt.support.machine import processor


def describe(*, gpu: bool = False) -> str:
    """Cores, Python, version and day; with `gpu`, the GPU and CuPy too."""
    parts = [f"{os.cpu_count()} cores of {processor()}", f"Python {platform.python_version()}"]
    if gpu:
        cupy = importlib.import_module("cupy")
        name = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
        parts = [name, *parts, f"CuPy {cupy.__version__}"]
    return f"{', '.join(parts)}, arcbatt {arcbatt.__version__}, {date.today().isoformat()}"
