"""The CPU engine against the reference: one lane per group, and many emulated."""

from __future__ import annotations

import itertools
import signal
import threading
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcbatt import _core
from arcbatt.compiler.abi import OVERFLOW
from arcbatt.compiler.rewrites import Rewrites
from arcbatt.data.packing import pack_samples
from arcbatt.data.tasks import load_tasks
from arcbatt.devtools.conformance import check, read_vectors
from arcbatt.engine.cpu import CpuEngine
from arcbatt.engine.outputs import STATUS, grid_of, outcome_hash
from arcbatt.engine.reference import ReferenceEngine
from arcbatt.language.failures import Failed
from arcbatt.language.limits import MAX_STEPS
from arcbatt.language.reference import Machine, evaluate
from arcbatt.language.sample import Sample
from arcbatt.syntax import parse_expression, parse_program
from compiler.function_programs import function_programs, programs_of_nothing, written_programs
from compiler.support import LIBRARY, random_programs, random_sample
from compiler.wild import wild_programs
from emulated import _core_lanes
from engine.routes import to_dynamic

CORES = pytest.mark.parametrize("core", [_core, _core_lanes], ids=["one lane", "emulated lanes"])
seeds = st.integers(0, 2**32)
TASKS = {task.id: task for task in load_tasks("arcagi")}


def agree(programs, sample, core, max_steps=MAX_STEPS, rewrites=None) -> int:
    """Compare every program the engine ran wholly; how many there were. True and 1 are one value here."""
    engine = CpuEngine.of(programs, threads=1, arena_bytes=1 << 22, core=core, rewrites=rewrites)
    values, statuses = engine.values(sample, max_steps), engine.status_of(sample, max_steps)
    compared = 0
    for program in programs:
        if program.name in engine.code.outputs and statuses[program.name] not in ("escape", "overflow"):
            compared += 1
            want = evaluate(program, sample, Machine(max_steps))
            assert values[program.name] == want, f"{program}on {sample}\nwant {want}\ngot {values[program.name]}"
    return compared


@CORES
@settings(max_examples=80)
@given(seed=seeds)
def test_random_programs_and_mutants(core, seed):
    agree(random_programs(seed), random_sample(seed), core)


@CORES
@settings(max_examples=50)
@given(seed=seeds, max_steps=st.sampled_from([100, 500, 3_000]))
def test_steps_are_counted_as_in_the_reference(core, seed, max_steps):
    rewrites = Rewrites(fold=False, algebra=False, unroll=False)
    agree(random_programs(seed), random_sample(seed), core, max_steps, rewrites)


@CORES
@settings(max_examples=40)
@given(seed=seeds, max_steps=st.sampled_from([2_000, 50_000, MAX_STEPS]))
def test_loops_by_columns_change_nothing(core, seed, max_steps):
    programs, sample = random_programs(seed), random_sample(seed)
    both = []
    for columns in (True, False):
        rewrites = Rewrites(columns=columns)
        engine = CpuEngine.of(programs, threads=1, arena_bytes=1 << 22, core=core, rewrites=rewrites)
        both.append((engine.status_of(sample, max_steps), engine.values(sample, max_steps)))
    assert both[0] == both[1]


@CORES
@pytest.mark.parametrize("max_steps", [60, 400, MAX_STEPS])
def test_functions_as_values(core, max_steps):
    programs = [*function_programs(), *written_programs(), *programs_of_nothing()]
    rewrites = None if max_steps == MAX_STEPS else Rewrites(fold=False, algebra=False, unroll=False)
    for grid in (((1, 0, 2), (0, 3, 0)), ((3, 3), (3, 0), (1, 2))):
        assert agree(programs, Sample(grid), core, max_steps, rewrites) > 0.8 * len(programs)


