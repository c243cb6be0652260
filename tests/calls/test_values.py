"""Values of any type go to the engine and come back as they were, to the last bit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcbatt import dsl
from arcbatt.calls.many import call_graph, call_many
from arcbatt.calls.values import common_types, type_of, with_items
from arcbatt.engine.calls import CallEngine
from arcbatt.language.encoding import same
from arcbatt.language.failures import Failed
from arcbatt.language.reference import primitive
from arcbatt.language.spec import Kind
from arcbatt.language.table import STANDARD
from arcbatt.language.types import BOOL, CELL, GRID, IJ, INT, NEVER, OPT_INT, Seq, Set, Tup
from strategies import values

SCALARS = st.sampled_from([INT, BOOL, OPT_INT, IJ, CELL, GRID, Tup((BOOL, INT)), Tup((INT, Tup((BOOL, BOOL))))])
TYPES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        inner.map(Set), inner.map(Seq), st.tuples(inner, inner).map(Tup), st.tuples(inner, inner, inner).map(Tup)
    ),
    max_leaves=4,
)


@given(TYPES, st.data())
def test_there_and_back(kind, data):
    given_values = data.draw(st.lists(values(kind), min_size=1, max_size=4))
    engine = CallEngine(call_graph(primitive("identity"), (None,), (kind,)), threads=1)
    if engine.problem is not None:
        return
    called = engine.run([(value,) for value in given_values])
    for place, value in enumerate(given_values):
        if place not in called.misfits:
            assert same(called.values[place], value)
            answer = engine.call((value,))
            assert answer is NotImplemented or same(answer, value)


@given(st.data())
def test_any_primitive_of_values_of_its_types(data):
    name = data.draw(st.sampled_from([name for name, spec in STANDARD.ops.items() if spec.kind is Kind.PLAIN]))
    rule = data.draw(st.sampled_from(STANDARD.ops[name].rules))
    rows = data.draw(st.lists(st.tuples(*map(values, rule.params)), min_size=1, max_size=4))
    for row, value in zip(rows, call_many(name, rows), strict=True):
        wanted = dsl.invoke(primitive(name), *row)
        assert value == wanted if isinstance(wanted, Failed) else same(value, wanted), (name, row)


def test_numbers_to_the_limits():
    low, high = -(2**31), 2**31 - 1
    rows = [(value,) for value in (low, high, 2**31, -(2**31) - 1, 2**70, (low, high), ((high, low), 1))]
    results = call_many("initset", rows)
    for row, value in zip(rows, results, strict=True):
        assert same(value, frozenset(row))


@pytest.mark.parametrize("value", ["text", [1], {1}, 1.5, (1, [2]), frozenset({"a"}), {}, object])
def test_what_is_no_value_has_no_type(value):
    assert type_of(value) is None
    assert common_types([(value,)]) is None


def test_types_of_many():
    assert common_types([(1, (1, 2)), (2, (1, 2, 3))]) == (INT, Seq(INT))
    assert common_types([(frozenset(),), (frozenset({(1, 2)}),)]) == (Set(IJ),)
    assert common_types([(1,), ((1, 2),)]) == (INT,)
    assert common_types([]) is None
    assert with_items(Set(Seq(NEVER)), CELL) == Set(Seq(CELL))
    assert with_items(Tup((GRID, Set(NEVER))), INT) == Tup((GRID, Set(INT)))
