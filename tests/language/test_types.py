from __future__ import annotations

import pytest

from arcbatt.language.table import STANDARD
from arcbatt.language.types import (
    BOOL,
    GRID,
    IJ,
    INT,
    OBJECT,
    OPT_INT,
    ROWS,
    Closure,
    Seq,
    Set,
    Tup,
    join,
    match,
    parse_rules,
    parse_type,
)


@pytest.mark.parametrize(
    "text", ["Int", "Grid", "{Int}", "[Grid]", "(Int, Bool)", "Object", "{Object}", "(a, b -> {c})", "Int?"]
)
def test_text_round_trip(text):
    assert str(parse_type(text)) == text


def test_rules_spell_out_classes_and_kinds():
    assert [str(rule) for rule in parse_rules("Num -> Num")] == ["Int -> Int", "IJ -> IJ"]
    assert [str(rule) for rule in parse_rules("<a>, ~a -> <a>")] == [
        "{a}, {a} -> {a}", "{a}, [a] -> {a}", "[a], {a} -> [a]", "[a], [a] -> [a]"
    ]  # fmt: skip
    assert len(parse_rules("Patch1, Patch2 -> Bool")) == 4


def test_bad_rule_is_refused():
    with pytest.raises(ValueError, match="expected"):
        parse_rules("{Int -> Int")


def test_join():
    assert join(INT, BOOL) == INT
    assert join(BOOL, OPT_INT) == OPT_INT
    assert join(GRID, ROWS) == ROWS
    assert join(IJ, Seq(INT)) == Seq(INT)
    assert join(GRID, INT) is None
    assert join(Set(INT), Seq(INT)) is None


def test_match_is_loose_unless_exact():
    assert match(GRID, ROWS, {})
    assert not match(GRID, ROWS, {}, exact=True)
    assert match(OBJECT, Seq(parse_type("Cell")), {})
    assert not match(OBJECT, Seq(parse_type("Cell")), {}, exact=True)
    assert match(IJ, Seq(INT), {})
    assert not match(parse_type("Indices"), GRID, {})


def test_variables_join():
    bound: dict = {}
    rule = STANDARD.ops["branch"].rules[0]
    assert all(match(p, t, bound) for p, t in zip(rule.params, (BOOL, BOOL, INT), strict=True))
    assert bound["a"] == INT


def test_keys_need_an_order():
    functions = Closure(frozenset((1, 2)))
    for kind in (functions, Set(functions), Seq(functions), Tup((INT, Set(functions)))):
        assert not match(parse_type("Key"), kind, {})
    for kind in (IJ, OBJECT, GRID, Set(OBJECT), Tup((INT, OBJECT)), Seq(GRID)):
        assert match(parse_type("Key"), kind, {})
