"""What the host does for mutants of the library before a GPU runs them, by stage, in seconds of a core; needs no GPU.

    python tools/wave_host.py [--mutants 1000 5000 20000] [--samples 200] [--processes 2]

The GPU is the one that tests use (tests/engine/fake_cupy.py), whose launches do nothing here: plans are laid out and
graphs recorded as for a real one, less what CuPy itself takes. A stage that grows faster than the programs shows by
its microseconds a program. What stands in brackets is not of a first run, or not of this process, which compiles the
first group itself.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from arcbatt.compiler.graph import Graph, merge
from arcbatt.compiler.lower.lower import lower
from arcbatt.compiler.program_set import CompiledSet
from arcbatt.compiler.waves import Schedule, scheduled
from arcbatt.data.packing import PackedSamples, pack_samples
from arcbatt.data.tasks import load_tasks
from arcbatt.devtools.generate import mutants
from arcbatt.engine.gpu import PartsTier
from arcbatt.engine.parted import PartedSet
from arcbatt.engine.waves import kernels
from arcbatt.engine.waves.heap import Heap
from arcbatt.engine.waves.runner import LINES, WaveRunner
from arcbatt.solvers import library
from engine import fake_cupy

_GROUP = 5000
"""Programs of a schedule (engine/waves/engine.py)."""
_HEAP_WORDS = 1 << 31
"""Room for any of these plans; memory that is not touched costs nothing."""


class Stages:
    """Seconds of a core by stage."""

    def __init__(self) -> None:
        self.took: dict[str, float] = defaultdict(float)

    def run(self, name: str, work: Callable[[], Any]) -> Any:
        """Do something, and count it."""
        gc.collect()
        start = time.process_time()
        found = work()
        self.took[name] += time.process_time() - start
        return found


def measured(count: int, samples: PackedSamples, processes: int) -> Stages:
    """All stages of so many mutants."""
    stages, programs = Stages(), list(mutants(library(), count, 7))
    graph = stages.run("merge", lambda: merge(programs))
    fake = fake_cupy.module(free=1 << 34)
    heap = Heap.resident(fake, _HEAP_WORDS, LINES)
    for plan in parted(stages, graph, processes) if count > _GROUP else whole(stages, graph):
        runner = stages.run("kernels, by name", lambda plan=plan: WaveRunner(fake, plan, heap=heap))
        laid = stages.run("plan, launches", lambda runner=runner: runner.prepare(samples))
        stages.run("graphs", lambda laid=laid, runner=runner: laid.replay(runner.stream))
        laid.settle()
        stages.run("(launches of a second run)", laid.begin)
    return stages


def whole(stages: Stages, graph: Graph) -> Iterator[Schedule]:
    """Programs of one group."""
    compiled = CompiledSet(graph)
    stages.run("typing", lambda: compiled.typed)
    stages.run("bytecode of the CPU", compiled.code)
    code = stages.run("bytecode of waves", lambda: lower(compiled.typed, columns=False, reuse=False))
    yield stages.run("schedule", lambda: scheduled(code))


def parted(stages: Stages, graph: Graph, processes: int) -> Iterator[Schedule]:
    """Programs of several groups, compiled by processes."""
    compiled = PartedSet(graph, size=_GROUP, processes=processes)
    before = os.times()
    parts = stages.run("groups compiled, or handed out and taken in", lambda: compiled.parts)
    after = os.times()
    stages.took["(by other processes)"] += sum(after[2:4]) - sum(before[2:4])
    stages.run("groups joined", lambda: compiled.typed)
    tier = PartsTier(compiled, threads=1)
    stages.run("the check of bytecode", tier.refused)
    yield from (part.waves for part in parts)


def _launched(self: Any, *_: Any) -> None:
    if self.fake.captured is not None:
        self.fake.captured.append(lambda: None)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mutants", type=int, nargs="+", default=[1000, 5000])
    parser.add_argument("--samples", type=int, default=200)
    parser.add_argument("--processes", type=int, default=0, help="that compile groups, of more than one")
    options = parser.parse_args()
    fake_cupy._Function.__call__ = _launched
    kernels.compiled = fake_cupy.compiled_waves
    every = [sample for task in load_tasks("arcagi") for sample in task.samples]
    samples = pack_samples(every[:: max(1, len(every) // options.samples)][: options.samples])
    for count in options.mutants:
        took = measured(count, samples, options.processes).took
        whole = sum(seconds for name, seconds in took.items() if not name.startswith("("))
        print(f"| {count} mutants | seconds | of all | us a program |\n|---|---|---|---|")
        for name, seconds in took.items():
            print(f"| {name} | {seconds:.2f} | {seconds / whole:.0%} | {1e6 * seconds / count:.0f} |")
        print(f"| a first run | {whole:.2f} | | {1e6 * whole / count:.0f} |\n", flush=True)


if __name__ == "__main__":
    main()
