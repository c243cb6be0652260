"""Which engine `auto` takes: found by a clock that the tests turn."""

from __future__ import annotations

import numpy as np
import pytest

from arcbatt.compiler.program_set import compile
from arcbatt.engine import auto, cpu, speeds
from arcbatt.support import machine
from compiler.support import LIBRARY, random_sample
from engine.routes import to_cpu, to_dynamic

COMPILED = compile(LIBRARY[::80])
NAMES = COMPILED.names
SAMPLES = [random_sample(seed) for seed in range(300)]


class Clock:
    now = 0.0

    def perf_counter(self) -> float:
        return self.now


class Timed(cpu.CpuEngine):
    """A CPU engine that takes as long as it is told to: so many seconds a sample."""

    def __init__(self, clock, each, start, log, name):
        super().__init__(COMPILED, threads=1)
        self.clock, self.each, self.log, self.name = clock, each, log, name
        clock.now += start

    def execute(self, request):
        self.clock.now += self.each * len(request.samples)
        self.log.append((self.name, len(request.samples)))
        return super().execute(request)


@pytest.fixture
def clock(monkeypatch, tmp_path):
    monkeypatch.setenv("ARCBATT_CACHE", str(tmp_path))
    made = Clock()
    monkeypatch.setattr(auto, "time", made)
    return made


def engine_of(clock, log, engines, choice=None, more=()):
    """An engine over candidates given by name, seconds a sample and seconds to start."""

    def candidate(name, each, start):
        return auto.Candidate(name, lambda: Timed(clock, each, start, log, name))

    found = [candidate(*one) for one in engines]
    return auto.AutoEngine(COMPILED, found, choice, lambda: [candidate(*one) for one in more])


@pytest.fixture(scope="module")
def want():
    return cpu.CpuEngine(COMPILED).run(SAMPLES, "grid")


def same(got, want):
    for name in ("statuses", "matches", "agreement", "hashes", "done"):
        np.testing.assert_array_equal(getattr(got, name), getattr(want, name), name)
    assert to_dynamic(got) == to_dynamic(want)
    for row in range(len(SAMPLES)):
        for column in range(len(NAMES)):
            ours, theirs = got.grid(row, column), want.grid(row, column)
            assert (ours is None) == (theirs is None)
            assert ours is None or np.array_equal(ours, theirs)


def test_the_faster_one_goes_on(clock, want):
    log = []
    engine = engine_of(clock, log, [("cpu", 0.1, 0), ("cuda", 0.01, 3)])
    seen = []
    same(engine.run(SAMPLES, "grid", progress=seen.append), want)
    assert log == [("cpu", 32), ("cuda", 32), ("cuda", 32), ("cuda", 268)]
    assert engine.backend == "cuda"
    assert seen[-1] == len(SAMPLES)
    assert speeds.known_start("cuda") == pytest.approx(3 + 0.32)


def test_one_that_is_slower_is_left_after_its_trial(clock, want):
    log = []
    engine = engine_of(clock, log, [("cpu", 0.1, 0), ("cuda", 0.2, 3)])
    same(engine.run(SAMPLES, "grid"), want)
    assert log == [("cpu", 32), ("cuda", 32), ("cuda", 32), ("cpu", 268)]


def test_a_start_that_does_not_pay_is_not_made(clock):
    log = []
    speeds.record_start("cuda", 1000.0)
    choice = auto.Choice(evaluations=len(SAMPLES) * len(NAMES))
    engine = engine_of(clock, log, [("cpu", 0.1, 0), ("cuda", 0.01, 3)], choice)
    engine.run(SAMPLES)
    assert log == [("cpu", 32), ("cpu", 268)]
    assert choice.ruled_out == {"cuda": "it takes 1000.0 s to start, the rest 26.8 s"}


def test_until_a_start_was_measured_it_is_taken_to_be_long(clock):
    log = []
    engine_of(clock, log, [("cpu", 0.01, 0), ("cuda", 0.0001, 3)]).run(SAMPLES)
    assert {name for name, _ in log} == {"cpu"}
    log.clear()
    speeds.record_start("cuda", 0.5)
    engine_of(clock, log, [("cpu", 0.01, 0), ("cuda", 0.0001, 3)]).run(SAMPLES)
    assert log[-1] == ("cuda", 268)


def test_what_is_still_to_come_counts(clock):
    log = []
    choice = auto.Choice(evaluations=100 * len(SAMPLES) * len(NAMES))
    engine = engine_of(clock, log, [("cpu", 0.01, 0), ("cuda", 0.001, 3)], choice)
    engine.run(SAMPLES[:40])
    engine.run(SAMPLES[:40])
    assert log == [("cpu", 32), ("cuda", 32), ("cuda", 32), ("cuda", 8), ("cuda", 40)]
    other = engine_of(clock, log := [], [("cpu", 0.01, 0), ("cuda", 0.001, 3)], choice)  # of the next programs
    other.run(SAMPLES[:40])
    assert log == [("cuda", 40)]


