"""`arcbatt submit`."""

from __future__ import annotations

from pathlib import Path

from arcbatt.cli.tasks import tell
from arcbatt.cli.terminal import print_lines
from arcbatt.data.tasks import load_tasks
from arcbatt.runs.kept import find_run
from arcbatt.runs.record import RunRecord
from arcbatt.scoring.api import submit
from arcbatt.scoring.from_run import Chosen
from arcbatt.scoring.submission import write_submission
from arcbatt.search.record import is_solve_record, read_info, read_solutions
from arcbatt.search.solution import submission_of
from arcbatt.support.text import counted


def make_submission(run: str | None, output: Path, dataset: str | None) -> None:
    """Choose attempts from a run (default: the last one), write them, and say where they come from."""
    directory = find_run(run)
    if run is None:
        tell(f"of the last run, {directory}")
    if is_solve_record(directory):
        return _submit_search(directory, output, dataset)
    with RunRecord.open(directory) as record:
        if record.state != "done":
            tell(f"{directory}: this run is not done ({record.state}); using what is there")
        chosen = submit(record, output, load_tasks(dataset, report=tell) if dataset else None)
    if chosen.not_run:
        many = counted(len(chosen.not_run), "task")
        tell(f"{many} of the challenge not in the run, such as {chosen.not_run[0]}")
    if chosen.peeking:
        many = counted(len(chosen.peeking), "program")
        tell(f"{many} left out for reading the expected output, such as {chosen.peeking[0]}")
    print_lines([_summary(output, chosen)])


def _submit_search(directory: Path, output: Path, dataset: str | None) -> None:
    """The first two attempts of a search; the test input where a task of the challenge is not in it."""
    info, solutions = read_info(directory), read_solutions(directory)
    if (state := info.get("state", "done")) != "done":
        tell(f"{directory}: this search is not done ({state}); using what is there")
    tasks = load_tasks(dataset or info["dataset"], report=tell)
    chosen = [task for task in tasks if dataset or task.id in solutions]
    missing = [task for task in chosen if task.id not in solutions]
    if missing:
        tell(f"{counted(len(missing), 'task')} of the challenge not in the search, such as {missing[0].id}")
    guesses = {task.id: tuple((given, given) for given, _ in task.test) for task in missing}
    answers = submission_of({task.id: solutions[task.id] for task in chosen if task.id in solutions}) | guesses
    write_submission(output, answers, {task.id: len(task.test) for task in chosen})
    found = sum(solutions[task.id].found for task in chosen if task.id in solutions)
    print_lines(
        [f"{output}: {counted(len(chosen), 'task')}, {found:,} with programs, {len(chosen) - found:,} with guesses"]
    )


def _summary(output: Path, chosen: Chosen) -> str:
    firsts = [pair[0] for pairs in chosen.picks.values() for pair in pairs]
    solving = sum(pick.solves for pick in firsts)
    near = sum(pick.program is not None for pick in firsts) - solving
    what = f"{counted(len(chosen.picks), 'task')}, {counted(len(firsts), 'test input')}"
    return (
        f"{output}: {what}; first attempts: {solving:,} by programs "
        f"that solve all demonstrations, {near:,} by near misses, {len(firsts) - solving - near:,} guesses"
    )
