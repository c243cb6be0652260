"""Programs compiled by other processes, part by part, while this one runs the parts before them.

A process makes of a merged graph what this one would make of it, to the last word, so how many there are changes
nothing but the time. A part that nobody has begun when it is asked for is compiled here, and so is one over which a
process ended.
"""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Self

from arcbatt.compiler.graph import Graph
from arcbatt.compiler.program_set import CompiledSet, Forms
from arcbatt.compiler.rewrites import Rewrites
from arcbatt.engine.pool import Ended, Worker, WorkerPool
from arcbatt.engine.worker import Ready, Service, WorkerSpec
from arcbatt.language.table import STANDARD, current
from arcbatt.support.machine import cores

_MOST: Final = 15
"""Processes; more would wait for this one, which hands out programs and takes in what was made of them."""
_PROGRAMS_EACH: Final = 1000
"""Programs for which a process pays: they take twice as long as it takes to start."""
_BEFOREHAND: Final = 2
"""Parts for each process that may be compiled before they are asked for: each takes memory."""
_LOOK_SECONDS: Final = 0.02
_SECONDS_TO_END: Final = 0.3
"""How long whoever hands out may take to see that it is over, before the processes are ended all the same."""


def helpful(later: int, threads: int | None) -> int:
    """How many processes pay, for so many programs beyond the first part; none where `threads` leaves them no core."""
    if current().ops.keys() != STANDARD.ops.keys():  # a process knows no custom operations
        return 0
    return max(0, min(_MOST, (threads or cores()) - 1, later // _PROGRAMS_EACH))


# --- in a process ---
@dataclass(frozen=True)
class Order:
    """A merged graph to be compiled; the answer is `Forms`."""

    graph: Graph
    rewrites: Rewrites
    waves: bool


class CompilerService(Service):
    """Compiles merged graphs. An error that no program can be blamed for ends the process; it is met again here."""

    def setup(self, payload: Any) -> Ready:
        """There is nothing to set up."""
        return Ready()

    def handle(self, message: Order, handle: int | None) -> Forms:
        """All that engines ask for."""
        return CompiledSet(message.graph, message.rewrites).forms(waves=message.waves)


_SPEC: Final = WorkerSpec("compiler", f"{__name__}:CompilerService")


# --- here ---
class CompiledAhead:
    """Parts of programs, compiled in order and taken in order, by their numbers.

    `parts` give the merged graph of each, and `waves` says whether a GPU needs the next one too; a thread asks them.
    """

    def __init__(
        self,
        parts: Sequence[Callable[[], Graph]],
        processes: int,
        *,
        rewrites: Rewrites | None = None,
        waves: Callable[[], bool] = lambda: False,
        spec: WorkerSpec = _SPEC,
    ) -> None:
        self._parts, self._rewrites, self._waves = parts, rewrites or Rewrites(), waves
        self.errors = Counter[str]()
        """Processes that ended, and what became of their parts."""
        self._open = deque(range(1, len(parts)))  # the first is wanted before any process has started
        self._begun = set[int]()
        """Parts that a process has, or will have in a moment."""
        self._made: dict[int, CompiledSet] = {}
        """Parts that wait to be taken; one over which a process ended is only merged."""
        self._taken = 0
        self._changed = threading.Condition()
        self._over = threading.Event()
        self._pool = WorkerPool([spec] * min(processes, len(self._open)))
        self._thread = threading.Thread(target=self._hand_out, name="compilers", daemon=True)
        if self._pool.workers:
            self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End every process at once."""
        self._over.set()
        if self._pool.workers:
            self._thread.join(_SECONDS_TO_END)
        self._pool.close()

    def wait(self, number: int, stop: Callable[[], bool]) -> bool:
        """Wait for a part that a process has; whether it can be taken now, or it is time to stop."""
        with self._changed:
            while number in self._begun and self._thread.is_alive():
                if stop():
                    return False
                self._changed.wait(_LOOK_SECONDS)
        return True

    def take(self, number: int) -> CompiledSet:
        """A part, compiled; one that nobody has begun is merged here and compiled when it is needed."""
        with self._changed:
            self._taken = max(self._taken, number)
            if number in self._open:
                self._open.remove(number)
        self.wait(number, lambda: False)
        with self._changed:
            there = self._made.pop(number, None)
        return there or self._merged(number)

    def _merged(self, number: int) -> CompiledSet:
        return CompiledSet(self._parts[number](), self._rewrites)

    # --- the thread ---
    def _hand_out(self) -> None:
        """Until nothing is left to compile, no process is left, or it is over."""
        try:
            while not self._over.is_set() and (self._open or self._at_work()):
                for worker in self._pool.workers:
                    self._feed(worker)
                if all(worker.given_up for worker in self._pool.workers):
                    return
                for worker, answer in self._pool.hear(_LOOK_SECONDS):
                    self._heard(worker, answer)
        except Exception as error:  # whatever it is, the parts are compiled all the same, where they are taken
            self.errors[f"programs are not compiled ahead: {type(error).__name__}: {error}"] += 1
        finally:
            if not self._over.is_set():
                self._pool.close()

    def _at_work(self) -> bool:
        return any(worker.task is not None for worker in self._pool.workers)

    def _feed(self, worker: Worker) -> None:
        """Have a process compile the next part."""
        if worker.waiting or worker.given_up or self._over.is_set():
            return
        if worker.process is None:
            if self._open:
                worker.start()
            return
        number = self._next()
        if number is None:
            return
        part = self._merged(number)
        worker.task = number, part
        order = Order(replace(part.graph, _known={}), part.rewrites, self._waves())
        if not worker.send(order):
            self._ended(worker, self._pool.dismiss(worker))

    def _next(self) -> int | None:
        """The next part to compile, if it is not too early."""
        with self._changed:
            early = self._taken + _BEFOREHAND * len(self._pool.workers)
            if not self._open or self._open[0] > early:
                return None
            number = self._open.popleft()
            self._begun.add(number)
            return number

    def _heard(self, worker: Worker, answer: Any) -> None:
        if isinstance(answer, Ended):
            self._ended(worker, answer)
        elif isinstance(answer, Forms):
            (number, part), worker.task, worker.failures = worker.task, None, 0
            part.take(answer)
            self._put(number, part)

    def _ended(self, worker: Worker, ended: Ended) -> None:
        """A process has ended: whoever takes its part compiles it."""
        task, worker.task = worker.task, None
        text = f"{worker} {ended.how}"
        if task is not None:
            text += ", its programs were compiled here"
            self._put(*task)
        self.errors[text] += 1

    def _put(self, number: int, part: CompiledSet) -> None:
        with self._changed:
            self._begun.remove(number)
            self._made[number] = part
            self._changed.notify_all()
