"""`arcbatt solve`: programs found for tasks."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import typer
from rich.text import Text

from arcbatt.cli import BEGAN
from arcbatt.cli.keeping import home
from arcbatt.cli.progress import interruptible, shown_on_stderr
from arcbatt.cli.solved import SOLVED, print_search
from arcbatt.cli.summary import Shape
from arcbatt.cli.tasks import tell
from arcbatt.cli.terminal import Terminal
from arcbatt.data.tasks import Task
from arcbatt.data.taskset import open_tasks
from arcbatt.display.terminal import Panel, print_panels
from arcbatt.engine.api import Stop
from arcbatt.errors import UsageError
from arcbatt.runs.lock import RecordLock
from arcbatt.scoring.attempts import Question
from arcbatt.scoring.submission import write_submission
from arcbatt.search.bank import bank_of
from arcbatt.search.features import Feature
from arcbatt.search.growing import digest, keep_found, library_features
from arcbatt.search.learned import said
from arcbatt.search.options import SolveOptions
from arcbatt.search.record import SolveRecord, check_tests, read_solutions
from arcbatt.search.report import judge, why
from arcbatt.search.shards import solved_on
from arcbatt.search.solution import Solution, submission_of
from arcbatt.search.solver import Solver
from arcbatt.support.text import counted

_SHOWN: int = 3


def solve_command(
    options: SolveOptions,
    dataset: str,
    ids: Sequence[str],
    count: int | None,
    seconds: float | None,
    out: Path | None,
    keep: bool,
    resume: bool,
    submission: Path | None,
    explain: str | None,
    quiet: bool,
    shape: Shape,
    ray: str | None = None,
    library: Path | None = None,
) -> None:
    """Solve tasks, record them, write a submission, and say what came of it; or show how one task fared."""
    if library is not None and ray is not None:
        raise UsageError("--library is for one machine, not with --ray")
    learned = library_features(library) if library else ()
    options = replace(options, library=digest(library) if library else "")
    tasks = open_tasks(dataset, report=tell)
    if explain is not None:
        return _explain(options, learned, tasks.only([explain])[0], out)
    if ids:
        tasks = tasks.only(dict.fromkeys(ids))
    chosen = list(tasks if count is None else tasks[:count])
    with home(out, keep, resume, search=True) as here:
        found, info, interrupted = _recorded(
            options, learned, dataset, chosen, here.directory, resume, seconds, quiet, ray
        )
    finished = len(found) == len(chosen)
    print_search(info, [judge(task, found[task.id]) for task in chosen if task.id in found], shape, here.directory)
    say = typer.echo if shape.for_people else tell
    if submission is not None and finished:
        write_submission(submission, submission_of(found), {task.id: len(task.test) for task in chosen})
        say(f"two attempts for every test input are in {submission}")
    elif submission is not None:
        tell(f"{submission} is not written: {counted(len(chosen) - len(found), 'task')} not done")
    if library is not None and finished:  # before that it must not change, for --resume
        new = keep_found(library, (found[task.id] for task in chosen))
        say(f"{said(learned)}; {counted(new, 'program')} added to {library}")
    if where := here.said(finished):
        say(where)
    if interrupted:
        raise typer.Exit(130)


def _recorded(
    options: SolveOptions,
    learned: tuple[Feature, ...],
    dataset: str,
    tasks: Sequence[Task],
    directory: Path | None,
    resume: bool,
    seconds: float | None,
    quiet: bool,
    ray: str | None,
) -> tuple[dict[str, Solution], dict[str, Any], bool]:
    """Solve those of the tasks that a record has not; their solutions, what is known of the search, a wish to stop."""
    if directory is None:
        solutions: dict[str, Solution] = {}
        return solutions, {"dataset": dataset}, _solve(options, learned, tasks, solutions, None, seconds, quiet, ray)
    with _alone_in(directory):
        record = SolveRecord(directory, options, dataset, resume=resume)
        check_tests(directory, tasks, record.solutions)
        left = [task for task in tasks if task.id not in record.solutions]
        try:
            interrupted = bool(left) and _solve(options, learned, left, record.solutions, record, seconds, quiet, ray)
        except BaseException:  # a full disk, say: it does not run any more
            with suppress(UsageError):
                record.finish("stopped")
            raise
        found = {task.id: record.solutions[task.id] for task in tasks if task.id in record.solutions}
        solved = sum(judge(task, found[task.id]).outcome in SOLVED for task in tasks if task.id in found)
        record.finish("done" if len(found) == len(tasks) else "stopped", tasks=len(tasks), solved=solved)
    return found, record.info, interrupted


def _solver(options: SolveOptions, learned: tuple[Feature, ...], stop: Stop | None = None) -> Solver:
    """A solver with the bank and what was learned."""
    return Solver(options, bank_of(options.families, options.threads, learned, options.backend), stop)


def _alone_in(directory: Path) -> RecordLock:
    """The directory of a search, made if need be, that no other process writes to."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        return RecordLock(directory)
    except OSError as error:
        raise UsageError(f"{directory}: cannot be written: {error.strerror}") from error


def _solve(
    options: SolveOptions,
    learned: tuple[Feature, ...],
    tasks: Sequence[Task],
    solutions: dict[str, Solution],
    record: SolveRecord | None,
    seconds: float | None,
    quiet: bool,
    ray: str | None,
) -> bool:
    """Solve tasks into `solutions`; whether the user asked to stop."""
    end = None if seconds is None else BEGAN + seconds
    ended = suppress(KeyboardInterrupt)  # while the bank is being compiled
    with interruptible(end) as interrupted, shown_on_stderr("tasks", quiet=quiet) as progress, ended:
        progress(0, len(tasks))

        def stop() -> bool:
            return interrupted() or (end is not None and time.monotonic() >= end)

        if stop():
            return interrupted()
        questions = map(Question.of, tasks)
        if ray is None:
            found = ((solution, "") for solution in _solver(options, learned, stop).solve(questions))
        else:
            found = solved_on(ray, options, questions, stop)
        with closing(found):
            for done, (solution, node) in enumerate(found, 1):
                solutions[solution.id] = solution
                if record:
                    record.add(solution, node)
                progress(done, len(tasks))
    return interrupted()


def _explain(options: SolveOptions, learned: tuple[Feature, ...], task: Task, out: Path | None) -> None:
    """Show the attempts at a task, their programs, and why they were ranked so."""
    known = read_solutions(out) if out else {}
    if out and task.id not in known:
        raise UsageError(f"{out}: task {task.id} is not in this record")
    if out:
        check_tests(out, [task], known)
    if not out:
        known = {one.id: one for one in _solver(options, learned).solve([Question.of(task)])}
    console = Terminal(highlight=False)
    for number, (attempts, (given, wanted)) in enumerate(zip(known[task.id].attempts, task.test, strict=True), 1):
        console.print(Text(f"{task.id}, test {number}", "bold underline"))
        panels = [Panel("input", given)]
        panels += [Panel(f"attempt {place}", one.grid) for place, one in enumerate(attempts[:_SHOWN], 1)]
        print_panels(console, panels if wanted is None else [*panels, Panel("expected", wanted)])
        for place, one in enumerate(attempts[:_SHOWN], 1):
            right = "" if wanted is None else ", right" if one.grid == wanted else ", wrong"
            console.print(f"attempt {place}{right}: {why(one)}")
            console.print(one.program, soft_wrap=True)
