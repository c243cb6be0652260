"""Whether the programs that a search found give the grids that it recorded, on any backend.

    python -m arcbatt.devtools.found RECORD [RECORD ...] --backend cpu --backend cuda

Every program also runs on the test inputs of all other tasks, where backends must agree with the first one. With
`--reference` the reference evaluates each program, too, on the inputs it was recorded for; it is slow.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from arcbatt.data.tasks import Task
from arcbatt.data.taskset import open_tasks
from arcbatt.engine.choose import backend_for, make_engine
from arcbatt.engine.outputs import Outputs
from arcbatt.language.program import Program
from arcbatt.language.reference import evaluate
from arcbatt.language.sample import Sample
from arcbatt.language.values import Grid
from arcbatt.search.record import read_info, read_solutions
from arcbatt.search.solution import Solution
from arcbatt.syntax.parser import parse_text

HEAD: Final = """| backend | programs | attempts | differ | evaluations | differ from the first | rerouted | seconds |
|---|---|---|---|---|---|---|---|"""


@dataclass(frozen=True)
class Claim:
    """A program gives a grid for a test input."""

    task: str
    program: int
    sample: int
    grid: Grid


@dataclass(frozen=True)
class Claims:
    """What searches say of the programs they found."""

    programs: list[Program]
    samples: list[Sample]
    made: list[Claim]

    def wrong(self, outputs: Outputs) -> Iterator[Claim]:
        """Those that do not hold in a run."""
        assert outputs.grids is not None
        for one in self.made:
            grid = outputs.grids.grid(one.sample, one.program)
            if grid is None or grid.tolist() != [list(row) for row in one.grid]:
                yield one

    def wrong_by_reference(self) -> Iterator[Claim]:
        """Those that do not hold by the reference."""
        for one in self.made:
            if evaluate(self.programs[one.program], self.samples[one.sample]) != one.grid:
                yield one


def claims_of(searches: Sequence[tuple[Mapping[str, Task], Mapping[str, Solution]]], most: int | None = None) -> Claims:
    """What some searches say, each with its tasks; a program or an input that several have is there once.

    Of each test `most` attempts at most.
    """
    texts: dict[str, int] = {}
    inputs: dict[Grid, int] = {}
    made = dict[Claim, None]()
    for tasks, solutions in searches:
        for key, solution in solutions.items():
            for (given, _), attempts in zip(tasks[key].test, solution.attempts, strict=True):
                for one in attempts[:most]:
                    if one.program:
                        program = texts.setdefault(one.program, len(texts))
                        made[Claim(key, program, inputs.setdefault(given, len(inputs)), one.grid)] = None
    renamed = [text.replace("def solve_found(", f"def solve_{number}(", 1) for text, number in texts.items()]
    return Claims(parse_text("\n".join(renamed)).check(), [Sample(grid, (), None) for grid in inputs], list(made))


def main() -> None:
    """Run and compare; the exit status says whether all is as recorded."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", nargs="+", type=Path, metavar="RECORD")
    parser.add_argument("--backend", action="append", help="several are compared with the first; cpu")
    parser.add_argument("--reference", action="store_true", help="compare with the reference, too")
    parser.add_argument("--attempts", type=int, help="at each test at most; all")
    asked = parser.parse_args()
    searches = []
    for record in asked.records:
        solutions = read_solutions(record)
        tasks = {task.id: task for task in open_tasks(read_info(record)["dataset"]).only(solutions)}
        searches.append((tasks, solutions))
    claims = claims_of(searches, asked.attempts)
    print(HEAD, flush=True)
    first: Outputs | None = None
    differ = 0
    for backend in asked.backend or ["cpu"]:
        before = time.monotonic()
        engine = make_engine(backend_for(backend), claims.programs)
        outputs = engine.run(claims.samples, "grid", largest=900)
        seconds = time.monotonic() - before
        first = first or outputs
        wrong = list(claims.wrong(outputs))
        others = int(np.count_nonzero((outputs.statuses != first.statuses) | (outputs.hashes != first.hashes)))
        differ += len(wrong) + others
        print(
            f"| {backend} | {len(claims.programs):,} | {len(claims.made):,} | {len(wrong):,} "
            f"| {outputs.statuses.size:,} | {others:,} | {np.count_nonzero(outputs.route):,} | {seconds:,.1f} |",
            flush=True,
        )
        for one in wrong[:10]:
            print(f"{one.task}: solve_{one.program} gives another grid")
    if asked.reference:
        before = time.monotonic()
        wrong = list(claims.wrong_by_reference())
        differ += len(wrong)
        many = f"{len(claims.made):,}"
        print(
            f"| reference | {len(claims.programs):,} | {many} | {len(wrong):,} | {many} | 0 | 0 "
            f"| {time.monotonic() - before:,.1f} |"
        )
        for one in wrong[:10]:
            print(f"{one.task}: the reference gives another grid for solve_{one.program}")
    raise SystemExit(1 if differ else 0)


if __name__ == "__main__":
    main()
