"""Engines that go wrong on purpose, for workers: CPU engines otherwise."""

from __future__ import annotations

import importlib
import os
import signal
import sys
import time
from pathlib import Path

from arcbatt.engine import cpu
from arcbatt.engine.waves import kernels
from engine import fake_cupy


def _first(folder: str) -> bool:
    """Whether this is the first process to ask."""
    try:
        os.close(os.open(Path(folder) / "asked", os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    return True


class KilledOnce(cpu.CpuEngine):
    """The first worker of all that runs a shard is killed in the middle of it."""

    def __init__(self, compiled, *, folder):
        super().__init__(compiled, threads=1)
        self.folder = folder

    def execute(self, request):
        found = super().execute(request)
        if _first(self.folder):
            os.kill(os.getpid(), signal.SIGKILL)
        return found


class FailsOnce(KilledOnce):
    """The first worker of all that runs a shard meets an error, as of a device that is lost."""

    def execute(self, request):
        if _first(self.folder):
            raise RuntimeError("cudaErrorIllegalAddress: an illegal memory access was encountered")
        return cpu.CpuEngine.execute(self, request)


class FailsAlways(cpu.CpuEngine):
    """Can be made, and cannot run any shard."""

    def __init__(self, compiled):
        super().__init__(compiled, threads=1)

    def execute(self, request):
        raise RuntimeError("cudaErrorIllegalAddress: an illegal memory access was encountered")


class Poisoned(cpu.CpuEngine):
    """Every worker that meets a sample whose input is nine rows high is killed."""

    def __init__(self, compiled):
        super().__init__(compiled, threads=1)

    def execute(self, request):
        if (request.samples.height[request.samples.input] == 9).any():
            os.kill(os.getpid(), signal.SIGKILL)
        return super().execute(request)


class DiesAtStart:
    """Cannot even be made: the process ends."""

    def __init__(self, compiled):
        os._exit(7)


class Refuses:
    """Cannot be made, and says why."""

    def __init__(self, compiled):
        raise MemoryError("no memory for arenas")


class RefusesFirst:
    """Cannot be made, says why, and leaves a file that `Waits` waits for."""

    def __init__(self, compiled, *, folder):
        (Path(folder) / "refused").touch()
        raise MemoryError("no memory for arenas")


class Waits(cpu.CpuEngine):
    """Begins to work when another worker has been refused."""

    def __init__(self, compiled, *, folder):
        super().__init__(compiled, threads=1)
        self.folder = folder

    def execute(self, request):
        while not (Path(self.folder) / "refused").exists():
            time.sleep(0.01)
        time.sleep(0.2)  # for the word of it to arrive
        return super().execute(request)


class Slow(cpu.CpuEngine):
    """Says that it is at work by a file named for its process, and works until it is told to stop."""

    def __init__(self, compiled, *, folder):
        super().__init__(compiled, threads=1)
        self.folder = folder

    def execute(self, request):
        (Path(self.folder) / f"at-work-{os.getpid()}").touch()
        while not request.stopped():
            time.sleep(0.01)
        return super().execute(request)


def fake_gpu(compiled, *, folder, **options):
    """The GPU engine over a CuPy that is none; in the first worker of all its second launch fails."""
    sys.modules["cupy"] = fake = fake_cupy.module(free=1 << 26)
    kernels.compiled = fake_cupy.compiled_waves
    waves = importlib.import_module("arcbatt.engine.waves.engine")
    waves.cupy = fake
    fake.fail_at = 2 if _first(folder) else 0
    return waves.WaveEngine(compiled, **options)
