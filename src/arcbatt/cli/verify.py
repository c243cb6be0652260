"""`arcbatt verify`."""

from __future__ import annotations

import json
from pathlib import Path

import typer

from arcbatt.backends.outcome import Failed, Outcome
from arcbatt.conformance import Report, Run, Vector, check, encode, read_vectors
from arcbatt.errors import ArcbattError, UsageError


def backend_named(name: str) -> Run:
    """How to run one program on one sample with a backend."""
    if name != "python":
        raise UsageError(f"no backend {name!r}; there is: python")
    from arcbatt.backends.python import evaluate

    return evaluate


def verify_vectors(path: Path, backend: str, show: int) -> None:
    """Print how many vectors agree, in all and for each primitive, and the first that do not."""
    report = check(read_vectors(path), backend_named(backend))
    _print_per_primitive(report)
    for vector, outcome in report.differences[:show]:
        _print_difference(vector, outcome)
    typer.echo(f"{report.agree:,} of {report.total:,} vectors agree ({backend})")
    if report.by_set_order:
        typer.echo(
            f"  of these, {report.by_set_order} list a merged set's items in CPython's hash order; the language lists\n"
            "  them ascending (rule 1), and they were compared set by set"
        )
    if report.differences:
        raise typer.Exit(1)


def _print_per_primitive(report: Report) -> None:
    cells = [
        f"{name} {agree}/{total}{'' if agree == total else ' <--'}"
        for name, total in sorted(report.per_primitive.items())
        for agree in [report.agree_per_primitive[name]]
    ]
    width = max(map(len, cells), default=0) + 2
    columns = max(1, 110 // width)
    for start in range(0, len(cells), columns):
        typer.echo("".join(cell.ljust(width) for cell in cells[start : start + columns]).rstrip())


def _print_difference(vector: Vector, outcome: Outcome) -> None:
    wanted = "an error" if vector.error else _short(vector.out)
    got = str(outcome) if isinstance(outcome, Failed | ArcbattError) else _short(outcome)
    typer.echo(f"\n{vector.expr}\n  expected {wanted}\n  got      {got}\n  {vector.paste}\n")


def _short(value: object) -> str:
    text = json.dumps(encode(value))
    return text if len(text) <= 200 else f"{text[:197]}..."
