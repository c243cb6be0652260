from __future__ import annotations

import gc

import pytest

from arcbatt.compiler.abi import constant
from arcbatt.data.packing import pack_samples
from arcbatt.documents import configure_gpu_memory, get_optimal_batch_size, gpu_memory_cleanup
from arcbatt.engine import device_memory as memory
from arcbatt.engine import devices as detect
from arcbatt.engine.waves import kernels
from arcbatt.engine.waves.heap import Heap
from arcbatt.engine.waves.runner import LINES
from arcbatt.errors import UsageError
from arcbatt.language.sample import Sample
from compiler.support import LIBRARY, random_sample
from engine import fake_cupy

GB = 1 << 30
TABLES = {16: {100: 64, 400: 32, 900: 16}, 24: {100: 128, 400: 64, 900: 32}}
"""The documents' batch sizes: by gigabytes of the GPU and cells of a grid."""


def test_a_limit_is_set_and_engines_keep_to_it(monkeypatch):
    waves = fake_cupy.install(monkeypatch, free=256 << 20)
    pool = waves.cupy.pool
    limit = configure_gpu_memory(device_id=0, memory_fraction=0.5)
    assert (limit.device, limit.limit, limit.free) == (0, 128 << 20, 256 << 20)
    assert pool.limit == 128 << 20
    engine = waves.WaveEngine.of(LIBRARY[::40])
    result = engine.run([random_sample(seed) for seed in range(20)], "grid")
    assert 0 < pool.peak <= 128 << 20
    assert not result.rerouted()


def test_an_engine_that_is_let_go_gives_its_memory_back_at_once(monkeypatch):
    waves = fake_cupy.install(monkeypatch, free=256 << 20)
    gc.collect()
    gc.disable()  # a cycle would keep most of a GPU's memory until that comes by
    try:
        engine = waves.WaveEngine.of(LIBRARY[::40])
        engine.run([random_sample(seed) for seed in range(5)], "grid")
        assert waves.cupy.pool.used > 0
        del engine
        assert waves.cupy.pool.used == 0
    finally:
        gc.enable()


@pytest.mark.parametrize("fraction", [0, -1, 1.5])
def test_fractions_are_checked(fraction):
    with pytest.raises(UsageError, match="memory_fraction is above 0"):
        configure_gpu_memory(memory_fraction=fraction)


def test_without_a_gpu_it_says_what_to_do(monkeypatch):
    monkeypatch.setattr(detect, "why_no_gpu", lambda: "no NVIDIA device; use --backend cpu")
    with pytest.raises(UsageError, match="no GPU to use: no NVIDIA device"):
        configure_gpu_memory()


def test_cleanup_says_what_it_freed(monkeypatch):
    fake = fake_cupy.install(monkeypatch, free=GB, count=2).cupy
    held = [1000]
    monkeypatch.setattr(fake.pool, "total_bytes", lambda: held[0])
    monkeypatch.setattr(fake.pool, "free_all_blocks", lambda: held.__setitem__(0, 400))
    assert gpu_memory_cleanup() == 600


@pytest.mark.parametrize("gigabytes", TABLES)
@pytest.mark.parametrize("cells", [100, 400, 900])
def test_batches_are_never_smaller_than_the_tables_and_beat_them(monkeypatch, gigabytes, cells):
    least = TABLES[gigabytes][cells]
    fake = fake_cupy.install(monkeypatch, free=gigabytes * GB).cupy
    fake.cuda.runtime.memGetInfo = lambda: (int(0.95 * gigabytes * GB), gigabytes * GB)
    assert get_optimal_batch_size(cells, 1_000_000) > 100 * least
    fake.cuda.runtime.memGetInfo = lambda: (0, gigabytes * GB)
    assert get_optimal_batch_size(cells, 1_000_000) == least
    assert get_optimal_batch_size(cells, 7) == 7


def test_what_is_said_to_fit_does(monkeypatch):
    fake_cupy.install(monkeypatch, free=4 * GB)
    count = get_optimal_batch_size(400, 10**9, programs=500)
    grid = ((0,) * 20,) * 20
    packed = pack_samples([Sample(grid, ((grid, grid),), grid)]).nbytes
    assert count * (packed + 500 * (29 + 400)) <= 0.8 * 4 * GB
    assert get_optimal_batch_size(400, 10**9, programs=250) > 1.5 * count


def test_a_limit_of_the_pool_counts(monkeypatch):
    fake_cupy.install(monkeypatch, free=8 * GB)
    before = get_optimal_batch_size(400, 10**9)
    configure_gpu_memory(memory_fraction=0.4)
    assert 0.4 * before < get_optimal_batch_size(400, 10**9) < 0.6 * before


def test_without_a_gpu_it_goes_by_the_memory_of_the_machine(monkeypatch):
    monkeypatch.setattr(memory, "why_no_gpu", lambda: "none")
    monkeypatch.setattr(memory, "host_memory", lambda: (64 * GB, 32 * GB))
    small, large = get_optimal_batch_size(900, 10**9), get_optimal_batch_size(100, 10**9)
    assert large > small > 1000
    monkeypatch.undo()
    total, free = memory.host_memory()
    assert 0 < free <= total


@pytest.mark.parametrize("name", ["grid_size", "num_samples", "programs"])
def test_numbers_are_checked(name):
    given = {"grid_size": 100, "num_samples": 10, "programs": 5, name: 0}
    with pytest.raises(UsageError, match=f"{name} is a number above 0"):
        get_optimal_batch_size(**given)


@pytest.mark.parametrize("words", [1 << 18, 1 << 21, 1 << 23, 1 << 25])
def test_pieces_that_groups_begin_leave_room_for_values(monkeypatch, words):
    fake = fake_cupy.install(monkeypatch, free=GB).cupy
    heap = Heap.resident(fake, words, LINES)
    pieces = {
        1: constant("THREAD_PIECE"),
        kernels.LANES: constant("WARP_PIECE"),
        kernels.BLOCK: constant("BLOCK_PIECE"),
    }
    begun = sum(heap.groups(width) * piece for width, piece in pieces.items())
    assert 1 <= heap.lines <= LINES
    assert heap.lines == 1 or heap.lines * begun < 0.7 * words
    assert heap.lines == LINES or (heap.lines + 1) * begun > 0.5 * words
