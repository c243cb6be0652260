"""`arcbatt report`."""

from __future__ import annotations

from collections import Counter
from contextlib import nullcontext
from pathlib import Path

import typer

from arcbatt.cli.progress import shown_on_stderr
from arcbatt.cli.tasks import tell
from arcbatt.data.taskset import open_tasks
from arcbatt.errors import UsageError
from arcbatt.report.html import report_html
from arcbatt.report.reading import read_report
from arcbatt.runs.kept import find_run
from arcbatt.runs.record import RunRecord
from arcbatt.search.record import check_tests, is_solve_record, read_options, read_solutions
from arcbatt.search.report import Outcome, judge, solve_html
from arcbatt.support.files import atomic_output


def write_report(run: str | None, against: str | None, file: Path, count: int) -> None:
    """Write the report of a run (default: the last one) or of what was solved, against an earlier run if asked."""
    if count < 1:
        raise UsageError(f"--count is a number above 0, got {count}")
    if run is not None and is_solve_record(Path(run)):
        return _write_solve_report(Path(run), file, count)
    directory = find_run(run)
    if run is None:
        tell(f"of the last run, {directory}")
    earlier = RunRecord.open(find_run(against)) if against else nullcontext()
    with earlier as before, RunRecord.open(directory) as record, shown_on_stderr("tasks") as progress:
        report = read_report(record, count, before, progress)
    page = report_html(report)
    with atomic_output(file) as out:
        out.write(page)
    counts = ", ".join(f"{count:,} {one.value}" for one, tasks in report.by_standing.items() if (count := len(tasks)))
    changed = f"; {len(report.against.tasks):,} changed" if report.against else ""
    typer.echo(f"{file}: {counts or 'no tasks'}{changed}; {len(page.encode()):,} bytes")


def _write_solve_report(directory: Path, file: Path, limit: int) -> None:
    asked = read_options(directory)
    solutions = read_solutions(directory)
    tasks = open_tasks(asked["dataset"]).only(solutions) if solutions else ()
    check_tests(directory, tasks, solutions)
    judged = [judge(task, solutions[task.id]) for task in tasks]
    page = solve_html(f"Solving {asked['dataset']}", asked["options"], judged, limit)
    with atomic_output(file) as out:
        out.write(page)
    counts = Counter(one.outcome.value for one in judged)
    said = ", ".join(f"{counts[one.value]:,} {one.value}" for one in Outcome if counts[one.value])
    typer.echo(f"{file}: {said or 'no tasks'}; {len(page.encode()):,} bytes")
