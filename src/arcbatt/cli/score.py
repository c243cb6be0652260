"""`arcbatt score`."""

from __future__ import annotations

from pathlib import Path

import typer

from arcbatt.cli.tasks import tell
from arcbatt.data.tasks import load_tasks
from arcbatt.scoring.api import score
from arcbatt.scoring.scores import TaskScore


def print_score(path: Path, dataset: str, verbose: bool) -> None:
    """Print the score of a submission by both rules."""
    tasks = load_tasks(dataset, report=tell)
    found = score(path, tasks)
    if verbose:
        for task in found.tasks:
            typer.echo(_line(task))
    if found.hidden:
        tell(f"{found.hidden:,} tasks with hidden test outputs left out")
    typer.echo(f"Kaggle's rule: {found.kaggle:.2%}, {found.outputs_right:,} of {found.outputs:,} test outputs right")
    solved = f"{found.tasks_solved:,} of {len(found.tasks):,} tasks with all test outputs right"
    typer.echo(f"repository's rule: {found.repository:.2%}, {solved}")


def _line(task: TaskScore) -> str:
    tests = ", ".join(f"attempt {which}" if which else "wrong" for which in task.right)
    return f"{task.id}  {'solved' if task.solved else 'not   '}  {tests}"
