"""The workers of a cluster, and work handed to them: each has a piece at hand and one more, and asks for the next.

No more than that is ever in flight, so what waits to be taken in does not grow with the work. A worker that ends is
replaced while its node is there, and nodes may come and go; what they had is done again by others. At the end, what
takes one worker too long is given to an idle one too, and the first answer counts.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final, Generic, TypeVar

from arcbatt.cluster.connection import Connection, Place, gone
from arcbatt.errors import ClusterError, ClusterLostError
from arcbatt.support.aside import begun_aside

SECONDS: Final = 1.0
"""How long a piece of work should take."""
LEAST_SECONDS: Final = 0.1
MOST_FAILURES: Final = 3
"""How often in a row a worker may end without having done anything, before its place is given up."""
_AT_HAND: Final = 2
"""Pieces that a worker has: one at which it is, and the next."""
_LOOK_SECONDS: Final = 0.05
_STAFF_SECONDS: Final = 1.0
"""How often nodes are looked for."""
_LATE: Final = 2.0
"""How many times as long as it should a piece may take before an idle worker does it too."""
_ALONE_SECONDS: Final = 60.0
"""How long to wait for the first worker, or for another when none is left."""
_DISMISS_SECONDS: Final = 0.5
"""How long to wait until workers are told to end; they end with their driver anyway."""

J = TypeVar("J")


@dataclass(eq=False)
class Piece(Generic[J]):
    """A piece of work, and who has it."""

    job: J
    message: Any
    seconds: float = SECONDS
    """How long it should take."""
    sent: float = 0.0
    done: bool = False
    holders: list[Worker] = field(default_factory=list)


@dataclass(eq=False)
class Worker:
    """An actor at a place. `rate` and `loaded` are for whoever hands out work."""

    place: Place
    handle: Any
    started: bool = False
    """Whether it has answered."""
    ready: bool = False
    """Whether it has made its service."""
    rate: float = 0.0
    """How much it does in a second; 0 as long as that is not known."""
    loaded: Any = None
    """What it is set up for."""
    pieces: list[Piece[Any]] = field(default_factory=list)


class Work(ABC, Generic[J]):
    """What there is to do, cut to the measure of whoever asks."""

    @abstractmethod
    def next(self, worker: Worker, share: float) -> Piece[J] | None:
        """Something for a worker, which is to have at most that share of what is left; None where nothing is left."""

    @abstractmethod
    def put_back(self, job: J, blamed: bool) -> None:
        """It was not done; `blamed`: the worker ended while it was at it, perhaps over it."""


class Crew:
    """The workers of a cluster, each with a service: a class by `module:class` with a method `work`.

    It is made there as `service(shared=..., backend=..., threads=...)`; `shared` goes to the object store once.
    """

    def __init__(self, connection: Connection, service: str, shared: Any) -> None:
        self.connection = connection
        self.errors = Counter[str]()
        """What the work has recovered from."""
        self._ray = connection.ray
        self._service = service
        self._shared = [self._ray.put(shared)]  # in a list, so that Ray gives workers the reference
        self.workers: dict[Place, Worker] = {}
        self._waiting: dict[Any, tuple[Worker, Piece[Any] | None]] = {}
        """Answers to come: of a piece, or of a greeting."""
        self._failures = Counter[Place]()
        self._given_up: dict[Place, str] = {}
        self._staffed = float("-inf")
        self._alone = time.monotonic()

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if not isinstance(error, ClusterLostError):  # its head would be waited for
            begun_aside(self._dismiss).join(_DISMISS_SECONDS)

    def _dismiss(self) -> None:
        with suppress(OSError, self._ray.exceptions.RayError):  # of a cluster that is gone
            for worker in self.workers.values():
                self._ray.kill(worker.handle)

    @property
    def ready(self) -> list[Worker]:
        """The workers that can be given work."""
        return [worker for worker in self.workers.values() if worker.ready]

    def results(self, work: Work[J], stop: Callable[[], bool]) -> Iterator[tuple[J, Worker, Any]]:
        """What comes of all of the work, in any order, until it is done or somebody asks to stop."""
        try:
            yield from self._results(work, stop)
        except (OSError, self._ray.exceptions.RayError) as error:  # the part of Ray on this machine has ended
            raise gone(error) from error

    def _results(self, work: Work[J], stop: Callable[[], bool]) -> Iterator[tuple[J, Worker, Any]]:
        while not stop():
            self._staff(work)
            self._feed(work)
            at_work = any(not piece.done for worker in self.workers.values() for piece in worker.pieces)
            if not at_work and self._nothing_left():
                return
            for ref in self._heard():
                if found := self._taken(ref, work):
                    yield found
                if stop():
                    return

    def _nothing_left(self) -> bool:
        """Whether all is done; where nobody is there to do it, that is an error after some time."""
        if self.ready:
            return True  # each was asked, and had nothing to do
        if self._given_up and not self.workers:
            why = "; ".join(f"{place}: {why}" for place, why in list(self._given_up.items())[:3])
            raise ClusterError(f"no worker of the cluster is left: {why}")
        if time.monotonic() - self._alone > _ALONE_SECONDS:
            free = self._ray.available_resources()
            raise ClusterError(
                f"no worker has started in {_ALONE_SECONDS:.0f} s: {len(self.workers):,} wait, and "
                f"{free.get('CPU', 0):g} CPUs and {free.get('GPU', 0):g} GPUs of the cluster are free"
            )
        return False

    def _staff(self, work: Work[J]) -> None:
        """Have a worker at every place there is."""
        now = time.monotonic()
        if any(worker.started for worker in self.workers.values()):
            self._alone = now
        if now - self._staffed < _STAFF_SECONDS:
            return
        self._staffed = now
        places = self.connection.places()
        for place in [place for place in self.workers if place not in places]:
            self._lost(self.workers[place], "its node is gone", work)
        for place in places:
            if place not in self.workers and place not in self._given_up:
                handle, answer = self.connection.worker_at(place)
                worker = self.workers[place] = Worker(place, handle)
                self._waiting[answer] = worker, None

    def _feed(self, work: Work[J]) -> None:
        """Give every worker what it has room for."""
        ready = self.ready
        known = [worker.rate for worker in ready if worker.rate]
        usual = sum(known) / len(known) if known else 1.0
        total = sum(worker.rate or usual for worker in ready)
        for worker in ready:
            while len(worker.pieces) < _AT_HAND:
                piece = work.next(worker, (worker.rate or usual) / total / _AT_HAND) or self._late(worker)
                if piece is None:
                    break
                piece.sent = piece.sent or time.monotonic()
                piece.holders.append(worker)
                worker.pieces.append(piece)
                self._waiting[worker.handle.work.remote(piece.message)] = worker, piece

    def _late(self, idle: Worker) -> Piece[Any] | None:
        """What somebody else has had for too long, for a worker with nothing to do."""
        if idle.pieces:
            return None
        now = time.monotonic()
        late = [
            piece
            for worker in self.workers.values()
            for piece in worker.pieces
            if not piece.done and len(piece.holders) == 1 and now - piece.sent > _LATE * max(piece.seconds, SECONDS)
        ]
        return min(late, key=lambda piece: piece.sent, default=None)

    def _heard(self) -> list[Any]:
        """What has been answered, after some time at most."""
        if not self._waiting:
            time.sleep(_LOOK_SECONDS)
            return []
        refs = list(self._waiting)
        ready: list[Any]
        ready, rest = self._ray.wait(refs, num_returns=1, timeout=_LOOK_SECONDS)
        if ready and rest:
            ready += self._ray.wait(rest, num_returns=len(rest), timeout=0)[0]
        return ready

    def _taken(self, ref: Any, work: Work[J]) -> tuple[J, Worker, Any] | None:
        """Take an answer in; what came of a piece, where nobody else has answered before."""
        if ref not in self._waiting:  # of a worker that was found to be gone since
            return None
        worker, piece = self._waiting.pop(ref)
        errors = self._ray.exceptions
        try:
            answer = self._ray.get(ref)
        except (errors.RayActorError, errors.WorkerCrashedError, errors.NodeDiedError) as error:
            if piece is not None:
                self._waiting[ref] = worker, piece
            self._lost(worker, _why(error), work)
            return None
        except errors.RayError as error:  # what it gave is lost, or could not be sent
            answer = (None, _why(error), 0.0) if piece else _why(error)
        if piece is None:
            self._greeted(worker, answer)
            return None
        worker.pieces.remove(piece)
        piece.holders.remove(worker)
        result, problem, _ = answer
        if problem:
            self.errors[f"{worker.place} failed: {problem}; done again"] += 1
            if not piece.done and not piece.holders:
                work.put_back(piece.job, True)
            return None
        self._failures[worker.place] = 0
        if piece.done:
            return None
        piece.done = True
        return piece.job, worker, result

    def _greeted(self, worker: Worker, problem: str) -> None:
        if not problem:
            if worker.started:
                worker.ready = True
                return
            worker.started = True
            given = {
                "shared": self._shared,
                "backend": self.connection.backend_at(worker.place),
                "threads": max(1, worker.place.cpus),
            }
            self._waiting[worker.handle.setup.remote(self._service, given)] = worker, None
            return
        self._given_up[worker.place] = problem
        self.errors[f"{worker.place} is not used: {problem}"] += 1
        del self.workers[worker.place]
        self._ray.kill(worker.handle)

    def _lost(self, worker: Worker, why: str, work: Work[J]) -> None:
        """A worker is gone: what it had is for others."""
        place = worker.place
        self.workers.pop(place, None)
        self._ray.kill(worker.handle)
        self._waiting = {ref: mine for ref, mine in self._waiting.items() if mine[0] is not worker}
        self._failures[place] += 1
        if self._failures[place] >= MOST_FAILURES:
            self._given_up[place] = why
        had = worker.pieces
        worker.pieces = []
        for number, piece in enumerate(had):
            piece.holders.remove(worker)
            if not piece.done and not piece.holders:
                work.put_back(piece.job, number == 0)
        again = f"; {len(had)} done again" if had else ""
        self.errors[f"{place} ended: {why}{again}"] += 1


def _why(error: BaseException) -> str:
    """The line of Ray's message that says most."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines[-1] if lines else type(error).__name__)[:200]
