"""Runs and searches that a command keeps without being told where."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from arcbatt.cli.tasks import tell
from arcbatt.runs import kept


@dataclass(frozen=True)
class Home:
    """Where a run or search is recorded, and its number if it is kept by one; no directory: in memory."""

    kind: str
    directory: Path | None
    number: int | None = None

    def said(self, done: bool) -> str:
        """Where it is, and how to go on with one that is not done; nothing where it is in memory."""
        if self.directory is None:
            return ""
        where = (
            f"kept as run {self.number}: arcbatt runs lists them"
            if self.number
            else f"the {self.kind} is in {self.directory}"
        )
        return where + ("" if done else "; go on with the same command and --resume")


@contextmanager
def home(out: Path | None, keep: bool, resume: bool, *, search: bool = False) -> Iterator[Home]:
    """The directory that was named, that of the last run where one is to be resumed, or a new one by number.

    One that was named is known as the last run afterwards; a new one that stayed empty goes.
    """
    kind = "search" if search else "run"
    if resume and out is None:
        yield Home(kind, kept.find_run(None, search=search))
        return
    place = _new_place() if keep and out is None else None
    try:
        yield Home(kind, place.directory, place.number) if place else Home(kind, out)
    finally:
        if place:
            place.drop_if_empty()
        elif out and keep:
            with suppress(OSError):  # the run is there all the same
                kept.remember(out)


def _new_place() -> kept.KeptRun | None:
    """The directory of a run that is to be kept, old ones deleted; none where that cannot be."""
    try:
        if gone := kept.drop_old():
            tell(f"deleted the oldest of the runs that are kept: {', '.join(str(one.number) for one in gone)}")
        return kept.new_run()
    except OSError as error:
        tell(f"the run is not kept: {error}; --out DIR names another place")
        return None
