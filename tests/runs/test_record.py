"""The record of a run: what is written is what is read, also by plain SQLite."""

from __future__ import annotations

import json
import sqlite3

import numpy as np
import pytest

from arcbatt.data.tasks import Task, load_tasks
from arcbatt.errors import DataError, UsageError
from arcbatt.language.limits import MAX_STEPS, MAX_TOTAL_STEPS
from arcbatt.runs import record as record_module
from arcbatt.runs.options import RunOptions
from arcbatt.runs.record import RunRecord, task_json, task_of
from arcbatt.runs.store.tables import Batch
from arcbatt.runs.writer import RunWriter
from arcbatt.syntax import parse_program

TASKS = load_tasks("arcagi")[:3]
PROGRAMS = [parse_program(f"def solve_{name}(I):\n    x = vmirror(I)\n    return x\n") for name in "ab"]


def written(folder, **options):
    writer = RunWriter.create(folder, RunOptions(**options), "cpu", PROGRAMS, TASKS)
    demos, tests = len(TASKS[0].train), len(TASKS[0].test)
    batch = Batch(
        first_task=0, tasks=1, first_program=0, programs=2, evaluations=8, seconds=0.5, rerouted={"escape": 2},
        results=[(0, 0, demos, 0, 0, None, 1.0, 11), (1, 0, 1, tests, 2, "empty", 0.25, 12)],
        outputs=[(-5, 1, 3, b"\1\2\xff")],
        attempts=[(0, 0, 0, -5), (0, 1, 0, None)],
        near=[(0, 1, "extra_colours", 4), (0, 1, "object_sizes", None)],
    )  # fmt: skip
    writer.add(batch)
    return writer


def test_what_is_written_is_read(tmp_path):
    written(tmp_path / "out", batch_size=7).finish("done")
    with RunRecord.open(tmp_path / "out") as record:
        assert record.state == "done"
        assert record.options == RunOptions(batch_size=7, max_steps=MAX_STEPS, max_total_steps=MAX_TOTAL_STEPS)
        assert record.environment["backend"] == "cpu"
        assert record.tasks() == TASKS
        assert record.programs() == {one.id: one for one in PROGRAMS}
        assert record.solved() == {TASKS[0].id: ["a"]}
        assert record.solved_tests() == {}
        (near,) = record.near(TASKS[0].id)
        assert (near.program, near.demos_right, near.agreement) == ("b", 1, 0.25)
        assert near.scores == {"extra_colours": 4, "object_sizes": None}
        first, second = record.attempts(TASKS[0].id)
        np.testing.assert_array_equal(first.grid, [[1, 2, -1]])
        assert (second.program, second.sample, second.grid) == ("a", 1, None)


def test_plain_sqlite_reads_it_while_it_is_written(tmp_path):
    writer = written(tmp_path)
    other = sqlite3.connect(tmp_path / "results.sqlite")
    rows = other.execute("SELECT program, task, demos_right, reason FROM results ORDER BY program").fetchall()
    assert rows == [("a", TASKS[0].id, len(TASKS[0].train), None), ("b", TASKS[0].id, 1, "empty")]
    assert json.loads((tmp_path / "run.json").read_text())["state"] == "running"
    other.close()
    writer.finish("stopped")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["log.txt", "programs.py", "results.sqlite", "run.json"]


def test_pandas_reads_it(tmp_path):
    pandas = pytest.importorskip("pandas")
    written(tmp_path).finish("done")
    frame = pandas.read_sql("SELECT * FROM results ORDER BY program", sqlite3.connect(tmp_path / "results.sqlite"))
    assert list(frame["demos_right"]) == [len(TASKS[0].train), 1]


def test_a_directory_has_one_run_and_one_writer(tmp_path):
    writer = written(tmp_path)
    with pytest.raises(UsageError, match="already holds a run; go on with --resume"):
        written(tmp_path)
    with pytest.raises(UsageError, match="another run is writing"):
        RunWriter.resume(tmp_path, RunOptions(), "cpu")
    writer.finish("stopped")
    with pytest.raises(UsageError, match=r"--count: None then, 3 now"):
        RunWriter.resume(tmp_path, RunOptions(count=3), "cpu")
    again = RunWriter.resume(tmp_path, RunOptions(threads=3), "python")
    again.check_same(PROGRAMS, TASKS)
    with pytest.raises(UsageError, match="the programs have changed"):
        again.check_same(PROGRAMS[:1], TASKS)
    with pytest.raises(UsageError, match="has changed"):
        again.check_same(PROGRAMS, TASKS[::-1])
    with pytest.raises(UsageError, match="3 tasks, there are 2"):
        again.check_same(PROGRAMS, TASKS[:2])


def test_hidden_outputs_stay_hidden():
    task = Task("x", TASKS[0].train, ((TASKS[0].test[0][0], None),))
    assert "output" not in json.loads(task_json(task))["test"][0]
    assert task_of("x", task_json(task)) == task


def test_what_is_no_run_directory_is_said(tmp_path):
    with pytest.raises(UsageError, match="not a run directory"):
        RunRecord.open(tmp_path)
    (tmp_path / "run.json").write_text("{")
    with pytest.raises(DataError, match=r"run\.json: cannot be read"):
        RunRecord.open(tmp_path)
    (tmp_path / "run.json").write_text("{}")
    with pytest.raises(DataError, match="missing"):
        RunRecord.open(tmp_path)
    sqlite3.connect(tmp_path / "results.sqlite").execute("CREATE TABLE x (y)")
    with pytest.raises(DataError, match="version 0, this arcbatt reads version 2"):
        RunRecord.open(tmp_path)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"solvers": ("a",), "batt": "b"}, "not both"),
        ({"backend": "abacus"}, "no backend 'abacus'"),
        ({"batch_size": 0}, "--batch-size is a number above 0"),
    ],
)
def test_options_that_make_no_sense(options, message):
    with pytest.raises(UsageError, match=message):
        RunOptions(**options)


def test_options_go_through_json():
    options = RunOptions(solvers=("a", "b"), ids=("x",), devices=(0, 1), seconds=1.5)
    assert RunOptions.from_json(json.loads(json.dumps(options.to_json()))) == options


def test_programs_that_are_known_are_not_read_again(tmp_path, monkeypatch):
    written(tmp_path).finish("done")
    monkeypatch.setattr(record_module, "parse_file", lambda _: pytest.fail("read again"))
    with RunRecord.open(tmp_path) as record:
        record.know(PROGRAMS)
        assert list(record.programs().values()) == PROGRAMS
    with RunRecord.open(tmp_path) as record:
        record.know(PROGRAMS[:1])  # others: what is written counts
        with pytest.raises(pytest.fail.Exception, match="read again"):
            record.programs()
