"""`arcbatt solve`: attempts, record, submission and explanation."""

from __future__ import annotations

import json

import pytest

from arcbatt.data.tasks import load_tasks
from arcbatt.runs.lock import RecordLock
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
    headline = (
        "1 of 1 task solved, 1 at the first attempt; programs found for 2 of 2 tasks; "
        "of 1 task an expected output is hidden"
    )
    lines = done.out.splitlines()
    assert lines[0] == headline
    assert lines[1:] == [
        "",
        "programs found, outputs unknown: 1 task",
        "hidden",
        "",
        "1 solved task: --all lists them",
        "",
        headline,
        *lines[8:10],
        f"two attempts for every test input are in {submission}",
        f"the search is in {out}",
    ]
    assert lines[8].startswith("found by: ")
    assert lines[9].endswith(" s of one core for the tasks")
    tests = {task.id: len(task.test) for task in load_tasks(dataset)}
    attempts = read_submission(submission, tests)
    assert attempts["turned"][0][0] == tuple(map(tuple, mirrored(GRIDS[3])))
    assert "--resume" in arcbatt("solve", "-d", dataset, "-o", out, "-q").refused()
    again = arcbatt("solve", "-d", dataset, "-o", out, "-q", "--resume")
    assert again.out.startswith("1 of 1 task solved")
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
    assert "solved at the first attempt: 1; programs found, outputs unknown: 1; " in drawn.out
    text = page.read_text()
    assert 'id="task-turned"' in text
    assert "description length" in text
    (out / "solve.json").write_text("{}")
    assert "solve.json" in arcbatt("report", out, "-o", page).refused()


def test_a_search_is_kept_shown_drawn_and_submitted(dataset, kept_here, tmp_path):
    first = arcbatt("solve", "-d", dataset, "-q", "--budget", "0.3")
    assert first.out.splitlines()[-1] == "kept as run 1: arcbatt runs lists them"
    (listed,) = json.loads(arcbatt("runs", "--json").out)
    assert (listed["run"], listed["kind"], listed["state"], listed["solved"], listed["tasks"]) == (
        1, "search", "done", 1, 2,
    )  # fmt: skip
    assert arcbatt("runs").out.splitlines()[1].endswith(f"{dataset} (search)")
    assert arcbatt("runs", "show").out.splitlines()[:-1] == first.out.splitlines()[:-1]
    assert arcbatt("report", "-o", tmp_path / "page.html").status == 0
    answers = tmp_path / "answers.json"
    assert arcbatt("submit", "-o", answers).out == f"{answers}: 2 tasks, 2 with programs, 0 with guesses\n"
    assert "1 of 2 tasks scored" in arcbatt("score", answers, "-d", dataset).out
    assert arcbatt("solve", "-d", dataset, "-q", "--budget", "0.3", "--resume").status == 0
    assert "no run is kept" in arcbatt("run", "-d", dataset, "--resume", "-q").refused()
    assert "is a search" in arcbatt("runs", "diff", 1, 1).refused()
    assert "is a search" in arcbatt("report", 1, "--against", 1, "-o", tmp_path / "page.html").refused()
    assert arcbatt("runs", "delete", 1).out == "deleted run 1\n"


def test_a_search_for_programs_to_read(dataset, kept_here):
    args = ("solve", "-d", dataset, "-q", "--budget", "0.3", "--no-keep")
    found = json.loads(arcbatt(*args, "--json").out)
    assert (found["tasks"], found["solved"], found["run"]) == (2, 1, None)
    assert [one["task"] for one in found["results"]] == ["hidden", "turned"]
    assert "vmirror" in found["results"][1]["programs"][0]
    assert "results" not in json.loads(arcbatt(*args, "--json", "--summary").out)
    lines = arcbatt(*args, "--csv").out.splitlines()
    assert lines[0] == "task,outcome,by,seconds"
    assert [line.split(",")[0] for line in lines[1:]] == ["hidden", "turned"]
    listed = arcbatt(*args, "--all").out
    assert "turned  solved at the first attempt" in listed
    assert "solved at" not in arcbatt(*args, "--failed").out
    assert not kept_here.exists()


def test_a_search_that_another_process_writes_is_left_alone(dataset, tmp_path):
    args = ("solve", "-d", dataset, "-o", tmp_path / "out", "-q", "--budget", "0.3")
    arcbatt(*args)
    with RecordLock(tmp_path / "out"):
        assert "another run is writing to it" in arcbatt(*args, "--resume").refused()


def test_what_is_found_is_kept_in_a_library_and_serves_the_next_search(dataset, tmp_path):
    library = tmp_path / "mine.py"
    first = arcbatt("solve", "-d", dataset, "-q", "--no-keep", "--library", library)
    assert (
        first.out.splitlines()[-1]
        == f"0 features learned: 0 programs, 0 parts of several; 1 program added to {library}"
    )
    text = library.read_text()
    assert text.startswith("def solve_turned(I):\n")
    again = arcbatt("solve", "-d", dataset, "-q", "--no-keep", "--library", library)
    assert again.out.splitlines()[-1].endswith(f"; 0 programs added to {library}")
    assert library.read_text() == text
    assert "--ray" in arcbatt("solve", "-d", dataset, "-q", "--library", library, "--ray", "local").refused()
