"""A program that arcbatt itself fails over runs on the next tier, and is named; every other runs as ever.

Failures are planted at each stage, for whatever has to do with the primitive of one program.
"""

from __future__ import annotations

import numpy as np
import pytest
from typer.testing import CliRunner

import arcbatt
from arcbatt import _core
from arcbatt.cli.app import app
from arcbatt.compiler import internal_errors, program_set, specialize, top
from arcbatt.compiler.internal_errors import made_of_most, pinned_down
from arcbatt.compiler.lower import lower
from arcbatt.compiler.lower.disassemble import disassemble
from arcbatt.data.packing import pack_samples
from arcbatt.engine import cpu
from arcbatt.engine.dynamic import DynamicTier
from arcbatt.engine.outputs import STATUS
from arcbatt.engine.reference import ReferenceEngine
from arcbatt.runs.options import RunOptions
from arcbatt.runs.record import RunRecord
from arcbatt.runs.runner import run
from arcbatt.syntax import parse_text
from compiler.support import LIBRARY, random_sample
from engine import fake_cupy
from engine.routes import to_cpu, to_dynamic

TEXT = """
def solve_one(I):
    return hmirror(I)

def solve_two(I):
    return apply(compose(size, initset), asindices(I))

def solve_bad(I):
    x1 = compress(I)
    return height(trim(x1))

def solve_three(I):
    return combine(ofcolor(I, ONE), asindices(I))

def solve_four(I):
    return canvas(height(I), shape(I))
"""
BAD = "trim"
PROGRAMS = parse_text(TEXT).check()
NAMES = [program.name for program in PROGRAMS]
SAMPLES = [random_sample(seed) for seed in range(12)]
MANY = pack_samples(SAMPLES).only(np.arange(60_000) % len(SAMPLES))


@pytest.fixture(scope="module")
def want():
    return ReferenceEngine.of(PROGRAMS).run(SAMPLES, "grid")


def same(got, want, programs=slice(None)):
    for name in ("statuses", "matches", "agreement", "hashes"):
        np.testing.assert_array_equal(getattr(got, name)[:, programs], getattr(want, name)[:, programs], name)
    assert got.done.all()


def raising(function, when, error):
    """The function, but that it raises where `when` is true of its arguments."""

    def call(*args, **options):
        if when(*args):
            raise error
        return function(*args, **options)

    return call


class Core:
    """The core, but that runs of code with the primitive fail."""

    __name__ = _core.__name__

    def __init__(self):
        self.bad = []

    def __getattr__(self, name):
        return getattr(_core, name)

    def loading(self, core, code, *rest):
        made = LOADED(_core, code, *rest)
        if BAD in disassemble(code):
            self.bad.append(made)
        return made

    def run(self, loaded, *args, **options):
        if any(loaded is one for one in self.bad):
            raise RuntimeError("the core is broken here")
        return _core.run(loaded, *args, **options)


LOADED = cpu.loaded


def plant_compiling(patch):
    made = specialize._Specializer.call_primitive
    patch.setattr(
        specialize._Specializer, "call_primitive",
        raising(made, lambda _, __, name, ___: name == BAD, KeyError("no such thing")),
    )  # fmt: skip


def plant_rewrite(patch):
    patch.setattr(top, "simpler", raising(top.simpler, lambda draft, *_: draft.op == BAD, IndexError("out of range")))


def plant_lowering(patch):
    made = lower.lower_plain
    patch.setattr(lower, "lower_plain", raising(made, lambda _, __, node, ___: node.op == BAD, AssertionError("?")))


def plant_check(patch):
    error = ValueError("bytecode that cannot be run")
    patch.setattr(cpu, "loaded", raising(LOADED, lambda _, code, *__: BAD in disassemble(code), error))


def plant_run(patch):
    core = Core()
    patch.setattr(cpu, "loaded", core.loading)
    patch.setattr(cpu.importlib, "import_module", lambda _: core)


STAGES = {
    "compiling": plant_compiling,
    "a rewrite": plant_rewrite,
    "lowering": plant_lowering,
    "the check of bytecode": plant_check,
    "a run on the CPU": plant_run,
}


