"""Facts about this machine and what is installed on it, as far as the system tells without a GPU library."""

from __future__ import annotations

import os
import platform
import re
import subprocess
from pathlib import Path
from typing import Any, Final

from arcbatt._version import __version__

_DRIVER: Final = Path("/proc/driver/nvidia")
_SOURCE: Final = Path(__file__).resolve().parents[3]


def environment() -> dict[str, Any]:
    """What a run or a measurement ran on: versions, commit, machine and cores."""
    import numpy as np

    return {
        "arcbatt": __version__,
        "git": commit(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "machine": f"{platform.system()} {platform.machine()} {processor()}".strip(),
        "cores": cores(),
    }


def cores() -> int:
    """The cores that this process may use: of a queue's job or a container, fewer than the machine has."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def processor() -> str:
    """The name of this machine's processor."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def host_memory() -> tuple[int, int]:
    """Bytes of this machine's memory: all of it, and what is free."""
    try:
        with open("/proc/meminfo", encoding="utf-8") as file:
            found = dict(line.split()[:2] for line in file)
        return 1024 * int(found["MemTotal:"]), 1024 * int(found["MemAvailable:"])
    except (OSError, KeyError, ValueError):
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        return total, total // 2


def gpu_models() -> list[str]:
    """The GPUs as NVIDIA's driver lists them, which needs no CuPy; none where it does not."""
    found = []
    for path in sorted(_DRIVER.glob("gpus/*/information")):
        try:
            text = path.read_text(encoding="utf-8")
        except OSError:
            continue
        found += [line.partition(":")[2].strip() for line in text.splitlines() if line.startswith("Model:")]
    return found


def driver_version() -> str | None:
    """The version of NVIDIA's driver, where the system tells."""
    try:
        text = (_DRIVER / "version").read_text(encoding="utf-8")
    except OSError:
        return None
    found = re.search(r"\b\d+\.\d+(?:\.\d+)?\b", text)
    return found[0] if found else None


def commit() -> str | None:
    """The commit arcbatt runs from, where it runs from a checkout; ARCBATT_COMMIT says it for a copy of one."""
    if not (_SOURCE / ".git").exists():
        return os.environ.get("ARCBATT_COMMIT")
    command = ["git", "-C", str(_SOURCE), "describe", "--always", "--dirty", "--abbrev=12"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() or None


def resident_memory() -> tuple[int, int]:
    """Resident bytes of this process: now, and the most there ever were; zeros where the system does not tell."""
    try:
        with open("/proc/self/status", encoding="utf-8") as file:
            found = dict(line.split()[:2] for line in file if line.startswith("Vm"))
        return 1024 * int(found["VmRSS:"]), 1024 * int(found["VmHWM:"])
    except (OSError, KeyError, ValueError):
        return 0, 0
