"""Loops by waves against the CPU engine: every value outside of loops, by status and hash, and so steps as well.

What a loop gives depends on all of its items, on which of them fails first and on how many steps there were before it;
so these values are enough to see a difference inside.
"""

from __future__ import annotations

import numpy as np
import pytest

from arcbatt.compiler.abi import OVERFLOW, STATUSES
from arcbatt.compiler.program_set import compile
from arcbatt.compiler.wave_parts import Repeat
from arcbatt.compiler.waves import Domain, schedule
from arcbatt.data.packing import pack_samples
from arcbatt.data.tasks import load_tasks
from arcbatt.devtools.bench.waves import cpu_values, differences
from arcbatt.devtools.generate import Generator, mutants
from arcbatt.engine.cuda.compile import LANES
from arcbatt.engine.waves import kernels
from arcbatt.engine.waves.runner import WaveRunner
from arcbatt.language.sample import Sample
from arcbatt.syntax import parse_program
from compiler.support import LIBRARY, random_sample
from engine import fake_cupy

TASKS = list(load_tasks("arcagi"))
SAMPLES = [sample for task in TASKS[::50] for sample in task.samples][:6]
EDGES = [
    Sample(((0,),), (), None),
    Sample(((0, 0), (0, 0)), (), None),
    Sample(tuple(tuple((i * j) % 4 for j in range(12)) for i in range(9)), (), None),
]
"""One colour, so that there are no objects; many."""
WIDTHS = pytest.mark.parametrize("width", kernels.WIDTHS, ids=["one lane", "emulated lanes"])
LIMITS = (200_000_000, 20_000, 2_000, 300, 60, 20)

EXPRESSIONS = {
    "apply": "apply(size, objects(I, T, F, T))",
    "apply to a tuple": "apply(first, I)",
    "apply, each failing": "apply(rbind(divide, ZERO), p_g(I))",
    "apply, some failing": "apply(first, apply(lbind(remove, ZERO), I))",
    "apply to nothing": "apply(size, colorfilter(objects(I, T, F, T), TEN))",
    "mapply": "mapply(toindices, objects(I, T, F, T))",
    "mapply of numbers": "mapply(size, objects(I, T, F, T))",
    "mapply of numbers of nothing": "mapply(size, colorfilter(objects(I, T, F, T), TEN))",
    "papply": "papply(combine, I, hmirror(I))",
    "mpapply": "mpapply(recolor, p_g(I), totuple(partition(I)))",
    "prapply": "prapply(connect, ofcolor(I, ONE), ofcolor(I, TWO))",
    "prapply, many alike": "prapply(multiply, p_g(I), p_g(I))",
    "rapply": "rapply(astuple(height, width), I)",
    "sfilter": "sfilter(objects(I, T, F, T), square)",
    "sfilter of a tuple": "sfilter(I, lbind(contained, ONE))",
    "mfilter": "mfilter(objects(I, T, F, T), compose(lbind(greater, FIVE), size))",
    "extract": "extract(objects(I, T, F, T), compose(lbind(greater, THREE), size))",
    "extract before a failure": "extract(p_g(I), compose(lbind(greater, TWO), lbind(divide, TEN)))",
    "extract, none": "extract(objects(I, T, F, T), compose(lbind(greater, ZERO), size))",
    "order": "order(objects(I, T, F, T), size)",
    "order by places": "order(objects(I, T, F, T), ulcorner)",
    "order by sets": "order(objects(I, T, T, T), palette)",
    "argmax": "argmax(objects(I, T, F, T), size)",
    "argmin by places": "argmin(objects(I, T, F, T), center)",
    "argmax by sets": "argmax(objects(I, F, T, T), toindices)",
    "valmax": "valmax(objects(I, T, F, T), height)",
    "valmin of nothing": "valmin(colorfilter(objects(I, T, F, T), TEN), size)",
    "power": "power(trim, TWO)(I)",
    "power by a number that is computed": "power(rbind(upscale, TWO), size(p_g(I)))(I)",
    "power of a loop": "power(lbind(mapply, neighbors), THREE)(ofcolor(I, ONE))",
    "power in a loop": "apply(power(compose(outbox, toindices), FOUR), objects(I, T, F, T))",
    "power in a loop, some once": (
        "apply(fork(rapply, compose(initset, compose(lbind(power, outbox), size)), toindices), objects(I, T, F, T))"
    ),
    "a function chosen": "apply(branch(square(I), size, height), objects(I, T, F, T))",
    "nested": "apply(compose(lbind(apply, size), rbind(sfilter, lbind(contained, ONE))), astuple(I, hmirror(I)))",
    "nested, with what is outside": "apply(lbind(apply, lbind(add, size(I))), apply(lbind(apply, double), I))",
    "nested three deep": "apply(lbind(apply, lbind(apply, increment)), astuple(I, hmirror(I)))",
    "nested, uneven": "apply(compose(lbind(apply, lbind(shoot, ORIGIN)), toindices), objects(I, T, F, T))",
    "nested, failing": "apply(lbind(apply, lbind(divide, TEN)), I)",
    "by task": "apply(compose(size, first), S)",
    "by task and sample": "apply(compose(lbind(equality, I), first), S)",
    "nested by task": "apply(compose(lbind(apply, lbind(shift, ofcolor(I, ONE))), compose(asindices, first)), S)",
}