# --- the programs of a set ---
@pytest.mark.parametrize("stage", STAGES)
def test_only_the_program_that_meets_it_runs_elsewhere(monkeypatch, want, stage):
    STAGES[stage](monkeypatch)
    engine = cpu.CpuEngine.of(PROGRAMS)
    for _ in range(2):
        progress = []
        got = engine.run(SAMPLES, "grid", progress=progress.append)
        same(got, want)
        assert list(got.internal_errors) == ["solve_bad"]
        error = got.internal_errors["solve_bad"]
        assert error.stage == ("compiling" if stage == "a rewrite" else stage)
        assert error.error.split(":")[0] in error.trace
        assert {name for name, route in got.program_routes.items() if route.why == str(error)} == {"solve_bad"}
        assert to_dynamic(got)[str(error)] == len(SAMPLES)
        assert progress == sorted(progress)
        assert progress[-1] == len(SAMPLES)
    expected = ReferenceEngine.of(PROGRAMS).values(SAMPLES[0])
    assert engine.values(SAMPLES[0]) == expected


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("budget", [40, 400])
def test_with_fewer_steps_too(monkeypatch, stage, budget):
    STAGES[stage](monkeypatch)
    got = cpu.CpuEngine.of(PROGRAMS).run(SAMPLES, "grid", max_steps=budget)
    same(got, ReferenceEngine.of(PROGRAMS).run(SAMPLES, "grid", max_steps=budget))
    assert stage == "a rewrite" or list(got.internal_errors) == ["solve_bad"]


def test_where_no_program_can_be_told_apart_all_run_elsewhere(monkeypatch, want):
    monkeypatch.setattr(program_set, "compile_graph", raising(None, lambda *_: True, RuntimeError("broken")))
    got = cpu.CpuEngine.of(PROGRAMS).run(SAMPLES, "grid")
    same(got, want)
    assert list(got.internal_errors) == NAMES
    assert got.rerouted().total() == want.statuses.size


def test_a_core_that_fails_late_and_not_when_tried_again(monkeypatch, want):
    """Rows were told of before; nothing of the first try is kept of programs that are left out."""
    core = Core()
    tried = []

    def late(loaded, *args, **options):
        found = _core.run(loaded, *args, **options)
        options["watch"](0)
        tried.append(loaded)
        if len(tried) == 1:
            raise RuntimeError("once")
        return found

    monkeypatch.setattr(core, "run", late, raising=False)
    monkeypatch.setattr(cpu.importlib, "import_module", lambda _: core)
    monkeypatch.setattr(cpu, "loaded", core.loading)
    engine = cpu.CpuEngine.of(PROGRAMS)
    progress = []
    got = engine.run(SAMPLES, "grid", progress=progress.append)
    same(got, want)
    assert list(got.internal_errors) == NAMES
    assert progress[-1] == len(SAMPLES)


def test_a_core_that_always_fails(monkeypatch, want):
    core = Core()
    monkeypatch.setattr(core, "run", raising(None, lambda *_: True, MemoryError()), raising=False)
    monkeypatch.setattr(cpu.importlib, "import_module", lambda _: core)
    monkeypatch.setattr(cpu, "loaded", core.loading)
    got = cpu.CpuEngine.of(PROGRAMS).run(SAMPLES, "grid")
    same(got, want)
    assert list(got.internal_errors) == NAMES


def test_what_is_raised_only_over_several_together():
    def together(names):
        if {"a", "b"} <= set(names):
            raise RuntimeError("too many")
        return names

    assert pinned_down(list("abcd"), together, "x").keys() == set()
    made, errors = made_of_most(list("axyb"), together, "x")
    assert made == []
    assert errors.keys() == set("axyb")


def test_halving_tries_few_lists():
    names, bad, tried = [f"p{k}" for k in range(1000)], {"p17", "p600", "p999"}, []

    def make(some):
        tried.append(len(some))
        if bad & set(some):
            raise RuntimeError
        return some

    made, errors = made_of_most(names, make, "x")
    assert errors.keys() == bad
    assert made == [name for name in names if name not in bad]
    assert len(tried) < 3 * 2 * 11


def test_what_is_nobodys_fault_is_raised():
    with pytest.raises(RuntimeError, match="always"):
        made_of_most(["a", "b"], raising(None, lambda *_: True, RuntimeError("always")), "x")
    with pytest.raises(KeyboardInterrupt):
        made_of_most(["a", "b"], raising(None, lambda *_: True, KeyboardInterrupt()), "x")


def test_the_trace_is_short():
    def deep(left):
        if left:
            deep(left - 1)
        raise RecursionError("too deep")

    (error,) = pinned_down(["a"], lambda _: deep(100), "x").values()
    assert len(error.trace.splitlines()) <= internal_errors._LINES


# --- what the caller raises is the caller's ---
@pytest.mark.parametrize("what", ["stop", "progress"])
def test_what_the_callers_functions_raise_comes_back(what):
    def broken(*_):
        raise ValueError("of the caller")

    engine = cpu.CpuEngine.of(PROGRAMS)
    with pytest.raises(ValueError, match="of the caller"):
        engine.run(MANY, **{what: broken})
    assert not engine.internal_errors()


