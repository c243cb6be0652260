"""The CPU engine against the reference and, if given, against solvers as plain Python functions.

    python benchmarks/engine.py [--solvers FILE] [--baseline FOLDER] [--sample 2000]

FOLDER holds a module `solvers` with a function `solve_<id>(I)` for each program (and what it imports). Everything is
measured in one run on one machine; the engine's figures are medians of up to three with their spread. Programs in
Python are sampled, and an evaluation is cut off after ten seconds and counted as ten.
"""

from __future__ import annotations

import argparse
import importlib
import os
import random
import signal
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from machine import describe

from arcbatt.arc.packing import pack_samples
from arcbatt.arc.tasks import Task, load_tasks
from arcbatt.backends.cpu import Engine
from arcbatt.backends.outputs import STATUS
from arcbatt.backends.python import Sample, evaluate
from arcbatt.frontend import Program, parse_file, parse_program
from arcbatt.solvers import library

CUT_OFF = 10


class _CutOffError(Exception):
    """An evaluation took too long."""


def _stop(*_: Any) -> None:
    raise _CutOffError


def seconds_of(run: Callable[[], Any]) -> tuple[float, bool]:
    """How long an evaluation takes, and whether it was cut off; what it raises does not matter."""
    signal.signal(signal.SIGALRM, _stop)
    start = time.perf_counter()
    signal.alarm(CUT_OFF)
    cut = False
    try:
        run()
    except _CutOffError:
        cut = True
    except Exception:
        pass
    finally:
        signal.alarm(0)
    return time.perf_counter() - start, cut


def spread(values: list[float], unit: float = 1.0, digits: int = 2) -> str:
    """Median, least and greatest."""
    low, middle, high = min(values), statistics.median(values), max(values)
    return f"{middle * unit:.{digits}f} ({low * unit:.{digits}f} to {high * unit:.{digits}f})"


def timed(engine: Engine, data: Any, times: int = 3) -> list[float]:
    """Seconds of whole runs, the reference apart; long ones are not repeated for more than a minute."""
    out: list[float] = []
    while len(out) < times and sum(out) < 60:
        out.append(engine.run(data, complete=False).seconds["run"])
    return out


def everywhere(programs: list[Program], tasks: list[Task], solve: Any, sample: int) -> None:
    """Every program on every input."""
    samples = [one for task in tasks for one in task.samples]
    start = time.perf_counter()
    data = pack_samples(samples)
    packing = time.perf_counter() - start
    print(f"- packing {len(samples):,} samples: {1e3 * packing:.1f} ms, {data.nbytes / 1e6:.1f} MB")
    start = time.perf_counter()
    engine = Engine.of(programs, threads=1)
    code_seconds = time.perf_counter() - start
    print(f"- merge, compile, lower: {code_seconds:.2f} s; {len(engine.code.rejected)} programs not lowered")
    total = len(engine.names) * len(samples)
    done = engine.run(data)
    counts = ", ".join(f"{name} {int((done.statuses == k).sum()):,}" for k, name in enumerate(STATUS))
    print(f"- {total:,} evaluations: {counts}")
    print(f"- arena at most {done.peak_bytes / 2**20:.1f} MiB a thread, grown {done.grown} times")
    fallbacks = ", ".join(f"{why} {count:,}" for why, count in done.fallbacks.most_common()) or "none"
    print(f"- on the reference: {fallbacks}; {done.seconds['reference']:.2f} s longer than the engine took")
    rates = {}
    for threads in sorted({1, os.cpu_count() or 1}):
        engine.threads = threads
        seconds = timed(engine, data)
        rates[threads] = total / statistics.median(seconds)
        each = statistics.median(seconds) / len(samples)
        print(
            f"- engine, {threads} threads: {spread(seconds)} s, {rates[threads]:,.0f} evaluations/s; a sample: "
            f"packing {1e6 * packing / len(samples):.1f} us, run {1e6 * each:.0f} us"
        )
    draw = random.Random(1)
    chosen = [(draw.choice(programs), draw.choice(samples)) for _ in range(sample)]
    compare("the reference", evaluate, chosen, rates[1])
    if solve:
        compare("plain functions", lambda p, s: solve(p)(s.I), chosen, rates[1])


