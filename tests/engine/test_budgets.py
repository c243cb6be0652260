"""Fewer steps than the language allows: the same outcomes on every backend, kept with the run, and said."""

from __future__ import annotations

import json
import sqlite3

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import arcbatt
from arcbatt.cli.app import app
from arcbatt.compiler.abi import STATUSES
from arcbatt.data.packing import pack_samples
from arcbatt.devtools.verify.sides import side_named
from arcbatt.engine.api import RunRequest
from arcbatt.engine.choose import make_engine
from arcbatt.engine.cpu import CpuEngine
from arcbatt.engine.reference import ReferenceEngine
from arcbatt.engine.workers import WorkerEngine, engine_worker
from arcbatt.errors import UsageError
from arcbatt.language.failures import Failed, Reason
from arcbatt.language.limits import MAX_STEPS, MAX_TOTAL_STEPS, SEARCH_STEPS
from arcbatt.language.reference import Machine, evaluate
from arcbatt.language.sample import Sample
from arcbatt.runs.options import RunOptions
from arcbatt.runs.record import RunRecord
from arcbatt.runs.runner import run
from arcbatt.syntax import parse_text
from compiler.support import LIBRARY, random_programs, random_sample
from emulated import _core_lanes
from engine import fake_cupy

TASKS = arcbatt.load_tasks("arcagi")[:3]
PROGRAMS = LIBRARY[::60]
SKIPPED = """
def solve_folded(I):
    return canvas(ZERO, astuple(10, 10))

def solve_turned(I):
    return rot270(rot90(I))

def solve_chosen(I):
    return branch(T, asobject(I), asindices(I))

def solve_same(I):
    return identity(identity(I))

def solve_in_a_loop(I):
    return apply(lbind(add, size(canvas(ZERO, astuple(5, 5)))), interval(ZERO, NINE, ONE))

def solve_function(I):
    x1 = branch(equality(height(I), ONE), lbind, rbind)
    x2 = x1(add, ONE)
    return apply(x2, interval(ZERO, NINE, ONE))
"""
"""Calls that rewrites leave out, which may cost more than there is; and a program for the dynamic tier."""


def same(got, want):
    for name in ("statuses", "hashes", "matches", "agreement", "done"):
        np.testing.assert_array_equal(getattr(got, name), getattr(want, name), name)


def backends(programs):
    yield "cpu", CpuEngine.of(programs, threads=2)
    yield "lanes", CpuEngine.of(programs, threads=1, arena_bytes=1 << 22, core=_core_lanes)
    yield "made for it", make_engine("cpu", programs, max_steps=1)
    yield "nothing typed", CpuEngine.of(programs, arena_bytes=0, most_bytes=0)


@settings(max_examples=25)
@given(seed=st.integers(0, 2**32), max_steps=st.sampled_from([1, 30, 100, 500, 3_000, 30_000]))
def test_random_programs_on_every_backend(seed, max_steps):
    programs, samples = random_programs(seed), [random_sample(seed + k) for k in range(2)]
    want = ReferenceEngine.of(programs).run(samples, "hash", max_steps=max_steps)
    for _, engine in backends(programs):
        same(engine.run(samples, "hash", max_steps=max_steps), want)
        values = engine.values(samples[0], max_steps)
        assert values == {one.name: evaluate(one, samples[0], Machine(max_steps)) for one in programs}


LARGE = (
    "S", "C", "first(S)", "asobject(C)", "palette(C)", "totuple(ofcolor(C, 1))", "astuple(C, 3)", "shape(C)",
    "index(C, (9, 9))", "partition(C)", "apply(first, S)",
)  # fmt: skip
FAILS = "divide(1, decrement(height(I)))"
ASKED = (
    "both({0}, {1})", "both({1}, {0})", "either({1}, {0})", "branch({0}, {1}, 2)", "branch({1}, {0}, 2)",
    "astuple(flip({0}), {1})", "branch({0}, 1, 2)", "astuple({1}, contained({1}, {0}))", "equality({0}, {1})",
    "apply(lbind(both, {0}), astuple({1}, 1))", "apply(fork(both, rbind(lbind, {0})(astuple), decrement), (1, 2))",
    "sfilter(apply(lambda x: astuple(x, {0}), (1, 2)), last)", "astuple({1}, color(totuple(asobject(C))))",
)  # fmt: skip


