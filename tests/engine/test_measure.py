from __future__ import annotations

import pytest

from arcbatt.devtools import measure
from arcbatt.engine import cpu
from arcbatt.engine.speeds import Speed, known_speeds, known_start
from compiler.support import LIBRARY, random_sample


class Clock:
    now = 0.0

    def perf_counter(self):
        return self.now


def test_speed_is_what_a_long_run_shows_and_start_what_comes_before(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(measure, "time", clock)
    programs = LIBRARY[:4]

    class Timed(cpu.CpuEngine):
        runs = 0

        def run(self, samples, *args, **options):
            clock.now += 0.01 * len(samples) + (0.5 if not self.runs else 0)
            self.runs += 1
            return super().run(samples, *args, **options)

    def make():
        clock.now += 2.0
        return Timed.of(programs, threads=1)

    speed = measure.speed_of(make, [random_sample(seed) for seed in range(5)])
    assert speed.rate == pytest.approx(4 / 0.01)
    assert speed.start == pytest.approx(2.5)


def test_measured_once_and_kept(monkeypatch, tmp_path):
    monkeypatch.setenv("ARCBATT_CACHE", str(tmp_path))
    speeds = {"cpu": Speed(0.5, 1e5), "cuda": Speed(3.0, 1e6), "cuda on 2 GPUs": Speed(6.0, 2e6)}
    monkeypatch.setattr(measure, "gpu_count", lambda: 2)
    monkeypatch.setattr(measure, "compile_for_devices", lambda _: [])
    monkeypatch.setattr(measure, "_in_a_process", lambda name, devices: speeds[name])
    assert measure.measure() == speeds
    assert known_speeds() == speeds
    assert known_start("cuda") == 3.0
    one, several = measure.crossovers()
    assert (one.slower, one.faster, several.slower, several.faster) == ("cpu", "cuda", "cuda", "cuda on 2 GPUs")
    assert speeds["cpu"].seconds(one.evaluations) == pytest.approx(speeds["cuda"].seconds(one.evaluations), rel=1e-3)
    assert several.evaluations == 6_000_000


def test_an_engine_that_cannot_be_measured_is_named(monkeypatch):
    monkeypatch.setattr(measure.sys, "executable", "false")
    with pytest.raises(measure.MeasureError, match="cuda could not be measured"):
        measure._in_a_process("cuda", (0,))