def compare(
    what: str, run: Callable[[Program, Sample], Any], chosen: list[tuple[Program, Sample]], rate: float
) -> None:
    """A sampled side, and how many times faster one thread of the engine is."""
    seconds, cut = [], 0
    for program, sample in chosen:
        one, was_cut = seconds_of(lambda p=program, s=sample: run(p, s))
        seconds.append(one)
        cut += was_cut
    mean = statistics.mean(seconds)
    print(
        f"- {what}, {len(chosen):,} sampled: {1 / mean:,.0f} evaluations/s (median "
        f"{statistics.median(seconds) * 1e3:.3f} ms, mean {mean * 1e3:.2f} ms, {cut} cut off); "
        f"one thread of the engine is {rate * mean:.0f} times faster"
    )


def own_tasks(programs: list[Program], tasks: list[Task], solve: Any) -> None:
    """Every program on the inputs of its own task."""
    by_id = {task.id: task for task in tasks}
    engine_seconds = reference_seconds = plain_seconds = 0.0
    count = 0
    for program in programs:
        if program.id not in by_id:
            continue
        samples = by_id[program.id].samples
        engine = Engine.of([program], threads=1, arena_bytes=1 << 22)
        if engine.code.rejected:
            continue
        data = pack_samples(samples * 50)  # so that starting a run does not weigh
        engine_seconds += statistics.median(timed(engine, data)) / 50
        reference_seconds += sum(seconds_of(lambda s=s, p=program: evaluate(p, s))[0] for s in samples)
        if solve:
            plain_seconds += sum(seconds_of(lambda s=s, p=program: solve(p)(s.I))[0] for s in samples)
        count += len(samples)
    print(f"- {count:,} evaluations: engine {engine_seconds * 1e3:.1f} ms, reference {reference_seconds:.2f} s "
          f"({reference_seconds / engine_seconds:.0f} times)")  # fmt: skip
    if solve:
        print(f"- plain functions {plain_seconds:.2f} s ({plain_seconds / engine_seconds:.0f} times)")


def objects(tasks: list[Task]) -> None:
    """Microseconds a grid of o_g by mode; the cost of an empty program taken off."""
    samples = [one for task in tasks for one in task.samples]
    data = pack_samples(samples)

    def micros(text: str) -> float:
        engine = Engine.of([parse_program(f"def solve_a(I):\n    return {text}\n")], threads=1, arena_bytes=1 << 22)
        return statistics.median(timed(engine, data, 7)) / len(samples) * 1e6

    empty = micros("height(I)")
    modes = ", ".join(f"R{mode} {micros(f'size(o_g(I, R{mode}))') - empty:.2f}" for mode in range(8))
    print(f"- {modes} (starting an item: {empty:.2f})")


def main() -> None:
    """Print the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--solvers", type=Path)
    parser.add_argument("--baseline", type=Path)
    parser.add_argument("--sample", type=int, default=2000)
    options = parser.parse_args()
    programs = parse_file(options.solvers).check() if options.solvers else library()
    solve = None
    if options.baseline:
        sys.path.insert(0, str(options.baseline))
        module = importlib.import_module("solvers")
        solve = lambda program: getattr(module, program.name)  # noqa: E731
    tasks = load_tasks("arcagi")
    source = options.solvers.name if options.solvers else "the library"
    print(f"# CPU engine: {len(programs)} programs of {source}\n")
    print(describe(), "\n")
    print("## objects: microseconds a grid, training inputs, one thread\n")
    objects(tasks)
    print("\n## (a) every program on its own task\n", flush=True)
    own_tasks(programs, tasks, solve)
    print("\n## (b) every program on every training input\n", flush=True)
    everywhere(programs, tasks, solve, options.sample)


if __name__ == "__main__":
    main()