@pytest.mark.parametrize("max_steps", [2, 5, 8, 12, 17, 25, 40, 60, 90, 130])
def test_what_only_engines_do_cannot_fail_for_its_steps(max_steps):
    """Whether something is true, say, is seen by calls that stand in no program, of values of any size."""
    texts = [asked.format(large, FAILS) for asked in ASKED for large in LARGE]
    programs = parse_text(
        "".join(f"def solve_{k}(S, I, C):\n    return {one}\n" for k, one in enumerate(texts))
    ).check()
    large = ((1, 2, 1, 0, 3), (0, 1, 1, 1, 0), (0, 0, 2, 0, 1))
    samples = [Sample(((5,),), ((large, large),), large), Sample(((5,), (5,)), ((large, large),), ((0,),))]
    want = ReferenceEngine.of(programs).run(samples, "hash", max_steps=max_steps)
    for _, engine in backends(programs):
        same(engine.run(samples, "hash", max_steps=max_steps), want)


@pytest.mark.parametrize("max_steps", [1, 8, 20, 60, 100, 103, 104, 150, 201, 202, 300, 1000])
def test_no_rewrite_hides_a_limit(max_steps):
    programs = parse_text(SKIPPED).check()
    samples = [random_sample(seed) for seed in range(6)]
    want = ReferenceEngine.of(programs).run(samples, "hash", max_steps=max_steps)
    for _, engine in backends(programs):
        same(engine.run(samples, "hash", max_steps=max_steps), want)
    assert (want.statuses == STATUSES["LIMIT"]).any() or max_steps > 300


def test_one_engine_serves_any_budget(monkeypatch):
    programs, samples = parse_text(SKIPPED).check(), [random_sample(seed) for seed in range(6)]
    cuda = fake_cupy.install(monkeypatch, free=1 << 28)
    engines = [CpuEngine.of(programs), cuda.WaveEngine.of(programs), make_engine("auto", programs)]
    for max_steps in (MAX_STEPS, 30, 300, MAX_STEPS, 10**12):
        want = ReferenceEngine.of(programs).run(samples, "hash", max_steps=max_steps)
        for engine in engines:
            same(engine.run(samples, "hash", max_steps=max_steps), want)
    workers = [engine_worker("CPU", "arcbatt.engine.cpu:CpuEngine", threads=1)]
    want = ReferenceEngine.of(programs).run(samples, "hash", max_steps=30)
    same(WorkerEngine(engines[0].compiled, workers, backend="cpu").run(samples, "hash", max_steps=30), want)


# --- all calls of an evaluation together ---
HEAVY = """
def solve_many(I):
    x1 = asindices(I)
    x2 = product(x1, x1)
    x3 = apply(first, x2)
    x4 = apply(last, x2)
    return combine(x3, x4)

def solve_again(I):
    x1 = product(asindices(I), asindices(I))
    x2 = product(asindices(I), asindices(I))
    return equality(apply(first, x1), apply(first, x2))

def solve_either_order(I):
    x1 = asindices(I)
    x2 = ofcolor(I, ZERO)
    return equality(intersection(x1, x2), intersection(x2, x1))

def solve_by_functions(I):
    x1 = rbind(apply, asindices(I))
    return fork(combine, compose(x1, lbind(lbind, add)), compose(x1, lbind(lbind, add)))(UNITY)

def solve_one_function(I):
    x1 = fork(equality, lbind(apply, first), lbind(apply, first))
    x2 = asindices(I)
    return x1(product(x2, x2))

def solve_failing(I):
    x1 = asindices(I)
    x2 = product(x1, x1)
    return add(extract(x2, lbind(equality, ZERO)), size(x2))

def solve_chosen(I):
    x1 = branch(equality(height(I), width(I)), lbind(apply, first), size)
    x2 = asindices(I)
    return x1(product(x2, x2))
"""


