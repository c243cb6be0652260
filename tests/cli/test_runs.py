"""Runs that are kept: every command of the issue as a user types it."""

from __future__ import annotations

import csv
import io
import json
import re

import pytest

from arcbatt.cli import terminal
from arcbatt.runs import kept
from arcbatt.solvers import library
from cli.commands import arcbatt
from data.support import put, raw

MIRROR = "def solve_mirror(I):\n    return vmirror(I)\n"
TURN = "def solve_turn(I):\n    return rot180(I)\n"
LOOKUP = "def solve_lookup(S, I, C):\n    return last(extract(S, matcher(first, I)))\n"
"""Right on every demonstration, which are in S, and on nothing else."""


def pair(given, wanted) -> dict:
    return {"input": given, "output": wanted}


def nearly(right: int) -> dict:
    """A task that `mirror` has so many cells of ten right of."""
    row = [1, 2] * 5
    wanted = [value if place < right else 9 for place, value in enumerate(reversed(row))]
    return raw(train=[pair([row], [wanted])], test=[pair([[3, 3]], [[9, 9]])])


TASKS = {
    "mirrored": raw(train=[pair([[1, 2]], [[2, 1]])], test=[pair([[3, 4]], [[4, 3]])]),
    "even-more": raw(train=[pair([[1, 2]], [[2, 1]])], test=[pair([[3, 4]], [[4, 4]])]),
    "seven": nearly(7),
    "nine": nearly(9),
    "eight": nearly(8),
}


@pytest.fixture
def tasks(tmp_path):
    return put(tmp_path / "tasks.json", TASKS)


@pytest.fixture
def solvers(tmp_path):
    def write(*programs: str, name: str = "some.py"):
        (tmp_path / name).write_text("\n\n".join(programs))
        return tmp_path / name

    return write


@pytest.fixture
def run(tasks, solvers, kept_here):
    """A run of the program that mirrors."""

    def go(*args, programs=(MIRROR,)):
        return arcbatt("run", "-d", tasks, "--solvers", solvers(*programs), "--backend", "cpu", "-q", *args)

    return go


def test_the_summary_is_first_and_last_and_failures_come_before_successes(run):
    out = run().out
    lines = out.splitlines()
    headline = "1 of 5 tasks solved by 1 program, 0 by the one named for the task"
    assert lines[0] == headline
    assert lines.count(headline) == 2
    places = [out.index(text) for text in ("not solved:", "right on every demonstration, but", "1 solved task: --all")]
    assert places == sorted(places)
    assert places[-1] < out.rindex(headline)
    assert lines[-1] == "kept as run 1: arcbatt runs lists them"
    assert "mirrored" not in out
    assert re.search(r"^mirrored +mirror$", run("--all").out, re.MULTILINE)


def test_near_misses_are_sorted_best_first(run):
    found = re.findall(r"^(\w+) +mirror +([\d.]+)%", run().out, re.MULTILINE)
    assert found == [("nine", "90.0"), ("eight", "80.0"), ("seven", "70.0")]


@pytest.mark.parametrize("columns", [20, 40, 80, 200, None])
def test_ids_are_whole_at_any_width(run, monkeypatch, columns):
    """Names are never cut, broken or wrapped within; without a terminal there are no box characters either."""
    monkeypatch.setattr("arcbatt.cli.summary.width", lambda: columns)
    monkeypatch.setattr(terminal, "width", lambda *_: columns)
    long = MIRROR.replace("mirror(I):", "a_program_with_a_long_name_that_one_would_paste(I):", 1)
    words = run("--all", programs=(MIRROR, long)).out.split()
    for name in (*TASKS, "mirror", "a_program_with_a_long_name_that_one_would_paste"):
        assert name in [word.strip(",:") for word in words]


def test_piped_output_is_plain_lines(run):
    out = run("--all").out
    assert out.isascii()
    assert all(line == line.rstrip() for line in out.splitlines())


def test_a_terminal_of_80_columns(run, monkeypatch):
    monkeypatch.setattr("arcbatt.cli.summary.width", lambda: 80)
    monkeypatch.setattr(terminal, "width", lambda *_: 80)
    assert max(map(len, run("--all").out.splitlines()[:-1])) <= 80


def test_json(run):
    done = run("--json")
    assert done.err.endswith("kept as run 1: arcbatt runs lists them\n")
    found = json.loads(done.out)
    assert (found["tasks"], found["programs"], found["solved"], found["state"]) == (5, 1, 1, "done")
    assert found["standings"]["nearly solved"] == 1
    assert [one["task"] for one in found["results"]] == ["nine", "eight", "seven", "even-more", "mirrored"]
    assert found["results"][0]["near"][0]["cells_right"] == 0.9
    assert found["results"][-1]["solved_by"] == ["mirror"]
    assert "results" not in json.loads(run("--json", "--summary").out)
    assert "mirrored" not in {one["task"] for one in json.loads(run("--json", "--failed").out)["results"]}


