"""The GPU engine: slices of a merged graph on many samples in one launch, data and results on the device.

Needs CuPy (`pip install 'arcbatt[cuda]'`) to be imported, and an NVIDIA GPU to make an engine.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from arcbatt.arc.packing import PackedSamples, pack_samples
from arcbatt.backends import cpu
from arcbatt.backends.cuda_compile import ENTRY, KernelOptions, cubin
from arcbatt.backends.merged import Completion, Stop
from arcbatt.backends.outcome import Outcome
from arcbatt.backends.outputs import ESCAPE, OVERFLOW, STATUS, Outputs, Wanted
from arcbatt.backends.python import Sample
from arcbatt.errors import UsageError
from arcbatt.frontend import Program
from arcbatt.ir.compile import compile_graph
from arcbatt.ir.graph import Graph, merge
from arcbatt.ir.options import Rewrites
from arcbatt.limits import MAX_CELLS, MAX_STEPS
from arcbatt.lower.slices import Sliced, slice_graph

try:
    import cupy
except ModuleNotFoundError as error:
    raise ModuleNotFoundError("the GPU engine needs CuPy: pip install 'arcbatt[cuda]'", name="cupy") from error

_ITEMS_A_GROUP: Final = 16
"""Work items a resident group should find, so that long ones even out."""
_MOST_SLICES: Final = 512
_TIER: Final = 16
"""How many times bigger the next tier's arenas are."""
_MOST_WORDS: Final = 1 << 28
"""The biggest arena on the device."""
_LAUNCH_SAMPLES: Final = 1 << 14
"""Samples a launch at most, so that a stop is seen."""
_SAMPLES: Final = ("cells", "offset", "height", "width", "input", "expected", "task", "first", "count", "demo")


def device_count() -> int:
    """How many NVIDIA GPUs there are; none also where there is no driver."""
    try:
        return int(cupy.cuda.runtime.getDeviceCount())
    except cupy.cuda.runtime.CUDARuntimeError:
        return 0


@dataclass
class RunStats:
    """What the launches of a run took, and where items went that did not fit."""

    items: int = 0
    kernel_ms: float = 0.0
    tiers: list[int] = field(default_factory=list)
    """Items that went to the second tier, the third, ..."""
    on_cpu: int = 0
    """Evaluations that fitted no tier and ran on the CPU engine."""
    ticks: list[tuple[NDArray[np.uint32], NDArray[np.uint32]]] = field(default_factory=list)
    """Of each launch, its items (slice, sample) and the clock cycles each took over 16; where that was asked for."""

    def moved(self, tier: int, count: int) -> None:
        """Count items that went on to a tier (1 for the second)."""
        self.tiers += [0] * (tier - len(self.tiers))
        self.tiers[tier - 1] += count


@dataclass
class _Results:
    """The results of a launch on the device."""

    statuses: Any
    matches: Any
    agreement: Any
    hashes: Any
    offset: Any
    height: Any
    width: Any
    pool: Any

    @classmethod
    def make(cls, samples: int, columns: int, wanted: Wanted, pool_bytes: int) -> _Results:
        shape, none = (samples, columns), (0,)
        kept = shape if wanted == "grid" else none
        return cls(
            cupy.zeros(shape, np.uint8), cupy.zeros(shape, np.uint8), cupy.zeros(shape, np.uint16),
            cupy.zeros(none if wanted == "match" else shape, np.uint64), cupy.full(kept, -1, np.int64),
            cupy.zeros(kept, np.int32), cupy.zeros(kept, np.int32),
            cupy.empty(pool_bytes if wanted == "grid" else 0, np.int8),
        )  # fmt: skip


