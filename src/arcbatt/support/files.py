"""Files: read where they have an end, written whole or not at all."""

from __future__ import annotations

import errno
import hashlib
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
def atomic_write(path: Path, mode: str = "w", *, private: bool = False) -> Iterator[IO[Any]]:
    """A temporary file to write to, renamed to `path` when all is written; `private`: for this user alone.

    Raises OSError.
    """
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=PART)
    encoding, newline = (None, None) if "b" in mode else ("utf-8", "\n")
    try:
        with os.fdopen(handle, mode, encoding=encoding, newline=newline) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o600 if private else 0o666 & ~_umask())
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


def write_with_digest(path: Path, data: bytes) -> None:
    """Write a file for this user alone, and beside it the digest by which `is_as_written` knows it; raises OSError."""
    for target, content in ((path, data), (_digest_file(path), _digest(data))):
        with atomic_write(target, "wb", private=True) as file:
            file.write(content)


def is_as_written(path: Path) -> bool:
    """Whether a file is there and is what `write_with_digest` wrote: not cut, not garbled."""
    try:
        return read_file(_digest_file(path)) == _digest(read_file(path))
    except OSError:
        return False


def _digest(data: bytes) -> bytes:
    return hashlib.sha256(data).hexdigest().encode()


def _digest_file(path: Path) -> Path:
    return path.with_name(path.name + ".sha256")


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
