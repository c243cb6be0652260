"""What search solves: by budget, and without each combiner, family of features, and kind of view.

    python -m arcbatt.devtools.bench.search --budget 0.2 --budget 1 --every 4
    python -m arcbatt.devtools.bench.search --budget 1 --leave-out
    python -m arcbatt.devtools.bench.search --curve --jobs 16
    python -m arcbatt.devtools.bench.search --dataset arcagi:evaluation --dataset arcagi2:evaluation --all --jobs 16

Development looks at ARC-AGI-1 training without every fifth task; `--aside` measures that fifth, `--all` every task.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from arcbatt.data.tasks import Task
from arcbatt.data.taskset import open_tasks
from arcbatt.scoring.attempts import Question
from arcbatt.search.bank import bank_of
from arcbatt.search.combine import IMAGE_COMBINERS
from arcbatt.search.features import BANK
from arcbatt.search.options import SolveOptions
from arcbatt.search.report import Outcome, judge
from arcbatt.search.solution import Solution
from arcbatt.search.solver import Solver

CURVE: Final = (0.05, 0.2, 0.5, 1.0, 3.0, 10.0)
"""Budgets of a curve, in seconds."""
_TASKS_AT_ONCE: Final = 8
"""That a process is given."""
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
    """Of a core, all tasks together."""
    by: dict[str, int]
    """Of the tasks that were solved, what found the first right output."""

    def row(self) -> str:
        """As a row of a table."""
        by = ", ".join(f"{name} {many}" for name, many in sorted(self.by.items(), key=lambda one: (-one[1], one[0])))
        return (
            f"| {self.name} | {self.two} of {self.tasks} ({self.two / max(1, self.tasks):.1%}) | {self.first} "
            f"| {self.five} | {self.nothing} | {self.seconds:,.1f} | {by} |"
        )


HEAD: Final = """| what | solved | at the first attempt | among five | no program | CPU seconds | solved by |
|---|---|---|---|---|---|---|"""


def kept(dataset: str, aside: bool, every: int) -> list[Task]:
    """The tasks that development sees, or those kept aside; every so manyeth of them."""
    return [task for place, task in enumerate(open_tasks(dataset)) if (place % ASIDE == ASIDE - 1) == aside][::every]


def figures(name: str, tasks: Sequence[Task], solutions: Iterable[Solution], seconds: float | None = None) -> Figures:
    """Solutions counted; `seconds` is what they took, if it is not what they say."""
    outcomes, five, said = [], 0, 0.0
    by: Counter[str] = Counter()
    for task, solution in zip(tasks, solutions, strict=True):
        outcomes.append(judge(task, solution).outcome)
        said += solution.seconds
        five += all(
            any(one.grid == wanted for one in attempts[:5])
            for attempts, (_, wanted) in zip(solution.attempts, task.test, strict=True)
        )
        if outcomes[-1] in (Outcome.FIRST, Outcome.SECOND):
            right = next(one for one in solution.attempts[0] if one.grid == task.test[0][1])
            by[right.combiner] += 1
    first, second, nothing = map(outcomes.count, (Outcome.FIRST, Outcome.SECOND, Outcome.NOTHING))
    taken = round(said if seconds is None else seconds, 1)
    return Figures(name, len(tasks), first, first + second, five, nothing, taken, dict(by))


def variations(options: SolveOptions) -> Iterator[tuple[str, SolveOptions]]:
    """The same search without one of its parts, each in turn."""
    for combiner in IMAGE_COMBINERS:
        yield f"without {combiner.__name__}", replace(options, without=(combiner.__name__,))
    yield "without turned views", replace(options, turns=0)
    yield "without numbered colours", replace(options, normalise=False)
    yield "without images of images", replace(options, grow=0)
    yield "without leaving one out", replace(options, leave_one_out=False)
    families = tuple(sorted(file.stem for file in BANK.glob("*.txt")))
    for family in families:
        yield f"without family {family}", replace(options, families=tuple(one for one in families if one != family))


def solved(options: SolveOptions, tasks: Sequence[Task]) -> tuple[list[Solution], float]:
    """Solutions, and the seconds of this process that they took, without making the bank."""
    solver = Solver(replace(options, threads=1), bank_of(options.families, 1))
    solver.prepare()
    before = time.process_time()
    made = list(solver.solve(map(Question.of, tasks)))
    return made, time.process_time() - before


def measure(tasks: Sequence[Task], name: str, options: SolveOptions, pool: ProcessPoolExecutor | None) -> Figures:
    """Figures of one way to search; every process of a pool has a core for itself."""
    parts = [tasks[start : start + _TASKS_AT_ONCE] for start in range(0, len(tasks), _TASKS_AT_ONCE)]
    run: Callable[..., Iterator[tuple[list[Solution], float]]] = pool.map if pool else map
    made = list(run(solved, [options] * len(parts), parts))
    return figures(name, tasks, [one for some, _ in made for one in some], sum(seconds for _, seconds in made))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dataset", action="append", help="of tasks; arcagi:training unless it is given")
    parser.add_argument("--budget", type=float, action="append", help="seconds of a core for each task")
    parser.add_argument("--curve", action="store_true", help=f"budgets of {', '.join(f'{one:g}' for one in CURVE)} s")
    parser.add_argument("--every", type=int, default=1, help="every so manyeth task")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--aside", action="store_true", help="the fifth that is kept aside")
    which.add_argument("--all", action="store_true", help="every task of the data set")
    parser.add_argument("--leave-out", action="store_true", help="leave each part out in turn")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--json", type=Path, help="write the figures here, too")
    asked = parser.parse_args()
    pool = ProcessPoolExecutor(asked.jobs, multiprocessing.get_context("spawn")) if asked.jobs > 1 else None
    found = []
    print(HEAD, flush=True)
    for dataset in asked.dataset or ["arcagi:training"]:
        tasks = list(open_tasks(dataset))[:: asked.every] if asked.all else kept(dataset, asked.aside, asked.every)
        for budget in [*(asked.budget or ()), *(CURVE if asked.curve else ())] or [1.0]:
            options = SolveOptions(budget=budget)
            ways = [(f"{dataset} {budget:g} s", options), *(variations(options) if asked.leave_out else ())]
            for name, way in ways:
                found.append(measure(tasks, name, way, pool))
                print(found[-1].row(), flush=True)
    if asked.json:
        asked.json.write_text(json.dumps([vars(one) for one in found], indent=2), encoding="utf-8")
    if pool:
        pool.shutdown()


if __name__ == "__main__":
    main()
