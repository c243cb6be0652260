"""The GPU engine against the CPU engine: its host side and the kernel's own code, on emulated lanes.

What needs a GPU is in test_gpu.py.
"""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from arcbatt.compiler.abi import PROGRESS
from arcbatt.data.packing import pack_samples
from arcbatt.data.tasks import load_tasks
from arcbatt.engine import cpu
from arcbatt.engine.cuda import memory as cuda_memory
from arcbatt.engine.cuda.source import kernel_source
from arcbatt.errors import UsageError
from arcbatt.language.limits import MAX_STEPS
from arcbatt.syntax import parse_program
from compiler.support import LIBRARY
from engine import fake_cupy
from engine.routes import to_dynamic

TASKS = list(load_tasks("arcagi"))


@pytest.fixture
def cuda(monkeypatch):
    """The backend over a CuPy that is none."""
    return fake_cupy.install(monkeypatch, free=1 << 24)


def same(got, want):
    for name in ("statuses", "matches", "agreement", "hashes"):
        np.testing.assert_array_equal(getattr(got, name), getattr(want, name), name)
    assert to_dynamic(got) == to_dynamic(want)
    for sample in range(len(want.done)):
        for program in range(len(want.names)):
            ours, theirs = got.grid(sample, program), want.grid(sample, program)
            assert (ours is None) == (theirs is None)
            assert ours is None or np.array_equal(ours, theirs)


@pytest.mark.parametrize("slices", [1, 3, 40])
def test_every_way_to_slice_gives_the_same(cuda, slices):
    programs = LIBRARY[::40]
    samples = [sample for task in TASKS[::150] for sample in task.samples]
    want = cpu.CpuEngine.of(programs).run(samples, "grid")
    engine = cuda.CudaEngine.of(programs, slices=slices)
    same(engine.run(samples, "grid"), want)
    assert engine.cuda.last.items == len(engine.cuda.sliced(0).codes) * len(samples)


ODD = {
    "number": "return height(I)",
    "objects": "return o_g(I, R5)",
    "rows": "x1 = height(I)\n    return repeat(repeat(ONE, x1), TWO)",
    "nothing": "return crop(I, ORIGIN, ORIGIN)",
    "failing": "return first(sizefilter(o_g(I, R5), THREE_BY_THREE))",
    "void": "x1 = difference(asindices(I), asindices(I))\n    return ulcorner(x1)",
    "samples": "return apply(first, S)",
    "expected": "return hmirror(C)",
}


@pytest.mark.parametrize("name", sorted(ODD))
def test_odd_outputs(cuda, name):
    program = parse_program(f"def solve_a({'S, I, C' if name in ('samples', 'expected') else 'I'}):\n    {ODD[name]}\n")
    samples = TASKS[3].samples
    want = cpu.CpuEngine.of([program]).run(samples, "grid")
    same(cuda.CudaEngine.of([program]).run(samples, "grid"), want)


COPIES = "return size(apply(rbind(shift, UNITY), repeat(asobject(I), {})))"


@pytest.mark.parametrize(
    ("free", "few", "tiers", "on_cpu"), [(1 << 24, 0, [6], 0), (1 << 20, 0, [], 6), (1 << 24, 6, [], 6)]
)
def test_what_does_not_fit_goes_to_bigger_arenas_then_to_the_cpu(cuda, monkeypatch, free, few, tiers, on_cpu):
    monkeypatch.setattr(cuda.cupy.cuda.runtime, "memGetInfo", lambda: (free, free))
    texts = {"small": "return hmirror(I)", "big": COPIES.format(4_000)}
    programs = [parse_program(f"def solve_{name}(I):\n    {text}\n") for name, text in texts.items()]
    samples = TASKS[0].samples
    want = cpu.CpuEngine.of(programs).run(samples, "grid")
    engine = cuda.CudaEngine.of(programs, arena_bytes=1 << 15, slices=2)
    engine.cuda.few = few
    same(engine.run(samples, "grid"), want)
    assert (engine.cuda.last.bigger_arenas, engine.cuda.last.on_cpu) == (tiers, on_cpu)


