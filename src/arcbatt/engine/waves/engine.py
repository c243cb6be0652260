"""Waves as an engine: all programs of a set on one GPU, an operation at a time for all samples.

Needs CuPy (`pip install 'arcbatt[cuda]'`) to be imported, and an NVIDIA GPU to make an engine.
"""

from __future__ import annotations

import os
import threading
import time
import weakref
from collections.abc import Callable, Container, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import cupy
import numpy as np
from numpy.typing import NDArray

from arcbatt.compiler.abi import OVERFLOW
from arcbatt.compiler.internal_errors import InternalErrors
from arcbatt.compiler.program_set import CompiledSet
from arcbatt.compiler.step_bounds import steps_too_many
from arcbatt.compiler.waves import Schedule
from arcbatt.data.packing import PackedSamples
from arcbatt.engine.api import RunRequest
from arcbatt.engine.cpu import CpuTier
from arcbatt.engine.cuda.device import device_count, first_line
from arcbatt.engine.gpu import GpuEngine, GpuTier, one_device
from arcbatt.engine.outputs import Outputs
from arcbatt.engine.parted import PartedSet, in_parts
from arcbatt.engine.stats import DeviceStats
from arcbatt.engine.tiers import Columns, Rows, Sink, run_alone
from arcbatt.engine.waves import kernels
from arcbatt.engine.waves.runner import Asked, WaveRunner
from arcbatt.language.types import Type

_LEAST_HEAP: Final = 1 << 20
_MOST_PROGRAMS: Final = 5000
"""Of a schedule: its waves are no more than half as many, however many programs there are, and values of more would not
fit in one batch."""
_FEW_LEFT: Final = 1 / 8
"""The part of all evaluations that the CPU begins with where the GPU left it in the run before."""
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
        self._runners: dict[tuple[int, int], WaveRunner] = {}
        """By steps of a call, and group."""
        self._ends: dict[int, tuple[int, dict[int, int]]] = {}
        """Of each group, the steps in all of its last run, and from how many on results are the CPU's then."""
        self.last: DeviceStats | None = None
        """What the last run did."""
        self._left: _Left | None = None

    @cached_property
    def groups(self) -> list[Schedule]:
        """The waves of all programs but those that must not run here; of many programs, by groups one after another."""
        without = set(self._cpu().internal_errors())
        found = self._scheduled(without)
        if custom := [wave.kernel for group in found for wave in group.waves if wave.kernel.custom]:
            with cupy.cuda.Device(self.device):
                problems = kernels.custom_problems(cupy, custom)
            for name, problem in problems.items():
                why = f"its custom operation does not compile for the GPU: {problem}"
                self._not_here |= dict.fromkeys(self.compiled.graph.programs_using({name}), why)
        return self._scheduled(without | self._not_here.keys()) if self._not_here else found

    def _scheduled(self, without: set[str]) -> list[Schedule]:
        if isinstance(self.compiled, PartedSet):
            return [_without(part, without).waves for part in self.compiled.parts]
        names = [name for name in self.names if name not in without]
        sets = [names[first : first + _MOST_PROGRAMS] for first in range(0, len(names), _MOST_PROGRAMS)] or [[]]
        return [(self.compiled.subset(one) if one != self.names else self.compiled).waves for one in sets]

    def refused(self) -> dict[str, str]:
        """Programs that are not scheduled, and why."""
        unchecked = {name: str(error) for name, error in self.internal_errors().items()}
        left_out = {name: why for group in self.groups for name, why in group.left_out.items()}
        return left_out | unchecked | self._not_here

    def internal_errors(self) -> InternalErrors:
        """Of these, those over which arcbatt itself failed; a GPU checks no bytecode, so they are the CPU's."""
        return self._cpu().internal_errors()

    def unfit_reason(self) -> str:
        """Why evaluations that do not fit go to the tier below."""
        return f"too big or too long for GPU {self.device}"

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
        """All samples by batches, a group of programs after the other; meanwhile the CPU does what is too much."""
        start, milliseconds = time.perf_counter(), 0.0
        done = np.ones(len(request.samples), np.bool_)
        by_cpu: list[tuple[Rows, Columns, Future[Outputs]]] = []
        runs: list[_GroupRun] = []
        with ThreadPoolExecutor(1) as beside:
            for number in range(len(self.groups)):
                one = self._group_run(request, number)
                runs.append(one)
                for rows, columns in self._for_the_cpu(request, one):
                    by_cpu.append((rows, columns, beside.submit(self._on_cpu, request, rows, columns)))
                result.statuses[:, one.too_much] = OVERFLOW
                seen = np.zeros_like(done)
                for rows, found in one.runner.outputs(request.samples, one.slots, one.asked, stopped=request.stopped):
                    result.take(rows, found, one.columns)
                    seen[rows] = True
                    milliseconds = 1e3 * (time.perf_counter() - start)
                    if len(self.groups) == 1 and not by_cpu:
                        result.done[rows] = True
                        sink.finished(rows)
                        sink.tell()
                done &= seen
            left = int(sum((result.statuses[:, [*one.columns, *one.too_much]] == OVERFLOW).sum() for one in runs))
            self._left = _Left.of(request.samples, result.statuses, np.concatenate([one.columns for one in runs]))
            batches = tuple(size for one in runs for size in one.runner.batches)
            waves = sum(len(one.runner.schedule.waves) for one in runs)
            tried = tuple(some for one in runs for some in one.runner.tried)
            heap_bytes = 4 * runs[0].runner.heap.words
            self.last = DeviceStats(milliseconds, batches, waves, heap_bytes, on_cpu=left, tried=tried)
            for rows, columns, answer in by_cpu:
                given = answer.result()
                sink.answered(rows, columns, given, self.unfit_reason())
                done[rows] &= given.done  # the CPU may have been stopped
        if by_cpu or len(self.groups) > 1:
            result.done[:] = done
            sink.finished(np.flatnonzero(done))
            sink.tell()

    def _group_run(self, request: RunRequest, number: int) -> _GroupRun:
        """What runs of a group of programs here, and what is known to be too much."""
        runner, outputs = self.runner(request.max_steps, number), self.groups[number].code.outputs
        runner.tried.clear()
        columns, much = self._columns[number], np.zeros(len(outputs), np.bool_)
        if runner.too_much:
            much[:] = [slot in runner.too_much for slot, _ in outputs.values()]
        slots = [one for one, too_much in zip(outputs.values(), much.tolist(), strict=True) if not too_much]
        asked = Asked(request.outputs, request.largest, self._spent_ends(number, request.max_total))
        return _GroupRun(runner.only(slots) if much.any() else runner, slots, columns[~much], columns[much], asked)

    @cached_property
    def _columns(self) -> list[Columns]:
        """Of each group, the columns of its programs."""
        column_of = {name: column for column, name in enumerate(self.names)}
        return [np.array([column_of[name] for name in group.code.outputs], np.int64) for group in self.groups]

    def _spent_ends(self, group: int, max_total: int) -> dict[int, int]:
        """Of the results of a group, from how many steps on each is the CPU's; `Asked` says of which."""
        known, found = self._ends.get(group, (-1, {}))
        if known != max_total:
            found = {}
            for name, (slot, _) in self.groups[group].code.outputs.items():
                end = steps_too_many(self.compiled.typed.bounds, [name], max_total)
                found[slot] = min(found.get(slot, end), end)
            self._ends[group] = max_total, found
        return found

    def _for_the_cpu(self, request: RunRequest, one: _GroupRun) -> Iterator[tuple[Rows, Columns]]:
        """Samples and programs that the CPU runs at the same time as the GPU: what is known to be too much for that."""
        if len(one.too_much):
            yield np.arange(len(request.samples)), one.too_much
        if self._left and self._left.samples() is request.samples:
            columns = np.intersect1d(self._left.columns, one.columns)
            if len(columns):
                yield self._left.rows, columns

    def _on_cpu(self, request: RunRequest, rows: Rows, columns: Columns) -> Outputs:
        """What some programs give on some samples, on the CPU, but for the cores that keep the GPU busy."""
        part = self._cpu().part(columns)
        part.threads = max(1, self._cpu().threads - _FOR_THE_GPU)
        return run_alone(part, request.only(rows, progress=None))

    def runner(self, max_steps: int, group: int = 0) -> WaveRunner:
        """What runs the waves of a group of programs with so many steps of a call."""
        key = max_steps, group
        if key not in self._runners:
            beside = next((one for (_, other), one in self._runners.items() if other == group), None)
            self._runners[key] = self._made_runner(max_steps, group, beside)
        return self._runners[key]

    def _made_runner(self, max_steps: int, group: int, beside: WaveRunner | None) -> WaveRunner:
        """With as much memory as there really is; groups share it."""
        heap = next((one.heap for one in self._runners.values()), None)
        size = self._heap_bytes or self._free()
        while True:
            try:
                return WaveRunner(
                    cupy, self.groups[group], heap_bytes=size, heap=heap, max_steps=max_steps, beside=beside
                )
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


