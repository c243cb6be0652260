"""The Kaggle notebook does what it says, in a folder that looks like Kaggle's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arcbatt.data.tasks import load_tasks, task_to_json
from arcbatt.scoring.scores import score_submission
from arcbatt.scoring.submission import read_submission

NOTEBOOK = Path(__file__).parents[1] / "examples" / "kaggle_submission.ipynb"
TASKS = {task.id: task for task in load_tasks("arcagi")}
SOLVED, UNSOLVED = "67a3c6ac", "00576224"


@pytest.fixture
def notebook():
    return json.loads(NOTEBOOK.read_text())


@pytest.fixture
def kaggle(tmp_path):
    """A folder like Kaggle's, with a challenge whose answers are hidden."""
    tasks = [TASKS[SOLVED], *load_tasks("arcagi:evaluation")[:2]]
    challenge = {task.id: task_to_json(task) for task in tasks}
    for task in challenge.values():
        for test in task["test"]:
            del test["output"]
    folder = tmp_path / "input" / "arc-prize"
    folder.mkdir(parents=True)
    (folder / "arc-agi_test_challenges.json").write_text(json.dumps(challenge))
    (tmp_path / "working").mkdir()
    return tmp_path, tasks


def run_cells(notebook, root, change=lambda text: text):
    """Run the code cells in order, all but the one that installs, with Kaggle's folders under another root."""
    scope: dict = {}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code" and "install" not in cell["metadata"].get("tags", []):
            exec(change("".join(cell["source"])).replace('"/kaggle/', f'"{root}/'), scope)


def test_it_is_a_notebook_of_format_4(notebook):
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
    install = [cell for cell in notebook["cells"] if "install" in cell["metadata"].get("tags", [])]
    assert len(install) == 1
    assert "--no-index" in "".join(install[0]["source"])


def test_the_library_on_a_challenge(notebook, kaggle):
    root, tasks = kaggle
    run_cells(notebook, root)
    submission = read_submission(root / "working" / "submission.json", {task.id: len(task.test) for task in tasks})
    assert score_submission(submission, tasks).tasks[0].right == (1,)
    run_cells(notebook, root)  # again: goes on with the run that is there
    assert (
        read_submission(root / "working" / "submission.json", {task.id: len(task.test) for task in tasks}) == submission
    )


def test_programs_of_ones_own(notebook, kaggle):
    root, tasks = kaggle
    mine = root / "input" / "mine"
    mine.mkdir()
    (mine / "mine.py").write_text("def solve_mirrored(I):\n    return vmirror(I)\n")

    def change(text):
        return text.replace("SOLVERS = []", 'SOLVERS = [INPUT / "mine"]')

    run_cells(notebook, root, change)
    assert "solve_mirrored" in (root / "working" / "run" / "programs.py").read_text()
    submission = read_submission(root / "working" / "submission.json", {task.id: len(task.test) for task in tasks})
    assert score_submission(submission, tasks).tasks_solved == 1
