"""What the compiler writes, the check on load takes: no program is refused there."""

from __future__ import annotations

import pytest

from arcbatt.engine.cpu import CpuEngine
from arcbatt.language.sample import Sample
from arcbatt.syntax import parse_expression
from compiler.support import random_programs
from engine.test_cpu import CORES, agree

SAMPLE = Sample(((1, 2, 3), (3, 4, 3), (0, 3, 8)))

# sign(x) * x of numbers and of pairs: what is walked, x by its item, and a number by that.
SIGNED = [
    *(("asindices(I)", of, "identity") for of in ("first", "last")),
    *(("asobject(I)", of, "identity") for of in ("first",)),
    *(("asobject(I)", of, "maximum") for of in ("last", "compose(invert, last)")),
    *(("palette(I)", of, "identity") for of in ("identity", "invert", "rbind(subtract, TWO)")),
    *(("asindices(I)", of, "maximum") for of in ("identity", "invert", "rbind(subtract, TWO_BY_TWO)")),
    *(("ofcolor(I, THREE)", of, "minimum") for of in ("identity", "rbind(multiply, NEG_TWO)")),
]
SIGNED_LOOPS = [
    "apply({f}, {xs})",
    "sfilter({xs}, chain(positive, {size}, {f}))",
    "argmax({xs}, compose({size}, {f}))",
    "order({xs}, compose({size}, {f}))",
    "extract({xs}, chain(positive, {size}, {f}))",
]

# Values that are never there, where containers of each kind are expected.
NEVER_THERE = [
    "asindices(vmirror(ONE))",
    "asobject(rot90(UNITY))",
    "palette(trim(TWO))",
    "objects(vmirror(ONE), T, F, T)",
]
LOOPS_OVER_NOTHING = [
    "sfilter({xs}, compose(even, {size}))",
    "apply({size}, {xs})",
    "mapply(lbind(repeat, ONE), apply({size}, {xs}))",
    "mfilter(apply(initset, {xs}), compose(even, size))",
    "extract({xs}, compose(even, {size}))",
    "argmin({xs}, {size})",
    "valmax({xs}, {size})",
    "order({xs}, {size})",
    "papply(astuple, totuple({xs}), totuple({xs}))",
    "prapply(astuple, {xs}, {xs})",
    "first({xs})",
    "merge(initset({xs}))",
    "combine({xs}, {xs})",
    "power(rbind(sfilter, compose(even, {size})), height(I))({xs})",
    "branch(T, {xs}, {xs})",
    "{xs}",
]


@CORES
@pytest.mark.parametrize("loop", SIGNED_LOOPS)
@pytest.mark.parametrize(("xs", "of", "number"), SIGNED)
def test_a_sign_times_its_number(core, xs, of, number, loop):
    absolute = f"compose(fork(multiply, sign, identity), {of})"
    assert agree([parse_expression(loop.format(f=absolute, xs=xs, size=number))], SAMPLE, core) == 1


@CORES
@pytest.mark.parametrize("loop", LOOPS_OVER_NOTHING)
@pytest.mark.parametrize("xs", NEVER_THERE)
def test_loops_over_what_is_never_there(core, xs, loop):
    size = "identity" if xs.startswith("palette") else "size" if xs.startswith("objects") else "first"
    agree([parse_expression(loop.format(xs=xs, size=size))], SAMPLE, core)


@pytest.mark.parametrize("seed", range(40))
def test_mutants_are_loaded(seed):
    CpuEngine.of(random_programs(f"loaded {seed}", 10), threads=1)