def test_csv(run):
    rows = list(csv.DictReader(io.StringIO(run("--csv").out)))
    assert [row["task"] for row in rows] == ["nine", "eight", "seven", "even-more", "mirrored"]
    assert rows[0]["nearest"] == "mirror"
    assert float(rows[0]["cells_right"]) == 0.9
    assert rows[-1] | {} == rows[-1] | {"standing": "solved", "solved_by": "mirror", "demonstrations": "1"}
    assert len(list(csv.DictReader(io.StringIO(run("--csv", "--failed").out)))) == 4


def test_failed_and_summary(run):
    assert "solved task" not in run("--failed").out
    out = run("--summary").out
    assert out.startswith("1 of 5 tasks solved by 1 program")
    assert not set(TASKS) & set(out.split())


@pytest.mark.parametrize("args", [("--json", "--csv"), ("--summary", "--all"), ("--summary", "--csv")])
def test_what_does_not_go_together(run, args):
    assert "--" in run(*args).refused()


def test_a_lookup_in_s_buries_nothing(run):
    """One program that looks the answer up changes no line about the others' near misses."""

    def near(out: str) -> list[str]:
        return out[out.index("not solved:") : out.index("right on every demonstration")].split("\n")

    honest, both = run().out, run(programs=(MIRROR, LOOKUP)).out
    assert near(honest) == near(both)
    assert "not shown right by a test:\n  lookup (4 tasks)" in both
    found = json.loads(run("--json", programs=(LOOKUP,)).out)
    assert found["standings"] == {
        "solved": 0, "tests wrong": 0, "nearly solved": 0, "only from S": 5, "open": 0, "not run": 0
    }  # fmt: skip


def test_runs_lists_shows_and_deletes(run, kept_here, tmp_path):
    assert arcbatt("runs").out == f"no run is kept in {kept_here}\n"
    first = run()
    run("-c", 2)
    lines = arcbatt("runs").out.splitlines()
    assert re.match(r" +1  \d{4}-\d\d-\d\d \d\d:\d\d  done +1 of 5 +1 +0.\d  .*tasks.json$", lines[1])
    assert lines[2].split()[:1] == ["2"]
    shown = arcbatt("runs", "show", 1).out
    assert shown.splitlines()[:-1] == first.out.splitlines()[:-1]
    assert arcbatt("runs", "show").out.startswith("1 of 2 tasks solved")
    facts = json.loads(arcbatt("runs", "--json").out)
    assert [(one["run"], one["solved"], one["tasks"], one["state"]) for one in facts] == [
        (1, 1, 5, "done"),
        (2, 1, 2, "done"),
    ]
    assert arcbatt("runs", "delete", 1).out == "deleted run 1\n"
    assert [one["run"] for one in json.loads(arcbatt("runs", "--json").out)] == [2]
    assert "no run 1 is kept" in arcbatt("runs", "show", 1).refused()
    assert "there are 2" in arcbatt("report", 1, "-o", tmp_path / "r.html").refused()
    assert "name the runs" in arcbatt("runs", "delete").refused()
    assert "no run 7 is kept" in arcbatt("runs", "delete", 7).refused()
    arcbatt("runs", "delete", "--all")
    assert not list(kept_here.iterdir())
    assert "no run is kept" in arcbatt("runs", "show").refused()


def test_report_and_submit_take_the_last_run(run, tasks, tmp_path):
    run()
    page, answers = tmp_path / "report.html", tmp_path / "submission.json"
    done = arcbatt("report", "-o", page)
    assert done.out.startswith(f"{page}: solved: 1; tests wrong: 1; nearly solved: 1; open: 2")
    assert arcbatt("submit", "-o", answers).out.startswith(f"{answers}: 5 tasks, 5 test inputs")
    assert "5 of 5 tasks scored" in arcbatt("score", answers, "-d", tasks).out


def test_part_of_a_data_set_is_run_submitted_and_scored(kept_here, tmp_path, solvers):
    some = solvers(*map(str, library()[:40]))
    arcbatt("run", "--solvers", some, "-c", 10, "-q")
    answers = tmp_path / "submission.json"
    arcbatt("submit", "-o", answers)
    done = arcbatt("score", answers)
    assert done.status == 0
    assert done.out.startswith("10 of 400 tasks scored\n")
    assert "390 tasks not in the submission; counted as wrong: Kaggle's rule " in done.out
    assert "missing" in arcbatt("score", answers, "--strict").refused()


