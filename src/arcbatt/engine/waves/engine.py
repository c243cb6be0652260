"""Waves as an engine: all programs of a set on one GPU, an operation at a time for all samples.

Needs CuPy (`pip install 'arcbatt[cuda]'`) to be imported, and an NVIDIA GPU to make an engine.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from typing import Any, Final

import cupy
import numpy as np

from arcbatt.compiler.abi import OVERFLOW
from arcbatt.compiler.internal_errors import InternalErrors
from arcbatt.compiler.program_set import CompiledSet
from arcbatt.compiler.step_bounds import steps_too_many
from arcbatt.compiler.waves import Schedule, schedule
from arcbatt.engine.api import RunRequest
from arcbatt.engine.cpu import CpuTier
from arcbatt.engine.cuda.device import device_count, first_line
from arcbatt.engine.gpu import GpuEngine, GpuTier, one_device
from arcbatt.engine.outputs import Outputs
from arcbatt.engine.stats import DeviceStats
from arcbatt.engine.tiers import Columns, Sink, run_alone
from arcbatt.engine.waves import kernels
from arcbatt.engine.waves.runner import Asked, WaveRunner

_LEAST_HEAP: Final = 1 << 20
_FOR_THE_GPU: Final = 2
"""Cores that are left to whoever launches, while the CPU does its part."""


class WaveTier(GpuTier):
    """The waves of all programs on one GPU.

    Values have `heap_bytes`, by default a fraction of what is free. `WaveRunner` says what is done about what does not
    fit; the rest is left to the tier below. A device that fails in the middle of a run leaves the rest of it, and later
    runs, to the tier below; without `keep_going` that is an error.
    """

    def __init__(
        self,
        compiled: CompiledSet,
        device: int,
        cpu: Callable[[], CpuTier],
        *,
        heap_bytes: int,
        memory_fraction: float,
        keep_going: bool,
    ) -> None:
        super().__init__(compiled, device)
        self.keep_going = keep_going
        self._cpu = cpu
        self._heap_bytes, self._fraction = heap_bytes, memory_fraction
        self._turn = threading.Lock()
        """Held by the thread whose run is on the device."""
        self._not_here: dict[str, str] = {}
        """Programs that only this tier cannot run, and why."""
        self._runners: dict[int, WaveRunner] = {}
        """By steps of a call."""
        self.last: DeviceStats | None = None
        """What the last run did."""

    @cached_property
    def schedule(self) -> Schedule:
        """The waves of all programs but those that must not run here."""
        without = set(self._cpu().internal_errors())
        found = self._scheduled(without)
        if custom := [wave.kernel for wave in found.waves if wave.kernel.custom]:
            with cupy.cuda.Device(self.device):
                problems = kernels.custom_problems(cupy, custom)
            for name, problem in problems.items():
                why = f"its custom operation does not compile for the GPU: {problem}"
                self._not_here |= dict.fromkeys(self.compiled.graph.programs_using({name}), why)
        return self._scheduled(without | self._not_here.keys()) if self._not_here else found

    def _scheduled(self, without: set[str]) -> Schedule:
        names = [name for name in self.names if name not in without]
        return schedule((self.compiled.subset(names) if without else self.compiled).typed)

    def refused(self) -> dict[str, str]:
        """Programs that are not scheduled, and why."""
        unchecked = {name: str(error) for name, error in self.internal_errors().items()}
        return self.schedule.left_out | unchecked | self._not_here

    def internal_errors(self) -> InternalErrors:
        """Of these, those over which arcbatt itself failed; a GPU checks no bytecode, so they are the CPU's."""
        return self._cpu().internal_errors()

    def unfit_reason(self) -> str:
        """Why evaluations that do not fit go to the tier below."""
        return f"too big for the memory of GPU {self.device}"

    def run(self, request: RunRequest, result: Outputs, sink: Sink) -> None:
        """Every program on every sample; `stop` is asked between batches."""
        with self._turn:
            if not self.lost:  # by the run before, while this one waited
                with self._until_lost():
                    self._run(request, result, sink)
            if self.lost and not request.stopped():
                result.recovered_errors[self.lost] += 1
                sink.pass_on(np.flatnonzero(~result.done), self.lost)

    @contextmanager
    def _until_lost(self) -> Iterator[None]:
        """Work on the device; where the device fails that ends, and `lost` says why, or it is raised."""
        try:
            with cupy.cuda.Device(self.device):
                yield
        except Exception as error:  # also what nobody had foreseen: the tier below does not depend on it
            if not self.keep_going:
                raise
            self.lost = f"GPU {self.device} failed: {first_line(error)}"

    def _run(self, request: RunRequest, result: Outputs, sink: Sink) -> None:
        """All samples by batches; meanwhile the CPU does what was found to be too much for the GPU before."""
        outputs = self.schedule.code.outputs
        column_of = {name: column for column, name in enumerate(self.names)}
        runner = self.runner(request.max_steps)
        too_much = np.array([slot in runner.too_much for slot, _ in outputs.values()], np.bool_)
        columns = np.array([column_of[name] for name in outputs], np.int64)
        here, there = columns[~too_much], columns[too_much]
        slots = [one for one, much in zip(outputs.values(), too_much.tolist(), strict=True) if not much]
        asked = Asked(
            request.outputs,
            request.largest,
            steps_too_many(self.compiled.typed.bounds, outputs, request.max_total),
        )
        start, milliseconds = time.perf_counter(), 0.0
        with ThreadPoolExecutor(1) as beside:
            by_cpu = beside.submit(self._on_cpu, request, there) if len(there) else None
            mine = runner.only(slots) if by_cpu else runner
            for rows, found in mine.outputs(request.samples, slots, asked, stopped=request.stopped):
                result.take(rows, found, here)
                result.done[rows] = True
                milliseconds = 1e3 * (time.perf_counter() - start)
                if not by_cpu:
                    sink.finished(rows)
                    sink.tell()
            left = len(request.samples) * len(there) + int((result.statuses[:, here] == OVERFLOW).sum())
            heap_bytes = 4 * runner.heap.words
            self.last = DeviceStats(
                milliseconds, tuple(mine.batches), len(mine.schedule.waves), heap_bytes, on_cpu=left
            )
            if by_cpu:
                self._answer(by_cpu.result(), there, result, sink)

    def _on_cpu(self, request: RunRequest, columns: Columns) -> Outputs:
        """What some programs give on all samples, on the CPU, but for the cores that keep the GPU busy."""
        part = self._cpu().part(columns)
        part.threads = max(1, self._cpu().threads - _FOR_THE_GPU)
        return run_alone(part, replace(request, progress=None))

    def _answer(self, found: Outputs, columns: Columns, result: Outputs, sink: Sink) -> None:
        """Put what the CPU gave for some programs; samples it was stopped before are not done."""
        result.statuses[:, columns] = OVERFLOW
        sink.answered(np.arange(len(result.done)), columns, found, self.unfit_reason())
        result.done &= found.done
        sink.finished(np.flatnonzero(result.done))
        sink.tell()

    def runner(self, max_steps: int) -> WaveRunner:
        """What runs the waves with so many steps of a call."""
        if max_steps not in self._runners:
            beside = next(iter(self._runners.values()), None)
            self._runners[max_steps] = self._made_runner(max_steps, beside)
        return self._runners[max_steps]

    def _made_runner(self, max_steps: int, beside: WaveRunner | None) -> WaveRunner:
        """With as much memory as there really is."""
        size = self._heap_bytes or self._free()
        while True:
            try:
                return WaveRunner(cupy, self.schedule, heap_bytes=size, max_steps=max_steps, beside=beside)
            except MemoryError:
                cupy.get_default_memory_pool().free_all_blocks()
                size //= 2
                if size < _LEAST_HEAP:
                    raise

    def _free(self) -> int:
        """The memory values may take."""
        pool = cupy.get_default_memory_pool()
        free, limit = int(cupy.cuda.runtime.memGetInfo()[0]) + int(pool.free_bytes()), int(pool.get_limit())
        return int(self._fraction * (min(free, max(0, limit - int(pool.used_bytes()))) if limit else free))


