"""`arcbatt bench`."""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import typer

from arcbatt.cli.progress import tracked
from arcbatt.cli.read import read_programs
from arcbatt.cli.terminal import print_lines
from arcbatt.devtools.bench.curves import draw_curves
from arcbatt.devtools.bench.load import Load
from arcbatt.devtools.bench.result import Result, Row, compared, file_name, machine_facts, number
from arcbatt.devtools.bench.sides import SIDES, baseline
from arcbatt.devtools.bench.suites import DEFAULT, SUITES
from arcbatt.devtools.verify.workload import spread_tasks
from arcbatt.errors import UsageError
from arcbatt.language.limits import MAX_STEPS
from arcbatt.support.files import atomic_output

_NOTES = (
    "An evaluation is one program on one sample. Evaluations/s count every such pair; executed evaluations/s count "
    "programs that merging found equal once. Calls/s are primitive calls that ran (loop bodies counted in), equivalent "
    "calls/s those that would have run had programs shared nothing. Evaluations left to the dynamic tier are not "
    "timed here but in `end to end`. The warm-up is not among the runs.",
    "The reference and plain functions are sampled, the same number of evaluations of each program, because costs have "
    "a heavy tail: a few programs take most of the time, and a plain random draw would miss or overweigh them.",
)


def run_bench(
    suites: Sequence[str],
    solvers: list[Path],
    dataset: str,
    count: int | None,
    mutants: Sequence[int],
    mutant_samples: int,
    runs: int,
    each: int,
    module: str | None,
    out: Path | None,
    add: bool = False,
    max_steps: int | None = None,
    sides: Sequence[str] = (),
) -> None:
    """Measure, print the table as it grows, and save it."""
    for flag, value in (("--runs", runs), ("--each", each), ("--mutant-samples", mutant_samples), *_each(mutants)):
        if value < 1:
            raise UsageError(f"{flag} is a number above 0, got {value}")
    if out is not None and not out.name:
        raise UsageError(f"--out is the name of two files, got {str(out)!r}")
    unknown = [name for name in suites if name not in SUITES and name != "all"]
    if unknown:
        raise UsageError(f"no suite {unknown[0]!r}; there are: all, {', '.join(SUITES)}")
    if strange := [name for name in sides if name not in SIDES]:
        raise UsageError(f"--side: no {strange[0]!r}; there are: {', '.join(SIDES)}")
    chosen = list(SUITES) if "all" in suites else list(suites or DEFAULT)
    programs = [one for one in read_programs(solvers) if not one.name.startswith("differ_")]
    load = Load(
        programs=programs,
        tasks=spread_tasks(dataset, count),
        name=", ".join(path.name for path in solvers) if solvers else "library",
        mutants=tuple(mutants) or Load.mutants,
        mutant_samples=mutant_samples,
        runs=runs,
        each=each,
        baseline=baseline(module, programs) if module else None,
        max_steps=max_steps or MAX_STEPS,
        sides=tuple(sides) or SIDES,
    )
    result = Result(f"arcbatt {shlex.join(sys.argv[1:])}", machine_facts(), notes=list(_NOTES))
    for name, value in result.machine.items():
        print_lines([f"{name}: {value}"])
    if load.baseline and load.baseline.missing:
        some = "; ".join(f"{name}: {why}" for name, why in list(load.baseline.missing.items())[:3])
        note = f"No plain function for {len(load.baseline.missing)} of {len(programs)} programs ({some} ...)."
        result.notes.append(note)
    start, ended = time.perf_counter(), False
    try:
        for name in tracked(chosen, len(chosen), "suites"):
            _run_suite(name, load, result)
    except KeyboardInterrupt:
        result.notes.append("Interrupted: what is here was measured before.")
        typer.echo("\ninterrupted; what was measured is kept", err=True)
        ended = True
    result.seconds = time.perf_counter() - start
    _save(result, out, add)
    if ended:
        raise typer.Exit(130)


def _each(mutants: Sequence[int]) -> list[tuple[str, int]]:
    return [("--mutants", value) for value in mutants]


def _run_suite(name: str, load: Load, result: Result) -> None:
    last = ""
    for row in SUITES[name](load):
        if row.suite != last:
            typer.echo(f"\n{row.suite}")
            last = row.suite
        print_lines([_line(row)], indent=8)
        result.rows.append(row)


def _line(row: Row) -> str:
    spread = f"({number(row.low)} to {number(row.high)})" if row.runs > 1 else ""
    return f"  {row.case:<34} {row.side:<24} {number(row.median):>12} {row.unit} {spread}  {row.note}".rstrip()


def _save(result: Result, out: Path | None, add: bool) -> None:
    if out is None:
        if not Path("pyproject.toml").exists():
            typer.echo("\nnot saved: --out NAME writes NAME.json and NAME.md")
            return
        out = Path("benchmarks") / "results" / file_name(result.machine)
    target = out.with_suffix("") if out.suffix in (".json", ".md") else out
    before = target.with_name(target.name + ".json")
    if add and before.exists():
        result = Result.read(before).joined(result)
    for path in result.save(target):
        typer.echo(f"{path} written")


def print_compared(a: Path, b: Path) -> None:
    """Print two saved results side by side."""
    typer.echo(compared(Result.read(a), Result.read(b)))


def write_curves(source: Path, folder: Path) -> None:
    """Draw the curves of a saved result as SVG files."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in draw_curves(Result.read(source)).items():
        with atomic_output(folder / name) as file:
            file.write(text)
        typer.echo(f"{folder / name} written")
