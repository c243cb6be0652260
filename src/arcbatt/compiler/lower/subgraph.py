"""Some programs of a graph: cut out of it, and lowered without those that cannot be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from arcbatt.compiler.internal_errors import made_of_most
from arcbatt.compiler.lower.lower import Code, lower
from arcbatt.compiler.typed import TypedGraph, node_inputs, with_inputs


def needed(graph: TypedGraph, roots: Iterable[int]) -> set[int]:
    """The nodes that outputs depend on."""
    seen: set[int] = set()
    pending = list(roots)
    while pending:
        node = pending.pop()
        if node not in seen:
            seen.add(node)
            pending += node_inputs(graph.nodes[node])
    return seen


def subgraph(graph: TypedGraph, names: Sequence[str]) -> TypedGraph:
    """The graph for some of its outputs, without what they do not need."""
    kept = sorted(needed(graph, [graph.outputs[name] for name in names]))
    place = {node: new for new, node in enumerate(kept)}
    return TypedGraph(
        [with_inputs(graph.nodes[node], place) for node in kept],
        [graph.depends[node] for node in kept],
        [graph.can_fail[node] for node in kept],
        {name: place[graph.outputs[name]] for name in names},
        bounds={name: graph.bounds[name] for name in names if name in graph.bounds},
    )


def lower_most(graph: TypedGraph, *, columns: bool = True, without: Mapping[str, str] | None = None) -> Code:
    """As `lower`; programs over which that fails in a way nobody had foreseen are rejected too."""

    def lowered(names: list[str]) -> Code:
        part = graph if len(names) == len(graph.outputs) else subgraph(graph, names)
        return lower(part, columns=columns, without=without)

    code, errors = made_of_most(list(graph.outputs), lowered, "lowering")
    code.internal_errors = graph.internal_errors | errors
    code.rejected = graph.unresolved | code.rejected | {name: str(error) for name, error in errors.items()}
    return code
