"""`arcbatt report`."""

from __future__ import annotations

from collections import Counter
from contextlib import nullcontext
from pathlib import Path

import typer

from arcbatt.cli.progress import shown_on_stderr
from arcbatt.cli.solved import read_search
from arcbatt.cli.tasks import tell
from arcbatt.errors import UsageError
from arcbatt.report.html import report_html
from arcbatt.report.reading import read_report
from arcbatt.runs.kept import find_run
from arcbatt.runs.record import RunRecord
from arcbatt.search.record import is_solve_record
from arcbatt.search.report import Outcome, solve_html
from arcbatt.support.files import atomic_output


def write_report(run: str | None, against: str | None, file: Path, count: int) -> None:
    """Write the report of a run (default: the last one) or of what was solved, against an earlier run if asked."""
    if count < 1:
        raise UsageError(f"--count is a number above 0, got {count}")
    directory = find_run(run)
    if run is None:
        tell(f"of the last run, {directory}")
    if is_solve_record(directory):
        if against:
            raise UsageError(f"{directory} is a search: --against compares runs")
        return _write_solve_report(directory, file, count)
    earlier = RunRecord.open(find_run(against)) if against else nullcontext()
    with earlier as before, RunRecord.open(directory) as record, shown_on_stderr("tasks") as progress:
        report = read_report(record, count, before, progress)
    page = report_html(report)
    with atomic_output(file) as out:
        out.write(page)
    counts = "; ".join(f"{one.value}: {len(tasks):,}" for one, tasks in report.by_standing.items() if tasks)
    changed = f"; changed: {len(report.against.tasks):,}" if report.against else ""
    typer.echo(f"{file}: {counts or 'no tasks'}{changed}; {len(page.encode()):,} bytes")


def _write_solve_report(directory: Path, file: Path, limit: int) -> None:
    asked, judged = read_search(directory)
    page = solve_html(f"Solving {asked['dataset']}", asked["options"], judged, limit)
    with atomic_output(file) as out:
        out.write(page)
    counts = Counter(one.outcome.value for one in judged)
    said = "; ".join(f"{one.value}: {counts[one.value]:,}" for one in Outcome if counts[one.value])
    typer.echo(f"{file}: {said or 'no tasks'}; {len(page.encode()):,} bytes")
