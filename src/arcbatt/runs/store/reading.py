"""What came of a run, read from its file: tasks, programs, batches, results, near misses."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from arcbatt.runs.store.database import Database, Name


class TaskText(NamedTuple):
    """A task: its id, and itself as ARC's JSON."""

    id: str
    data: str


class TaskSize(NamedTuple):
    """How many demonstrations and tests a task has."""

    demos: int
    tests: int


class BatchDone(NamedTuple):
    """A batch that was run: which tasks and programs, how long it took."""

    first_task: int
    tasks: int
    first_program: int
    programs: int
    seconds: float
    evaluations: int


class AttemptCells(NamedTuple):
    """What a program gave on a sample of a task that has so many; no height, width and cells where it gave no grid."""

    program: str
    sample: int
    samples: int
    height: int | None
    width: int | None
    cells: bytes | None


class NearScore(NamedTuple):
    """What a differ says of a near miss."""

    program: str
    demos_right: int
    agreement: float
    differ: str
    score: int | None


class NearMiss(NamedTuple):
    """A near miss by numbers."""

    demos_right: int
    agreement: float
    program: int
    hash: int


class Standing(NamedTuple):
    """How a program did on a task's demonstrations."""

    program: str
    lines: int
    demos_right: int
    agreement: float


class ProgramResult(NamedTuple):
    """What a program did on a task."""

    task: str
    program: str
    demos_right: int
    demos: int
    tests_right: int | None
    """None where an expected output is hidden."""
    tests: int
    failed: int
    """On how many samples the program failed."""
    reason: str | None
    """The first failure's."""
    agreement: float
    """The share of cells right, the mean over the demonstrations."""


class Failures(NamedTuple):
    """On how many samples a program failed, and why it first did."""

    failed: int
    reason: str | None


class TaskCount(NamedTuple):
    """How many programs were run on a task, and how many of their evaluations failed."""

    task: str
    programs: int
    failed: int


class ProgramCount(NamedTuple):
    """A program: its lines, the tasks it was run on, those it is right on, and how many evaluations of it failed."""

    program: str
    lines: int
    tasks: int
    demos_right: int
    tests_right: int
    evaluations: int
    failed: int


class ProgramTier(NamedTuple):
    """What ran a program, why that is not the tier that was asked for, and the internal error met on the way."""

    program: str
    tier: str
    why: str | None
    error: dict[str, str] | None


class _TierText(NamedTuple):
    name: str
    tier: str
    why: str | None
    error: str | None


class TaskSpan(NamedTuple):
    """So many tasks from the first on."""

    first: int
    tasks: int


class _NamePair(NamedTuple):
    one: str
    other: str


class _Length(NamedTuple):
    name: str
    lines: int


