"""Our own solver programs: text of the language, read by the frontend and never imported."""

from __future__ import annotations

from pathlib import Path

from arcbatt.language.program import Program
from arcbatt.syntax import parse_paths


def library() -> list[Program]:
    """Every program that ships with arcbatt."""
    folder = Path(__file__).parent
    return parse_paths(sorted(path for path in folder.glob("*.py") if path.name != "__init__.py")).check()
