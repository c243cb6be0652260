from __future__ import annotations

import pytest

from arcbatt.cli.report import write_report
from arcbatt.data.tasks import Task, load_tasks
from arcbatt.errors import UsageError
from arcbatt.language.reference import evaluate
from arcbatt.report.compare import Verdict, compare
from arcbatt.report.html import report_html
from arcbatt.report.model import Score, Timing
from arcbatt.report.reading import read_report
from arcbatt.runs.options import RunOptions
from arcbatt.runs.outcomes import Standing
from arcbatt.runs.record import RunRecord
from arcbatt.runs.runner import run as run_all
from arcbatt.runs.store.tables import Batch
from arcbatt.runs.writer import RunWriter
from arcbatt.solvers import library
from arcbatt.syntax import parse_program

ONE, TWO = ((1,),), ((2,),)
WIDE = ((1,) * 20,)
NEARLY = ((1,) * 19 + (2,),)
TASKS = [
    Task("solved", ((ONE, ONE), (TWO, TWO)), ((ONE, ONE),)),
    Task("wrong", ((ONE, ONE),), ((ONE, TWO),)),
    Task("hidden", ((ONE, ONE),), ((ONE, None),)),
    Task("near", ((ONE, WIDE),), ((ONE, ONE),)),
    Task("far", ((ONE, WIDE),), ((ONE, ONE),)),
    Task("waiting", ((ONE, ONE),), ((ONE, ONE),)),
]
PROGRAMS = [
    parse_program(f"def solve_{name}(I):\n{lines}    return vmirror(I)\n")
    for name, lines in [("long", "    x1 = hmirror(I)\n"), ("same", ""), ("other", "")]
]
OUTPUTS = {ONE: 1, TWO: 2, WIDE: 3, NEARLY: 4}


def row(program, task, demos, tests, failed=0, reason=None, agreement=0.0):
    return (program, task, demos, tests, failed, reason, agreement, 0)


def attempts(task, program, *grids):
    return [(task, sample, program, None if grid is None else OUTPUTS[grid]) for sample, grid in enumerate(grids)]


@pytest.fixture
def run(tmp_path):
    writer = RunWriter.create(tmp_path / "run", RunOptions(ids=("a", "b")), "cpu", PROGRAMS, TASKS)
    batch = Batch(
        first_task=0, tasks=5, first_program=0, programs=3, evaluations=300, seconds=0.5,
        rerouted={"escape": 2},
        results=[
            row(0, 0, 2, 1), row(1, 0, 2, 1), row(2, 0, 2, 0),
            row(0, 1, 1, 0, 1, "empty"), row(1, 1, 0, 0, 2, "limit"),
            row(0, 2, 1, None),
            row(0, 3, 0, 0, agreement=0.95), row(1, 3, 0, 0, 1, "type", agreement=0.92), row(2, 3, 0, 0, agreement=0.5),
            row(0, 4, 0, 0, agreement=0.89),
        ],
        outputs=[
            (number, 1, len(grid[0]), bytes(grid[0])) for grid, number in OUTPUTS.items()
        ],
        attempts=[
            *attempts(0, 0, ONE, TWO, ONE), *attempts(0, 1, ONE, TWO, ONE), *attempts(0, 2, ONE, TWO, TWO),
            *attempts(1, 0, ONE, None),
            *attempts(2, 0, ONE, TWO),
            *attempts(3, 0, NEARLY, TWO), *attempts(3, 1, NEARLY, None), *attempts(3, 2, TWO, TWO),
            *attempts(4, 0, NEARLY, TWO),
        ],
        near=[(3, 0, "x", 1), (3, 1, "x", 1), (3, 2, "x", 1), (4, 0, "x", 1)],
    )  # fmt: skip
    writer.add(batch)
    writer.add(Batch(5, 0, 0, 3, 100, 0.5, {"escape": 1, "overflow": 4}))
    writer.finish("stopped")
    return tmp_path / "run"


@pytest.fixture
def report(run):
    with RunRecord.open(run) as record:
        return read_report(record, 1000)


def test_standings(report):
    assert {one.task.id: one.standing for one in report.tasks} == {
        "solved": Standing.SOLVED,
        "wrong": Standing.TESTS_WRONG,
        "hidden": Standing.SOLVED,
        "near": Standing.NEAR,
        "far": Standing.OPEN,
        "waiting": Standing.WAITING,
    }


