"""`arcbatt score`."""

from __future__ import annotations

from pathlib import Path

import typer

from arcbatt.cli.tasks import tell
from arcbatt.data.tasks import load_tasks
from arcbatt.scoring.scores import TaskScore, score_submission
from arcbatt.scoring.submission import read_submission


def print_score(path: Path, dataset: str, verbose: bool) -> None:
    """Print the score of a submission by both rules."""
    tasks = load_tasks(dataset, report=tell)
    submission = read_submission(path, {task.id: len(task.test) for task in tasks})
    score = score_submission(submission, tasks)
    if verbose:
        for task in score.tasks:
            typer.echo(_line(task))
    if score.hidden:
        tell(f"{score.hidden:,} tasks with hidden test outputs left out")
    typer.echo(f"Kaggle's rule: {score.kaggle:.2%}, {score.outputs_right:,} of {score.outputs:,} test outputs right")
    solved = f"{score.tasks_solved:,} of {len(score.tasks):,} tasks with all test outputs right"
    typer.echo(f"repository's rule: {score.repository:.2%}, {solved}")


def _line(task: TaskScore) -> str:
    tests = ", ".join(f"attempt {which}" if which else "wrong" for which in task.right)
    return f"{task.id}  {'solved' if task.solved else 'not   '}  {tests}"
