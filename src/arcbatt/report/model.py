"""What a report says, as plain values: made by hand in tests, from a run's record by `reading`."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from arcbatt.data.tasks import Task
from arcbatt.report.compare import Got, Verdict
from arcbatt.runs.outcomes import Standing

Rows = tuple[tuple[str, str], ...]
"""Names with their values, as shown."""

TaskRow = tuple[str, Standing, Standing, str]
"""A task, its standing in an earlier run and now, and the programs that solve it no more or anew."""


@dataclass(frozen=True, slots=True)
class Score:
    """Pairs right of pairs there are; `known` is False where the expected outputs are hidden."""

    right: int
    pairs: int
    known: bool = True

    def __str__(self) -> str:
        return f"{self.right}/{self.pairs}" if self.known else "hidden"


@dataclass(frozen=True)
class Attempt:
    """What one program gave on every pair of a task; `alike` names the programs that gave the very same."""

    program: str
    text: str
    gots: tuple[Got, ...]
    alike: tuple[str, ...] = ()


@dataclass(frozen=True)
class TaskReport:
    """A task and what came of it.

    `solvers` counts the programs that are right on every demonstration; `from_samples` are those of them that read S
    where no test shows more. `programs` are all that the task is found by. `before` is what came of it in an earlier
    run, where that is something else, with the attempts of then.
    """

    task: Task
    standing: Standing
    attempts: tuple[Attempt, ...] = ()
    solvers: int = 0
    from_samples: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    before: Standing | None = None
    attempts_before: tuple[Attempt, ...] = ()

    @property
    def demonstrations(self) -> Score:
        """The first attempt's demonstrations."""
        return self._score(0, len(self.task.train))

    @property
    def tests(self) -> Score:
        """The first attempt's tests."""
        return self._score(len(self.task.train), len(self.task.train) + len(self.task.test))

    @property
    def agreement(self) -> float:
        """The share of cells the first attempt has right, the mean over the demonstrations."""
        gots = self.attempts[0].gots[: len(self.task.train)] if self.attempts else ()
        return sum(got.agreement for got in gots) / len(gots) if gots else 0.0

    def _score(self, start: int, stop: int) -> Score:
        gots = self.attempts[0].gots[start:stop] if self.attempts else ()
        known = all(wanted is not None for _, wanted in (*self.task.train, *self.task.test)[start:stop])
        return Score(sum(got.verdict is Verdict.MATCH for got in gots), stop - start, known)


@dataclass(frozen=True)
class ProgramReport:
    """A program: how it did, and the tasks that it solves or comes near to; `evaluations` are those it was run for."""

    program: str
    text: str
    lines: int
    solves: tuple[str, ...] = ()
    demos_only: int = 0
    near: tuple[str, ...] = ()
    evaluations: int = 0
    failed: int = 0
    tier: str = ""
    reads_samples: bool = False

    @property
    def failing(self) -> float:
        """The share of its evaluations that failed."""
        return self.failed / self.evaluations if self.evaluations else 0.0


@dataclass(frozen=True)
class Against:
    """What changed since an earlier run: facts with what they were and are; rows of tasks, and of programs."""

    title: str
    facts: tuple[tuple[str, str, str], ...]
    tasks: tuple[TaskRow, ...]
    programs: tuple[tuple[str, str, str, str], ...]
    """Program, the tasks it solved then and solves now, and a remark."""


@dataclass(frozen=True, slots=True)
class Timing:
    """A stage or a batch: what it is, how long it took, and how many evaluations it did, if it did any."""

    name: str
    seconds: float
    evaluations: int | None = None


@dataclass(frozen=True)
class RunReport:
    """A run. `facts` are the figures a reader wants first; `left_out` counts tasks that are not in `tasks`.

    `programs` are the best first; `programs_left_out` counts those that are not in it.
    """

    title: str
    state: str
    facts: Rows
    options: Rows
    environment: Rows
    tasks: tuple[TaskReport, ...]
    rerouted: tuple[tuple[str, int], ...] = ()
    stages: tuple[Timing, ...] = ()
    batches: tuple[Timing, ...] = ()
    left_out: dict[Standing, int] = field(default_factory=dict)
    programs: tuple[ProgramReport, ...] = ()
    programs_left_out: int = 0
    against: Against | None = None

    @cached_property
    def by_standing(self) -> dict[Standing, tuple[TaskReport, ...]]:
        """The tasks of every standing, in the order of the run; those nearly solved the nearest first."""
        found = {one: [task for task in self.tasks if task.standing is one] for one in Standing}
        found[Standing.NEAR].sort(key=lambda task: (-task.agreement, -task.demonstrations.right))
        return {one: tuple(tasks) for one, tasks in found.items()}

    def count(self, standing: Standing) -> int:
        """Tasks of a standing, those left out of the report counted in."""
        return len(self.by_standing[standing]) + self.left_out.get(standing, 0)
