"""The GPUs of this machine as NVIDIA's own tool sees them: memory in use and how busy they are."""

from __future__ import annotations

import csv
import shutil
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Final

from arcbatt.watch.model import Gpu

_TOOL: Final = "nvidia-smi"
_FIELDS: Final = "index,name,memory.used,memory.total,utilization.gpu"
_FRESH: Final = 2.0
"""Seconds for which an answer is good enough."""
_PATIENCE: Final = 5.0
_HISTORY: Final = 300
_MIB: Final = 1 << 20


def ask_tool() -> str:
    """What the tool prints, or nothing where there is none or it does not answer."""
    tool = shutil.which(_TOOL)
    if tool is None:
        return ""
    command = [tool, f"--query-gpu={_FIELDS}", "--format=csv,noheader,nounits"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=_PATIENCE)
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return ""
    return done.stdout


def read_gpus(text: str) -> list[Gpu]:
    """The GPUs of a printed table; lines that are something else are left out."""
    found = []
    for row in csv.reader(text.splitlines(), skipinitialspace=True):
        if len(row) == 5 and row[0].isdecimal():
            used, total, busy = map(_number, row[2:])
            found.append(
                Gpu(
                    int(row[0]),
                    row[1],
                    None if used is None else int(used * _MIB),
                    None if total is None else int(total * _MIB),
                    None if busy is None else busy / 100,
                )
            )
    return found


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:  # [N/A]
        return None


class GpuWatch:
    """The GPUs now, and how busy each was as far as anyone looked. Threads may share it."""

    def __init__(self, ask: Callable[[], str] = ask_tool, clock: Callable[[], float] = time.time) -> None:
        self._ask = ask
        self._clock = clock
        self._lock = threading.Lock()
        self._asked = -_FRESH
        self._found: list[Gpu] = []
        self._history: dict[int, deque[tuple[float, float]]] = {}

    def now(self) -> list[Gpu]:
        """The GPUs, asked for again if the last answer is old."""
        with self._lock:
            now = self._clock()
            if now - self._asked >= _FRESH:
                self._asked = now
                self._found = [self._with_history(one, now) for one in read_gpus(self._ask())]
            return self._found

    def _with_history(self, gpu: Gpu, now: float) -> Gpu:
        seen = self._history.setdefault(gpu.number, deque(maxlen=_HISTORY))
        if gpu.busy is not None:
            seen.append((now, gpu.busy))
        return Gpu(gpu.number, gpu.name, gpu.used, gpu.total, gpu.busy, tuple(seen))