def totals(programs, sample):
    """What each program takes on a sample."""
    found = []
    for program in programs:
        machine = Machine()
        evaluate(program, sample, machine)
        found.append(machine.total_steps)
    return found


@settings(max_examples=25)
@given(seed=st.integers(0, 2**32), data=st.data())
def test_random_programs_with_few_steps_in_all(seed, data):
    programs, samples = random_programs(seed), [random_sample(seed + k) for k in range(2)]
    at = data.draw(st.sampled_from(totals(programs, samples[0])))
    max_total = max(1, at + data.draw(st.sampled_from([-1, 0, 1, 100])))
    want = ReferenceEngine.of(programs).run(samples, "hash", max_total=max_total)
    for _, engine in backends(programs):
        same(engine.run(samples, "hash", max_total=max_total), want)
        values = engine.values(samples[0], max_total=max_total)
        assert values == {one.name: evaluate(one, samples[0], Machine(max_total=max_total)) for one in programs}


def test_exactly_as_many_steps_as_there_are():
    programs = parse_text(HEAVY).check()
    samples = [random_sample(seed) for seed in range(4)]
    for sample in samples:
        for program, total in zip(programs, totals(programs, sample), strict=True):
            for most, beyond in ((total, False), (total - 1, True)):
                for side in ("python", "cpu", "dynamic", "lanes"):
                    outcome = side_named(side, max_total=most).value(program, sample)
                    limit = isinstance(outcome, Failed) and outcome.reason is Reason.LIMIT
                    assert limit == beyond, (program.name, side, most)


def test_equal_calls_count_once():
    programs = {one.name: one for one in parse_text(HEAVY).check()}
    sample = random_sample(1)
    text = "def solve_a(I):\n    x1 = product(asindices(I), asindices(I))\n    return equality(x2(x1), x2(x1))\n"
    once = parse_text(text.replace("x2(x1)", "apply(first, x1)")).check()
    assert totals([programs["solve_again"]], sample) == totals(once, sample)


def test_the_others_are_not_touched():
    """A program that takes too much fails alone, whatever it is merged with."""
    programs = parse_text(HEAVY).check()
    samples = [random_sample(seed) for seed in range(6)]
    for max_total in (300, 3_000, 10_000):
        want = ReferenceEngine.of(programs).run(samples, "hash", max_total=max_total)
        alone = [ReferenceEngine.of([one]).run(samples, "hash", max_total=max_total).hashes for one in programs]
        np.testing.assert_array_equal(want.hashes, np.hstack(alone))
        for _, engine in backends(programs):
            same(engine.run(samples, "hash", max_total=max_total), want)


def test_many_great_calls_end():
    """Each of these calls is within its limit, and thousands of them would take hours."""
    call = "size(sfilter(product(x0, shift(x0, astuple(K, K))), compose(lbind(contained, (0, K)), lbind(product, x0))))"
    body = "\n".join(f"    y{k} = {call.replace('K', str(k))}" for k in range(300))
    total = "    z0 = y0\n" + "\n".join(f"    z{k} = add(z{k - 1}, y{k})" for k in range(1, 300))
    text = f"def solve_bomb(I):\n    x0 = asindices(canvas(ZERO, astuple(14, 14)))\n{body}\n{total}\n    return z299\n"
    (bomb,) = parse_text(text).check()
    good = parse_text("def solve_good(I):\n    return vmirror(I)\n").check()[0]
    sample = random_sample(3)
    found = CpuEngine.of([bomb, good]).values(sample, max_total=20_000_000)
    assert found["solve_good"] == evaluate(good, sample)
    assert isinstance(found["solve_bomb"], Failed)
    assert found["solve_bomb"].reason is Reason.LIMIT


