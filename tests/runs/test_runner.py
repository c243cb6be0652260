"""Runs: the result is the same however it is cut up, stopped and resumed."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

import arcbatt
from arcbatt.batt.differs import standard_differs
from arcbatt.data.tasks import Task, load_tasks
from arcbatt.data.taskset import TaskSet
from arcbatt.engine import choose
from arcbatt.engine.compilers import CompiledAhead
from arcbatt.engine.outputs import combined_hashes, grid_of, outcome_hash
from arcbatt.engine.worker import WorkerSpec
from arcbatt.errors import UsageError
from arcbatt.language.failures import Failed
from arcbatt.language.reference import evaluate
from arcbatt.language.sample import Sample
from arcbatt.runs import runner
from arcbatt.runs.options import RunOptions
from arcbatt.runs.record import RunRecord
from arcbatt.runs.runner import run, slices
from arcbatt.runs.store.writing import StoreWriter
from arcbatt.solvers import library
from arcbatt.syntax import parse_program

PROGRAMS = [
    *library()[::13],
    parse_program("def solve_ragged(I):\n    return vconcat(I, lefthalf(I))\n"),
    parse_program("def solve_number(I):\n    return size(I)\n"),
    parse_program("def solve_answer(S, I, C):\n    return C\n"),
    parse_program("def solve_negative(I):\n    return replace(I, ZERO, NEG_ONE)\n"),
    parse_program("def solve_large(I):\n    return upscale(I, 9)\n"),
]
IDS = {program.id for program in PROGRAMS}
TASKS = [task for task in load_tasks("arcagi") if task.id in IDS][::4]
TASKS[1] = Task(TASKS[1].id, TASKS[1].train, ((TASKS[1].test[0][0], None),))


def rows_of(record, query):
    return record.store.connection.execute(query).fetchall()


def contents(place):
    if isinstance(place, RunRecord):
        return list(place.dump())
    with RunRecord.open(place) as record:
        return list(record.dump())


@pytest.fixture(scope="module")
def whole():
    return run(RunOptions(backend="cpu"), PROGRAMS, TASKS)


def test_rows_are_what_the_reference_says(whole):
    rows = {(row[0], row[1]): row[2:] for row in rows_of(whole.record, "SELECT * FROM results")}
    assert len(rows) == len(PROGRAMS) * len(TASKS)
    for task in TASKS:
        samples = [Sample(given, task.train, wanted) for given, wanted in task.train]
        samples += [Sample(given, task.train) for given, _ in task.test]
        for program in PROGRAMS[::3] + PROGRAMS[-5:]:
            outcomes = [evaluate(program, sample) for sample in samples]
            demos = len(task.train)
            right, count, tests, _, failed, reason, agreement, key = rows[program.id, task.id]
            assert count == demos
            assert right == sum(outcome == wanted for outcome, (_, wanted) in zip(outcomes, task.train, strict=False))
            hidden = any(wanted is None for _, wanted in task.test)
            wanted_tests = [outcome == wanted for outcome, (_, wanted) in zip(outcomes[demos:], task.test, strict=True)]
            assert tests == (None if hidden else sum(wanted_tests))
            failures = [outcome for outcome in outcomes if isinstance(outcome, Failed)]
            assert failed == len(failures)
            assert reason == (failures[0].reason.value if failures else None)
            shares = [share(outcome, pair[1]) for outcome, pair in zip(outcomes, task.train, strict=False)]
            assert agreement == pytest.approx(np.mean(shares))
            hashes = np.array([[outcome_hash(outcome)] for outcome in outcomes], np.uint64)
            assert key == int(combined_hashes(hashes).view(np.int64)[0])


def share(outcome, wanted):
    grid = grid_of(outcome)
    return 0.0 if grid is None or grid.shape != np.shape(wanted) else float((grid == np.array(wanted)).mean())


def test_what_is_kept(whole):
    record = whole.record
    solved = record.solved()
    assert all(task.id in solved[task.id] for task in TASKS)
    assert set(record.solved_tests()) == {task.id for task in TASKS} - {TASKS[1].id}
    programs = record.programs()
    for task in TASKS:
        near = record.near(task.id)
        assert len({one.program for one in near}) == len(near) <= 3
        assert not {one.program for one in near} & set(solved[task.id])
        assert [(-one.demos_right, -one.agreement) for one in near] == sorted(
            (-one.demos_right, -one.agreement) for one in near
        )
        attempts = record.attempts(task.id)
        assert {one.program for one in attempts} == {*solved[task.id], *(one.program for one in near)}
        for one in attempts:
            pair = (task.train + task.test)[one.sample]
            shown = pair[1] if one.sample < len(task.train) else None
            want = grid_of(evaluate(programs[one.program], Sample(pair[0], task.train, shown)))
            if want is None or want.size > 900:
                assert one.grid is None
            else:
                np.testing.assert_array_equal(one.grid, want)


def test_differs_are_asked_about_near_misses_only(whole):
    differs = standard_differs()
    programs = whole.record.programs()
    checked = 0
    for task in TASKS:
        for near in whole.record.near(task.id):
            assert set(near.scores) == {differ.id for differ in differs}
            for differ in differs:
                values = []
                for given, wanted in task.train:
                    output = evaluate(programs[near.program], Sample(given, task.train, wanted))
                    if grid_of(output) is not None:
                        values.append(evaluate(differ, Sample(output, task.train, wanted)))
                sizes = [
                    len(v) if isinstance(v, tuple | frozenset) else int(v) for v in values if not isinstance(v, Failed)
                ]
                assert near.scores[differ.id] == (sum(sizes) if sizes else None)
                checked += 1
    assert checked >= 4
    assert rows_of(whole.record, "SELECT count(*) FROM near")[0][0] == checked


def test_no_program_sees_a_tests_answer(whole):
    """A program that returns C is right on every demonstration, and has nothing to return on a test."""
    rows = rows_of(
        whole.record, "SELECT demos_right = demos, tests_right, failed, tests FROM results WHERE program = 'answer'"
    )
    assert all(right and not tests and failed == count for right, tests, failed, count in rows)
    changed = [replace(task, test=tuple((given, ((0,),)) for given, _ in task.test)) for task in TASKS]
    rows = [
        [json.loads(line) for line in contents(record) if not line.startswith('["task"')]
        for record in (whole.record, run(RunOptions(backend="cpu"), PROGRAMS, changed).record)
    ]
    for one, other in zip(*rows, strict=True):
        if one[0] == "result":
            del one[4], other[4]  # tests_right, the one thing that may differ
        assert one == other


def test_a_task_set_runs_as_a_list_does(whole):
    tasks = TaskSet.of(TASKS)
    assert contents(run(RunOptions(backend="cpu", batch_size=9), PROGRAMS, tasks).record) == contents(whole.record)


def test_a_full_disk_is_said(monkeypatch, tmp_path):
    def full(*_):
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(StoreWriter, "add", full)
    with pytest.raises(UsageError, match="disk is full; what was done before is kept, go on with --resume"):
        run(RunOptions(backend="cpu"), PROGRAMS[:2], TASKS[:2], out=tmp_path)
    with RunRecord.open(tmp_path) as record:
        assert record.state == "stopped"


@pytest.mark.parametrize(
    "options",
    [
        {"backend": "cpu", "threads": 3, "batch_size": 7},
        {"backend": "auto", "mega_batch": False, "threads": 1},
        {"backend": "cpu", "slice_size": 5, "batch_size": 20},
        {"backend": "cpu", "slice_size": 5, "compilers": 0},
        {"backend": "auto", "slice_size": 5, "compilers": 2},
        {"backend": "python"},
    ],
    ids=str,
)
def test_the_result_does_not_depend_on_how_it_is_run(whole, options):
    summary = run(RunOptions(**options), PROGRAMS, TASKS)
    assert contents(summary.record) == contents(whole.record)
    assert summary.evaluations == whole.evaluations == len(PROGRAMS) * sum(len(task.samples) for task in TASKS)
    if options["backend"] == "python":
        assert not summary.rerouted()
    else:
        assert summary.rerouted() == whole.rerouted()


def test_fallbacks_are_counted(whole):
    assert sum(whole.rerouted().values()) >= len(TASKS)
    texts = [text for (text,) in rows_of(whole.record, "SELECT rerouted FROM batch")]
    assert sum(sum(json.loads(text).values()) for text in texts) == sum(whole.rerouted().values())


@pytest.mark.parametrize(("slice_size", "compilers"), [(1000, None), (9, 0), (9, 1)])
def test_stopped_and_resumed_any_number_of_times(whole, tmp_path, slice_size, compilers):
    options = RunOptions(backend="cpu", batch_size=10, slice_size=slice_size, compilers=compilers)
    goes = 0
    finished = False
    while not finished:
        seen = []
        summary = run(
            options, PROGRAMS, TASKS, out=tmp_path, resume=goes > 0,
            stop=lambda seen=seen: bool(seen) and seen[-1] > seen[0],
            progress=lambda done, total, seen=seen: seen.append(done),
        )  # fmt: skip
        finished = summary.finished
        with RunRecord.open(tmp_path) as record:
            assert record.state == ("done" if finished else "stopped")
        goes += 1
        assert goes < 200
    assert goes > 2
    assert contents(tmp_path) == contents(whole.record)
    again = run(options, PROGRAMS, TASKS, out=tmp_path, resume=True)
    assert again.evaluations == 0
    assert contents(tmp_path) == contents(whole.record)


def test_resuming_something_else_is_refused(tmp_path):
    run(RunOptions(backend="cpu"), PROGRAMS[:2], TASKS[:2], out=tmp_path)
    with pytest.raises(UsageError, match="the programs have changed"):
        run(RunOptions(backend="cpu"), PROGRAMS[:3], TASKS[:2], out=tmp_path, resume=True)
    with pytest.raises(UsageError, match=r"--dataset: 'arcagi' then, 'arcagi2' now"):
        run(RunOptions(backend="cpu", dataset="arcagi2"), PROGRAMS[:2], TASKS[:2], out=tmp_path, resume=True)
    with pytest.raises(UsageError, match="give it with --out"):
        run(RunOptions(backend="cpu"), PROGRAMS[:2], TASKS[:2], resume=True)


def test_few_steps_with_slices_compiled_ahead():
    options = {"backend": "cpu", "slice_size": 9, "max_steps": 300}
    summaries = [run(RunOptions(**options, compilers=many), PROGRAMS, TASKS[:3]) for many in (0, 2)]
    assert contents(summaries[0].record) == contents(summaries[1].record)


def test_processes_that_cannot_start_are_named(whole, monkeypatch):
    nobody = WorkerSpec("compiler", "nowhere:Nothing")
    monkeypatch.setattr(runner, "CompiledAhead", partial(CompiledAhead, spec=nobody))
    summary = run(RunOptions(backend="cpu", slice_size=5, compilers=1), PROGRAMS, TASKS)
    assert contents(summary.record) == contents(whole.record)
    assert summary.recovered_errors.keys() <= {"worker 0 (compiler) ended with code 1"}  # the run may be over before


def test_in_one_call(tmp_path):
    solved = arcbatt.run(PROGRAMS[:8], TASKS[:3], backend="cpu").record.solved()
    assert TASKS[0].id in solved[TASKS[0].id]
    stopped = arcbatt.run(PROGRAMS[:8], TASKS[:3], out=tmp_path, seconds=1e-9)
    assert not stopped.finished
    assert arcbatt.run(PROGRAMS[:8], TASKS[:3], out=str(tmp_path), resume=True).record.solved() == solved
    with pytest.raises(UsageError, match="no option count, colour"):
        arcbatt.run(PROGRAMS[:8], TASKS[:3], count=1, colour=2)


def test_a_gpu_that_is_not_there(monkeypatch):
    monkeypatch.setattr(choose, "why_no_gpu", lambda: "no NVIDIA device was found; use --backend cpu")
    with pytest.raises(UsageError, match="no GPU to run on: no NVIDIA device"):
        run(RunOptions(backend="cuda"), PROGRAMS[:1], TASKS[:1])
    assert run(RunOptions(backend="auto"), PROGRAMS[:1], TASKS[:1]).backends.keys() == {"cpu"}
    summary = run(RunOptions(backend="gpu"), PROGRAMS[:1], TASKS[:1])
    assert summary.backends == {"cpu": summary.evaluations}
    assert set(summary.rerouted()) == {"cpu: no NVIDIA device was found; use --backend cpu"}
    assert summary.rerouted().total() == summary.evaluations


def test_nothing_to_run():
    with pytest.raises(UsageError, match="no program to run"):
        run(RunOptions(), [], TASKS)
    with pytest.raises(UsageError, match="no task to run on"):
        run(RunOptions(), PROGRAMS, [])
    assert slices(5, 2) == [(0, 2), (2, 4), (4, 5)]


@pytest.mark.parametrize("twice", ["programs", "tasks"])
def test_two_of_one_name_are_refused_before_anything_is_made(tmp_path, twice):
    given = {"programs": PROGRAMS[:2], "tasks": TASKS[:2]}
    given[twice] = [given[twice][0], given[twice][0]]
    with pytest.raises(UsageError, match=f"two {twice} are named"):
        run(RunOptions(backend="cpu"), given["programs"], given["tasks"], out=tmp_path / "run")
    assert not (tmp_path / "run").exists()
