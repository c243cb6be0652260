"""The primitives on images against the reference, on arguments that fit: one lane, emulated lanes, the dynamic tier."""

from __future__ import annotations

import pytest

from arcbatt import _core
from arcbatt.compiler.graph import Graph
from arcbatt.compiler.lower.variants import VARIANTS
from arcbatt.engine.dynamic import DynamicGraph
from arcbatt.language.failures import Failed
from arcbatt.language.table import STANDARD
from arcbatt.language.types import INT
from emulated import _core_lanes
from native.image_arguments import ARGUMENTS, NAMES, arguments
from native.test_variants import STATUS, attempt
from native.words import decode, encode

COUNT = 120


def test_every_primitive_on_images_has_its_arguments():
    assert ARGUMENTS.keys() == set(NAMES)


def number_for(name, args):
    """Which variant takes the arguments: of several, that for the kind of container."""
    numbers = [number for number, variant in enumerate(VARIANTS) if variant.name == name]
    return numbers[isinstance(args[-1], tuple)] if len(numbers) > 1 else numbers[0]


@pytest.mark.parametrize("core", [_core, _core_lanes], ids=["one lane", "emulated lanes"])
@pytest.mark.parametrize("name", NAMES)
def test_native_functions(name, core):
    values = 0
    for seed in range(COUNT if core is _core else COUNT // 4):
        args = arguments(name, seed)
        number = number_for(name, args)
        rule, arena = VARIANTS[number].rule, []
        words = [encode(kind, arg, arena) for kind, arg in zip(rule.params, args, strict=True)]
        before = list(arena)
        status, result, after = core.call_variant(number, arena, len(arena) + 300_000, words)
        assert after[: len(before)] == before, "an argument was changed"
        want, reason = attempt(name, list(args))
        assert STATUS[status] == reason, args
        assert reason != "ok" or decode(rule.result, result, after) == want, args
        values += reason == "ok"
        short, result, after = core.call_variant(number, before, len(before) + 40, words)
        assert STATUS[short] in ("overflow", reason)
        assert STATUS[short] != "ok" or decode(rule.result, result, after) == want
    assert values >= COUNT // 4 // 4


@pytest.mark.parametrize("name", NAMES)
def test_the_dynamic_tier(name):
    rows = [arguments(name, seed) for seed in range(COUNT)]
    graph = Graph(merge_commutative=False)
    node = graph.add(name, tuple(graph.declare(f"x{k}", INT) for k in range(STANDARD.op(name).arity)))
    inputs = [{f"x{k}": value for k, value in enumerate(row)} for row in rows]
    for row, found in zip(rows, DynamicGraph(graph, threads=1).evaluate(inputs, [node], 10**8), strict=True):
        want, reason = attempt(name, list(row))
        outcome = found.outcomes[0]
        assert (outcome.reason.value if isinstance(outcome, Failed) else "ok") == reason
        assert reason != "ok" or outcome == want
