"""What search solves: by budget, and without each combiner, family of features, and kind of view.

    python -m arcbatt.devtools.bench.search --budget 0.2 --budget 1 --every 4
    python -m arcbatt.devtools.bench.search --budget 1 --leave-out
    python -m arcbatt.devtools.bench.search --curve --jobs 16
    python -m arcbatt.devtools.bench.search --dataset arcagi:evaluation --dataset arcagi2:evaluation --all --jobs 16

Time is that of a core, as the process or its thread used it, so that many processes do not disturb one another.
Development looks at ARC-AGI-1 training without every fifth task; `--aside` measures that fifth, `--all` every task.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from arcbatt.data.tasks import Task
from arcbatt.data.taskset import open_tasks
from arcbatt.engine.choose import backend_for
from arcbatt.scoring.attempts import Question
from arcbatt.search.bank import bank_of
from arcbatt.search.combine import IMAGE_COMBINERS
from arcbatt.search.combiners.find import GRID_COMBINERS
from arcbatt.search.features import BANK
from arcbatt.search.growing import library_features
from arcbatt.search.options import SolveOptions
from arcbatt.search.record import SolveRecord
from arcbatt.search.report import Outcome, judge
from arcbatt.search.solution import Solution
from arcbatt.search.solver import Solver
from arcbatt.search.views import VIEWS

CURVE: Final = (0.05, 0.2, 0.5, 1.0, 3.0, 10.0)
"""Budgets of a curve, in seconds."""
_TASKS_AT_ONCE: Final = 8
"""That a process is given, of a second each."""
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
    """The same search without one of its parts, each in turn; families first, since each needs a bank of its own."""
    families = tuple(sorted(file.stem for file in BANK.glob("*.txt")))
    for family in families:
        yield f"without family {family}", replace(options, families=tuple(one for one in families if one != family))
    yield "without late and last features", replace(options, tiers=1)
    parts = [*IMAGE_COMBINERS, *(one for one, _ in GRID_COMBINERS), *VIEWS]
    for name in [one.__name__ for one in parts]:
        yield f"without {name}", replace(options, without=(name,))
    yield "without traits", replace(options, without=("traits",))
    yield "without three images", replace(options, effort=replace(options.effort, enough_pairs=-1))
    yield "without turned views", replace(options, turns=0)
    yield "without steps", replace(options, without=("steps",))
    yield "without images of images", replace(options, grow=0)
    yield "without leaving one out", replace(options, leave_one_out=False)


@dataclass
class Row:
    """A way to search that is being measured, and what came of the tasks that are done."""

    name: str
    dataset: str
    tasks: Sequence[Task]
    options: SolveOptions
    at_once: int
    """Tasks that a process is given."""
    done: dict[str, Solution] = field(default_factory=dict)
    seconds: float = 0.0
    printed: bool = False

    def pieces(self) -> Iterator[Sequence[Task]]:
        """The tasks in pieces for processes."""
        yield from (self.tasks[start : start + self.at_once] for start in range(0, len(self.tasks), self.at_once))

    def figures(self) -> Figures:
        """Of the tasks that are done."""
        some = [task for task in self.tasks if task.id in self.done]
        name = self.name if len(some) == len(self.tasks) else f"{self.name}, cut off"
        return figures(name, some, [self.done[task.id] for task in some], self.seconds)


def solved(options: SolveOptions, tasks: Sequence[Task]) -> tuple[list[Solution], float]:
    """Solutions, and the seconds of this process that they took, without making the bank."""
    learned = library_features(Path(options.library)) if options.library else ()
    threads = 1 if options.backend == "cpu" else None  # a GPU has one process, which has all cores
    solver = Solver(replace(options, threads=threads), bank_of(options.families, threads, learned, options.backend))
    solver.prepare()
    before = time.process_time()
    made = list(solver.solve(map(Question.of, tasks)))
    return made, time.process_time() - before


Job = tuple[int, SolveOptions, Sequence[Task]]
Done = tuple[int, list[Solution], float]


def _do(job: Job) -> Done:
    number, options, tasks = job
    return number, *solved(options, tasks)


def measured(rows: Sequence[Row], processes: int, end: float | None = None) -> Iterator[tuple[Row, list[Solution]]]:
    """Rows as pieces of them are done; every process has a core for itself, and none waits for the end of a row.

    At `end`, as `time.monotonic` tells it, what is not done is left.
    """
    jobs = ((number, row.options, piece) for number, row in enumerate(rows) for piece in row.pieces())
    context = multiprocessing.get_context("spawn")
    with context.Pool(processes) if processes > 1 else nullcontext() as pool:
        results: Iterator[Done] = map(_do, jobs) if pool is None else pool.imap_unordered(_do, jobs)
        while True:
            try:
                if pool is None or end is None:
                    number, solutions, seconds = next(results)
                else:
                    number, solutions, seconds = results.next(max(0.0, end - time.monotonic()))  # type: ignore[attr-defined]
            except (StopIteration, multiprocessing.TimeoutError):
                return
            rows[number].seconds += seconds
            rows[number].done |= {one.id: one for one in solutions}
            yield rows[number], solutions
            if end is not None and time.monotonic() > end:
                return


class Printed:
    """Rows printed as they are done, and kept in a folder: figures as JSON, and a record of each row."""

    def __init__(self, rows: Sequence[Row], out: Path | None) -> None:
        self._rows = rows
        self._out = out
        self._records: dict[str, SolveRecord] = {}

    def add(self, row: Row, solutions: Sequence[Solution]) -> None:
        """Keep what is new, and print the row if it is done."""
        if self._out is not None:
            if row.name not in self._records:
                place = self._out / row.name.replace(" ", "-").replace(":", "-")
                self._records[row.name] = SolveRecord(place, row.options, row.dataset, resume=True)
            for solution in solutions:
                self._records[row.name].add(solution)
        if len(row.done) == len(row.tasks):
            self._print(row)

    def end(self) -> None:
        """Print rows of which only a part is done."""
        for row in self._rows:
            if row.done and not row.printed:
                self._print(row)
        for record in self._records.values():
            record.finish("stopped")

    def _print(self, row: Row) -> None:
        row.printed = True
        made = row.figures()
        print(made.row(), flush=True)
        if self._out is not None:
            with (self._out / "figures.jsonl").open("a", encoding="utf-8") as file:
                file.write(json.dumps(vars(made)) + "\n")


def at_once(options: SolveOptions) -> int:
    """How many tasks a process is given: fewer where they take long; all of them where it makes a bank for them."""
    if options.families or options.backend != "cpu":
        return sys.maxsize
    return max(1, min(_TASKS_AT_ONCE, round(_TASKS_AT_ONCE / options.budget)))


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
    parser.add_argument("--backend", default="cpu", help="what makes images; on a GPU in one process")
    parser.add_argument("--library", type=Path, help="once more with features of the programs of this solver file")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--out", type=Path, help="a folder for the figures and a record of each row, as they are done")
    parser.add_argument("--seconds", type=float, help="stop after so long, with figures of what is done")
    asked = parser.parse_args()
    end = None if asked.seconds is None else time.monotonic() + asked.seconds
    rows = []
    for dataset in asked.dataset or ["arcagi:training"]:
        tasks = list(open_tasks(dataset))[:: asked.every] if asked.all else kept(dataset, asked.aside, asked.every)
        for budget in [*(asked.budget or ()), *(CURVE if asked.curve else ())] or [1.0]:
            options = SolveOptions(budget=budget, backend=backend_for(asked.backend))
            name = f"{dataset}{' aside' if asked.aside else ''} {budget:g} s"
            ways = [("", options), *(variations(options) if asked.leave_out else ())]
            if asked.library:
                ways.append((f"with {asked.library.name}", replace(options, library=str(asked.library))))
            rows += [Row(f"{name} {way}".strip(), dataset, tasks, one, at_once(one)) for way, one in ways]
    if asked.out:
        asked.out.mkdir(parents=True, exist_ok=True)
    print(HEAD, flush=True)
    printed = Printed(rows, asked.out)
    for row, solutions in measured(rows, asked.jobs, end):
        printed.add(row, solutions)
    printed.end()


if __name__ == "__main__":
    main()
