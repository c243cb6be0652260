"""Workers with CPU engines behind one engine: the same values however many they are and whatever befalls them."""

from __future__ import annotations

import gc
import os
import signal

import numpy as np
import pytest

from arcbatt.compiler.graph import merge
from arcbatt.engine import cpu, workers
from arcbatt.engine.choose import make_engine
from arcbatt.engine.pool import MOST_FAILED_STARTS, pickled
from arcbatt.engine.workers import WorkerEngine, engine_worker
from arcbatt.language.sample import Sample
from compiler.support import LIBRARY, random_sample
from engine.at_work import all_gone, check_an_interrupt_ends_all, check_none_outlives_its_parent
from engine.routes import to_cpu, to_dynamic

PROGRAMS = LIBRARY[::4]
GRAPH = merge(PROGRAMS)
SAMPLES = [random_sample(seed) for seed in range(150)]
ROWS = len(SAMPLES)


@pytest.fixture(scope="module")
def want():
    return cpu.CpuEngine.of(GRAPH).run(SAMPLES, "grid")


def engine_of(kind: str, count: int, **options) -> WorkerEngine:
    spec = engine_worker(kind, f"engine.odd_engines:{kind}", **options)
    return WorkerEngine.of(GRAPH, specs=[spec] * count, backend="cpu")


def same(got, want):
    for name in ("statuses", "matches", "agreement", "hashes", "done"):
        np.testing.assert_array_equal(getattr(got, name), getattr(want, name), name)
    assert to_dynamic(got) == to_dynamic(want)
    for row in range(0, len(want.done), 7):
        for column in range(0, len(want.names), 5):
            ours, theirs = got.grid(row, column), want.grid(row, column)
            assert (ours is None) == (theirs is None)
            assert ours is None or np.array_equal(ours, theirs)


class Unreadable:
    """Cannot be unpickled."""

    def __reduce__(self):
        return eval, ("1 // 0",)


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_any_number_of_workers_gives_the_same(workers, want):
    engine = make_engine("cpu", GRAPH, workers=workers)
    seen = []
    for _ in range(2):
        result = engine.run(SAMPLES, "grid", progress=seen.append)
        same(result, want)
        assert not to_cpu(result)
        assert not result.recovered_errors
    assert len(engine.pool.processes) == workers
    assert seen.count(ROWS) == 2
    assert engine.values(SAMPLES[0]) == cpu.CpuEngine.of(GRAPH).values(SAMPLES[0])


@pytest.mark.parametrize("wanted", ["match", "hash"])
def test_only_what_is_wanted_comes_back(wanted, want):
    result = make_engine("cpu", GRAPH, workers=2).run(SAMPLES, wanted)
    assert (result.hashes is None) == (wanted == "match")
    assert result.grids is None
    np.testing.assert_array_equal(result.matches, want.matches)


def test_what_is_left_open_stays_so_if_asked_for():
    got = make_engine("cpu", GRAPH, workers=2).run(SAMPLES, "hash", complete=False)
    want = cpu.CpuEngine.of(GRAPH).run(SAMPLES, "hash", complete=False)
    np.testing.assert_array_equal(got.statuses, want.statuses)
    assert not to_dynamic(got)


def test_no_samples():
    assert len(make_engine("cpu", GRAPH, workers=2).run([]).done) == 0


def test_engines_share_workers_and_the_last_one_ends_them():
    first = make_engine("cpu", GRAPH, workers=2, threads=1)
    first.run(SAMPLES[:40])
    processes = first.pool.processes
    second = make_engine("cpu", PROGRAMS[:3], workers=2, threads=1)
    np.testing.assert_array_equal(
        second.run(SAMPLES[:40], "hash").hashes, cpu.CpuEngine.of(PROGRAMS[:3]).run(SAMPLES[:40], "hash").hashes
    )
    assert second.pool.processes == processes
    del first, second
    gc.collect()
    assert all_gone(processes)


def test_a_worker_that_is_killed_in_the_middle_is_replaced(want, tmp_path):
    engine = engine_of("KilledOnce", 2, folder=str(tmp_path))
    result = engine.run(SAMPLES, "grid")
    same(result, want)
    (text,) = result.recovered_errors
    assert "was killed by SIGKILL; replaced" in text
    assert "samples run again" in text
    assert not to_cpu(result)
    assert len(engine.pool.processes) == 2
    assert not engine.run(SAMPLES, "grid").recovered_errors


def test_a_worker_killed_from_outside_between_runs(want):
    engine = make_engine("cpu", GRAPH, workers=2)
    engine.run(SAMPLES[:10])
    killed = engine.pool.processes[0]
    os.kill(killed, signal.SIGKILL)
    same(engine.run(SAMPLES, "grid"), want)  # the other may have done all of it before the end of this one is seen
    same(engine.run(SAMPLES, "grid"), want)
    assert len(engine.pool.processes) == 2
    assert killed not in engine.pool.processes


