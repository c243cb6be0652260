"""Programs of primitives on images, as search writes them: compiled whole, with the reference's values and steps."""

from __future__ import annotations

import pytest

from arcbatt import _core
from arcbatt.devtools.generate import mutants
from arcbatt.engine.cpu import CpuEngine
from arcbatt.language.reference import Machine, evaluate
from arcbatt.language.sample import Sample
from arcbatt.syntax.api import parse
from emulated import _core_lanes

PROGRAMS = """
def solve_completed_part(I): return subgrid(ofcolor(I, ZERO), mirrorfill(I, ZERO, R6))
def solve_periodic(I): return periodfill(I, ZERO, gridperiod(I, ZERO))
def solve_both_ways(I): return smear(smear(I, ZERO, LEFT), ZERO, RIGHT)
def solve_unblocked(I): return look(colormask(I, TWO), ZERO, UP)
def solve_macro(I):
    x1 = panes(I, FIVE)
    return torows(apply(mostcolor, x1), last(panecount(I, FIVE)))
def solve_spread(I):
    x1 = panes(I, FIVE)
    return panefill(I, FIVE, apply(rbind(colorcount, ONE), x1))
def solve_each_pane(I):
    x1 = panes(I, FIVE)
    return panepaint(I, FIVE, apply(vmirror, x1))
def solve_overlay_of_turns(I): return overlay(combine(astuple(I, rot180(I)), repeat(vmirror(I), ONE)), ZERO)
def solve_sizes_by_rank(I):
    x1 = objects(I, T, F, T)
    x2 = apply(size, x1)
    x3 = fork(recolor, compose(rbind(rankof, x2), size), identity)
    return paint(canvas(NEG_ONE, shape(I)), mapply(x3, x1))
def solve_filled(I): return fill(I, FOUR, enclosed(I, ZERO, F))
def solve_checks(I): return wrap(ramp(shape(I), UNITY), TWO)
def solve_layers(I): return cellmin(cellmin(inset(I, T, UP), inset(I, T, DOWN)), cellmin(inset(I, T, LEFT), inset(I, T, RIGHT)))
def solve_in_every_direction(I): return apply(lbind(lbind(smear, I), ZERO), neighbors(ORIGIN))
def solve_every_colour(I): return apply(lbind(colormask, I), palette(I))
def solve_colours_renamed(I): return decode(encode(I, colororder(I)), (9, 8, 7, 6, 5, 4, 3, 2, 1, 0))
def solve_rule(I):
    x1 = torows((0, 0, 7, 1, 0, -1, 2, 0, -1, 3, 0, 8, 5, 0, -1, 0, 1, 4, 1, 1, -2, 2, 1, 6, 3, 1, 6, 5, 1, 5), 3)
    return decide(x1, I, colormask(vmirror(I), ONE), I)
def solve_far(I): return window(I, (2147483647, -2147483648), THREE_BY_THREE, ONE)
def solve_no_rule(I): return decide(torows((0, 1), TWO), I, I, I)
def solve_none_as_a_colour(I): return colormask(I, index(I, (99, 99)))
def solve_large(I): return tilegrid(I, (300, 300))
def solve_object_for_a_grid(I): return colormask(asobject(I), ONE)
def solve_tuple_of_rows(I): return cellfall(apply(identity, I), ZERO, DOWN)
def solve_remainders(I): return apply(rbind(modulo, THREE), (7, -7, 9))
"""  # noqa: E501
GRIDS = [
    ((1, 0, 5, 2, 0), (0, 1, 5, 0, 2), (5, 5, 5, 5, 5), (0, 0, 5, 3, 3), (1, 0, 5, 3, 0)),
    ((1, 2, 2, 1), (3, 0, 0, 3), (3, 2, 2, 3), (1, 2, 2, 1)),
    ((0, 1, 1, 1), (0, 1, 0, 1), (2, 1, 1, 1)),
    ((0,),),
]


@pytest.mark.parametrize("core", [_core, _core_lanes], ids=["one lane", "emulated lanes"])
def test_programs(core):
    programs = parse(PROGRAMS)
    engine = CpuEngine.of(programs, threads=1, core=core)
    assert not engine.code.rejected
    for grid in GRIDS:
        found = engine.values(Sample(grid))
        for program in programs:
            assert found[program.name] == evaluate(program, Sample(grid)), program


@pytest.mark.parametrize("seed", range(3))
def test_mutants(seed):
    programs = list(mutants(parse(PROGRAMS), 120, seed))
    engine = CpuEngine.of(programs, threads=1)
    for grid in GRIDS[:2]:
        found = engine.values(Sample(grid), max_steps=1_000_000)
        for program in programs:
            assert found[program.name] == evaluate(program, Sample(grid), Machine(1_000_000)), program
