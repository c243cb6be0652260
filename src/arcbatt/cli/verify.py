"""`arcbatt verify`."""

from __future__ import annotations

import json
import shlex
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import typer

from arcbatt.cli.progress import interruptible, shown, tracked
from arcbatt.cli.read import read_programs
from arcbatt.cli.terminal import Terminal, print_lines
from arcbatt.cli.terminal import width as columns_here
from arcbatt.devtools.conformance import Report, Run, Vector, check, read_vectors
from arcbatt.devtools.generate import VERSION, VERSIONS
from arcbatt.devtools.verify.compare import Agreement, Difference, compare, differs_between
from arcbatt.devtools.verify.shrink import Case, as_expression, shrink
from arcbatt.devtools.verify.sides import NOT_LOWERED, ON_ENGINE, GpuSide, Side, Steps, engines_here, side_named
from arcbatt.devtools.verify.vectors import run_together
from arcbatt.devtools.verify.workload import Batch, file_batches, random_batches, spread_tasks
from arcbatt.errors import ArcbattError, DataError, UsageError
from arcbatt.language.encoding import encode
from arcbatt.language.failures import Failed, Outcome
from arcbatt.language.program import Program
from arcbatt.language.sample import Sample
from arcbatt.support.text import counted

_STEPS = Steps()


def verify_all_vectors(path: Path, backends: Sequence[str], show: int, steps: Steps = _STEPS) -> None:
    """Check each backend on the vectors; exit 1 where any of them differs."""
    agree = [verify_vectors(path, backend, show, steps) for backend in backends]
    if not all(agree):
        raise typer.Exit(1)


def verify_vectors(path: Path, backend: str, show: int, steps: Steps = _STEPS) -> bool:
    """Print how many vectors agree, in all and for each primitive, and the first that do not; whether all do."""
    coverage: Counter[str] = Counter()
    side = side_named(backend, *steps)
    vectors = list(read_vectors(path))
    report = check(
        tracked(vectors, len(vectors), "vectors"),
        side.value if backend == "python" else run_of(side, vectors, coverage),
    )
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
    return not report.differences


def verify_random(
    count: int, seed: int, generator: int | None, backends: Sequence[str], show: int, steps: Steps = _STEPS
) -> None:
    """Compare backends on random programs; print agreement, coverage and the first differences, made small."""
    version = generator or VERSION
    if version not in VERSIONS:
        raise UsageError(f"no generator of version {version}; there are: {', '.join(map(str, VERSIONS))}")
    what = f"{counted(count, 'random program')}, seed {seed}, generator {version}"
    _verify(random_batches(count, seed, version), what, 4 * count, backends, show, steps)


def verify_solvers(
    paths: Sequence[Path],
    dataset: str,
    limit: int | None,
    backends: Sequence[str],
    show: int,
    steps: Steps = _STEPS,
) -> None:
    """Compare backends on solver files with the samples of tasks."""
    programs = read_programs(list(paths))
    tasks = spread_tasks(dataset, limit)
    again = " ".join([*(f"--solvers {shlex.quote(str(path))}" for path in paths), f"--dataset {shlex.quote(dataset)}"])
    again += f" --count {limit or 0}"
    total = len(programs) * sum(len(task.train) + len(task.test) for task in tasks)
    what = f"{counted(len(programs), 'program')} on {counted(len(tasks), 'task')} of {dataset}"
    _verify(file_batches(programs, tasks, again), what, total, backends, show, steps)


def _verify(batches: Iterable[Batch], what: str, total: int, backends: Sequence[str], show: int, steps: Steps) -> None:
    if "python" in backends:
        raise UsageError("python is what the other backends are compared with: name those")
    sides = [side_named(name, *steps) for name in ("python", *(backends or engines_here()))]
    typer.echo(f"{what}: {', '.join(side.name for side in sides)}")
    with interruptible() as interrupted, shown(Terminal(stderr=True)) as progress:

        def told(done: int) -> None:
            progress(done, total)

        found = compare(batches, sides, keep=show, stop=interrupted, progress=told)
    _print_agreement(found)
    if interrupted():
        raise typer.Exit(130)
    known: set[str] = set()
    for difference in found.differences:
        print_shrunk(difference, known, steps.flags())
    if found.differ:
        raise typer.Exit(1)


