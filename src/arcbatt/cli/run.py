"""`arcbatt run`: every program on every task."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, Final

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from arcbatt.batt import load_batt
from arcbatt.cli.read import read_programs
from arcbatt.cli.terminal import Terminal
from arcbatt.data.taskset import TaskSet, open_tasks
from arcbatt.language.limits import MAX_STEPS, MAX_TOTAL_STEPS
from arcbatt.language.program import Program
from arcbatt.runs.options import RunOptions
from arcbatt.runs.record import RESULTS, RunRecord
from arcbatt.runs.runner import Summary, run
from arcbatt.syntax import Parsed
from arcbatt.syntax.problems import summary

_SHOWN_PROGRAMS: Final = 6
_SHOWN_NEAR: Final = 10
_SECONDS_BETWEEN_LINES: Final = 5.0


def run_command(options: RunOptions, out: Path | None, resume: bool, quiet: bool, errors: Path | None = None) -> None:
    """Run, say how it goes, and print what came of it; errors of programs are written to a file, if one is given."""
    start = time.monotonic()
    console = Terminal(stderr=True, quiet=quiet)
    read_start = time.perf_counter()
    read = _of_batt(Path(options.batt)) if options.batt else _of_solvers(options, errors)
    differs = [program for program in read if program.name.startswith("differ_")]
    programs = [program for program in read if not program.name.startswith("differ_")]
    tasks = read_tasks(options)
    reading = time.perf_counter() - read_start
    with interruptible() as interrupted, shown(console) as progress:

        def stop() -> bool:
            late = options.seconds is not None and time.monotonic() - start >= options.seconds
            return late or interrupted()

        summary = run(options, programs, tasks, differs=differs, out=out, resume=resume, stop=stop, progress=progress)
    summary.seconds["read"] = reading
    print_summary(summary, len(tasks), len(programs))
    if out is not None:
        typer.echo(f"the run is in {out}" + ("" if summary.finished else "; go on with the same command and --resume"))
    if interrupted():
        raise typer.Exit(130)


def read_tasks(options: RunOptions) -> TaskSet:
    """The tasks a run is about; those that are skipped are reported."""
    tasks = open_tasks(options.dataset, strict=options.strict, report=lambda message: typer.echo(message, err=True))
    if options.ids:
        tasks = tasks.only(dict.fromkeys(options.ids))
    return tasks if options.count is None else tasks[: options.count]


def _of_solvers(options: RunOptions, errors: Path | None) -> list[Program]:
    paths = [Path(path) for path in options.solvers]
    return read_programs(paths, options.dialect, strict=options.strict, errors=errors)


def _of_batt(path: Path) -> list[Program]:
    card = load_batt(path)
    if card.problems:
        typer.echo(f"{path}: {len(card.problems):,} lines left out, {len(card.outputs):,} outputs read", err=True)
        for line in summary(Parsed(errors=card.problems))[1:]:
            typer.echo(line, err=True)
    return [card.graph.to_program(output.node, f"solve_{output.program}") for output in card.outputs]


@contextmanager
def interruptible() -> Iterator[Callable[[], bool]]:
    """Turns the first Ctrl-C into a request to stop, and gives the way to ask for it; a second one is as ever.

    Where Ctrl-C is ignored (`nohup`, the background of a script) it stays so, and SIGTERM takes its place.
    """
    seen = False
    ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    which = signal.SIGTERM if ignored else signal.SIGINT

    def note(_: int, __: FrameType | None) -> None:
        nonlocal seen
        seen = True
        signal.signal(which, signal.default_int_handler)
        print("\nstopping; what is done is kept", file=sys.stderr)

    before: Any = signal.signal(which, note)
    try:
        yield lambda: seen
    finally:
        signal.signal(which, before)


@contextmanager
def shown(console: Console) -> Iterator[Callable[[int, int], None]]:
    """How far a run is: a bar on a terminal, now and then a line elsewhere, nothing if the console is quiet."""
    if console.is_terminal and not console.quiet:
        columns = (TextColumn("evaluations"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=console, transient=True) as bars:
            bar = bars.add_task("evaluations", total=None)
            yield lambda done, total: bars.update(bar, completed=done, total=total)
        return
    last = time.monotonic()

    def line(done: int, total: int) -> None:
        nonlocal last
        if time.monotonic() - last >= _SECONDS_BETWEEN_LINES:
            last = time.monotonic()
            console.print(f"{done:,} of {total:,} evaluations ({100 * done // max(total, 1)}%)", highlight=False)

    yield line


def print_summary(summary: Summary, tasks: int, programs: int) -> None:
    """The tables and figures of a run."""
    console = Terminal(highlight=False, soft_wrap=True, width=None if sys.stdout.isatty() else 120)
    record = summary.record
    by_demos, solved = record.solved(), record.solved_tests()
    hidden = record.store.hidden_tasks()
    solved |= {task: names for task, names in by_demos.items() if task in hidden}
    table = Table("task", "solved by", "on its demonstrations only")
    for task, names in by_demos.items():
        right = solved.get(task, [])
        table.add_row(task, _listed(right), _listed([name for name in names if name not in right]))
    if by_demos:
        console.print(table)
    _print_near(console, record, set(solved))
    own = sum(task in names for task, names in solved.items())
    console.print(f"{len(solved)} of {tasks} tasks solved by {programs} programs, {own} by the one named for the task")
    if hidden:
        console.print(f"  of {len(hidden)} tasks a test is hidden: those are judged by their demonstrations")
    console.print(f"  {len(by_demos)} tasks have a program that is right on every demonstration")
    if not summary.finished:
        done = sum(batch.evaluations for batch in record.store.batches())
        samples = sum(map(sum, record.store.task_sizes()))
        console.print(f"  stopped early: {done:,} of {samples * programs:,} evaluations are done")
    busy = summary.seconds["run"] + summary.seconds["dynamic"]
    rate = f", {summary.evaluations / busy:,.0f} a second" if busy else ""
    console.print(f"{summary.evaluations:,} evaluations in {summary.total_seconds:.1f} s{rate} ({_used(summary)})")
    console.print("time: " + ", ".join(f"{stage} {seconds:.2f} s" for stage, seconds in summary.seconds.items()))
    console.print(f"tiers: {summary.tiers()}")
    if record.options.steps != MAX_STEPS:
        console.print(f"steps of a call: at most {record.options.steps:,}, of {MAX_STEPS:,} that the language allows")
    if (total := record.options.total_steps) != MAX_TOTAL_STEPS:
        console.print(f"steps of an evaluation: at most {total:,}, of {MAX_TOTAL_STEPS:,} that the language allows")
    _print_internal(console, record)
    if rerouted := summary.rerouted():
        console.print(f"rerouted: {rerouted.total():,} evaluations ran on another tier than the one asked for")
        for route, count in rerouted.most_common(_SHOWN_NEAR):
            console.print(f"  {count:>9,} {route}", markup=False)
    if summary.recovered_errors:
        console.print("recovered errors:")
        for what, count in summary.recovered_errors.most_common():
            console.print(f"  {count:>9,} {what}", markup=False)


def _print_internal(console: Console, record: RunRecord) -> None:
    """The programs that arcbatt itself failed over, by the tier that ran them in the end."""
    by_tier: dict[str, list[str]] = {}
    for one in record.internal_errors():
        by_tier.setdefault(one.tier, []).append(one.program)
    where = f"{record.directory / RESULTS}, table tier" if record.directory else "record.internal_errors()"
    for tier, names in by_tier.items():
        count = f"{len(names):,} program{'s' * (len(names) != 1)}"
        console.print(
            f"{count} ran on the {tier} tier after an internal error: {_listed(names)}; see {where}", markup=False
        )


def _used(summary: Summary) -> str:
    """The engines that were in use."""
    return ", then ".join(summary.backends) or summary.backend


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _SHOWN_PROGRAMS} more" if len(names) > _SHOWN_PROGRAMS else ""
    return ", ".join(names[:_SHOWN_PROGRAMS]) + more


def _print_near(console: Console, record: RunRecord, solved: set[str]) -> None:
    """The nearest misses of tasks that nothing solves, with what each differ says."""
    missed = [task for task in record.store.tasks_by_nearness() if task not in solved]
    found = [(task, record.near(task)[0]) for task in missed[:_SHOWN_NEAR]]
    if not found:
        return
    table = Table("not solved", "nearest", "demonstrations", "cells right", *found[0][1].scores, title="near misses")
    for task, near in found:
        scores = ("" if score is None else str(score) for score in near.scores.values())
        table.add_row(task, near.program, str(near.demos_right), f"{100 * near.agreement:.1f}%", *scores)
    console.print(table)
    if len(missed) > len(found):
        console.print(f"and near misses of {len(missed) - len(found)} more tasks")
