from __future__ import annotations

import json

from cli.test_cli import arcbatt
from data.support import put, raw
from scoring.test_from_run import write_run

SUBMISSION = {"a": [{"attempt_1": [[4]], "attempt_2": [[1]]}], "b": [{"attempt_1": [[1]], "attempt_2": [[2]]}]}


def test_tasks_check(tmp_path):
    done = arcbatt("tasks", "check", "arcagi2:evaluation")
    assert done.stdout == (
        "arcagi2:evaluation: 120 tasks, 359 demonstrations, 167 tests\n"
        "1,052 grids, 380,894 cells; 0 test outputs hidden\n"
    )
    path = put(tmp_path / "set.json", {"a": raw(test=[{"input": [[1]]}]), "x": raw(train=[])})
    done = arcbatt("tasks", "check", str(path))
    assert done.returncode == 1
    assert done.stdout.endswith("3 grids, 3 cells; 1 test output hidden\n")
    problem = f"{path}: task x: no demonstrations: 'train' is empty\n"
    assert done.stderr == problem + "skipped 1 of 2 tasks\n"
    done = arcbatt("tasks", "check", str(path), "--strict")
    assert (done.returncode, done.stderr) == (2, f"arcbatt: {problem}")


def test_tasks_vary(tmp_path):
    one, two, other = tmp_path / "one.jsonl", tmp_path / "two.jsonl", tmp_path / "other.jsonl"
    done = arcbatt("tasks", "vary", "-n", "7", "--seed", "1", "-o", str(one))
    assert done.stdout == f"{one}: 7 tasks\n"
    arcbatt("tasks", "vary", "-n", "7", "--seed", "1", "-o", str(two))
    arcbatt("tasks", "vary", "-n", "7", "--seed", "2", "-o", str(other))
    assert one.read_text() == two.read_text() != other.read_text()
    assert len(one.read_text().splitlines()) == 7
    done = arcbatt("tasks", "vary", "-n", "0", "-o", str(one))
    assert (done.returncode, done.stderr) == (2, "arcbatt: --count is at least 1, got 0\n")


def test_score(tmp_path):
    tasks = put(tmp_path / "set.json", {"a": raw(), "b": raw()})
    path = put(tmp_path / "submission.json", SUBMISSION)
    done = arcbatt("score", str(path), "--dataset", str(tasks), "-v")
    assert done.stdout == (
        "a  solved  attempt 1\n"
        "b  not     wrong\n"
        "2 of 2 tasks scored\n"
        "Kaggle's rule: 50.00%, 1 of 2 test outputs right\n"
        "repository's rule: 50.00%, 1 of 2 tasks with all test outputs right\n"
    )
    put(path, {"a": SUBMISSION["a"]})
    done = arcbatt("score", str(path), "--dataset", str(tasks), "--strict")
    assert (done.returncode, done.stderr) == (2, f"arcbatt: {path}: not a valid submission:\n  task b: missing\n")
    done = arcbatt("score", str(path), "--dataset", str(tasks))
    assert done.stdout == (
        "1 of 2 tasks scored\n"
        "Kaggle's rule: 100.00%, 1 of 1 test outputs right\n"
        "repository's rule: 100.00%, 1 of 1 task with all test outputs right\n"
        "1 task not in the submission; counted as wrong: Kaggle's rule 50.00%, repository's rule 50.00%\n"
    )
    put(tasks, {"a": raw(), "h": raw(test=[{"input": [[1]]}])})
    put(path, {"a": SUBMISSION["a"], "h": SUBMISSION["b"]})
    done = arcbatt("score", str(path), "--dataset", str(tasks))
    assert done.stderr == "1 task with hidden test outputs left out\n"
    assert "100.00%, 1 of 1 test outputs right" in done.stdout


def test_submit(tmp_path):
    folder = write_run(tmp_path / "run", state="stopped")
    out = tmp_path / "submission.json"
    done = arcbatt("submit", "--run", str(folder), "-o", str(out))
    assert done.returncode == 0, done.stderr
    assert done.stderr == (
        f"{folder}: this run is not done (stopped); using what is there\n"
        "1 program left out for reading the expected output, such as peeks\n"
    )
    assert done.stdout == (
        f"{out}: 2 tasks, 3 test inputs; first attempts: 1 by programs that solve all demonstrations, "
        "0 by near misses, 2 guesses\n"
    )
    assert json.loads(out.read_text())["first"][0] == {"attempt_1": [[4]], "attempt_2": [[3, 3]]}
    challenge = put(tmp_path / "x_challenges.json", {"new": raw(test=[{"input": [[1]]}, {"input": [[2]]}])})
    done = arcbatt("submit", "--run", str(folder), "-o", str(out), "--dataset", str(challenge))
    assert "1 task of the challenge not in the run, such as new\n" in done.stderr
    assert [sorted(entry) for entry in json.loads(out.read_text())["new"]] == [["attempt_1", "attempt_2"]] * 2
    done = arcbatt("submit", "--run", str(tmp_path), "-o", str(out))
    assert done.returncode == 2
    assert "not a run directory" in done.stderr
