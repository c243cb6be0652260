"""What solving is recorded in can be gone on with, and says when it cannot."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from arcbatt.errors import DataError, UsageError
from arcbatt.search.options import SolveOptions
from arcbatt.search.record import SolveRecord, read_solutions
from arcbatt.search.solution import Attempt, Solution, submission_of

OPTIONS = SolveOptions()


def solution(key: str) -> Solution:
    attempts = (Attempt(((1, 2),), 0.5, 3, "one image", 1.5, "def solve_found(I):\n    return I\n"), Attempt(((0,),)))
    return Solution(key, (attempts,), 0.25)


def test_what_was_added_is_there_again(tmp_path):
    record = SolveRecord(tmp_path / "out", OPTIONS, "arcagi", resume=False)
    for key in "ab":
        record.add(solution(key))
    again = SolveRecord(tmp_path / "out", replace(OPTIONS, threads=7), "arcagi", resume=True)
    assert again.solutions == {key: solution(key) for key in "ab"}
    assert submission_of(again.solutions)["a"] == ((((1, 2),), ((0,),)),)


def test_a_line_that_was_cut_off_is_done_again(tmp_path):
    record = SolveRecord(tmp_path, OPTIONS, "arcagi", resume=False)
    record.add(solution("a"))
    with (tmp_path / "solutions.jsonl").open("a") as file:
        file.write('{"id": "b", "atte')
    again = SolveRecord(tmp_path, OPTIONS, "arcagi", resume=True)
    assert list(again.solutions) == ["a"]
    again.add(solution("c"))
    assert list(read_solutions(tmp_path)) == ["a", "c"]


def test_a_record_is_not_overwritten_nor_mixed(tmp_path):
    SolveRecord(tmp_path, OPTIONS, "arcagi", resume=False)
    with pytest.raises(UsageError, match="--resume"):
        SolveRecord(tmp_path, OPTIONS, "arcagi", resume=False)
    with pytest.raises(UsageError, match="other options"):
        SolveRecord(tmp_path, replace(OPTIONS, budget=9.0), "arcagi", resume=True)
    with pytest.raises(UsageError, match="other options"):
        SolveRecord(tmp_path, OPTIONS, "arcagi2", resume=True)


def test_a_folder_with_something_else_is_left_alone(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(UsageError, match="another place"):
        SolveRecord(tmp_path, OPTIONS, "arcagi", resume=False)


@pytest.mark.parametrize("line", ["[]", "{}", "nonsense", json.dumps({"id": "a", "attempts": 3, "seconds": 1})])
def test_a_damaged_line_is_named(tmp_path, line):
    SolveRecord(tmp_path, OPTIONS, "arcagi", resume=False)
    (tmp_path / "solutions.jsonl").write_text(line + "\n")
    with pytest.raises(DataError, match=r"solutions\.jsonl"):
        read_solutions(tmp_path)


@pytest.mark.parametrize("wrong", [{"budget": 0.0}, {"budget": float("nan")}, {"threads": 0}])
def test_options_that_make_no_sense_are_refused(wrong):
    with pytest.raises(UsageError):
        SolveOptions(**wrong)
