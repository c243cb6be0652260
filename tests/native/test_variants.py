"""Every native function against the reference, on values drawn from its own types, with one lane and with many."""

from __future__ import annotations

import random
from typing import Any

import pytest

from arcbatt import _core
from arcbatt.compiler.lower.variants import FUNCTIONS, VARIANTS
from arcbatt.language.failures import Fail
from arcbatt.language.reference import call
from arcbatt.language.types import BOOL, CELL, GRID, IJ, INDICES, INT, OBJECT, OPT_INT, Set, Type
from emulated import _core_lanes
from native.words import NoFormError, decode, encode

CORES = {"one lane": _core, "emulated lanes": _core_lanes}
STATUS = ["ok", "overflow", "escape", "limit", "type", "empty", "bounds", "zero-division", "void"]
PALETTES = [[0, 0, 0, 1, 2], [0, 1], [0], [3, 0, 0, 0, 0, 0, 5, -1], list(range(10))]


def value(kind: Type, draw: random.Random) -> Any:
    """A random value of a type, odd ones included."""
    if kind == INT:
        wild = draw.choice([100, 1000, -1000, 2**31 - 1, -(2**31)])
        return wild if draw.random() < 0.05 else draw.choice([0, 1, 2, 3, -1, 5, 7, draw.randint(-3, 12)])
    if kind == BOOL:
        return draw.random() < 0.5
    if kind == OPT_INT:
        return draw.choice([None, 0, 3])
    if kind == IJ:
        far = draw.random() < 0.15
        return (value(INT, draw), value(INT, draw)) if far else (draw.randint(-4, 9), draw.randint(-4, 9))
    if kind == CELL:
        return draw.randint(0, 3), (draw.randint(-3, 7), draw.randint(-3, 7))
    if kind == GRID:
        return grid(draw)
    if kind in (OBJECT, INDICES) and draw.random() < 0.6:
        return patch(kind, draw)
    count = draw.choice([0, 1, 2, 5, 12])
    items = [value(kind.item, draw) for _ in range(count)]
    return frozenset(items) if isinstance(kind, Set) else tuple(items)


def grid(draw: random.Random) -> Any:
    if draw.random() < 0.04:
        return ()
    height, width = draw.randint(1, draw.choice([3, 9, 14, 34])), draw.randint(1, draw.choice([3, 9, 14, 70]))
    if draw.random() < 0.03:
        return ((),) * height
    colours = draw.choice(PALETTES)
    rows = [[draw.choice(colours) for _ in range(width)] for _ in range(height)]
    if draw.random() < 0.3:
        tall, wide = min(draw.randint(1, 4), height), min(draw.randint(1, 4), width)
        rows = [[rows[i % tall][j % wide] for j in range(width)] for i in range(height)]
    if draw.random() < 0.2:
        rows[draw.randrange(height)] = [draw.choice(colours)] * width
    return tuple(map(tuple, rows))


def patch(kind: Type, draw: random.Random) -> Any:
    height, width, up, left = draw.randint(1, 9), draw.randint(1, 9), draw.randint(-3, 9), draw.randint(-3, 9)
    density, period = draw.choice([0.3, 0.7, 1]), draw.randint(1, 4)
    colours = draw.choice([[1], [1, 2], [0, 3, 4]])
    table = {(i, j): draw.choice(colours) for i in range(period) for j in range(period)}
    places = [(i, j) for i in range(height) for j in range(width) if draw.random() < density]
    if kind == INDICES:
        return frozenset((i + up, j + left) for i, j in places)
    return frozenset((table[i % period, j % period], (i + up, j + left)) for i, j in places)


def near(args: list[Any], kinds: tuple[Type, ...], draw: random.Random) -> None:
    """Let patches lie on the grid beside them more often than chance would."""
    if kinds.count(GRID) != 1 or draw.random() > 0.6:
        return
    rows = args[kinds.index(GRID)]
    cells = [(cell, (i, j)) for i, row in enumerate(rows) for j, cell in enumerate(row)]
    if not cells:
        return
    _, (up, left) = draw.choice(cells)
    part = [cell for cell in cells if up <= cell[1][0] < up + draw.randint(1, 3) and left <= cell[1][1] < left + 3]
    for at, kind in enumerate(kinds):
        if kind == OBJECT:
            args[at] = frozenset(part)
        elif kind == INDICES:
            args[at] = frozenset(place for _, place in cells if draw.random() < 0.2)


def attempt(name: str, args: list[Any]) -> tuple[Any, str]:
    """The reference's value and "ok", or None and the reason."""
    try:
        return call(name, *args), "ok"
    except Fail as fail:
        return None, fail.reason.value


def test_lanes():
    assert (_core.lanes, _core_lanes.lanes) == (1, 32)


@pytest.mark.parametrize("core", CORES.values(), ids=CORES)
@pytest.mark.parametrize("number", range(len(VARIANTS)), ids=lambda n: f"{VARIANTS[n].name}({VARIANTS[n].rule})")
def test_variant_agrees_with_the_reference(number, core):
    name, rule = VARIANTS[number]
    compared = 0
    for seed in range(60):
        draw = random.Random(f"{name} {rule} {seed}")
        args = [value(kind, draw) for kind in rule.params]
        near(args, rule.params, draw)
        arena: list[int] = []
        try:
            words = [encode(kind, arg, arena) for kind, arg in zip(rule.params, args, strict=True)]
        except NoFormError:
            continue
        before = list(arena)
        status, result, after = core.call_variant(number, arena, len(arena) + 300_000, words)
        assert after[: len(before)] == before, "an argument was changed"
        if STATUS[status] == "escape":
            continue
        compared += 1
        want, reason = attempt(name, args)
        if STATUS[status] == "void":
            assert want == ()
            continue
        assert STATUS[status] == reason, (args, want)
        assert reason != "ok" or decode(rule.result, result, after) == want, args
        # With less room the same call gives the same value or says that it does not fit.
        short, result, after = core.call_variant(number, before, len(before) + 8, words)
        assert STATUS[short] in ("overflow", STATUS[status])
        if STATUS[short] == "ok":
            assert decode(rule.result, result, after) == want
    assert compared >= 8


@pytest.mark.parametrize(
    "number",
    [n for n, v in enumerate(VARIANTS) if IJ in v.rule.params],
    ids=lambda n: f"{VARIANTS[n].name}({VARIANTS[n].rule})",
)
def test_the_empty_tuple_in_place_of_an_ij_fails_where_the_engine_says_so(number):
    name, rule = VARIANTS[number]
    listed = FUNCTIONS[number].empty_tuple == "fails"
    assert listed == (name not in ("index", "move"))
    assert (FUNCTIONS[number].empty_tuple == "after grid") == (name == "index")
    for seed in range(40 if listed else 0):
        draw = random.Random(seed)
        for hole in (at for at, kind in enumerate(rule.params) if kind == IJ):
            args = [() if at == hole else value(kind, draw) for at, kind in enumerate(rule.params)]
            assert attempt(name, args) == (None, "type"), args


def test_index_looks_at_the_grid_before_its_ij():
    assert attempt("index", [((1, 2),), ()]) == (None, "type")
    assert attempt("index", [(), ()]) == (None, "empty")
