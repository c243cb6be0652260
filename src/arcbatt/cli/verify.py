"""`arcbatt verify`."""

from __future__ import annotations

import importlib
import json
from collections import Counter
from pathlib import Path

import typer

from arcbatt.backends.cpu import Engine
from arcbatt.backends.outcome import Failed, Outcome
from arcbatt.backends.python import Sample, evaluate
from arcbatt.conformance import Report, Run, Vector, check, encode, read_vectors
from arcbatt.errors import ArcbattError, UsageError
from arcbatt.frontend import Program


def verify_vectors(path: Path, backend: str, show: int) -> None:
    """Print how many vectors agree, in all and for each primitive, and the first that do not."""
    coverage: Counter[str] = Counter()
    report = check(read_vectors(path), backend_named(backend, coverage))
    _print_per_primitive(report)
    for vector, outcome in report.differences[:show]:
        _print_difference(vector, outcome)
    typer.echo(f"{report.agree:,} of {report.total:,} vectors agree ({backend})")
    if report.by_set_order:
        typer.echo(
            f"  of these, {report.by_set_order} list a merged set's items in CPython's hash order; the language lists\n"
            "  them ascending (rule 1), and they were compared set by set"
        )
    if coverage:
        _print_coverage(coverage, report.total)
    if report.differences:
        raise typer.Exit(1)


def backend_named(name: str, coverage: Counter[str]) -> Run:
    """How to run one program on one sample with a backend; what left the engine is counted with its reason."""
    if name == "python":
        return evaluate
    if name not in ("cpu", "lanes"):
        raise UsageError(f"no backend {name!r}; there are: python, cpu, lanes (32 emulated lanes, for tests)")
    core = importlib.import_module("arcbatt._core" if name == "cpu" else "arcbatt._core_lanes")

    def run(program: Program, sample: Sample) -> Outcome:
        engine = Engine.of([program], threads=1, arena_bytes=1 << 20, core=core)
        status = engine.status_of(sample)[program.name]
        coverage[
            "on the engine" if status not in ("escape", "overflow") and program.name in engine.lowered else status
        ] += 1
        return engine.values(sample)[program.name]

    return run


def _print_coverage(coverage: Counter[str], total: int) -> None:
    inside = coverage.pop("on the engine", 0)
    typer.echo(f"{inside:,} of {total:,} ran wholly on the engine ({100 * inside / max(total, 1):.2f}%); the rest:")
    for reason, count in coverage.most_common(12):
        typer.echo(f"  {count:>5} {reason}")


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
