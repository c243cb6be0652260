"""`arcbatt report`."""

from __future__ import annotations

from pathlib import Path

import typer

from arcbatt.errors import UsageError
from arcbatt.report.html import report_html
from arcbatt.report.reading import read_report
from arcbatt.runs.record import RunRecord
from arcbatt.support.files import atomic_output


def write_report(directory: Path, file: Path, limit: int) -> None:
    """Write a run's report as one HTML file."""
    if limit < 1:
        raise UsageError(f"--limit is a number above 0, got {limit}")
    with RunRecord.open(directory) as record:
        report = read_report(record, limit)
    page = report_html(report)
    with atomic_output(file) as out:
        out.write(page)
    counts = ", ".join(f"{count:,} {one.value}" for one, tasks in report.by_standing.items() if (count := len(tasks)))
    typer.echo(f"{file}: {counts or 'no tasks'}; {len(page.encode()):,} bytes")
