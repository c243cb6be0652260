"""`arcbatt solve`: programs found for tasks."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path

import typer
from rich.text import Text

from arcbatt.cli import BEGAN
from arcbatt.cli.progress import interruptible, shown_on_stderr
from arcbatt.cli.tasks import tell
from arcbatt.cli.terminal import Terminal
from arcbatt.data.tasks import Task
from arcbatt.data.taskset import open_tasks
from arcbatt.display.terminal import Panel, print_panels
from arcbatt.errors import UsageError
from arcbatt.scoring.attempts import Question
from arcbatt.scoring.submission import write_submission
from arcbatt.search.options import SolveOptions
from arcbatt.search.record import SolveRecord, read_solutions
from arcbatt.search.report import why
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
    resume: bool,
    submission: Path | None,
    explain: str | None,
    quiet: bool,
    ray: str | None = None,
) -> None:
    """Solve tasks, record them, write a submission, and say what came of it; or show how one task fared."""
    tasks = open_tasks(dataset, report=tell)
    if explain is not None:
        return _explain(options, tasks.only([explain])[0], out)
    if ids:
        tasks = tasks.only(dict.fromkeys(ids))
    chosen = list(tasks if count is None else tasks[:count])
    record = SolveRecord(out, options, dataset, resume=resume) if out else None
    solutions: dict[str, Solution] = record.solutions if record else {}
    left = [task for task in chosen if task.id not in solutions]
    start = time.monotonic()
    interrupted = bool(left) and _solve(options, left, solutions, record, seconds, quiet, ray)
    finished = all(task.id in solutions for task in chosen)
    done = [task for task in chosen if task.id in solutions]
    typer.echo(_summary(done, solutions, time.monotonic() - start))
    if submission is not None and finished:
        write_submission(
            submission,
            submission_of({task.id: solutions[task.id] for task in chosen}),
            {task.id: len(task.test) for task in chosen},
        )
        typer.echo(f"two attempts for every test input are in {submission}")
    elif submission is not None:
        tell(f"{submission} is not written: {counted(len(chosen) - len(done), 'task')} not done")
    if out is not None:
        typer.echo(f"solutions are in {out}" + ("" if finished else "; go on with the same command and --resume"))
    if interrupted:
        raise typer.Exit(130)


def _solve(
    options: SolveOptions,
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
    with interruptible() as interrupted, shown_on_stderr("tasks", quiet=quiet) as progress, ended:
        progress(0, len(tasks))

        def stop() -> bool:
            return interrupted() or (end is not None and time.monotonic() >= end)

        questions = map(Question.of, tasks)
        if ray is None:
            found = ((solution, "") for solution in Solver(options, stop=stop).solve(questions))
        else:
            found = solved_on(ray, options, questions, stop)
        with closing(found):
            for done, (solution, node) in enumerate(found, 1):
                solutions[solution.id] = solution
                if record:
                    record.add(solution, node)
                progress(done, len(tasks))
    return interrupted()


def _summary(tasks: Sequence[Task], solutions: dict[str, Solution], seconds: float) -> str:
    found = [solutions[task.id] for task in tasks if solutions[task.id].found]
    lines = [f"{counted(len(tasks), 'task')} in {seconds:.1f} s: programs found for {len(found):,}"]
    judged = [task for task in tasks if all(wanted is not None for _, wanted in task.test)]
    if judged:
        right = Counter(_which_is_right(task, solutions[task.id]) for task in judged)
        lines.append(f"solved {right[1] + right[2]:,} of {len(judged):,}: {right[1]:,} at the first attempt")
        kinds = Counter(
            solutions[task.id].attempts[0][0].combiner for task in judged if _which_is_right(task, solutions[task.id])
        )
        lines.append("by " + ", ".join(f"{name} {many:,}" for name, many in kinds.most_common()))
    return "\n".join(lines if judged and right[1] + right[2] else lines[:2])


def _which_is_right(task: Task, solution: Solution) -> int:
    """The attempts that a task needs, 1 or 2, or 0 where it is not solved."""
    needed = [
        next((number for number, grid in enumerate(pair, 1) if grid == wanted), 0)
        for pair, (_, wanted) in zip(solution.pairs, task.test, strict=True)
    ]
    return max(needed) if all(needed) else 0


def _explain(options: SolveOptions, task: Task, out: Path | None) -> None:
    """Show the attempts at a task, their programs, and why they were ranked so."""
    known = read_solutions(out) if out else {}
    if out and task.id not in known:
        raise UsageError(f"{out}: task {task.id} is not in this record")
    if not out:
        known = {one.id: one for one in Solver(options).solve([Question.of(task)])}
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