def test_too_many_calls_to_bound_are_left_to_the_dynamic_tier():
    lines = "\n".join(f"    x{k} = hconcat(x{k - 1}, vmirror(x{k - 1}))" if k % 2 else f"    x{k} = lefthalf(x{k - 1})"
                      for k in range(1, 4000))  # fmt: skip
    (program,) = parse_text(f"def solve_long(I):\n    x0 = I\n{lines}\n    return x3999\n").check()
    engine = CpuEngine.of([program])
    assert engine.refused() == {"solve_long": "calls that may take too many steps together"}
    sample = random_sample(5)
    assert engine.values(sample)["solve_long"] == evaluate(program, sample)


# --- options ---
@pytest.mark.parametrize(
    ("text", "steps"),
    [("1000000", 10**6), ("1_000_000", 10**6), ("10M", 10**7), ("5k", 5000), ("1G", 10**9), ("search", SEARCH_STEPS)],
)
def test_steps_as_text(text, steps):
    assert RunOptions.parse_steps(text) == steps


@pytest.mark.parametrize("text", ["9" * 20, "9" * 5000, "9999999999G", "1000000000000000001"])
def test_more_steps_than_can_be_counted(text):
    assert RunOptions.parse_steps("1" + "0" * 18) == 10**18
    with pytest.raises(UsageError, match="steps are at most"):
        RunOptions.parse_steps(text)


@pytest.mark.parametrize("text", ["", "0", "-5", "M", "1.5M", "many", "1MM", "\u0663"])
def test_what_is_no_number_of_steps(text):
    with pytest.raises(UsageError, match="steps are a number above 0"):
        RunOptions.parse_steps(text)
    done = CliRunner().invoke(app, ["run", f"--max-steps={text}"])
    assert isinstance(done.exception, UsageError)


# --- runs ---
def test_a_run_keeps_its_steps(tmp_path):
    out = tmp_path / "out"
    small = RunOptions(backend="cpu", max_steps=2_000, batch_size=1)
    want = list(run(RunOptions(backend="python", max_steps=2_000), PROGRAMS, TASKS).record.dump())
    stops = iter([False, False, True])
    first = run(small, PROGRAMS, TASKS, out=out, stop=lambda: next(stops, True))
    assert not first.finished
    with pytest.raises(UsageError, match="--max-steps: 2000 then, 3000 now"):
        run(RunOptions(backend="cpu", max_steps=3_000), PROGRAMS, TASKS, out=out, resume=True)
    run(RunOptions(backend="cpu"), PROGRAMS, TASKS, out=out, resume=True)
    with RunRecord.open(out) as record:
        assert record.options.max_steps == 2_000
        assert list(record.dump()) == want
    assert list(run(RunOptions(), PROGRAMS, TASKS).record.dump()) != want


def test_the_default_may_be_said_on_resume(tmp_path):
    run(RunOptions(backend="cpu"), PROGRAMS[:2], TASKS, out=tmp_path)
    assert json.loads((tmp_path / "run.json").read_text())["options"]["max_steps"] == MAX_STEPS
    run(RunOptions(backend="cpu", max_steps=MAX_STEPS), PROGRAMS[:2], TASKS, out=tmp_path, resume=True)


def test_the_api_and_the_command(tmp_path):
    found = arcbatt.run(PROGRAMS, TASKS, backend="cpu", max_steps=2_000)
    out = tmp_path / "out"
    args = [
        "run",
        "--max-steps",
        "2_000",
        "--max-total-steps",
        "1M",
        "--count",
        "2",
        "-q",
        "-o",
        str(out),
        "--backend",
        "cpu",
    ]
    done = CliRunner().invoke(app, args)
    assert done.exit_code == 0, done.output
    assert "steps of a call: at most 2,000, of 200,000,000 that the language allows" in done.stdout
    assert "steps of an evaluation: at most 1,000,000, of 1,000,000,000 that the language allows" in done.stdout
    assert found.record.options.steps == 2_000
    assert CliRunner().invoke(app, ["report", str(out), "-o", str(tmp_path / "x.html")]).exit_code == 0
    page = (tmp_path / "x.html").read_text()
    assert "steps of a call at most" in page
    assert "steps of an evaluation at most" in page


