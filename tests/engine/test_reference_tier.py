"""What engines cannot do, on the reference here and in processes: the same values, whatever befalls the processes."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import arcbatt
from arcbatt.compiler.graph import merge
from arcbatt.data.packing import pack_samples
from arcbatt.engine import cpu, pool, reference_tier
from arcbatt.engine import reference as merged
from arcbatt.engine.api import RunRequest
from arcbatt.engine.choose import make_engine
from arcbatt.engine.outputs import Outputs
from arcbatt.engine.pool import WorkerPool
from arcbatt.engine.reference_tier import IDLE_SECONDS, ReferenceService, ReferenceTier, known_elsewhere
from arcbatt.engine.worker import WorkerSpec
from arcbatt.syntax import parse_program
from compiler.support import LIBRARY, random_sample
from engine.odd_graphs import odd
from engine.routes import to_reference

GRAPH = merge(LIBRARY[::16])
NAMES = list(GRAPH.outputs)
SAMPLES = [random_sample(seed) for seed in range(12)]
DATA = pack_samples(SAMPLES)
FEW = DATA.only(slice(0, 3))


@pytest.fixture(scope="module")
def want():
    return merged.ReferenceEngine.of(GRAPH).run(DATA, "grid")


@pytest.fixture(scope="module")
def want_few():
    return merged.ReferenceEngine.of(GRAPH).run(FEW, "grid")


def pool_for(count: int) -> WorkerPool:
    """A pool of processes of its own."""
    service = f"{ReferenceService.__module__}:{ReferenceService.__name__}"
    return WorkerPool([WorkerSpec("reference", service, idle_seconds=IDLE_SECONDS)] * count)


@pytest.fixture
def at_once(monkeypatch):
    """Processes are worth their start from the first evaluation on."""
    monkeypatch.setattr(ReferenceTier, "start_seconds", 0.0)
    monkeypatch.setattr(ReferenceTier, "setup_seconds", 0.0)
    monkeypatch.setattr(ReferenceTier, "pays", lambda self, *_: self.pool is not None and self.pool.usable)


@pytest.fixture
def of_three():
    made = pool_for(3)
    yield made
    made.close()


def completed(graph=GRAPH, progress=None, data=DATA, stop=None, tier=None, **options) -> Outputs:
    """All evaluations done by the reference tier."""
    outputs = Outputs.empty(list(graph.outputs), len(data), "grid")
    outputs.done[:] = True
    run = (tier or ReferenceTier(graph, **options)).begin(RunRequest(data, "grid", stop=stop), outputs)
    try:
        for row in range(len(data)):
            run.offer(row, range(len(outputs.names)))
        run.finish(progress)
    except BaseException:
        run.cancel()
        raise
    return outputs


def same(got, want):
    for name in ("statuses", "matches", "agreement", "hashes", "done"):
        np.testing.assert_array_equal(getattr(got, name), getattr(want, name), name)
    for name in ("cells", "offset", "height", "width"):
        np.testing.assert_array_equal(getattr(got.grids, name), getattr(want.grids, name), name)


def gone(process: int) -> bool:
    """Whether a process has ended; one that nobody has waited for yet counts."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


def all_gone(processes) -> bool:
    end = time.monotonic() + 30
    while time.monotonic() < end and not all(map(gone, processes)):
        time.sleep(0.05)
    return all(map(gone, processes))


# --- the same values ---
def test_in_this_process(want):
    same(completed(), want)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_any_number_of_processes_gives_the_same(count, want, at_once):
    made = pool_for(count)
    tier = ReferenceTier(GRAPH, pool=made)
    pending = []
    for _ in range(2):
        same(completed(tier=tier, progress=pending.append), want)
        assert len(made.processes) == count
        assert pending[-1] == 0
    made.close()


def test_processes_serve_one_graph_after_another(want, at_once, of_three):
    small = merge(LIBRARY[:3])
    same(completed(small, pool=of_three), merged.ReferenceEngine.of(small).run(DATA, "grid"))
    before = of_three.processes
    same(completed(pool=of_three), want)
    assert of_three.processes == before


def test_the_limit_of_steps_is_carried_over(at_once, of_three):
    few = merged.ReferenceEngine.of(GRAPH, max_steps=200).run(DATA, "grid")
    assert (few.statuses == 3).any()
    same(completed(pool=of_three, max_steps=200), few)