SETS_OF_KEYS = {
    "places": "apply(lbind(multiply, {0}), asindices(I))",
    "numbers": "apply(fork(add, compose(lbind(multiply, {0}), first), last), asindices(I))",
    "places, merged": "mapply(neighbors, apply(lbind(multiply, {0}), asindices(I)))",
    "numbers, merged": "mapply(compose(initset, fork(add, compose(lbind(multiply, {0}), first), last)), asindices(I))",
    "cells, merged": "mapply(fork(recolor, first, compose(initset, compose(lbind(multiply, {0}), last))), asobject(I))",
    "uneven": "mapply(identity, insert(asindices(canvas(ZERO, (70, {0}))), apply(neighbors, asindices(I))))",
}
"""What is made a set by marks where keys lie close together, as they do or do not by the number that is left open."""
ALL = EXPRESSIONS | {
    f"{name}, {apart} apart": text.format(apart) for name, text in SETS_OF_KEYS.items() for apart in (1, 3, 40, 700)
}


@pytest.fixture
def cupy(monkeypatch):
    return fake_cupy.for_waves(monkeypatch)


def program(number, expression):
    return parse_program(f"def solve_{number}(S, I, C):\n x = {expression}\n return x")


def run(cupy, plan, samples, *, width, max_steps=LIMITS[0], **options):
    widths = dict.fromkeys([wave.kernel for wave in plan.waves], width)
    runner = WaveRunner(
        cupy, plan, widths=widths, max_steps=max_steps, **{"heap_bytes": 1 << 28, "lines": 4, **options}
    )
    return runner, runner.run(pack_samples(samples), list(plan.slots()))


def check(cupy, plan, samples, *, max_steps=LIMITS[0], **options):
    """Compare all values; statuses there were."""
    runner, found = run(cupy, plan, samples, max_steps=max_steps, **options)
    expected = cpu_values(plan, pack_samples(samples), threads=1, max_steps=max_steps)
    nodes = list(plan.nodes())
    wrong = [
        (nodes[row][0].kernel.name, column, found.statuses[row, column], expected.statuses[row, column])
        for row, column in differences(found, expected)
    ]
    assert not wrong
    return runner, set(np.unique(expected.statuses).tolist())


@WIDTHS
def test_every_kind_of_loop(cupy, width):
    plan = schedule(compile([program(number, one) for number, one in enumerate(ALL.values())]).typed)
    assert not plan.left_out
    assert max(plan.parents) > Domain.BODIES + 30
    assert {part.turns for part in plan.parts if isinstance(part, Repeat)} >= {0}
    _, statuses = check(cupy, plan, [*SAMPLES, *EDGES], width=width)
    assert {STATUSES[name] for name in ("OK", "TYPE", "EMPTY", "ZERO_DIVISION")} <= statuses


def launched(parts):
    """How often waves are launched, each power's number of turns being known."""
    return sum(one.turns * launched(one.parts) if isinstance(one, Repeat) else one.end - one.first for one in parts)