class WaveEngine(GpuEngine):
    """Runs compiled programs on samples on one GPU by waves; `WaveTier` says what the options are.

    What does not fit there runs on the CPU, which has `threads`, by default as many as cores; what has no bytecode runs
    on the dynamic tier. Threads may share an engine; their runs come one after the other.
    """

    backend = "cuda"

    def __init__(
        self,
        compiled: CompiledSet,
        *,
        devices: Sequence[int] = (),
        heap_bytes: int = 0,
        memory_fraction: float = 0.8,
        keep_going: bool = True,
        threads: int | None = None,
    ) -> None:
        device = one_device(devices, device_count())
        super().__init__(compiled, threads or os.cpu_count() or 1)
        self._options: dict[str, Any] = {
            "heap_bytes": heap_bytes, "memory_fraction": memory_fraction, "keep_going": keep_going,
        }  # fmt: skip
        self.waves = WaveTier(compiled, device, lambda: self._cpu, **self._options)

    def of_set(self, compiled: CompiledSet) -> WaveEngine:
        """An engine as this one, for other programs."""
        return WaveEngine(compiled, devices=(self.waves.device,), threads=self.threads, **self._options)

    @property
    def device_stats(self) -> DeviceStats | None:
        """What the last run did on the GPU."""
        return self.waves.last

    @property
    def gpu(self) -> WaveTier:
        """The tier on the GPU."""
        return self.waves
