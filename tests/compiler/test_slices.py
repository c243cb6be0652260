from __future__ import annotations

import numpy as np
import pytest

from arcbatt.compiler.abi import SLICE, SLICE_OUTPUT
from arcbatt.compiler.check import verify_typed
from arcbatt.compiler.graph import merge
from arcbatt.compiler.lower.slices import choose, needed, node_cost, slice_graph, subgraph
from arcbatt.compiler.pipeline import compile_graph
from arcbatt.compiler.typed import TypedGraph
from compiler.support import LIBRARY


@pytest.fixture(scope="module")
def graph() -> TypedGraph:
    return compile_graph(merge(LIBRARY)).graph


@pytest.mark.parametrize("count", [1, 7, 100])
def test_every_program_is_in_one_slice(graph, count):
    slices = choose(graph, count)
    assert len(slices) <= count
    assert sorted(name for names in slices for name in names) == sorted(graph.outputs)


def test_slices_are_about_equal_and_share(graph):
    """No slice costs more than the share of the whole and its costliest program; sharing is not all lost."""
    costs = [node_cost(node) for node in graph.nodes]
    alone = {name: sum(costs[node] for node in needed(graph, root)) for name, root in graph.outputs.items()}
    slices = choose(graph, 16)
    weights = [sum(map(node_cost, subgraph(graph, names).nodes)) for names in slices]
    assert max(weights) <= sum(alone.values()) / 16 + max(alone.values())
    assert sum(weights) < sum(alone.values())


def test_subgraphs_are_well_formed(graph):
    for names in choose(graph, 30)[::5]:
        part = subgraph(graph, names)
        verify_typed(part)
        assert list(part.outputs) == names


def test_the_table_says_where_things_are(graph):
    sliced = slice_graph(graph, 10)
    columns = {name: column for column, name in enumerate(graph.outputs)}
    words, table = sliced.blob(columns)
    assert table.shape == (len(sliced.codes), SLICE.words)
    seen = []
    for code, row in zip(sliced.codes, map(SLICE.read, table), strict=True):
        np.testing.assert_array_equal(words[row["code"] :][: len(code.words)], np.array(code.words) & 0xFFFFFFFF)
        np.testing.assert_array_equal(words[row["image"] :][: row["image_words"]], np.array(code.image) & 0xFFFFFFFF)
        slots = [row[f"{name}_slot"] for name in ("input", "samples", "expected")]
        assert slots == [code.inputs.get(name, 0) for name in ("I", "S", "C")]
        outputs = words[row["outputs"] :][: SLICE_OUTPUT.words * row["output_count"]].view(SLICE_OUTPUT.dtype)
        seen += outputs["column"].tolist()
    assert seen == [columns[name] for name in sliced.names]
    assert set(sliced.names) | set(sliced.rejected) == set(graph.outputs)


def test_a_subgraph_is_the_pruned_graph(graph):
    for names in choose(graph, 30)[::7]:
        outputs = {name: graph.outputs[name] for name in names}
        pruned = TypedGraph(graph.nodes, graph.depends, graph.can_fail, outputs).pruned()
        part = subgraph(graph, names)
        assert (part.nodes, part.depends, part.can_fail) == (pruned.nodes, pruned.depends, pruned.can_fail)
        assert part.outputs == pruned.outputs


def dealt(graph: TypedGraph, count: int) -> list[list[str]]:
    """What `choose` does, one slice after the other."""
    costs = [node_cost(node) for node in graph.nodes]
    needs = {name: needed(graph, root) for name, root in graph.outputs.items()}
    total = {name: sum(costs[node] for node in nodes) for name, nodes in needs.items()}
    share = sum(total.values()) / count
    slices: list[tuple[list[str], set[int]]] = []
    for name in sorted(needs, key=lambda name: (-total[name], name)):
        growth = [sum(costs[node] for node in needs[name] - held) for _, held in slices]
        weights = [sum(costs[node] for node in held) for _, held in slices]
        fitting = [k for k in range(len(slices)) if weights[k] + growth[k] <= share]
        best = min(fitting, key=lambda k: growth[k], default=None)
        if best is None or (len(slices) < count and 2 * growth[best] > total[name]):
            if len(slices) < count:
                best = len(slices)
                slices.append(([], set()))
            else:
                best = weights.index(min(weights))
        slices[best][0].append(name)
        slices[best][1].update(needs[name])
    return [names for names, held in sorted(slices, key=lambda one: -sum(costs[node] for node in one[1]))]


@pytest.mark.parametrize("count", [1, 5, 60])
def test_programs_are_dealt_as_said(graph, count):
    assert choose(graph, count) == dealt(graph, count)
