"""`arcbatt profile`."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import typer

from arcbatt.cli.progress import shown_on_stderr
from arcbatt.cli.read import read_programs
from arcbatt.devtools.profile import Profile, Tally, chrome_trace, profile, profile_lines
from arcbatt.devtools.verify.workload import spread_tasks
from arcbatt.errors import UsageError
from arcbatt.language.limits import MAX_STEPS
from arcbatt.support.files import atomic_output
from arcbatt.support.text import counted


def print_profile(
    solvers: list[Path],
    dataset: str,
    count: int | None,
    threads: int,
    program: str | None,
    top: int,
    trace: Path | None,
    file: Path | None,
    gpus: bool = True,
    max_steps: int | None = None,
) -> None:
    """Print where the time goes; with a program's name, by its lines."""
    programs = [one for one in read_programs(solvers) if not one.name.startswith("differ_")]
    tasks = spread_tasks(dataset, count)
    samples = [sample for task in tasks for sample in task.samples]
    if program is not None:
        chosen = [one for one in programs if program in (one.name, one.id)]
        if not chosen:
            raise UsageError(f"no program {program!r} among {len(programs):,}")
        for line in profile_lines(chosen[0], samples, max_steps or MAX_STEPS):
            typer.echo(f"{_line_figures(line.tally)}  {line.text}")
        return
    labels = [f"{task.id} {number}" for task in tasks for number in range(len(task.samples))]
    with shown_on_stderr("samples") as progress:
        found = profile(
            programs, samples, threads=threads, labels=labels, gpus=gpus, max_steps=max_steps or MAX_STEPS,
            progress=progress,
        )  # fmt: skip
    _print_stages(found)
    _print_primitives(found, top)
    _print_programs(found, top)
    _print_sharing(found)
    _print_devices(found)
    for path, content in ((trace, chrome_trace), (file, as_data)):
        if path is not None:
            with atomic_output(path) as out:
                out.write(json.dumps(content(found), indent=None if path is trace else 1) + "\n")
            typer.echo(
                f"{path} written" + (": open it in ui.perfetto.dev or chrome://tracing" if path is trace else "")
            )


def as_data(found: Profile) -> dict[str, Any]:
    """A profile as plain data."""
    return {
        "programs": found.programs,
        "samples": found.samples,
        "threads": found.threads,
        "run_seconds": found.run_seconds,
        "executed_calls": found.executed,
        "equivalent_calls": found.equivalent,
        "stages": {stage.name: stage.seconds for stage in found.stages if stage.lane == "stages"},
        "primitives": {name: vars(tally) for name, tally in found.by_primitive().items()},
        "by_program": {name: vars(share) for name, share in found.by_program().items()},
        "rerouted": {str(route): count for route, count in found.rerouted.items()},
        "devices": [{"side": one.side, "seconds": one.seconds, **asdict(one.stats)} for one in found.devices],
        "patterns": vars(found.stats) | {"unresolved": dict(found.stats.unresolved)},
    }


def _print_stages(found: Profile) -> None:
    programs, samples = counted(found.programs, "program"), counted(found.samples, "sample")
    typer.echo(f"{programs} on {samples}, {counted(found.threads, 'thread')}")
    for stage in found.stages:
        if stage.lane == "stages":
            typer.echo(f"  {stage.seconds:9.3f} s  {stage.name}")
    slower = 100 * (found.watched_seconds / max(found.run_seconds, 1e-9) - 1)
    typer.echo(f"the watch made the run {slower:.0f}% slower; times below are of the run without it\n")


def _print_primitives(found: Profile, top: int) -> None:
    rows = found.by_primitive()
    total = sum(tally.seconds for tally in rows.values())
    typer.echo(
        f"{'primitive':<16}{'calls':>13}{'seconds':>9}{'share':>7}{'ns a call':>11}{'failed':>11}{'bytes/call':>12}"
    )
    for name, tally in list(rows.items())[:top]:
        each = max(tally.calls, 1)
        typer.echo(
            f"{name:<16}{tally.calls:>13,}{tally.seconds:>9.3f}{tally.seconds / max(total, 1e-12):>7.1%}"
            f"{1e9 * tally.seconds / each:>11,.0f}{tally.failed:>11,}{tally.bytes / each:>12,.0f}"
        )
    if len(rows) > top:
        rest = sum(tally.seconds for tally in list(rows.values())[top:])
        typer.echo(f"and {len(rows) - top} more, {rest:.3f} s")
    typer.echo("")


def _print_programs(found: Profile, top: int) -> None:
    rows = found.by_program()
    typer.echo(f"{'program':<22}{'seconds':>10}{'not shared':>12}{'calls alone':>14}")
    for name, share in list(rows.items())[:top]:
        typer.echo(f"{name:<22}{share.fair:>10.3f}{share.alone:>12.3f}{share.calls:>14,}")
    typer.echo("")


def _print_sharing(found: Profile) -> None:
    stats = found.stats
    saved = 1 - found.executed / max(found.equivalent, 1)
    typer.echo(f"calls: {found.executed:,} executed, {found.equivalent:,} equivalent: sharing saved {saved:.1%}")
    typer.echo(f"  {stats.calls:,} calls as written, {stats.merged_calls:,} after merging, {stats.nodes:,} nodes")
    typer.echo(f"  folded {stats.folded:,}, simplified {stats.simplified:,}, shared in bodies {stats.body_shared:,}, "
               f"hoisted {stats.hoisted:,}")  # fmt: skip
    typer.echo(f"rerouted: {counted(found.rerouted.total(), 'evaluation')}")
    for route, number in found.rerouted.most_common(8):
        typer.echo(f"  {number:>9,} {route}")


def _print_devices(found: Profile) -> None:
    for one in found.devices:
        stats = one.stats
        typer.echo(f"\n{one.side}: {1e3 * one.seconds:,.2f} ms, {stats.milliseconds:,.2f} of it until the GPU was done")
        typer.echo(
            f"  {len(stats.batches):,} batches of {stats.waves:,} waves, a heap of {stats.heap_bytes / 1e9:.2f} GB; "
            f"evaluations left to the CPU: {stats.on_cpu:,}"
        )
        for tried in stats.tried if len(stats.tried) > 1 else ():
            typer.echo(f"  {tried}")


def _line_figures(tally: Tally | None) -> str:
    if tally is None:
        return f"{'':>11}{'':>13}{'':>16}"
    return f"{1e3 * tally.seconds:>8.3f} ms{tally.calls:>7,} calls{tally.failed:>9,} failed"