def test_a_device_that_is_lost_costs_a_worker_and_no_value(want, tmp_path):
    result = engine_of("FailsOnce", 2, folder=str(tmp_path)).run(SAMPLES, "grid")
    same(result, want)
    (text,) = result.recovered_errors
    assert "failed: RuntimeError: cudaErrorIllegalAddress" in text
    assert "replaced" in text


def test_gpu_engines_in_workers_one_of_which_loses_its_device(tmp_path):
    graph = merge(LIBRARY[::40])
    options = {"folder": str(tmp_path), "devices": (0,), "keep_going": False}
    spec = engine_worker("GPU 0", "engine.odd_engines:fake_gpu", 8, **options)
    engine = WorkerEngine.of(graph, specs=[spec] * 2, backend="cuda")
    result = engine.run(SAMPLES, "grid")
    same(result, cpu.CpuEngine.of(graph).run(SAMPLES, "grid"))
    assert not to_cpu(result)
    (text,) = result.recovered_errors
    assert "failed: _CudaError: cudaErrorIllegalAddress" in text
    assert "replaced" in text


def test_a_shard_over_which_workers_end_is_left_to_this_process():
    samples = [*SAMPLES[:70], Sample(((1, 2),) * 9), *SAMPLES[70:]]
    result = engine_of("Poisoned", 2).run(samples, "grid")
    same(result, cpu.CpuEngine.of(GRAPH).run(samples, "grid"))
    assert set(to_cpu(result)) == {"workers ended over these samples"}
    assert 1 <= to_cpu(result).total() / len(PROGRAMS) < ROWS
    assert result.recovered_errors.total() == workers.MOST_TRIES


@pytest.mark.parametrize(
    ("kind", "why"), [("DiesAtStart", "ended with code 7"), ("Refuses", "failed: MemoryError: no memory for arenas")]
)
def test_workers_that_cannot_start_leave_all_to_this_process(kind, why, want):
    engine = engine_of(kind, 2)
    result = engine.run(SAMPLES, "grid")
    same(result, want)
    assert set(to_cpu(result)) == {"no worker is left"}
    assert to_cpu(result).total() + to_dynamic(result).total() == ROWS * len(PROGRAMS)
    assert any(why in text and "given up" in text for text in result.recovered_errors)
    tries = MOST_FAILED_STARTS if kind == "DiesAtStart" else 1
    assert result.recovered_errors.total() == 2 * tries
    assert engine.run(SAMPLES[:5]).recovered_errors.total() == 0  # not tried again


def test_workers_that_fail_over_every_shard_are_given_up(want, capfd):
    result = engine_of("FailsAlways", 2, first_shard=8).run(SAMPLES, "grid")
    same(result, want)
    assert "no worker is left" in to_cpu(result)
    assert result.recovered_errors.total() == 2 * MOST_FAILED_STARTS
    assert sum("given up" in text for text in result.recovered_errors) == 2
    assert capfd.readouterr().err == ""  # what went wrong is told in the errors alone


def test_programs_that_a_worker_cannot_read_are_left_to_this_process(want):
    engine = engine_of("Poisoned", 2)
    engine.setup = pickled(Unreadable())
    result = engine.run(SAMPLES, "grid")
    same(result, want)
    assert set(to_cpu(result)) == {"no worker is left"}
    assert result.recovered_errors.total() == 2 * MOST_FAILED_STARTS


def test_workers_that_can_start_do_the_work_of_those_that_cannot(want, tmp_path):
    good = engine_worker("good", "engine.odd_engines:Waits", folder=str(tmp_path))
    bad = engine_worker("bad", "engine.odd_engines:RefusesFirst", folder=str(tmp_path))
    result = WorkerEngine.of(GRAPH, specs=[bad, good], backend="cpu").run(SAMPLES, "grid")
    same(result, want)
    assert not to_cpu(result)
    assert [text for text in result.recovered_errors if "worker 0 (bad) failed" in text]


def test_a_stop_reaches_the_workers(want, tmp_path):
    engine = engine_of("Slow", 2, folder=str(tmp_path))

    def stop():
        return len(list(tmp_path.iterdir())) == 2

    result = engine.run(SAMPLES, "grid", stop=stop)
    assert not result.done.all()
    done = result.done
    np.testing.assert_array_equal(result.statuses[done], want.statuses[done])
    assert len(engine.pool.processes) == 2


SCRIPT = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where the tests were started in the background
from arcbatt.engine.workers import WorkerEngine, engine_worker
from arcbatt.language.sample import Sample
from arcbatt.syntax import parse_program
spec = engine_worker("slow", "engine.odd_engines:Slow", folder=sys.argv[1])
programs = [parse_program("def solve_a(I):\\n    return hmirror(I)\\n")]
WorkerEngine.of(programs, specs=[spec] * 2, backend="cpu").run([Sample(((1,),))] * 50)
"""


def test_an_interrupt_ends_all(tmp_path, sigint):
    check_an_interrupt_ends_all(SCRIPT, tmp_path)


def test_none_outlives_its_parent(tmp_path):
    check_none_outlives_its_parent(SCRIPT, tmp_path)
