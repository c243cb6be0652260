"""What came of a search, for people and for programs: `arcbatt solve` and `arcbatt runs show` print it."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import typer

from arcbatt.cli.summary import SHOWN_TASKS, Shape, names_in_lines
from arcbatt.cli.terminal import print_lines, table
from arcbatt.data.taskset import open_tasks
from arcbatt.search.record import check_tests, read_info, read_solutions
from arcbatt.search.report import Judged, Outcome, judge
from arcbatt.support.text import counted

SOLVED: Final = (Outcome.FIRST, Outcome.SECOND)
_COLUMNS: Final = ("task", "outcome", "by", "seconds")


def read_search(directory: Path) -> tuple[dict[str, Any], list[Judged]]:
    """What a search was asked for, and what came of its tasks."""
    info, solutions = read_info(directory), read_solutions(directory)
    tasks = open_tasks(info["dataset"]).only(solutions) if solutions else ()
    check_tests(directory, tasks, solutions)
    return info, [judge(task, solutions[task.id]) for task in tasks]


def print_search(info: dict[str, Any], judged: Sequence[Judged], shape: Shape, directory: Path | None) -> None:
    """Print what came of a search: failures before successes, the headline first and last."""
    solved = [one for one in judged if one.outcome in SOLVED]
    failed = [one for outcome in Outcome if outcome not in SOLVED for one in judged if one.outcome is outcome]
    if shape.json:
        listed = failed if shape.failed else [*failed, *solved]
        typer.echo(json.dumps(_data(info, judged, None if shape.summary else listed, directory), indent=2))
    elif shape.csv:
        typer.echo(_csv(failed if shape.failed else [*failed, *solved]), nl=False)
    else:
        headline = _headline(judged)
        lines = [] if shape.summary else [headline, *_tasks(failed, solved, shape), ""]
        print_lines([*lines, headline, *_figures(judged)])


def _headline(judged: Sequence[Judged]) -> str:
    counts = Counter(one.outcome for one in judged)
    known = [one for one in judged if all(wanted is not None for _, wanted in one.task.test)]
    found = f"programs found for {sum(one.solution.found for one in judged):,} of {counted(len(judged), 'task')}"
    if not known:
        return f"{found}; every expected output is hidden" if judged else found
    solved = sum(counts[outcome] for outcome in SOLVED)
    said = (
        f"{solved:,} of {counted(len(known), 'task')} solved, {counts[Outcome.FIRST]:,} at the first attempt; {found}"
    )
    hidden = len(judged) - len(known)
    return said + (f"; of {counted(hidden, 'task')} an expected output is hidden" if hidden else "")


def _tasks(failed: Sequence[Judged], solved: Sequence[Judged], shape: Shape) -> Iterator[str]:
    for outcome in dict.fromkeys(one.outcome for one in failed):
        names = [one.task.id for one in failed if one.outcome is outcome]
        shown = names if shape.everything or shape.failed else names[:SHOWN_TASKS]
        yield f"\n{outcome.value}: {counted(len(names), 'task')}"
        yield from names_in_lines(shown)
        if len(names) > len(shown):
            yield f"and {len(names) - len(shown):,} more: --failed lists them"
    if solved and not shape.failed:
        yield ""
        if shape.everything:
            rows = [(one.task.id, one.outcome.value, _by(one), f"{one.solution.seconds:.2f}") for one in solved]
            yield from table(_COLUMNS, rows, right=(3,))
        else:
            yield f"{counted(len(solved), 'solved task')}: --all lists them"


def _figures(judged: Sequence[Judged]) -> Iterator[str]:
    """What found the solved ones, and the time."""
    if kinds := Counter(_by(one) for one in judged if one.outcome in SOLVED):
        yield "found by: " + ", ".join(f"{name} {many:,}" for name, many in kinds.most_common())
    yield f"{sum(one.solution.seconds for one in judged):,.1f} s of one core for the tasks"


def _by(one: Judged) -> str:
    return one.solution.attempts[0][0].combiner


def _data(
    info: dict[str, Any], judged: Sequence[Judged], listed: Sequence[Judged] | None, directory: Path | None
) -> dict[str, Any]:
    counts = Counter(one.outcome for one in judged)
    found: dict[str, Any] = {
        "run": str(directory) if directory else None,
        "state": info.get("state"),
        "dataset": info["dataset"],
        "tasks": len(judged),
        "solved": sum(counts[outcome] for outcome in SOLVED),
        "outcomes": {outcome.value: counts[outcome] for outcome in Outcome},
        "seconds": sum(one.solution.seconds for one in judged),
    }
    if listed is not None:
        found["results"] = [
            {
                "task": one.task.id,
                "outcome": one.outcome.value,
                "by": _by(one),
                "seconds": one.solution.seconds,
                "programs": [test[0].program for test in one.solution.attempts],
            }
            for one in listed
        ]
    return found


def _csv(judged: Sequence[Judged]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for one in judged:
        writer.writerow((one.task.id, one.outcome.value, _by(one), f"{one.solution.seconds:.3f}"))
    return out.getvalue()