def test_engines_use_processes(at_once):
    texts = [f"size(asobject(upscale(I, {k})))" for k in range(26, 32)]  # that do not fit alone either
    big = [parse_program(f"def solve_big{k}(I):\n    return {text}\n") for k, text in enumerate(texts)]
    programs = LIBRARY[::4] + big
    engine, alone = (
        cpu.CpuEngine.of(programs, threads=3, arena_bytes=0, most_bytes=0),
        cpu.CpuEngine.of(programs, threads=1),
    )
    seen: list[int] = []
    got, expected = engine.run(SAMPLES, "grid", progress=seen.append), alone.run(SAMPLES, "grid")
    for name in ("statuses", "matches", "agreement", "hashes", "done"):
        np.testing.assert_array_equal(getattr(got, name), getattr(expected, name), name)
    assert to_reference(got)["overflow"] > len(SAMPLES)
    assert len(engine.reference.pool.processes) == 3
    assert seen == sorted(seen)
    assert seen[-1] == len(SAMPLES)


def test_rows_that_need_no_fallback_are_the_engines_alone(at_once):
    engine = cpu.CpuEngine.of([parse_program("def solve_x(I):\n    return rot90(I)\n")], threads=4)
    assert not to_reference(engine.run(SAMPLES))
    assert engine.reference.pool.processes == []


# --- when there are processes ---
def test_little_work_stays_in_this_process(monkeypatch, want, of_three):
    monkeypatch.setattr(ReferenceTier, "start_seconds", 3600.0)
    same(completed(pool=of_three), want)
    assert of_three.processes == []


def test_time_spent_lately_brings_processes(monkeypatch):
    monkeypatch.setattr(ReferenceTier, "start_seconds", 2.0)
    made, clock = pool_for(2), [100.0]
    tier = ReferenceTier(GRAPH, pool=made)
    monkeypatch.setattr(pool.time, "monotonic", lambda: clock[0])
    made.spend(1.9)
    assert not tier.pays("graph")
    assert tier.pays("graph", 0.2)
    clock[0] += 100.0
    made.spend(0.2)
    assert not tier.pays("graph")
    made.spend(2.0)
    assert tier.pays("graph")


def test_a_long_evaluation_is_left_to_processes(monkeypatch, want, of_three):
    """The first look of an evaluation finds that it has taken long; what is left of it is done elsewhere."""
    monkeypatch.setattr(merged, "_CALLS_BETWEEN_LOOKS", 1)
    monkeypatch.setattr(ReferenceTier, "pays", lambda self, setup, seconds=0.0: bool(seconds or self.pool.running))
    same(completed(pool=of_three), want)
    assert len(of_three.processes) == 3


def test_one_thread_has_no_processes():
    assert cpu.CpuEngine.of(GRAPH, threads=1).reference.pool is None
    two = cpu.CpuEngine.of(GRAPH, threads=2).reference.pool
    assert two is cpu.CpuEngine.of(GRAPH, threads=2).reference.pool
    assert len(make_engine("cpu", GRAPH, threads=2).reference.pool.workers) == 2


def test_processes_that_another_run_has_are_not_waited_for(want, at_once, of_three):
    with of_three.lock:
        same(completed(pool=of_three), want)
    assert of_three.processes == []


def test_custom_operations_stay_in_this_process(at_once, of_three):
    @arcbatt.op("Grid -> Grid")
    def mine(grid):
        """Rows turned over."""
        return grid[::-1]

    try:
        graph = merge([parse_program("def solve_x(I):\n    x1 = mine(I)\n    return mine(x1)\n")])
        assert not known_elsewhere(graph)
        same(completed(graph, pool=of_three), merged.ReferenceEngine.of(graph).run(DATA, "grid"))
    finally:
        arcbatt.remove_op("mine")
    assert of_three.processes == []
    assert known_elsewhere(GRAPH)


# --- what goes wrong ---
def test_processes_that_are_killed_are_replaced(want_few, at_once, of_three, tmp_path):
    """Whoever is at one of the evaluations is killed from outside, until that is done in this process."""
    graph = odd(GRAPH, 2, "sleeps", str(tmp_path))

    def kill(_):
        for sleeping in tmp_path.iterdir():
            os.kill(int(sleeping.name), signal.SIGKILL)
            sleeping.unlink()

    got = completed(graph, data=FEW, pool=of_three, progress=kill)
    same(got, want_few)
    text = "a process of the reference was killed by SIGKILL, "
    assert all(error.startswith(text) for error in got.recovered_errors)
    assert got.recovered_errors.total() == reference_tier.MOST_TRIES * len(FEW)
    assert not completed(data=FEW, pool=of_three).recovered_errors
    assert len(of_three.processes) == 3


def test_what_ends_processes_is_done_here(want_few, at_once, of_three):
    got = completed(odd(GRAPH, 5, "kills"), data=FEW, pool=of_three)
    same(got, want_few)
    assert "a process of the reference was killed by SIGKILL, 1 evaluations run again" in got.recovered_errors
    assert got.recovered_errors.total() == reference_tier.MOST_TRIES * len(FEW)


