"""Reading programs for a command: what is refused is said in a few lines, or written to a file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import typer

from arcbatt.cli.progress import shown_on_stderr
from arcbatt.cli.terminal import made_plain, print_lines
from arcbatt.errors import UsageError
from arcbatt.language.program import Program
from arcbatt.solvers import library
from arcbatt.support.files import atomic_output
from arcbatt.syntax import Parsed, parse_paths
from arcbatt.syntax.dialect import dialects, named_dialect
from arcbatt.syntax.problems import as_json, counts, reasons, summary


def read_programs(
    paths: Sequence[Path], dialect: str = "", *, strict: bool = False, errors: Path | None = None
) -> list[Program]:
    """The programs of files and folders, or the library.

    Programs that are refused are left out and counted by reason; with `strict` they are an error. `errors` is a file
    to write all of them to.
    """
    if not paths:
        return library()
    parsed = read(paths, dialect)
    if errors is not None:
        write_errors(parsed, errors)
    lines = summary(parsed)
    if strict and parsed.errors:
        raise UsageError("\n".join(["with --strict no program may be refused", *lines]))
    if not parsed.programs:
        none = "no program could be read" if parsed.refused else "no program found"
        raise UsageError("\n".join([none, *lines]))
    if parsed.renamed:
        many = f" (and {len(parsed.renamed) - 1:,} more)" if len(parsed.renamed) > 1 else ""
        lines.append(f"programs of one name in several files: {parsed.renamed[0]}{many}")
    print_lines([row for line in lines for row in line.split("\n")], err=True)
    return parsed.programs


def read(paths: Sequence[Path], dialect: str = "") -> Parsed:
    """What is in files and folders, in a dialect by its name or as each file shows."""
    one_file = len(paths) == 1 and not paths[0].is_dir()
    with shown_on_stderr("programs read" if one_file else "files read") as progress:
        return parse_paths(paths, named_dialect(dialect) if dialect else None, progress)


def write_errors(parsed: Parsed, path: Path) -> None:
    """Write every error whole."""
    with atomic_output(path) as file:
        file.writelines(made_plain(f"{error}\n", "utf-8") for error in parsed.errors)


def print_check(paths: Sequence[Path], dialect: str, json_lines: bool) -> None:
    """Print every problem of files, each suggestion once, and exit with 1 if there is one."""
    parsed = read(paths, dialect)
    if json_lines:
        found = {
            "programs": [program.name for program in parsed.programs],
            "refused": parsed.refused,
            "dialects": dict(parsed.dialects),
            "touched": parsed.touched,
            "problems": [as_json(error) for error in parsed.errors],
        }
        typer.echo(json.dumps(found, indent=2))
    else:
        told = set[str]()
        for error in parsed.errors:
            lines = str(error).split("\n")
            print_lines(lines[:-1] if error.allowed in told else lines)
            told |= {error.allowed} - {""}
        print_lines([counts(parsed), *reasons(parsed.errors)])
    if parsed.errors:
        raise typer.Exit(1)


def print_dialects() -> None:
    """Print the dialects there are."""
    for name, one in dialects().items():
        names = f"{len(one.words):,} names of its own" if one.words else "our names"
        print_lines([f"{name:<14}{names:<24}{one.about}"], indent=38)
