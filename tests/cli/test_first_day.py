"""The first commands of a new user, as they are typed: one whole run of the library, and what is asked of it after."""

from __future__ import annotations

import csv
import io
import json
import re

import pytest

from arcbatt.cli import terminal
from cli.commands import arcbatt

HEADLINE = "391 of 400 tasks solved by 391 programs, 391 by the one named for the task"
NOT_SOLVED = [
    "50846271",
    "2dd70a9a",
    "a8d7556c",
    "150deff5",
    "e5062a87",
    "a64e4611",
    "97a05b5b",
    "4290ef0e",
    "234bbc79",
]
"""The tasks that no program of the library solves, the nearest first."""


@pytest.fixture(scope="module")
def day(tmp_path_factory):
    """What `arcbatt run` prints on a terminal of 80 columns, in a folder that knows of no other run."""
    folder = tmp_path_factory.mktemp("day")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ARCBATT_RUNS", str(folder / "kept"))
        patch.chdir(folder)
        with pytest.MonkeyPatch.context() as wide:
            wide.setattr(terminal, "width", lambda *_: 80)
            wide.setattr("arcbatt.cli.summary.width", lambda *_: 80)
            yield arcbatt("run")


def test_run_says_what_matters_first_and_last(day):
    lines = day.out.splitlines()
    assert day.status == 0, day.err
    assert (lines[0], lines.count(HEADLINE)) == (HEADLINE, 2)
    assert len(lines) < 30
    assert max(map(len, lines)) <= 80
    assert lines[-1] == "kept as run 1: arcbatt runs lists them"


def test_near_misses_are_sorted_by_cells_right(day):
    found = re.findall(r"^(\w{8}) +\w{8} +([\d.]+)% ", day.out, re.MULTILINE)
    assert [task for task, _ in found] == NOT_SOLVED
    assert [float(share) for _, share in found] == sorted((float(share) for _, share in found), reverse=True)


@pytest.mark.usefixtures("day")
def test_an_id_is_pasted_into_show():
    assert arcbatt("show", "4290ef0e").out.startswith("4290ef0e   3 demonstrations, 1 test\n")


@pytest.mark.usefixtures("day")
def test_the_run_again_in_every_shape():
    assert arcbatt("run", "show", "--summary").out.splitlines()[0] == HEADLINE
    assert len(json.loads(arcbatt("runs", "show", "--json").out)["results"]) == 400
    rows = list(csv.DictReader(io.StringIO(arcbatt("runs", "show", "--csv").out)))
    assert [row["task"] for row in rows[:9]] == NOT_SOLVED
    failed = arcbatt("runs", "show", "--failed").out
    assert all(task in failed for task in NOT_SOLVED)
    assert "007bbfb7" not in failed
    assert re.search(r"^007bbfb7  007bbfb7$", arcbatt("runs", "show", "--all").out, re.MULTILINE)
    assert re.search(r"^  1 .* done   391 of 400 ", arcbatt("runs").out, re.MULTILINE)


@pytest.mark.usefixtures("day")
def test_report_submit_and_score_need_no_other_run():
    assert arcbatt("report").out.startswith("report.html: solved: 391; ")
    assert arcbatt("submit").out.startswith("submission.json: 400 tasks, 416 test inputs; ")
    out = arcbatt("score", "submission.json").out
    assert out.startswith("400 of 400 tasks scored\n")
    assert "391 of 400 tasks with all test outputs right" in out


@pytest.mark.usefixtures("day")
def test_part_of_a_data_set():
    assert arcbatt("run", "-c", 100).out.startswith("96 of 100 tasks solved by 391 programs, 96 by the one named")
    assert arcbatt("submit", "-o", "part.json").out.startswith("part.json: 100 tasks, 105 test inputs; ")
    done = arcbatt("score", "part.json")
    assert (done.status, done.out.splitlines()[0]) == (0, "100 of 400 tasks scored")
    assert "repository's rule: 96.00%, 96 of 100 tasks" in done.out
    assert "100 tasks in both" in arcbatt("run", "diff", 1, 2).out
