"""The runs and searches that are kept without anyone having named a directory, by number; old ones go for new ones.

A run in a directory of the user's own is kept as a link, so that it can be found as the last one too.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from arcbatt.errors import UsageError
from arcbatt.runs.lock import is_being_written
from arcbatt.runs.record import INFO

VARIABLE: Final = "ARCBATT_RUNS"
SEARCH: Final = "solve.json"
"""What makes a directory the record of a search, as `INFO` makes it that of a run."""
KEPT_RUNS: Final = 50
KEPT_BYTES: Final = 4 << 30
"""Of all runs together; the newest is kept however large it is."""


@dataclass(frozen=True, order=True)
class KeptRun:
    """A kept run or search; `place` is its directory, or a link to one of the user's."""

    number: int
    place: Path

    @property
    def is_search(self) -> bool:
        """Whether programs were searched for, not run."""
        return (self.place / SEARCH).exists()

    @property
    def is_link(self) -> bool:
        """Whether the directory is the user's own."""
        return self.place.is_symlink()

    @property
    def directory(self) -> Path:
        """The run's directory, as one would write it."""
        return Path(os.readlink(self.place)) if self.is_link else self.place

    @property
    def bytes(self) -> int:
        """What it takes up here; nothing where the directory is the user's own."""
        if self.is_link:
            return 0
        found = 0
        for file in self.place.iterdir():
            with suppress(FileNotFoundError):  # a run that is being written has files that come and go
                found += file.stat().st_size
        return found

    def drop_if_empty(self) -> None:
        """Remove the directory of a run that could not be begun."""
        with suppress(OSError):
            self.place.rmdir()

    def delete(self) -> None:
        """Remove it; a directory of the user's own stays."""
        if self.is_link:
            self.place.unlink()
        else:
            shutil.rmtree(self.place, ignore_errors=True)  # another process may be deleting it
            if self.place.exists():
                shutil.rmtree(self.place)  # which says why it cannot


def runs_folder() -> Path:
    """The folder that runs are kept in, which may not exist yet.

    ARCBATT_RUNS names it; otherwise it is where the platform keeps a user's data, `~/.local/share/arcbatt/runs` on
    Linux.
    """
    if given := os.environ.get(VARIABLE):
        return Path(given)
    import platformdirs

    return platformdirs.user_data_path("arcbatt", appauthor=False) / "runs"


def kept_runs() -> list[KeptRun]:
    """The runs and searches that are kept, the oldest first; links to directories that are gone are left out."""
    return [one for one in _places() if _is_record(one.place)]


def find_run(name: str | None, *, search: bool | None = None) -> Path:
    """The directory of a run by its number or its path; without a name, of the last one, or the last of a kind."""
    known = {str(one.number): one for one in kept_runs()}
    if name is None:
        of_kind = [one for one in known.values() if search is None or one.is_search is search]
        if not of_kind:
            what, command = ("search", "solve") if search else ("run", "run")
            hint = f"arcbatt {command} keeps one, or give a {what}'s directory"
            raise UsageError(f"no {what} is kept in {runs_folder()}; {hint}")
        return of_kind[-1].directory
    if name in known:
        return known[name].directory
    if name.isdecimal() and not Path(name).exists():
        numbers = f"there are {', '.join(known)}" if known else "there is none"
        raise UsageError(f"no run {name} is kept in {runs_folder()}; {numbers}")
    return Path(name)


def new_run() -> KeptRun:
    """A directory of the next number for a run that is to be kept; raises OSError."""
    return _claim(lambda place: place.mkdir())


def remember(directory: Path) -> None:
    """Keep the run of a directory of the user's own as a link, as the last one, if there is one; raises OSError."""
    path = directory.absolute()
    if path.parent == runs_folder().absolute() or not _is_record(path):
        return
    for one in _places():
        if one.is_link and one.directory == path:
            one.delete()
    _claim(lambda place: place.symlink_to(path))


def drop_old() -> list[KeptRun]:
    """Delete the oldest runs where there are too many, or they take up too much; says which went."""
    dropped = []
    room, left = KEPT_BYTES, KEPT_RUNS
    for number, one in enumerate(reversed(kept_runs())):
        room, left = room - one.bytes, left - 1
        if number and (room < 0 or left < 0) and not is_being_written(one.place):
            one.delete()
            dropped.append(one)
    return dropped


def _is_record(directory: Path) -> bool:
    return (directory / INFO).exists() or (directory / SEARCH).exists()


def _places() -> list[KeptRun]:
    folder = runs_folder()
    if not folder.is_dir():
        return []
    names = (place.name for place in folder.iterdir())
    return sorted(KeptRun(int(name), folder / name) for name in names if name.isascii() and name.isdecimal())


def _claim(make: Callable[[Path], None]) -> KeptRun:
    """Make the place of the next number, which no other process has; raises OSError."""
    folder = runs_folder()
    folder.mkdir(parents=True, exist_ok=True)
    number = max((one.number for one in _places()), default=0) + 1
    while True:
        with suppress(FileExistsError):
            make(folder / str(number))
            return KeptRun(number, folder / str(number))
        number += 1
