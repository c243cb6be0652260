"""How a run on a cluster scales, simulated from measured rates: python tools/cluster_simulation.py writes the tables.

Workers have one batch at hand and the next, as in `arcbatt.cluster.crew`; a finished one waits for the driver, which
takes one after the other: it reads the batch, records its rows, and hands out the next. What is assumed stands in
`Assumed`; the costs of the driver are what `python -m arcbatt.devtools.bench.cluster costs` measures.
"""

from __future__ import annotations

import argparse
import heapq
import random
from collections import deque
from dataclasses import dataclass, replace
from typing import NamedTuple

NODES = (1, 2, 3, 4, 8, 16, 64, 256, 1000)
SECONDS = 60.0
"""That are simulated, after as long to get going."""


@dataclass(frozen=True)
class Assumed:
    """Of the machines and of Ray."""

    cores: int = 16
    """Of a node; a worker has 8 of them."""
    dollars_an_hour: float = 0.80
    """Of a node."""
    row_seconds: float = 6.6e-6
    """Of the driver, to read and record a row: measured."""
    row_bytes: float = 38.0
    """Measured."""
    rows: float = 0.2328
    """Of an evaluation: one for each program and task, over 4.3 samples: measured."""
    batch_seconds: float = 1e-3
    """Of the driver for a batch: to hand it out, hear of it and fetch it; 0.7 ms is what one call takes here."""
    waiting_seconds: float = 2e-6
    """Of the driver, for each batch in flight, when it looks which are done."""
    bytes_a_second: float = 1.25e9
    """Of the driver's network: 10 Gbit/s."""
    spread: float = 0.3
    """Of the time of a batch, as the deviation of its logarithm."""


class Load(NamedTuple):
    """Programs, by how many evaluations a core or a GPU does of them in a second."""

    name: str
    rate: float
    workers: int = 2
    """Of a node."""
    threads: int = 8
    most: int = 500_000
    """Evaluations of a batch at most, as `arcbatt.runs.runner` has it."""


LOADS = (
    Load("library, 46,000 a core", 46_000),
    Load("mutants, 20,000 a core", 20_000),
    Load("slow programs, 1,000 a core", 1_000),
    Load("library, one H200 a node, 865,000", 865_000, workers=1, threads=1),
)


class Outcome(NamedTuple):
    """Evaluations a second, and how much of the time workers and the driver were busy; megabytes that wait."""

    rate: float
    workers: float
    driver: float
    waiting: float


def simulate(nodes: int, load: Load, assumed: Assumed, drivers: int = 1, seed: int = 0) -> Outcome:
    """A run on so many nodes, shared out among some drivers with a record each."""
    chance = random.Random(seed)
    workers = max(1, nodes * load.workers // drivers)
    rate = load.rate * load.threads
    size = min(rate, load.most)
    mean = size / rate
    rows = size * assumed.rows
    service = max(
        assumed.batch_seconds + 2 * workers * assumed.waiting_seconds + rows * assumed.row_seconds,
        rows * assumed.row_bytes / assumed.bytes_a_second,
    )
    end = 2 * SECONDS
    running = [(chance.random() * mean, worker) for worker in range(workers)]
    heapq.heapify(running)
    at_hand = [1] * workers
    """Batches that each has beside the one it is at."""
    waiting: deque[int] = deque()
    idle: set[int] = set()
    free, done, most_waiting, busy = 0.0, 0, 0, 0.0

    def begin(worker: int, now: float) -> None:
        nonlocal busy
        seconds = mean * chance.lognormvariate(-(assumed.spread**2) / 2, assumed.spread)
        busy += seconds if now >= SECONDS else 0.0
        heapq.heappush(running, (now + seconds, worker))

    while True:
        next_done = running[0][0] if running else float("inf")
        next_taken = free + service if waiting else float("inf")
        now = min(next_done, next_taken)
        if now >= end:
            break
        if next_done <= next_taken:
            _, worker = heapq.heappop(running)
            if not waiting:
                free = max(free, now)
            waiting.append(worker)
            if at_hand[worker]:
                at_hand[worker] -= 1
                begin(worker, now)
            else:
                idle.add(worker)
        else:
            worker = waiting.popleft()
            free = now
            done += now >= SECONDS
            if worker in idle:
                idle.discard(worker)
                begin(worker, now)
            else:
                at_hand[worker] += 1
        most_waiting = max(most_waiting, len(waiting))
    return Outcome(
        drivers * done * size / SECONDS,
        min(1.0, busy / (workers * SECONDS)),
        min(1.0, done * service / SECONDS),
        most_waiting * rows * assumed.row_bytes / 1e6,
    )


def _drivers_for(nodes: int, load: Load, assumed: Assumed) -> int:
    """The fewest drivers with which workers are busy nine tenths of the time."""
    drivers = 1
    while drivers < nodes and simulate(nodes, load, assumed, drivers).workers < 0.9:
        drivers += max(1, drivers // 4)
    return min(drivers, nodes)


def main() -> None:
    """Print a table for each load."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--core-rate", type=float, help="Nodes of one core, with so many evaluations a second, alone.")
    rate = parser.parse_args().core_rate
    assumed = Assumed()
    for load in [Load(f"one core a node, {rate:,.0f}", rate, workers=1, threads=1)] if rate else LOADS:
        mine = assumed if rate or load.threads > 1 else replace(assumed, dollars_an_hour=4.0)
        print(f"{load.name} a second; a node costs {mine.dollars_an_hour:.2f} dollars an hour\n")
        print("| nodes | evaluations/s | workers busy | driver busy | MB wait | dollars a million | drivers for 90% |")
        print("|---:|---:|---:|---:|---:|---:|---:|")
        for nodes in NODES:
            found = simulate(nodes, load, mine)
            price = nodes * mine.dollars_an_hour / 3600 / found.rate * 1e6
            print(
                f"| {nodes:,} | {found.rate:,.0f} | {found.workers:.0%} | {found.driver:.0%} | {found.waiting:,.0f} "
                f"| {price:.5f} | {_drivers_for(nodes, load, mine):,} |"
            )
        print()


if __name__ == "__main__":
    main()
