"""`arcbatt eval`."""

from __future__ import annotations

import json

import typer

from arcbatt.data.grids import to_grid
from arcbatt.errors import DataError, UsageError
from arcbatt.language.encoding import encode
from arcbatt.language.failures import Failed
from arcbatt.language.reference import evaluate
from arcbatt.language.sample import Sample
from arcbatt.syntax import parse_expression


def print_value(
    expression: str, grid: str | None, task: str | None, dataset: str = "arcagi", backend: str = "python"
) -> None:
    """Print the value of an expression on a grid as JSON; exit 1 where it fails."""
    program, sample = parse_expression(expression), _sample(grid, task, dataset)
    if backend == "python":
        outcome = evaluate(program, sample)
    else:
        from arcbatt.devtools.verify.sides import side_named

        outcome = side_named(backend).value(program, sample)
    if isinstance(outcome, Failed):
        typer.echo(str(outcome), err=True)
        raise typer.Exit(1)
    typer.echo(json.dumps(encode(outcome)))


def _sample(grid: str | None, task: str | None, dataset: str) -> Sample:
    if (grid is None) == (task is None):
        raise UsageError("give the grid with --grid JSON or --id TASK, one of them")
    if grid is not None:
        try:
            return Sample(to_grid(json.loads(grid), "--grid"))
        except (ValueError, RecursionError) as error:
            raise DataError(f"--grid: not JSON: {error}") from error
    from arcbatt.data.sources import elsewhere
    from arcbatt.data.tasks import load_tasks

    tasks = {one.id: one for one in load_tasks(dataset)}
    if task not in tasks:
        raise UsageError(f"no task {task!r} in {dataset}{elsewhere([str(task)])}")
    return Sample(tasks[str(task)].train[0][0])
