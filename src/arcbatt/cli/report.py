"""`arcbatt report`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import typer

from arcbatt.data.taskset import open_tasks
from arcbatt.errors import UsageError
from arcbatt.report.html import report_html
from arcbatt.report.reading import read_report
from arcbatt.runs.record import RunRecord
from arcbatt.search.record import is_solve_record, read_options, read_solutions
from arcbatt.search.report import Outcome, judge, solve_html
from arcbatt.support.files import atomic_output


def write_report(directory: Path, file: Path, limit: int) -> None:
    """Write the report of a run, or of what was solved, as one HTML file."""
    if limit < 1:
        raise UsageError(f"--limit is a number above 0, got {limit}")
    if is_solve_record(directory):
        return _write_solve_report(directory, file, limit)
    with RunRecord.open(directory) as record:
        report = read_report(record, limit)
    page = report_html(report)
    with atomic_output(file) as out:
        out.write(page)
    counts = ", ".join(f"{count:,} {one.value}" for one, tasks in report.by_standing.items() if (count := len(tasks)))
    typer.echo(f"{file}: {counts or 'no tasks'}; {len(page.encode()):,} bytes")


def _write_solve_report(directory: Path, file: Path, limit: int) -> None:
    asked = read_options(directory)
    solutions = read_solutions(directory)
    tasks = open_tasks(asked["dataset"]).only(solutions) if solutions else ()
    judged = [judge(task, solutions[task.id]) for task in tasks]
    page = solve_html(f"Solving {asked['dataset']}", asked["options"], judged, limit)
    with atomic_output(file) as out:
        out.write(page)
    counts = Counter(one.outcome.value for one in judged)
    said = ", ".join(f"{counts[one.value]:,} {one.value}" for one in Outcome if counts[one.value])
    typer.echo(f"{file}: {said or 'no tasks'}; {len(page.encode()):,} bytes")
