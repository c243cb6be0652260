from __future__ import annotations

import json
import time

import pytest
from typer.testing import CliRunner

from arcbatt.cli.app import app
from arcbatt.data.tasks import load_tasks
from arcbatt.devtools.bench import suites
from arcbatt.devtools.bench.load import Load
from arcbatt.devtools.bench.sides import baseline, engine_kinds
from arcbatt.devtools.bench.suites import DEFAULT, SUITES
from arcbatt.devtools.bench.timing import repeated, sampled, seconds_of
from arcbatt.errors import UsageError
from arcbatt.language.reference import evaluate
from arcbatt.language.sample import Sample
from arcbatt.solvers import library
from arcbatt.syntax import parse_text
from cli.commands import arcbatt

PROGRAMS = parse_text(
    "def solve_a(I):\n    return size(o_g(I, R5))\n\ndef solve_b(I):\n    return hmirror(vmirror(I))\n"
    "\ndef solve_c(I):\n    return hmirror(vmirror(I))\n"
).check()
DSL = "def hmirror(g):\n    return g[::-1]\n\ndef vmirror(g):\n    return tuple(r[::-1] for r in g)\n"


@pytest.fixture
def load(monkeypatch):
    monkeypatch.setattr(suites, "_MANY_GRIDS", 10)
    return Load(PROGRAMS, load_tasks("arcagi")[:4], mutants=(5,), runs=2, each=2)


@pytest.mark.parametrize("name", SUITES)
def test_every_suite_gives_figures(load, name):
    if name == "own":
        load = Load(library()[:3], load_tasks("arcagi")[:4], runs=2)
    rows = list(SUITES[name](load))
    assert len({row.key for row in rows}) == len(rows)
    # Three tiny programs have no primitive with calls enough, and transfers are a GPU's.
    assert rows or name in ("primitives", "transfers")
    assert all(0 <= row.low <= row.median <= row.high for row in rows)


def test_equal_programs_are_executed_once(load):
    rows = {(row.side, row.unit): row for row in SUITES["throughput"](load)}
    every, executed = rows["engine, 1 thread", "evaluations/s"], rows["engine, 1 thread", "executed evaluations/s"]
    assert executed.median == pytest.approx(every.median * 2 / 3)
    assert rows["engine, 1 thread", "equivalent calls/s"].median > rows["engine, 1 thread", "calls/s"].median
    assert "x reference" in every.note


def test_own_task_against_plain_functions(tmp_path, load):
    (tmp_path / "mine.py").write_text(DSL)
    programs = parse_text(f"def solve_{load.tasks[0].id}(I):\n    return hmirror(vmirror(I))\n").check()
    mine = baseline(str(tmp_path / "mine.py"), programs)
    rows = list(suites.own_tasks(Load(programs, load.tasks, runs=1, baseline=mine)))
    assert [row.side for row in rows] == ["engine, 1 thread", "reference", "plain functions"]


def test_the_engines_of_this_machine(monkeypatch):
    names = [kind.name for kind in engine_kinds([1, 3])]
    assert names[:2] == ["engine, 1 thread", "engine, 3 threads"]
    monkeypatch.setattr("os.cpu_count", lambda: 4)
    assert [kind.name for kind in engine_kinds(sides=("thread", "threads"))] == [
        "engine, 1 thread",
        "engine, 4 threads",
    ]
    assert [kind.name for kind in engine_kinds(sides=("threads",))] == ["engine, 4 threads"]
    assert engine_kinds(sides=("reference",)) == []


@pytest.mark.parametrize(
    "args",
    [
        ("--side", "wrong"),
        ("--runs", -1),
        ("--runs", 0),
        ("--each", 0),
        ("--mutants", -3),
        ("--mutant-samples", 0),
        ("--out", ""),
    ],
)
def test_what_makes_no_sense(args):
    assert args[0] in arcbatt("bench", "--suite", "card", *args).refused()