def test_threads_share_an_engine(cuda):
    programs = LIBRARY[::50]
    engine, alone = cuda.CudaEngine.of(programs, arena_bytes=1 << 18), cpu.CpuEngine.of(programs)
    parts = [TASKS[number].samples for number in range(0, 80, 10)]
    with ThreadPoolExecutor(4) as pool:
        for found, samples in zip(pool.map(lambda part: engine.run(part, "grid"), parts), parts, strict=True):
            same(found, alone.run(samples, "grid"))


def test_more_grids_than_the_pool_held(cuda, monkeypatch):
    samples = [sample for task in TASKS[:3] for sample in task.samples]
    programs = LIBRARY[:2]
    monkeypatch.setattr(cuda, "_POOL_BYTES", 64)
    same(cuda.CudaEngine.of(programs).run(samples, "grid"), cpu.CpuEngine.of(programs).run(samples, "grid"))


@pytest.mark.parametrize("count", [1, 7, 100])
def test_parts_of_any_size_give_the_same(cuda, monkeypatch, count):
    monkeypatch.setattr(cuda, "_LAUNCH_SAMPLES", (count, count))
    programs = LIBRARY[::40]
    samples = [sample for task in TASKS[:4] for sample in task.samples]
    seen = []
    engine = cuda.CudaEngine.of(programs, arena_bytes=1 << 16)
    same(engine.run(samples, "grid", progress=seen.append), cpu.CpuEngine.of(programs).run(samples, "grid"))
    assert seen == sorted(seen)
    assert seen[-1] == len(samples)


def test_other_samples_over_the_same_grids_send_only_their_numbers(cuda, monkeypatch):
    programs = LIBRARY[::80]
    data = pack_samples([sample for task in TASKS[:4] for sample in task.samples])
    engine = cuda.CudaEngine.of(programs)
    engine.run(data)
    sent = []
    to_device = engine.cuda._inward.to_device
    monkeypatch.setattr(
        engine.cuda._inward, "to_device", lambda name, array: sent.append(name) or to_device(name, array)
    )
    some = data.only(slice(3, 9))
    same(engine.run(some, "grid"), cpu.CpuEngine.of(programs).run(some, "grid"))
    assert sent == ["samples"] * 3


LOOPS = {
    "shared": "return mapply(rbind(shift, UNITY), o_g(I, R5))",
    "filtered": "return sfilter(asindices(I), compose(even, fork(add, first, last)))",
    "best": "return argmax(asobject(I), compose(invert, fork(manhattan, initset, compose(initset, identity))))",
    "pairs": "x1 = asindices(I)\n    return prapply(connect, x1, x1)",
    "nested": "return apply(chain(size, lbind(mapply, dneighbors), toindices), o_g(I, R5))",
    "failing": "return apply(chain(first, rbind(sizefilter, TWO), rbind(o_g, R5)), repeat(I, TEN))",
}


@pytest.mark.parametrize("max_steps", [300, 3_000, 100_000, MAX_STEPS])
@pytest.mark.parametrize("time_slice", [1, 4])
def test_long_loops_are_shared_out_and_nothing_changes(cuda, time_slice, max_steps):
    """Failures and the limit of steps come where they would have come in one go."""
    programs = [parse_program(f"def solve_{name}(I):\n    {text}\n") for name, text in LOOPS.items()] + LIBRARY[::60]
    samples = [sample for task in TASKS[::130] for sample in task.samples][:12]
    want = cpu.CpuEngine.of(programs).run(samples, "hash", complete=False, max_steps=max_steps)
    engine = cuda.CudaEngine.of(programs, slices=3, arena_bytes=1 << 20).for_steps(max_steps)
    engine.cuda.time_slice = time_slice
    got = engine.run(samples, "hash", complete=False, max_steps=max_steps)
    for name in ("statuses", "matches", "agreement", "hashes"):
        np.testing.assert_array_equal(getattr(got, name), getattr(want, name), name)
    assert engine.cuda.last.checkpoints
    assert engine.cuda.last.parts > engine.cuda.last.checkpoints


