"""The last tier: what engines cannot do, evaluated on the reference, here or by processes where there is more to do.

What comes back is the same for any number of processes, whichever of them did what, and whether some died.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import cached_property
from queue import Empty, SimpleQueue
from typing import Any, Final

from arcbatt.compiler.graph import CONST, INPUT, INVOKE, PRIMITIVE, Graph
from arcbatt.data.packing import PackedSamples
from arcbatt.engine.api import RunRequest, Stop
from arcbatt.engine.outputs import Outputs
from arcbatt.engine.packer import Brief, Packer, brief_of
from arcbatt.engine.pool import Ended, Worker, WorkerPool, pickled, pool_of
from arcbatt.engine.reference import MergedReference, Stopped, expected_at, sample_at
from arcbatt.engine.worker import Ready, Recall, Recalled, Service, WorkerSpec
from arcbatt.language.limits import MAX_STEPS
from arcbatt.language.sample import Sample
from arcbatt.language.table import STANDARD

MOST_TRIES: Final = 2
"""How many processes may end over an evaluation before it is left to this one."""
IDLE_SECONDS: Final = 60.0
"""How long a process waits for work before it ends."""
_MOST_AT_ONCE: Final = 16
"""Evaluations handed out at a time."""
_LOOK_SECONDS: Final = 0.05
_SECONDS_PER_ANSWER: Final = 0.02
"""After so long a worker answers with what it has, the rest undone."""


# --- in a worker ---
@dataclass(frozen=True)
class Evaluator:
    """What a worker is set up for: the graph that is meant from now on."""

    graph: Graph
    max_steps: int
    hashed: bool


@dataclass(frozen=True)
class Evaluate:
    """Evaluate nodes of the graph on a sample, None for the sample of the message before."""

    sample: Sample | None
    nodes: tuple[int, ...]


@dataclass(frozen=True)
class Evaluated:
    """The outcomes of the first nodes: of all that were not recalled, or of those there was time for."""

    briefs: tuple[Brief, ...]


class ReferenceService(Service):
    """Evaluates what it is sent. What the reference raises ends the worker: whoever sent the work does it again."""

    def __init__(self) -> None:
        self._given = Evaluator(Graph(), 0, False)
        self._reference: MergedReference | None = None
        self._nodes: deque[int] = deque()
        self._lock = threading.Lock()

    def setup(self, payload: Evaluator) -> Ready:
        """Take a graph."""
        self._given, self._reference = payload, None
        return Ready()

    def recall(self) -> int:
        """Forget nodes that are not begun."""
        with self._lock:
            count = len(self._nodes)
            self._nodes.clear()
            return count

    def handle(self, message: Evaluate, handle: int | None) -> Evaluated:
        """The outcomes of nodes, as far as there is time and they are not recalled."""
        if message.sample is not None:
            self._reference = MergedReference(self._given.graph, message.sample, self._given.max_steps)
        assert self._reference is not None
        end = time.monotonic() + _SECONDS_PER_ANSWER
        briefs: list[Brief] = []
        self._nodes.extend(message.nodes)
        while True:
            with self._lock:
                if not self._nodes or (briefs and time.monotonic() > end):
                    self._nodes.clear()
                    return Evaluated(tuple(briefs))
                node = self._nodes.popleft()
            briefs.append(brief_of(self._reference.value(node), self._given.hashed))


# --- here ---
class ReferenceTier:
    """The reference for the programs of one graph, in this process and by up to `threads` others.

    Processes are put to work once this process has spent as much on the reference as it takes to start them: that is
    never more than twice what would have been best, however much there is still to come.
    """

    start_seconds = 0.5
    setup_seconds = 0.02
    """What it takes to have processes at work, and to give them another graph: a guess, then what the last ones took.
    For all instances."""

    def __init__(
        self, graph: Graph, threads: int = 1, max_steps: int = MAX_STEPS, pool: WorkerPool | None = None
    ) -> None:
        self.graph = graph
        self.max_steps = max_steps
        specs = [WorkerSpec("reference", f"{__name__}:ReferenceService", idle_seconds=IDLE_SECONDS)] * threads
        self.pool = pool or (pool_of(specs) if threads > 1 else None)
        self.key = object()
        """What workers know the graph by."""

    def begin(self, request: RunRequest, outputs: Outputs) -> ReferenceRun:
        """A run that fills in outcomes as they are offered."""
        return ReferenceRun(self, outputs, request.samples, request.largest, request.stop)

    def pays(self, setup: object, seconds: float = 0.0) -> bool:
        """Whether to use processes, after these seconds of work."""
        if self.pool is None or not self.pool.usable:
            return False
        cost = ReferenceTier.start_seconds
        if running := self.pool.running:
            cost = 0.0 if running[0].setup == setup else ReferenceTier.setup_seconds
        return self.pool.spent + seconds >= cost


class _Row:
    """A sample with evaluations that are open."""

    def __init__(self, data: PackedSamples, row: int, columns: Iterable[int]) -> None:
        self.row = row
        self.columns = deque(columns)
        """Those that nobody is at."""
        self.open = len(self.columns)
        self.wanted = expected_at(data, row)
        self.reference: MergedReference | None = None
        self._data = data
        self._sample: Sample | None = None

    @property
    def sample(self) -> Sample:
        """The sample as plain values, made once."""
        if self._sample is None:
            self._sample = sample_at(self._data, self.row)
        return self._sample


@dataclass
class _Work:
    """Evaluations of a sample that a worker is at."""

    row: _Row
    columns: list[int]
    asked: bool = False
    """Whether what is not begun was asked back."""


class _Board:
    """What is to be done: whoever is at a sample goes on with it, since its programs share what they compute."""

    def __init__(self) -> None:
        self.left = 0
        """Evaluations that nobody is at."""
        self.fresh: deque[_Row] = deque()
        self.begun: dict[int, _Row] = {}

    def add(self, row: _Row) -> None:
        self.fresh.append(row)
        self.left += len(row.columns)

    def take(self, last: _Row | None, most: int) -> _Work | None:
        """Some evaluations: of the same sample as before, else of one that nobody is at, else of the one with most."""
        if not self.left:
            return None
        if last is not None and last.columns:
            row = last
        elif self.fresh:
            row = self.fresh.popleft()
            self.begun[row.row] = row
        else:
            row = max(self.begun.values(), key=lambda one: len(one.columns))
        columns = [row.columns.popleft() for _ in range(min(most, len(row.columns)))]
        self.left -= len(columns)
        return _Work(row, columns)

    def give_back(self, row: _Row, columns: Iterable[int]) -> None:
        """Evaluations that were taken and not done; they come next."""
        before = len(row.columns)
        row.columns.extendleft(reversed(list(columns)))
        self.left += len(row.columns) - before

    def rows(self) -> list[_Row]:
        """Samples that are not finished."""
        return [*self.fresh, *self.begun.values()]


class ReferenceRun:
    """Fills in outcomes that no engine has, as evaluations are offered to it.

    They are worked on by a thread, so that the engine may go on; where that takes long it puts processes to work, if
    there are any. A sample that a stop leaves unfinished is no longer marked as done.
    """

    def __init__(
        self, tier: ReferenceTier, outputs: Outputs, data: PackedSamples, largest: int, stop: Stop | None
    ) -> None:
        self.tier = tier
        self.outputs = outputs
        self.data = data
        self._stop = stop
        self._pool = tier.pool
        self._cancelled = False
        self._packer = Packer(outputs, largest)
        self._key = (tier.key, tier.max_steps, self._packer.hashed)
        self._nodes = [tier.graph.outputs[name] for name in outputs.names]
        self._offered: SimpleQueue[_Row | None] = SimpleQueue()
        self._closed = False
        self._board = _Board()
        self._last: _Row | None = None
        self._began = 0.0
        self._tries: dict[tuple[int, int], int] = {}
        self._aside: list[_Work] = []
        self._thread: ThreadPoolExecutor | None = None
        self._working: Future[None] | None = None
        self._rows_offered = self._rows_done = 0

    @property
    def pending(self) -> int:
        """How many of the rows that were offered are not finished."""
        return self._rows_offered - self._rows_done

    def offer(self, row: int, columns: Iterable[int]) -> None:
        """Have programs evaluated on a sample by the thread."""
        self._rows_offered += 1
        self._offered.put(_Row(self.data, row, columns))
        if self._working is None:
            self._thread = ThreadPoolExecutor(1)
            self._working = self._thread.submit(self._work)

    def finish(self, progress: Callable[[int], None] | None = None) -> None:
        """Wait for the thread, and put the grids beside the engine's; `progress` is told how many rows are pending."""
        if self._working is not None:
            self._offered.put(None)
            try:
                while not wait([self._working], _LOOK_SECONDS).done:
                    if progress:
                        progress(self.pending)
                self._working.result()
                if progress:
                    progress(self.pending)
            finally:
                self._end()
        self._packer.finish()

    def cancel(self) -> None:
        """End early; what is being evaluated is given up."""
        self._end()

    def _end(self) -> None:
        self._cancelled = True
        if self._thread is not None:
            self._offered.put(None)
            self._thread.shutdown()
            self._thread = None

    def stopped(self) -> bool:
        """Whether to end early."""
        return self._cancelled or bool(self._stop and self._stop())

    # --- the thread ---
    def _work(self) -> None:
        if self._pool is not None:
            if known_elsewhere(self.tier.graph):
                self._pool.tidy()
            else:
                self._pool = None
        try:
            while self._at_hand():
                if self._pool_pays():
                    self._with_pool()
                else:
                    self._one_here()
            self._by_itself()
        except Stopped:
            self._leave()

    def _at_hand(self) -> bool:
        """Whether there is something to do, after having waited for it; False when all is done."""
        while not self._board.left and not self._closed:
            self._take_in(block=True)
        self._take_in()
        return bool(self._board.left)

    def _take_in(self, *, block: bool = False) -> None:
        """Put on the board what was offered."""
        if self.stopped():
            raise Stopped
        try:
            while not self._closed:
                row = self._offered.get(block, _LOOK_SECONDS)
                block = False
                if row is None:
                    self._closed = True
                else:
                    self._board.add(row)
        except Empty:
            pass

    def _put(self, row: _Row, column: int, brief: Brief) -> None:
        self._packer.put(row.row, column, brief, row.wanted)
        row.open -= 1
        if not row.open:
            self._board.begun.pop(row.row, None)
            self._rows_done += 1

    def _leave(self) -> None:
        """Mark what a stop leaves unfinished."""
        left = [row.row for row in self._board.rows()]
        while not self._closed:
            row = self._offered.get()
            self._closed = row is None
            left += [] if row is None else [row.row]
        self.outputs.done[left] = False

    # --- in this process ---
    def _one_here(self) -> None:
        """One evaluation, unless it takes so long that processes should have it."""
        work = self._board.take(self._last, 1)
        assert work is not None
        self._last = work.row
        self._began = time.perf_counter()
        left = False
        try:
            self._evaluate(work.row, work.columns[0], self._look)
        except Stopped:
            self._board.give_back(work.row, work.columns)
            left = True
        if self._pool is not None:
            self._pool.spend(time.perf_counter() - self._began)
        self._began = 0.0
        if left:
            self._take_in()
            self._with_pool()

    def _look(self) -> bool:
        """Whether to leave an evaluation to other processes; raises Stopped where all is to be left."""
        self._take_in()
        return self._pool_pays()

    def _evaluate(self, row: _Row, column: int, stop: Stop) -> None:
        if row.reference is None:
            row.reference = MergedReference(self.tier.graph, row.sample, self.tier.max_steps, stop)
        self._put(row, column, brief_of(row.reference.value(self._nodes[column]), self._packer.hashed))

    def _by_itself(self) -> None:
        """What processes have ended over; what the reference raised there it raises here again."""
        for work in self._aside:
            work.row.reference = None
            for column in work.columns:
                self._evaluate(work.row, column, self.stopped)
        self._aside.clear()

    # --- by processes ---
    def _pool_pays(self) -> bool:
        """Whether processes should do what is left, and what is being done here."""
        begun = bool(self._began)
        if self._pool is None or self._board.left + begun < 2:
            return False
        return self.tier.pays(self._key, time.perf_counter() - self._began if begun else 0.0)

    def _with_pool(self) -> None:
        """Have processes do all there is, until nothing more is offered; what they could not do stays on the board."""
        pool = self._pool
        if pool is None or not pool.lock.acquire(blocking=False):
            self._pool = None  # another run has it
            return
        try:
            for worker in pool.running:
                worker.memory.clear()
            while True:
                self._take_in()
                pool.grow(self._board.left + sum(worker.task is not None for worker in pool.running))
                for worker in pool.running:
                    if not worker.waiting:
                        self._feed(pool, worker)
                if not pool.running:
                    return  # none could be started
                self._recall(pool)
                at_work = any(worker.task is not None for worker in pool.running)
                if self._closed and not self._board.left and not at_work:
                    return
                if any(worker.waiting for worker in pool.running):
                    for worker, answer in pool.hear(_LOOK_SECONDS):
                        self._heard(worker, answer)
                else:
                    self._take_in(block=True)
        except BaseException:
            pool.close()
            raise
        finally:
            pool.lock.release()

    @cached_property
    def _setup(self) -> bytes:
        return pickled(Evaluator(self.tier.graph, self.tier.max_steps, self._packer.hashed))

    def _feed(self, pool: WorkerPool, worker: Worker) -> None:
        """Hand a worker what comes next."""
        if worker.setup != self._key:
            worker.setup = self._key
            sent = worker.send(self._setup)
        else:
            last: _Row | None = worker.memory.get("row")
            most = max(1, min(_MOST_AT_ONCE, self._board.left // (2 * len(pool.running))))
            worker.task = work = self._board.take(last, most)
            if work is None:
                return
            if any((work.row.row, column) in self._tries for column in work.columns):
                self._board.give_back(work.row, work.columns[1:])  # so that only what ends processes is tried alone
                del work.columns[1:]
            sample = None if work.row is last else work.row.sample
            worker.memory["row"] = work.row
            sent = worker.send(Evaluate(sample, tuple(self._nodes[column] for column in work.columns)))
        if not sent:
            self._heard(worker, pool.dismiss(worker))

    def _recall(self, pool: WorkerPool) -> None:
        """Where workers have nothing to do, have those that are at one thing for long leave the rest."""
        if self._board.left or all(worker.waiting for worker in pool.running):
            return
        for worker in pool.running:
            work: _Work | None = worker.task
            if work is not None and len(work.columns) > 1 and not work.asked:
                work.asked = worker.send(Recall(), answered=False)

    def _heard(self, worker: Worker, answer: object) -> None:
        """Take an answer, or the end of a worker."""
        work: _Work | None = worker.task
        if isinstance(answer, Recalled):
            if work is not None and answer.count:
                self._board.give_back(work.row, work.columns[-answer.count :])
                del work.columns[-answer.count :]
            return
        worker.task = None
        if isinstance(answer, Ready):
            worker.failures = 0
            self._measure(worker)
        elif isinstance(answer, Evaluated) and work is not None:
            for column, brief in zip(work.columns, answer.briefs, strict=False):
                self._put(work.row, column, brief)
            self._board.give_back(work.row, work.columns[len(answer.briefs) :])
        elif isinstance(answer, Ended):
            if work is not None:
                self._again(work, answer)
            if not answer.idle:
                again = f", {len(work.columns)} evaluations run again" if work else ""
                self.outputs.recovered_errors[f"a process of the reference {answer.how}{again}"] += 1

    @staticmethod
    def _measure(worker: Worker) -> None:
        """Keep how long a start or a setup took."""
        took = time.monotonic() - worker.began
        if worker.setup is None:
            ReferenceTier.start_seconds = took
        else:
            ReferenceTier.setup_seconds = took

    def _again(self, work: _Work, ended: Ended) -> None:
        """Put evaluations back on the board that a process has ended over, or leave them to this one."""
        row, again = work.row, []
        for column in work.columns:
            tries = self._tries[row.row, column] = self._tries.get((row.row, column), 0) + (not ended.idle)
            if tries < MOST_TRIES:
                again.append(column)
            else:
                self._aside.append(_Work(row, [column]))
        self._board.give_back(row, again)


def known_elsewhere(graph: Graph) -> bool:
    """Whether other processes know all operations of a graph: they do not know custom ones."""
    names: Iterable[Any] = (
        args[0] if op == PRIMITIVE else op for op, args in graph.nodes if op not in (INPUT, CONST, INVOKE)
    )
    return STANDARD.ops.keys() >= set(names)
