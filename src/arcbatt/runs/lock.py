"""The lock of a directory that a run or a search is recorded in: one process writes to it at a time."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Final

from arcbatt.errors import UsageError

LOCK: Final = "run.lock"
"""Locked while the record is being written, removed at its end."""


class RecordLock:
    """A directory that no other process writes to meanwhile; raises UsageError where one does."""

    def __init__(self, directory: Path) -> None:
        from filelock import FileLock, Timeout

        self._file = directory / LOCK
        self._lock = FileLock(self._file, timeout=0, thread_local=False)
        try:
            self._lock.acquire()
        except Timeout as error:
            raise UsageError(f"{directory}: another run is writing to it") from error

    def release(self) -> None:
        """Let others write."""
        with suppress(OSError):  # Windows removes it with the lock
            self._file.unlink()
        self._lock.release()

    def __enter__(self) -> RecordLock:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


def is_being_written(directory: Path) -> bool:
    """Whether a process writes the record now."""
    from filelock import FileLock, Timeout

    if not (directory / LOCK).exists():
        return False
    try:
        with FileLock(directory / LOCK, timeout=0):
            return False
    except Timeout:
        return True
    except OSError:  # nobody may write there
        return False