def test_shares_grow_until_they_can_be_measured(clock):
    log = []
    engine_of(clock, log, [("cpu", 0.001, 0), ("cuda", 0.0001, 0)]).run(SAMPLES)
    assert log[:3] == [("cpu", 32), ("cpu", 64), ("cpu", 128)]


def test_several_are_tried_after_one(clock, want):
    log = []
    speeds.record_start("two", 2.0)
    engine = engine_of(clock, log, [("cpu", 1.0, 0), ("cuda", 0.1, 3)], more=[("two", 0.05, 2)])
    same(engine.run(SAMPLES, "grid"), want)
    assert [name for name, _ in log] == ["cpu", "cuda", "cuda", "two", "two", "two"]


def test_the_next_programs_begin_with_what_was_chosen(clock):
    choice = auto.Choice()
    choice.rates = {"cpu": 1.0, "cuda": 10.0, "two": 20.0}
    log = []
    engine_of(clock, log, [("cpu", 1.0, 0), ("cuda", 0.1, 3)], choice, [("two", 0.05, 2)]).run(SAMPLES)
    assert log == [("two", len(SAMPLES))]


def test_a_choice_that_fails_for_the_next_programs_is_passed_over(clock, want):
    def fails():
        raise MemoryError("no memory")

    log = []
    choice = auto.Choice(rates={"cpu": 1.0, "cuda": 10.0})
    candidates = [auto.Candidate("cpu", lambda: Timed(clock, 0.1, 0, log, "cpu")), auto.Candidate("cuda", fails)]
    result = auto.AutoEngine(COMPILED, candidates, choice).run(SAMPLES, "grid")
    same(result, want)
    assert result.recovered_errors == {"cuda was not used: MemoryError: no memory": 1}
    assert log == [("cpu", len(SAMPLES))]


@pytest.mark.parametrize("kind", [MemoryError, RuntimeError])
def test_one_that_fails_is_named_and_passed_over(clock, want, kind):
    def fails():
        raise kind("no luck")

    log = []
    candidates = [
        auto.Candidate("cpu", lambda: Timed(clock, 0.1, 0, log, "cpu")),
        auto.Candidate("cuda", fails),
    ]
    result = auto.AutoEngine(COMPILED, candidates).run(SAMPLES, "grid")
    same(result, want)
    assert result.recovered_errors == {f"cuda was not used: {kind.__name__}: no luck": 1}
    assert not to_cpu(result)


def test_a_stop_ends_the_trial(clock):
    log = []
    engine = engine_of(clock, log, [("cpu", 0.1, 0), ("cuda", 0.01, 3)])
    result = engine.run(SAMPLES, stop=lambda: bool(log))
    assert 0 < len(log) <= 3
    assert not result.done.all()


# --- speeds ---
def test_speeds_are_kept_by_machine(tmp_path, monkeypatch):
    speed = speeds.Speed(0.5, 1e6, "2026-11-15")
    speeds.record_speeds({"cpu": speed}, tmp_path)
    speeds.record_start("cuda", 2.5, tmp_path)
    speeds.record_speeds({"cuda": speeds.Speed(3.0, 1e7)}, tmp_path)
    assert speeds.known_speeds(tmp_path)["cpu"] == speed
    assert speeds.known_start("cuda", tmp_path) == 2.5
    monkeypatch.setattr(machine, "_DRIVER", tmp_path)
    (tmp_path / "gpus" / "0000:01:00.0").mkdir(parents=True)
    (tmp_path / "gpus" / "0000:01:00.0" / "information").write_text("Model: \t NVIDIA L4\nIRQ: 7\n")
    assert "NVIDIA L4" in speeds.machine_key()
    assert speeds.known_speeds(tmp_path) == {}
    monkeypatch.undo()
    assert speeds.known_speeds(tmp_path)
    monkeypatch.setattr(speeds, "processor", lambda: "another")
    assert speeds.known_speeds(tmp_path) == {}
    assert speeds.known_start("cuda", tmp_path) is None


def test_a_cache_that_is_broken_or_cannot_be_written_is_none(tmp_path):
    (tmp_path / speeds.FILE).write_text("{")
    assert speeds.known_speeds(tmp_path) == {}
    speeds.record_start("cuda", 1.0, tmp_path / speeds.FILE)  # not a folder
    assert speeds.known_start("cuda", tmp_path) is None


def test_where_two_engines_cross_over():
    slow, fast = speeds.Speed(0.0, 1000.0), speeds.Speed(9.0, 10_000.0)
    assert speeds.crossover(slow, fast) == 10_000
    assert slow.seconds(10_000) == pytest.approx(fast.seconds(10_000))
    assert speeds.crossover(fast, slow) is None
    assert speeds.crossover(speeds.Speed(1.0, 10.0), speeds.Speed(0.5, 20.0)) == 0
    assert speeds.crossover(speeds.Speed(1.0, 10.0), speeds.Speed(0.5, 10.0)) == 0
