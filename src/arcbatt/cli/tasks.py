"""`arcbatt tasks`: look at a data set, and make large ones."""

from __future__ import annotations

from pathlib import Path

import typer

from arcbatt.cli.progress import tracked
from arcbatt.data.taskset import open_tasks
from arcbatt.data.variations import vary, write_tasks
from arcbatt.errors import UsageError
from arcbatt.support.text import counted


def tell(message: str) -> None:
    """A message for the person at the terminal that is not the result."""
    typer.echo(message, err=True)


def check_tasks(dataset: str, strict: bool) -> None:
    """Read a data set and say what is in it and what is wrong with it; exit 1 where a task was skipped."""
    problems: list[str] = []
    tasks = open_tasks(dataset, strict=strict, report=problems.append)
    for problem in problems:
        tell(problem)
    arrays = tasks.arrays
    hidden = int((arrays.expected < 0).sum())
    tests = tasks.sample_count - int(arrays.demo_start[-1])
    demos = counted(int(arrays.demo_start[-1]), "demonstration")
    typer.echo(f"{dataset}: {counted(len(tasks), 'task')}, {demos}, {counted(tests, 'test')}")
    grids, cells = counted(len(arrays.height), "grid"), counted(len(arrays.cells), "cell")
    typer.echo(f"{grids}, {cells}; {counted(hidden, 'test output')} hidden")
    if problems:
        raise typer.Exit(1)


def vary_tasks(dataset: str, count: int, seed: int, output: Path) -> None:
    """Write variations of the tasks of a data set."""
    if count < 1:
        raise UsageError(f"--count is at least 1, got {count}")
    varied = vary(open_tasks(dataset, report=tell), count, seed)
    written = write_tasks(tracked(varied, count, "tasks"), output)
    typer.echo(f"{output}: {counted(written, 'task')}")
