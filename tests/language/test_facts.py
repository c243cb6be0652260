"""What entries say of generic primitives, loops, combinators and odd arguments is what the reference does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcbatt.language.failures import Fail, Reason
from arcbatt.language.functions import Function
from arcbatt.language.reference import Machine, call, primitive
from arcbatt.language.spec import Does, Fact, Gives, Kind, Over
from arcbatt.language.table import STANDARD
from strategies import grids

ITEMS = (4, 1, 3, 1)
SETS = (frozenset({1, 2}), frozenset({2}))
MEANINGS = {
    Does.SAME: [((ITEMS,), ITEMS)],
    Does.PAIR: [((1, ITEMS), (1, ITEMS))],
    Does.CHOOSE: [((True, 1, 2), 1), ((False, 1, 2), 2)],
    Does.COMPARE: [((1, 1), True), ((1, ITEMS), False)],
    Does.SIZE: [((ITEMS,), 4), (((5, (1, 2)),), 2)],
    Does.SINGLE: [((7,), frozenset({7}))],
    Does.INSERT: [((7, SETS[0]), frozenset({1, 2, 7}))],
    Does.JOIN: [((ITEMS, (9,)), (*ITEMS, 9)), (SETS, SETS[0])],
    Does.MERGE: [((SETS,), (1, 2, 2))],
    Does.TUPLE: [((SETS[0],), (1, 2))],
    Does.PRODUCT: [(((1,), (2, 3)), frozenset({(1, 2), (1, 3)}))],
}
"""Of what compilation itself makes use of, arguments and results."""


def attempt(name, *args):
    try:
        return call(name, *args)
    except Fail as fail:
        return fail.reason


@pytest.mark.parametrize("does", MEANINGS, ids=lambda does: does.name)
def test_what_generic_primitives_do(does):
    named = [spec.name for spec in STANDARD.ops.values() if spec.does is does]
    assert named
    for name in named:
        for args, result in MEANINGS[does]:
            assert call(name, *args) == result, name


def test_places_of_items_and_containers():
    for spec in STANDARD.ops.values():
        if spec.does is Does.NTH and spec.generic.place is not None:
            assert call(spec.name, ITEMS) == ITEMS[spec.generic.place]
        elif spec.does is Does.NTH:
            assert [call(spec.name, ITEMS, at) for at in (0, 2, -1)] == [4, 3, 1]
        elif spec.does is Does.SEARCH:
            args = (ITEMS, 4) if spec.generic.place == 0 else (4, ITEMS)
            assert call(spec.name, *args) in (True, 1, (1, 3, 1))
        else:
            assert spec.generic is None or spec.generic.place is None


def test_only_plain_primitives_are_generic():
    assert {spec.kind for spec in STANDARD.ops.values() if spec.generic} == {Kind.PLAIN}


def run_loop(spec, container, function):
    """A loop over one container by a Python function, and the items that was called with."""
    seen = []

    def body(_, item):
        seen.append(item)
        return function(item)

    args = [container]
    args.insert(spec.function_place, "any")
    try:
        return Machine().primitive(spec, tuple(args), body), seen
    except Fail as fail:
        return fail.reason, seen


@pytest.mark.parametrize(
    "spec",
    [s for s in STANDARD.ops.values() if s.loop and s.loop.over is Over.ITEMS and s.loop.gives is not Gives.STATE],
    ids=lambda s: s.name,
)
def test_loops_over_items(spec):
    loop = spec.loop
    found, seen = run_loop(
        spec, ((4,), (1,), (3,)), lambda item: item if loop.gives is Gives.CONTAINER else item[0] < 4
    )
    assert seen == ([(4,), (1,)] if loop.stops else [(4,), (1,), (3,)])
    assert loop.maps == (found == (False, True, True))
    assert (loop.gives is Gives.CONTAINER) == (found == (4, 1, 3))
    of_nothing, seen = run_loop(spec, (), lambda item: item)
    assert seen == ([0] if loop.zero else [])
    assert (of_nothing is Reason.EMPTY) == ((loop.best and not loop.zero) or loop.stops)


def test_loops_over_two_containers_and_over_functions():
    for spec in STANDARD.ops.values():
        if spec.loop and spec.loop.over not in (Over.ITEMS, Over.STATES):
            seen = []
            pairs = {
                Over.IN_STEP: ("f", (1, 2, 3), (4, 5)),
                Over.PRODUCT: ("f", (1, 2), (4, 5)),
                Over.FUNCTIONS: (("f", "g"), 1),
            }
            Machine().primitive(spec, pairs[spec.loop.over], lambda *given, seen=seen: seen.append(given) or (0,))
            wanted = {
                Over.IN_STEP: [("f", 1, 4), ("f", 2, 5)],
                Over.PRODUCT: [("f", 1, 4), ("f", 1, 5), ("f", 2, 4), ("f", 2, 5)],
                Over.FUNCTIONS: [("f", 1), ("g", 1)],
            }
            assert seen == wanted[spec.loop.over], spec.name


@pytest.mark.parametrize("spec", [s for s in STANDARD.ops.values() if s.combinator], ids=lambda s: s.name)
def test_combinators(spec):
    made = spec.combinator
    function = primitive("add") if made.binds else primitive("increment")
    parts = [*[function] * made.functions, *[2] * (spec.arity - made.functions)]
    if spec.name == "fork":
        parts[0] = primitive("add")
    result = call(spec.name, *parts)
    assert isinstance(result, Function)
    assert result.arity == 1
    functions = [part for part in parts if isinstance(part, Function)]
    assert result.calls == sum(part.calls for part in functions) + made.calls
    assert made.invoke(Machine().call, result.parts, (5,)) == Machine().call(result, 5)


@given(grid=grids())
def test_turns_are_closed(grid):
    turns = STANDARD.names_with(Fact.TURN)
    assert len(turns) == 7
    ways = {grid, *(call(name, grid) for name in turns)}
    assert {call(name, way) for name in turns for way in ways} <= ways


@given(a=st.integers(-99, 99), b=st.integers(-99, 99))
def test_signs_and_products(a, b):
    assert {call(name, a) for name in STANDARD.names_with(Fact.SIGN)} == {(a > 0) - (a < 0)}
    assert {call(name, a, b) for name in STANDARD.names_with(Fact.TIMES)} == {a * b}


def test_odd_arguments():
    cells = ((3, (0, 0)), (5, (0, 0)))
    for name in STANDARD.names_with(Fact.CELLS_IN_ORDER):
        assert call(name, ((0,),), cells) != call(name, ((0,),), cells[::-1]), name
    for name in STANDARD.names_with(Fact.FIRST_CELL):
        assert (call(name, cells), call(name, cells[::-1])) == (3, 5)
    for name in STANDARD.names_with(Fact.ANY_COLOUR):
        assert call(name, ((1, 2),), (1, 2)) == 0
    late, after_grid = STANDARD.names_with(Fact.IJ_LATE), STANDARD.names_with(Fact.IJ_AFTER_GRID)
    assert after_grid <= late
    for name in after_grid:
        assert (attempt(name, (), ()), attempt(name, ((1,),), ())) == (Reason.EMPTY, Reason.TYPE)


def test_modes_of_objects():
    grid = ((1, 1, 0), (2, 0, 1), (0, 1, 2))
    finders = [spec for spec in STANDARD.ops.values() if spec.object_mode]
    assert len(finders) == 2
    for mode in range(8):
        (one,) = (spec for spec in finders if spec.object_mode == (1,))
        (three,) = (spec for spec in finders if spec.object_mode == (4, 2, 1))
        flags = [bool(mode & counts) for counts in three.object_mode]
        assert call(one.name, grid, mode) == call(three.name, grid, *flags)


def test_loops_that_carry_a_state():
    seen = []
    found = {}
    for spec in STANDARD.ops.values():
        if spec.loop and spec.loop.gives is Gives.STATE:
            args = ((4, 5), 1, "f") if spec.loop.over is Over.ITEMS else ("f", "g", 1)

            def call(function, given):
                seen.append((function, given))
                return given < 3 if function == "g" else (given[0] if isinstance(given, tuple) else given) + 1

            found[spec.loop.over] = Machine().primitive(spec, args, call)
    assert found == {Over.ITEMS: 3, Over.STATES: 3}
    assert seen == [("f", (1, 4)), ("f", (2, 5)), ("g", 1), ("f", 1), ("g", 2), ("f", 2), ("g", 3)]
