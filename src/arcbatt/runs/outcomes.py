"""What came of every task of a run: the home of the words that summary, report and comparison say it in."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from arcbatt.runs.record import Near, RunRecord
from arcbatt.runs.store.reading import TaskSize


class Standing(StrEnum):
    """How far a run came with a task; the order is the order of the report."""

    SOLVED = "solved"
    TESTS_WRONG = "tests wrong"
    NEAR = "nearly solved"
    ONLY_FROM_S = "only from S"
    OPEN = "open"
    WAITING = "not run"


@dataclass(frozen=True)
class Outcome:
    """A task of a run. Programs stand in the order of the run, near misses the nearest first.

    `solved_by` are right on every demonstration and test; where a test is hidden, on every demonstration without
    reading S, which holds them. `demos_only` are the others that are right on every demonstration.
    """

    task: str
    size: TaskSize
    standing: Standing
    solved_by: tuple[str, ...] = ()
    demos_only: tuple[str, ...] = ()
    near: tuple[Near, ...] = ()

    @property
    def nearest(self) -> Near | None:
        """The program that came nearest, where none is right."""
        return self.near[0] if self.near else None


def outcomes(record: RunRecord) -> list[Outcome]:
    """What came of every task, in the order of the run; near misses of those that are not solved."""
    solved, demos = solved_tasks(record), record.solved()
    was_run = record.store.tasks_run()
    found = []
    for task, size in zip(record.store.task_ids(), record.store.task_sizes(), strict=True):
        right = tuple(solved.get(task, ()))
        others = tuple(name for name in demos.get(task, ()) if name not in right)
        near = () if right else tuple(record.near(task))
        standing = _standing(record, right, others, near) if task in was_run else Standing.WAITING
        found.append(Outcome(task, size, standing, right, others, near))
    return found


def solved_tasks(record: RunRecord) -> dict[str, list[str]]:
    """Task id to the programs that solve it, as an `Outcome` has them."""
    found = record.solved_tests()
    hidden = record.store.hidden_tasks()
    if not hidden:
        return found
    for task, names in record.solved().items():
        if task in hidden and (right := [name for name in names if name not in record.reading_samples]):
            found[task] = right
    return found


def nearest_first(found: Iterable[Outcome]) -> list[Outcome]:
    """Outcomes by the share of cells that the nearest program has right; those without one last."""
    return sorted(found, key=_distance)


def _distance(one: Outcome) -> tuple[float, int]:
    nearest = one.nearest
    return (-nearest.agreement, one.size.demos - nearest.demos_right) if nearest else (1.0, 0)


def _standing(record: RunRecord, right: tuple[str, ...], others: tuple[str, ...], near: tuple[Near, ...]) -> Standing:
    """The standing of a task that was run.

    A program that looks its input up in S is right on every demonstration of every task, so where tests do not show
    more it changes nothing about a task that others came near to.
    """
    if right:
        return Standing.SOLVED
    if any(name not in record.reading_samples for name in others):
        return Standing.TESTS_WRONG
    if any(one.is_near for one in near):
        return Standing.NEAR
    return Standing.ONLY_FROM_S if others else Standing.OPEN
