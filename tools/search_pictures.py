"""The pictures and programs of docs/search-examples.md: tasks solved now, drawn as SVG files beside the page.

    python tools/search_pictures.py --budget 3 ID ID ...

Each task becomes docs/search-examples/ID.svg: its demonstrations, then each test with the first attempt and what is
expected. What was found is printed, for the page.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from arcbatt.data.tasks import Task, load_tasks
from arcbatt.display.pictures import columns_svg
from arcbatt.language.values import Grid
from arcbatt.scoring.attempts import Question
from arcbatt.search.options import SolveOptions
from arcbatt.search.report import judge, why
from arcbatt.search.solution import Solution
from arcbatt.search.solver import Solver

FOLDER: Final = Path(__file__).resolve().parents[1] / "docs" / "search-examples"
MOST_DEMONSTRATIONS: Final = 3


def columns(task: Task, solution: Solution) -> Iterator[list[tuple[str, Grid]]]:
    """What stands above one another: the input and output of a demonstration; a test's input, attempt and output."""
    for number, (given, wanted) in enumerate(task.train[:MOST_DEMONSTRATIONS], 1):
        yield [(f"input {number}", given), ("output", wanted)]
    for (given, wanted), attempts in zip(task.test[:1], solution.attempts, strict=False):
        yield [("test", given), ("found" if attempts[0].program else "guess", attempts[0].grid)]
        if wanted is not None:
            yield [("", given), ("expected", wanted)]


def picture(task: Task, solution: Solution) -> str:
    """All of it as one picture."""
    return columns_svg(list(columns(task, solution)))


def main() -> None:
    """Solve, draw and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--budget", type=float, default=3.0)
    parser.add_argument("ids", nargs="+", metavar="ID")
    given = parser.parse_args()
    tasks = load_tasks("arcagi")
    chosen = [tasks[one] for one in given.ids]
    FOLDER.mkdir(exist_ok=True)
    solver = Solver(SolveOptions(budget=given.budget))
    for task, solution in zip(chosen, solver.solve(map(Question.of, chosen)), strict=True):
        (FOLDER / f"{task.id}.svg").write_text(picture(task, solution), encoding="utf-8")
        best = solution.attempts[0][0]
        print(f"## {task.id}: {judge(task, solution).outcome}, {why(best)}\n\n{best.program}")


if __name__ == "__main__":
    main()
