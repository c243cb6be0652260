"""A directory that solving is recorded in: solve.json, then a line of JSON for each task as it is done.

`solve.json` says what was asked for, when it was begun and ended, and its `state`, in the words of a run's `run.json`.
A line also says `at` what time that was, in seconds since 1970, and where a cluster did it, on which `node`.
"""

from __future__ import annotations

import datetime
import json
import os
import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from arcbatt._version import __version__
from arcbatt.data.grids import shown
from arcbatt.data.tasks import Task
from arcbatt.errors import ArcbattError, DataError, UsageError
from arcbatt.runs.kept import SEARCH
from arcbatt.runs.lock import LOCK
from arcbatt.search.options import SolveOptions
from arcbatt.search.solution import Solution
from arcbatt.support.files import atomic_output, atomic_write, read_file
from arcbatt.support.shapes import is_of

OPTIONS: Final = SEARCH
SOLUTIONS: Final = "solutions.jsonl"
_ASKED: Final = ("version", "dataset", "options")
_FACTS: Final = {"started": str, "ended": str, "state": str, "tasks": int, "solved": int}
"""How it stands, where a record says so."""
_MAY_DIFFER: Final = frozenset({"threads"})


class SolveRecord:
    """Solutions in a directory; a task that is there is not solved again."""

    def __init__(self, directory: Path, options: SolveOptions, dataset: str, *, resume: bool) -> None:
        self.directory = directory
        self.info: dict[str, Any] = {"version": __version__, "dataset": dataset, "options": asdict(options)}
        place = directory / OPTIONS
        try:
            directory.mkdir(parents=True, exist_ok=True)
            if place.exists():
                self.info = self._check(place, self.info, resume)
            elif any(one.name != LOCK for one in directory.iterdir()):
                raise UsageError(f"{directory}: holds something that is no record of solving; give another place")
            self._save(started=self.info.get("started") or _now(), ended=None, state="running")
            self.solutions = read_solutions(directory)
            self._repair()
        except OSError as error:
            raise UsageError(f"{directory}: cannot be written: {error.strerror}") from error

    def add(self, solution: Solution, node: str = "") -> None:
        """Keep a solution, and on which node of a cluster it was found; it is on disk when this returns."""
        self.solutions[solution.id] = solution
        try:
            with (self.directory / SOLUTIONS).open("a", encoding="utf-8") as file:
                more = {"at": round(time.time(), 3)} | ({"node": node} if node else {})
                file.write(json.dumps(solution.to_json() | more) + "\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise UsageError(
                f"{self.directory}: cannot be written: {error.strerror}; {len(self.solutions) - 1:,} tasks are kept"
            ) from error

    def finish(self, state: str, **figures: int) -> None:
        """Say how the search ended, with figures of it."""
        try:
            self._save(ended=_now(), state=state, **figures)
        except OSError as error:
            raise UsageError(f"{self.directory}: cannot be written: {error.strerror}") from error

    def _save(self, **facts: Any) -> None:
        self.info.update(facts)
        with atomic_output(self.directory / OPTIONS) as file:
            json.dump(self.info, file, indent=2)

    def _repair(self) -> None:
        """Take away a last line that was cut off, so that the next one is a line of its own."""
        place = self.directory / SOLUTIONS
        if place.exists() and not (text := read_file(place)).endswith(b"\n") and text:
            with atomic_write(place, "wb") as file:
                file.write(text[: text.rfind(b"\n") + 1])

    @staticmethod
    def _check(place: Path, asked: Mapping[str, Any], resume: bool) -> dict[str, Any]:
        """What the record says, where it is of the same options."""
        if not resume:
            raise UsageError(f"{place.parent}: there is a record already; go on with it by --resume")
        known = read_info(place.parent)
        mine = json.loads(json.dumps(asked))
        if _decisive(known) != _decisive(mine):
            raise UsageError(f"{place.parent}: this record was made with other options; see {place}")
        return known


def _decisive(info: Mapping[str, Any]) -> dict[str, Any]:
    """What must be the same where a record goes on."""
    found = {name: info.get(name) for name in _ASKED}
    if isinstance(options := found["options"], dict):
        found["options"] = {name: value for name, value in options.items() if name not in _MAY_DIFFER}
    return found


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


def is_solve_record(directory: Path) -> bool:
    """Whether a directory is one that solving was recorded in."""
    return (directory / OPTIONS).is_file()


def read_info(directory: Path) -> dict[str, Any]:
    """What a record was asked for (version, dataset, options), and how it stands; earlier versions do not say that."""
    place = directory / OPTIONS
    known = _json(read_file(place).decode(errors="backslashreplace"), place)
    if not (isinstance(known.get("dataset"), str) and isinstance(known.get("options"), dict)):
        raise DataError(f"{place}: says not what was solved")
    if odd := next((name for name, hint in _FACTS.items() if not is_of(known.get(name), hint | None)), None):
        raise DataError(f"{place}: {odd!r} is {shown(known[odd])}")
    return known


def read_solutions(directory: Path) -> dict[str, Solution]:
    """The solutions of a record by task; a last line that was cut off is left out."""
    place = directory / SOLUTIONS
    if not place.exists():
        return {}
    found = {}
    for line in read_file(place).decode(errors="backslashreplace").splitlines(keepends=True):
        if line.endswith("\n"):
            try:
                solution = Solution.from_json(_json(line, place))
            except (ValueError, ArcbattError) as error:
                raise DataError(f"{place}: a line that is no solution: {error}") from error
            found[solution.id] = solution
    return found


def check_tests(directory: Path, tasks: Iterable[Task], solutions: Mapping[str, Solution]) -> None:
    """Refuse a record of other tasks of the same names."""
    for task in tasks:
        if task.id in solutions and len(solutions[task.id].attempts) != len(task.test):
            raise DataError(f"{directory}: task {task.id} has other test inputs in this record")


def _json(text: str, place: Path) -> dict[str, Any]:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{place}: not JSON: {error}") from error
    if not isinstance(data, dict):
        raise DataError(f"{place}: an object is expected")
    return data
