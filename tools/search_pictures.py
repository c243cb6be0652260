"""The pictures and programs of docs/search-examples.md: tasks solved now, drawn as SVG files beside the page.

    python tools/search_pictures.py --budget 3 ID ID ...

Each task becomes docs/search-examples/ID.svg: its demonstrations, then each test with the first attempt and what is
expected. What was found is printed, for the page.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Final

from arcbatt.data.tasks import Task, load_tasks
from arcbatt.display.pictures import grid_svg
from arcbatt.language.values import Grid
from arcbatt.scoring.attempts import Question
from arcbatt.search.options import SolveOptions
from arcbatt.search.report import judge, why
from arcbatt.search.solution import Solution
from arcbatt.search.solver import Solver

FOLDER: Final = Path(__file__).resolve().parents[1] / "docs" / "search-examples"
SIDE: Final = 128
GAP: Final = 10
TEXT: Final = 16
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
    shown = list(columns(task, solution))

    def cell(grid: Grid) -> int:
        return max(2, SIDE // max(len(grid), len(grid[0])))

    tall = [max(len(column[row][1]) * cell(column[row][1]) for column in shown) for row in range(2)]
    parts, across, down = [], GAP, sum(tall) + 2 * (TEXT + GAP) + GAP
    for column in shown:
        for row, (title, grid) in enumerate(column):
            if title:
                top = GAP + row * (tall[0] + TEXT + GAP)
                inner = grid_svg(grid, (), cell(grid)).replace("<svg ", f'<svg x="{across}" y="{top + TEXT}" ', 1)
                parts.append(f'<text x="{across}" y="{top + TEXT - 5}">{escape(title)}</text>{inner}')
        across += SIDE + GAP
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{across}" height="{down}">'
        f'<rect width="{across}" height="{down}" fill="#fcfbf8"/>'
        f'<g font-family="sans-serif" font-size="12" fill="#333333">{"".join(parts)}</g></svg>\n'
    )


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
