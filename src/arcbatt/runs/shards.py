"""A run's batches as pieces of work for a cluster: a slice of programs on a range of tasks.

A worker keeps to the slice that it has compiled while something of it is left, then takes one that nobody has, then
helps where most is left. A batch takes it about a second by the rate that it has shown.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any, Final, NamedTuple

from arcbatt.cluster.connection import Connection
from arcbatt.cluster.crew import LEAST_SECONDS, SECONDS, Crew, Piece, Work, Worker
from arcbatt.errors import ClusterError
from arcbatt.language.program import Program
from arcbatt.runs.compute import Computed, Computer, Known, Plan, Slice
from arcbatt.runs.nearness import Candidate

FIRST: Final = {"cpu": 32, "gpu": 1024}
"""Samples of a worker's first batches, as long as its rate is not known."""
ALONE: Final = 3
"""How many workers may end over a batch, before its tasks are run one by one."""
MOST: Final = 8
"""How many may end over a task, before that is an error."""


class Shard(NamedTuple):
    """Programs and tasks."""

    part: Slice
    tasks: Slice


class _Message(NamedTuple):
    part: Slice
    programs: list[Any]
    """A reference to the programs of the slice."""
    tasks: Slice
    timed: bool
    known: dict[int, list[Candidate]]
    """Near misses of the tasks that are recorded: those that are no nearer need not be looked at."""


class RunService:
    """What a worker does of a run."""

    def __init__(self, shared: list[Any], backend: str, threads: int) -> None:
        import ray

        self._get: Callable[[Any], Any] = ray.get
        self._computer = Computer(self._get(shared[0]), backend, threads=threads)

    def work(self, message: _Message) -> Computed:
        """Compute a batch."""
        return self._computer.compute(
            message.part,
            lambda: self._get(message.programs[0]),
            message.tasks,
            timed=message.timed,
            known=lambda task: message.known.get(task, []),
        )


class RunWork(Work[Shard]):
    """What is left of a run. `left` are the open tasks of each slice of programs."""

    def __init__(
        self,
        plan: Plan,
        left: Mapping[Slice, Sequence[Slice]],
        put: Callable[[Slice], Any],
        known: Known,
        most_samples: int,
        most_evaluations: int,
    ) -> None:
        self._before = [0, *accumulate(map(sum, plan.sizes))]
        """Of each task, the samples of those before it."""
        self._fresh = deque((part, deque(runs)) for part, runs in left.items() if runs)
        self._open: dict[Slice, deque[Slice]] = {}
        self._put, self._known = put, known
        self._programs: dict[Slice, list[Any]] = {}
        self._most = most_samples, most_evaluations
        self._left = sum(self._evaluations(part, run) for part, runs in left.items() for run in runs)
        self._to_come = {part: sum(run.size for run in runs) for part, runs in left.items()}
        """Tasks of each slice that are not done."""
        self._ended = Counter[tuple[Slice, int]]()

    def _evaluations(self, part: Slice, tasks: Slice) -> int:
        return (self._before[tasks.stop] - self._before[tasks.start]) * part.size

    def next(self, worker: Worker, share: float) -> Piece[Shard] | None:
        """A batch of the slice that the worker has, or of another."""
        part = self._part_for(worker)
        if part is None:
            return None
        timed = part not in self._programs
        if timed:
            self._programs[part] = [self._put(part)]
        worker.loaded = part
        rate = worker.rate
        wanted = max(min(SECONDS * rate, share * self._left), LEAST_SECONDS * rate) / part.size
        tasks = self._cut(part, int(wanted) if rate else FIRST[worker.place.kind])
        evaluations = self._evaluations(part, tasks)
        self._left -= evaluations
        known = {task: near for task in range(tasks.start, tasks.stop) if (near := self._known(task))}
        message = _Message(part, self._programs[part], tasks, timed, known)
        return Piece(Shard(part, tasks), message, evaluations / rate if rate else SECONDS)

    def _part_for(self, worker: Worker) -> Slice | None:
        if self._open.get(worker.loaded):
            return worker.loaded  # type: ignore[no-any-return]
        if self._fresh:
            part, runs = self._fresh.popleft()
            self._open[part] = runs
            return part
        rest = {part: sum(run.size for run in runs) * part.size for part, runs in self._open.items() if runs}
        return max(rest, key=lambda part: rest[part], default=None)

    def _cut(self, part: Slice, samples: int) -> Slice:
        """So many samples of the first open tasks at most, one task at least."""
        runs, before = self._open[part], self._before
        run = runs.popleft()
        most = min(samples, self._most[0], self._most[1] // part.size)
        stop = run.start + 1
        while stop < run.stop and before[stop + 1] - before[run.start] <= most:
            if max(self._ended[part, run.start], self._ended[part, stop]) >= ALONE:
                break
            stop += 1
        if stop < run.stop:
            runs.appendleft(Slice(stop, run.stop))
        return Slice(run.start, stop)

    def put_back(self, job: Shard, blamed: bool) -> None:
        """The tasks are open again."""
        self._open[job.part].appendleft(job.tasks)
        self._left += self._evaluations(job.part, job.tasks)
        for task in range(job.tasks.start, job.tasks.stop) if blamed else ():
            self._ended[job.part, task] += 1
            if self._ended[job.part, task] >= MOST:
                programs = f"programs {job.part.start:,} to {job.part.stop - 1:,}"
                raise ClusterError(
                    f"{MOST} workers have failed over task {task + 1:,} of the run with {programs}; log.txt says why, "
                    "and what was done before is kept"
                )

    def done(self, job: Shard) -> None:
        """It is recorded; programs of which nothing is left are let go."""
        self._to_come[job.part] -= job.tasks.size
        if not self._to_come[job.part]:
            del self._programs[job.part], self._open[job.part]


def computed_on(
    cluster: Connection,
    plan: Plan,
    programs: Sequence[Program],
    left: Mapping[Slice, Sequence[Slice]],
    known: Known,
    most_samples: int,
    most_evaluations: int,
    stop: Callable[[], bool],
    errors: Counter[str],
) -> Iterator[Computed]:
    """The batches of a run, computed by a cluster, in whatever order they are done."""

    def put(part: Slice) -> Any:
        return cluster.ray.put(list(programs[part.start : part.stop]))

    work = RunWork(plan, left, put, known, most_samples, most_evaluations)
    with Crew(cluster, f"{__name__}:RunService", plan) as crew:
        for job, worker, computed in crew.results(work, stop):
            work.done(job)
            worker.rate = computed.evaluations / max(computed.seconds, 1e-6)
            node = worker.place.name
            computed.ran_on = {f"{name}@{node}": count for name, count in computed.ran_on.items()}
            computed.recovered_errors += crew.errors
            crew.errors.clear()
            yield computed
        errors += crew.errors
