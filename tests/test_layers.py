"""Modules form layers, and no two of them need each other."""

from __future__ import annotations

import grimp


def cycles(graph: grimp.ImportGraph) -> list[set[str]]:
    """Sets of modules of which each imports, by way of others, every other one."""
    reach = {
        module: {other for other in graph.find_downstream_modules(module) if other != module}
        for module in graph.modules
    }
    found = {frozenset({one, *(other for other in reach[one] if one in reach[other])}) for one in reach}
    return [set(one) for one in found if len(one) > 1]


def test_no_import_cycles():
    graph = grimp.build_graph("arcbatt")
    assert len(graph.modules) > 150
    assert cycles(graph) == []
