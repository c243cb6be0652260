"""Differs that ship with arcbatt: text of the language, read by the parser and never imported."""

from __future__ import annotations

from pathlib import Path

from arcbatt.language.program import Program
from arcbatt.syntax import parse_file


def standard_differs() -> list[Program]:
    """The four differs."""
    return parse_file(Path(__file__).parent / "standard_differs.py").check()