# --- the last tier ---
def test_where_the_last_tier_fails_too_the_others_are_kept(monkeypatch, want):
    plant_compiling(monkeypatch)
    column = NAMES.index("solve_bad")
    made = DynamicTier.run
    when = lambda _, __, ___, missing, *____: missing[:, column].any()  # noqa: E731
    monkeypatch.setattr(DynamicTier, "run", raising(made, when, RuntimeError("broken here too")))
    extra = parse_text("def solve_more(I):\n    return hmirror\n").check()
    got = cpu.CpuEngine.of([*PROGRAMS, *extra]).run(SAMPLES, "grid")
    others = [place for place, name in enumerate(NAMES) if name != "solve_bad"]
    same(got, want, others)
    assert {STATUS[status] for status in got.statuses[:, column]} == {"internal"}
    assert not got.matches[:, column].any()
    assert not got.hashes[:, column].any()
    assert got.internal_errors["solve_bad"].stage == "the dynamic tier"
    assert not got.statuses[:, -1].any()


# --- GPUs ---
@pytest.fixture
def cuda(monkeypatch):
    return fake_cupy.install(monkeypatch, free=1 << 28)


def test_code_that_the_check_refuses_does_not_go_to_a_gpu(cuda, monkeypatch, want):
    plant_check(monkeypatch)
    engine = cuda.WaveEngine.of(PROGRAMS)
    got = engine.run(SAMPLES, "grid")
    same(got, want)
    assert list(got.internal_errors) == ["solve_bad"]
    assert not any(wave.kernel.operation == BAD for group in engine.waves.groups for wave in group.waves)
    assert not to_cpu(got)


def test_a_launch_that_raises_what_nobody_had_foreseen(cuda, monkeypatch, want):
    engine = cuda.WaveEngine.of(PROGRAMS)
    broken = raising(None, lambda *_: True, TypeError("not as it should be"))
    monkeypatch.setattr(fake_cupy._Function, "__call__", broken)
    got = engine.run(SAMPLES, "grid")
    same(got, want)
    why = "GPU 0 failed: TypeError: not as it should be"
    assert set(to_cpu(got)) == {why}
    assert got.recovered_errors == {why: 1}


# --- whole runs ---
ISSUE = "sfilter(ofcolor(I, THREE), chain(positive, maximum, fork(multiply, sign, identity)))"


def test_a_program_whose_code_was_refused_stops_no_other(tmp_path):
    path = tmp_path / "solvers.py"
    text = "\n\n".join(map(str, LIBRARY[::40])) + f"\n\ndef solve_issue(I):\n    return {ISSUE}\n"
    path.write_text(text)
    programs = parse_text(text).check()
    args = ["run", "--solvers", str(path), "--count", "4", "-q", "--out", str(tmp_path / "out"), "--backend", "cpu"]
    done = CliRunner().invoke(app, args)
    assert done.exit_code == 0, done.output
    tasks = arcbatt.load_tasks("arcagi")[:4]
    plain = run(RunOptions(backend="python"), programs, tasks)
    with RunRecord.open(tmp_path / "out") as record:
        assert list(record.dump()) == list(plain.record.dump())


def test_a_run_names_the_program_and_keeps_the_error(monkeypatch, tmp_path):
    plant_check(monkeypatch)
    path = tmp_path / "solvers.py"
    path.write_text(TEXT)
    args = ["run", "--solvers", str(path), "--count", "3", "-q", "--out", str(tmp_path / "out"), "--backend", "cpu"]
    done = CliRunner().invoke(app, args)
    assert done.exit_code == 0, done.output
    assert "tiers: 4 programs on cpu (" in done.stdout
    assert "1 program on the dynamic tier and what the others left open (" in done.stdout
    assert "1 program ran on the dynamic tier after an internal error: bad; see " in done.stdout
    assert "Traceback" not in done.output
    with RunRecord.open(tmp_path / "out") as record:
        (one,) = record.internal_errors()
        assert record.info["tiers"] == {"cpu": 4, "dynamic": 1}
    assert (one.program, one.tier) == ("bad", "dynamic")
    assert one.error["stage"] == "the check of bytecode"
    assert "ValueError: bytecode that cannot be run" in one.error["trace"]
    report = tmp_path / "report.html"
    assert CliRunner().invoke(app, ["report", str(tmp_path / "out"), "-o", str(report)]).exit_code == 0
    assert "programs on dynamic" in report.read_text()
