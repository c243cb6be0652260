"""`arcbatt run`: every program on every task."""

from __future__ import annotations

import time
from pathlib import Path

import typer

from arcbatt.batt import load_batt
from arcbatt.cli import BEGAN
from arcbatt.cli.keeping import home
from arcbatt.cli.progress import interruptible, shown
from arcbatt.cli.read import read_programs
from arcbatt.cli.summary import Shape, print_run
from arcbatt.cli.tasks import tell
from arcbatt.cli.terminal import Terminal
from arcbatt.data.taskset import TaskSet, open_tasks
from arcbatt.language.program import Program
from arcbatt.runs.options import RunOptions
from arcbatt.runs.record import INFO, RunRecord
from arcbatt.runs.runner import run
from arcbatt.support.text import counted
from arcbatt.syntax.problems import listed


def run_command(
    options: RunOptions, out: Path | None, keep: bool, resume: bool, quiet: bool, shape: Shape, errors: Path | None
) -> None:
    """Run, say how it goes, and print what came of it; errors of programs are written to a file, if one is given."""
    start = time.monotonic()
    console = Terminal(stderr=True, quiet=quiet)
    read = _of_batt(Path(options.batt)) if options.batt else _of_solvers(options, errors)
    differs = [program for program in read if program.name.startswith("differ_")]
    programs = [program for program in read if not program.name.startswith("differ_")]
    tasks = read_tasks(options)
    reading = time.monotonic() - start
    with home(out, keep, resume) as here, interruptible() as interrupted:
        folder = here.directory

        def stop() -> bool:
            late = options.seconds is not None and time.monotonic() - BEGAN >= options.seconds
            return late or interrupted()

        try:
            with shown(console) as progress:
                record = run(
                    options, programs, tasks, differs=differs, out=folder, resume=resume, stop=stop, progress=progress,
                    read_seconds=reading,
                ).record  # fmt: skip
        except KeyboardInterrupt:
            if folder is None or not (folder / INFO).exists():
                raise
            record = RunRecord.open(folder)
            if not resume:  # it is this run's, of these programs
                record.know(programs)
    print_run(record, shape)
    if where := here.said(record.state == "done"):
        (typer.echo if shape.for_people else tell)(where)
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
    if card.problems or card.touched:
        text = f"{path}: {counted(len(card.outputs), 'output')} read, {counted(len(card.problems), 'line')} left out"
        if card.touched:
            text += (
                f"; {counted(card.touched, 'line')} with names that can give something else at home (docs/dialects.md)"
            )
        for line in (text, *listed(card.problems)):
            typer.echo(line, err=True)
    return [card.graph.to_program(output.node, f"solve_{output.program}") for output in card.outputs]
