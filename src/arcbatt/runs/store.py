"""The results of a run in one SQLite file: its tables, every query and every write. No other module holds SQL.

Any SQLite client reads the file, and `docs/run.md` explains its tables.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

from arcbatt.errors import DataError
from arcbatt.support.shapes import fields_of, is_of

VERSION: Final = 3
_READABLE: Final = (2, VERSION)
"""Version 2 has no table `tier`."""
STORE_ERRORS: Final = (sqlite3.Error, UnicodeDecodeError)
"""What a store raises where the file cannot be written; SQLite's own words may be damaged too."""

_CHUNK: Final = 1000
_CACHE_KIB: Final = 64 << 10
"""What a writer keeps of the file in memory: the pages that a batch changes are all over it."""
_TRIES: Final = 20
_PAUSE: Final = 0.02
"""How often, and after how many seconds, it is tried to leave one plain file."""
SIDE_FILES: Final = ("", "-wal", "-shm")
"""Ends of the names of the files a store is made of."""

_TABLES: Final = """
CREATE TABLE task (
    task INTEGER PRIMARY KEY,
    id TEXT UNIQUE NOT NULL,
    demos INTEGER NOT NULL,
    tests INTEGER NOT NULL,
    data TEXT NOT NULL            -- the task as ARC's JSON
);
CREATE TABLE program (
    program INTEGER PRIMARY KEY,
    name TEXT UNIQUE NOT NULL,    -- without "solve_"
    lines INTEGER NOT NULL
);
CREATE TABLE result (
    program INTEGER NOT NULL,
    task INTEGER NOT NULL,
    demos_right INTEGER NOT NULL,
    tests_right INTEGER,          -- NULL where an expected output is hidden
    failed INTEGER NOT NULL,      -- on how many samples the program failed
    reason TEXT,                  -- the first failure's
    agreement REAL NOT NULL,      -- mean over demonstrations of the share of cells that are right
    hash INTEGER NOT NULL,        -- of all outputs
    PRIMARY KEY (program, task)
) WITHOUT ROWID;
CREATE INDEX result_by_task ON result (task, demos_right);
CREATE TABLE output (
    hash INTEGER PRIMARY KEY,
    height INTEGER NOT NULL,
    width INTEGER NOT NULL,
    cells BLOB NOT NULL           -- a signed byte a cell, row after row
);
CREATE TABLE attempt (
    task INTEGER NOT NULL,
    sample INTEGER NOT NULL,      -- demonstrations, then tests
    program INTEGER NOT NULL,
    hash INTEGER,                 -- of the output; NULL where there is no grid
    PRIMARY KEY (task, program, sample)
) WITHOUT ROWID;
CREATE TABLE near (
    task INTEGER NOT NULL,
    program INTEGER NOT NULL,
    differ TEXT NOT NULL,
    score INTEGER,                -- over the demonstrations; NULL where the differ said nothing
    PRIMARY KEY (task, program, differ)
) WITHOUT ROWID;
CREATE TABLE batch (
    batch INTEGER PRIMARY KEY,
    first_task INTEGER NOT NULL,
    tasks INTEGER NOT NULL,
    first_program INTEGER NOT NULL,
    programs INTEGER NOT NULL,
    evaluations INTEGER NOT NULL,
    seconds REAL NOT NULL,
    rerouted TEXT NOT NULL        -- JSON: "tier: why" to count of evaluations that another tier did than asked for
);
CREATE VIEW results AS
    SELECT program.name AS program, task.id AS task, demos_right, task.demos, tests_right, task.tests,
           failed, reason, agreement, hash
    FROM result JOIN program USING (program) JOIN task USING (task);
"""
_TIER_TABLE: Final = """
CREATE TABLE tier (
    program INTEGER PRIMARY KEY,
    tier TEXT NOT NULL,           -- what ran it: cpu, cuda, dynamic or python
    why TEXT,                     -- why that is not the tier that was asked for
    error TEXT                    -- JSON: stage, error and trace of an internal error met on the way, for a bug report
);
"""

_PROGRESS_TABLE: Final = """
CREATE TABLE IF NOT EXISTS progress (
    batch INTEGER PRIMARY KEY,
    ended REAL NOT NULL,          -- seconds since 1970
    ran_on TEXT NOT NULL,         -- JSON: evaluations by the device or tier that gave their outcome
    failures TEXT NOT NULL        -- JSON: evaluations that failed, by reason
);
CREATE TABLE IF NOT EXISTS pace (
    program INTEGER PRIMARY KEY,
    seconds REAL NOT NULL,        -- of one core for an evaluation, over a few samples
    evaluations INTEGER NOT NULL  -- how many samples
);
"""
"""Tables that other versions of arcbatt neither need nor mind."""

