"""Some programs cut out of a graph."""

from __future__ import annotations

import pytest

from arcbatt.compiler.check import verify_typed
from arcbatt.compiler.graph import merge
from arcbatt.compiler.lower.subgraph import subgraph
from arcbatt.compiler.pipeline import compile_graph
from arcbatt.compiler.typed import TypedGraph
from compiler.support import LIBRARY


@pytest.fixture(scope="module")
def graph() -> TypedGraph:
    return compile_graph(merge(LIBRARY)).graph


@pytest.mark.parametrize(("first", "step"), [(0, 1), (3, 17), (5, 60), (7, 1000)])
def test_a_subgraph_is_well_formed_and_the_pruned_graph(graph, first, step):
    names = list(graph.outputs)[first::step]
    part = subgraph(graph, names)
    verify_typed(part)
    assert list(part.outputs) == names
    outputs = {name: graph.outputs[name] for name in names}
    pruned = TypedGraph(graph.nodes, graph.depends, graph.can_fail, outputs).pruned()
    assert (part.nodes, part.depends, part.can_fail) == (pruned.nodes, pruned.depends, pruned.can_fail)
    assert part.outputs == pruned.outputs