@CORES
@settings(max_examples=60)
@given(seed=seeds, max_steps=st.sampled_from([100, 3_000, 200_000]))
def test_programs_without_regard_to_types(core, seed, max_steps):
    rewrites = None if max_steps == 200_000 else Rewrites(fold=False, algebra=False, unroll=False)
    agree(wild_programs(seed), random_sample(seed), core, max_steps, rewrites)


COLUMN_LOOPS = [
    "argmin(asobject(I), compose(lbind(manhattan, initset(UNITY)), initset))",
    "valmin(asindices(I), chain(lbind(add, THREE), first, lbind(subtract, UNITY)))",
    "mapply(lbind(argmin, asindices(I)), apply(lbind(lbind, manhattan), apply(initset, asindices(I))))",
    "apply(lbind(valmax, asindices(I)), apply(lbind(rbind, multiply), interval(ZERO, TEN, ONE)))",
    "sfilter(asindices(I), compose(even, fork(add, first, last)))",
    "sfilter(asindices(I), compose(lbind(greater, FIVE), fork(divide, first, last)))",
    "extract(asindices(I), compose(lbind(equality, THREE), last))",
    "extract(asindices(I), compose(lbind(equality, TEN), last))",
    "order(asindices(I), fork(subtract, last, first))",
    "apply(fork(astuple, last, first), asindices(I))",
    "prapply(multiply, interval(ZERO, TEN, ONE), interval(ZERO, TEN, ONE))",
    "prapply(divide, interval(ONE, TEN, ONE), interval(ZERO, TEN, ONE))",
    "papply(astuple, interval(ZERO, TEN, ONE), interval(TEN, ZERO, NEG_ONE))",
    "apply(lbind(apply, fork(multiply, sign, identity)), apply(rbind(subtract, TWO_BY_TWO), asindices(I)))",
    "sfilter(asobject(I), compose(lbind(contained, THREE), last))",
    "argmax(asindices(I), lbind(apply, crement))",
    "sfilter(objects(I, T, F, T), compose(lbind(greater, TWO), size))",
    "apply(compose(lbind(multiply, 999999), fork(multiply, first, last)), asindices(I))",
]
LARGE = Sample(tuple(tuple((i * j + i // 3) % 7 for j in range(23)) for i in range(19)))


@CORES
@pytest.mark.parametrize("expression", COLUMN_LOOPS)
def test_loops_over_many_items(core, expression):
    program = parse_expression(expression)
    for max_steps in (500, 3_000, 20_000, MAX_STEPS):
        agree([program], LARGE, core, max_steps)


@CORES
def test_columns_are_kept_while_what_they_walk_stays(core):
    source = """
def solve_kept(I):
    x1 = asindices(I)
    x2 = objects(I, T, F, T)
    x3 = lbind(argmin, x2)
    x4 = compose(center, last)
    x5 = fork(subtract, first, x4)
    x6 = fork(multiply, sign, identity)
    x7 = chain(fork(add, first, last), lbind(apply, x6), x5)
    x8 = compose(lbind(compose, x7), lbind(lbind, astuple))
    x9 = compose(x3, x8)
    x10 = rbind(remove, x2)
    x11 = chain(rbind(compose, x8), lbind(lbind, valmin), x10)
    x12 = compose(lbind(compose, x7), lbind(rbind, astuple))
    x13 = fork(lbind(fork, greater), x11, x12)
    x14 = compose(lbind(sfilter, x1), x13)
    x15 = apply(x9, x1)
    O = astuple(x15, apply(x14, x2))
    return O
"""
    program = parse_program(source)
    middling = Sample(tuple(row[:9] for row in LARGE.I[:7]))
    for sample in (middling, Sample(((1, 2), (3, 3))), Sample(((4,),))):
        for max_steps in (10_000, 200_000, MAX_STEPS):
            agree([program], sample, core, max_steps)


@CORES
def test_vectors(core, data):
    def run(program, sample):
        return CpuEngine.of([program], threads=1, arena_bytes=1 << 20, core=core).values(sample)[program.name]

    report = check(read_vectors(data / "vectors.jsonl"), run)
    assert not report.differences
    assert report.agree == report.total


@CORES
def test_the_library_solves_its_tasks(core):
    programs, step = (LIBRARY, 9) if core is _core else (LIBRARY[::27], 27)  # emulated lanes take their time
    engine = CpuEngine.of(programs, core=core)
    assert not engine.code.rejected
    tasks = [TASKS[program.id] for program in LIBRARY[::step]]
    samples = [sample for task in tasks for sample in task.samples]
    outputs = engine.run(samples)
    row = 0
    for task in tasks:
        column = engine.names.index(f"solve_{task.id}")
        for _ in task.samples:
            assert outputs.matches[row, column]
            assert outputs.statuses[row, column] == 0
            row += 1


@CORES
@pytest.mark.parametrize(
    "expression",
    [
        "papply(lbind(branch, T), totuple(objects(I, T, F, T)), first(I))",
        "papply(lbind(branch, F), totuple(objects(I, T, F, T)), first(I))",
        "branch(F, first(objects(I, T, F, T)), size(I))",
        "size(first(asobject(I)))",
        "apply(size, asobject(I))",
        "colorcount(I, asobject(I))",
        "colorcount(asobject(I), ORIGIN)",
        "mapply(size, objects(I, T, F, T))",
        "mapply(size, difference(objects(I, T, F, T), objects(I, T, F, T)))",
        "mpapply(add, first(I), first(I))",
        "recolor(ONE, mapply(color, difference(objects(I, T, F, T), objects(I, T, F, T))))",
        "contained(first(asobject(I)), last(asobject(I)))",
        "ulcorner(ofcolor(I, NINE))",
        "color(mapply(rbind(product, I), I))",
        "apply(compose(color, totuple), objects(I, T, F, T))",
        "centerofmass(recolor(ONE, ofcolor(I, NINE)))",
    ],
)
def test_values_of_mixed_types_stay_on_the_engine(core, expression):
    program = parse_expression(expression)
    for sample in (Sample(((1, 2), (3, 3))), Sample(((0,),))):
        assert agree([program], sample, core) == 1


@pytest.fixture(scope="module")
def crowd():
    samples = [sample for task in list(TASKS.values())[::40] for sample in task.samples]
    return LIBRARY[::5], samples


def test_any_number_of_threads_gives_the_same(crowd):
    programs, samples = crowd
    data = pack_samples(samples)
    engine = CpuEngine.of(programs)
    runs = []
    for threads in (1, 2, 5):
        engine.threads = threads
        runs.append(engine.run(data, "grid"))
    runs.append(CpuEngine.of(programs, threads=2, core=_core_lanes).run(data, "grid"))
    for other in runs[1:]:
        assert_same(other, runs[0])


def assert_same(a, b):
    assert a.names == b.names
    for name in ("statuses", "matches", "agreement", "hashes", "done"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name), name)
    for name in ("height", "width"):
        np.testing.assert_array_equal(getattr(a.grids, name), getattr(b.grids, name), name)
    for row, column in np.ndindex(a.statuses.shape):
        one, other = a.grid(row, column), b.grid(row, column)
        assert (one is None) == (other is None)
        assert one is None or np.array_equal(one, other)


def test_every_program_on_every_sample_agrees_with_the_reference(crowd):
    programs, samples = crowd
    programs, samples = programs[::4], samples[::3]
    engine = CpuEngine.of(programs)
    outputs = engine.run(samples, "grid")
    for row, sample in enumerate(samples):
        values = engine.values(sample)
        for column, program in enumerate(programs):
            want = evaluate(program, sample)
            assert values[program.name] == want
            assert STATUS[outputs.statuses[row, column]] == (want.reason if isinstance(want, Failed) else "ok")
            assert outputs.matches[row, column] == (want == sample.C)
            assert outputs.hashes[row, column] == outcome_hash(want)
            grid = outputs.grid(row, column)
            assert grid is None if grid_of(want) is None else np.array_equal(grid, want)
            if grid is not None and grid.shape == np.shape(sample.C):
                assert outputs.agreement[row, column] == (grid == sample.C).sum()
            else:
                assert outputs.agreement[row, column] == 0
    assert_same(ReferenceEngine.of(programs).run(samples, "grid"), outputs)


@CORES
@settings(max_examples=30)
@given(seed=seeds)
def test_outputs_hash_alike_on_the_engine_and_on_the_reference(core, seed):
    """Of outputs of every type; each result is computed by the engine, and again by the reference's own rule."""
    programs, sample = random_programs(seed), random_sample(seed)
    engine = CpuEngine.of(programs, threads=1, arena_bytes=1 << 22, core=core)
    outputs = engine.run([sample], "grid")
    assert_same(ReferenceEngine.of(programs).run([sample], "grid"), outputs)


def hash_of(body, grid=((1, 2), (3, 4))):
    engine = CpuEngine.of([parse_program(f"def solve_a(I):\n    return {body}\n")])
    outputs = engine.run([Sample(grid, (), grid)], "grid")
    want = engine.values(Sample(grid, (), grid))["solve_a"]
    assert outputs.hashes[0, 0] == outcome_hash(want)
    return outputs


def test_what_a_grid_is_goes_by_value():
    whole = hash_of("I")
    assert whole.matches[0, 0]
    for body in ("totuple(I)", "pair(first(dmirror(I)), last(dmirror(I)))", "astuple((1, 2), (3, 4))"):
        outputs = hash_of(body)
        assert outputs.matches[0, 0], body
        assert outputs.agreement[0, 0] == 4
        assert outputs.hashes[0, 0] == whole.hashes[0, 0]
        np.testing.assert_array_equal(outputs.grid(0, 0), [[1, 2], [3, 4]])
    for body in (
        "first(I)",
        "asindices(I)",
        "astuple((1, 2), ONE)",
        "combine(I, first(I))",
        "height(I)",
        "crop(I, ORIGIN, ORIGIN)",
    ):
        outputs = hash_of(body)
        assert not outputs.matches[0, 0], body
        assert outputs.grid(0, 0) is None


def test_hashes_tell_values_apart():
    engine = CpuEngine.of([parse_program("def solve_a(I):\n    return I\n")])
    grids = [((0,),), ((1,),), ((0, 0),), ((0,), (0,)), ((0,),)]
    hashes = engine.run([Sample(grid) for grid in grids], "hash").hashes
    assert len({int(value) for value in hashes[:, 0]}) == 4
    assert hashes[0, 0] == hashes[4, 0]
    others = ["height(I)", "asindices(I)", "asobject(I)", "totuple(asindices(I))", "first(I)", "merge(I)", "shape(I)"]
    others += [
        "astuple(ONE, shape(I))",
        "objects(I, T, F, F)",
        "initset(I)",
        "first(ZERO)",
        "last(ORIGIN)",
        "index(I, (9, 9))",
    ]
    assert len({int(hash_of(body).hashes[0, 0]) for body in others}) == len(others)


def test_only_what_is_wanted_comes_back():
    engine = CpuEngine.of([parse_program("def solve_a(I):\n    return I\n")])
    samples = [Sample(((1,),))]
    assert engine.run(samples).hashes is None
    assert engine.run(samples).grids is None
    assert engine.run(samples, "hash").grids is None
    assert engine.run([], "grid").statuses.shape == (0, 1)


@pytest.mark.usefixtures("sigint")
def test_an_interrupt_is_seen_while_the_engine_runs():
    heavy = "mapply(lbind(shift, asobject(I)), product(interval(0, 40, 1), interval(0, 40, 1)))"
    engine = CpuEngine.of([parse_program(f"def solve_a(I):\n    return size({heavy})\n")], threads=2)
    samples = [Sample(((1, 2, 3) * 10,) * 30)] * 5000
    timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        engine.run(samples)


@pytest.mark.parametrize(
    "expression",
    [
        "order(repeat(2900, 60000), lbind(repeat, ONE))",  # most of it in one sort
        "apply(lbind(repeat, ONE), repeat(2900, 60000))",  # in items of a loop
    ],
)
def test_a_stop_ends_what_runs(expression):
    engine = CpuEngine.of([parse_expression(expression)], threads=1)
    assert not engine.run([LARGE], "hash", complete=False, stop=lambda: True).done.any()


@pytest.mark.parametrize("kind", [CpuEngine, ReferenceEngine])
def test_a_stop_leaves_what_is_done(kind):
    engine = kind.of(LIBRARY[::4])
    samples = [sample for task in TASKS.values() for sample in task.samples]
    seen = []
    outputs = engine.run(samples, "hash", stop=lambda: bool(seen), progress=seen.append)
    done = np.flatnonzero(outputs.done)
    assert 0 < len(done) < len(samples)
    some = done[:: max(1, len(done) // 20)]
    again = engine.run([samples[row] for row in some], "hash")
    np.testing.assert_array_equal(again.hashes, outputs.hashes[some])


def test_what_the_engine_leaves_open_is_completed_and_counted():
    bodies = [
        "I",
        "vconcat(I, lefthalf(I))",
        "canvas(THOUSAND, UNITY)",
        "combine(I, first(I))",
        "apply(initset, I)",
    ]
    programs = [parse_program(f"def solve_a{k}(I):\n    return {body}\n") for k, body in enumerate(bodies)]
    samples = [Sample(((1, 2), (3, 4)), (), ((1, 2), (3, 4))), Sample(((5,),))]
    engine = CpuEngine.of(programs)
    outputs = engine.run(samples, "grid")
    assert outputs.names == [program.name for program in programs]
    assert_same(outputs, ReferenceEngine.of(programs).run(samples, "grid"))
    assert to_dynamic(outputs)["escape"] >= 1
    assert any(why.startswith("not lowered: ") for why in to_dynamic(outputs))
    assert sum(to_dynamic(outputs).values()) == sum(
        engine.status_of(sample)[name] in ("escape", *engine.code.rejected.values())
        for sample in samples
        for name in engine.names
    )


def test_an_item_that_does_not_fit_runs_bigger_then_on_the_dynamic_tier():
    text = "def solve_a(I):\n    x = upscale(I, 30)\n    return size(objects(rot90(x), T, F, F))\n"
    program, sample = parse_program(text), random_sample(1)
    want = evaluate(program, sample)
    grows = CpuEngine.of([program], arena_bytes=1, most_bytes=1 << 26)
    assert grows.run([sample]).grown >= 1
    assert grows.values(sample)["solve_a"] == want
    stuck = CpuEngine.of([program], arena_bytes=1, most_bytes=1)
    assert stuck.status_of(sample)["solve_a"] == "overflow"
    assert stuck.values(sample)["solve_a"] == want
    assert to_dynamic(stuck.run([sample])) == {"overflow": 1}


@pytest.mark.parametrize("wanted", ["match", "hash", "grid"])
def test_programs_that_do_not_fit_together_run_in_parts(wanted):
    rows = list(itertools.product(["ZERO", "ONE", "TWO", "THREE", "FOUR", "FIVE"], repeat=2))
    texts = [f"paint(I, shift(asobject(I), astuple({a}, {b})))" for a, b in rows]
    texts += ["first(apply(dneighbors, asindices(I)))", "size(objects(upscale(I, TEN), T, F, F))"]
    programs = [parse_program(f"def solve_{k}(I):\n    return {text}\n") for k, text in enumerate(texts)]
    samples = [Sample(((1, 2) * 15,) * 30, (), ((1, 2) * 15,) * 30), random_sample(1), random_sample(2)]
    small, big = CpuEngine.of(programs, arena_bytes=1, most_bytes=1), CpuEngine.of(programs)
    got, want = small.run(samples, wanted), big.run(samples, wanted)
    for name in ("statuses", "matches", "agreement", "hashes"):
        np.testing.assert_array_equal(getattr(got, name), getattr(want, name), name)
    if wanted == "grid":
        for place in np.ndindex(got.statuses.shape):
            np.testing.assert_array_equal(got.grid(*place), want.grid(*place))
    assert got.done.all()
    assert 0 < to_dynamic(got)["overflow"] <= len(samples)  # the last program, which does not fit alone
    assert not (small.run(samples, wanted, complete=False).statuses[:, :-1] == OVERFLOW).any()


def test_a_part_that_another_thread_drops_meanwhile():
    class Dropped(dict):
        def __setitem__(self, *_):
            pass

    tier = CpuEngine.of(LIBRARY[:3]).first
    tier._parts = Dropped()
    assert tier.part(np.array([1])).names == [tier.names[1]]


def test_samples_are_not_done_where_a_stop_came_before_their_parts(monkeypatch):
    texts = [f"shift(asobject(I), astuple({k}, ONE))" for k in range(40)]
    programs = [parse_program(f"def solve_{k}(I):\n    return {text}\n") for k, text in enumerate(texts)]
    engine = CpuEngine.of(programs, arena_bytes=1, most_bytes=1)
    samples = [Sample(((1, 2) * 15,) * 30), Sample(((1,),))]
    stopped = SimpleNamespace(names=["solve_39"], run=lambda *_: None, refused=dict)
    monkeypatch.setattr(engine.first, "part", lambda columns: stopped)
    result = engine.run(samples)
    assert result.done.tolist() == [False, True]
    assert not to_dynamic(result)


@CORES
def test_beyond_a_limit_comes_before_what_has_no_form(core):
    expression = "hconcat(canvas(ONE, astuple(9999, ONE)), vconcat(I, lefthalf(I)))"
    assert agree([parse_expression(expression)], Sample(((1, 2), (3, 4))), core) == 1


def test_a_value_without_a_form_runs_on_the_dynamic_tier():
    sample = Sample(((1, 2), (3, 4)))
    for body in (
        "vconcat(I, lefthalf(I))",
        "canvas(THOUSAND, UNITY)",
        "corners(ofcolor(I, 9))",
    ):
        program = parse_program(f"def solve_a(I):\n    return {body}\n")
        engine = CpuEngine.of([program])
        assert engine.status_of(sample)["solve_a"] in ("escape", *engine.code.rejected.values())
        assert engine.values(sample)["solve_a"] == evaluate(program, sample)


def test_nested_tuples_come_back_nested():
    sample = Sample(((1, 2), (3, 4)))
    for body in (
        "astuple(astuple(portrait(I), ONE), I)",
        "astuple(astuple(T, astuple(ONE, square(I))), shape(I))",
        "astuple(I, astuple(palette(I), astuple(ONE, UNITY)))",
        "apply(lbind(astuple, square(I)), palette(I))",
        "pair(first(I), apply(positive, last(I)))",
    ):
        program = parse_program(f"def solve_a(I):\n    return {body}\n")
        engine = CpuEngine.of([program])
        assert engine.names == ["solve_a"]
        assert engine.values(sample)["solve_a"] == evaluate(program, sample)


def test_packing_shares_grids():
    task = TASKS["007bbfb7"]
    packed = pack_samples(task.samples)
    assert len(packed) == len(task.samples)
    assert len(packed.height) == 2 * len(task.samples)
    assert packed.nbytes < 10_000
    assert len(packed.first) == 1


def test_values_nested_to_the_limit_are_compared_to_their_ends():
    deep = "repeat(repeat(repeat(repeat({}, TWO), TWO), TWO), TWO)"
    sample = Sample(((1, 2), (3, 4)))
    for one, other, equal in (("I", "rot90(I)", False), ("I", "rot180(rot180(I))", True), ("shape(I)", "UNITY", False)):
        text = f"def solve_a(I):\n    return equality({deep.format(one)}, {deep.format(other)})\n"
        engine = CpuEngine.of([parse_program(text)], rewrites=Rewrites(fold=False, algebra=False, unroll=False))
        assert engine.status_of(sample) == {"solve_a": "ok"}
        assert engine.values(sample)["solve_a"] is equal


def test_an_input_beyond_the_limits_of_results_runs_on_the_dynamic_tier():
    program, sample = parse_program("def solve_a(I):\n    return I\n"), Sample(tuple((0,) for _ in range(2000)))
    engine = CpuEngine.of([program])
    assert engine.status_of(sample) == {"solve_a": "escape"}
    assert engine.values(sample)["solve_a"] == sample.I


def test_hashes_do_not_depend_on_where_a_value_lies():
    text = "def solve_a(I):\n    return apply(fork(astuple, size, identity), objects(I, T, F, F))\n"
    before = "def solve_0(I):\n    return hmirror(rot90(I))\n"
    data = pack_samples([random_sample(1)])
    alone = CpuEngine.of([parse_program(text)])
    beside = CpuEngine.of([parse_program(before), parse_program(text)])
    column = beside.names.index("solve_a")
    hashes = [engine.run(data, outputs="hash").hashes for engine in (alone, beside)]
    assert hashes[0][0, 0] == hashes[1][0, column]


EMPTY_CORNER = "x1 = ofcolor(I, 9)\n    x2 = ulcorner(x1)\n    "
EMPTY_CORNER_PROGRAMS = [
    parse_program(f"def solve_v{k}(I):\n    {EMPTY_CORNER}{text}\n")
    for k, text in enumerate(
        (
            "return index(I, x2)",
            "x3 = crop(I, ORIGIN, ORIGIN)\n    return index(x3, x2)",
            "x3 = asindices(I)\n    return remove(x2, x3)",
            "x3 = ofcolor(I, 9)\n    return remove(x2, x3)",
            "x3 = totuple(asindices(I))\n    return remove(x2, x3)",
            "x3 = corners(asindices(I))\n    x4 = remove(x2, x3)\n    return fill(I, FIVE, x4)",
            "x3 = compose(lbind(remove, x2), toindices)\n    return apply(x3, fgpartition(I))",
            "x3 = rbind(index, x2)\n    return apply(x3, hsplit(I, THREE))",
        )
    )
]


@CORES
@pytest.mark.parametrize("max_steps", [*range(20, 80, 3), MAX_STEPS])
def test_the_empty_tuple_in_place_of_an_ij_stays_on_the_engine(core, max_steps):
    """`index` fails for it, after the grid; `remove` finds no IJ equal to it. Steps count as in the reference."""
    sample = Sample(((1, 0, 2), (0, 3, 0)))
    rewrites = Rewrites(fold=False, algebra=False, unroll=False)
    assert agree(EMPTY_CORNER_PROGRAMS, sample, core, max_steps, rewrites) == len(EMPTY_CORNER_PROGRAMS)


@CORES
def test_what_the_empty_tuple_may_equal_is_left_to_the_dynamic_tier(core):
    program = parse_program(
        "def solve_v(I):\n    x1 = ulcorner(ofcolor(I, 9))\n    x2 = repeat(I, 0)\n    x3 = repeat(x2, 2)\n"
        "    return remove(x1, x3)\n"
    )
    engine, sample = CpuEngine.of([program], threads=1, core=core), Sample(((1, 0, 2), (0, 3, 0)))
    assert engine.values(sample) == {"solve_v": evaluate(program, sample)}
    assert evaluate(program, sample) == ()
