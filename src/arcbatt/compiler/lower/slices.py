"""A graph cut into slices: programs that run one after the other on one sample, each slice with its own code.

One slice for everything shares all that programs have in common but leaves a big GPU idle, since there are only as many
work items as samples; one slice per program shares nothing. Programs that need the same costly nodes are put together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arcbatt.compiler.abi import CODES, FIRST_LOOP, SLICE, SLICE_OUTPUT, TYPE_DESC
from arcbatt.compiler.internal_errors import InternalErrors, made_of_most
from arcbatt.compiler.lower.lower import Code, lower
from arcbatt.compiler.lower.shapes import shape_of
from arcbatt.compiler.typed import TypedGraph, TypedNode, body_nodes, node_inputs, with_inputs

_LOOP_COST: Final = 16
"""What a node in a loop body counts against one outside: the usual number of items."""
_NEVER: Final = np.iinfo(np.int64).max


@dataclass(frozen=True)
class Sliced:
    """Slices of a graph, each lowered by itself."""

    codes: tuple[Code, ...]
    costs: tuple[int, ...]
    """What a slice is thought to cost, to start the long ones first."""
    names: tuple[str, ...]
    """Every lowered program, in the order of the columns of results."""
    rejected: dict[str, str]
    internal_errors: InternalErrors = field(default_factory=dict)
    """Of the programs that were rejected, those over which arcbatt itself failed."""
    straight: int = 0
    """How many slices have no loops; these come first."""

    def blob(self, columns: dict[str, int]) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        """The words of all slices in one array, and a table of where each slice's lie (rows of abi.SLICE).

        `columns` says where among the results each program's go.
        """
        parts: list[NDArray[np.uint32]] = []
        length = 0

        def place(part: Sequence[int] | NDArray[np.uint32]) -> int:
            nonlocal length
            at = length
            words = np.zeros(-(-len(part) // 4) * 4, np.int64)
            words[: len(part)] = part
            parts.append(words.astype(np.uint32))
            length += len(words)
            return at

        def outputs_of(code: Code) -> NDArray[np.uint32]:
            rows = [
                (slot, code.types.number(kind), columns[name], place(shape_of(kind)), len(shape_of(kind)))
                for name, (slot, kind) in code.outputs.items()
            ]
            return SLICE_OUTPUT.rows(rows)

        table = np.zeros((len(self.codes), SLICE.words), np.uint32)
        for row, code in zip(table, self.codes, strict=True):
            row[:] = SLICE.filled(
                code=place(code.words),
                types=place(TYPE_DESC.rows(code.types.rows)),
                parts=place(code.types.parts),
                image=place(code.image),
                image_words=len(code.image),
                outputs=place(outputs_of(code)),
                output_count=len(code.outputs),
                input_slot=code.inputs.get("I", 0),
                samples_slot=code.inputs.get("S", 0),
                expected_slot=code.inputs.get("C", 0),
            )
        return np.concatenate([np.zeros(0, np.uint32), *parts]), table


def node_cost(node: TypedNode) -> int:
    """A guess at what a node costs: how many calls it makes."""
    return 1 + _LOOP_COST * sum(1 for _ in body_nodes(node))


def needed(graph: TypedGraph, root: int) -> frozenset[int]:
    """The nodes an output depends on."""
    seen: set[int] = set()
    pending = [root]
    while pending:
        node = pending.pop()
        if node not in seen:
            seen.add(node)
            pending += node_inputs(graph.nodes[node])
    return frozenset(seen)


def subgraph(graph: TypedGraph, names: Sequence[str]) -> TypedGraph:
    """The graph for some of its outputs, without what they do not need."""
    kept = sorted(frozenset().union(*(needed(graph, graph.outputs[name]) for name in names)))
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


def choose(graph: TypedGraph, count: int) -> list[list[str]]:
    """Programs divided into at most `count` slices of about equal cost, those that share much together.

    Programs are taken by falling cost; each goes to the slice that grows least by it among those still below their
    share of the whole cost, or to the lightest.
    """
    costs = np.array([node_cost(node) for node in graph.nodes], np.int64)
    needs = {name: np.array(sorted(needed(graph, root))) for name, root in graph.outputs.items()}
    total = {name: int(costs[nodes].sum()) for name, nodes in needs.items()}
    share = sum(total.values()) / max(count, 1)
    shared, users = _shared(needs, len(costs))
    held = np.zeros((int(users.sum()), count), np.bool_)  # of each node several programs need, the slices that have it
    slices: list[list[str]] = []
    weight = np.zeros(count, np.int64)
    for name in sorted(needs, key=lambda name: (-total[name], name)):
        nodes = needs[name][users[needs[name]]]
        made = len(slices)
        growth = total[name] - costs[nodes] @ held[shared[nodes], :made]
        fitting = weight[:made] + growth <= share
        best = int(np.argmin(np.where(fitting, growth, _NEVER))) if fitting.any() else None
        if best is not None and (made == count or 2 * growth[best] <= total[name]):
            k, more = best, growth[best]
        elif made < count:
            k, more = made, total[name]
            slices.append([])
        else:
            k = int(np.argmin(weight))
            more = growth[k]
        slices[k].append(name)
        held[shared[nodes], k] = True
        weight[k] += more
    order = sorted(range(len(slices)), key=lambda k: -weight[k])
    return [slices[k] for k in order]


def _shared(needs: dict[str, NDArray[np.int64]], nodes: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Numbers of the nodes that several programs need, and which nodes these are."""
    counts = np.zeros(nodes, np.int64)
    for some in needs.values():
        counts[some] += 1
    several = counts > 1
    return np.cumsum(several) - 1, several


def slice_graph(graph: TypedGraph, count: int) -> Sliced:
    """A graph as at most `count` slices: those without loops, then the others, the costliest first."""
    made: list[tuple[Code, int]] = []
    rejected, errors = dict(graph.unresolved), dict(graph.internal_errors)
    for chosen in choose(graph, count):
        part = subgraph(graph, chosen)
        code = lower_most(part)
        rejected |= code.rejected
        errors |= code.internal_errors
        if code.outputs:
            made.append((code, sum(map(node_cost, part.nodes))))
    made.sort(key=lambda one: has_loops(one[0]))
    codes = tuple(code for code, _ in made)
    names = tuple(name for code in codes for name in code.outputs)
    straight = sum(not has_loops(code) for code in codes)
    return Sliced(codes, tuple(cost for _, cost in made), names, rejected, errors, straight)


def has_loops(code: Code) -> bool:
    """Whether there is a loop in lowered code: it takes longer on some samples than on others."""
    at = 0
    while (op := code.words[at]) != CODES["HALT"]:
        if op >= FIRST_LOOP:
            return True
        at += code.words[at + 1]
    return False
