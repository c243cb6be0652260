"""How many nodes each rewrite leaves, how long card takes, and how it scales to generated mutants.

    python benchmarks/card.py [--solvers FILE] [--mutants 100000]

Every figure is of one run on one machine; the seconds are medians of five with their spread.
"""

from __future__ import annotations

import argparse
import statistics
import time
from dataclasses import replace
from pathlib import Path

from machine import describe, peak_mebibytes

from arcbatt.frontend import Program, parse_file
from arcbatt.generate import mutants
from arcbatt.ir.compile import compile_graph
from arcbatt.ir.graph import merge
from arcbatt.ir.options import Rewrites
from arcbatt.solvers import library


def measured(programs: list[Program], rewrites: Rewrites) -> tuple[int, int, int, str]:
    """Nodes, nodes in bodies, programs left to the reference, and seconds for merge and compile together."""
    seconds = []
    for _ in range(5):
        start = time.perf_counter()
        result = compile_graph(merge(programs, commutative=rewrites.commutative), rewrites)
        seconds.append(time.perf_counter() - start)
    stats = result.stats
    spread = f"{statistics.median(seconds):.3f} ({min(seconds):.3f} to {max(seconds):.3f})"
    return stats.nodes, stats.body_nodes, len(stats.unresolved), spread


def table(programs: list[Program]) -> str:
    """Nodes left with every rewrite on, all off, and each off alone."""
    rows = ["| rewrites | nodes | in bodies | on the reference | seconds |", "|---|---|---|---|---|"]
    choices = {"all on": Rewrites(), "all off": Rewrites.none()}
    choices |= {f"without {name}": replace(Rewrites(), **{name: False}) for name in Rewrites.names()}
    for name, rewrites in choices.items():
        nodes, inner, left, seconds = measured(programs, rewrites)
        rows.append(f"| {name} | {nodes:,} | {inner:,} | {left} | {seconds} |")
    return "\n".join(rows)


def scale(programs: list[Program], count: int) -> str:
    """Merging and compiling so many mutants."""
    crowd = list(mutants(programs, count, seed=1))
    start = time.perf_counter()
    graph = merge(crowd)
    merged = time.perf_counter()
    result = compile_graph(graph)
    done = time.perf_counter()
    stats = result.stats
    return (
        f"{count:,} mutants: {stats.calls:,} calls as written, {stats.merged_calls:,} after sharing, "
        f"{stats.nodes:,} nodes; "
        f"merge {merged - start:.1f} s, compile {done - merged:.1f} s, {stats.resolved:,} first-order "
        f"({100 * stats.resolved / stats.programs:.2f}%), peak memory {peak_mebibytes():,.0f} MiB"
    )


def main() -> None:
    """Print the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--solvers", type=Path)
    parser.add_argument("--mutants", type=int, default=100_000)
    options = parser.parse_args()
    programs = parse_file(options.solvers).check() if options.solvers else library()
    graph = merge(programs)
    lines = sum(len(program.lines) + 1 for program in programs)
    print(f"# card: {len(programs)} programs{f' of {options.solvers.name}' if options.solvers else ', the library'}\n")
    print(describe(), "\n")
    print(f"{lines:,} lines, {graph.calls_read:,} calls, {sum(1 for _ in graph.calls()):,} after exact sharing\n")
    print(table(programs), "\n")
    for program, reason in compile_graph(graph).graph.unresolved.items():
        print(f"- {program}: {reason}")
    for count in (options.mutants // 10, options.mutants):
        print("\n" + scale(programs, count), flush=True)


if __name__ == "__main__":
    main()
