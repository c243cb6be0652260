"""All passes in order, and what each of them found."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from arcbatt.compiler.graph import Graph
from arcbatt.compiler.rewrites import Rewrites
from arcbatt.compiler.specialize import specialize
from arcbatt.compiler.typed import TypedGraph, body_nodes
from arcbatt.support.collecting import collecting_later

COUNTED: Final = ("folded", "simplified", "body_shared", "hoisted")
"""What is counted while a graph is brought to first-order form."""


@dataclass
class Stats:
    """What merging and the rewrites found; every figure is a count but the seconds."""

    programs: int = 0
    calls: int = 0
    """Calls in the programs, as written."""
    merged_calls: int = 0
    """Calls that are left when equal ones are one."""
    resolved: int = 0
    unresolved: dict[str, str] = field(default_factory=dict)
    nodes: int = 0
    body_nodes: int = 0
    folded: int = 0
    simplified: int = 0
    body_shared: int = 0
    hoisted: int = 0
    classes: dict[str, int] = field(default_factory=dict)
    """Nodes by what they depend on."""
    seconds: float = 0.0


@dataclass
class Compiled:
    """A first-order graph and how it came about."""

    graph: TypedGraph
    stats: Stats


@collecting_later()
def compile_graph(graph: Graph, rewrites: Rewrites | None = None) -> Compiled:
    """A merged graph through every pass that is on."""
    rewrites = rewrites or Rewrites()
    start = time.perf_counter()
    top = specialize(graph, rewrites)
    typed = top.graph.pruned()
    counts = {name: getattr(top, name) for name in COUNTED}
    stats = stats_of(graph, typed, counts)
    stats.seconds = time.perf_counter() - start
    return Compiled(typed, stats)


def stats_of(graph: Graph, typed: TypedGraph, counts: Mapping[str, int]) -> Stats:
    """What merging and the rewrites found; `counts` are those of rewrites, by name."""
    return Stats(
        programs=len(graph.outputs),
        calls=graph.calls_read,
        merged_calls=sum(1 for _ in graph.calls()),
        resolved=len(typed.outputs),
        unresolved=dict(typed.unresolved),
        nodes=len(typed.nodes),
        body_nodes=sum(1 for node in typed.nodes for _ in body_nodes(node)),
        classes=typed.class_counts(),
        **counts,
    )
