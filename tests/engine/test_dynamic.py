"""The dynamic tier against the reference: values, failures and steps, on anything."""

from __future__ import annotations

import itertools
import subprocess
import sys
import threading
import time
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import arcbatt
from arcbatt.compiler.graph import Graph, merge
from arcbatt.compiler.program_set import compile
from arcbatt.data.packing import pack_samples
from arcbatt.devtools.conformance import check, read_vectors
from arcbatt.devtools.verify.workload import random_batch
from arcbatt.engine.api import RunRequest
from arcbatt.engine.dynamic import DynamicGraph, DynamicTier
from arcbatt.engine.outputs import Outputs
from arcbatt.engine.reference import MergedReference, ReferenceEngine
from arcbatt.language.failures import Fail, Failed, Outcome, Reason
from arcbatt.language.limits import INT_MAX, INT_MIN, MAX_CALL_DEPTH, MAX_LEVELS
from arcbatt.language.program import Program
from arcbatt.language.reference import Machine, evaluate, primitive
from arcbatt.language.sample import Sample
from arcbatt.language.table import STANDARD
from arcbatt.language.types import INT
from arcbatt.solvers import library
from arcbatt.syntax import parse_program
from arcbatt.syntax.api import parse
from engine.any_values import arguments
from engine.scrambled import scrambled

GRID = ((0, 3, 0), (3, 3, 0), (0, 5, 5))
SAMPLE = Sample(GRID, ((GRID, GRID[::-1]), (GRID[:2], GRID)), GRID[::-1])


def by_reference(name: str, args: tuple[Any, ...], max_steps: int) -> tuple[Outcome, int]:
    machine = Machine(max_steps)
    try:
        return machine.call(primitive(name), *args), machine.total_steps
    except Fail as fail:
        return Failed(fail.reason, detail=fail.detail), machine.total_steps


def by_tier(name: str, rows: list[tuple[Any, ...]], max_steps: int, threads: int = 1) -> list[tuple[Outcome, int]]:
    graph = Graph(merge_commutative=False)
    node = graph.add(name, tuple(graph.declare(f"x{k}", INT) for k in range(STANDARD.op(name).arity)))
    inputs = [{f"x{k}": value for k, value in enumerate(row)} for row in rows]
    found = DynamicGraph(graph, threads=threads).evaluate(inputs, [node], max_steps)
    return [(one.outcomes[0], one.steps) for one in found if one is not None]


@pytest.mark.parametrize("name", STANDARD.ops)
def test_a_primitive_gives_what_the_reference_gives_of_any_values(name):
    rows = arguments("any", name, 150)
    for max_steps in (200_000_000, 60):
        assert by_tier(name, rows, max_steps) == [by_reference(name, row, max_steps) for row in rows]


def test_values_keep_which_numbers_are_truths():
    values = [True, (True, 2), (1, (False, 3)), frozenset({(True, 1), (0, (2, False))}), (1, True, 0), None, ((),)]
    found = by_tier("identity", [(value,) for value in values], 1_000)
    assert [repr(outcome) for outcome, _ in found] == [repr(value) for value in values]


def compared(programs: list[Program], samples: list[Sample], max_steps: int) -> Counter[str]:
    """How many outcomes there were of each kind; all are as the reference has them."""
    graph = merge(programs)
    nodes = list(graph.outputs.values())
    seen: Counter[str] = Counter()
    for sample, found in zip(samples, DynamicGraph(graph).evaluate(samples, nodes, max_steps), strict=True):
        reference = MergedReference(graph, sample, max_steps)
        assert found is not None
        for name, node, outcome in zip(graph.outputs, nodes, found.outcomes, strict=True):
            assert outcome == reference.value(node), f"{name}: {graph.to_program(node)}"
            seen[outcome.reason.value if isinstance(outcome, Failed) else "value"] += 1
        assert found.steps == reference.machine.total_steps
    return seen


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("max_steps", [50, 2_000, 200_000])
def test_random_programs_and_mutants(seed, max_steps):
    batch = random_batch(30, seed)
    seen = compared([*batch.programs, *scrambled(library(), 60, seed)], batch.samples, max_steps)
    assert seen["value"] > 0
    assert seen["type"] > 0


