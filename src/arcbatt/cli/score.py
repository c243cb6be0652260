"""`arcbatt score`."""

from __future__ import annotations

from pathlib import Path

import typer

from arcbatt.cli.tasks import tell
from arcbatt.cli.terminal import print_lines
from arcbatt.data.tasks import load_tasks
from arcbatt.scoring.api import score
from arcbatt.scoring.scores import TaskScore
from arcbatt.support.text import counted


def print_score(path: Path, dataset: str, strict: bool, verbose: bool) -> None:
    """Print the score of a submission by both rules; unless `strict`, of the tasks it has."""
    tasks = load_tasks(dataset, report=tell)
    found = score(path, tasks, strict=strict)
    if verbose:
        for task in found.tasks:
            typer.echo(_line(task))
    if found.hidden:
        tell(f"{counted(found.hidden, 'task')} with hidden test outputs left out")
    typer.echo(f"{len(found.tasks):,} of {counted(len(tasks), 'task')} scored")
    typer.echo(f"Kaggle's rule: {found.kaggle:.2%}, {found.outputs_right:,} of {found.outputs:,} test outputs right")
    solved = f"{found.tasks_solved:,} of {counted(len(found.tasks), 'task')} with all test outputs right"
    typer.echo(f"repository's rule: {found.repository:.2%}, {solved}")
    if found.missing:
        outputs = found.outputs_right / (found.outputs + found.missing_outputs)
        whole = found.tasks_solved / (len(found.tasks) + found.missing)
        missing = f"{counted(found.missing, 'task')} not in the submission; counted as wrong: "
        print_lines([f"{missing}Kaggle's rule {outputs:.2%}, repository's rule {whole:.2%}"])


def _line(task: TaskScore) -> str:
    tests = ", ".join(f"attempt {which}" if which else "wrong" for which in task.right)
    return f"{task.id}  {'solved' if task.solved else 'not   '}  {tests}"
