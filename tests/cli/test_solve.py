"""`arcbatt solve`: attempts, record, submission and explanation."""

from __future__ import annotations

import json

import pytest

from arcbatt.data.tasks import load_tasks
from arcbatt.scoring.submission import read_submission
from cli.commands import arcbatt

GRIDS = ([[1, 2], [0, 3]], [[4, 0, 5], [6, 7, 0]], [[8, 8, 1], [0, 2, 2], [3, 0, 0]], [[5, 0, 0, 1], [2, 2, 0, 0]])


def mirrored(grid):
    return [row[::-1] for row in grid]


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    pairs = [{"input": grid, "output": mirrored(grid)} for grid in GRIDS]
    tasks = {
        "turned": {"train": pairs[:3], "test": pairs[3:]},
        "hidden": {"train": pairs[:3], "test": [{"input": [[1]]}]},
    }
    path = tmp_path_factory.mktemp("data") / "tasks.json"
    path.write_text(json.dumps(tasks))
    return path


def test_tasks_are_solved_recorded_and_submitted(dataset, tmp_path):
    out, submission = tmp_path / "out", tmp_path / "submission.json"
    done = arcbatt("solve", "-d", dataset, "-o", out, "--submission", submission, "-q")
    assert done.status == 0
    assert "2 tasks" in done.out
    assert "solved 1 of 1: 1 at the first attempt" in done.out
    tests = {task.id: len(task.test) for task in load_tasks(dataset)}
    attempts = read_submission(submission, tests)
    assert attempts["turned"][0][0] == tuple(map(tuple, mirrored(GRIDS[3])))
    assert "--resume" in arcbatt("solve", "-d", dataset, "-o", out, "-q").refused()
    again = arcbatt("solve", "-d", dataset, "-o", out, "-q", "--resume")
    assert "solved 1 of 1" in again.out
    shown = arcbatt("solve", "-d", dataset, "-o", out, "--explain", "turned")
    assert "attempt 1, right" in shown.out
    assert "return vmirror(I)" in shown.out or "vmirror(I)" in shown.out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--budget", "0"], "--budget"),
        (["--budget", "nan"], "--budget"),
        (["--id", "nobody"], "nobody"),
        (["--explain", "nobody"], "nobody"),
    ],
)
def test_what_makes_no_sense_is_refused(dataset, options, message):
    assert message in arcbatt("solve", "-d", dataset, *options).refused()


def test_a_task_that_is_not_in_a_record_cannot_be_explained(dataset, tmp_path):
    out = tmp_path / "out"
    arcbatt("solve", "-d", dataset, "--id", "hidden", "-o", out, "-q")
    assert "not in this record" in arcbatt("solve", "-d", dataset, "-o", out, "--explain", "turned").refused()


def test_a_time_limit_ends_it_without_a_submission_and_resume_goes_on(tmp_path):
    out, answers = tmp_path / "solved", tmp_path / "submission.json"
    limited = ("solve", "-c", 2, "--budget", "0.2", "-o", out, "--submission", answers, "-q")
    done = arcbatt(*limited, "-t", "0.001")
    assert done.status == 0
    assert done.err == f"{answers} is not written: 2 tasks not done\n"
    assert "go on with the same command and --resume" in done.out
    assert arcbatt(*limited, "--resume").status == 0
    assert answers.exists()


def test_a_record_is_drawn_as_a_report(dataset, tmp_path):
    out, page = tmp_path / "out", tmp_path / "page.html"
    assert arcbatt("solve", "-d", dataset, "-o", out, "-q", "--budget", "0.3").status == 0
    drawn = arcbatt("report", out, "-o", page)
    assert drawn.status == 0
    assert "1 solved at the first attempt, 1 programs found, outputs unknown" in drawn.out
    text = page.read_text()
    assert 'id="task-turned"' in text
    assert "description length" in text
    (out / "solve.json").write_text("{}")
    assert "solve.json" in arcbatt("report", out, "-o", page).refused()
