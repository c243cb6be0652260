"""Processes that evaluate on the reference, started when there is work for them and kept while an engine has use.

They are children of this process and end with it, however it ends: each has a line to it and ends when that closes.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import weakref
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Pipe, wait
from multiprocessing.reduction import ForkingPickler
from pickle import UnpicklingError
from typing import Any, Final

from arcbatt.compiler.graph import CONST, INPUT, INVOKE, PRIMITIVE, Graph
from arcbatt.engine.reference_worker import Ready, Returned, TakeGraph
from arcbatt.language.table import STANDARD

MOST_FAILED_STARTS: Final = 3
"""How many processes may end before they are ready, until no more are started."""
_HALF_LIFE: Final = 10.0
"""Seconds after which time spent counts for half."""
_ONE_THREAD: Final = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")


@dataclass
class Costs:
    """What it takes to have processes at work, in seconds: a guess, then what the last ones took."""

    start: float = 0.5
    graph: float = 0.02
    """To give them another graph."""


COSTS: Final = Costs()


@dataclass(frozen=True)
class Ended:
    """Comes in place of an answer from a process that has ended, and says how; it may have ended for lack of work."""

    how: str
    idle: bool


class Member:
    """A process of a crew."""

    def __init__(self) -> None:
        self.line, theirs = Pipe()
        self.began = time.monotonic()
        code = (
            f"import sys; sys.path[:] = {sys.path!r}; from {TakeGraph.__module__} import main; main({theirs.fileno()})"
        )
        self.process = subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            env={**os.environ, **_ONE_THREAD},
            pass_fds=(theirs.fileno(),),
            process_group=0,  # an interrupt from the keyboard is for this process alone
        )
        theirs.close()
        self.ready = False
        self.waiting = True
        """Whether it is to answer."""
        self.graph: object = None
        """What stands for the graph it has."""
        self.work: Any = None
        """What it is at."""
        self.last: Any = None
        """What it was at before, for whoever hands out work."""

    def send(self, message: Any) -> bool:
        """Send a message, or one that is pickled already; false if the process is gone."""
        try:
            self.line.send_bytes(message) if isinstance(message, bytes) else self.line.send(message)
        except OSError:
            return False
        self.began, self.waiting = time.monotonic(), True
        return True

    def end(self) -> Ended:
        """End the process, and say how it had ended before, if it had."""
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(0.05)
        code = self.process.poll()
        self.process.kill()
        self.process.wait()
        self.line.close()
        how = "did not answer" if code is None else f"ended with code {code}"
        if code is not None and code < 0:
            how = f"was killed by {signal.Signals(-code).name}"
        return Ended(how, code == 0 and self.ready)


class Crew:
    """At most so many processes, at work for one run at a time (`lock`)."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.members: list[Member] = []
        self.lock = threading.Lock()
        self.failed_starts = 0
        self._spent = 0.0
        self._spent_at = 0.0
        weakref.finalize(self, _end_all, self.members)

    @property
    def processes(self) -> list[int]:
        """The numbers of the processes there are."""
        return [member.process.pid for member in self.members]

    def close(self) -> None:
        """End every process at once; new ones are started when there is work again."""
        _end_all(self.members)

    # --- when to use it ---
    def spend(self, seconds: float) -> None:
        """Count time that this process spent on what the crew could do."""
        now = time.monotonic()
        self._spent = self._spent * 0.5 ** ((now - self._spent_at) / _HALF_LIFE) + seconds
        self._spent_at = now

    def pays(self, key: object, seconds: float = 0.0) -> bool:
        """Whether to use it: this process has spent as much lately, and these seconds, as it takes to get it to work.

        That is never more than twice what would have been best, however much there is still to come.
        """
        if self.failed_starts >= MOST_FAILED_STARTS or not sys.executable:
            return False
        cost = COSTS.start
        if self.members:
            cost = 0.0 if self.members[0].graph == key else COSTS.graph
        return self._spent + seconds >= cost

    # --- at work ---
    def tidy(self) -> None:
        """Forget members that have ended meanwhile, for lack of work or otherwise."""
        for member in [member for member in self.members if member.process.poll() is not None]:
            self.dismiss(member)

    def grow(self, count: int) -> None:
        """Start processes, so that there are so many or as many as there may be."""
        if self.failed_starts < MOST_FAILED_STARTS:
            for _ in range(min(count, self.most) - len(self.members)):
                self.members.append(Member())

    def hear(self, seconds: float) -> list[tuple[Member, Any]]:
        """What members answer within some time; who has ended is no member any more."""
        by_line = {member.line: member for member in self.members if member.waiting}
        heard: list[Any] = wait(list(by_line), seconds)
        return [(by_line[line], self._answer(by_line[line])) for line in heard]

    def _answer(self, member: Member) -> Any:
        try:
            answer = member.line.recv()
        except (EOFError, OSError, UnpicklingError):
            return self.dismiss(member)
        if isinstance(answer, Returned):
            return answer  # the answer to what was asked before is still to come, or was there already
        member.waiting = False
        if isinstance(answer, Ready):
            took = time.monotonic() - member.began
            if member.ready:
                COSTS.graph = took
            else:
                COSTS.start, member.ready, self.failed_starts = took, True, 0
        return answer

    def dismiss(self, member: Member) -> Ended:
        """Let a member go that does not answer any more."""
        self.members.remove(member)
        self.failed_starts += not member.ready
        return member.end()


_crews: weakref.WeakValueDictionary[int, Crew] = weakref.WeakValueDictionary()


def crew_of(threads: int) -> Crew | None:
    """The crew for so many threads, which engines share; None for one thread, which has no processes."""
    if threads < 2:
        return None
    crew = _crews.get(threads)
    if crew is None:
        crew = _crews[threads] = Crew(threads)
    return crew


def known_elsewhere(graph: Graph) -> bool:
    """Whether other processes know all operations of a graph: they do not know those of one's own."""
    names = (args[0] if op == PRIMITIVE else op for op, args in graph.nodes if op not in (INPUT, CONST, INVOKE))
    return STANDARD.ops.keys() >= set(names)


def pickled(message: TakeGraph) -> bytes:
    """A message as bytes, to be sent several times."""
    return bytes(ForkingPickler.dumps(message))


def _end_all(members: list[Member]) -> None:
    for member in members:
        member.process.kill()
    while members:
        members.pop().end()
