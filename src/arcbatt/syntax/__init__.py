"""Solver files as data: parsing into immutable programs and writing them back."""

from arcbatt.language.program import Assign, Call, Const, Expr, Name, Program, unparse
from arcbatt.syntax.parser import (
    Parsed,
    parse_bytes,
    parse_expression,
    parse_file,
    parse_paths,
    parse_program,
    parse_text,
)
from arcbatt.syntax.source import SourceError

__all__ = [
    "Assign",
    "Call",
    "Const",
    "Expr",
    "Name",
    "Parsed",
    "Program",
    "SourceError",
    "parse_bytes",
    "parse_expression",
    "parse_file",
    "parse_paths",
    "parse_program",
    "parse_text",
    "unparse",
]
