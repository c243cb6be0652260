"""Batch patterns: nodes that walk the same thing become one node with several results.

Objects of one grid in several modes share one pass over its colours; loops over one container share one traversal.
Each member keeps its own failure and its own steps, so grouping changes nothing but the work.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import Any, Final

from arcbatt.compiler.typed import GROUP, PICK, Body, BodyNode, TypedGraph, TypedNode, node_inputs, with_inputs
from arcbatt.language.spec import Kind
from arcbatt.language.table import OPS
from arcbatt.language.types import Tup

_OBJECT_FINDERS: Final = ("o_g", "objects")
_ONE_CONTAINER: Final = frozenset(
    name for name, spec in OPS.items() if spec.kind is Kind.LOOP and spec.arity == 2 and name != "rapply"
)


def group_objects(graph: TypedGraph) -> tuple[TypedGraph, int]:
    """Group objects and o_g of one grid in several modes; how many groups there are."""
    keys: list[Any] = []
    for node in graph.nodes:
        constant_mode = node.op in _OBJECT_FINDERS and all(graph.nodes[arg].op == "const" for arg in node.args[1:])
        keys.append(("objects", node.args[0]) if constant_mode else None)
    return _grouped(graph, keys)


def group_traversals(graph: TypedGraph) -> tuple[TypedGraph, int]:
    """Group loops over one container; how many groups there are.

    Only loops whose captured values stand before the container join in: no such value can come from another member.
    """
    keys: list[Any] = []
    for node in graph.nodes:
        container = node.args[0] if node.op in _ONE_CONTAINER else None
        free = container is not None and all(arg < container or graph.nodes[arg].op == "const" for arg in node.args[1:])
        keys.append(("traversal", container) if free else None)
    return _grouped(graph, keys)


def _grouped(graph: TypedGraph, keys: list[Any]) -> tuple[TypedGraph, int]:
    members: dict[Any, list[int]] = {}
    for index, key in enumerate(keys):
        if key is not None:
            members.setdefault(key, []).append(index)
    groups = {key: nodes for key, nodes in members.items() if len(nodes) > 1}
    if not groups:
        return graph, 0
    result = TypedGraph(unresolved=dict(graph.unresolved))
    place = [-1] * len(graph.nodes)
    made: dict[Any, int] = {}

    def put(index: int, node: TypedNode) -> int:
        return result.add(node, graph.depends[index], graph.can_fail[index])

    for index, node in enumerate(graph.nodes):
        if place[index] >= 0:
            continue
        key = keys[index]
        if key not in groups:
            place[index] = put(index, with_inputs(node, place))
            continue
        if key not in made:
            for arg in (arg for member in groups[key] for arg in graph.nodes[member].args):
                if place[arg] < 0:  # a constant that stands further down
                    place[arg] = put(arg, graph.nodes[arg])
            made[key] = _add_group(graph, result, groups[key], place)
        number = bisect_left(groups[key], index)
        place[index] = put(index, TypedNode(PICK, (made[key], number), 1, (), node.type))
    result.outputs = {name: place[node] for name, node in graph.outputs.items()}
    return result, len(groups)


def _add_group(graph: TypedGraph, result: TypedGraph, members: list[int], place: list[int]) -> int:
    nodes = [graph.nodes[member] for member in members]
    args = tuple(dict.fromkeys(place[arg] for node in nodes for arg in node_inputs(node)))
    where = {arg: position for position, arg in enumerate(args)}
    bodies = tuple(_member_body(node, [where[place[arg]] for arg in node.args]) for node in nodes)
    depends = 0
    for member in members:
        depends |= graph.depends[member]
    return result.add(TypedNode(GROUP, args, 0, bodies, Tup(tuple(node.type for node in nodes))), depends, False)


def _member_body(node: TypedNode, positions: list[int]) -> Body:
    captures = tuple(dict.fromkeys(positions))
    local = tuple(captures.index(position) for position in positions)
    member = BodyNode(node.op, local, node.strict, node.bodies, node.type, 1)
    return Body((), captures, (member,), len(captures), (), 0)
