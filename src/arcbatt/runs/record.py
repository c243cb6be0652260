"""The record of a run: a directory that is readable at any moment, whatever happens to who writes it.

`RunRecord.open` reads one. `run.json` says what was run and how far it came, `programs.py` holds the programs,
`results.sqlite` the results, `log.txt` what was said.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final, TypedDict

import numpy as np
from numpy.typing import NDArray

from arcbatt.data.grids import shown
from arcbatt.data.tasks import Task, check_id, task_from_json, task_to_json
from arcbatt.errors import DataError, UsageError
from arcbatt.language.program import Program, reads
from arcbatt.runs.options import RunOptions
from arcbatt.runs.store.reading import AttemptCells, ProgramTier, Store
from arcbatt.support.files import read_file
from arcbatt.support.shapes import fields_of, is_of
from arcbatt.syntax import parse_file

INFO: Final = "run.json"
PROGRAMS: Final = "programs.py"
RESULTS: Final = "results.sqlite"
LOG: Final = "log.txt"
NEAR: Final = 0.9
"""Share of cells right, over the demonstrations, from which a program came near."""


@dataclass(frozen=True)
class Near:
    """A program that comes close to solving a task, and what each differ says of it."""

    program: str
    demos_right: int
    agreement: float
    scores: dict[str, int | None]

    @property
    def is_near(self) -> bool:
        """Whether it is right on a demonstration, or on nine cells of ten."""
        return self.demos_right > 0 or self.agreement >= NEAR


@dataclass(frozen=True)
class Attempt:
    """What a program gave on a sample of a task (demonstrations, then tests): a grid, or None."""

    program: str
    sample: int
    grid: NDArray[np.int8] | None


@dataclass
class RunRecord:
    """A run's record, to read. Made by `RunRecord.open`."""

    store: Store
    info: dict[str, Any]
    directory: Path | None = None
    _programs: dict[str, Program] | None = field(default=None, repr=False)

    @classmethod
    def open(cls, directory: str | Path, *, only_look: bool = False) -> RunRecord:
        """Open a run directory; raises UsageError or DataError that says what is wrong with it.

        With `only_look` nothing in it is ever changed, whoever writes to it or was killed while writing.
        """
        folder = Path(directory)
        info = _info_text(folder)
        store = Store.open(folder / RESULTS, only_look=only_look)
        try:
            _check_info(folder, info)
        except DataError:
            store.close()
            raise
        return cls(store, info, folder)

    def close(self) -> None:
        """Let go of the files."""
        self.store.close()

    def __enter__(self) -> RunRecord:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def options(self) -> RunOptions:
        """What was asked for."""
        return RunOptions.from_json(self.info["options"])

    @property
    def environment(self) -> dict[str, Any]:
        """Where it ran: versions, machine, cores, backend."""
        environment: dict[str, Any] = self.info["environment"]
        return environment

    @property
    def state(self) -> str:
        """`running`, `done` or `stopped`; a run that was killed is still `running` here."""
        state: str = self.info["state"]
        return state

    def dump(self) -> Iterator[str]:
        """Every row but those of `batch`, as JSON: the same text for the same result, however it was run."""
        return self.store.dump()

    def tasks(self) -> list[Task]:
        """The tasks, in the order of the run."""
        return list(self.each_task())

    def each_task(self) -> Iterator[Task]:
        """The tasks one by one, for sets that are large."""
        sizes, seen = self.store.task_sizes(), set[str]()
        for size, (name, data) in zip(sizes, self.store.task_texts(), strict=False):
            task = task_of(name, data)
            if name in seen:
                raise DataError(f"task {name} of the record: there are two of this id")
            seen.add(name)
            if (len(task.train), len(task.test)) != size:
                raise DataError(f"task {name} of the record: not {size.demos} demonstrations and {size.tests} tests")
            yield task

    def programs(self) -> dict[str, Program]:
        """The programs by name (without `solve_`), in the order of the run."""
        if self._programs is None:
            assert self.directory is not None
            if (self.directory / PROGRAMS).is_fifo():
                raise DataError(f"{self.directory / PROGRAMS}: cannot be read: not a plain file")
            found = {one.id: one for one in parse_file(self.directory / PROGRAMS).check()}
            if found.keys() != self.store.program_lines().keys():
                raise DataError(f"{self.directory / PROGRAMS}: not the programs that {RESULTS} names")
            self._programs = found
        return self._programs

    def know(self, programs: Iterable[Program]) -> None:
        """Have the programs from whoever has read them, if they are these, so that they are not read again."""
        found = {one.id: one for one in programs}
        if found.keys() == self.store.program_lines().keys():
            self._programs = found

    @cached_property
    def reading_samples(self) -> frozenset[str]:
        """The programs whose result depends on S; being right on demonstrations, which are in S, says less of them."""
        return frozenset(name for name, program in self.programs().items() if reads(program, "S"))

    def solved(self) -> dict[str, list[str]]:
        """Task id to the programs that are right on every demonstration. Tests play no part."""
        return self.store.solved()

    def solved_tests(self) -> dict[str, list[str]]:
        """Task id to the programs that are right on every demonstration and every test."""
        return self.store.solved(with_tests=True)

    def rate(self) -> float | None:
        """Evaluations a second while programs ran: without reading, near misses and recording."""
        stages: dict[str, float] = self.info.get("stages", {})
        busy = stages.get("run", 0.0) + stages.get("dynamic", 0.0)
        return sum(batch.evaluations for batch in self.store.batches()) / busy if busy else None

    def near(self, task: str) -> list[Near]:
        """The programs nearest to solving a task without doing so, best first.

        Of those that came near, programs that do not read S stand first.
        """
        found: dict[str, Near] = {}
        for name, demos, agreement, differ, score in self.store.near_scores(task):
            found.setdefault(name, Near(name, demos, agreement, {})).scores[differ] = score
        return sorted(found.values(), key=lambda one: (not one.is_near, one.program in self.reading_samples))

    def internal_errors(self) -> list[ProgramTier]:
        """The programs that arcbatt itself failed over somewhere, with what a bug report needs."""
        return [one for one in self.store.tiers() if one.error]

    def attempts(self, task: str) -> list[Attempt]:
        """What the programs that solve a task's demonstrations, and its nearest misses, gave on each sample."""
        return [_attempt(one, task) for one in self.store.attempts(task)]