# Rows that are written, in the order of their table's columns.
ProgramRow = tuple[int, str, int]
TaskRow = tuple[int, str, int, int, str]
ResultRow = tuple[int, int, int, int | None, int, str | None, float, int]
OutputRow = tuple[int, int, int, bytes]
AttemptRow = tuple[int, int, int, int | None]
NearRow = tuple[int, int, str, int | None]
TierRow = tuple[int, str, str | None, str | None]
PaceRow = tuple[int, float, int]


@dataclass
class Batch:
    """What one batch adds to the record, as rows."""

    first_task: int
    tasks: int
    first_program: int
    programs: int
    evaluations: int
    seconds: float
    rerouted: dict[str, int]
    ended: float = 0.0
    """Seconds since 1970."""
    ran_on: dict[str, int] = field(default_factory=dict)
    """Evaluations by the device or tier that gave their outcome."""
    failures: dict[str, int] = field(default_factory=dict)
    """Evaluations that failed, by reason."""
    paces: list[PaceRow] = field(default_factory=list)
    """Of programs that were timed before this batch."""
    results: Iterable[ResultRow] = ()
    outputs: list[OutputRow] = field(default_factory=list)
    attempts: list[AttemptRow] = field(default_factory=list)
    near: list[NearRow] = field(default_factory=list)
    tiers: list[TierRow] = field(default_factory=list)
    """Of programs whose tier was not known or is another now."""
    dropped: list[tuple[int, int]] = field(default_factory=list)
    """Task and program of near misses of earlier batches that nearer ones push out."""


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


class BatchProgress(NamedTuple):
    """A batch in time: when it was done, on what its evaluations ran, why so many failed; None where not recorded."""

    first_task: int
    tasks: int
    first_program: int
    programs: int
    seconds: float
    evaluations: int
    ended: float | None
    ran_on: dict[str, int] | None
    failures: dict[str, int] | None


class _ProgressText(NamedTuple):
    first_task: int
    tasks: int
    first_program: int
    programs: int
    seconds: float
    evaluations: int
    ended: float | None
    ran_on: str | None
    failures: str | None


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


class _Name(NamedTuple):
    name: str


class _NamePair(NamedTuple):
    one: str
    other: str


class _Length(NamedTuple):
    name: str
    lines: int


_R = TypeVar("_R", bound=tuple[Any, ...])