PROGRAMS = """
def solve_through_a_set(I): return apply(rbind(compose(first, rbind(rapply, I)), ONE), initset(I))
def solve_first_of_rapply(I): return first(rapply(initset(rot90), I))
def solve_search(I): return extract(astuple(rot90, rot180), matcher(rbind(rapply, I), ZERO))
def solve_search_found(I): return extract(astuple(rot90, vmirror), compose(rbind(equality, I), compose(vmirror, rbind(branch, I))))
def solve_bind(I): return branch(positive(height(I)), lbind, rbind)(subtract, ONE)(TEN)
def solve_bind_other(I): return branch(positive(invert(height(I))), lbind, rbind)(subtract, ONE)(TEN)
def solve_mixed_pair(I): return astuple(rot90, 3)
def solve_product(I): return product(astuple(rot90, rot180), astuple(rot90, vmirror))
def solve_product_of_sets(I): return size(product(initset(rot90), insert(rot180, initset(rot90))))
def solve_pair(I): return pair(astuple(rot90, rot180), astuple(I, ONE))
def solve_repeat(I): return papply(compose, repeat(rot90, 2), repeat(vmirror, 2))
def solve_argmax(I): return argmax(astuple(rot90, rot180), compose(size, initset))
def solve_argmax_by_functions(I): return argmax(astuple(rot90, rot180), identity)
def solve_mixed_set(I): return toindices(combine(ofcolor(I, THREE), asobject(I)))
def solve_mixed_shape(I): return shape(combine(ofcolor(I, THREE), asobject(I)))
def solve_object_among_places(I): return insert(asobject(I), ofcolor(I, THREE))
def solve_sets_as_keys(I): return order(fgpartition(I), identity)
def solve_greatest_set(I): return argmax(fgpartition(I), toindices)
def solve_truth(I): return branch(ofcolor(I, NINE), I, asobject(I))
def solve_power_changes(I): return power(initset, THREE)(I)
def solve_function(I): return rbind(compose, initset(lbind(shift, ofcolor(I, 3))))
def solve_none(I): return apply(lbind(index, I), insert(TEN, initset((9, 9))))
"""  # noqa: E501


def test_programs_that_have_no_types():
    seen = compared(parse(PROGRAMS), [SAMPLE, Sample(GRID[:1], (), None)], 1_000_000)
    assert seen["value"] > 20


def test_conformance_vectors(data):
    def by_dynamic(program: Program, sample: Sample) -> Outcome:
        return DynamicTier(compile([program]), threads=1).values(sample, [program.name], 1_000_000)[program.name]

    report = check(read_vectors(data / "vectors.jsonl"), by_dynamic)
    assert report.differences == []
    assert report.agree == report.total > 0


# --- limits of the language that the reference has to keep as well ---

ENDLESS = "def solve_x(I):\n    g = fork(rapply, initset, identity)\n    return g(g)"


def nested(name: str, times: int) -> str:
    lines = [f"    x{k + 1} = {name}(x{k})" for k in range(times)]
    return "\n".join(["def solve_x(I):", "    x0 = ONE", *lines, f"    return size(x{times})"])


def test_calls_inside_one_another_end():
    assert compared(parse(ENDLESS), [SAMPLE], 200_000_000) == {"limit": 1}


def stacked(name: str, base: str, times: int) -> list[str]:
    """Lines of a function that calls another through so many others."""
    lines = [f"    {name}{k + 1} = compose(identity, {name}{k})" for k in range(times)]
    return [f"    {name}0 = {base}", *lines]


@pytest.mark.parametrize(("inner", "outcome"), [(98, "value"), (99, "limit")])
def test_as_many_calls_inside_one_another_as_are_allowed(inner, outcome):
    outer = 98
    assert 1 + (outer + 1) + 1 + (inner + 1) == MAX_CALL_DEPTH + (outcome == "limit")  # apply, h, rapply, f
    f, h = stacked("f", "increment", inner), stacked("h", "rbind(rapply, ONE)", outer)
    lines = ["def solve_x(I):", *f, *h, f"    return apply(h{outer}, initset(initset(f{inner})))"]
    assert compared(parse("\n".join(lines)), [SAMPLE], 1_000_000) == {outcome: 1}


@pytest.mark.parametrize(("times", "outcome"), [(MAX_LEVELS, "value"), (MAX_LEVELS + 1, "limit")])
def test_levels_of_a_value(times, outcome):
    for name in ("initset", "toivec"):
        assert compared(parse(nested(name, times)), [SAMPLE], 1_000_000) == {outcome: 1}


