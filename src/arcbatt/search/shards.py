"""Tasks to solve as pieces of work for a cluster: each worker has a bank of its own and solves a few at a time."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable
from dataclasses import replace
from typing import Any, Final

from arcbatt.cluster.connection import connected
from arcbatt.cluster.crew import SECONDS, Crew, Piece, Work, Worker
from arcbatt.errors import ClusterError
from arcbatt.scoring.attempts import Question
from arcbatt.search.options import SolveOptions
from arcbatt.search.solution import Solution
from arcbatt.search.solver import Solver

CHUNK: Final = 16
"""Tasks of a piece at most, for each CPU of a worker."""
MOST: Final = 5
"""How many workers may fail over a task, before that is an error."""


class SolveService:
    """What a worker does of a search."""

    def __init__(self, shared: list[Any], backend: str, threads: int) -> None:
        import ray

        options: SolveOptions = replace(ray.get(shared[0]), threads=threads)
        self._solver = Solver(options)

    def work(self, message: list[Question]) -> list[Solution]:
        """Solve some tasks."""
        return list(self._solver.solve(message, len(message)))


class SolveWork(Work[list[Question]]):
    """The tasks that are left."""

    def __init__(self, questions: Iterable[Question], budget: float) -> None:
        self._left = deque(questions)
        self._budget = budget
        self._failed = Counter[str]()

    def next(self, worker: Worker, share: float) -> Piece[list[Question]] | None:
        """As many tasks as take a worker a second, or as it has CPUs; fewer near the end."""
        if not self._left:
            return None
        cpus = max(1, worker.place.cpus)
        count = max(cpus, min(int(SECONDS * worker.rate), CHUNK * cpus))
        count = max(1, min(count, int(share * len(self._left)) + 1))
        if self._failed[self._left[0].id]:
            count = 1
        job = [self._left.popleft() for _ in range(min(count, len(self._left)))]
        return Piece(job, job, self._budget * -(-len(job) // cpus))

    def put_back(self, job: list[Question], blamed: bool) -> None:
        """They are to be solved yet."""
        self._left.extendleft(reversed(job))
        for question in job if blamed else ():
            self._failed[question.id] += 1
            if self._failed[question.id] >= MOST:
                raise ClusterError(f"{MOST} workers have failed over task {question.id}; what was done before is kept")


def solved_on(
    address: str, options: SolveOptions, questions: Iterable[Question], stop: Callable[[], bool]
) -> Generator[tuple[Solution, str], None, None]:
    """Solutions, and on which node of the cluster at an address each was found, in whatever order they are done."""
    work = SolveWork(questions, options.budget)
    with connected(address, "cpu", options.threads, stop) as cluster:
        assert cluster is not None
        with Crew(cluster, f"{__name__}:SolveService", options) as crew:
            for job, worker, solutions in crew.results(work, stop):
                seconds = sum(one.seconds for one in solutions) / max(1, worker.place.cpus)
                worker.rate = len(job) / max(seconds, 1e-3)
                for solution in solutions:
                    yield solution, worker.place.name