class Store(Database):
    """The results of a run; opened by `Store.open` to read, made by `writing.create`."""

    # --- tasks, programs, batches ---

    def task_texts(self) -> Iterator[TaskText]:
        """Id and ARC JSON of every task, in the order of the run."""
        return self.each(TaskText, "SELECT id, data FROM task ORDER BY task")

    def task_sizes(self) -> list[TaskSize]:
        """The sizes of the tasks, in the order of the run."""
        return list(self.each(TaskSize, "SELECT demos, tests FROM task ORDER BY task"))

    def tasks_run(self) -> set[str]:
        """The tasks that any program was run on."""
        return {task for (task,) in self.each(Name, "SELECT DISTINCT id FROM result JOIN task USING (task)")}

    def task_ids(self) -> list[str]:
        """The ids of the tasks, in the order of the run."""
        return [task for (task,) in self.each(Name, "SELECT id FROM task ORDER BY task")]

    def hidden_tasks(self) -> set[str]:
        """The tasks that were run and have a hidden test output."""
        query = "SELECT DISTINCT task FROM results WHERE tests_right IS NULL"
        return {task for (task,) in self.each(Name, query)}

    def task_counts(self) -> list[TaskCount]:
        """What was done of every task that was run."""
        query = "SELECT id, count(*), sum(failed) FROM task JOIN result USING (task) GROUP BY task"
        return list(self.each(TaskCount, query))

    def program_counts(self) -> list[ProgramCount]:
        """How every program did on the tasks it was run on, in the order of the run."""
        query = (
            "SELECT name, lines, count(task), ifnull(sum(demos_right = demos), 0), "
            "ifnull(sum(demos_right = demos AND tests_right = tests), 0), ifnull(sum(demos + tests), 0), "
            "ifnull(sum(failed), 0) "
            "FROM program LEFT JOIN result USING (program) LEFT JOIN task USING (task) GROUP BY program"
        )
        return list(self.each(ProgramCount, query))

    def program_lines(self) -> dict[str, int]:
        """How many lines each program has."""
        return dict(self.each(_Length, "SELECT name, lines FROM program"))

    def batches(self) -> list[BatchDone]:
        """Every batch, in the order they were run."""
        query = "SELECT first_task, tasks, first_program, programs, seconds, evaluations FROM batch ORDER BY batch"
        return list(self.each(BatchDone, query))

    def tasks_done(self, first_program: int, programs: int) -> list[tuple[int, int]]:
        """Of the batches of a slice of programs, the first task and how many."""
        query = "SELECT first_task, tasks FROM batch WHERE first_program = ? AND programs = ?"
        return [(first, count) for first, count in self.each(TaskSpan, query, first_program, programs)]

    def rerouted(self) -> Counter[str]:
        """Evaluations that another tier did than the one asked for, by `tier: why`."""
        total: Counter[str] = Counter()
        for (text,) in self.each(Name, "SELECT rerouted FROM batch"):
            total.update(self.json(text, dict[str, int]))
        return total

    def tiers(self) -> list[ProgramTier]:
        """What ran each program that was run, in the order of the run; nothing in records that do not say."""
        if not self.has("tier"):
            return []
        query = "SELECT name, tier, why, error FROM tier JOIN program USING (program) ORDER BY program"
        return [
            ProgramTier(name, tier, why, None if error is None else self.json(error, dict[str, str]))
            for name, tier, why, error in self.each(_TierText, query)
        ]

    # --- results ---

    def solved(self, *, with_tests: bool = False) -> dict[str, list[str]]:
        """Task id to the programs that are right on every demonstration, or on every test too."""
        tests = "AND tests_right = tests" if with_tests else ""
        found: dict[str, list[str]] = {}
        for task, program in self.each(
            _NamePair,
            "SELECT id, name FROM task JOIN result USING (task) JOIN program USING (program) "
            f"WHERE demos_right = demos {tests} ORDER BY task, program",
        ):
            found.setdefault(task, []).append(program)
        return found

    def results(self) -> Iterator[ProgramResult]:
        """What every program did on every task, by task."""
        query = (
            "SELECT id, name, demos_right, demos, tests_right, tests, failed, reason, agreement FROM task "
            "JOIN result USING (task) JOIN program USING (program) ORDER BY task, program"
        )
        return self.each(ProgramResult, query)

    def failures(self, program: str, task: str) -> Failures:
        """How a program failed on a task."""
        query = "SELECT failed, reason FROM results WHERE program = ? AND task = ?"
        for found in self.each(Failures, query, program, task):
            return found
        raise self.damaged(f"no result of {program} on task {task}")

    def attempts(self, task: str) -> list[AttemptCells]:
        """What the programs that solve a task's demonstrations, and its nearest misses, gave on each sample."""
        query = (
            "SELECT name, sample, demos + tests, height, width, cells FROM attempt JOIN task USING (task) "
            "JOIN program USING (program) LEFT JOIN output USING (hash) WHERE id = ? ORDER BY program, sample"
        )
        return list(self.each(AttemptCells, query, task))

    def standings(self, task: str) -> list[Standing]:
        """The programs whose outputs on a task are kept."""
        query = (
            "SELECT DISTINCT name, lines, demos_right, agreement FROM attempt JOIN task USING (task) "
            "JOIN program USING (program) JOIN result USING (program, task) WHERE id = ?"
        )
        return list(self.each(Standing, query, task))

    # --- near misses ---

    def near_scores(self, task: str) -> list[NearScore]:
        """What each differ says of the nearest misses of a task, the nearest first."""
        query = (
            "SELECT name, demos_right, agreement, differ, score FROM near JOIN task USING (task) "
            "JOIN result USING (program, task) JOIN program USING (program) WHERE id = ? "
            "ORDER BY demos_right DESC, agreement DESC, program, differ"
        )
        return list(self.each(NearScore, query, task))

    def near_misses(self, task: int) -> list[NearMiss]:
        """The near misses of a task by its number."""
        query = (
            "SELECT DISTINCT demos_right, agreement, program, hash FROM near JOIN result USING (task, program) "
            "WHERE task = ?"
        )
        return list(self.each(NearMiss, query, task))

    def dump(self) -> Iterator[str]:
        """Every row but those of `batch`, as JSON: the same text for the same result, however it was run."""
        for table in ("task", "program", "result", "attempt", "output", "near"):
            for row in self.stream(f"SELECT * FROM {table} ORDER BY 1, 2, 3"):
                yield json.dumps([table, *(value.hex() if isinstance(value, bytes) else value for value in row)])
