"""Atomic writes: a file or folder appears whole, or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Final

from arcbatt.errors import UsageError

PART: Final = ".part"
"""The end of the name of a file that is being written."""


@contextmanager
def atomic_write(path: Path, mode: str = "w") -> Iterator[IO[Any]]:
    """A temporary file to write to, renamed to `path` when all is written; raises OSError."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=PART)
    encoding, newline = (None, None) if "b" in mode else ("utf-8", "\n")
    try:
        with os.fdopen(handle, mode, encoding=encoding, newline=newline) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


@contextmanager
def atomic_output(path: Path) -> Iterator[IO[str]]:
    """`atomic_write` for a text file that the user asked for: what goes wrong is a UsageError."""
    try:
        with atomic_write(path) as file:
            yield file
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}") from error


@contextmanager
def atomic_output_folder(path: Path) -> Iterator[Path]:
    """A temporary folder to fill, renamed to `path` at the end; `path` must be free or an empty folder."""
    try:
        if path.is_dir() and not any(path.iterdir()):
            path.rmdir()
        if path.exists():
            raise UsageError(f"{path}: is there already; remove it or give another place")
        made = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}.", suffix=PART))
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}") from error
    try:
        yield made
        made.chmod(0o777 & ~_umask())
        made.rename(path)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}") from error
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
