"""What ran evaluations, and how long programs take: said of every engine, and adding up."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from arcbatt.engine import paces as timing
from arcbatt.engine.auto import AutoEngine, Candidate
from arcbatt.engine.choose import make_engine
from arcbatt.engine.cpu import CpuEngine
from arcbatt.engine.gather import Gathered
from arcbatt.engine.outputs import Outputs, Route
from arcbatt.language.sample import Sample
from arcbatt.syntax import parse_text

PROGRAMS = parse_text(
    """
def solve_quick(I):
    return vmirror(I)

def solve_slow(I):
    return paint(I, merge(prapply(shift, objects(I, T, F, F), neighbors(ORIGIN))))

def solve_dynamic(I):
    return first(insert(I, initset(ZERO)))
"""
).programs
SAMPLES = [Sample(((1, 2, k), (3, 4, 5)), ((((1,),), ((1,),)),), None) for k in range(4)]


@pytest.mark.parametrize("backend", ["cpu", "python"])
def test_every_evaluation_ran_somewhere(backend):
    engine = make_engine(backend, PROGRAMS, threads=1)
    outputs = engine.run(SAMPLES, "grid")
    ran = outputs.ran_on()
    assert sum(ran.values()) == len(SAMPLES) * len(PROGRAMS)
    assert ran - outputs_by_tier(outputs) == {backend: outputs.statuses.size - outputs.rerouted().total()}
    assert sum(outputs.ran_on(slice(0, 3)).values()) == 3 * len(PROGRAMS)


def outputs_by_tier(outputs: Outputs) -> Counter[str]:
    found = Counter[str]()
    for route, count in outputs.rerouted().items():
        found[route.tier] += count
    return found


def test_workers_and_auto_say_it_too():
    with_workers = make_engine("cpu", PROGRAMS, threads=2, workers=2)
    assert sum(with_workers.run(SAMPLES).ran_on().values()) == len(SAMPLES) * len(PROGRAMS)
    compiled = with_workers.compiled
    auto = AutoEngine(compiled, [Candidate("cpu", lambda: CpuEngine(compiled, threads=1))])
    assert auto.run(SAMPLES).ran_on() == CpuEngine(compiled, threads=1).run(SAMPLES).ran_on()


def test_parts_of_several_devices_add_up():
    gathered = Gathered(["a", "b"], 6, "match")
    for rows, device in (([0, 3], "cuda:0"), ([1, 2, 4], "cuda:1"), ([5], "cuda:0")):
        part = Outputs.empty(["a", "b"], len(rows), "match")
        part.devices = [device]
        part.done[:] = True
        part.route[0, 1] = part.route_number(Route("dynamic", "escape"))
        gathered.put(np.array(rows), part)
    whole = gathered.finished(1.0)
    assert whole.ran_on() == {"cuda:0": 4, "cuda:1": 5, "dynamic": 3}
    whole.done[0] = False
    assert whole.ran_on() == {"cuda:0": 3, "cuda:1": 5, "dynamic": 2}


@pytest.mark.parametrize("workers", [None, 1])
def test_every_program_is_timed(workers):
    paces = make_engine("cpu", PROGRAMS, threads=1, workers=workers).paces(SAMPLES)
    assert paces.keys() == {program.name for program in PROGRAMS}
    assert all(seconds > 0 for seconds in paces.values())


def test_timing_the_dynamic_tier_ends(monkeypatch):
    engine = CpuEngine.of(PROGRAMS, threads=1)
    monkeypatch.setattr(timing, "DYNAMIC_SECONDS", 0.0)
    assert timing.dynamic_seconds(engine.dynamic, engine.names, SAMPLES) == {}


def test_the_reference_times_nothing():
    assert make_engine("python", PROGRAMS).paces(SAMPLES) == {}
