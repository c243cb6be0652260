"""Programs from whatever a caller has: text, a file or a folder."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from arcbatt.language.program import Program
from arcbatt.syntax.parser import parse_paths, parse_text

_IS_TEXT: Final = re.compile(r"\n|^\s*(def\b|#|$)")


def parse(source: str | Path) -> list[Program]:
    """The programs of a text with `def`s, of a file, or of every `.py` file in a folder.

    Nothing is imported or run. Raises UsageError that shows every error with its line.
    """
    if isinstance(source, str) and _IS_TEXT.search(source):
        return parse_text(source).check()
    return parse_paths([Path(source)]).check()