def test_programs_that_gave_the_same_are_one_attempt_the_shorter_first(report):
    solved = report.tasks[0]
    assert [(one.program, one.alike) for one in solved.attempts] == [("same", ("long",)), ("other", ())]
    assert (solved.solvers, solved.demonstrations, solved.tests) == (3, Score(2, 2), Score(1, 1))
    assert solved.attempts[0].text == "def solve_same(I):\n    return vmirror(I)\n"
    assert [got.verdict for got in solved.attempts[1].gots] == [Verdict.MATCH, Verdict.MATCH, Verdict.DIFFERS]


def test_failures_and_hidden_outputs(report):
    wrong, hidden = report.tasks[1:3]
    assert [got.text for got in wrong.attempts[0].gots] == ["match", "failed: empty"]
    assert hidden.attempts[0].gots[1].verdict is Verdict.HIDDEN
    assert hidden.tests == Score(0, 1, known=False)


def test_near_misses_mark_the_cells_that_differ(report):
    near, far = report.tasks[3:5]
    assert [one.program for one in near.attempts] == ["long", "same"]  # the other has half of the cells
    assert near.attempts[0].gots[0].differing == ((0, 19),)
    assert near.attempts[1].gots[1].text == "failed: type"
    assert near.agreement == 0.95
    assert far.attempts == ()


def test_figures(report):
    facts = dict(report.facts)
    assert facts["tasks solved"] == "2 of 6"
    assert facts["demonstrations right"] == "3"
    assert facts["evaluations"] == "400"
    assert report.rerouted == (("overflow", 4), ("escape", 3))
    assert report.batches[0] == Timing("tasks 1 to 5, programs 1 to 3", 0.5, 300)
    assert dict(report.options)["--id"] == "a, b"
    assert dict(report.options)["--solvers"] == "not given"
    assert dict(report.environment)["backend"] == "cpu"
    assert report.state.startswith("Stopped before its end; what was done is here (started ")
    assert report.state.endswith(" UTC).")


def test_limit_leaves_out_and_counts(run):
    with RunRecord.open(run) as record:
        report = read_report(record, 1)
    assert [one.task.id for one in report.tasks] == ["solved", "wrong", "near", "far", "waiting"]
    assert report.left_out == {Standing.SOLVED: 1}
    assert report.count(Standing.SOLVED) == 2


def test_the_command(run, tmp_path, capsys):
    file = tmp_path / "out.html"
    write_report(str(run), None, file, 1000)
    page = file.read_text()
    assert capsys.readouterr().out == (
        f"{file}: solved: 2; tests wrong: 1; nearly solved: 1; open: 1; not run: 1; {len(page.encode()):,} bytes\n"
    )
    assert 'id="task-waiting"' in page


def test_bad_requests(run, tmp_path):
    with pytest.raises(UsageError, match="not a run directory"):
        write_report(str(tmp_path), None, tmp_path / "x.html", 10)
    with pytest.raises(UsageError, match="--count is a number above 0, got 0"):
        write_report(str(run), None, tmp_path / "x.html", 0)
    with pytest.raises(UsageError, match=r"cannot be written: No such file"):
        write_report(str(run), None, tmp_path / "none" / "x.html", 10)


def test_a_real_run(tmp_path):
    tasks = load_tasks("arcagi")[:6]
    programs = [one for one in library() if one.id in {tasks[0].id, tasks[1].id, "67a3c6ac"}]
    run_all(RunOptions(), programs, tasks, out=tmp_path / "run")
    with RunRecord.open(tmp_path / "run") as record:
        report = read_report(record, 1000)
    by_id = {one.task.id: one for one in report.tasks}
    assert len(by_id) == 6
    for task in tasks[:2]:
        found = by_id[task.id]
        assert found.standing is Standing.SOLVED
        assert found.attempts[0].program == task.id
        assert {got.verdict for got in found.attempts[0].gots} == {Verdict.MATCH}
        assert found.attempts[0].text == str(next(one for one in programs if one.id == task.id))
    for found in report.tasks:
        for attempt in found.attempts:
            for got, sample in zip(attempt.gots, found.task.samples, strict=True):
                program = next(one for one in programs if one.id == attempt.program)
                assert got.grid == compare(evaluate(program, sample), sample.C).grid
    assert {stage.name for stage in report.stages} >= {"run", "record"}
    assert sum(batch.evaluations for batch in report.batches) == 3 * sum(len(task.samples) for task in tasks)
    assert "task-" + tasks[0].id in report_html(report)
