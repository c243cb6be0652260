"""What there is to run on: the machine, its engines and GPUs, and where they cross over, as plain data."""

from __future__ import annotations

import importlib
import importlib.metadata
import re
from typing import Any

from arcbatt.devtools.measure import crossovers
from arcbatt.engine.choose import why_no_gpu
from arcbatt.engine.devices import Device, devices
from arcbatt.engine.speeds import known_speeds
from arcbatt.engine.waves.device_kernels import kept_kernels
from arcbatt.support.machine import driver_version, environment, host_memory


def machine_facts() -> dict[str, Any]:
    """Everything `arcbatt info` shows."""
    here = environment()
    problem = why_no_gpu()
    speeds = known_speeds()
    core = importlib.import_module("arcbatt._core")
    return {
        "arcbatt": here["arcbatt"],
        "commit": here["git"],
        "python": here["python"],
        "numpy": here["numpy"],
        "cupy": _cupy_version(),
        "machine": here["machine"],
        "cores": here["cores"],
        "memory": host_memory()[0],
        "compiler": core.compiler(),
        "abi": f"{core.abi_version:016x}",
        "driver": None if problem else _driver(),
        "no_gpu": problem,
        "gpus": [] if problem else [_gpu(one) for one in devices()],
        "speeds": {name: {"start": one.start, "rate": one.rate, "when": one.when} for name, one in speeds.items()},
        "crossovers": [
            {"slower": one.slower, "faster": one.faster, "evaluations": one.evaluations} for one in crossovers(speeds)
        ],
    }


def _gpu(one: Device) -> dict[str, Any]:
    kernel = kept_kernels(one.number) if one.supported else None
    return {
        "number": one.number,
        "name": one.name,
        "kind": one.kind,
        "architecture": one.architecture,
        "capability": list(one.capability),
        "memory": one.memory,
        "free_memory": one.free_memory,
        "supported": one.supported,
        "kernel": None if kernel is None else str(kernel.path),
    }


def _cupy_version() -> str | None:
    """The version of CuPy, whatever the package is called; it need not be loaded for that."""
    for package in importlib.metadata.distributions():
        name = package.metadata["Name"]
        if name and re.fullmatch(r"cupy(-cuda\d+x|-rocm.*)?", name):
            return f"{package.version} ({name})"
    return None


def _driver() -> str:
    """The driver's own version where the system tells, and the CUDA it is for."""
    runtime = importlib.import_module("cupy").cuda.runtime
    number = int(runtime.driverGetVersion())
    cuda = f"CUDA {number // 1000}.{number % 1000 // 10}"
    version = driver_version()
    return f"{version}, {cuda}" if version else cuda
