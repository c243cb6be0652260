from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcbatt.data.tasks import Task
from arcbatt.errors import DataError
from arcbatt.scoring.scores import Score, TaskScore, score_submission, which_right
from arcbatt.scoring.submission import check_submission, read_submission, write_submission
from data.support import json_values
from strategies import grids

ONE, TWO = [[1]], [[2, 3]]
PAIR = {"attempt_1": ONE, "attempt_2": TWO}
TESTS = {"a": 1, "b": 2}
GOOD = {"a": [PAIR], "b": [PAIR, PAIR]}
CHECKED = {"a": ((((1,),), ((2, 3),)),), "b": ((((1,),), ((2, 3),)),) * 2}


def test_a_good_submission():
    assert check_submission(GOOD, TESTS) == CHECKED


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"a": ...}, "task a: missing"),
        ({"c": [PAIR]}, "task c: not in the challenge"),
        ({"a": PAIR}, f"task a: a list of attempts is expected, one entry a test input, got {str(PAIR)[:37]}..."),
        ({"b": [PAIR]}, "task b: 2 test inputs, got attempts for 1"),
        ({"a": []}, "task a: 1 test inputs, got attempts for 0"),
        ({"a": [ONE]}, "task a: test 0: an object with attempt_1 and attempt_2 is expected, got [[1]]"),
        ({"b": [PAIR, {"attempt_1": ONE}]}, "task b: test 1: attempt_2: missing"),
        ({"a": [{**PAIR, "attempt_3": ONE}]}, "task a: test 0: unknown key 'attempt_3'"),
        (
            {"a": [{**PAIR, "attempt_1": [[1, 2], [3]]}]},
            "task a: test 0: attempt_1: ragged, row 1 has 1 cell where row 0 has 2",
        ),
        (
            {"b": [PAIR, {**PAIR, "attempt_2": [[10]]}]},
            "task b: test 1: attempt_2: cell (0, 0) is a colour from 0 to 9, got 10",
        ),
        ({"a": [{**PAIR, "attempt_2": []}]}, "task a: test 0: attempt_2: a grid is a list of rows, got []"),
        ({"a": [{**PAIR, "attempt_2": None}]}, "task a: test 0: attempt_2: a grid is a list of rows, got None"),
        ({"a": [{**PAIR, "attempt_2": [[0] * 31]}]}, "task a: test 0: attempt_2: 31 columns, at most 30"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(change, problem):
    data = {key: value for key, value in {**GOOD, **change}.items() if value is not ...}
    with pytest.raises(DataError) as caught:
        check_submission(data, TESTS, "here")
    assert str(caught.value) == f"here: not a valid submission:\n  {problem}"


def test_many_problems_and_no_object(tmp_path):
    with pytest.raises(DataError) as caught:
        check_submission({}, {str(number): 1 for number in range(12)})
    lines = str(caught.value).splitlines()
    assert (len(lines), lines[1], lines[-1]) == (12, "  task 0: missing", "  and 2 more")
    with pytest.raises(DataError) as caught:
        check_submission([1], TESTS)
    assert str(caught.value) == "submission: a submission is an object of attempts by task id, got [1]"
    path = tmp_path / "submission.json"
    path.write_text(
        '{"a": [{"attempt_1": [[1]], "attempt_2": [[1]], "attempt_2": [[1]]}], "a": []}',
    )
    with pytest.raises(DataError) as caught:
        read_submission(path, {"a": 1})
    problems = "task a: given twice\n  task a: test 0: attempt_2: given twice"
    assert str(caught.value) == f"{path}: not a valid submission:\n  {problems}"


def test_written_and_read_back_whole_or_not_at_all(tmp_path):
    path = tmp_path / "submission.json"
    write_submission(path, CHECKED, TESTS)
    assert json.loads(path.read_text()) == GOOD
    assert read_submission(path, TESTS) == CHECKED
    with pytest.raises(DataError, match="task c: missing"):
        write_submission(path, {}, {"c": 1})
    assert read_submission(path, TESTS) == CHECKED
    assert list(tmp_path.iterdir()) == [path]


def test_both_rules():
    task = Task("b", ((((0,),), ((0,),)),), ((((0,),), ((1,),)), (((0,),), ((9,),))))
    other = Task("a", task.train, ((((0,),), ((2, 3),)),))
    score = score_submission(CHECKED, [other, task])
    assert score == Score((TaskScore("a", (2,)), TaskScore("b", (1, 0))))
    assert (score.outputs, score.outputs_right, score.kaggle) == (3, 2, 2 / 3)
    assert (score.tasks_solved, score.repository) == (1, 1 / 2)


def test_hidden_outputs_are_not_scored():
    known = Task("a", ((((0,),), ((0,),)),), ((((0,),), ((2, 3),)),))
    hidden = Task("b", known.train, ((((0,),), ((1,),)), (((0,),), None)))
    assert score_submission(CHECKED, [known, hidden]) == Score((TaskScore("a", (2,)),), hidden=1)
    with pytest.raises(DataError, match="nothing to score against: all 1 tasks have hidden test outputs"):
        score_submission(CHECKED, [hidden])


@given(grids(3, 2), grids(3, 2), grids(3, 2))
def test_exact_match(one, two, wanted):
    which = which_right((one, two), wanted)
    assert which == (1 if one == wanted else 2 if two == wanted else 0)


@given(st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=3), min_size=1, max_size=8))
def test_the_rules_agree_where_every_task_has_one_test(right):
    tasks = tuple(TaskScore(str(number), tuple(one)) for number, one in enumerate(right))
    score = Score(tasks)
    assert 0 <= score.repository <= 1
    assert 0 <= score.kaggle <= 1
    assert (score.kaggle == 1) == (score.repository == 1)
    if all(len(one) == 1 for one in right):
        assert score.kaggle == score.repository


@given(json_values, st.dictionaries(st.sampled_from("abx"), st.integers(1, 2)))
def test_any_json_is_a_submission_or_a_clear_error(value, tests):
    try:
        assert set(check_submission(value, tests, "here")) == set(tests)
        return
    except DataError as error:
        problem = str(error)
    assert problem.startswith("here: ")