def _print_agreement(found: Agreement) -> None:
    early = ", stopped early" if found.stopped else ""
    typer.echo(f"{counted(found.evaluations, 'evaluation')} of {counted(found.programs, 'program')}{early}")
    for name, tally in found.tallies.items():
        if name == "python":
            said = f"{tally.answered:,} answers to compare with"
        else:
            share = f"{100 * tally.answered / max(tally.evaluations, 1):.2f}% on the engine"
            said = f"{tally.agree:,} of {tally.compared:,} agree; {share}"
        print_lines([f"  {name:<8} {said}{', not here:' if tally.absent else ''}"])
        print_lines((f"           {count:>9,} {reason}" for reason, count in tally.absent.most_common(8)), indent=21)


def print_shrunk(difference: Difference, known: set[str], options: str = "") -> None:
    """A difference made small: what both sides give, and a line to paste; nothing where it is among those known."""
    base, side = difference.base, difference.side
    case = shrink(difference.case, difference.program, differs_between(base, side))
    bodies = [str(program).partition("\n")[2] for program in case.programs]
    if str((side.name, bodies)) in known:
        return
    known.add(str((side.name, bodies)))
    typer.echo(f"\n{base.name} and {side.name} differ ({difference.program}):\n")
    for program in case.programs:
        typer.echo(str(program))
    typer.echo(f"  I = {_plain(case.sample.I)}")
    if any("S" in program.params for program in case.programs):
        typer.echo(f"  S = {_plain(case.sample.S)}\n  C = {_plain(case.sample.C)}")
    if len(case.programs) == 1:
        for one in (base, side):
            typer.echo(f"  {one.name + ':':<8} {_value(one, case)}")
        expression = as_expression(case.programs[0])
        if expression is not None:
            paste = f"arcbatt eval {shlex.quote(str(expression))} --grid {shlex.quote(_plain(case.sample.I))}"
            typer.echo(f"  {paste} --backend {side.name}")
    else:
        typer.echo("  each alone gives the same; merged they do not")
    typer.echo(f"  arcbatt verify {difference.again} --backend {side.name}{options}")


def _plain(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def _value(side: Side, case: Case) -> str:
    try:
        value = side.value(case.programs[0], case.sample)
    except DataError as error:
        return str(error)
    return str(value) if isinstance(value, Failed) else _short(value)


def run_of(side: Side, vectors: Sequence[Vector], coverage: Counter[str]) -> Run:
    """How to run the program of a vector on a side; what left the engine is counted with its reason."""
    if isinstance(side, GpuSide):
        return run_together(side, vectors, coverage)

    def run(program: Program, sample: Sample) -> Outcome:
        answers = side.answers([program], [sample], lambda: False)
        coverage[answers.reasons[0].removeprefix(NOT_LOWERED) if answers.absent.any() else ON_ENGINE] += 1
        return side.value(program, sample)

    return run


def _print_coverage(coverage: Counter[str], total: int) -> None:
    inside = coverage.pop(ON_ENGINE, 0)
    typer.echo(f"{inside:,} of {total:,} ran wholly on the engine ({100 * inside / max(total, 1):.2f}%); the rest:")
    for reason, count in coverage.most_common(12):
        print_lines([f"  {count:>5} {reason}"], indent=8)


def _print_per_primitive(report: Report) -> None:
    cells = [
        f"{name} {agree}/{total}{'' if agree == total else ' <--'}"
        for name, total in sorted(report.per_primitive.items())
        for agree in [report.agree_per_primitive[name]]
    ]
    width = max(map(len, cells), default=0) + 2
    columns = max(1, (columns_here() or 110) // width)
    for start in range(0, len(cells), columns):
        typer.echo("".join(cell.ljust(width) for cell in cells[start : start + columns]).rstrip())


def _print_difference(vector: Vector, outcome: Outcome) -> None:
    wanted = "an error" if vector.error else _short(vector.out)
    got = str(outcome) if isinstance(outcome, Failed | ArcbattError) else _short(outcome)
    typer.echo(f"\n{vector.expr}\n  expected {wanted}\n  got      {got}\n  {vector.paste}\n")


def _short(value: object) -> str:
    text = json.dumps(encode(value))
    return text if len(text) <= 200 else f"{text[:197]}..."
