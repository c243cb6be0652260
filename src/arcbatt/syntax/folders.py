"""Which files of a folder are solver files: a folder may be that of a whole repository."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from arcbatt.syntax.dialect import Dialect, dialects
from arcbatt.syntax.source import SourceError, read_text

SUFFIXES: Final = (".py", ".def")
"""How solver files end; a `.def` file holds one program."""


def solver_files(folder: Path, dialect: Dialect | None = None) -> tuple[list[Path], int]:
    """The files of a folder and its folders that define a program, and how many others were looked at.

    Folders whose name starts with a dot are not looked into. A file that cannot be read counts as a solver file, so
    that whoever reads it says why.
    """
    files = [path for path in _inside(folder) if path.is_file()]
    wanted = _definition([dialect] if dialect else dialects().values())
    chosen = [path for path in files if _defines(path, wanted)]
    return chosen, len(files) - len(chosen)


def not_plain(folder: Path) -> list[Path]:
    """What only looks like a file there: pipes, links to nowhere, folders named like a file."""
    return [path for path in _inside(folder) if not path.is_file()]


def _inside(folder: Path) -> list[Path]:
    """Whatever is named like a solver file."""
    inside = (path for suffix in SUFFIXES for path in folder.rglob(f"*{suffix}"))
    return sorted(path for path in inside if not _hidden(path.relative_to(folder)))


def _hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts[:-1])


def _definition(known: Iterable[Dialect]) -> re.Pattern[str]:
    """The first line of a program, in any of the dialects."""
    names = {pattern.pattern for one in known for pattern in one.programs} | {r"(?:solve|differ)_\w+"}
    return re.compile(rf"^def\s+(?:{'|'.join(sorted(names))})\s*\(", re.MULTILINE)


def _defines(path: Path, wanted: re.Pattern[str]) -> bool:
    try:
        return bool(wanted.search(read_text(path)))
    except SourceError:
        return True
