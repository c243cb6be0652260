"""`arcbatt report`."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import typer

from arcbatt.cli.progress import shown_on_stderr
from arcbatt.cli.tasks import tell
from arcbatt.errors import UsageError
from arcbatt.report.html import report_html
from arcbatt.report.reading import read_report
from arcbatt.runs.kept import find_run
from arcbatt.runs.record import RunRecord
from arcbatt.support.files import atomic_output


def write_report(run: str | None, against: str | None, file: Path, count: int) -> None:
    """Write a run's report (default: the last one's) as one HTML file, compared with an earlier run if one is given."""
    if count < 1:
        raise UsageError(f"--count is a number above 0, got {count}")
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
