"""How long commands take to end once they are asked to: every way, over bombs and ordinary programs, as a table.

python -m arcbatt.devtools.soak.end_times --files 200
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import tempfile
from dataclasses import asdict
from pathlib import Path

from arcbatt.devtools.soak.bombs import REPRODUCTIONS, reproduction
from arcbatt.devtools.soak.counts import Interrupt, interrupt_table
from arcbatt.devtools.soak.interrupts import WAYS, drawn_command, interrupted, make_tasks, solvers_text
from arcbatt.support.files import atomic_write


def measure(files: int, seed: int, folder: Path) -> tuple[list[Interrupt], list[str]]:
    """Solver files, what once hung among them, each interrupted in every way; times, and what went wrong."""
    times: list[Interrupt] = []
    problems: list[str] = []
    make_tasks(folder)
    for number in range(files):
        draw = random.Random(f"end times {seed} {number}")
        if number < len(REPRODUCTIONS):
            kind, text = f"reproduction {number}", reproduction(number, "solve_bomb")
        else:
            kind, text = solvers_text(draw)
        (folder / "solvers.py").write_text(text)
        for way in WAYS:
            args = drawn_command(way, draw)
            shutil.rmtree(folder / "out", ignore_errors=True)
            found, problem = interrupted(args, folder, way, draw.uniform(0.3, 2.5), f"{kind}, file {number}")
            times += [found] if found else []
            if problem:
                problems.append(f"file {number}, {kind}, {args[0]}, {way}: {problem}")
                print(problems[-1], flush=True)
    return times, problems


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="end-times-"))
    try:
        times, problems = measure(given.files, given.seed, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print("\n".join(interrupt_table(times)))
    for one in sorted(times, key=lambda one: -one.seconds)[:10]:
        print(f"  {one.seconds:.2f} s, {one.processor_seconds:.2f} s of processors: {one.how}, {one.what}")
    if given.json:
        with atomic_write(given.json) as file:
            json.dump([asdict(one) for one in times], file, indent=1)
    raise SystemExit(1 if problems else 0)


if __name__ == "__main__":
    main()
