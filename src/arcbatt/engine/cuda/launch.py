"""Launches of the GPU's kernel: what one is given, what comes back, and the room in which long loops are shared out.

native/cuda/engine.h has the other side of the tables here.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from arcbatt.engine.cuda.compile import KernelOptions
from arcbatt.engine.cuda.traffic import Traffic
from arcbatt.engine.stats import DeviceStats

_T = TypeVar("_T")
Pairs = NDArray[np.int32]
"""Work items, a row each: slice and sample."""

START: Final = 0
"""The kind of task that is an item; others come up on the device."""
_HALT_BYTES: Final = 48
_MOST_HALTS: Final = 1 << 16
_MOST_PARTS: Final = 1 << 20
_TASK_WORDS: Final = 4
_NAP: Final = 0.0002
_LOOK_EVERY: Final = 0.005
"""Seconds between looks at what a launch has done."""
_PROGRESS: Final = ("next", "unfit", "head", "tail", "open", "halts", "parts", "none")
_NOTHING: Final = np.empty(0, np.uint32)
_SAMPLES: Final = ("cells", "offset", "height", "width", "input", "expected", "task", "first", "count", "demo")


class UnfinishedError(RuntimeError):
    """A launch ended before its tasks did; its results cannot be used."""


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


def tasks_of(items: Pairs) -> NDArray[np.uint32]:
    """The tasks of items, a row each."""
    tasks = np.zeros((len(items), _TASK_WORDS), np.uint32)
    tasks[:, 0], tasks[:, 1:3] = START, items
    return tasks


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
    """Arrays as `cuda_results.Results` has them."""
    largest: int
    pool_next: Any
    """How much of the pool of grids is wanted, in units of 16 bytes."""
    counts: DeviceStats
    timed: bool = False
    together: bool = True
    known: Sequence[int] = (0, 0, 0)
    """Where the objects of inputs are that were found before; `cuda_objects.KnownObjects.table`."""

    @staticmethod
    def bytes_beside(memory_bytes: int) -> int:
        """What is allocated beside the memory for loops that are shared out."""
        most = _most_parts(memory_bytes)
        return _MOST_HALTS * _HALT_BYTES + 24 * most + 4 * _TASK_WORDS * (most + _MOST_HALTS) + 4096

    def batches(self, work: Work, blocks: int, words: int) -> Pairs:
        """Run batches; the items that did not fit."""
        return self._launch(work, min(blocks, work.count), work.batch, words, 0, None, lambda _: None)

    def tasks(
        self,
        tasks: NDArray[np.uint32],
        groups: int,
        words: int,
        time_slice: int,
        memory_bytes: int,
        left: Callable[[Pairs], None],
    ) -> Pairs:
        """Run tasks, and the loops they leave in parts; the items that did not fit.

        `left` is told of these as they come up.
        """
        shares = _Shares(self.cupy, memory_bytes) if time_slice else None
        a_block = self.kernel.groups
        work = Work.listed(self.counts.traffic.upload(tasks), together=self.together)
        # Where loops are shared out, groups that find no item have parts of others to run.
        blocks = max(1, (groups if shares else min(groups, len(tasks))) // a_block)
        return self._launch(work, blocks, a_block, words, time_slice, shares, left)

    def _launch(
        self,
        work: Work,
        blocks: int,
        arenas: int,
        words: int,
        time_slice: int,
        shares: _Shares | None,
        left: Callable[[Pairs], None],
    ) -> Pairs:
        """One launch, with so many arenas of so many words a block; the items that did not fit."""
        cupy, out = self.cupy, self.results
        room = cupy.empty(blocks * arenas * words, np.uint32)
        progress = cupy.zeros(len(_PROGRESS), np.uint32)
        progress[_PROGRESS.index("open")] = work.count
        again = cupy.full((work.items, 2), -1, np.int32)
        late = shares.most_tasks if shares else 0
        ticks = cupy.zeros(work.count + late if self.timed and not work.batch else 0, np.uint32)
        traffic = self.counts.traffic
        launch = traffic.upload(np.array([
            *map(address, (self.blob, self.table, work.tasks)), work.count, address(progress),
            address(work.order), work.order.size, work.batch, work.together,
            address(room), words, self.max_steps, *(address(self.samples[name]) for name in _SAMPLES),
            self.columns, *map(address, (out.statuses, out.matches, out.agreement, out.hashes)), address(out.pool),
            out.pool.size, address(self.pool_next), *map(address, (out.offset, out.height, out.width)), self.largest,
            address(again), time_slice, *(shares.table() if shares else [0] * 9), address(ticks), *self.known,
        ], np.uint64))  # fmt: skip
        milliseconds, told = timed(
            cupy, traffic, "launch",
            lambda: self.function((blocks,), (self.kernel.threads,), (launch,)),
            lambda end: self._wait(end, progress, again, left),
        )  # fmt: skip
        self.counts.launches_ms.append(milliseconds)
        done = dict(zip(_PROGRESS, traffic.download(progress).tolist(), strict=True))
        if shares and done["open"]:
            raise UnfinishedError(f"{done['open']} tasks of a launch were left undone")
        self.counts.halts += min(done["halts"], _MOST_HALTS)
        self.counts.parts += done["parts"]
        if ticks.size:
            tasks = [work.tasks, shares.queue[: done["tail"]]] if shares else [work.tasks]
            listed = np.concatenate([one.get() for one in tasks])
            self.counts.ticks.append((listed, ticks[: work.count + done["tail"]].get()))
        pairs: Pairs = traffic.download(again[: done["unfit"]])
        left(pairs[told:])
        return pairs

    def _wait(self, end: Any, progress: Any, again: Any, left: Callable[[Pairs], None]) -> int:
        """Wait for the end of a launch; how many items that did not fit `left` was told of meanwhile."""
        beside = self.cupy.cuda.Stream(non_blocking=True)
        told, looked = 0, time.perf_counter()
        while not end.done:
            time.sleep(_NAP)
            if time.perf_counter() - looked < _LOOK_EVERY:
                continue
            looked = time.perf_counter()
            unfit = int(progress.get(stream=beside)[_PROGRESS.index("unfit")])
            found = again[told:unfit].get(stream=beside) if unfit > told else again[:0].get()
            whole = int(np.argmax([*(found < 0).any(axis=1), True]))  # up to one that is just being written
            left(found[:whole])
            told += whole
        end.synchronize()
        return told


class _Shares:
    """Room for loops that are left, their parts, and tasks that come up; native/cuda/engine.h fills it."""

    def __init__(self, cupy: Any, memory_bytes: int) -> None:
        self._most_parts = _most_parts(memory_bytes)
        self._memory = cupy.empty(max(memory_bytes // 4, 1), np.uint32)
        self._halts = cupy.empty(_MOST_HALTS * _HALT_BYTES, np.uint8)
        self._parts = cupy.empty((self._most_parts, 4), np.uint32)
        self._places = cupy.empty(self._most_parts, np.uint64)
        self._used = cupy.zeros(1, np.uint64)
        self.queue = cupy.zeros((self.most_tasks, _TASK_WORDS), np.uint32)

    @property
    def most_tasks(self) -> int:
        """How many tasks may come up."""
        return self._most_parts + _MOST_HALTS

    def table(self) -> list[int]:
        """The words of a launch about halts, parts, tasks and memory."""
        return [
            address(self._halts), _MOST_HALTS, address(self._parts), self._most_parts, address(self._places),
            address(self.queue), address(self._memory), self._memory.size, address(self._used),
        ]  # fmt: skip


def _most_parts(memory_bytes: int) -> int:
    return int(min(_MOST_PARTS, max(64, memory_bytes // 256)))


def timed(
    cupy: Any, traffic: Traffic, stage: str, launch: Callable[[], None], wait: Callable[[Any], _T]
) -> tuple[float, _T]:
    """Launch a kernel as a stage of a run and wait for the event of its end.

    The milliseconds it took on the device, and what `wait` gave.
    """
    start, end = cupy.cuda.Event(), cupy.cuda.Event()
    traffic.launches += 1
    with traffic.stage(stage):
        start.record()
        launch()
        end.record()
        given = wait(end)
    return float(cupy.cuda.get_elapsed_time(start, end)), given


def address(array: Any) -> int:
    """Where an array lies on the device; 0 for an empty one."""
    return int(array.data.ptr) if array.size else 0