def test_a_queue_whose_tail_is_seen_late_has_no_tasks(cuda, monkeypatch):
    """On a GPU a group may see how far the queue was taken, and after that where it ended a while ago."""
    zeros = cuda.cupy.zeros

    def with_a_head_beyond_the_tail(shape, *args):
        made = zeros(shape, *args)
        if shape == PROGRESS.words:
            made[PROGRESS.place("head")] = 1
        return made

    programs = [parse_program(f"def solve_nested(I):\n    {LOOPS['nested']}\n")]
    monkeypatch.setattr(cuda.cupy, "zeros", with_a_head_beyond_the_tail)
    engine = cuda.CudaEngine.of(programs, arena_bytes=1 << 18)
    same(engine.run(TASKS[0].samples, "grid"), cpu.CpuEngine.of(programs).run(TASKS[0].samples, "grid"))
    assert len(engine.cuda.last.launches_ms) == 1
    assert not engine.cuda.last.on_cpu


def test_memory_too_small_to_share_loops_out_only_costs_time(cuda, monkeypatch):
    monkeypatch.setattr(cuda_memory, "_LEAST_SHARED_BYTES", 0)
    monkeypatch.setattr(cuda_memory, "_MOST_SHARED_BYTES", 1 << 8)
    programs = [parse_program(f"def solve_{name}(I):\n    {LOOPS[name]}\n") for name in ("shared", "filtered")]
    want = cpu.CpuEngine.of(programs).run(TASKS[0].samples, "grid")
    engine = cuda.CudaEngine.of(programs, arena_bytes=1 << 16)
    engine.cuda.time_slice = 1
    same(engine.run(TASKS[0].samples, "grid"), want)
    assert engine.cuda.last.bigger_arenas or engine.cuda.last.on_cpu


def test_batches_of_samples_instruction_by_instruction(cuda):
    programs = [parse_program(f"def solve_{k}(I):\n    return {text}\n") for k, text in enumerate(STRAIGHT)]
    samples = [sample for task in TASKS[:12] for sample in task.samples]
    engine = cuda.CudaEngine.of(programs, arena_bytes=1 << 18)
    engine.cuda.batch = 16
    assert engine.cuda.sliced(len(samples)).straight == len(engine.cuda.sliced(0).codes)
    same(engine.run(samples, "grid"), cpu.CpuEngine.of(programs).run(samples, "grid"))
    assert len(engine.cuda.last.launches_ms) == 1
    assert not engine.cuda.last.ticks


STRAIGHT = ("hmirror(I)", "o_g(I, R5)", "replace(I, ONE, TWO)", "vconcat(I, first(I))", "size(fgpartition(I))")


def test_a_stop_between_launches(cuda, monkeypatch):
    monkeypatch.setattr(cuda, "_LAUNCH_SAMPLES", (2, 2))
    asked = iter([False, False, True])  # the first before anything is done
    seen = []
    result = cuda.CudaEngine.of(LIBRARY[:2]).run(TASKS[0].samples, stop=lambda: next(asked, True), progress=seen.append)
    assert (result.done.sum(), seen) == (2, [2, 2])


def test_a_device_that_is_not_there(cuda):
    with pytest.raises(UsageError, match="no GPU number 3: 1 are visible"):
        cuda.CudaEngine.of(LIBRARY[:1], devices=[3])


def test_without_cupy_the_extra_is_named():
    code = "import sys; sys.modules['cupy'] = None; import arcbatt.engine.cuda.engine"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "pip install 'arcbatt[cuda]'" in ran.stderr


def test_the_source_is_complete_in_itself():
    text = kernel_source()
    assert '#include "' not in text
    assert text.count("struct Group ") == 6  # of one lane, a warp and a block, in the library and in that of a lane
    assert 'extern "C" __global__' in text