class Store:
    """The tables of a run; made by `Store.create` to write and by `Store.open` to read."""

    def __init__(self, connection: sqlite3.Connection, path: Path | None = None) -> None:
        self.connection = connection
        self.path = path

    @classmethod
    def create(cls, path: Path | None) -> Store:
        """A new file to write to, in place of what a run that was killed left; in memory without a path."""
        if path is None:
            return cls(sqlite3.connect(":memory:"))
        for ending in SIDE_FILES:
            path.with_name(path.name + ending).unlink(missing_ok=True)
        store = cls(sqlite3.connect(path), path)
        store._log_ahead()
        return store

    @classmethod
    def open(cls, path: Path, *, only_look: bool = False) -> Store:
        """A file to read; DataError where it is missing, damaged or of another version.

        With `only_look` the file is opened such that nothing of it is ever changed, not even a log put in order that a
        run which was killed has left; such a store cannot be made writable.
        """
        if not path.exists():
            raise DataError(f"{path}: missing; the run stopped before its first result")
        if not path.is_file():
            raise DataError(f"{path}: cannot be read: not a plain file")
        try:
            uri = f"{path.absolute().as_uri()}?mode=ro"
            connection = sqlite3.connect(uri, uri=True) if only_look else sqlite3.connect(path)
        except STORE_ERRORS as error:
            raise DataError(f"{path}: cannot be read: {error}") from error
        try:
            connection.execute("PRAGMA query_only = 1")
            (version,) = connection.execute("PRAGMA user_version").fetchone()
        except STORE_ERRORS as error:
            connection.close()
            raise DataError(f"{path}: cannot be read: {error}") from error
        if version not in _READABLE:
            connection.close()
            known = " and ".join(map(str, _READABLE))
            raise DataError(f"{path}: results of version {version}, this arcbatt reads version {known}")
        return cls(connection, path)

    def close(self) -> None:
        """Let go of the file."""
        self.connection.close()

    # --- writing ---

    def make_writable(self) -> None:
        """Allow writing to a store that was opened to read."""
        self.connection.execute("PRAGMA query_only = 0")
        self._log_ahead()
        self.connection.executescript(_PROGRESS_TABLE)
        if not self._has_tiers():
            self.connection.execute(_TIER_TABLE)
            self.connection.execute(f"PRAGMA user_version = {VERSION}")

    def fill(self, programs: Iterable[ProgramRow], tasks: Iterable[TaskRow]) -> None:
        """Make the tables, with the programs and tasks of the run."""
        connection = self.connection
        connection.executescript(_TABLES + _TIER_TABLE + _PROGRESS_TABLE)
        connection.execute(f"PRAGMA user_version = {VERSION}")
        with connection:
            connection.executemany("INSERT INTO program VALUES (?, ?, ?)", programs)
            rows = iter(tasks)
            while chunk := list(islice(rows, _CHUNK)):
                connection.executemany("INSERT INTO task VALUES (?, ?, ?, ?, ?)", chunk)

    def add(self, batch: Batch) -> None:
        """Add a batch, all of it or nothing."""
        connection = self.connection
        with connection:
            connection.executemany("DELETE FROM near WHERE task = ? AND program = ?", batch.dropped)
            connection.executemany("DELETE FROM attempt WHERE task = ? AND program = ?", batch.dropped)
            connection.executemany("INSERT INTO result VALUES (?, ?, ?, ?, ?, ?, ?, ?)", batch.results)
            connection.executemany("INSERT OR IGNORE INTO output VALUES (?, ?, ?, ?)", batch.outputs)
            connection.executemany("INSERT INTO attempt VALUES (?, ?, ?, ?)", batch.attempts)
            connection.executemany("INSERT INTO near VALUES (?, ?, ?, ?)", batch.near)
            connection.executemany("INSERT OR REPLACE INTO tier VALUES (?, ?, ?, ?)", batch.tiers)
            connection.executemany("INSERT OR REPLACE INTO pace VALUES (?, ?, ?)", batch.paces)
            cursor = connection.execute(
                "INSERT INTO batch (first_task, tasks, first_program, programs, evaluations, seconds, rerouted) "
                "VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    batch.first_task,
                    batch.tasks,
                    batch.first_program,
                    batch.programs,
                    batch.evaluations,
                    batch.seconds,
                    json.dumps(batch.rerouted),
                ),
            )
            connection.execute(
                "INSERT INTO progress VALUES (?, ?, ?, ?)",
                (cursor.lastrowid, batch.ended, json.dumps(batch.ran_on), json.dumps(batch.failures)),
            )

    def finish(self) -> None:
        """Drop outputs that no attempt has, and leave one plain file unless someone is reading it."""
        with self.connection as connection:
            connection.execute("DELETE FROM output WHERE hash NOT IN (SELECT hash FROM attempt WHERE hash IS NOT NULL)")
        for _ in range(_TRIES):
            try:
                self.connection.execute("PRAGMA journal_mode = DELETE")
                return
            except (
                sqlite3.OperationalError
            ):  # someone is reading; who does so for long has the log stay beside the file
                time.sleep(_PAUSE)

    def _log_ahead(self) -> None:
        self.connection.execute("PRAGMA journal_mode = WAL")
        self.connection.execute("PRAGMA synchronous = NORMAL")
        self.connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")

    # --- tasks, programs, batches ---

    def task_texts(self) -> Iterator[TaskText]:
        """Id and ARC JSON of every task, in the order of the run."""
        return self._each(TaskText, "SELECT id, data FROM task ORDER BY task")

    def task_sizes(self) -> list[TaskSize]:
        """The sizes of the tasks, in the order of the run."""
        return list(self._each(TaskSize, "SELECT demos, tests FROM task ORDER BY task"))

    def tasks_run(self) -> set[str]:
        """The tasks that any program was run on."""
        return {task for (task,) in self._each(_Name, "SELECT DISTINCT id FROM result JOIN task USING (task)")}

    def task_ids(self) -> list[str]:
        """The ids of the tasks, in the order of the run."""
        return [task for (task,) in self._each(_Name, "SELECT id FROM task ORDER BY task")]

    def hidden_tasks(self) -> set[str]:
        """The tasks that were run and have a hidden test output."""
        query = "SELECT DISTINCT task FROM results WHERE tests_right IS NULL"
        return {task for (task,) in self._each(_Name, query)}

    def task_counts(self) -> list[TaskCount]:
        """What was done of every task that was run."""
        query = "SELECT id, count(*), sum(failed) FROM task JOIN result USING (task) GROUP BY task"
        return list(self._each(TaskCount, query))

    def program_counts(self) -> list[ProgramCount]:
        """How every program did on the tasks it was run on, in the order of the run."""
        query = (
            "SELECT name, lines, count(task), ifnull(sum(demos_right = demos), 0), "
            "ifnull(sum(demos_right = demos AND tests_right = tests), 0), ifnull(sum(demos + tests), 0), "
            "ifnull(sum(failed), 0) "
            "FROM program LEFT JOIN result USING (program) LEFT JOIN task USING (task) GROUP BY program"
        )
        return list(self._each(ProgramCount, query))

    def program_lines(self) -> dict[str, int]:
        """How many lines each program has."""
        return dict(self._each(_Length, "SELECT name, lines FROM program"))

    def batches(self) -> list[BatchDone]:
        """Every batch, in the order they were run."""
        query = "SELECT first_task, tasks, first_program, programs, seconds, evaluations FROM batch ORDER BY batch"
        return list(self._each(BatchDone, query))

    def tasks_done(self, first_program: int, programs: int) -> list[tuple[int, int]]:
        """Of the batches of a slice of programs, the first task and how many."""
        query = "SELECT first_task, tasks FROM batch WHERE first_program = ? AND programs = ?"
        return [(first, count) for first, count in self._each(TaskSpan, query, first_program, programs)]

    def rerouted(self) -> Counter[str]:
        """Evaluations that another tier did than the one asked for, by `tier: why`."""
        total: Counter[str] = Counter()
        for (text,) in self._each(_Name, "SELECT rerouted FROM batch"):
            total.update(self._json(text, dict[str, int]))
        return total

    def tiers(self) -> list[ProgramTier]:
        """What ran each program that was run, in the order of the run; nothing in records that do not say."""
        if not self._has_tiers():
            return []
        query = "SELECT name, tier, why, error FROM tier JOIN program USING (program) ORDER BY program"
        return [
            ProgramTier(name, tier, why, None if error is None else self._json(error, dict[str, str]))
            for name, tier, why, error in self._each(_TierText, query)
        ]

    def _has_tiers(self) -> bool:
        return self._has("tier")

    def _has(self, table: str) -> bool:
        return any(self._stream("SELECT 1 FROM sqlite_master WHERE name = ?", table))

    # --- results ---

    def solved(self, *, with_tests: bool = False) -> dict[str, list[str]]:
        """Task id to the programs that are right on every demonstration, or on every test too."""
        tests = "AND tests_right = tests" if with_tests else ""
        found: dict[str, list[str]] = {}
        for task, program in self._each(
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
        return self._each(ProgramResult, query)

    def failures(self, program: str, task: str) -> Failures:
        """How a program failed on a task."""
        query = "SELECT failed, reason FROM results WHERE program = ? AND task = ?"
        for found in self._each(Failures, query, program, task):
            return found
        raise self._damaged(f"no result of {program} on task {task}")

    def attempts(self, task: str) -> list[AttemptCells]:
        """What the programs that solve a task's demonstrations, and its nearest misses, gave on each sample."""
        query = (
            "SELECT name, sample, demos + tests, height, width, cells FROM attempt JOIN task USING (task) "
            "JOIN program USING (program) LEFT JOIN output USING (hash) WHERE id = ? ORDER BY program, sample"
        )
        return list(self._each(AttemptCells, query, task))

    def standings(self, task: str) -> list[Standing]:
        """The programs whose outputs on a task are kept."""
        query = (
            "SELECT DISTINCT name, lines, demos_right, agreement FROM attempt JOIN task USING (task) "
            "JOIN program USING (program) JOIN result USING (program, task) WHERE id = ?"
        )
        return list(self._each(Standing, query, task))

    # --- near misses ---

    def near_scores(self, task: str) -> list[NearScore]:
        """What each differ says of the nearest misses of a task, the nearest first."""
        query = (
            "SELECT name, demos_right, agreement, differ, score FROM near JOIN task USING (task) "
            "JOIN result USING (program, task) JOIN program USING (program) WHERE id = ? "
            "ORDER BY demos_right DESC, agreement DESC, program, differ"
        )
        return list(self._each(NearScore, query, task))

    def near_misses(self, task: int) -> list[NearMiss]:
        """The near misses of a task by its number."""
        query = (
            "SELECT DISTINCT demos_right, agreement, program, hash FROM near JOIN result USING (task, program) "
            "WHERE task = ?"
        )
        return list(self._each(NearMiss, query, task))

    def dump(self) -> Iterator[str]:
        """Every row but those of `batch`, as JSON: the same text for the same result, however it was run."""
        for table in ("task", "program", "result", "attempt", "output", "near"):
            for row in self._stream(f"SELECT * FROM {table} ORDER BY 1, 2, 3"):
                yield json.dumps([table, *(value.hex() if isinstance(value, bytes) else value for value in row)])

    # --- how a run goes ---

    @contextmanager
    def at_one_moment(self) -> Iterator[None]:
        """Whatever is read meanwhile is of one moment, though a run goes on writing."""
        try:
            self.connection.execute("BEGIN")
            yield
        except STORE_ERRORS as error:
            raise self._damaged(str(error)) from error
        finally:
            self.connection.rollback()

    def progress(self) -> list[BatchProgress]:
        """Every batch in time, in the order they were run."""
        columns, there = "first_task, tasks, first_program, programs, seconds, evaluations", self._has("progress")
        figures = "ended, ran_on, failures FROM batch LEFT JOIN progress USING (batch)"
        rows = self._each(
            _ProgressText,
            f"SELECT {columns}, {figures if there else 'NULL, NULL, NULL FROM batch'} ORDER BY batch",
        )
        return [
            BatchProgress(
                *row[:7], *(None if text is None else self._json(text, dict[str, int]) for text in (row[7], row[8]))
            )
            for row in rows
        ]

    def first_solvers(self) -> list[FirstSolver]:
        """Of every task that has one, the first program that is right on its demonstrations, and on its tests too."""
        query = (
            "SELECT task, min(program), min(CASE WHEN tests_right IS NULL OR tests_right = tests THEN program END) "
            "FROM task JOIN result USING (task) WHERE demos_right = demos GROUP BY task"
        )
        return list(self._each(FirstSolver, query))

    def slowest(self, limit: int) -> list[Pace]:
        """The programs whose evaluations take longest, as far as they were timed."""
        if not self._has("pace"):
            return []
        tier, join = ("tier", "LEFT JOIN tier USING (program)") if self._has_tiers() else ("NULL", "")
        query = (
            f"SELECT name, seconds, evaluations, {tier} FROM pace JOIN program USING (program) {join} "
            "ORDER BY seconds DESC, program LIMIT ?"
        )
        return list(self._each(Pace, query, limit))

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
        return list(self._each(Nearest, query, least, limit))

    def reason_counts(self) -> list[ReasonCount]:
        """Evaluations that failed, by their program's first reason on the task; reads every result."""
        query = "SELECT reason, sum(failed) FROM result WHERE reason IS NOT NULL GROUP BY reason"
        return list(self._each(ReasonCount, query))

    def task_text(self, task: str) -> str:
        """A task as ARC's JSON."""
        for (text,) in self._each(_Name, "SELECT data FROM task WHERE id = ?", task):
            return text
        raise self._damaged(f"no task {task}")

    def _each(self, kind: type[_R], query: str, *values: Any) -> Iterator[_R]:
        """The rows of a query, each checked to be what its class says; DataError where the file is damaged."""
        hints = tuple(fields_of(kind).items())
        for row in self._stream(query, *values):
            for value, (name, hint) in zip(row, hints, strict=True):
                if not is_of(value, hint):
                    raise self._damaged(f"{kind.__name__}.{name} is {value!r:.60}")
            yield kind(*row)

    def _stream(self, query: str, *values: Any) -> Iterator[tuple[Any, ...]]:
        try:
            for row in self.connection.execute(query, values):  # noqa: UP028 (`yield from` would close the cursor late)
                yield row
        except STORE_ERRORS as error:
            raise self._damaged(str(error)) from error

    def _json(self, text: str, hint: Any) -> Any:
        """The value of a column that holds JSON, checked to be of a type."""
        try:
            value = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise self._damaged(f"{text!r:.60}: {error}") from error
        if not is_of(value, hint):
            raise self._damaged(f"{text!r:.60} is not {hint}")
        return value

    def _damaged(self, what: str) -> DataError:
        return DataError(f"{self.path or 'the results'}: cannot be read: {what}")
