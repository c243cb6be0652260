"""What a figure was measured on."""

from __future__ import annotations

import datetime
import os
import platform
import resource
import subprocess
from pathlib import Path


def describe() -> str:
    """Machine, versions, commit and date, one line each."""
    return "\n".join(f"- {name}: {value}" for name, value in facts().items())


def facts() -> dict[str, str]:
    """Machine, versions, commit and date."""
    return {
        "cpu": _cpu_name(),
        "cores": str(os.cpu_count()),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "commit": _commit(),
        "date": datetime.date.today().isoformat(),
    }


def _cpu_name() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or "unknown"
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown")


def _commit() -> str:
    done = subprocess.run(["git", "describe", "--always", "--dirty"], capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


def peak_mebibytes() -> float:
    """The most memory this process has held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
