"""`arcbatt submit`."""

from __future__ import annotations

from pathlib import Path

from arcbatt.cli.tasks import tell
from arcbatt.cli.terminal import print_lines
from arcbatt.data.tasks import load_tasks
from arcbatt.runs.kept import find_run
from arcbatt.runs.record import RunRecord
from arcbatt.scoring.api import submit
from arcbatt.scoring.from_run import Chosen
from arcbatt.support.text import counted


def make_submission(run: str | None, output: Path, dataset: str | None) -> None:
    """Choose attempts from a run (default: the last one), write them, and say where they come from."""
    directory = find_run(run)
    if run is None:
        tell(f"of the last run, {directory}")
    with RunRecord.open(directory) as record:
        if record.state != "done":
            tell(f"{directory}: this run is not done ({record.state}); using what is there")
        chosen = submit(record, output, load_tasks(dataset, report=tell) if dataset else None)
    if chosen.not_run:
        many = counted(len(chosen.not_run), "task")
        tell(f"{many} of the challenge not in the run, such as {chosen.not_run[0]}")
    if chosen.peeking:
        many = counted(len(chosen.peeking), "program")
        tell(f"{many} left out for reading the expected output, such as {chosen.peeking[0]}")
    print_lines([_summary(output, chosen)])


def _summary(output: Path, chosen: Chosen) -> str:
    firsts = [pair[0] for pairs in chosen.picks.values() for pair in pairs]
    solving = sum(pick.solves for pick in firsts)
    near = sum(pick.program is not None for pick in firsts) - solving
    what = f"{counted(len(chosen.picks), 'task')}, {counted(len(firsts), 'test input')}"
    return (
        f"{output}: {what}; first attempts: {solving:,} by programs "
        f"that solve all demonstrations, {near:,} by near misses, {len(firsts) - solving - near:,} guesses"
    )
