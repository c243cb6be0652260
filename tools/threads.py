"""The engines on many threads, for a core built with ThreadSanitizer: what `make tsan` runs.

Every way that threads work side by side: typed code with arenas that grow, the dynamic tier with a custom operation of
Python, runs that are stopped, batches of calls, profiles, and callers that are threads themselves. What they give is
that of one thread; that they do not meet in memory is what the sanitizer looks for.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np

import arcbatt
from arcbatt.calls.custom import op
from arcbatt.calls.many import call_many
from arcbatt.compiler.program_set import CompiledSet, compile
from arcbatt.data.packing import pack_samples
from arcbatt.devtools.verify.workload import random_batch
from arcbatt.engine.api import RunRequest
from arcbatt.engine.cpu import CpuEngine, CpuTier
from arcbatt.engine.dynamic import DynamicTier
from arcbatt.engine.outputs import Outputs
from arcbatt.language.sample import Sample
from arcbatt.solvers import library
from arcbatt.syntax import parse_program

THREADS = 8
STEPS = 200_000
_CUSTOM = """
def solve_custom(I):
    return apply(rbind(turned, ONE), astuple(I, rot90(I)))
"""


def engine(compiled: CompiledSet, threads: int) -> CpuEngine:
    """Arenas are small at first, so that they grow."""
    return CpuEngine(compiled, threads=threads, arena_bytes=1 << 14)


def dynamic(compiled: CompiledSet, samples: list[Sample], threads: int, stop: Callable[[], bool]) -> Outputs:
    """Every evaluation on the dynamic tier."""
    request = RunRequest(pack_samples(samples), "grid", max_steps=STEPS, stop=stop)
    outputs = Outputs.empty(compiled.names, len(samples), "grid")
    outputs.done[:] = True
    tier = DynamicTier(compiled, threads=threads)
    tier.run(request, outputs, np.ones_like(outputs.matches), request.tell)
    return outputs


def same(a: Outputs, b: Outputs) -> None:
    """Two runs gave the same."""
    for one, other in ((a.statuses, b.statuses), (a.matches, b.matches), (a.hashes, b.hashes)):
        assert one is not None
        assert np.array_equal(one, other)


def side_by_side(work: Callable[[], object]) -> None:
    """The same on several threads of Python."""
    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def main() -> None:
    """Run everything once."""

    def turned(grid: tuple[tuple[int, ...], ...], n: int) -> tuple[tuple[int, ...], ...]:
        """The grid with its rows turned by so many places."""
        return grid[n:] + grid[:n]

    op("Grid, Int -> Grid", name="turned")(turned)
    batch = random_batch(120, 1, samples=48)
    compiled = compile([*batch.programs, *library()[::6], parse_program(_CUSTOM)])
    tier = engine(compiled, THREADS)
    whole = tier.run(batch.samples, "grid", max_steps=STEPS)
    same(whole, engine(compiled, 1).run(batch.samples, "grid", max_steps=STEPS))
    print(f"typed: {whole.statuses.size:,} evaluations, arenas grew {whole.grown} times")
    same(dynamic(compiled, batch.samples, THREADS, lambda: False), dynamic(compiled, batch.samples, 1, lambda: False))
    print(f"dynamic: {whole.statuses.size:,} evaluations")
    for asked in range(3):
        countdown = itertools.chain([False] * asked, itertools.repeat(True))
        tier.run(batch.samples, "grid", stop=countdown.__next__)
        countdown = itertools.chain([False] * asked, itertools.repeat(True))
        dynamic(compiled, batch.samples, THREADS, countdown.__next__)
    side_by_side(lambda: tier.run(batch.samples[:12], "hash", max_steps=STEPS))
    side_by_side(lambda: engine(compiled, 2).values(batch.samples[0], STEPS))
    side_by_side(lambda: dynamic(compiled, batch.samples[:6], 2, lambda: False))
    grids = [(sample.I,) for sample in batch.samples] * 20
    side_by_side(lambda: call_many("dedupe", grids, backend="cpu", threads=THREADS))
    side_by_side(lambda: call_many("turned", [(*row, 1) for row in grids[:50]], backend="cpu", threads=THREADS))
    first = tier.for_steps(STEPS).first
    assert isinstance(first, CpuTier)
    first.watched(pack_samples(batch.samples), STEPS)
    print(f"{Path(arcbatt.__file__).parent}: no thread met another")


if __name__ == "__main__":
    main()