def test_what_the_reference_raises_is_raised(at_once, of_three):
    with pytest.raises(OSError, match="the reference is broken here"):
        completed(odd(GRAPH, 5, "raises"), data=FEW, pool=of_three)
    with pytest.raises(OSError, match="the reference is broken here"):
        completed(odd(GRAPH, 5, "raises"), data=FEW)


def test_processes_that_cannot_start_leave_all_to_this_one(want, at_once, of_three, monkeypatch):
    monkeypatch.setattr(pool.sys, "executable", "false")
    got = completed(pool=of_three)
    same(got, want)
    assert set(got.recovered_errors) == {"a process of the reference ended with code 1"}
    assert got.recovered_errors.total() == pool.MOST_FAILED_STARTS * len(of_three.workers)
    assert not completed(pool=of_three).recovered_errors  # not tried again


def test_processes_that_a_run_has_are_its_own_to_dismiss(at_once, of_three):
    completed(data=FEW, pool=of_three)
    worker = of_three.running[0]
    worker.process.kill()
    worker.process.wait()
    with of_three.lock:
        of_three.tidy()
        assert worker in of_three.running
    of_three.tidy()
    assert worker not in of_three.running


def test_idle_processes_that_ended_are_no_error(want, at_once, of_three):
    completed(pool=of_three)
    for worker in of_three.running:
        worker.process.kill()
        worker.process.wait()
    got = completed(pool=of_three)
    same(got, want)
    assert not got.recovered_errors


# --- stops ---
def test_a_stop_ends_processes_in_the_middle(want, at_once, of_three, tmp_path):
    """One evaluation of every sample would take minutes; the others are done meanwhile by who is not at it."""
    graph = odd(GRAPH, len(NAMES) - 1, "sleeps", str(tmp_path))
    seen = []

    def stop():
        seen[:] = seen or (of_three.processes if len(list(tmp_path.iterdir())) == 3 else [])
        return bool(seen)

    got = completed(graph, pool=of_three, stop=stop)
    assert not got.done.any()
    assert all_gone(seen)
    assert of_three.processes == []
    same(completed(pool=of_three), want)


def test_an_interrupt_ends_processes_in_the_middle(at_once, of_three, tmp_path):
    graph = odd(GRAPH, len(NAMES) - 1, "sleeps", str(tmp_path))
    seen = []

    def interrupt(_):
        if len(list(tmp_path.iterdir())) == 3:
            seen.extend(of_three.processes)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        completed(graph, pool=of_three, progress=interrupt)
    assert len(seen) == 3
    assert all_gone(seen)
    assert not [thread for thread in threading.enumerate() if "ThreadPoolExecutor" in thread.name]


def test_a_long_evaluation_holds_up_no_other(at_once, of_three, tmp_path):
    """Of one sample: a process sleeps over one evaluation, and all others are done."""
    graph = odd(GRAPH, 0, "sleeps", str(tmp_path))
    outputs = Outputs.empty(NAMES, len(DATA), "grid")
    outputs.done[:] = True
    outputs.statuses[:] = 99

    def stop():
        return bool((outputs.statuses[0, 1:] != 99).all())

    run = ReferenceTier(graph, pool=of_three).begin(RunRequest(DATA, "grid", stop=stop), outputs)
    run.offer(0, range(len(NAMES)))
    run.finish()
    assert outputs.statuses[0, 0] == 99
    assert not outputs.done[0]
    assert outputs.done[1:].all()


def test_processes_that_nobody_has_are_gone(at_once):
    made = pool_for(2)
    completed(pool=made)
    processes = made.processes
    assert len(processes) == 2
    del made
    gc.collect()
    assert all_gone(processes)


SCRIPT = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where the tests were started in the background
sys.path[:0] = {path!r}
from engine import test_reference_tier as tests
from engine.odd_graphs import odd
from arcbatt.engine.reference_tier import ReferenceTier

ReferenceTier.start_seconds = 0.0
made = tests.pool_for(2)
told = []
def tell(_):
    if not told and len(made.processes) == 2:
        told.append(True)
        print(*made.processes, flush=True)
tests.completed(odd(tests.GRAPH, 0, "sleeps", {folder!r}), pool=made, progress=tell)
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_processes_end_with_their_parent(how, tmp_path):
    script = tmp_path / "script.py"
    (tmp_path / "seen").mkdir()
    script.write_text(SCRIPT.format(path=sys.path, folder=str(tmp_path / "seen")))
    command = [sys.executable, str(script)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        processes = list(map(int, run.stdout.readline().split()))
        assert len(processes) == 2
        while len(list((tmp_path / "seen").iterdir())) < 2:
            time.sleep(0.05)
        run.send_signal(how)
        run.wait(60)
    assert all_gone(processes)
