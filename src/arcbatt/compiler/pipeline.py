"""All passes in order, and what each of them found."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from arcbatt.compiler.graph import INVOKE, Graph
from arcbatt.compiler.passes.groups import group_objects, group_traversals
from arcbatt.compiler.rewrites import Rewrites
from arcbatt.compiler.specialize import specialize
from arcbatt.compiler.typed import TypedGraph, body_nodes
from arcbatt.language.spec import Kind
from arcbatt.language.table import OPS


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
    sample_patterns: int = 0
    """Nodes that extract or walk the demonstrations and depend on S alone: run once a task."""
    object_groups: int = 0
    traversal_groups: int = 0
    seconds: float = 0.0


@dataclass
class Compiled:
    """A first-order graph and how it came about."""

    graph: TypedGraph
    stats: Stats


def compile_graph(graph: Graph, rewrites: Rewrites | None = None) -> Compiled:
    """A merged graph through every pass that is on."""
    rewrites = rewrites or Rewrites()
    start = time.perf_counter()
    top = specialize(graph, rewrites)
    typed = top.graph.pruned()
    object_groups = traversal_groups = 0
    if rewrites.group_objects:
        typed, object_groups = group_objects(typed)
    if rewrites.group_traversals:
        typed, traversal_groups = group_traversals(typed)
    stats = Stats(
        programs=len(graph.outputs),
        calls=graph.calls_read,
        merged_calls=sum(1 for _ in graph.calls()),
        resolved=len(typed.outputs),
        unresolved=dict(typed.unresolved),
        nodes=len(typed.nodes),
        body_nodes=sum(1 for node in typed.nodes for _ in body_nodes(node)),
        folded=top.folded,
        simplified=top.simplified,
        body_shared=top.body_shared,
        hoisted=top.hoisted,
        classes=typed.class_counts(),
        sample_patterns=len(sample_pattern(graph)),
        object_groups=object_groups,
        traversal_groups=traversal_groups,
        seconds=time.perf_counter() - start,
    )
    return Compiled(typed, stats)


def sample_pattern(graph: Graph) -> list[int]:
    """The first batch pattern: `apply(first, S)`, `apply(second, S)`, and loops over those alone."""
    members: list[int] = []
    known: set[int] = set()
    for index, node in enumerate(graph.nodes):
        if node.op == INVOKE or node.op not in OPS or OPS[node.op].kind is not Kind.LOOP or OPS[node.op].arity != 2:
            continue
        function, container = node.args if OPS[node.op].function_place == 0 else node.args[::-1]
        over = graph.nodes[container]
        extracts = (
            over.op == "input" and over.args == ("S",) and graph.nodes[function].args in (("first",), ("second",))
        )
        if extracts or container in known:
            known.add(index)
            members.append(index)
    return members
