"""A library that grows by itself: programs that were found are kept in a solver file, whose parts are features."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from arcbatt.search.features import Feature
from arcbatt.search.learned import learned_features
from arcbatt.search.solution import Solution
from arcbatt.support.files import atomic_output, read_file
from arcbatt.syntax.parser import parse_text

CONVINCING: Final = 8.0
"""The longest description of a program that is kept: most of those are right, most longer ones are chance."""
_NAME: Final = re.compile(r"\W")


def library_features(path: Path) -> tuple[Feature, ...]:
    """The features that the programs of a library give; none where there is no such file yet."""
    text = _text(path)
    return tuple(learned_features(parse_text(text, str(path)).check())) if text.strip() else ()


def digest(path: Path) -> str:
    """What tells the state of a library from others, for a record; nothing where there is none yet."""
    text = _text(path)
    return hashlib.sha256(text.encode()).hexdigest()[:16] if text else ""


def keep_found(path: Path, solutions: Iterable[Solution]) -> int:
    """Add the programs that were found convincingly to a library, which is made if need be; how many are new.

    Whether they are right on tests is not looked at. A task has one program: the first that was kept.
    """
    text = _text(path)
    new = 0
    for solution in solutions:
        best = solution.attempts[0][0]
        if not best.program or best.left_out or best.score > CONVINCING:
            continue
        head = f"def solve_{_NAME.sub('_', solution.id)}("
        body = best.program.split("(", 1)[1]
        if head not in text and body not in text:
            text += ("\n\n" if text else "") + head + body
            new += 1
    if new:
        with atomic_output(path) as file:
            file.write(text)
    return new


def _text(path: Path) -> str:
    return read_file(path).decode(errors="backslashreplace") if path.exists() else ""
