"""The GPU engine on a GPU, against the CPU engine: `make test-gpu`. Needs no data but what is here."""

from __future__ import annotations

import numpy as np
import pytest

from arcbatt.devtools.conformance import read_vectors
from arcbatt.engine import cpu
from arcbatt.language.sample import Sample
from arcbatt.syntax import parse_program
from compiler.support import LIBRARY, random_programs, random_sample

cupy = pytest.importorskip("cupy", reason="CuPy is not installed: pip install 'arcbatt[cuda]'")
cuda = pytest.importorskip("arcbatt.engine.waves.engine")
pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(cuda.device_count() == 0, reason="there is no NVIDIA GPU"),
]


def same(got, want):
    for name in ("statuses", "matches", "agreement", "hashes"):
        np.testing.assert_array_equal(getattr(got, name), getattr(want, name), name)


@pytest.mark.parametrize("heap_bytes", [0, 1 << 28], ids=["all of the memory", "little of it"])
def test_the_library(heap_bytes):
    samples = [random_sample(seed) for seed in range(80)]
    engine = cuda.WaveEngine.of(LIBRARY, heap_bytes=heap_bytes)
    want = cpu.CpuEngine.of(LIBRARY).run(samples, "hash", complete=False)
    for _ in range(2):
        same(engine.run(samples, "hash", complete=False), want)


def test_random_programs_and_mutants():
    samples = [random_sample(seed) for seed in range(40)]
    programs = [
        parse_program(str(program).replace(f"def {program.name}(", f"def solve_{seed}_{k}("))
        for seed in range(300)
        for k, program in enumerate(random_programs(seed))
    ]
    want = cpu.CpuEngine.of(programs).run(samples, "hash", complete=False)
    same(cuda.WaveEngine.of(programs).run(samples, "hash", complete=False), want)


def test_vectors(request):
    vectors = list(read_vectors(request.config.rootpath / "tests" / "data" / "vectors.jsonl"))
    grids = sorted({vector.grid for vector in vectors})
    names = {text: f"solve_{k}" for k, text in enumerate(sorted({vector.expr for vector in vectors}))}
    programs = [parse_program(f"def {name}(I):\n    return {text}\n") for text, name in names.items()]
    samples = [Sample(grid, (), None) for grid in grids]
    want = cpu.CpuEngine.of(programs).run(samples, "hash", complete=False)
    same(cuda.WaveEngine.of(programs).run(samples, "hash", complete=False), want)


def test_grids_come_back():
    samples = [random_sample(seed) for seed in range(20)]
    programs = LIBRARY[::10]
    got, want = cuda.WaveEngine.of(programs).run(samples, "grid"), cpu.CpuEngine.of(programs).run(samples, "grid")
    for row in range(len(samples)):
        for column in range(len(programs)):
            ours, theirs = got.grid(row, column), want.grid(row, column)
            assert (ours is None) == (theirs is None)
            assert ours is None or np.array_equal(ours, theirs)
