"""Launches of the GPU's kernel: what one is given, what comes back, and the room in which long loops are shared out.

`compiler/abi.py` declares the tables, native/cuda/engine.h has their other side.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from arcbatt.compiler.abi import CHECKPOINT, LAUNCH, PACKED, PART, PROGRESS, START, TASK
from arcbatt.engine.cuda.compile import KernelOptions
from arcbatt.engine.cuda.traffic import Traffic
from arcbatt.engine.stats import KernelStats

_T = TypeVar("_T")
Pairs = NDArray[np.int32]
"""Work items, a row each: slice and sample."""

_MOST_CHECKPOINTS: Final = 1 << 16
_MOST_PARTS: Final = 1 << 20
_NAP: Final = 0.0002
_LOOK_EVERY: Final = 0.005
"""Seconds between looks at what a launch has done."""
_NOTHING: Final = np.empty(0, np.uint32)
_NO_SHARES: Final = dict.fromkeys(
    (
        "checkpoints",
        "most_checkpoints",
        "parts",
        "most_parts",
        "shares",
        "queue",
        "memory",
        "memory_words",
        "memory_next",
    ),
    0,
)
NO_OBJECTS: Final = dict.fromkeys(("objects", "object_places", "grids"), 0)
"""What a launch says of the objects of inputs where none were found before."""


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
    tasks = np.zeros(len(items), TASK.dtype)
    tasks["kind"], tasks["a"], tasks["b"] = START, items[:, 0], items[:, 1]
    return tasks.view(np.uint32).reshape(-1, TASK.words)


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
    spent_end: int
    """From how many steps of an item that types do not bound it is left to another tier."""
    samples: dict[str, Any]
    results: Any
    """Arrays as `cuda_results.Results` has them."""
    largest: int
    pool_next: Any
    """How much of the pool of grids is wanted, in units of 16 bytes."""
    counts: KernelStats
    timed: bool = False
    together: bool = True
    known: Mapping[str, int] = field(default_factory=lambda: NO_OBJECTS)
    """Where the objects of inputs are that were found before."""

    @staticmethod
    def bytes_beside(memory_bytes: int) -> int:
        """What is allocated beside the memory for loops that are shared out."""
        most = _most_parts(memory_bytes)
        places = 8 * most
        queue = TASK.bytes * (most + _MOST_CHECKPOINTS)
        return _MOST_CHECKPOINTS * CHECKPOINT.bytes + PART.bytes * most + places + queue + 4096

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
        progress = cupy.zeros(PROGRESS.words, np.uint32)
        progress[PROGRESS.place("open")] = work.count
        again = cupy.full((work.items, 2), -1, np.int32)
        late = shares.most_tasks if shares else 0
        ticks = cupy.zeros(work.count + late if self.timed and not work.batch else 0, np.uint32)
        traffic = self.counts.traffic
        launch = traffic.upload(
            LAUNCH.filled(
                blob=address(self.blob),
                slices=address(self.table),
                tasks=address(work.tasks),
                work_count=work.count,
                progress=address(progress),
                order=address(work.order),
                order_count=work.order.size,
                batch=work.batch,
                together=work.together,
                arenas=address(room),
                arena_words=words,
                max_steps=self.max_steps,
                spent_end=self.spent_end,
                samples={name: address(self.samples[name]) for name in PACKED.names},
                columns=self.columns,
                statuses=address(out.statuses),
                matches=address(out.matches),
                agreement=address(out.agreement),
                hashes=address(out.hashes),
                pool=address(out.pool),
                pool_bytes=out.pool.size,
                pool_next=address(self.pool_next),
                grid_offset=address(out.offset),
                grid_height=address(out.height),
                grid_width=address(out.width),
                largest=self.largest,
                again=address(again),
                time_slice=time_slice,
                ticks=address(ticks),
                **(shares.fields() if shares else _NO_SHARES),
                **self.known,
            )
        )
        milliseconds, told = timed(
            cupy, traffic, "launch",
            lambda: self.function((blocks,), (self.kernel.threads,), (launch,)),
            lambda end: self._wait(end, progress, again, left),
        )  # fmt: skip
        self.counts.launches_ms.append(milliseconds)
        done = PROGRESS.read(traffic.download(progress))
        if shares and done["open"]:
            raise UnfinishedError(f"{done['open']} tasks of a launch were left undone")
        self.counts.checkpoints += min(done["checkpoints"], _MOST_CHECKPOINTS)
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
            unfit = int(progress.get(stream=beside)[PROGRESS.place("unfit")])
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
        self._checkpoints = cupy.empty(_MOST_CHECKPOINTS * CHECKPOINT.bytes, np.uint8)
        self._parts = cupy.empty((self._most_parts, PART.words), np.uint32)
        self._places = cupy.empty(self._most_parts, np.uint64)
        self._used = cupy.zeros(1, np.uint64)
        self.queue = cupy.zeros((self.most_tasks, TASK.words), np.uint32)

    @property
    def most_tasks(self) -> int:
        """How many tasks may come up."""
        return self._most_parts + _MOST_CHECKPOINTS

    def fields(self) -> dict[str, int]:
        """What a launch says of it."""
        return {
            "checkpoints": address(self._checkpoints),
            "most_checkpoints": _MOST_CHECKPOINTS,
            "parts": address(self._parts),
            "most_parts": self._most_parts,
            "shares": address(self._places),
            "queue": address(self.queue),
            "memory": address(self._memory),
            "memory_words": self._memory.size,
            "memory_next": address(self._used),
        }


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