@pytest.mark.parametrize("option", ["--max-steps", "--max-total-steps"])
def test_verify_with_few_steps(option):
    done = CliRunner().invoke(app, ["verify", "--random", "120", "--seed", "5", option, "300"])
    assert done.exit_code == 0, done.output


def test_profile_with_few_steps():
    args = ["profile", "--count", "1", "--max-steps", "300", "--no-gpus", "--top", "1"]
    done = CliRunner().invoke(app, args)
    assert done.exit_code == 0, done.output


def test_bench_with_few_steps(tmp_path):
    args = ["bench", "--suite", "throughput", "--count", "1", "--runs", "1", "--each", "1", "--max-steps", "300"]
    done = CliRunner().invoke(app, [*args, "--out", str(tmp_path / "x")])
    assert done.exit_code == 0, done.output


def test_a_limit_is_met():
    program = PROGRAMS[0]
    sample = TASKS[0].samples[0]
    found = CpuEngine.of([program]).values(sample, 1)[program.name]
    assert isinstance(found, Failed)
    assert found.reason is Reason.LIMIT


# --- records from before ---
def test_a_record_without_tiers_is_read_and_resumed(tmp_path):
    whole = run(RunOptions(backend="cpu"), PROGRAMS, TASKS)
    stops = iter([False, False, True])
    run(RunOptions(backend="cpu", batch_size=1), PROGRAMS, TASKS, out=tmp_path, stop=lambda: next(stops, True))
    with sqlite3.connect(tmp_path / "results.sqlite") as old:
        old.execute("DROP TABLE tier")
        old.execute("PRAGMA user_version = 2")
    info = json.loads((tmp_path / "run.json").read_text())
    del info["options"]["max_steps"]
    (tmp_path / "run.json").write_text(json.dumps(info))
    with RunRecord.open(tmp_path) as record:
        assert record.store.tiers() == []
        assert record.options.steps == MAX_STEPS
    run(RunOptions(backend="cpu"), PROGRAMS, TASKS, out=tmp_path, resume=True)
    with RunRecord.open(tmp_path) as record:
        assert list(record.dump()) == list(whole.record.dump())
        assert len(record.store.tiers()) == len(PROGRAMS)


# --- calls that are left out ---
@pytest.mark.parametrize("max_steps", [1, 60, 100, 104, 127, 150, 300, MAX_STEPS])
@pytest.mark.parametrize("max_total", [60, 150, 300, MAX_TOTAL_STEPS])
def test_a_choice_of_two_types_costs_what_a_call_costs(max_steps, max_total):
    text = """
def solve_a(I):
    return trim(branch(I, I, asobject(I)))

def solve_b(I):
    return size(branch(equality(height(I), THREE), asobject(I), asindices(I)))

def solve_c(I):
    return fill(branch(I, asindices(I), I), TWO, asindices(I))
"""
    programs, samples = parse_text(text).check(), [random_sample(seed) for seed in range(6)]
    want = ReferenceEngine.of(programs).run(samples, "hash", max_steps=max_steps, max_total=max_total)
    for _, engine in backends(programs):
        same(engine.run(samples, "hash", max_steps=max_steps, max_total=max_total), want)


MADE_BY_LOOPS = """
def solve_bound(S, I, C):
    return rapply(apply(lbind(lbind, pair), S), S)

def solve_of_an_ill_fit(S, I, C):
    return rapply(apply(lbind(lbind, other), S), EIGHT)

def solve_made_of_a_part(S, I, C):
    return rapply(apply(chain(lbind(lbind, astuple), hmirror, first), S), S)

def solve_made_of_numbers(S, I, C):
    return rapply(apply(chain(lbind(lbind, add), rbind(subtract, ONE), double), apply(size, S)), 3)

def solve_in_a_loop(S, I, C):
    return apply(compose(rbind(rapply, I), lbind(apply, lbind(lbind, astuple))), S)

def solve_made_in_a_loop(S, I, C):
    return apply(compose(rbind(rapply, I), lbind(apply, compose(lbind(lbind, astuple), hmirror))), S)

def solve_of_a_pair(S, I, C):
    return rapply(apply(chain(lbind(lbind, astuple), hmirror, hmirror), astuple(I, hmirror(I))), S)

def solve_of_a_constant(S, I, C):
    return rapply(apply(compose(lbind(lbind, shift), tojvec), (1, 2, 3)), asindices(I))

def solve_of_a_set(S, I, C):
    return rapply(apply(lbind(lbind, add), asindices(I)), UNITY)

def solve_of_a_set_of_functions(S, I, C):
    x1 = product(initset(trim), combine(initset(vmirror), initset(trim)))
    return rapply(totuple(apply(fork(compose, first, last), x1)), I)

def solve_that_fail(S, I, C):
    return rapply(apply(compose(lbind(lbind, add), first), S), UNITY)
"""


