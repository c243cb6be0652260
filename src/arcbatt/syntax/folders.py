"""Which files of a folder are solver files: a folder may be that of a whole repository."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final, NamedTuple

from arcbatt.syntax.dialect import Dialect, dialects
from arcbatt.syntax.source import SourceError, read_text

SUFFIXES: Final = (".py", ".def")
"""How solver files end; a `.def` file holds one program."""


class Found(NamedTuple):
    """What is in a folder and its folders."""

    files: list[Path]
    """Files that define a program, or that cannot be read, so that whoever reads them says why."""
    others: int
    """How many other files were looked at."""
    unreadable: list[tuple[Path, str]]
    """What is named like a file and is none, and folders that cannot be looked into, with the reason."""


def solver_files(folder: Path, dialect: Dialect | None = None) -> Found:
    """The solver files of a folder; folders whose name starts with a dot, and links to folders, are left out."""
    wanted = _definition([dialect] if dialect else dialects().values())
    inside, unreadable = _inside(folder)
    files = [path for path in inside if path.is_file()]
    unreadable += [(path, "not a plain file") for path in inside if not path.is_file()]
    chosen = [path for path in files if _defines(path, wanted)]
    return Found(chosen, len(files) - len(chosen), unreadable)


def _inside(folder: Path) -> tuple[list[Path], list[tuple[Path, str]]]:
    """Whatever is named like a solver file, in order, and folders that cannot be looked into.

    Folders may be nested deeper than Python's own walks can follow.
    """
    found: list[Path] = []
    closed: list[tuple[Path, str]] = []
    left = [str(folder)]
    while left:
        here = left.pop()
        try:
            with os.scandir(here) as entries:
                for entry in entries:
                    if entry.name.endswith(SUFFIXES):
                        found.append(Path(entry.path))
                    if not entry.name.startswith(".") and entry.is_dir(follow_symlinks=False):
                        left.append(entry.path)
        except OSError as error:
            closed.append((Path(here), error.strerror or str(error)))
    return sorted(found), closed


def _definition(known: Iterable[Dialect]) -> re.Pattern[str]:
    """The first line of a program, in any of the dialects."""
    names = {pattern.pattern for one in known for pattern in one.programs} | {r"(?:solve|differ)_\w+"}
    return re.compile(rf"^def\s+(?:{'|'.join(sorted(names))})\s*\(", re.MULTILINE)


def _defines(path: Path, wanted: re.Pattern[str]) -> bool:
    try:
        return bool(wanted.search(read_text(path)))
    except SourceError:
        return True
