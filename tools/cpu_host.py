"""What the host does for mutants of the library before a CPU runs them, as `arcbatt run` does: in seconds of a core.

    python tools/cpu_host.py [--mutants 5000 20000] [--compilers 0 1] [--slice 1000]

They are read from text; then each slice of them is merged, compiled and loaded, here or by other processes. Those
start for every row of the table anew; what they take is told apart.
"""

from __future__ import annotations

import argparse
import gc
import os
import time
from collections.abc import Sequence
from functools import partial

from arcbatt.compiler.graph import merge
from arcbatt.devtools.generate import mutants
from arcbatt.engine.compilers import CompiledAhead
from arcbatt.engine.cpu import CpuTier
from arcbatt.language.program import Program, unparse
from arcbatt.solvers import library
from arcbatt.syntax import parse_text


def read(count: int) -> tuple[list[Program], float]:
    """So many mutants, and the seconds that reading their text takes."""
    text = "\n\n".join(map(unparse, mutants(library(), count, 7)))
    gc.collect()
    start = time.process_time()
    return parse_text(text).programs, time.process_time() - start


def compiled(slices: Sequence[Sequence[Program]], processes: int) -> tuple[float, float]:
    """Seconds that all slices take until they are loaded: of this process, and of the others."""
    gc.collect()
    start, before = time.process_time(), os.times()
    with CompiledAhead([partial(merge, one) for one in slices], processes) as ahead:
        for number in range(len(slices)):
            _ = CpuTier(ahead.take(number)).loaded
    assert not ahead.errors
    took, after = time.process_time() - start, os.times()
    return took, sum(after[2:4]) - sum(before[2:4])


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mutants", type=int, nargs="+", default=[5000])
    parser.add_argument("--compilers", type=int, nargs="+", default=[0, 1])
    parser.add_argument("--slice", type=int, default=1000)
    options = parser.parse_args()
    print("| mutants | compilers | read | merged, compiled, loaded: here | by compilers | here, us a program |")
    print("|---|---|---|---|---|---|")
    for count in options.mutants:
        programs, reading = read(count)
        slices = [programs[first : first + options.slice] for first in range(0, len(programs), options.slice)]
        for processes in options.compilers:
            here, there = compiled(slices, processes)
            each = 1e6 * (reading + here) / count
            print(f"| {count} | {processes} | {reading:.2f} | {here:.2f} | {there:.2f} | {each:.0f} |", flush=True)


if __name__ == "__main__":
    main()
