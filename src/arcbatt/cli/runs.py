"""`arcbatt runs`: the runs that are kept, one of them, and two side by side."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

import typer

from arcbatt.cli.solved import print_search, read_search
from arcbatt.cli.summary import Shape, print_run
from arcbatt.cli.terminal import print_lines, table
from arcbatt.errors import DataError, UsageError
from arcbatt.runs.comparison import Comparison, ProgramChange, TaskChange, compare_runs
from arcbatt.runs.kept import KEPT_BYTES, KEPT_RUNS, KeptRun, find_run, kept_runs, runs_folder
from arcbatt.runs.lock import is_being_written
from arcbatt.runs.outcomes import Standing
from arcbatt.runs.record import RunRecord
from arcbatt.search.record import is_solve_record, read_info
from arcbatt.support.text import counted

_SHOWN: Final = 20
"""Rows of a list without `--all`."""


def list_runs(as_json: bool) -> None:
    """Print the runs that are kept, the newest last."""
    rows = [_facts(one) for one in kept_runs()]
    if as_json:
        typer.echo(json.dumps(rows, indent=2))
        return
    if not rows:
        typer.echo(f"no run is kept in {runs_folder()}")
        return
    head = ("run", "started", "state", "solved", "programs", "MB", "data set")
    print_lines(table(head, [_row(one) for one in rows], right=(0, 3, 4, 5)))
    print_lines(
        [
            f"in {runs_folder()}, at most {KEPT_RUNS} and {KEPT_BYTES >> 30} GiB: the oldest go first; "
            "a run without MB is in a directory of yours"
        ]
    )


def show_run(name: str | None, shape: Shape) -> None:
    """Print what came of a run; without a name, of the last one."""
    directory = find_run(name)
    if is_solve_record(directory):
        info, judged = read_search(directory)
        print_search(info, judged, shape, directory)
    else:
        with RunRecord.open(directory) as record:
            print_run(record, shape)
    if shape.for_people:
        typer.echo(f"the {'search' if is_solve_record(directory) else 'run'} is in {directory}")


def delete_runs(names: Sequence[str], everything: bool) -> None:
    """Delete runs that are kept, by number; of one in a directory of the user's own only the note of it."""
    known = {str(one.number): one for one in kept_runs()}
    if bool(names) == everything:
        raise UsageError("name the runs to delete by their numbers, or give --all")
    if unknown := [name for name in names if name not in known]:
        raise UsageError(f"no run {', '.join(unknown)} is kept in {runs_folder()}")
    for one in [known[name] for name in dict.fromkeys(names)] if names else known.values():
        if is_being_written(one.place):
            raise UsageError(f"run {one.number} is being written")
        said = f"forgot run {one.number}; {one.directory} stays" if one.is_link else f"deleted run {one.number}"
        one.delete()
        typer.echo(said)


def diff_runs(a: str | None, b: str | None, everything: bool, as_json: bool) -> None:
    """Print what changed from one run to another; without names, between the last two."""
    known = [str(one.number) for one in kept_runs() if not one.is_search]
    if a is None and len(known) < 2:
        raise UsageError(f"two runs are needed, {counted(len(known), 'is', 'are')} kept in {runs_folder()}")
    directories = [find_run(name, search=False) for name in (known[-2] if a is None else a, b)]
    for directory in directories:
        if is_solve_record(directory):
            raise UsageError(f"{directory} is a search; runs diff compares runs")
    with RunRecord.open(directories[0]) as before, RunRecord.open(directories[1]) as after:
        found = compare_runs(before, after)
        if as_json:
            typer.echo(json.dumps(_data(found), indent=2))
        else:
            print_lines(_lines(found, before, after, everything))


