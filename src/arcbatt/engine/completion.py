"""Fills in what an engine leaves open, on the reference: in this process, or by a crew where there is more to do.

What comes back is the same for any number of processes, whichever of them did what, and whether some died.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import cached_property
from queue import Empty, SimpleQueue
from typing import Final

import numpy as np

from arcbatt.compiler.graph import Graph
from arcbatt.data.packing import PackedSamples
from arcbatt.engine.outputs import Outputs
from arcbatt.engine.packer import Brief, Packer, brief_of
from arcbatt.engine.reference import MergedReference, Stop, Stopped, expected_at, sample_at
from arcbatt.engine.reference_pool import Crew, Ended, Member, known_elsewhere, pickled
from arcbatt.engine.reference_worker import Evaluate, Evaluated, Returned, TakeBack, TakeGraph
from arcbatt.language.limits import MAX_CELLS, MAX_STEPS
from arcbatt.language.sample import Sample

MOST_TRIES: Final = 2
"""How many processes may end over an evaluation before it is left to this one."""
_MOST_AT_ONCE: Final = 16
"""Evaluations handed out at a time."""
_LOOK_SECONDS: Final = 0.05


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
    """Evaluations of a sample that a member is at."""

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


class Completion:
    """Fills in what an engine leaves open (what `Outputs.origin` marks), as rows are offered to it.

    Offered rows are worked on by a thread, so that the engine may go on; where it has to do with them for long it puts
    the crew to work, if there is one. `key` stands for the graph there: runs of the same key have the same graph. A row
    that a stop leaves unfinished is no longer marked as done. As a context it ends with what is raised in it.
    """

    def __init__(
        self,
        outputs: Outputs,
        data: PackedSamples,
        graph: Graph,
        *,
        largest: int = MAX_CELLS,
        max_steps: int = MAX_STEPS,
        stop: Stop | None = None,
        crew: Crew | None = None,
        key: object = None,
    ) -> None:
        self.outputs = outputs
        self.data = data
        self.graph = graph
        self.max_steps = max_steps
        self._stop = stop
        self._crew = crew
        self._cancelled = False
        self._packer = Packer(outputs, largest)
        self._key = (key or object(), max_steps, self._packer.hashed)
        self._nodes = [graph.outputs[name] for name in outputs.names]
        self._offered: SimpleQueue[int | None] = SimpleQueue()
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

    def offer(self, rows: Iterable[int]) -> None:
        """Have rows worked on by the thread."""
        for row in rows:
            self._rows_offered += 1
            self._offered.put(row)
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

    def __enter__(self) -> Completion:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
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
        if self._crew is not None:
            if known_elsewhere(self.graph):
                self._crew.tidy()
            else:
                self._crew = None
        try:
            while self._at_hand():
                if self._crew_pays():
                    self._with_crew()
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
                    self._board.add(_Row(self.data, row, np.flatnonzero(self.outputs.origin[row]).tolist()))
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
            left += [] if row is None else [row]
        self.outputs.done[left] = False

    # --- in this process ---
    def _one_here(self) -> None:
        """One evaluation, unless it takes so long that the crew should have it."""
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
        if self._crew is not None:
            self._crew.spend(time.perf_counter() - self._began)
        self._began = 0.0
        if left:
            self._take_in()
            self._with_crew()

    def _look(self) -> bool:
        """Whether to leave an evaluation to the crew; raises Stopped where all is to be left."""
        self._take_in()
        return self._crew_pays()

    def _evaluate(self, row: _Row, column: int, stop: Stop) -> None:
        if row.reference is None:
            row.reference = MergedReference(self.graph, row.sample, self.max_steps, stop)
        self._put(row, column, brief_of(row.reference.value(self._nodes[column]), self._packer.hashed))

    def _by_itself(self) -> None:
        """What processes have ended over; what the reference raised there it raises here again."""
        for work in self._aside:
            work.row.reference = None
            for column in work.columns:
                self._evaluate(work.row, column, self.stopped)
        self._aside.clear()

    # --- by a crew ---
    def _crew_pays(self) -> bool:
        """Whether the crew should do what is left, and what is being done here."""
        begun = bool(self._began)
        if self._crew is None or self._board.left + begun < 2:
            return False
        return self._crew.pays(self._key, time.perf_counter() - self._began if begun else 0.0)

    def _with_crew(self) -> None:
        """Have the crew do all there is, until nothing more is offered; what it could not do is left on the board."""
        crew = self._crew
        if crew is None or not crew.lock.acquire(blocking=False):
            self._crew = None  # another run has it
            return
        try:
            for member in crew.members:
                member.last = None
            while True:
                self._take_in()
                crew.grow(self._board.left + sum(member.work is not None for member in crew.members))
                for member in crew.members.copy():
                    if not member.waiting:
                        self._feed(crew, member)
                if not crew.members:
                    return  # none could be started
                self._ask_back(crew)
                at_work = any(member.work is not None for member in crew.members)
                if self._closed and not self._board.left and not at_work:
                    return
                if any(member.waiting for member in crew.members):
                    for member, answer in crew.hear(_LOOK_SECONDS):
                        self._heard(crew, member, answer)
                else:
                    self._take_in(block=True)
        except BaseException:
            crew.close()
            raise
        finally:
            crew.lock.release()

    @cached_property
    def _graph(self) -> bytes:
        return pickled(TakeGraph(self.graph, self.max_steps, self._packer.hashed))

    def _feed(self, crew: Crew, member: Member) -> None:
        """Hand a member what comes next."""
        if member.graph != self._key:
            member.graph = self._key
            sent = member.send(self._graph)
        else:
            most = max(1, min(_MOST_AT_ONCE, self._board.left // (2 * len(crew.members))))
            member.work = work = self._board.take(member.last, most)
            if work is None:
                return
            if any((work.row.row, column) in self._tries for column in work.columns):
                self._board.give_back(work.row, work.columns[1:])  # so that only what ends processes is put aside
                del work.columns[1:]
            sample = None if work.row is member.last else work.row.sample
            member.last = work.row
            sent = member.send(Evaluate(sample, tuple(self._nodes[column] for column in work.columns)))
        if not sent:
            self._heard(crew, member, crew.dismiss(member))

    def _ask_back(self, crew: Crew) -> None:
        """Where members have nothing to do, have those that are at one thing for long leave the rest."""
        if self._board.left or all(member.waiting for member in crew.members):
            return
        for member in crew.members:
            work: _Work | None = member.work
            if work is not None and len(work.columns) > 1 and not work.asked:
                work.asked = member.send(TakeBack())

    def _heard(self, crew: Crew, member: Member, answer: object) -> None:
        """Take an answer, or the end of a member."""
        work: _Work | None = member.work
        if isinstance(answer, Returned):
            if work is not None and answer.count:
                self._board.give_back(work.row, work.columns[-answer.count :])
                del work.columns[-answer.count :]
            return
        member.work = None
        if isinstance(answer, Evaluated) and work is not None:
            for column, brief in zip(work.columns, answer.briefs, strict=False):
                self._put(work.row, column, brief)
            self._board.give_back(work.row, work.columns[len(answer.briefs) :])
        elif isinstance(answer, Ended):
            if work is not None:
                self._again(work, answer)
            if not answer.idle:
                text = f"a process of the reference {answer.how}"
                self.outputs.incidents[text + (f", {len(work.columns)} evaluations run again" if work else "")] += 1

    def _again(self, work: _Work, ended: Ended) -> None:
        """Put evaluations back on the board that a process has ended over, or aside."""
        row, again = work.row, []
        for column in work.columns:
            tries = self._tries[row.row, column] = self._tries.get((row.row, column), 0) + (not ended.idle)
            if tries < MOST_TRIES:
                again.append(column)
            else:
                self._aside.append(_Work(row, [column]))
        self._board.give_back(row, again)