class RunInfo(TypedDict):
    """What `run.json` holds from the start."""

    arcbatt: str
    state: str
    dataset: str
    options: dict[str, Any]
    environment: dict[str, Any]
    started: str
    ended: str | None
    programs: int
    programs_sha256: str


class RunFigures(TypedDict):
    """What `run.json` may hold besides."""

    stages: dict[str, float]
    tasks: int
    solved: int
    tiers: dict[str, int]
    backends: dict[str, int]
    recovered_errors: dict[str, int]


def read_info(folder: Path) -> dict[str, Any]:
    """What `run.json` says of a run; raises UsageError or DataError that says what is wrong with it."""
    info = _info_text(folder)
    _check_info(folder, info)
    found: dict[str, Any] = info
    return found


def _info_text(folder: Path) -> Any:
    try:
        return json.loads(read_file(folder / INFO).decode())
    except FileNotFoundError as error:
        raise UsageError(f"{folder}: not a run directory, there is no {INFO}") from error
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(f"{folder / INFO}: cannot be read: {error}") from error


def _check_info(folder: Path, info: Any) -> None:
    if problem := _info_problem(info):
        raise DataError(f"{folder / INFO}: not the record of a run: {problem}")


def _info_problem(info: Any) -> str:
    """What is wrong with the content of `run.json`, or nothing."""
    if not isinstance(info, dict):
        return f"an object is expected, got {shown(info)}"
    for name, hint in fields_of(RunInfo).items():
        if name not in info:
            return f"{name!r} is missing"
        if not is_of(info[name], hint):
            return f"{name!r} is {shown(info[name])}"
    for name, hint in fields_of(RunFigures).items():
        if name in info and not is_of(info[name], hint):
            return f"{name!r} is {shown(info[name])}"
    try:
        for time in (info["started"], info["ended"]):
            if time and datetime.datetime.fromisoformat(time).tzinfo is None:
                return f"{time!r} is a time of no zone"
        RunOptions.from_json(info["options"])
    except (ValueError, UsageError) as error:
        return str(error)
    return ""


def _attempt(one: AttemptCells, task: str) -> Attempt:
    if not 0 <= one.sample < one.samples:
        raise DataError(f"task {task} of the record: an output on sample {one.sample} of {one.samples}")
    if one.cells is None:
        return Attempt(one.program, one.sample, None)
    height, width = one.height or 0, one.width or 0
    if min(height, width) < 0 or height * width != len(one.cells):
        raise DataError(f"task {task} of the record: {len(one.cells)} cells for a grid of {height} x {width}")
    return Attempt(one.program, one.sample, np.frombuffer(one.cells, np.int8).reshape(height, width))


def task_json(task: Task) -> str:
    """A task as ARC's JSON; a hidden output is left out."""
    return json.dumps(task_to_json(task), separators=(",", ":"))


def task_of(name: str, data: str) -> Task:
    """A task from ARC's JSON."""
    check_id(name, "the record")
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise DataError(f"task {name} of the record: not JSON: {error}") from error
    return task_from_json(name, value, f"task {name} of the record")
