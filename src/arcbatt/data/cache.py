"""Task arrays in a file that is mapped into memory.

The file is a mark, the cells, the small arrays (each at a multiple of 64 bytes), a header in JSON that says where they
are, and a foot with the place of the header and a checksum of all before it. It is written beside its place and moved
there whole, so that readers see the old file or the new one, never a part; several writers at once each move a whole
file and the last one stays. Whatever is wrong with a file, it counts as not there.
"""

from __future__ import annotations

import json
import mmap
import os
import struct
import tempfile
import time
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any, Final

import numpy as np

from arcbatt.data.packing import TASK_ARRAYS, TaskArrays, TaskPacker
from arcbatt.data.tasks import Task
from arcbatt.support.files import PART, atomic_write

FORMAT: Final = 1
"""Version of the file; a file of another version is written anew."""

_MARK: Final = b"arcbatt tasks\r\n\0"
_FOOT: Final = struct.Struct("<QQI")
_ALIGN: Final = 64
_CHUNK: Final = 1 << 20
_STALE_SECONDS: Final = 24 * 3600


def read_cache(path: Path, key: str) -> tuple[TaskArrays, dict[str, Any]] | None:
    """The arrays of a cache file and its notes; None where there is none, or it is damaged, old or of another key."""
    try:
        with path.open("rb") as file:
            header = _checked_header(file)
            if header is None or header["format"] != FORMAT or header["key"] != key:
                return None
            return _mapped(file, header), header["notes"]
    except OSError:
        return None


def write_cache(path: Path, key: str, tasks: Iterable[Task], notes: dict[str, Any]) -> TaskArrays:
    """Write tasks as they come, put the file in its place, and map it. `notes` is read when all tasks have come."""
    path.parent.mkdir(parents=True, exist_ok=True)
    _remove_stale(path.parent)
    with atomic_write(path, "w+b") as file:
        return _written(file, key, tasks, notes)


def write_unnamed(tasks: Iterable[Task]) -> TaskArrays:
    """Write tasks to a file that is gone when the arrays are, and map it."""
    with tempfile.TemporaryFile() as file:
        return _written(file, "", tasks, {})


def _written(file: IO[bytes], key: str, tasks: Iterable[Task], notes: dict[str, Any]) -> TaskArrays:
    out = _Summed(file)
    out.write(_MARK)
    packer = TaskPacker(out.write)
    for task in tasks:
        packer.add(task)
    places = {"cells": (len(_MARK), out.size - len(_MARK), "|u1")}
    for name, column in packer.arrays().items():
        out.write(b"\0" * (-out.size % _ALIGN))
        places[name] = (out.size, len(column), column.dtype.str)
        out.write(column.tobytes())
    start = out.size
    header = {"format": FORMAT, "key": key, "arrays": places, "notes": notes}
    out.write(json.dumps(header).encode())
    file.write(_FOOT.pack(start, out.size - start, out.sum) + _MARK)
    file.flush()
    return _mapped(file, header)


class _Summed:
    """Writes to a file, and knows the size and checksum of what was written."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file, self.size, self.sum = file, 0, 0

    def write(self, data: bytes) -> None:
        self.file.write(data)
        self.size += len(data)
        self.sum = zlib.crc32(data, self.sum)


def _checked_header(file: IO[bytes]) -> dict[str, Any] | None:
    """The header, if the file is whole."""
    foot_size = _FOOT.size + len(_MARK)
    body = os.fstat(file.fileno()).st_size - foot_size
    if body < len(_MARK):
        return None
    file.seek(body)
    foot = file.read(foot_size)
    start, length, wanted = _FOOT.unpack(foot[: _FOOT.size])
    if foot[_FOOT.size :] != _MARK or start + length != body:
        return None
    file.seek(0)
    found, left = 0, body
    while left:
        part = file.read(min(left, _CHUNK))
        if not part:
            return None
        found, left = zlib.crc32(part, found), left - len(part)
    if found != wanted:
        return None
    file.seek(start)
    header: dict[str, Any] = json.loads(file.read(length))
    return header


def _mapped(file: IO[bytes], header: dict[str, Any]) -> TaskArrays:
    view = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    places = header["arrays"]
    return TaskArrays(
        **{name: np.frombuffer(view, np.dtype(kind), count, start) for name in TASK_ARRAYS
           for start, count, kind in (places[name],)}
    )  # fmt: skip


def _remove_stale(folder: Path) -> None:
    """Remove what writers that were killed left behind."""
    for part in folder.glob(f"*{PART}"):
        try:
            if time.time() - part.stat().st_mtime > _STALE_SECONDS:
                part.unlink()
        except OSError:  # another process was faster
            continue
