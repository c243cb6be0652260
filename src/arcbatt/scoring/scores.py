"""Scores of a submission, by both rules in use.

Kaggle's rule is the mean over all test outputs of "one of the two attempts is right". The rule of ARC's own repository
counts tasks: a task is solved when every one of its test outputs is right.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from arcbatt.data.tasks import Task
from arcbatt.display.html import page, table
from arcbatt.errors import DataError
from arcbatt.language.values import Grid
from arcbatt.scoring.submission import Submission
from arcbatt.support.text import counted


@dataclass(frozen=True)
class TaskScore:
    """A task's score: for each test output which attempt is right, 1 or 2, or 0 for none."""

    id: str
    right: tuple[int, ...]

    @property
    def solved(self) -> bool:
        """Whether every test output is right."""
        return all(self.right)


@dataclass(frozen=True, repr=False)
class Score:
    """A submission's score; tasks with hidden test outputs, and those it lacks, are not scored and only counted."""

    tasks: tuple[TaskScore, ...]
    hidden: int = 0
    missing: int = 0
    missing_outputs: int = 0
    """Test outputs of the tasks that are missing."""

    @property
    def outputs(self) -> int:
        """Test outputs scored."""
        return sum(len(task.right) for task in self.tasks)

    @property
    def outputs_right(self) -> int:
        """Test outputs that one of the attempts gets right."""
        return sum(which > 0 for task in self.tasks for which in task.right)

    @property
    def tasks_solved(self) -> int:
        """Tasks with every test output right."""
        return sum(task.solved for task in self.tasks)

    @property
    def kaggle(self) -> float:
        """Kaggle's rule: the share of test outputs that are right."""
        return self.outputs_right / self.outputs

    @property
    def repository(self) -> float:
        """The repository's rule: the share of tasks that are solved."""
        return self.tasks_solved / len(self.tasks)

    def _rows(self) -> list[tuple[str, str]]:
        return [
            (f"{100 * self.kaggle:.1f} %", f"{self.outputs_right:,} of {counted(self.outputs, 'test output')} right"),
            (f"{100 * self.repository:.1f} %", f"{self.tasks_solved:,} of {counted(len(self.tasks), 'task')} solved"),
            *([(counted(self.missing, "task"), "not in the submission, not scored")] if self.missing else []),
        ]

    def __repr__(self) -> str:
        return f"<Score: {'; '.join(f'{share}, {what}' for share, what in self._rows())}>"

    def _repr_html_(self) -> str:
        return page("", table(self._rows()))


def which_right(attempts: tuple[Grid, ...], expected: Grid) -> int:
    """The number, from 1, of the first attempt that is exactly the expected grid; 0 where none is."""
    return attempts.index(expected) + 1 if expected in attempts else 0


def score_submission(submission: Submission, tasks: Iterable[Task]) -> Score:
    """Score a submission, checked before against these tasks; those it lacks are left out."""
    scored: list[TaskScore] = []
    hidden = missing = missing_outputs = 0
    for task in tasks:
        outputs = [wanted for _, wanted in task.test if wanted is not None]
        if len(outputs) < len(task.test):
            hidden += 1
            continue
        if task.id not in submission:
            missing, missing_outputs = missing + 1, missing_outputs + len(outputs)
            continue
        pairs = zip(submission[task.id], outputs, strict=True)
        scored.append(TaskScore(task.id, tuple(which_right(attempts, wanted) for attempts, wanted in pairs)))
    if not scored and missing:
        raise DataError(f"nothing to score: the submission has none of the {missing:,} tasks whose outputs are known")
    if not scored:
        raise DataError(f"nothing to score against: all {hidden:,} tasks have hidden test outputs")
    return Score(tuple(scored), hidden, missing, missing_outputs)