@WIDTHS
def test_powers_take_their_own_turns_whatever_others_take(cupy, width):
    apart = [
        "power(compose(power(fork(combine, identity, rbind(shift, RIGHT)), 25), hmirror), 12)(ofcolor(I, 1))",
        "power(compose(hmirror, power(rot90, 14)), 13)(I)",
        "power(lbind(mapply, dneighbors), 30)(ofcolor(I, 1))",
        "power(compose(rot90, hmirror), 170)(I)",
    ]
    programs = [program(number, one) for number, one in enumerate(apart)]
    alone = sum(launched(schedule(compile([one]).typed).powers) for one in programs)
    plan = schedule(compile(programs).typed)
    assert any(isinstance(one, Repeat) for part in plan.powers if isinstance(part, Repeat) for one in part.parts)
    assert launched(plan.powers) < 1.5 * alone
    check(cupy, plan, [*SAMPLES, *EDGES], width=width)


@WIDTHS
@pytest.mark.parametrize("max_steps", LIMITS[1:])
def test_limits_are_met_at_the_same_item(cupy, width, max_steps):
    programs = [program(number, one) for number, one in enumerate(ALL.values())]
    plan = schedule(compile([*programs, *LIBRARY[::20]]).typed)
    _, statuses = check(cupy, plan, [*SAMPLES, *EDGES], width=width, max_steps=max_steps)
    assert STATUSES["LIMIT"] in statuses


@WIDTHS
@pytest.mark.parametrize("seed", range(4))
def test_random_programs(cupy, width, seed):
    source = Generator(f"wave loops {seed}")
    programs = [source.program(f"solve_{number}", lines=12, samples=number % 3 == 0) for number in range(50)]
    plan = schedule(compile([*programs, *mutants(LIBRARY[seed::8], 60, seed)]).typed)
    samples = [*SAMPLES[:3], *map(random_sample, range(3))]
    for max_steps in (LIMITS[0], 1_000):
        check(cupy, plan, samples, width=width, max_steps=max_steps)


@pytest.mark.parametrize("max_steps", [LIMITS[0], 500])
def test_calls_of_many_items_are_left_to_blocks(cupy, max_steps):
    programs = [program(number, one) for number, one in enumerate(ALL.values())]
    plan = schedule(compile([*programs, *LIBRARY[::12]]).typed)
    for giant_items in (0, 3):
        check(cupy, plan, [*SAMPLES, *EDGES], width=LANES, max_steps=max_steps, giant_items=giant_items)


MERGES = (
    "merge(o_g(I, 1))",
    "merge(prapply(connect, asindices(I), asindices(I)))",
    "merge(prapply(connect, insert(toivec(divide(height(I), 0)), asindices(I)), asindices(I)))",
    "mapply(lambda o: merge(prapply(connect, toindices(o), asindices(I))), o_g(I, 5))",
    "mapply(lambda o: apply(lambda ij: shift(o, ij), toindices(o)), o_g(I, 5))",
)


def test_merging_is_left_to_blocks_inside_of_loops_and_outside(cupy):
    """And counts all that is in sets of sets, as little as their number is."""
    plan = schedule(compile([program(number, one) for number, one in enumerate(MERGES)]).typed)
    for giant_items, left in ((3, True), (12, True), (1 << 20, False)):
        runner, _ = check(cupy, plan, [*SAMPLES, *EDGES], width=LANES, giant_items=giant_items)
        by_blocks = {launch.wave.kernel.name for launch in runner.plan.launches if launch.giants}
        assert ("merge: {{IJ}} -> {IJ}" in by_blocks) == left
        assert ("gather loop_mapply: {{Cell}} -> {{Cell}}" in by_blocks) == left


def test_nothing_depends_on_how_samples_and_programs_are_divided(cupy):
    plan = schedule(compile([*LIBRARY[::40], *(program(k, one) for k, one in enumerate(EXPRESSIONS.values()))]).typed)
    samples = [*SAMPLES[:4], *EDGES]
    slots, data = list(plan.slots()), pack_samples(samples)
    expected = cpu_values(plan, data, threads=1)
    batches, unfit = [], []
    for heap_bytes in (1 << 27, 1 << 18, 1 << 16):
        runner, found = run(cupy, plan, samples, width=1, heap_bytes=heap_bytes)
        fitted = found.statuses != OVERFLOW
        assert all(not fitted[tuple(place)] for place in differences(found, expected))
        batches.append(len(runner.batches))
        unfit.append((~fitted).mean())
        whole = (runner.run(data, slots, halve=False).statuses != OVERFLOW).mean()
        assert whole <= fitted.mean()
    assert batches[0] == 1
    assert batches[1] > 1
    assert unfit[:2] == [0, 0]
    assert whole < fitted.mean()  # more fits in parts than all at once


