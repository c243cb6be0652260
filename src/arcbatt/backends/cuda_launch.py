"""Launches of the GPU's kernel: what one is given, what comes back, and the rounds in which long loops are shared out.

native/cuda_engine.h has the other side of the tables here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from arcbatt.backends.cuda_compile import KernelOptions
from arcbatt.backends.cuda_traffic import Traffic

Pairs = NDArray[np.int32]
"""Work items, a row each: slice and sample."""

START, PART_OF, TAKE_UP = range(3)
_NOWHERE: Final = 0xFFFFFFFF
_NO_PLACE: Final = 0xFFFFFFFFFFFFFFFF
_WORDS: Final = ("slice", "sample", "index", "n", "top", "parent", "first_part", "parts", "grain", "done")
_HALT: Final = np.dtype([(name, np.uint32) for name in _WORDS] + [("steps", np.uint64), ("place", np.uint64)])
_MOST_HALTS: Final = 1 << 16
_MOST_PARTS: Final = 1 << 20
_PARTS: Final = 24
"""Parts a loop is shared out in, at most."""
_NOTHING: Final = np.empty(0, np.uint32)
_SAMPLES: Final = ("cells", "offset", "height", "width", "input", "expected", "task", "first", "count", "demo")


@dataclass(frozen=True)
class Work:
    """What a launch is to do: tasks, a row each, or batches of the samples in an order with every slice."""

    tasks: Any
    order: Any
    count: int
    """Tasks or batches."""
    batch: int = 0
    """Samples in a batch."""
    together: bool = False
    """Whether the groups of a block take tasks at the same time."""

    @classmethod
    def listed(cls, tasks: Any, *, together: bool) -> Work:
        """Tasks that groups take one by one."""
        return cls(tasks, _NOTHING, len(tasks), together=together)

    @classmethod
    def in_batches(cls, order: Any, slices: int, batch: int) -> Work:
        """The first slices on all samples, so many samples at a time."""
        return cls(_NOTHING, order, slices * -(-order.size // batch), batch)

    @property
    def items(self) -> int:
        """How many items these may be."""
        return self.count * max(self.batch, 1)


def tasks_of(kind: int, numbers: NDArray[Any], samples: NDArray[Any] | int = 0) -> NDArray[np.uint32]:
    """Tasks of a kind, a row each: items (their slices and samples), parts, or loops to take up again."""
    tasks = np.zeros((len(numbers), 4), np.uint32)
    tasks[:, 0], tasks[:, 1], tasks[:, 2] = kind, numbers, samples
    return tasks


@dataclass
class Counts:
    """What launches did, added up."""

    traffic: Traffic = field(default_factory=Traffic)
    launches_ms: list[float] = field(default_factory=list)
    """What each took on the device."""
    halts: int = 0
    """Loops that were shared out."""
    parts: int = 0
    """Parts they were shared out in."""
    ticks: list[tuple[NDArray[np.uint32], NDArray[np.uint32]]] = field(default_factory=list)
    """Of each list of tasks, the tasks and the clock cycles each took over 16; where that was asked for."""


@dataclass(frozen=True)
class Launcher:
    """Launches for some samples: programs, samples and results are where they are, and work is named."""

    cupy: Any
    function: Any
    kernel: KernelOptions
    blob: Any
    table: Any
    columns: int
    max_steps: int
    samples: dict[str, Any]
    results: Any
    """Arrays as `cuda._Results` has them."""
    largest: int
    pool_next: Any
    """How much of the pool of grids is wanted, in units of 16 bytes."""
    counts: Counts
    timed: bool = False
    together: bool = True

    @staticmethod
    def bytes_beside(memory_bytes: int) -> int:
        """What is allocated beside the memory for loops that are shared out."""
        return _MOST_HALTS * _HALT.itemsize + 24 * _most_parts(memory_bytes) + 4096

    def batches(self, work: Work, blocks: int, words: int) -> Pairs:
        """Run batches; the items that did not fit."""
        return self._launch(work, min(blocks, work.count), work.batch, words, 0, None)

    def tasks(
        self,
        tasks: NDArray[np.uint32],
        groups: int,
        words: int,
        patience: int,
        memory_bytes: int,
        left: Callable[[Pairs], None],
    ) -> Pairs:
        """Run tasks, and the loops they leave in parts, round after round; the items that did not fit.

        `left` is told of these after each round.
        """
        shares = _Shares(self.cupy, memory_bytes, self.max_steps) if patience else None
        unfit: list[Pairs] = []
        while len(tasks):
            whole = bool((tasks[:, 0] == START).all())  # items of one slice lie together, parts of loops may be any
            work = Work.listed(self.counts.traffic.upload(tasks), together=whole and self.together)
            a_block = self.kernel.groups
            blocks = max(1, min(groups, len(tasks)) // a_block)
            unfit.append(self._launch(work, blocks, a_block, words, patience, shares))
            left(unfit[-1])
            tasks = shares.next_round(tasks) if shares else tasks[:0]
        if shares:
            self.counts.halts += len(shares.halts)
            self.counts.parts += shares.part_count
        return np.concatenate(unfit) if unfit else np.empty((0, 2), np.int32)

    def _launch(self, work: Work, blocks: int, arenas: int, words: int, patience: int, shares: _Shares | None) -> Pairs:
        """One launch, with so many arenas of so many words a block; the items that did not fit."""
        cupy, out = self.cupy, self.results
        room = cupy.empty(blocks * arenas * words, np.uint32)
        counters = cupy.zeros(2, np.uint32)
        again = cupy.empty((work.items, 2), np.int32)
        ticks = cupy.zeros(work.count if self.timed and not work.batch else 0, np.uint32)
        traffic = self.counts.traffic
        launch = traffic.upload(np.array([
            *map(address, (self.blob, self.table, work.tasks)), work.count, address(counters),
            address(work.order), work.order.size, work.batch, work.together,
            address(room), words, self.max_steps, *(address(self.samples[name]) for name in _SAMPLES),
            self.columns, *map(address, (out.statuses, out.matches, out.agreement, out.hashes)), address(out.pool),
            out.pool.size, address(self.pool_next), *map(address, (out.offset, out.height, out.width)), self.largest,
            address(again), address(counters) + 4, patience, *(shares.table() if shares else [0] * 8), address(ticks),
        ], np.uint64))  # fmt: skip
        start, end = cupy.cuda.Event(), cupy.cuda.Event()
        traffic.launches += 1
        with traffic.stage("launch"):
            start.record()
            self.function((blocks,), (self.kernel.threads,), (launch,))
            end.record()
            end.synchronize()
        self.counts.launches_ms.append(float(cupy.cuda.get_elapsed_time(start, end)))
        if ticks.size:
            self.counts.ticks.append((work.tasks.get(), ticks.get()))
        unfit = int(traffic.download(counters)[1])
        pairs: Pairs = traffic.download(again[:unfit])
        return pairs


class _Shares:
    """Loops that were left, their parts, and the memory both are kept in."""

    def __init__(self, cupy: Any, memory_bytes: int, max_steps: int) -> None:
        self.halts = np.empty(0, _HALT)
        """Those known so far."""
        self.part_count = 0
        self._max_steps = max_steps
        self._pending = np.empty(0, np.int64)
        """Of each, the parts that have not ended; -1 where it was taken up again."""
        self._part_halt = np.empty(0, np.uint32)
        self._most_parts = _most_parts(memory_bytes)
        self._memory = cupy.empty(max(memory_bytes // 4, 1), np.uint32)
        self._there = cupy.empty(_MOST_HALTS * _HALT.itemsize, np.uint8)
        self._parts = cupy.empty((self._most_parts, 4), np.uint32)
        self._places = cupy.asarray(np.full(self._most_parts, _NO_PLACE, np.uint64))
        self._halt_count = cupy.zeros(1, np.uint32)
        self._used = cupy.zeros(1, np.uint64)

    def table(self) -> list[int]:
        """The words of a launch about halts, parts and memory."""
        return [
            address(self._there), address(self._halt_count), _MOST_HALTS, address(self._parts), address(self._places),
            address(self._memory), self._memory.size, address(self._used),
        ]  # fmt: skip

    def next_round(self, tasks: NDArray[np.uint32]) -> NDArray[np.uint32]:
        """What is to be done after tasks: the parts of loops they left, and loops all of whose parts have ended."""
        known = len(self.halts)
        found = min(int(self._halt_count.get()[0]), _MOST_HALTS)
        new = self._there[known * _HALT.itemsize : found * _HALT.itemsize].get().view(_HALT)
        ended = tasks[tasks[:, 0] == PART_OF, 1]
        taken = tasks[tasks[:, 0] == TAKE_UP, 1]
        self._pending[taken] = -1
        parents = self.halts["parent"][taken]
        ended = np.concatenate([ended, parents[parents != _NOWHERE]])
        halted = new["place"] != _NO_PLACE
        ended = np.setdiff1d(ended, new["parent"][halted])
        np.subtract.at(self._pending, self._part_halt[ended], 1)
        first = self.part_count
        self._add(new, halted)
        ready = np.flatnonzero(self._pending == 0)
        return np.concatenate([tasks_of(TAKE_UP, ready), tasks_of(PART_OF, np.arange(first, self.part_count))])

    def _next_items(self, new: NDArray[Any]) -> NDArray[np.int64]:
        """How many items to share out: as many as take the loop to its limit of steps, at what those so far cost.

        More would be work for nothing. Where none is done yet, a few show what they cost.
        """
        few = (_PARTS * new["grain"]).astype(np.int64)
        left = np.maximum(self._max_steps - new["steps"].astype(np.float64), 0)
        likely = left * new["done"] / np.maximum(new["steps"].astype(np.float64), 1)
        return np.where(new["done"] > 0, np.ceil(1.1 * likely).astype(np.int64) + new["grain"], few)

    def _add(self, new: NDArray[Any], halted: NDArray[np.bool_]) -> None:
        """Make parts of the loops that were left."""
        left = np.minimum((new["n"] - new["index"]).astype(np.int64), self._next_items(new))
        new["n"] = new["index"] + left
        most = max(1, (self._most_parts - self.part_count) // max(1, int(halted.sum())))
        counts = np.where(halted, np.clip(left // np.maximum(new["grain"], 1), 1, min(_PARTS, most)), 0)
        if self.part_count + int(counts.sum()) > self._most_parts:
            counts[:] = 0  # without parts they are taken up again at once, and do not fit
        known, first = len(self.halts), self.part_count
        new["parts"] = counts
        new["first_part"] = first + np.cumsum(counts) - counts
        self.halts = np.concatenate([self.halts, new])
        self._pending = np.concatenate([self._pending, np.where(halted, counts, -1)])
        of = np.repeat(np.arange(len(new)), counts)
        which = np.arange(len(of)) - np.repeat(np.cumsum(counts) - counts, counts)
        parts = np.zeros((len(of), 4), np.uint32)
        parts[:, 0] = known + of
        parts[:, 1] = new["index"][of] + left[of] * which // np.maximum(counts[of], 1)
        parts[:, 2] = new["index"][of] + left[of] * (which + 1) // np.maximum(counts[of], 1)
        self._part_halt = np.concatenate([self._part_halt, parts[:, 0]])
        self.part_count += len(parts)
        if len(new):
            self._there[known * _HALT.itemsize : len(self.halts) * _HALT.itemsize].set(new.view(np.uint8))
        if len(parts):
            self._parts[first : self.part_count].set(parts)


def _most_parts(memory_bytes: int) -> int:
    return int(min(_MOST_PARTS, max(64, memory_bytes // 256)))


def address(array: Any) -> int:
    """Where an array lies on the device; 0 for an empty one."""
    return int(array.data.ptr) if array.size else 0
