"""Measuring search: which tasks development sees, and how solutions are counted."""

from __future__ import annotations

import json

from arcbatt.data.tasks import Task
from arcbatt.devtools.bench.search import HEAD, Printed, Row, figures, kept, measured, variations
from arcbatt.devtools.bench.search_parts import at_risk, has_part, used
from arcbatt.search.options import SolveOptions
from arcbatt.search.record import read_solutions
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


def test_rows_are_printed_when_they_are_done_and_those_cut_off_at_the_end(tmp_path, capsys):
    tasks = [Task(f"t{place}", ((GRIDS[0], GRIDS[1]),), ((GRIDS[0], GRIDS[0]),)) for place in range(3)]
    attempts = tuple(Attempt(grid, program="def solve_found(I):\n    return I\n") for grid in GRIDS[:2])
    rows = [Row(name, "arcagi", tasks, SolveOptions(), 2) for name in ("one", "two", "three")]
    assert [len(piece) for piece in rows[0].pieces()] == [2, 1]
    printed = Printed(rows, tmp_path)
    for row, many in ((rows[1], 2), (rows[0], 3)):
        solutions = [Solution(task.id, (attempts,), 0.5) for task in tasks[:many]]
        row.done |= {one.id: one for one in solutions}
        printed.add(row, solutions)
    assert [line.split(" | ")[0] for line in capsys.readouterr().out.splitlines()] == ["| one"]
    printed.end()
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("| two, cut off | 2 of 2 ")
    assert list(read_solutions(tmp_path / "two")) == ["t0", "t1"]
    assert [json.loads(line)["name"] for line in (tmp_path / "figures.jsonl").open()] == ["one", "two, cut off"]


def test_pieces_are_done_here_or_by_processes():
    tasks = [Task(f"t{n}", ((GRIDS[0], GRIDS[1]),), ((GRIDS[0], GRIDS[1]),)) for n in range(3)]
    rows = [Row("one", "arcagi", tasks, SolveOptions(budget=0.05, families=("whole",)), 2)]
    assert [len(solutions) for _, solutions in measured(rows, 1)] == [2, 1]
    assert rows[0].figures().two == 3


IMAGES = """def solve_found(I):
    a1 = sfilter(order(palette(I), compose(invert, lbind(colorcount, I))), rbind(contained, (1, 2)))
    a2 = paint(I, mpapply(recolor, (1, 2), apply(lbind(ofcolor, I), a1)))
    x1 = rot90(a2)
    x2 = mirrorfill(x1, 0, 3)
    x3 = decide(torows((0, 0, 0), 3), x1, x2, x1)
    return x3
"""


def test_a_program_tells_which_parts_of_search_it_has():
    assert [(one.family, of_image) for one, of_image in used(IMAGES)] == [("whole", False), ("completing", True)]
    attempt = Attempt(GRIDS[1], combiner="two images", program=IMAGES)
    names = [name for name, _ in variations(SolveOptions()) if name != "without traits"]
    parts = {name for name in names if has_part(name)(attempt)}
    assert parts == {
        "without family whole",
        "without family completing",
        "without pairs_and_triples",
        "without numbered_colours",
        "without images of images",
    }


def test_tasks_at_risk_are_those_whose_right_attempts_have_the_part():
    tasks = [Task(f"t{place}", ((GRIDS[0], GRIDS[1]),), ((GRIDS[0], GRIDS[place]),)) for place in range(2)]
    attempts = (
        Attempt(GRIDS[0], 0.2, combiner="stack"),
        Attempt(GRIDS[1], 0.1, combiner="cases"),
    )
    solutions = {task.id: Solution(task.id, (attempts,)) for task in tasks}
    assert [task.id for task in at_risk("without stacks", tasks, solutions)] == ["t0"]
    assert [task.id for task in at_risk("without cases", tasks, solutions)] == ["t1"]