@pytest.mark.parametrize("program", parse_text(MADE_BY_LOOPS).check(), ids=lambda program: program.name)
def test_loops_that_make_functions_cost_what_they_cost(program):
    for sample in map(random_sample, range(3)):
        if sample.C is None:
            continue
        machine = Machine()
        evaluate(program, sample, machine)
        for limit in ("max_steps", "max_total"):
            for most in {1, 10, 100, *_turns(program, sample, limit, machine.total_steps)}:
                want = evaluate(program, sample, Machine(**{limit: most}))
                for side in ("cpu", "dynamic", "lanes"):
                    assert side_named(side, **{limit: most}).value(program, sample) == want, (side, limit, most)


def _turns(program, sample, limit, most):
    """The least limit that gives what `most` gives, and the one before."""
    low, high, want = 0, most, evaluate(program, sample, Machine(**{limit: most}))
    while high - low > 1:
        middle = (low + high) // 2
        if evaluate(program, sample, Machine(**{limit: middle})) == want:
            high = middle
        else:
            low = middle
    return {max(1, low), high}


EMPTY_CORNER = "chain(ulcorner, rbind(difference, asindices(I)), initset)"
TAKES_A_PAIR = [
    "rbind(subtract, UNITY)", "lbind(add, TWO)", "double", "increment", "sign", "first", "maximum", "initset", "toivec",
    "rbind(astuple, I)", "lbind(index, I)", "lbind(shift, asobject(I))", "lbind(canvas, ONE)", "lbind(shoot, ORIGIN)",
    "fork(crop, lbind(vconcat, I), identity)", "lbind(equality, UNITY)", "rbind(contained, asindices(I))", "size",
]  # fmt: skip


@pytest.mark.parametrize("function", TAKES_A_PAIR)
def test_calls_of_the_corner_of_nothing_cost_what_they_take(function):
    programs = parse_text(
        f"def solve_a(I):\n    return apply(compose({function}, {EMPTY_CORNER}), asindices(I))\n"
        f"def solve_b(I):\n    return {function}({EMPTY_CORNER}(ORIGIN))\n"
    ).check()
    sample = random_sample(3)
    for program in programs:
        for most in _turns(program, sample, "max_steps", 10_000):
            want = evaluate(program, sample, Machine(most))
            for side in ("cpu", "dynamic", "lanes"):
                assert side_named(side, most).value(program, sample) == want, (program.name, side, most)


def test_few_steps_need_not_be_counted_to_the_last():
    """Then what only the dynamic tier could count exactly runs typed, with the same value."""
    alike = "chain(size, lbind(sfilter, o_g(I, 1)), compose(lbind(matcher, color), color))"
    text = f"def solve_it(I):\n    return paint(I, mapply(fork(recolor, {alike}, identity), o_g(I, 1)))\n"
    (program,) = parse_text(text).check()
    sample = Sample(((0, 1, 1, 0), (2, 0, 0, 1)), (), None)
    engine, routes = CpuEngine.of([program], threads=1), []
    for exact in (True, False):
        request = RunRequest(pack_samples([sample]), "grid", max_steps=100_000, exact=exact)
        out = engine.execute(request)
        assert out.grid(0, 0).tolist() == [list(row) for row in evaluate(program, sample)]
        routes.append(bool(out.route.any()))
    assert routes == [True, False]
