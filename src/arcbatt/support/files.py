"""Files: read where they have an end, written whole or not at all."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Final

from arcbatt.errors import UsageError

PART: Final = ".part"
"""The end of the name of a file that is being written."""


def read_file(path: Path, *, pipe: bool = False) -> bytes:
    """The bytes of a file; raises OSError.

    What is not a plain file is refused: a device has no end, and nobody may write to a pipe in a folder. With `pipe` a
    pipe is read all the same, as where a user names one (`<(command)`).
    """
    check_file(path, pipe=pipe)
    with path.open("rb") as file:
        return file.read()


def check_file(path: Path, *, pipe: bool = False) -> None:
    """Raise OSError where a path is not a plain file, as `read_file` does."""
    mode = path.stat().st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not (stat.S_ISREG(mode) or (pipe and stat.S_ISFIFO(mode))):
        raise OSError(errno.EINVAL, "not a plain file", str(path))


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
    """`atomic_write` for a text file that the user asked for: what goes wrong is a UsageError.

    What a link points to is replaced, not the link; a device or a pipe, such as /dev/stdout, is just written to.
    """
    place = Path(os.path.realpath(path))
    direct = path.is_relative_to("/dev") or (place.exists() and not place.is_file())
    try:
        with open(path, "w", encoding="utf-8") if direct else atomic_write(place) as file:
            yield file
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}{_kept(path)}") from error


def _kept(path: Path) -> str:
    return "; the file that was there is unchanged" if path.is_file() else ""


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
