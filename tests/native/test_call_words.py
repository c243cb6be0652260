"""Programs of arguments: what is checked before they run, and the same on emulated lanes."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

from arcbatt import _core
from arcbatt.calls.many import call_graph
from arcbatt.compiler.abi import TYPE_DESC, TYPED_SLOT, VERSION
from arcbatt.compiler.lower.lower import lower
from arcbatt.compiler.lower.shapes import typed_shape
from arcbatt.compiler.pipeline import compile_graph
from arcbatt.engine.calls import CallEngine
from arcbatt.language.reference import primitive
from arcbatt.language.types import GRID, OBJECT, parse_type

A = ((1, 0, 2), (0, 0, 2))


def loaded(change=lambda arguments: arguments, name="colorfilter", types=("{Object}", "Int")):
    graph = call_graph(primitive(name), (None,) * len(types), tuple(map(parse_type, types)))
    code = lower(compile_graph(graph).graph)
    (output,) = code.outputs.values()
    arguments = [word for one, kind in graph.declared.items() for word in (code.inputs[one], code.types.number(kind))]
    program = _core.program(
        version=VERSION,
        code=np.array(code.words, np.uint32),
        types=TYPE_DESC.rows(code.types.rows),
        parts=np.array(code.types.parts, np.uint32),
        image=np.array(code.image, np.uint32),
        outputs=TYPED_SLOT.rows([(output[0], code.types.number(output[1]))]),
        inputs=(0, 0, 0),
        arguments=np.array(change(arguments), np.uint32),
    )
    return program, [typed_shape(kind) for kind in graph.declared.values()], [typed_shape(output[1])]


def calls_of(program, given, made):
    limits = _core.Limits(words=1 << 16, most_words=1 << 20, max_steps=10**6)
    return _core.Calls(program, given=given, made=made, limits=limits)


def test_a_sound_program_is_called():
    calls = calls_of(*loaded())
    assert calls.one((frozenset(), 3)) == frozenset()
    statuses, values = calls.many([(frozenset(), 3), (5, 3)], 1, lambda done: False)
    assert (statuses, values) == (bytes([0, 255]), [frozenset(), None])


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda words: [100_000, *words[1:]], "an argument outside the slots"),
        (lambda words: [words[0], 99, *words[2:]], "an argument outside the slots"),
        (lambda words: [*words, *words[:2]], "an argument outside the slots"),
        (lambda words: [words[0], words[3], *words[2:]], "outside the slots"),
    ],
)
def test_arguments_are_checked_when_a_program_is_loaded(change, problem):
    with pytest.raises(ValueError, match=problem):
        loaded(change)


@pytest.mark.parametrize(
    "shapes",
    [[], ["{Object}"], ["{Object}", "Int", "Int"], ["{Indices}", "Int"], ["Object", "Int"], ["{Object}", "Grid"]],
)
def test_shapes_must_be_those_of_the_types(shapes):
    program, _, made = loaded()
    with pytest.raises(ValueError, match="shapes that are not"):
        calls_of(program, [typed_shape(parse_type(one)) for one in shapes], made)


def test_cut_shapes_are_refused():
    program, given, made = loaded()
    for cut in range(len(given[0])):
        with pytest.raises(ValueError, match="shapes that are not"):
            calls_of(program, [given[0][:cut], given[1]], made)


@pytest.mark.parametrize("lanes", ["_core", "_core_lanes"])
def test_a_small_arena_grows(lanes):
    graph = call_graph(primitive("upscale"), (None, None), (GRID, parse_type("Int")))
    engine = CallEngine(graph, core=importlib.import_module(f"arcbatt.{lanes}"), arena_bytes=1, threads=2)
    called = engine.run([(A, 60), (A, 2), (A, 2000)])
    assert len(called.values[0]) == 120
    assert called.ran == {"cpu": 3}
    assert engine.call((A, 60)) == called.values[0]


def test_an_arena_that_may_not_grow_leaves_it_to_the_reference():
    graph = call_graph(primitive("asobject"), (None,), (GRID,))
    engine = CallEngine(graph, arena_bytes=1, most_bytes=1)
    big = (tuple([1] * 250),) * 250
    called = engine.run([(big,), (A,)])
    assert called.ran == {"cpu": 1, "dynamic: overflow": 1}
    assert len(called.values[0]) == 62_500
    assert called.values[1] == frozenset((cell, (i, j)) for i, row in enumerate(A) for j, cell in enumerate(row))
    assert engine.result_type == OBJECT
