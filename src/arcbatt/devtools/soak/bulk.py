"""As many evaluations compared as a machine can in a time: the typed tier against the dynamic one, a process per core.

python -m arcbatt.devtools.soak.bulk --seconds 240 --gpu

With --gpu, one process more compares the GPU with the CPU. A batch is a few hundred random programs, mutants
and splices of all versions of the generator on a few thousand grids, so that compiling them is a small part; at small
budgets the steps are compared too. The last line is a row for the table in docs/trust.md.
"""

from __future__ import annotations

import argparse
import datetime
import multiprocessing
import os
import queue
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from multiprocessing.queues import Queue
from pathlib import Path
from typing import Any, Final

from arcbatt.devtools.generate import VERSIONS
from arcbatt.devtools.soak.agreement import Answer, Load, compared
from arcbatt.language.limits import MAX_STEPS, MAX_TOTAL_STEPS
from arcbatt.support.machine import commit, gpu_models

_BUDGETS: Final = (MAX_STEPS, 3_000_000, 100_000, 2_000)
ON_CPU: Final = Load(("cpu", "dynamic"), 300, 1_500, _BUDGETS, (MAX_TOTAL_STEPS,), tuple(VERSIONS))
ON_GPU: Final = Load(("cpu", "cuda"), 300, 1_500, (MAX_STEPS,), (MAX_TOTAL_STEPS,), tuple(VERSIONS))
_SEEDS: Final = 1_000_000
"""Seeds that each process has for itself."""
_MOST_PROBLEMS: Final = 5
"""After so many a process gives up."""
_REST: Final = 20.0
"""Seconds that a process may take to end after its time."""
Found = tuple[int, Answer | str]
"""A seed and what came of it."""


def work(load: Load, seeds: range, until: float, found: Queue[Found | None]) -> None:
    """Compare seed after seed until the time, of the monotonic clock, has come."""
    problems = 0
    for number in seeds:
        left = until - time.monotonic()
        if left <= 0 or problems == _MOST_PROBLEMS:
            break
        try:
            found.put((number, compared(load, number, longest=left)))
        except Exception as error:  # whatever it is, it is a finding, and the others stand
            problems += 1
            found.put((number, f"{type(error).__name__}: {error}"))
    found.put(None)


class Sums:
    """What all processes found."""

    def __init__(self) -> None:
        self.programs = 0
        self.compared = Counter[str]()
        self.differ = Counter[str]()
        self.problems: list[str] = []

    def add(self, seed: int, answer: Answer | str) -> None:
        """Count what came of a seed."""
        if isinstance(answer, str):
            self.problems.append(f"seed {seed}: {answer}")
            return
        self.programs += answer.programs
        self.compared += answer.compared
        self.differ += answer.differ
        self.problems += [f"seed {seed}: {title}\n{test}" for title, test in answer.tests]

    def rows(self, machine: str) -> list[str]:
        """Rows of the table in docs/trust.md."""
        today = datetime.datetime.now(datetime.UTC).date()
        return [
            f"| {today} | {commit() or '?'} | {machine} | random programs, mutants and splices in bulk: {pair} "
            f"| {count:,} | {self.differ[pair]:,} |"
            for pair, count in sorted(self.compared.items())
        ]


def bulk(seconds: float, seed: int, loads: Sequence[Load]) -> Sums:
    """Compare for so long, each load in a process of its own."""
    context = multiprocessing.get_context("spawn")
    found: Queue[Found | None] = context.Queue()
    until, sums = time.monotonic() + seconds, Sums()
    started: list[Any] = [
        context.Process(target=work, args=(load, range(first, first + _SEEDS), until, found), daemon=True)
        for load, first in zip(loads, range(seed, seed + _SEEDS * len(loads), _SEEDS), strict=True)
    ]
    for process in started:
        process.start()
    running = len(started)
    while running and time.monotonic() < until + _REST:
        try:
            one = found.get(timeout=1.0)
        except queue.Empty:
            continue
        if one is None:
            running -= 1
        else:
            sums.add(*one)
    for process in started:
        process.kill()
        process.join()
        if process.exitcode not in (0, -9):
            sums.problems.append(f"a process ended with {process.exitcode}")
    return sums


def main() -> None:
    """Compare, and print the sums."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=200.0)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seed", type=int, default=int(time.time()) * 1000)
    parser.add_argument(
        "--budgets", type=int, nargs="+", default=_BUDGETS, help="steps of a call, one drawn for a batch"
    )
    parser.add_argument("--totals", type=int, nargs="+", default=(MAX_TOTAL_STEPS,), help="steps of all calls together")
    parser.add_argument("--gpu", action="store_true", help="compare the GPU with the CPU, too")
    parser.add_argument("--out", type=Path, help="write what is printed to this file too")
    given = parser.parse_args()
    start, used = time.monotonic(), os.times()
    on_cpu = replace(ON_CPU, budgets=tuple(given.budgets), totals=tuple(given.totals))
    sums = bulk(given.seconds, given.seed, [on_cpu] * given.processes + [ON_GPU] * given.gpu)
    took, ended = time.monotonic() - start, os.times()
    processor = ended.children_user + ended.children_system - used.children_user - used.children_system
    total = sums.compared.total()
    machine = ", ".join([f"{os.cpu_count()} cores", *gpu_models()[:1]])
    lines = [
        f"seed {given.seed}: {sums.programs:,} programs, {total:,} evaluations compared in {took:.0f} s, "
        f"{total / took:,.0f} a second, {total / max(processor, 1e-9):,.0f} a second of one core",
        *sums.problems,
        f"{sums.differ.total():,} differ, {len(sums.problems)} problems",
        *sums.rows(machine),
    ]
    text = "\n".join(lines)
    print(text)
    if given.out:
        given.out.write_text(text + "\n", encoding="utf-8")
    raise SystemExit(1 if sums.problems or sums.differ else 0)


if __name__ == "__main__":
    main()
