"""The record of a run: a directory that is readable at any moment, whatever happens to who writes it.

`RunRecord.open` reads one. `run.json` says what was run and how far it came, `programs.py` holds the programs,
`results.sqlite` the results, `log.txt` what was said.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from arcbatt.data.tasks import Task, task_from_json, task_to_json
from arcbatt.errors import DataError, UsageError
from arcbatt.language.program import Program
from arcbatt.runs.options import RunOptions
from arcbatt.runs.store import ProgramTier, Store
from arcbatt.syntax import parse_file

INFO: Final = "run.json"
PROGRAMS: Final = "programs.py"
RESULTS: Final = "results.sqlite"
LOG: Final = "log.txt"
LOCK: Final = "run.lock"
"""Locked while the run is being written, removed at its end."""


@dataclass(frozen=True)
class Near:
    """A program that comes close to solving a task, and what each differ says of it."""

    program: str
    demos_right: int
    agreement: float
    scores: dict[str, int | None]


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
    def open(cls, directory: str | Path) -> RunRecord:
        """Open a run directory; raises UsageError or DataError that says what is wrong with it."""
        folder = Path(directory)
        try:
            info = json.loads((folder / INFO).read_text(encoding="utf-8"))
        except FileNotFoundError as error:
            raise UsageError(f"{folder}: not a run directory, there is no {INFO}") from error
        except (OSError, ValueError) as error:
            raise DataError(f"{folder / INFO}: cannot be read: {error}") from error
        return cls(Store.open(folder / RESULTS), info, folder)

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
        for name, data in self.store.task_texts():
            yield task_of(name, data)

    def programs(self) -> dict[str, Program]:
        """The programs by name (without `solve_`), in the order of the run."""
        if self._programs is None:
            assert self.directory is not None
            self._programs = {one.id: one for one in parse_file(self.directory / PROGRAMS).check()}
        return self._programs

    def solved(self) -> dict[str, list[str]]:
        """Task id to the programs that are right on every demonstration. Tests play no part."""
        return self.store.solved()

    def solved_tests(self) -> dict[str, list[str]]:
        """Task id to the programs that are right on every demonstration and every test."""
        return self.store.solved(with_tests=True)

    def near(self, task: str) -> list[Near]:
        """The programs nearest to solving a task without doing so, best first."""
        found: dict[str, Near] = {}
        for name, demos, agreement, differ, score in self.store.near_scores(task):
            found.setdefault(name, Near(name, demos, agreement, {})).scores[differ] = score
        return list(found.values())

    def internal_errors(self) -> list[ProgramTier]:
        """The programs that arcbatt itself failed over somewhere, with what a bug report needs."""
        return [one for one in self.store.tiers() if one.error]

    def attempts(self, task: str) -> list[Attempt]:
        """What the programs that solve a task's demonstrations, and its nearest misses, gave on each sample."""
        return [
            Attempt(name, sample, None if cells is None else _grid(height, width, cells))
            for name, sample, height, width, cells in self.store.attempts(task)
        ]


def _grid(height: int, width: int, cells: bytes) -> NDArray[np.int8]:
    return np.frombuffer(cells, np.int8).reshape(height, width)


def task_json(task: Task) -> str:
    """A task as ARC's JSON; a hidden output is left out."""
    return json.dumps(task_to_json(task), separators=(",", ":"))


def task_of(name: str, data: str) -> Task:
    """A task from ARC's JSON."""
    return task_from_json(name, json.loads(data), f"task {name} of the record")