@WIDTHS
def test_memory_may_run_out_anywhere(cupy, width):
    """What fits is right, and the rest is said not to, wherever the heap is at its end."""
    plan = schedule(compile([*LIBRARY[::40], *(program(k, one) for k, one in enumerate(EXPRESSIONS.values()))]).typed)
    slots, data = list(plan.slots()), pack_samples([SAMPLES[0], *EDGES])
    expected = cpu_values(plan, data, threads=1)
    unfit = []
    for sixteenths in range(12 * 16, 20 * 16 + 1, 8 if width == 1 else 32):
        runner, _ = run(cupy, plan, [SAMPLES[0]], width=width, heap_bytes=int(2 ** (sixteenths / 16)))
        found = runner.run(data, slots, halve=False)
        fitted = found.statuses != OVERFLOW
        assert all(not fitted[tuple(place)] for place in differences(found, expected))
        unfit.append((~fitted).mean())
    assert unfit[0] == 1
    assert unfit[-1] == 0
    assert len(set(unfit)) > 3


def test_items_beyond_the_budget_are_not_made(cupy):
    """A million pairs, of which the first few are more steps than allowed."""
    text = "prapply(combine, asindices(canvas(ZERO, astuple(THIRTY, THIRTY))), asindices(canvas(ZERO, (40, 40))))"
    text = text.replace("astuple(THIRTY, THIRTY)", "(30, 30)")
    plan = schedule(compile([program(0, f"equality({text}, I)")]).typed)
    runner, _ = check(cupy, plan, SAMPLES[:1], width=1, max_steps=20_000, heap_bytes=1 << 24)
    assert runner.plan is not None
    assert max(runner.plan.counts()) < 20_000


def test_a_runner_runs_again_on_other_samples(cupy):
    plan = schedule(compile([program(number, one) for number, one in enumerate(EXPRESSIONS.values())]).typed)
    runner, _ = run(cupy, plan, [*SAMPLES, *EDGES], width=1)
    found = runner.run(pack_samples(SAMPLES[1:4]), list(plan.slots()))
    assert not len(differences(found, cpu_values(plan, pack_samples(SAMPLES[1:4]), threads=1)))


def test_launches_are_as_large_as_runs_were(cupy):
    """They are right in any size, and blocks come back with the first call that is left to them."""
    plan = schedule(compile([program(number, one) for number, one in enumerate(EXPRESSIONS.values())]).typed)
    runner, _ = run(cupy, plan, EDGES[:1], width=LANES, giant_items=3)

    def sizes():
        assert runner.plan is not None
        return [(launch.own.blocks, launch.giants.blocks if launch.giants else 0) for launch in runner.plan.launches]

    few = sizes()
    for samples in ([*SAMPLES, *EDGES], [*SAMPLES, *EDGES], EDGES[:2]):
        found = runner.run(pack_samples(samples), list(plan.slots()))
        assert not len(differences(found, cpu_values(plan, pack_samples(samples), threads=1)))
    many = sizes()
    assert sum(blocks for _, blocks in few) < sum(blocks for _, blocks in many)
    assert any(not blocks for _, blocks in many)


SETS_OF_SETS = (
    "prapply(connect, asindices(I), asindices(I))",
    "order(prapply(connect, asindices(I), asindices(I)), size)",
    "apply(compose(lbind(insert, ORIGIN), neighbors), asindices(I))",
    "prapply(combine, apply(dneighbors, asindices(I)), apply(initset, asindices(I)))",
)


@pytest.mark.parametrize("giant_items", [0, 1 << 30], ids=["by blocks", "by warps"])
def test_many_sets_in_order(cupy, giant_items):
    """Thousands of sets, many of them equal, or equal in their first keys."""
    plan = schedule(compile([program(number, one) for number, one in enumerate(SETS_OF_SETS)]).typed)
    check(cupy, plan, EDGES, width=LANES, giant_items=giant_items)
