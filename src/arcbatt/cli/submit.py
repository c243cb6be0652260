"""`arcbatt submit`."""

from __future__ import annotations

from pathlib import Path

import typer

from arcbatt.cli.tasks import tell
from arcbatt.data.tasks import load_tasks
from arcbatt.runs.record import RunRecord
from arcbatt.scoring.api import submit
from arcbatt.scoring.from_run import Chosen


def make_submission(directory: Path, output: Path, dataset: str | None) -> None:
    """Choose attempts from a run, write them, and say where they come from."""
    with RunRecord.open(directory) as record:
        if record.state != "done":
            tell(f"{directory}: this run is not done ({record.state}); using what is there")
        chosen = submit(record, output, load_tasks(dataset, report=tell) if dataset else None)
    if chosen.not_run:
        tell(f"{len(chosen.not_run):,} tasks of the challenge are not in the run, such as {chosen.not_run[0]}")
    if chosen.peeking:
        tell(f"{len(chosen.peeking):,} programs left out: they read the expected output, such as {chosen.peeking[0]}")
    typer.echo(_summary(output, chosen))


def _summary(output: Path, chosen: Chosen) -> str:
    firsts = [pair[0] for pairs in chosen.picks.values() for pair in pairs]
    solving = sum(pick.solves for pick in firsts)
    near = sum(pick.program is not None for pick in firsts) - solving
    return (
        f"{output}: {len(chosen.picks):,} tasks, {len(firsts):,} test inputs; first attempts: {solving:,} by programs "
        f"that solve all demonstrations, {near:,} by near misses, {len(firsts) - solving - near:,} guesses"
    )