def _without(compiled: CompiledSet, names: Container[str]) -> CompiledSet:
    """The set without some programs."""
    rest = [name for name in compiled.names if name not in names]
    return compiled if len(rest) == len(compiled.names) else compiled.subset(rest)


@dataclass(frozen=True)
class _GroupRun:
    """A group of programs in a run: what runs it here, which values, and their columns; and those for the CPU."""

    runner: WaveRunner
    slots: list[tuple[int, Type]]
    columns: Columns
    too_much: Columns
    asked: Asked


@dataclass(frozen=True)
class _Left:
    """What the GPU left of a run: samples, and rows and columns that hold all of it. The next run may be the same."""

    samples: Callable[[], PackedSamples | None]
    rows: Rows
    columns: Columns

    @classmethod
    def of(cls, samples: PackedSamples, statuses: NDArray[np.uint8], columns: Columns) -> _Left | None:
        unfit: NDArray[np.bool_] = statuses[:, columns] == OVERFLOW
        rows, some = np.flatnonzero(unfit.any(axis=1)), columns[unfit.any(axis=0)]
        few = 0 < len(rows) * len(some) <= _FEW_LEFT * unfit.size
        return cls(weakref.ref(samples), rows, some) if few else None


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
        compiled = in_parts(compiled, _MOST_PROGRAMS, threads)
        super().__init__(compiled, threads or os.cpu_count() or 1)
        self._options: dict[str, Any] = {
            "heap_bytes": heap_bytes, "memory_fraction": memory_fraction, "keep_going": keep_going,
        }  # fmt: skip
        self.waves = WaveTier(compiled, device, self.cpu, **self._options)

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
