"""What the table says must be true: every fact in it is tried on values drawn from its own types."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcbatt.language.constants import CONSTANTS
from arcbatt.language.failures import Fail, Reason
from arcbatt.language.reference import call
from arcbatt.language.spec import Fact, Kind, Over
from arcbatt.language.table import STANDARD
from arcbatt.language.types import BOOL, GRID, Fn
from strategies import grids, values

ROOT = Path(__file__).parents[2]
PLAIN = [spec for spec in STANDARD.ops.values() if spec.kind is Kind.PLAIN]


def attempt(name, *args):
    try:
        return call(name, *args)
    except Fail as fail:
        return fail.reason


def test_sizes():
    assert len(STANDARD.ops) == 212
    assert len(CONSTANTS) == 57
    additions = {"o_g", "p_g", "get_nth_f", "get_nth_t", "dedupe", "difference_tuple", "fold", "iterate"}
    assert additions <= STANDARD.ops.keys()


@pytest.mark.parametrize("spec", STANDARD.ops.values(), ids=STANDARD.ops)
def test_every_primitive_is_complete(spec, data):
    assert callable(spec.reference)
    assert spec.doc.endswith(".")
    assert "\n" not in spec.doc
    assert spec.params
    assert spec.rules or spec.kind is Kind.COMBINATOR
    for rule in spec.rules:
        assert len(rule.params) == spec.arity
    vectors = (data / "vectors.jsonl").read_text()
    assert f"{spec.name}(" in vectors or f"{spec.name}," in vectors or f", {spec.name})" in vectors


def test_kinds_follow_the_reference():
    for spec in STANDARD.ops.values():
        first = next(iter(inspect.signature(spec.reference).parameters))
        assert (spec.kind is Kind.LOOP) == (first == "call") == (spec.loop is not None)
        assert any(isinstance(param, Fn) for rule in spec.rules for param in rule.params) == (
            spec.loop is not None and spec.loop.over is not Over.FUNCTIONS
        )


@pytest.mark.parametrize("spec", [s for s in PLAIN if Fact.COMMUTATIVE in s.facts], ids=lambda s: s.name)
@given(draw=st.data())
def test_commutative(spec, draw):
    rule = draw.draw(st.sampled_from(spec.rules))
    a, b = (draw.draw(values(param)) for param in rule.params)
    assert attempt(spec.name, a, b) == attempt(spec.name, b, a)


@pytest.mark.parametrize("spec", [s for s in PLAIN if Fact.INVOLUTION in s.facts], ids=lambda s: s.name)
@given(draw=st.data())
def test_involution(spec, draw):
    kind = next(rule.params[0] for rule in spec.rules if rule.params[0] in (GRID, BOOL))
    value = draw.draw(grids() if kind == GRID else values(kind))
    assert call(spec.name, call(spec.name, value)) == value


@pytest.mark.parametrize("spec", [s for s in PLAIN if Fact.IDEMPOTENT in s.facts], ids=lambda s: s.name)
@given(draw=st.data())
def test_idempotent(spec, draw):
    rule = draw.draw(st.sampled_from(spec.rules))
    once = attempt(spec.name, draw.draw(values(rule.params[0])))
    if not isinstance(once, Reason):
        assert attempt(spec.name, once) == once


@pytest.mark.parametrize("spec", [s for s in PLAIN if Fact.KEEPS_GRID in s.facts], ids=lambda s: s.name)
@given(draw=st.data())
def test_keeps_grid(spec, draw):
    rule = next(rule for rule in spec.rules if rule.result == GRID)
    result = attempt(spec.name, *(draw.draw(values(param)) for param in rule.params))
    assert isinstance(result, Reason) or (result and result[0] and len(set(map(len, result))) == 1)


@pytest.mark.parametrize("spec", [s for s in PLAIN if Fact.TURN_INVARIANT in s.facts], ids=lambda s: s.name)
@given(
    grid=grids(), colour=st.integers(0, 9), turn=st.sampled_from(["rot90", "rot180", "rot270", "hmirror", "dmirror"])
)
def test_turn_invariant(spec, grid, colour, turn):
    rest = (colour,) * (spec.arity - 1)
    assert call(spec.name, call(turn, grid), *rest) == call(spec.name, grid, *rest)


@pytest.mark.parametrize("spec", PLAIN, ids=lambda s: s.name)
@settings(max_examples=40)
@given(draw=st.data())
def test_fails_only_as_declared(spec, draw):
    rule = draw.draw(st.sampled_from(spec.rules))
    result = attempt(spec.name, *(draw.draw(values(param)) for param in rule.params))
    assert not isinstance(result, Reason) or result in spec.fails


def test_docs_are_fresh():
    subprocess.run([sys.executable, "tools/generate_docs.py", "--check"], cwd=ROOT, check=True)
