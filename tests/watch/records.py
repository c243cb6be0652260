"""Records for the tests: runs that really ran, small, and searches written as `arcbatt solve` writes them."""

from __future__ import annotations

import json
import sqlite3
import time
from pathlib import Path

from arcbatt.data.tasks import Task
from arcbatt.runs.options import RunOptions
from arcbatt.runs.record import INFO, RESULTS
from arcbatt.runs.runner import Summary, run
from arcbatt.search.options import SolveOptions
from arcbatt.search.record import SolveRecord
from arcbatt.search.solution import Attempt, Solution
from arcbatt.syntax import parse_text

GRID = ((1, 2, 0), (3, 4, 0))
MIRRORED = ((0, 2, 1), (0, 4, 3))
ALMOST = ((0, 2, 1), (0, 4, 4))
PROGRAMS = """
def solve_mirror(I):
    return vmirror(I)

def solve_same(I):
    return I

def solve_nothing(I):
    return first(objects(canvas(0, (2, 2)), T, F, T))
"""


def tasks() -> list[Task]:
    """One that `mirror` solves, and one that it nearly does."""
    return [
        Task("solved", ((GRID, MIRRORED),), ((GRID, MIRRORED),)),
        Task("nearly", ((GRID, ALMOST),), ((GRID, ALMOST),)),
    ]


def make_run(folder: Path, **options) -> Summary:
    chosen = RunOptions(backend="cpu", threads=1, dataset="tiny", **options)
    done = run(chosen, parse_text(PROGRAMS).check(), tasks(), out=folder)
    done.record.close()
    return done


def set_state(folder: Path, **changes) -> None:
    info = json.loads((folder / INFO).read_text())
    (folder / INFO).write_text(json.dumps(info | changes))


def make_old(folder: Path) -> None:
    """Take away what records of earlier versions do not have."""
    with sqlite3.connect(folder / RESULTS) as connection:
        connection.executescript("DROP TABLE progress; DROP TABLE pace; DROP TABLE tier; PRAGMA user_version = 2")
    connection.close()


def make_search(folder: Path, count: int = 3) -> SolveRecord:
    record = SolveRecord(folder, SolveOptions(), "tiny", resume=False)
    for number in range(count):
        found = Attempt(MIRRORED, 1.0, 2, "single", 3.0, "def solve_x(I):\n    return vmirror(I)\n")
        guess = Attempt(GRID)
        first = (found, guess) if number % 3 != 2 else (guess, guess)
        record.add(Solution(f"task{number}", (first,), 0.1 * (number + 1)))
    return record


def age(folder: Path, seconds: float) -> None:
    """Let every file of a record be so old."""
    import os

    then = time.time() - seconds
    for file in folder.iterdir():
        os.utime(file, (then, then))
