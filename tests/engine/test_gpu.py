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
cuda = pytest.importorskip("arcbatt.engine.cuda.engine")
pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(cuda.device_count() == 0, reason="there is no NVIDIA GPU"),
]
TIME_SLICE = {"as it is": None, "all loops shared out": 20_000}


def same(got, want):
    for name in ("statuses", "matches", "agreement", "hashes"):
        np.testing.assert_array_equal(getattr(got, name), getattr(want, name), name)


@pytest.mark.parametrize("time_slice", TIME_SLICE)
@pytest.mark.parametrize("batch", [32, 10**6])
def test_the_library(time_slice, batch):
    samples = [random_sample(seed) for seed in range(80)]
    engine = cuda.CudaEngine.of(LIBRARY, arena_bytes=1 << 18)
    engine.cuda.batch = batch
    if TIME_SLICE[time_slice]:
        engine.cuda.time_slice = TIME_SLICE[time_slice]
    same(engine.run(samples, "hash", complete=False), cpu.CpuEngine.of(LIBRARY).run(samples, "hash", complete=False))
    assert not TIME_SLICE[time_slice] or engine.cuda.last.checkpoints


def test_a_program_alone_whose_loops_all_groups_share():
    """Fewer items than groups: most of them wait for parts from the start, and ask for them at the same time."""
    program = parse_program("def solve_it(I):\n    return merge(apply(dneighbors, mapply(neighbors, asindices(I))))\n")
    samples = [random_sample(seed) for seed in range(40)]
    want = cpu.CpuEngine.of([program]).run(samples, "hash", complete=False)
    engine = cuda.CudaEngine.of([program], arena_bytes=1 << 20)
    engine.cuda.time_slice = 2_000
    for _ in range(20):
        same(engine.run(samples, "hash", complete=False), want)
        assert engine.cuda.last.checkpoints


def test_random_programs_and_mutants():
    samples = [random_sample(seed) for seed in range(40)]
    programs = [
        parse_program(str(program).replace(f"def {program.name}(", f"def solve_{seed}_{k}("))
        for seed in range(300)
        for k, program in enumerate(random_programs(seed))
    ]
    want = cpu.CpuEngine.of(programs).run(samples, "hash", complete=False)
    same(cuda.CudaEngine.of(programs).run(samples, "hash", complete=False), want)


def test_vectors(request):
    vectors = list(read_vectors(request.config.rootpath / "tests" / "data" / "vectors.jsonl"))
    grids = sorted({vector.grid for vector in vectors})
    names = {text: f"solve_{k}" for k, text in enumerate(sorted({vector.expr for vector in vectors}))}
    programs = [parse_program(f"def {name}(I):\n    return {text}\n") for text, name in names.items()]
    samples = [Sample(grid, (), None) for grid in grids]
    want = cpu.CpuEngine.of(programs).run(samples, "hash", complete=False)
    same(cuda.CudaEngine.of(programs).run(samples, "hash", complete=False), want)


def test_grids_come_back():
    samples = [random_sample(seed) for seed in range(20)]
    programs = LIBRARY[::10]
    got, want = cuda.CudaEngine.of(programs).run(samples, "grid"), cpu.CpuEngine.of(programs).run(samples, "grid")
    for row in range(len(samples)):
        for column in range(len(programs)):
            ours, theirs = got.grid(row, column), want.grid(row, column)
            assert (ours is None) == (theirs is None)
            assert ours is None or np.array_equal(ours, theirs)


def test_small_arenas_only_cost_time():
    samples = [random_sample(seed) for seed in range(40)]
    engine = cuda.CudaEngine.of(LIBRARY, arena_bytes=1 << 12, slices=100)
    engine.cuda.few = 0
    same(engine.run(samples, "hash", complete=False), cpu.CpuEngine.of(LIBRARY).run(samples, "hash", complete=False))
    assert engine.cuda.last.bigger_arenas


def test_any_slices_give_the_same():
    samples = [random_sample(seed) for seed in range(10)]
    runs = [cuda.CudaEngine.of(LIBRARY, slices=slices).run(samples, "hash", complete=False) for slices in (1, 16, 400)]
    for other in runs[1:]:
        same(other, runs[0])
