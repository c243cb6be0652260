"""Writing the results of a run: a transaction a batch."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Final

from arcbatt.runs.store.database import SIDE_FILES
from arcbatt.runs.store.reading import Store
from arcbatt.runs.store.tables import PROGRESS_TABLES, TABLES, TIER_TABLE, VERSION, Batch, ProgramRow, TaskRow

_CHUNK: Final = 1000
_CACHE_KIB: Final = 64 << 10
"""What a writer keeps of the file in memory: the pages that a batch changes are all over it."""
_TRIES: Final = 20
_PAUSE: Final = 0.02
"""How often, and after how many seconds, it is tried to leave one plain file."""


class StoreWriter:
    """Writes the results of a run; they are read by its `store`."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.connection = store.connection

    @classmethod
    def create(cls, path: Path | None) -> StoreWriter:
        """A new file, in place of what a run that was killed left; in memory without a path."""
        if path is None:
            return cls(Store(sqlite3.connect(":memory:")))
        for ending in SIDE_FILES:
            path.with_name(path.name + ending).unlink(missing_ok=True)
        writer = cls(Store(sqlite3.connect(path), path))
        writer._log_ahead()
        return writer

    @classmethod
    def resume(cls, store: Store) -> StoreWriter:
        """Go on with a file that was opened to read."""
        writer = cls(store)
        writer.connection.execute("PRAGMA query_only = 0")
        writer._log_ahead()
        writer.connection.executescript(PROGRESS_TABLES)
        if not store.has("tier"):
            writer.connection.execute(TIER_TABLE)
            writer.connection.execute(f"PRAGMA user_version = {VERSION}")
        return writer

    def fill(self, programs: Iterable[ProgramRow], tasks: Iterable[TaskRow]) -> None:
        """Make the tables, with the programs and tasks of the run."""
        connection = self.connection
        connection.executescript(TABLES + TIER_TABLE + PROGRESS_TABLES)
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
            except sqlite3.OperationalError:
                time.sleep(_PAUSE)  # someone is reading; who does so for long has the log stay beside the file

    def _log_ahead(self) -> None:
        self.connection.execute("PRAGMA journal_mode = WAL")
        self.connection.execute("PRAGMA synchronous = NORMAL")
        self.connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
