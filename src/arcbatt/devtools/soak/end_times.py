"""How long commands take to end once they are asked to: every way, over bombs and ordinary programs, as a table.

python -m arcbatt.devtools.soak.end_times --files 200 --jobs 5

Each job has cores of its own, as if the machine did nothing else. What is printed is for docs/trust.md.
"""

from __future__ import annotations

import argparse
import datetime
import json
import multiprocessing
import os
import random
import shutil
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path

from arcbatt.devtools.soak.bombs import REPRODUCTIONS, reproduction
from arcbatt.devtools.soak.counts import Interrupt, parts
from arcbatt.devtools.soak.interrupts import WAYS, drawn_command, interrupted, make_tasks, solvers_text
from arcbatt.support.files import atomic_write
from arcbatt.support.machine import commit, cores


@dataclass
class Measured:
    """Times of commands that were asked to end, and what went wrong."""

    times: list[Interrupt] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    ended: int = 0
    """Commands that had done all before they were asked."""

    def add(self, other: Measured) -> None:
        """Add what another job measured."""
        self.times += other.times
        self.problems += other.problems
        self.ended += other.ended


def measure(numbers: Iterable[int], seed: int) -> Measured:
    """Solver files by their numbers, what once hung first, each interrupted in every way."""
    found = Measured()
    with tempfile.TemporaryDirectory(prefix="end-times-") as made:
        folder = Path(made)
        make_tasks(folder)
        for number in numbers:
            _measure_file(number, random.Random(f"end times {seed} {number}"), folder, found)
    return found


def _measure_file(number: int, draw: random.Random, folder: Path, found: Measured) -> None:
    if number < len(REPRODUCTIONS):
        kind, text = "what once hung", reproduction(number, "solve_bomb")
    else:
        kind, text = solvers_text(draw)
    (folder / "solvers.py").write_text(text)
    for way in WAYS:
        args = drawn_command(way, draw)
        shutil.rmtree(folder / "out", ignore_errors=True)
        one, problem = interrupted(args, folder, way, draw.uniform(0.3, 2.5), kind)
        if one is None:
            found.ended += 1
        else:
            found.times.append(one)
        if problem:
            found.problems.append(f"file {number}, {kind}, {args[0]}, {way}: {problem}")
            print(found.problems[-1], flush=True)


def _job(given: tuple[int, int, int, int]) -> Measured:
    job, jobs, files, seed = given
    if hasattr(os, "sched_setaffinity"):
        own = sorted(os.sched_getaffinity(0))
        each = max(1, len(own) // jobs)
        os.sched_setaffinity(0, own[job * each : (job + 1) * each] or own)
    return measure(range(job, files, jobs), seed)


def table(times: Iterable[Interrupt], title: str, group: Callable[[Interrupt], str]) -> list[str]:
    """Times to end by group, as a table of the documentation."""
    groups: dict[str, list[float]] = {}
    for one in times:
        groups.setdefault(group(one), []).append(one.seconds)
    return [
        f"| {title} | asked to end | median | 90 % | 99 % | most |",
        "|---|---|---|---|---|---|",
        *(f"| {name} | {len(some)} | {' | '.join(parts(some))} |" for name, some in sorted(groups.items())),
    ]


def main() -> None:
    """Measure, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=1, help="so many at a time")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    found = Measured()
    with multiprocessing.get_context("spawn").Pool(given.jobs) as pool:
        for part in pool.imap(_job, [(job, given.jobs, given.files, given.seed) for job in range(given.jobs)]):
            found.add(part)
    times = found.times
    today, loads = datetime.datetime.now(datetime.UTC).date(), [one.load for one in times] or [0.0]
    lines = [
        f"{today}, {commit() or '?'}, {cores()} cores, {given.jobs} at a time, seed {given.seed}, load per core "
        f"{min(loads):.1f} to {max(loads):.1f}: {given.files} solver files, {len(times)} commands asked to end, "
        f"{found.ended} more had ended; {len(found.problems)} problems.",
        "",
        *table(times, "by", lambda one: one.how),
        "",
        *table(times, "programs", lambda one: one.what.partition(", ")[2]),
        "",
        *table(times, "command", lambda one: f"`{one.what.partition(', ')[0]}`"),
        "",
        "The longest:",
    ]
    for one in sorted(times, key=lambda one: -one.seconds)[:10]:
        lines.append(f"  {one.seconds:.2f} s, {one.processor_seconds:.2f} s of processors: {one.how}, {one.what}")
    print("\n".join([*lines, *found.problems]))
    if given.json:
        with atomic_write(given.json) as file:
            json.dump([asdict(one) for one in times], file, indent=1)
    raise SystemExit(1 if found.problems else 0)


if __name__ == "__main__":
    main()
