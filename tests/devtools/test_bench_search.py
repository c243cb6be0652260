"""Measuring search: which tasks development sees, and how solutions are counted."""

from __future__ import annotations

import json

from arcbatt.data.tasks import Task
from arcbatt.devtools.bench.search import HEAD, figures, kept, variations
from arcbatt.search.options import SolveOptions
from arcbatt.search.solution import Attempt, Solution

GRIDS = [((number,),) for number in range(8)]


def test_a_fifth_is_kept_aside(tmp_path):
    pair = {"input": [[1]], "output": [[2]]}
    path = tmp_path / "tasks.json"
    path.write_text(json.dumps({f"t{n:02}": {"train": [pair], "test": [pair]} for n in range(20)}))
    seen = [task.id for task in kept(str(path), aside=False, every=1)]
    aside = [task.id for task in kept(str(path), aside=True, every=1)]
    assert aside == ["t04", "t09", "t14", "t19"]
    assert sorted(seen + aside) == [f"t{n:02}" for n in range(20)]
    assert [task.id for task in kept(str(path), aside=False, every=4)] == seen[::4]


def test_solutions_are_counted_by_where_the_right_output_is():
    tasks = [Task(f"t{place}", ((GRIDS[0], GRIDS[1]),), ((GRIDS[0], GRIDS[place]),)) for place in range(8)]
    attempts = tuple(Attempt(grid, program="def solve_found(I):\n    return I\n") for grid in GRIDS[:7])
    made = figures("all", tasks, [Solution(task.id, (attempts,), 0.5) for task in tasks])
    assert (made.first, made.two, made.five, made.nothing, made.seconds) == (1, 2, 5, 0, 4.0)
    assert made.by == {"guess": 2}
    assert made.row().count("|") == HEAD.splitlines()[0].count("|")


def test_each_part_is_left_out_in_turn():
    names = [name for name, _ in variations(SolveOptions())]
    assert len(set(names)) == len(names)
    assert {"without cases", "without turned views", "without family objects"} <= set(names)
