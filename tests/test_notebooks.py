"""The notebook pages of the docs run, and show what they promise."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from notebooks import execute, shown

PAGE = Path(__file__).parents[1] / "docs" / "front-door.ipynb"
LINES = (
    "import arcbatt as ab",
    'tasks = ab.load_tasks("arcagi")',
    'task = tasks["007bbfb7"]',
    "programs = ab.parse(text)",
    'ab.parse("file.py") == programs',
    'program(tasks["00d62c1b"].train[1].input)',
    "from arcbatt.dsl import *",
    "help(objects)",
    "run = ab.run(programs, tasks)",
    'kept = ab.run(programs, tasks[:20], out="my-run")',
    "run.solved",
    'table = run.to_dataframe()  # or run.to_dataframe("polars")',
    'run.failures("00d62c1b")',
    'run.report("r.html")  # the whole run as one page, to open in a browser',
    'run.submission("submission.json")  # two attempts for each test input, as Kaggle wants them',
    'ab.score("submission.json", tasks)',
    "mutants = list(ab.mutants(ab.library(), 500, seed=1))",
    '@ab.op("Grid, Int -> Grid", cells="where(x == 0, colour, x)")',
    'ab.solve(training["67a3c6ac"])',
)
"""Every line of the front door."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("notebook")


@pytest.fixture(scope="module")
def cells(folder):
    return execute(PAGE, folder)


def test_it_has_every_line_and_no_outputs():
    notebook = json.loads(PAGE.read_text())
    lines = {line.rstrip("\n") for cell in notebook["cells"] for line in cell["source"]}
    assert set(LINES) <= lines
    assert all(cell.get("outputs", []) == [] for cell in notebook["cells"])


@pytest.mark.parametrize(
    "line",
    [
        "tasks",
        'task = tasks["007bbfb7"]',
        "grid = task.train[0].input",
        'program = programs["00d62c1b"]',
        'program(tasks["00d62c1b"].train[1].input)',
        "paint(canvas(FIVE, (4, 4)), shift(asobject(rot90(grid)), UNITY))",
        'run.failures("00d62c1b")',
        'engine.run(tasks["007bbfb7"].samples + tasks["017c7c7b"].samples)',
        "chain.values()",
        "fill_zeros(grid, 3)",
        "own(grid)",
        'ab.solve(training["67a3c6ac"])',
    ],
)
def test_a_cell_shows_a_picture(cells, line):
    assert "<img" in shown(cells, line)["text/html"]


def test_what_cells_say(cells, folder):
    assert "3 of 400 tasks solved by 3 programs" in shown(cells, "run = ab.run(programs, tasks)")["text/html"]
    assert "3 of 400 tasks solved by 3 programs" in shown(cells, "ab.run(programs, training)")["text/html"]
    assert "3 of 400 tasks solved" in shown(cells, 'ab.score("submission.json", tasks)')["text/html"]
    assert shown(cells, 'ab.parse("file.py") == programs')["text/plain"] == "True"
    assert {"r.html", "submission.json", "my-run", "file.py"} == {path.name for path in folder.iterdir()}
