"""Objects of inputs that are found before programs run, by emulated lanes."""

from __future__ import annotations

import random

import numpy as np
import pytest

from arcbatt.compiler.graph import merge
from arcbatt.compiler.pipeline import compile_graph
from arcbatt.data.packing import pack_samples
from arcbatt.engine import cpu
from arcbatt.engine.cuda.objects import modes_wanted
from arcbatt.language.sample import Sample
from arcbatt.syntax import parse_text
from engine import fake_cupy

MODES = parse_text("".join(f"def solve_m{m}(I):\n    return o_g(I, R{m})\n\n" for m in range(8))).check()


def grid(draw: random.Random, height: int, width: int, colours: list[int]) -> Sample:
    return Sample(tuple(tuple(draw.choice(colours) for _ in range(width)) for _ in range(height)))


SAMPLES = [
    grid(random.Random(seed), *shape, colours)
    for seed, (shape, colours) in enumerate(
        (shape, colours)
        for shape in ((1, 1), (1, 30), (30, 1), (3, 3), (9, 11), (30, 30), (29, 32))
        for colours in ([0], [0, 0, 1], [0, 0, 0, 1, 2], list(range(10)))
    )
]
ODD = [
    grid(random.Random(1), 31, 30, [0, 0, 3]),
    grid(random.Random(2), 5, 64, [0, 1]),
    grid(random.Random(3), 6, 6, [0, 1, 31, 32]),
    grid(random.Random(4), 6, 6, [0, -1, 5]),
]
"""Beyond the room for labels, and with colours that have none."""


@pytest.fixture
def cuda(monkeypatch):
    return fake_cupy.install(monkeypatch, free=1 << 30)


@pytest.mark.parametrize("samples", [SAMPLES, ODD], ids=["usual", "odd"])
def test_the_same_objects_in_every_mode(cuda, samples):
    engine = cuda.CudaEngine.of(MODES, arena_bytes=1 << 20)
    got = engine.run(samples, "hash", complete=False)
    want = cpu.CpuEngine.of(MODES).run(samples, "hash", complete=False)
    np.testing.assert_array_equal(got.hashes, want.hashes)
    np.testing.assert_array_equal(got.statuses, want.statuses)


def test_they_are_found_once_for_samples_that_stay(cuda):
    engine = cuda.CudaEngine.of(MODES, arena_bytes=1 << 20)
    data = pack_samples(SAMPLES)
    engine.run(data, complete=False)
    known = engine.cuda.known_objects(data)
    assert (known.places.get()[:, data.input] != 0xFFFFFFFF).all()
    engine.run(data, complete=False)
    assert engine.cuda.known_objects(data) is known
    engine.forget_samples()
    assert engine.cuda.known_objects(data) is not known


def test_without_memory_programs_find_them_themselves(cuda, monkeypatch):
    engine = cuda.CudaEngine.of(MODES, arena_bytes=1 << 20)

    def short(*_: object) -> None:
        raise cuda.cupy.cuda.memory.OutOfMemoryError(1 << 30, 0)

    monkeypatch.setattr(engine.cuda, "find_objects", short)
    got = engine.run(SAMPLES, "hash", complete=False)
    want = cpu.CpuEngine.of(MODES).run(SAMPLES, "hash", complete=False)
    np.testing.assert_array_equal(got.hashes, want.hashes)
    assert not got.recovered_errors


@pytest.mark.parametrize(
    ("text", "modes"),
    [
        ("o_g(I, R5)", {5}),
        ("objects(I, T, F, T)", {5}),
        ("objects(I, F, T, F)", {2}),
        ("combine(o_g(I, R1), objects(I, T, T, F))", {1, 6}),
        ("o_g(rot90(I), R5)", set()),
        ("rot90(I)", set()),
    ],
)
def test_the_modes_programs_ask_for(text, modes):
    program = parse_text(f"def solve_a(I):\n    return {text}\n").check()
    assert modes_wanted(compile_graph(merge(program)).graph) == modes
