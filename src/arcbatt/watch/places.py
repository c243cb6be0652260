"""Which runs and searches there are below a folder."""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from arcbatt.errors import UsageError
from arcbatt.runs.kept import runs_folder
from arcbatt.runs.record import INFO, RESULTS
from arcbatt.runs.store.database import SIDE_FILES
from arcbatt.search.record import OPTIONS, SOLUTIONS

_RUN_FILES: Final = (INFO, *(RESULTS + ending for ending in SIDE_FILES))
_SEARCH_FILES: Final = (OPTIONS, SOLUTIONS)
_PLAIN: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,80}")

Signature = tuple[tuple[int, int], ...]
"""When each file of a record was last changed, in nanoseconds, and how large it is; zeros for one that is missing."""


@dataclass(frozen=True)
class Place:
    """The directory of a run or a search; `key` names it in addresses, `name` for people."""

    key: str
    name: str
    path: Path
    kind: Literal["run", "search"]

    @property
    def title(self) -> str:
        """The name where it stands alone: a number says nothing then."""
        return f"{self.kind.capitalize()} {self.name}" if self.name.isdecimal() else self.name

    def signature(self) -> Signature:
        """What changes whenever the record does."""
        names = _RUN_FILES if self.kind == "run" else _SEARCH_FILES
        return tuple(_stat(self.path / name) for name in names)


def watched_folder(given: Path | None) -> Path:
    """The folder to watch; UsageError where the one that was named is not there."""
    if given is None:
        return runs_folder()
    if not given.is_dir():
        raise UsageError(f"{given}: no such directory")
    return given


def find_places(folder: Path) -> list[Place]:
    """The run or search that a folder is, or those in it; nothing where it cannot be read."""
    if kind := _kind(folder):
        return [Place(_key(folder.absolute().name), folder.absolute().name, folder, kind)]
    try:
        with os.scandir(folder) as entries:
            names = sorted(entry.name for entry in entries if not entry.name.startswith("."))
    except OSError:
        return []
    return [Place(_key(name), name, folder / name, kind) for name in names if (kind := _kind(folder / name))]


def _kind(folder: Path) -> Literal["run", "search"] | None:
    if os.path.isfile(folder / INFO):
        return "run"
    return "search" if os.path.isfile(folder / OPTIONS) else None


def _key(name: str) -> str:
    """A name that is safe in an address: the folder's own, or a digest of it."""
    if _PLAIN.fullmatch(name):
        return name
    return "-" + hashlib.sha256(os.fsencode(name)).hexdigest()[:16]


def _stat(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except OSError:
        return 0, 0
    return found.st_mtime_ns, found.st_size
