"""The Kaggle notebook does what it says, in a folder that looks like Kaggle's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arcbatt.data.tasks import load_tasks, task_to_json
from arcbatt.scoring.scores import score_submission
from arcbatt.scoring.submission import read_submission
from notebooks import execute, shown

NOTEBOOK = Path(__file__).parents[1] / "examples" / "kaggle_submission.ipynb"
TASKS = load_tasks("arcagi")
SOLVED = "67a3c6ac"


@pytest.fixture
def kaggle(tmp_path):
    """A folder like Kaggle's, with a challenge whose answers are hidden, and kernels compiled ahead."""
    tasks = [TASKS[SOLVED], *load_tasks("arcagi:evaluation")[:2]]
    challenge = {task.id: task_to_json(task) for task in tasks}
    for task in challenge.values():
        for test in task["test"]:
            del test["output"]
    folder = tmp_path / "input" / "arc-prize"
    folder.mkdir(parents=True)
    (folder / "arc-agi_test_challenges.json").write_text(json.dumps(challenge))
    (tmp_path / "input" / "wheels" / "cubins").mkdir(parents=True)
    (tmp_path / "input" / "wheels" / "cubins" / "kernel-sm75.cubin").touch()
    (tmp_path / "working").mkdir()
    return tmp_path, tasks


def run(root, change=str):
    """The cells in order, all but those that install and that need a GPU, with Kaggle's folders under another root."""
    return execute(
        NOTEBOOK, root, skip=("install", "gpu"), change=lambda text: change(text).replace('"/kaggle/', f'"{root}/')
    )


def submission_of(root, tasks):
    return read_submission(root / "working" / "submission.json", {task.id: len(task.test) for task in tasks})


def test_it_is_a_notebook_of_format_4():
    notebook = json.loads(NOTEBOOK.read_text())
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    assert set(notebook) == {"cells", "metadata", "nbformat", "nbformat_minor"}
    assert len({cell["id"] for cell in notebook["cells"]}) == len(notebook["cells"])
    for cell in notebook["cells"]:
        wanted = {"cell_type", "id", "metadata", "source"}
        if cell["cell_type"] == "code":
            wanted |= {"execution_count", "outputs"}
            assert (cell["execution_count"], cell["outputs"]) == (None, [])
            compile("".join(cell["source"]), cell["id"], "exec")
        assert set(cell) == wanted
        assert all(line.endswith("\n") for line in cell["source"][:-1])
    tags = [tag for cell in notebook["cells"] for tag in cell["metadata"].get("tags", [])]
    assert sorted(tags) == ["gpu", "install"]
    assert '"--no-index"' in NOTEBOOK.read_text().replace("\\", "")


def test_the_library_on_a_challenge(kaggle):
    root, tasks = kaggle
    cells = run(root)
    submission = submission_of(root, tasks)
    assert score_submission(submission, tasks).tasks[0].right == (1,)
    assert "<img" in shown(cells, "run.failures((unsolved or tasks)[0])")["text/html"]
    assert (root / "working" / "report.html").stat().st_size > 10_000
    again = run(root)  # goes on with the run that is there
    assert submission_of(root, tasks) == submission
    assert "0 evaluations" in shown(again, 'folder = WORKING / "run"')["text/html"]


def test_programs_of_ones_own(kaggle):
    root, tasks = kaggle
    mine = root / "input" / "mine"
    mine.mkdir()
    (mine / "mine.py").write_text("def solve_mirrored(I):\n    return vmirror(I)\n")
    run(root, lambda text: text.replace("SOLVERS = []", 'SOLVERS = [INPUT / "mine"]'))
    assert "solve_mirrored" in (root / "working" / "run" / "programs.py").read_text()
    assert score_submission(submission_of(root, tasks), tasks).tasks_solved == 1