def test_warm_up_is_apart():
    calls = []
    timing = repeated(lambda: calls.append(time.perf_counter()), times=3)
    assert len(calls) == 4
    assert len(timing.seconds) == 3
    assert len(repeated(lambda: None, times=5, most=0.0).seconds) == 1


def test_what_settles_is_warmed_up_until_it_has(monkeypatch):
    now, takes = [0.0], [9.0, 3.0, 1.0, 0.9, 1.0, 1.1, 1.0]

    def run():
        now[0] += takes.pop(0)

    monkeypatch.setattr("arcbatt.devtools.bench.timing.time.perf_counter", lambda: now[0])
    timing = repeated(run, times=3, settles=True)
    assert timing.first == pytest.approx(9.0)
    assert timing.seconds == pytest.approx([1.0, 1.1, 1.0])


def test_every_program_is_drawn_equally():
    drawn = []
    samples = [Sample(((k,),)) for k in range(5)]
    found = sampled(lambda p, s: drawn.append(p.name), PROGRAMS, samples, each=4)
    assert found.evaluations == 12
    assert sorted(drawn) == sorted(["solve_a", "solve_b", "solve_c"] * 4)
    assert 0 < found.slowest <= 1
    assert found.error >= 0


def test_long_evaluations_are_cut_off_and_errors_do_not_matter():
    def forever():
        while True:
            pass

    assert seconds_of(forever, cut_off=0.05) == (0.05, True)
    assert seconds_of(lambda: 1 // 0)[1] is False
    with pytest.raises(KeyboardInterrupt):
        seconds_of(_interrupted)


def _interrupted():
    raise KeyboardInterrupt


def test_baseline_over_a_module(tmp_path):
    (tmp_path / "dsl.py").write_text(DSL + "\ndef solve_a(I):\n    return 7\n")
    found = baseline(str(tmp_path), PROGRAMS)
    grid = ((1, 2), (3, 4))
    assert found.functions["solve_b"](grid) == evaluate(PROGRAMS[1], Sample(grid)) == ((4, 3), (2, 1))
    assert found.functions["solve_a"](grid) == 7, "the module's own function comes first"
    assert not found.missing


def test_baseline_says_what_it_lacks(tmp_path):
    (tmp_path / "dsl_two.py").write_text(DSL)
    found = baseline(str(tmp_path / "dsl_two.py"), PROGRAMS)
    assert found.missing == {"solve_a": "the module has no o_g"}
    with pytest.raises(UsageError, match="no_such_module"):
        baseline("no_such_module", PROGRAMS)


def test_command(tmp_path):
    solvers, out = tmp_path / "mine.py", tmp_path / "one"
    solvers.write_text("".join(str(program) + "\n" for program in PROGRAMS))
    args = ["bench", "--suite", "throughput", "--suite", "packing", "--suite", "scaling", "--solvers", str(solvers)]
    done = CliRunner().invoke(app, [*args, "--count", "2", "--runs", "1", "--out", str(out)])
    assert done.exit_code == 0, done.output
    data = json.loads(out.with_suffix(".json").read_text())
    assert data["machine"]["cores"]
    assert {row["suite"] for row in data["rows"]} >= {"packing", "scaling"}
    assert "| case | side |" in out.with_suffix(".md").read_text()
    both = CliRunner().invoke(app, ["bench", "--compare", f"{out}.json", f"{out}.json"])
    assert "within the spread" in both.stdout
    drawn = CliRunner().invoke(app, ["bench", "--curves", f"{out}.json", str(tmp_path / "svg")])
    assert (tmp_path / "svg" / "scaling-threads.svg").exists(), drawn.output


def test_unknown_suite():
    done = CliRunner().invoke(app, ["bench", "--suite", "speed"])
    assert "no suite 'speed'" in str(done.exception)
    assert set(DEFAULT) < set(SUITES)