def test_levels_through_functions():
    lines = ["def solve_x(I):", "    x0 = ONE"]
    lines += [f"    x{k + 1} = initset(lbind(add, x{k}))" for k in range(MAX_LEVELS // 2 + 1)]
    program = "\n".join([*lines, f"    return x{MAX_LEVELS // 2 + 1}"])
    assert compared(parse(program), [SAMPLE], 1_000_000) == {"limit": 1}


DEEP = """
import sys
from arcbatt.compiler.program_set import compile
from arcbatt.engine.dynamic import DynamicTier
from arcbatt.language.sample import Sample
from arcbatt.syntax.api import parse
for text in sys.stdin.read().split("---"):
    programs = parse(text)
    print(DynamicTier(compile(programs), threads=1).values(Sample(((1, 2),)), ["solve_x"], 1_000_000)["solve_x"])
"""


def test_the_limits_are_reached_on_a_small_stack():
    deep = nested("initset", MAX_LEVELS).replace("return size(", "return equality(x3, ")
    texts = [ENDLESS, nested("initset", MAX_LEVELS), deep, nested("toivec", MAX_LEVELS + 1)]
    command = ["sh", "-c", 'ulimit -s 512 && exec "$0" -c "$1"', sys.executable, DEEP]
    found = subprocess.run(command, input="---".join(texts), capture_output=True, text=True, check=True)
    assert found.stdout.split("\n")[:4] == ["failed: limit", "1", "False", "failed: limit"]


FAR = frozenset({(INT_MIN, INT_MIN), (INT_MAX, INT_MAX)})


@pytest.mark.parametrize("name", ["height", "width", "shape", "portrait", "square", "vline", "hline", "hmirror"])
def test_results_beyond_32_bits_fail(name):
    outcome, _ = by_reference(name, (FAR,), 1_000)
    assert outcome == Failed(Reason.LIMIT)
    assert by_tier(name, [(FAR,)], 1_000)[0][0] == outcome


def test_a_distance_beyond_32_bits_fails():
    ends = frozenset({(INT_MIN, 0)}), frozenset({(INT_MAX, 0)})
    assert by_tier("manhattan", [ends], 1_000)[0] == by_reference("manhattan", ends, 1_000)
    assert by_reference("manhattan", ends, 1_000)[0] == Failed(Reason.LIMIT)
    assert by_reference("adjacent", ends, 1_000)[0] is False


def test_sets_compare_as_keys_in_the_languages_order():
    sets = tuple(frozenset(chosen) for n in range(4) for chosen in itertools.combinations(range(4), n))
    rows = [(sets[::-1], primitive("identity"))]
    assert by_reference("order", rows[0], 10_000)[0] == tuple(sorted(sets, key=sorted))
    assert by_tier("order", rows, 10_000)[0][0] == tuple(sorted(sets, key=sorted))


@pytest.mark.parametrize(
    "keys",
    [(1, (1, 2)), (None, None), (None, 1), ((1, 2), (1, None), (2, 0)), (FAR, 3), (primitive("add"),) * 2],
)
def test_keys_that_cannot_be_compared_fail_in_any_order(keys):
    for given in itertools.permutations(keys):
        for name in ("order", "argmax", "valmin"):
            args = (given, primitive("identity"))
            assert by_reference(name, args, 1_000)[0] == Failed(Reason.TYPE)
            assert by_tier(name, [args], 1_000)[0][0] == Failed(Reason.TYPE)


# --- runs ---


def run(tier: DynamicTier, samples: list[Sample], missing: Any, **options: Any) -> Outputs:
    names = list(tier.graph.graph.outputs)
    request = RunRequest(pack_samples(samples), options.pop("outputs", "grid"), max_steps=100_000, **options)
    result = Outputs.empty(names, len(samples), request.outputs)
    result.done[:] = True
    tier.run(request, result, missing, lambda _: None)
    return result


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("outputs", ["match", "hash", "grid"])
def test_a_run_gives_what_the_reference_engine_gives(threads, outputs):
    batch = random_batch(60, 5)
    programs = [*batch.programs, *scrambled(library(), 60, 5), *parse(PROGRAMS)]
    samples = [*batch.samples, SAMPLE, Sample(GRID, (), None)] * 2
    wanted = ReferenceEngine(compile(programs)).run(samples, outputs, max_steps=100_000)
    found = run(DynamicTier(compile(programs), threads=threads), samples, np.ones(wanted.statuses.shape, np.bool_),
                outputs=outputs).trimmed(outputs)  # fmt: skip
    for name in ("statuses", "matches", "agreement", "hashes", "done"):
        assert np.array_equal(getattr(found, name), getattr(wanted, name)), name
    if outputs == "grid":
        for row, column in np.ndindex(*wanted.statuses.shape):
            assert np.array_equal(found.grid(row, column), wanted.grid(row, column))


def test_only_what_is_missing_is_written():
    programs = library()[:6]
    samples = [SAMPLE] * 4
    missing = np.zeros((4, 6), np.bool_)
    missing[1, 2] = missing[3, 0] = missing[3, 5] = True
    full = run(DynamicTier(compile(programs)), samples, np.ones((4, 6), np.bool_), outputs="hash")
    some = run(DynamicTier(compile(programs)), samples, missing, outputs="hash")
    assert full.hashes is not None
    assert some.hashes is not None
    assert np.array_equal(some.hashes != 0, missing)
    assert np.array_equal(some.hashes[missing], full.hashes[missing])
    assert some.done.all()


LONG = """
def solve_long(I):
    x = interval(ZERO, THOUSAND, ONE)
    return apply(rbind(lbind(prapply, add), x), repeat(x, THOUSAND))
"""


def test_a_stop_leaves_rows_unfinished():
    began = threading.Event()
    tier = DynamicTier(compile(parse(LONG)), threads=1)
    request = RunRequest(pack_samples([SAMPLE] * 3), stop=lambda: began.set() or True)
    request = replace(request, max_steps=10**12, max_total=10**12)
    result = Outputs.empty(["solve_long"], 3, "match")
    result.done[:] = True
    start = time.monotonic()
    tier.run(request, result, np.array([[True], [False], [True]]), lambda _: None)
    assert began.is_set()
    assert result.done.tolist() == [False, True, False]
    assert time.monotonic() - start < 30  # not the hours it would take


def test_progress_is_told():
    told: list[int] = []
    tier = DynamicTier(compile(library()[:40]), threads=2)
    samples = [SAMPLE] * 8
    result = Outputs.empty(list(tier.graph.graph.outputs), 8, "match")
    tier.run(RunRequest(pack_samples(samples)), result, np.ones((8, 40), np.bool_), told.append)
    assert told == sorted(told)
    assert told[-1] == 8


def test_values_of_some_programs():
    tier = DynamicTier(compile(parse(PROGRAMS)))
    found = tier.values(SAMPLE, ["solve_bind", "solve_function"], 1_000)
    graph = tier.graph.graph
    assert found == {name: MergedReference(graph, SAMPLE).of(name) for name in ("solve_bind", "solve_function")}


def test_nothing_is_made_before_it_is_used():
    tier = DynamicTier(compile(library()[:2]))
    assert "core" not in vars(tier.graph)


def test_what_is_no_value_is_refused():
    with pytest.raises(ValueError, match="not a value of the language: 'text'"):
        by_tier("identity", [("text",)], 10)
    with pytest.raises(ValueError, match="not a value of the language: 2147483648"):
        by_tier("identity", [(2**31,)], 10)


# --- custom operations ---


@pytest.fixture
def custom():
    @arcbatt.op("Grid, Int -> Grid")
    def tripled(grid, n):
        """Every cell times n; of 13 an error that is no failure."""
        if n == 13:
            raise SystemExit("not to be caught")
        return tuple(tuple(n * cell for cell in row) for row in grid)

    yield tripled
    arcbatt.remove_op("tripled")


def test_custom_operations_run_in_python(custom):
    text = """
def solve_a(I): return tripled(I, height(I))
def solve_b(I): return apply(lbind(tripled, I), interval(0, 4, 1))
def solve_c(I): return tripled(I, I)
def solve_d(I): return order(astuple(tripled, rot90), compose(size, initset))
"""
    assert compared(parse(text), [SAMPLE] * 3, 100_000) == {"value": 9, "type": 3}


def test_what_a_custom_operation_raises_is_raised(custom):
    tier = DynamicTier(compile(parse("def solve_a(I): return tripled(I, 13)")))
    with pytest.raises(SystemExit, match="not to be caught"):
        tier.values(SAMPLE, ["solve_a"], 1_000)


# --- memory ---
KEPT = """
def solve_kept(I):
    x0 = interval(height(I), 3000, ONE)
{lines}
    y = {sizes}
    return astuple(y, {firsts})
"""


def sum_of(terms):
    *rest, last = terms
    return f"add({rest[0]}, {sum_of([*rest[1:], last])})" if rest else last


@pytest.mark.parametrize("count", [3, 10, 25])
@pytest.mark.parametrize("most", [1 << 19, 1 << 20, 1 << 22, 1 << 30])
def test_lines_that_do_not_fit_together_are_made_again(count, most):
    """Every line is used by the first sum and again by the second, so that all would be kept meanwhile."""
    lines = "\n".join(f"    x{k} = apply(fork(astuple, initset, lbind(add, {k})), x0)" for k in range(1, count + 1))
    text = KEPT.format(
        lines=lines,
        sizes=sum_of([f"size(x{k})" for k in range(1, count + 1)]),
        firsts=sum_of([f"last(last(x{k}))" for k in range(1, count + 1)]),
    )
    program, machine = parse_program(text), Machine()
    want = evaluate(program, SAMPLE, machine)
    graph = DynamicGraph(compile([program]).graph, threads=1)
    graph.core.most_bytes = most
    root = graph.graph.outputs[program.name]
    if most == 1 << 19:  # one line and what it is made of do not fit
        with pytest.raises(MemoryError):
            graph.evaluate([SAMPLE], [root])
        return
    (found,) = graph.evaluate([SAMPLE], [root])
    assert found.outcomes == [want]
    assert found.steps == machine.total_steps
