"""Keys of every type that has an order, on the typed tier beside the reference."""

from __future__ import annotations

import pytest

from arcbatt import _core
from arcbatt.engine.cpu import CpuEngine
from arcbatt.language.reference import evaluate
from arcbatt.language.sample import Sample
from arcbatt.syntax import parse_text
from compiler.support import random_sample
from emulated import _core_lanes

OBJECTS = ("o_g(I, R5)", "partition(I)", "totuple(o_g(I, R7))", "remove(first(partition(I)), partition(I))")
BY = ("order", "argmax", "argmin", "valmax", "valmin")
KEYS = {
    "sets of numbers": "palette",
    "sets of places": "chain(toindices, normalize, identity)",
    "sets of cells": "normalize",
    "sets of one": "compose(initset, size)",
    "sets of sets": "compose(initset, toindices)",
    "sets of tuples": "compose(initset, fork(astuple, shape, palette))",
    "tuples of sets": "fork(astuple, palette, normalize)",
    "tuples with sets": "fork(astuple, size, palette)",
    "tuples of numbers": "shape",
    "nothing or something": "compose(rbind(remove, palette(I)), size)",
    "grids": "rbind(subgrid, I)",
    "tuples of grids": "fork(astuple, height, rbind(subgrid, I))",
    "sets of grids": "compose(initset, rbind(subgrid, I))",
}
SAMPLES = [*map(random_sample, range(12)), Sample(((0,),)), Sample(((1, 1), (1, 1))), Sample(())]


SETS_OF_FUNCTIONS = "chain(initset, rbind(rbind(branch, {}), {}), matcher(size, ONE))"


def engine_of(calls, core):
    text = "\n".join(f"def solve_{k}(I):\n    return {call}\n" for k, call in enumerate(calls))
    programs = parse_text(text).check()
    return programs, CpuEngine.of(programs, threads=1, arena_bytes=1 << 22, core=core)


def agree(programs, engine):
    for sample in SAMPLES:
        want = {program.name: evaluate(program, sample) for program in programs}
        assert engine.values(sample) == want, f"on {sample}"


@pytest.mark.parametrize("core", [_core, _core_lanes], ids=["cpu", "lanes"])
@pytest.mark.parametrize("name", KEYS)
def test_keys(name, core):
    programs, engine = engine_of([f"{by}({container}, {KEYS[name]})" for by in BY for container in OBJECTS], core)
    assert not engine.code.rejected
    agree(programs, engine)
    assert not any("escape" in engine.status_of(sample).values() for sample in SAMPLES)


def test_sets_of_functions_are_in_the_order_of_the_functions():
    pairs = (("vmirror", "hmirror"), ("rot90", "lbind(shift, UNITY)"), ("lbind(fill, I)", "lbind(fill, hmirror(I))"))
    keys = [SETS_OF_FUNCTIONS.format(*pair[::way]) for pair in pairs for way in (1, -1)]
    calls = [f"{by}(o_g(I, R5), {key})" for by in ("order", "argmax", "argmin") for key in keys]
    agree(*engine_of(calls, _core))


@pytest.mark.parametrize("core", [_core, _core_lanes], ids=["cpu", "lanes"])
def test_a_pair_of_a_grid_and_rows_is_a_container_of_either(core):
    rows = "apply(identity, I)"
    over = [
        "argmax({}, size)", "argmin({}, size)", "apply(size, {})", "order({}, chain(invert, size, first))", "first({})",
        "size(merge({}))", "contained(I, {})", "extract({}, chain(positive, size, first))", "mapply(identity, {})",
        "size(dedupe({}))", "totuple({})", "repeat({}, TWO)", "mostcommon({})", "sfilter({}, positive)",
    ]  # fmt: skip
    pairs = (f"astuple(I, {rows})", f"astuple({rows}, vmirror(I))", f"astuple(crop(I, ORIGIN, UNITY), {rows})")
    programs, engine = engine_of([call.format(pair) for call in over for pair in pairs], core)
    assert not [reason for reason in engine.code.rejected.values() if "no way" in reason]
    agree(programs, engine)