def _facts(one: KeptRun) -> dict[str, Any]:
    """What a list says of a run; a damaged one says so as its state."""
    found: dict[str, Any] = {"run": one.number, "directory": str(one.directory), "bytes": one.bytes}
    found["kind"] = "search" if one.is_search else "run"
    try:
        if one.is_search:
            info = read_info(one.place)
        else:
            with RunRecord.open(one.place) as record:
                info = record.info
    except (DataError, UsageError):
        return {**found, "state": "damaged"}
    state = str(info.get("state") or "unknown")
    if state == "running" and not is_being_written(one.place):
        state = "killed"
    names = ("started", "dataset", "programs", "tasks", "solved")
    return {**found, "state": state, **{name: info.get(name) for name in names}}


def _row(one: dict[str, Any]) -> tuple[str, ...]:
    figures = one.get("solved"), one.get("tasks")
    solved = "" if None in figures else f"{figures[0]:,} of {figures[1]:,}"
    size = f"{one['bytes'] / 1e6:,.1f}" if one["bytes"] else ""
    programs = "" if one.get("programs") is None else f"{one['programs']:,}"
    what = f"{one.get('dataset') or ''}{' (search)' if one['kind'] == 'search' else ''}"
    started = str(one.get("started") or "").replace("T", " ")[:16]
    return str(one["run"]), started, one["state"], solved, programs, size, what


def _lines(found: Comparison, before: RunRecord, after: RunRecord, everything: bool) -> list[str]:
    lines = []
    for which, record, these in (("before", before, found.before), ("after", after, found.after)):
        solved = sum(one.standing is Standing.SOLVED for one in these)
        programs = counted(record.info["programs"], "program")
        lines.append(
            f"{which}: {solved:,} of {counted(len(these), 'task')} solved by {programs}; {record.state}, "
            f"{record.directory}"
        )
    lines.append(f"{counted(found.common, 'task')} in both")
    lines += [f"option {flag}: {one} before, {two} after" for flag, one, two in found.options]
    for title, changes in (
        ("no longer solved", found.lost),
        ("newly solved", found.gained),
        ("otherwise changed", found.others),
    ):
        lines += _section(f"{title}: {counted(len(changes), 'task')}", _CHANGE, map(_change, changes), everything)
    programs_changed = [_program(one) for one in found.programs]
    title = f"programs that changed: {len(programs_changed):,}"
    return lines + _section(title, ("program", "solved before", "after", ""), programs_changed, everything)


_CHANGE: Final = ("task", "before", "after", "by")


def _section(title: str, head: Sequence[str], rows: Any, everything: bool) -> list[str]:
    found = list(rows)
    shown = found if everything else found[:_SHOWN]
    lines = ["", title, *(table(head, shown, right=(1, 2) if head[0] == "program" else ()) if shown else [])]
    return lines + ([f"and {len(found) - len(shown):,} more: --all lists them"] if len(found) > len(shown) else [])


def _change(one: TaskChange) -> tuple[str, ...]:
    signed = [*(f"+{name}" for name in one.gained), *(f"-{name}" for name in one.lost)]
    more = f" and {len(signed) - 6} more" if len(signed) > 6 else ""
    return one.task, one.before.standing.value, one.after.standing.value, " ".join(signed[:6]) + more


def _program(one: ProgramChange) -> tuple[str, ...]:
    counts = ["not in it" if count is None else f"{count:,}" for count in (one.before, one.after)]
    return one.program, *counts, "rewritten" if one.rewritten else ""


def _data(found: Comparison) -> dict[str, Any]:
    def changes(these: Sequence[TaskChange]) -> list[dict[str, Any]]:
        return [
            {
                "task": one.task,
                "before": one.before.standing.value,
                "after": one.after.standing.value,
                "gained": list(one.gained),
                "lost": list(one.lost),
            }
            for one in these
        ]

    return {
        "common_tasks": found.common,
        "options": [{"option": flag, "before": one, "after": two} for flag, one, two in found.options],
        "gained": changes(found.gained),
        "lost": changes(found.lost),
        "changed": changes(found.others),
        "programs": [vars(one) for one in found.programs],
    }
