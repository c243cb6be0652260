"""What does not fit on a GPU runs on the CPU meanwhile, slice by slice, and lands where it belongs."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from arcbatt.data.tasks import load_tasks
from arcbatt.engine import cpu
from arcbatt.engine.cuda.cpu_spill import CpuSpill
from arcbatt.syntax import parse_program
from engine import fake_cupy
from engine.routes import to_cpu

SAMPLES = next(iter(load_tasks("arcagi"))).samples


def test_items_run_by_slice_as_they_become_known():
    left = CpuSpill(lambda number, rows: (number, rows.tolist(), threading.get_ident()), most=5)
    left.begin(np.array([[2, 7], [1, 3], [2, 4]], np.int32))
    left.begin(np.array([[1, 3], [1, 0]], np.int32))
    found = list(left.results())
    assert [(number, rows.tolist()) for number, rows, _ in found] == [(1, [3]), (2, [4, 7]), (1, [0, 3])]
    assert [made[:2] for _, _, made in found] == [(1, [3]), (2, [4, 7]), (1, [0, 3])]
    assert threading.get_ident() not in {made[2] for _, _, made in found}
    assert list(left.results()) == []


def test_more_than_the_most_are_left_alone_and_dropped_ones_are_gone():
    left = CpuSpill(lambda number, rows: (number, len(rows)), most=2)
    left.begin(np.array([[0, 1], [0, 2], [0, 3]], np.int32))
    assert list(left.results()) == []
    left.begin(np.array([[0, 1]], np.int32))
    left.drop()
    assert list(left.results()) == []


def test_what_goes_wrong_there_is_raised():
    def fail(number, rows):
        raise MemoryError(number)

    left = CpuSpill(fail, most=1)
    left.begin(np.array([[4, 0]], np.int32))
    with pytest.raises(MemoryError, match="4"):
        list(left.results())


@pytest.mark.parametrize("slices", [1, 3])
@pytest.mark.parametrize("wanted", ["hash", "grid"])
def test_some_programs_of_a_slice_fit_and_others_do_not(monkeypatch, slices, wanted):
    cuda = fake_cupy.install(monkeypatch, free=1 << 24)
    texts = ("hmirror(I)", "size(apply(rbind(shift, UNITY), repeat(asobject(I), 4000)))", "replace(I, ONE, TWO)")
    programs = [parse_program(f"def solve_{k}(I):\n    return {text}\n") for k, text in enumerate(texts)]
    want = cpu.CpuEngine.of(programs).run(SAMPLES, wanted)
    engine = cuda.CudaEngine.of(programs, arena_bytes=1 << 15, slices=slices)
    found = engine.run(SAMPLES, wanted)
    for name in ("statuses", "matches", "agreement", "hashes"):
        np.testing.assert_array_equal(getattr(found, name), getattr(want, name), name)
    for row in range(len(SAMPLES)):
        for column in range(len(programs) if wanted == "grid" else 0):
            ours, theirs = found.grid(row, column), want.grid(row, column)
            assert (ours is None) == (theirs is None)
            assert ours is None or np.array_equal(ours, theirs)
    assert engine.cuda.last.on_cpu >= len(SAMPLES)
    assert to_cpu(found) == {"too big for an arena on GPU 0": engine.cuda.last.on_cpu}
    assert not engine.cuda.last.bigger_arenas