class Engine:
    """Runs one merged graph on samples, on one GPU. `names` are the programs, in the order of the columns of results.

    The graph is cut into about `slices` parts, by default so many that every resident group of lanes finds several work
    items. Each group has an arena of `arena_bytes`; what does not fit runs again in fewer, bigger arenas within
    `memory_fraction` of the free memory, then on the CPU engine, then on the reference.
    """

    backend = "cuda"

    def __init__(
        self,
        graph: Graph,
        *,
        devices: Sequence[int] = (),
        slices: int | None = None,
        arena_bytes: int = 1 << 20,
        memory_fraction: float = 0.8,
        max_steps: int = MAX_STEPS,
        kernel: KernelOptions | None = None,
        rewrites: Rewrites | None = None,
    ) -> None:
        if len(devices) > 1:
            raise UsageError(f"one GPU a process for now, {len(devices)} were named")
        self.device = devices[0] if devices else 0
        if self.device >= device_count():
            raise UsageError(f"no GPU number {self.device}: {device_count()} are visible (see nvidia-smi)")
        self.graph = graph
        self.names = list(graph.outputs)
        self.max_steps = max_steps
        self.kernel = kernel or KernelOptions()
        self.memory_fraction = memory_fraction
        self.last = RunStats()
        """Of the last run."""
        self.timed = False
        """Whether to take the time of every item."""
        self._rewrites = rewrites or Rewrites.lowered()
        self._typed = compile_graph(graph, self._rewrites).graph
        self._slices = slices
        self._arena_bytes = arena_bytes
        self._sliced: Sliced | None = None
        self._resident: tuple[PackedSamples, dict[str, Any]] | None = None
        with cupy.cuda.Device(self.device) as current:
            self._multiprocessors = int(current.attributes["MultiProcessorCount"])
            path = cubin(cupy.cuda.nvrtc, self.kernel, int(current.compute_capability))
            self._function = cupy.RawModule(path=str(path)).get_function(ENTRY)

    @classmethod
    def of(cls, programs: Iterable[Program], **options: Any) -> Engine:
        """An engine for programs, merged."""
        return cls(merge(programs), **options)

    @cached_property
    def _cpu(self) -> cpu.Engine:
        return cpu.Engine(self.graph, max_steps=self.max_steps, rewrites=self._rewrites)

    def pack(self, samples: Sequence[Sample] | PackedSamples) -> PackedSamples:
        """Samples as arrays, if they are not yet."""
        return samples if isinstance(samples, PackedSamples) else pack_samples(samples)

    @property
    def groups(self) -> int:
        """How many groups of lanes are resident."""
        return self._multiprocessors * self.kernel.blocks * self.kernel.threads // self.kernel.lanes

    def sliced(self, samples: int) -> Sliced:
        """The slices, cut once, by the number of samples seen first."""
        if self._sliced is None:
            wanted = self._slices or min(_MOST_SLICES, -(-_ITEMS_A_GROUP * self.groups // max(samples, 1)))
            self._sliced = slice_graph(self._typed, max(1, wanted))
            words, table = self._sliced.blob({name: column for column, name in enumerate(self.names)})
            self._blob, self._table = cupy.asarray(words), cupy.asarray(table)
        return self._sliced

    def resident(self, data: PackedSamples) -> dict[str, Any]:
        """The packed samples on the device; those of the last run stay there."""
        if self._resident is None or self._resident[0] is not data:
            arrays = {one.name: getattr(data, one.name) for one in fields(PackedSamples)}
            self._resident = (data, {name: cupy.asarray(array) for name, array in arrays.items()})
        return self._resident[1]

    def run(
        self,
        samples: Sequence[Sample] | PackedSamples,
        outputs: Wanted = "match",
        *,
        largest: int = MAX_CELLS,
        stop: Stop | None = None,
        progress: Callable[[int], None] | None = None,
        complete: bool = True,
    ) -> Outputs:
        """As `arcbatt.backends.cpu.Engine.run`; `stop` is asked between launches."""
        data = self.pack(samples)
        result = Outputs.empty(self.names, len(data), outputs)
        self.last = RunStats()
        start = time.perf_counter()
        with cupy.cuda.Device(self.device):
            self.sliced(len(data))
            for first in range(0, len(data), _LAUNCH_SAMPLES):
                if stop and stop():
                    break
                self._run_part(data, slice(first, min(first + _LAUNCH_SAMPLES, len(data))), result, outputs, largest)
                if progress:
                    progress(int(result.done.sum()))
        result.seconds["run"] = time.perf_counter() - start
        if complete:
            self._complete(data, result, largest, stop)
        result.seconds["reference"] = time.perf_counter() - start - result.seconds["run"]
        return result.trimmed(outputs)

    def values(self, sample: Sample) -> dict[str, Outcome]:
        """What every program gives on one sample, computed by the CPU engine: one sample is no work for a GPU."""
        return self._cpu.values(sample)

    # --- one launch and its further tiers ---
    def _run_part(
        self, data: PackedSamples, part: slice, result: Outputs, wanted: Wanted, largest: int, pool_bytes: int = 1 << 24
    ) -> None:
        """Some samples: launched, run again where they did not fit, and fetched."""
        rows = np.arange(part.start, part.stop)
        sliced = self.sliced(len(data))
        there = {**self.resident(data)}
        for name in ("input", "expected", "task"):
            there[name] = there[name][part]
        out = _Results.make(len(rows), len(self.names), wanted, pool_bytes)
        pending = cupy.asarray(self._items(data, rows, len(sliced.codes)))
        self.last.items += len(pending)
        least = max((len(code.image) for code in sliced.codes), default=0) + 4096
        words, groups, tier = max(self._arena_bytes // 4, least), self.groups, 0
        pool_next = cupy.zeros(1, np.uint32)
        while len(pending) and groups:
            again = self._launch(pending, there, out, groups, words, pool_next, largest)
            pending = pending[again]
            words, tier = words * _TIER, tier + 1
            if not len(pending) or words > _MOST_WORDS:
                break
            groups = min(groups, len(pending), self._most_groups(words))
            if groups:
                self.last.moved(tier, len(pending))
        used = 16 * int(pool_next[0])
        if used > pool_bytes and wanted == "grid":
            return self._run_part(data, part, result, wanted, largest, used)
        self._fetch(out, part, result, wanted, used)
        result.grown += len(self.last.tiers)
        result.peak_bytes = max(result.peak_bytes, 4 * words // _TIER)
        result.done[part] = True
        self._finish_on_cpu(data, rows, result, wanted, largest)
        return None

    def _items(self, data: PackedSamples, rows: NDArray[np.int64], slices: int) -> NDArray[np.uint32]:
        """Work items (slice, row): costly slices first, and of each the samples with most cells first."""
        grids = data.input[rows]
        cells = data.height[grids].astype(np.int64) * data.width[grids]
        order = np.argsort(-cells, kind="stable").astype(np.uint32)
        return np.stack([np.repeat(np.arange(slices, dtype=np.uint32), len(order)), np.tile(order, slices)], axis=1)

    def _most_groups(self, words: int) -> int:
        """How many arenas of so many words fit."""
        cupy.get_default_memory_pool().free_all_blocks()
        free, _ = cupy.cuda.runtime.memGetInfo()
        return int(free * self.memory_fraction) // (4 * words)

    def _launch(
        self, items: Any, there: dict[str, Any], out: _Results, groups: int, words: int, pool_next: Any, largest: int
    ) -> Any:
        """Run items; the places of those that did not fit."""
        a_block = self.kernel.threads // self.kernel.lanes
        blocks = max(1, min(groups, len(items)) // a_block)
        arenas = cupy.empty(blocks * a_block * words, np.uint32)
        counters = cupy.zeros(2, np.uint32)
        again = cupy.empty(len(items), np.uint32)
        ticks = cupy.zeros(len(items) if self.timed else 0, np.uint32)
        launch = cupy.asarray(np.array([
            _address(self._blob), _address(self._table), _address(items), len(items), _address(counters),
            _address(arenas), words, self.max_steps, *(_address(there[name]) for name in _SAMPLES),
            len(self.names), *map(_address, (out.statuses, out.matches, out.agreement, out.hashes)),
            _address(out.pool), out.pool.size, _address(pool_next), *map(_address, (out.offset, out.height, out.width)),
            largest, _address(again), _address(counters) + 4, _address(ticks),
        ], np.uint64))  # fmt: skip
        start, end = cupy.cuda.Event(), cupy.cuda.Event()
        start.record()
        self._function((blocks,), (self.kernel.threads,), (launch,))
        end.record()
        end.synchronize()
        self.last.kernel_ms += float(cupy.cuda.get_elapsed_time(start, end))
        if self.timed:
            self.last.ticks.append((items.get(), ticks.get()))
        return again[: int(counters[1])]

    @staticmethod
    def _fetch(out: _Results, part: slice, result: Outputs, wanted: Wanted, used: int) -> None:
        """The results of a launch to where those of the run are."""
        out.statuses.get(out=result.statuses[part])
        result.matches[part] = out.matches.get().view(np.bool_)
        out.agreement.get(out=result.agreement[part])
        if wanted != "match":
            assert result.hashes is not None
            out.hashes.get(out=result.hashes[part])
        if wanted == "grid":
            assert result.grids is not None
            offset = out.offset.get()
            offset[offset >= 0] += len(result.grids.cells)
            result.grids.offset[part] = offset
            result.grids.height[part], result.grids.width[part] = out.height.get(), out.width.get()
            result.grids.cells = np.concatenate([result.grids.cells, out.pool[:used].get()])

    # --- what the device left open ---
    def _finish_on_cpu(
        self, data: PackedSamples, rows: NDArray[np.int64], result: Outputs, wanted: Wanted, largest: int
    ) -> None:
        """Put the CPU engine's results where nothing fitted on the device."""
        overflowed = result.statuses[rows] == OVERFLOW
        short = rows[overflowed.any(axis=1)]
        if not len(short):
            return
        some = replace(data, input=data.input[short], expected=data.expected[short], task=data.task[short])
        found = self._cpu.run(some, wanted, largest=largest, complete=False)
        missing = result.statuses[short] == OVERFLOW
        self.last.on_cpu += int(missing.sum())
        for name in ("statuses", "matches", "agreement", "hashes"):
            given, target = getattr(found, name), getattr(result, name)
            if given is not None:
                values = target[short]
                values[missing] = given[missing]
                target[short] = values
        if wanted == "grid":
            assert result.grids is not None
            assert found.grids is not None
            offset = np.where(found.grids.offset >= 0, found.grids.offset + len(result.grids.cells), -1)
            for target, given in (
                (result.grids.offset, offset),
                (result.grids.height, found.grids.height),
                (result.grids.width, found.grids.width),
            ):
                values = target[short]
                values[missing] = given[missing]
                target[short] = values
            result.grids.cells = np.concatenate([result.grids.cells, found.grids.cells])

    def _complete(self, data: PackedSamples, result: Outputs, largest: int, stop: Stop | None) -> None:
        """Have the reference fill in what no engine could do, marked with why."""
        rejected = self.sliced(len(data)).rejected
        result.reasons = [
            STATUS[OVERFLOW],
            STATUS[ESCAPE],
            *sorted({f"not lowered: {why}" for why in rejected.values()}),
        ]
        for place, why in enumerate((OVERFLOW, ESCAPE), 1):
            result.origin[result.statuses == why] = place
        for name, problem in rejected.items():
            result.origin[:, self.names.index(name)] = result.reasons.index(f"not lowered: {problem}") + 1
        result.origin[~result.done] = 0
        completion = Completion(result, data, self.graph, largest=largest, max_steps=self.max_steps, stop=stop)
        completion.fill(np.flatnonzero(result.origin.any(axis=1)).tolist())
        completion.finish()


def _address(array: Any) -> int:
    """Where an array lies on the device; 0 for an empty one."""
    return int(array.data.ptr) if array.size else 0