def test_diff_by_task_and_program(run, solvers, tmp_path):
    run(programs=(MIRROR, TURN))
    run(programs=(MIRROR.replace("vmirror", "hmirror"), LOOKUP))
    out = arcbatt("runs", "diff").out
    assert out == arcbatt("runs", "diff", 1, 2).out == arcbatt("run", "diff", 1, 2).out
    assert arcbatt("run", "show", 1).out == arcbatt("runs", "show", 1).out
    assert re.search(r"no longer solved: 1 task\n.*\nmirrored +solved +only from S +-mirror -turn$", out, re.MULTILINE)
    assert "newly solved: 0 tasks" in out
    assert re.search(r"^mirror +1 +0  rewritten$", out, re.MULTILINE)
    assert re.search(r"^turn +1  not in it$", out, re.MULTILINE)
    found = json.loads(arcbatt("runs", "diff", 2, 1, "--json").out)
    assert [one["task"] for one in found["gained"]] == ["mirrored"]
    assert found["gained"][0]["gained"] == ["mirror", "turn"]
    page = tmp_path / "r.html"
    assert "; changed: 5;" in arcbatt("report", 2, "--against", 1, "-o", page).out
    assert "then: mirror" in page.read_text()


def test_a_directory_of_ones_own_is_known_as_the_last_run(run, tmp_path, kept_here):
    own = tmp_path / "mine"
    run()
    run("-c", 2, "-o", own)
    assert json.loads(arcbatt("runs", "--json").out)[-1]["directory"] == str(own)
    assert arcbatt("runs", "show").out.startswith("1 of 2 tasks solved")
    assert arcbatt("runs", "show", own).out == arcbatt("runs", "show", 2).out
    assert arcbatt("runs", "delete", 2).out == f"forgot run 2; {own} stays\n"
    assert (own / "run.json").exists()
    run("-c", 2, "--no-keep", "-o", tmp_path / "other")
    assert [one["run"] for one in json.loads(arcbatt("runs", "--json").out)] == [1]


def test_nothing_is_kept_where_nobody_wants_it_or_it_cannot_be(run, kept_here, tmp_path):
    assert "kept" not in run("--no-keep").out
    assert not kept_here.exists()
    kept_here.write_text("a file")
    done = run()
    assert done.status == 0
    assert "the run is not kept" in done.err
    assert "kept as" not in done.out


def test_a_run_that_cannot_begin_leaves_no_number(run, kept_here):
    assert "is_refused" in run(programs=("def solve_a(I):\n    return is_refused(I)\n",)).refused()
    twice = run(programs=(MIRROR,))
    assert twice.out.endswith("kept as run 1: arcbatt runs lists them\n")


def test_the_oldest_go(run, kept_here, monkeypatch):
    monkeypatch.setattr(kept, "KEPT_RUNS", 2)
    for _ in range(3):
        run()
    done = run()
    assert done.err == "deleted the oldest of the runs that are kept: 1\n"
    assert sorted(place.name for place in kept_here.iterdir()) == ["2", "3", "4"]
    monkeypatch.setattr(kept, "KEPT_BYTES", 1)
    run()
    assert sorted(place.name for place in kept_here.iterdir()) == ["4", "5"]  # the newest stays however large


def test_resume_goes_on_with_the_last_run(run):
    stopped = run("-t", "0.0001")
    assert stopped.out.endswith("kept as run 1: arcbatt runs lists them; go on with the same command and --resume\n")
    done = run("--resume")
    assert done.status == 0, done.err
    assert done.out.startswith("1 of 5 tasks solved")
    assert [one["state"] for one in json.loads(arcbatt("runs", "--json").out)] == ["done"]


def test_resume_without_a_run(run):
    assert "no run is kept" in run("--resume").refused()


def test_one_name_in_two_files_is_two_programs(run, tasks, tmp_path, kept_here):
    for name in ("a", "b"):
        put(tmp_path / f"{name}.py", f"def solve_same(I):\n    return {'vmirror' if name == 'a' else 'hmirror'}(I)\n")
    done = arcbatt(
        "run", "-d", tasks, "--solvers", tmp_path / "a.py", "--solvers", tmp_path / "b.py", "--backend", "cpu", "-q"
    )
    assert done.status == 0, done.err
    assert json.loads(arcbatt("runs", "--json").out)[0]["programs"] == 2


def test_a_run_whose_files_go_meanwhile(run, kept_here, monkeypatch):
    """As those of a run that ends, or that another process deletes."""
    run()
    (kept_here / "1" / "gone").symlink_to("nowhere")
    assert len(arcbatt("runs").out.splitlines()) == 3
    one = kept.kept_runs()[0]
    one.delete()
    one.delete()


@pytest.mark.parametrize("name", ["", "nosuch", "-5", "99"])
def test_runs_that_there_are_not(run, name):
    run()
    for args in (("show", name), ("diff", name), ("diff", name, "1"), ("diff", "1", name), ("delete", name)):
        arcbatt("runs", *args[:1], "--", *args[1:]).refused()


def test_a_damaged_run_is_listed_as_such(run, kept_here):
    run()
    (kept_here / "1" / "run.json").write_text("{")
    assert "damaged" in arcbatt("runs").out
