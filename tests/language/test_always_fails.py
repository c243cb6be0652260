"""What the table says fails for its types alone does fail, for that reason, whatever the values."""

from __future__ import annotations

import random

import pytest

from arcbatt.language.failures import Fail
from arcbatt.language.functions import Function
from arcbatt.language.reference import Machine
from arcbatt.language.spec import Kind, always_fails
from arcbatt.language.table import STANDARD
from arcbatt.language.types import (
    BOOL,
    CELL,
    GRID,
    IJ,
    INDICES,
    INT,
    OBJECT,
    OBJECTS,
    OPT_INT,
    Closure,
    Seq,
    Set,
    Tup,
)

FUNCTION = Closure(frozenset({1}))
TYPES = (
    INT, BOOL, OPT_INT, GRID, IJ, CELL, INDICES, OBJECT, OBJECTS, FUNCTION, Set(INT), Seq(INT), Seq(IJ), Seq(CELL),
    Seq(GRID), Seq(OBJECT), Set(GRID), Tup((IJ, IJ)), Tup((GRID, INT)), Tup((INT, INDICES)), Tup((INT, INT, INT)),
    Seq(FUNCTION), Set(Set(INT)), Seq(Seq(INT)), Tup((FUNCTION, INT)), Tup((BOOL, INT)),
)  # fmt: skip
PLAIN = [spec for spec in STANDARD.ops.values() if spec.kind is Kind.PLAIN]
DRAWS = 12


def drawn(kind, draw: random.Random):
    """A value of a type; containers may be empty, grids too."""
    if kind == BOOL:
        return draw.random() < 0.5
    if kind == OPT_INT and draw.random() < 0.4:
        return None
    if kind in (INT, OPT_INT):
        return draw.choice((-2, -1, 0, 0, 1, 2, 3, 7, 9))
    if kind == GRID:
        height, width = draw.choice((0, 1, 2, 3)), draw.choice((0, 1, 2, 3))
        return tuple(tuple(draw.randint(0, 3) for _ in range(width)) for _ in range(height))
    if isinstance(kind, Closure):
        return Function("size", (), 1)
    if isinstance(kind, Tup):
        return tuple(drawn(part, draw) for part in kind.parts)
    items = [drawn(kind.item, draw) for _ in range(draw.choice((0, 0, 1, 2, 3)))]
    return frozenset(items) if isinstance(kind, Set) else tuple(items)


def argument_types(spec, draw: random.Random):
    """Types for a call: all of them where there is one argument, else draws."""
    if spec.arity == 1:
        return [(kind,) for kind in TYPES]
    return [tuple(draw.choice(TYPES) for _ in range(spec.arity)) for _ in range(150)]


@pytest.mark.parametrize("spec", PLAIN, ids=lambda spec: spec.name)
def test_it_does(spec):
    draw = random.Random(spec.name)
    for types in argument_types(spec, draw):
        if not always_fails(spec, types):
            continue
        for _ in range(DRAWS):
            values = tuple(drawn(kind, draw) for kind in types)
            with pytest.raises(Fail) as failed:
                Machine().primitive(spec, values, Machine().call)
            assert failed.value.reason == "type", (spec.name, values)


def test_most_wrong_kinds_are_found():
    kinds = [(spec, kind) for spec in PLAIN if spec.arity == 1 for kind in TYPES if spec.call_type((kind,)) is not None]
    found = [(spec, kind) for spec, kind in kinds if always_fails(spec, (kind,))]
    assert len(found) > 500
