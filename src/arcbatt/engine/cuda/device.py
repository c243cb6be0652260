"""CuPy and its devices: whether there are any, why not, and what is raised where one fails.

CuPy is imported when it is asked for, so that everything else works without it.
"""

from __future__ import annotations

import importlib
from typing import Any


def cupy_module() -> Any:
    """CuPy; ModuleNotFoundError says how to get it."""
    try:
        return importlib.import_module("cupy")
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError("the GPU engine needs CuPy: pip install 'arcbatt[cuda]'", name="cupy") from error


def device_count() -> int:
    """How many NVIDIA GPUs there are; none also where there is no driver."""
    runtime = cupy_module().cuda.runtime
    try:
        return int(runtime.getDeviceCount())
    except runtime.CUDARuntimeError:
        return 0


def device_problem() -> str | None:
    """Why no device can be used, and what to do about it; None if one can."""
    cupy = cupy_module()
    try:
        count = int(cupy.cuda.runtime.getDeviceCount())
    except cupy.cuda.runtime.CUDARuntimeError as error:
        if "InsufficientDriver" in str(error):
            return (
                f"there is no NVIDIA driver, or one too old for CuPy {cupy.__version__} ({error}); "
                "install or update the driver, or a CuPy for an older CUDA"
            )
        return f"no NVIDIA device can be used ({error}); check nvidia-smi"
    return None if count else "no NVIDIA device was found; check nvidia-smi"


def device_errors() -> tuple[type[Exception], ...]:
    """What is raised where a device cannot go on; its memory being short is another matter."""
    cuda = cupy_module().cuda
    return (cuda.runtime.CUDARuntimeError, cuda.driver.CUDADriverError)


def first_line(error: Exception) -> str:
    """What went wrong, in a line."""
    return f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"
