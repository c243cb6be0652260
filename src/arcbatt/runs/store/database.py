"""A file of results, opened; what is read of it is checked to be what it should be."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple, Self, TypeVar

from arcbatt.errors import DataError
from arcbatt.runs.store.tables import READABLE
from arcbatt.support.shapes import fields_of, is_of

STORE_ERRORS: Final = (sqlite3.Error, UnicodeDecodeError)
"""What SQLite raises where a file cannot be read or written; its own words may be damaged too."""
SIDE_FILES: Final = ("", "-wal", "-shm")
"""Ends of the names of the files that a run's results are made of."""

_R = TypeVar("_R", bound=tuple[Any, ...])


class Name(NamedTuple):
    """A row of one text."""

    name: str


class Database:
    """A file of results, or results in memory."""

    def __init__(self, connection: sqlite3.Connection, path: Path | None = None) -> None:
        self.connection = connection
        self.path = path

    @classmethod
    def open(cls, path: Path, *, only_look: bool = False) -> Self:
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
        if version not in READABLE:
            connection.close()
            known = " and ".join(map(str, READABLE))
            raise DataError(f"{path}: results of version {version}, this arcbatt reads version {known}")
        return cls(connection, path)

    def close(self) -> None:
        """Let go of the file."""
        self.connection.close()

    @contextmanager
    def at_one_moment(self) -> Iterator[None]:
        """Whatever is read meanwhile is of one moment, though a run goes on writing."""
        try:
            self.connection.execute("BEGIN")
            yield
        except STORE_ERRORS as error:
            raise self.damaged(str(error)) from error
        finally:
            self.connection.rollback()

    def has(self, table: str) -> bool:
        """Whether the file has a table, which those of earlier versions may not."""
        return any(self.stream("SELECT 1 FROM sqlite_master WHERE name = ?", table))

    def each(self, kind: type[_R], query: str, *values: Any) -> Iterator[_R]:
        """The rows of a query, each checked to be what its class says; DataError where the file is damaged."""
        hints = tuple(fields_of(kind).items())
        for row in self.stream(query, *values):
            for value, (name, hint) in zip(row, hints, strict=True):
                if not is_of(value, hint):
                    raise self.damaged(f"{kind.__name__}.{name} is {value!r:.60}")
            yield kind(*row)

    def stream(self, query: str, *values: Any) -> Iterator[tuple[Any, ...]]:
        """The rows of a query as they are; DataError where the file is damaged."""
        try:
            for row in self.connection.execute(query, values):  # noqa: UP028 (`yield from` would close the cursor late)
                yield row
        except STORE_ERRORS as error:
            raise self.damaged(str(error)) from error

    def json(self, text: str, hint: Any) -> Any:
        """The value of a column that holds JSON, checked to be of a type."""
        try:
            value = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise self.damaged(f"{text!r:.60}: {error}") from error
        if not is_of(value, hint):
            raise self.damaged(f"{text!r:.60} is not {hint}")
        return value

    def damaged(self, what: str) -> DataError:
        """The error for a file that holds what it should not."""
        return DataError(f"{self.path or 'the results'}: cannot be read: {what}")
