"""What the live view reads of a run, while it goes on or later: how it went in time, what is slow, what comes near."""

from __future__ import annotations

from typing import NamedTuple

from arcbatt.runs.store.database import Name
from arcbatt.runs.store.reading import BatchDone, Store


class BatchProgress(NamedTuple):
    """A batch in time: when it was done, on what its evaluations ran, why so many failed; None where not recorded."""

    done: BatchDone
    ended: float | None
    ran_on: dict[str, int] | None
    failures: dict[str, int] | None


class FirstSolver(NamedTuple):
    """A task by number and the first program that is right on its demonstrations, and on tests not known to be wrong.

    None where a program is right on the demonstrations alone.
    """

    task: int
    program: int
    tests_too: int | None


class Pace(NamedTuple):
    """How long an evaluation of a program takes on one core, over so many samples, and on which tier."""

    program: str
    seconds: float
    evaluations: int
    tier: str | None


class Nearest(NamedTuple):
    """The program that comes nearest to a task which none solves."""

    task: str
    program: str
    demos_right: int
    demos: int
    agreement: float


class ReasonCount(NamedTuple):
    """Evaluations of programs whose first failure on a task has a reason."""

    reason: str
    evaluations: int


class _ProgressText(NamedTuple):
    ended: float | None
    ran_on: str | None
    failures: str | None


class LiveStore:
    """How a run goes, by its results."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def progress(self) -> list[BatchProgress]:
        """Every batch in time, in the order they were run."""
        figures = "ended, ran_on, failures" if self.store.has("progress") else "NULL, NULL, NULL"
        join = "LEFT JOIN progress USING (batch)" if self.store.has("progress") else ""
        rows = self.store.each(_ProgressText, f"SELECT {figures} FROM batch {join} ORDER BY batch")
        return [
            BatchProgress(done, row.ended, self._counts(row.ran_on), self._counts(row.failures))
            for done, row in zip(self.store.batches(), rows, strict=False)  # one may have been added in between
        ]

    def _counts(self, text: str | None) -> dict[str, int] | None:
        return None if text is None else self.store.json(text, dict[str, int])

    def first_solvers(self) -> list[FirstSolver]:
        """Of every task that has one, the first program that is right on its demonstrations, and on its tests too."""
        query = (
            "SELECT task, min(program), min(CASE WHEN tests_right IS NULL OR tests_right = tests THEN program END) "
            "FROM task JOIN result USING (task) WHERE demos_right = demos GROUP BY task"
        )
        return list(self.store.each(FirstSolver, query))

    def slowest(self, limit: int) -> list[Pace]:
        """The programs whose evaluations take longest, as far as they were timed."""
        if not self.store.has("pace"):
            return []
        tier, join = ("tier", "LEFT JOIN tier USING (program)") if self.store.has("tier") else ("NULL", "")
        query = (
            f"SELECT name, seconds, evaluations, {tier} FROM pace JOIN program USING (program) {join} "
            "ORDER BY seconds DESC, program LIMIT ?"
        )
        return list(self.store.each(Pace, query, limit))

    def nearest(self, limit: int, least: float) -> list[Nearest]:
        """Of the tasks that no program solves, those that one comes nearest to, with that program.

        Only programs that are right on a demonstration, or on a share of cells that is at least so much.
        """
        query = (
            "SELECT id, name, demos_right, demos, max(agreement) FROM near JOIN task USING (task) "
            "JOIN result USING (task, program) JOIN program USING (program) WHERE NOT EXISTS (SELECT 1 "
            "FROM result AS right WHERE right.task = task.task AND right.demos_right = demos "
            "AND (right.tests_right IS NULL OR right.tests_right = tests)) AND (demos_right > 0 OR agreement >= ?) "
            "GROUP BY task ORDER BY max(agreement) DESC, task LIMIT ?"
        )
        return list(self.store.each(Nearest, query, least, limit))

    def reason_counts(self) -> list[ReasonCount]:
        """Evaluations that failed, by their program's first reason on the task; reads every result."""
        query = "SELECT reason, sum(failed) FROM result WHERE reason IS NOT NULL GROUP BY reason"
        return list(self.store.each(ReasonCount, query))

    def task_text(self, task: str) -> str:
        """A task as ARC's JSON."""
        for (text,) in self.store.each(Name, "SELECT data FROM task WHERE id = ?", task):
            return text
        raise self.store.damaged(f"no task {task}")
