"""What search solves: by budget, and without each combiner, family of features, and kind of view.

    python -m arcbatt.devtools.bench.search --budget 0.2 --budget 1 --every 4
    python -m arcbatt.devtools.bench.search --budget 1 --leave-out

Development looks at ARC-AGI-1 training without every fifth task; `--aside` measures just that fifth.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from arcbatt.data.tasks import Task
from arcbatt.data.taskset import open_tasks
from arcbatt.scoring.attempts import Question
from arcbatt.search.bank import Bank
from arcbatt.search.combine import IMAGE_COMBINERS
from arcbatt.search.combiners.find import GRID_COMBINERS
from arcbatt.search.features import BANK, features
from arcbatt.search.options import SolveOptions
from arcbatt.search.report import Outcome, judge
from arcbatt.search.solution import Solution
from arcbatt.search.solver import Solver

ASIDE: Final = 5
"""Every so manyeth task is kept aside."""


@dataclass(frozen=True)
class Figures:
    """What came of some tasks."""

    name: str
    tasks: int
    first: int
    two: int
    five: int
    nothing: int
    seconds: float

    def __str__(self) -> str:
        return (
            f"{self.name:32} {self.two:4} of {self.tasks} ({self.two / self.tasks:.1%}); first {self.first}, "
            f"among five {self.five}, nothing {self.nothing}; {self.seconds:.0f} s of a core"
        )


def kept(dataset: str, aside: bool, every: int) -> list[Task]:
    """The tasks that development sees, or those kept aside; every so manyeth of them."""
    return [task for place, task in enumerate(open_tasks(dataset)) if (place % ASIDE == ASIDE - 1) == aside][::every]


def figures(name: str, tasks: Sequence[Task], solutions: Iterable[Solution]) -> Figures:
    """Solutions counted."""
    outcomes, five, seconds = [], 0, 0.0
    for task, solution in zip(tasks, solutions, strict=True):
        outcomes.append(judge(task, solution).outcome)
        seconds += solution.seconds
        five += all(
            any(one.grid == wanted for one in attempts[:5])
            for attempts, (_, wanted) in zip(solution.attempts, task.test, strict=True)
        )
    first, second, nothing = map(outcomes.count, (Outcome.FIRST, Outcome.SECOND, Outcome.NOTHING))
    return Figures(name, len(tasks), first, first + second, five, nothing, round(seconds, 1))


def variations(options: SolveOptions) -> Iterator[tuple[str, SolveOptions]]:
    """The same search without one of its parts, each in turn."""
    for name in [one.__name__ for one in IMAGE_COMBINERS] + [one.__name__ for one, _ in GRID_COMBINERS]:
        yield f"without {name}", replace(options, without=(name,))
    yield "without turned views", replace(options, turns=0)
    yield "without numbered colours", replace(options, normalise=False)
    yield "without images of images", replace(options, grow=0)
    yield "without leaving one out", replace(options, leave_one_out=False)
    families = tuple(sorted(file.stem for file in BANK.glob("*.txt")))
    for family in families:
        yield f"without family {family}", replace(options, families=tuple(one for one in families if one != family))


def measure(tasks: Sequence[Task], wanted: Iterable[tuple[str, SolveOptions]]) -> Iterator[Figures]:
    """Figures of each way to search."""
    banks: dict[tuple[str, ...], Bank] = {}
    for name, options in wanted:
        if options.families not in banks:
            banks = {options.families: Bank(features(options.families), options.threads)}
        solver = Solver(options, banks[options.families])
        yield figures(name, tasks, solver.solve(map(Question.of, tasks)))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dataset", default="arcagi:training")
    parser.add_argument("--budget", type=float, action="append", help="seconds of a core for each task")
    parser.add_argument("--every", type=int, default=1, help="every so manyeth task")
    parser.add_argument("--aside", action="store_true", help="the fifth that is kept aside")
    parser.add_argument("--leave-out", action="store_true", help="leave each part out in turn")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--json", type=Path, help="write the figures here, too")
    asked = parser.parse_args()
    tasks = kept(asked.dataset, asked.aside, asked.every)
    found = []
    for budget in asked.budget or [1.0]:
        options = SolveOptions(budget=budget, threads=asked.threads)
        ways = [(f"{budget:g} s", options), *(variations(options) if asked.leave_out else ())]
        for one in measure(tasks, ways):
            found.append(one)
            print(one, flush=True)
    if asked.json:
        asked.json.write_text(json.dumps([vars(one) for one in found], indent=2), encoding="utf-8")


if __name__ == "__main__":
    main()
