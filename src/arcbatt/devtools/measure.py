"""How fast the engines of this machine are: each measured in its own process, so that its start counts in full.

The programs are the library's, the samples those of ARC-AGI-1; what is found is kept (`engine/speeds.py`).
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from typing import Any, Final

from arcbatt.data.packing import PackedSamples, pack_samples
from arcbatt.data.tasks import load_tasks
from arcbatt.engine.choose import gpu_count, make_engine
from arcbatt.engine.speeds import Speed, crossover, known_speeds, record_speeds, record_start
from arcbatt.engine.waves.ahead import kernels_of
from arcbatt.engine.waves.device_kernels import compile_for_devices
from arcbatt.errors import ArcbattError
from arcbatt.solvers import library

LONG_ENOUGH: Final = 1.0
"""Seconds of a run that says how fast an engine is."""
_FIRST: Final = 16
_MOST_SECONDS: Final = 600


class MeasureError(ArcbattError):
    """An engine could not be measured."""


@dataclass(frozen=True)
class Crossover:
    """From how many evaluations on an engine is faster than another; None if it never is."""

    slower: str
    faster: str
    evaluations: int | None


def engine_names() -> dict[str, tuple[int, ...]]:
    """The engines there are, each with its GPUs."""
    count = gpu_count()
    names: dict[str, tuple[int, ...]] = {"cpu": ()}
    if count:
        names["cuda"] = (0,)
    if count > 1:
        names[f"cuda on {count} GPUs"] = tuple(range(count))
    return names


def measure(report: Callable[[str], None] = lambda text: None) -> dict[str, Speed]:
    """Measure every engine there is and keep what is found."""
    names = engine_names()
    if len(names) > 1:
        report("compiling kernels that are not kept yet")
        compile_for_devices(kernels_of(library()))
    found = {}
    for name, devices in names.items():
        report(f"measuring {name}")
        found[name] = _in_a_process(name, devices)
        record_start(name, found[name].start)
    record_speeds(found)
    return found


def crossovers(speeds: dict[str, Speed] | None = None) -> list[Crossover]:
    """Where each engine takes over from the one before; of speeds measured earlier, if none are given."""
    known = known_speeds() if speeds is None else speeds
    order = sorted(known, key=lambda name: (name != "cpu", len(name)))
    return [Crossover(a, b, crossover(known[a], known[b])) for a, b in pairwise(order)]


def _in_a_process(name: str, devices: Sequence[int]) -> Speed:
    code = "from arcbatt.devtools.measure import main; main()"
    given = json.dumps([name, list(devices)])
    command = [sys.executable, "-c", code, given]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_MOST_SECONDS)
    except subprocess.TimeoutExpired as error:
        raise MeasureError(f"{name} could not be measured within {_MOST_SECONDS} s") from error
    if done.returncode:
        raise MeasureError(f"{name} could not be measured: {done.stderr.strip()[-1000:]}")
    return Speed(**json.loads(done.stdout.splitlines()[-1]))


def speed_of(make: Callable[[], Any], samples: Sequence[Any], long_enough: float = LONG_ENOUGH) -> Speed:
    """The speed of an engine that is still to be made.

    Its start is all that comes before the second run: a first run may have to load code and record launches.
    """
    some = pack_samples(samples[:_FIRST])
    start = time.perf_counter()
    engine = make()
    engine.run(some, "hash", complete=False)
    started = time.perf_counter() - start
    count = _FIRST
    while True:
        more = pack_samples([samples[place % len(samples)] for place in range(count)])
        seconds = _seconds(engine, more)
        if seconds >= long_enough:
            break
        count *= 2
    seconds = sorted([seconds, _seconds(engine, more), _seconds(engine, more)])[1]
    rate = count * len(engine.names) / seconds
    first = len(some) * len(engine.names) / rate  # those of the first run are work, not start
    return Speed(max(0.0, started - first), rate, date.today().isoformat())


def _seconds(engine: Any, samples: PackedSamples) -> float:
    start = time.perf_counter()
    engine.run(samples, "hash", complete=False)
    return time.perf_counter() - start


def main() -> None:
    """Measure the engine that the command line names, and print its speed."""
    name, devices = json.loads(sys.argv[1])
    programs = library()
    samples = [sample for task in load_tasks("arcagi") for sample in task.samples]
    backend = "cpu" if name == "cpu" else "cuda"
    speed = speed_of(lambda: make_engine(backend, programs, devices=tuple(devices)), samples)
    print(json.dumps({"start": speed.start, "rate": speed.rate, "when": speed.when}))
