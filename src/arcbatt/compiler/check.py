"""Checks of the graph's form, run after every pass in tests; a failure shows the neighbourhood."""

from __future__ import annotations

from collections.abc import Sequence

from arcbatt.compiler.graph import CONST, INPUT, INVOKE, PRIMITIVE, Graph
from arcbatt.compiler.typed import (
    CHOOSE,
    DECLARED_BIT,
    FAILED,
    FREE,
    INPUT_BITS,
    ON_FUNCTIONS,
    POWER,
    Body,
    BodyNode,
    TypedGraph,
    TypedNode,
    node_inputs,
)
from arcbatt.errors import ArcbattError
from arcbatt.language.spec import Does, Kind
from arcbatt.language.table import current
from arcbatt.language.types import NEVER, Fn, Type, join, variables


class GraphError(ArcbattError):
    """A graph that no pass should have made."""


def verify(graph: Graph) -> None:
    """Check a merged graph: order, arity, known operations, no node twice."""
    ops = current().ops
    seen = set()
    for index, node in enumerate(graph.nodes):
        problem = ""
        if node in seen:
            problem = "stands twice"
        elif node.op not in (INPUT, CONST, PRIMITIVE, INVOKE) and node.op not in ops:
            problem = "has an unknown operation"
        elif node.op in ops and len(node.args) != ops[node.op].arity:
            problem = f"takes {len(node.args)} arguments, not {ops[node.op].arity}"
        elif any(not 0 <= arg < index for arg in node.inputs):
            problem = "takes a node that does not stand before it"
        seen.add(node)
        if problem:
            raise GraphError(f"node {index} {problem}\n{_around(graph.nodes, index)}")
    for name, output in graph.outputs.items():
        if not 0 <= output < len(graph.nodes):
            raise GraphError(f"{name} returns node {output} of {len(graph.nodes)}")


def verify_typed(graph: TypedGraph) -> None:
    """Check a typed graph: order, types, bodies, dependence."""
    for index, node in enumerate(graph.nodes):
        try:
            _check_inputs(node, index)
            _check_node(node, [graph.nodes[arg].type for arg in node_inputs(node)])
            depends = INPUT_BITS.get(node.args[0], DECLARED_BIT) if node.op == "input" else 0
            for arg in node_inputs(node):
                depends |= graph.depends[arg]
            if graph.depends[index] != depends:
                raise GraphError(f"depends on {graph.depends[index]}, what it takes on {depends}")
        except GraphError as error:
            raise GraphError(f"node {index} {error}\n{_around(graph.nodes, index)}") from None
    for name, output in graph.outputs.items():
        if not 0 <= output < len(graph.nodes):
            raise GraphError(f"{name} returns node {output} of {len(graph.nodes)}")
    if both := graph.outputs.keys() & graph.unresolved.keys():
        raise GraphError(f"both resolved and not: {sorted(both)}")


def _check_inputs(node: TypedNode | BodyNode, below: int) -> None:
    if any(not 0 <= arg < below for arg in node_inputs(node)):
        raise GraphError("takes a node that does not stand before it")
    if node.strict > len(node.args):
        raise GraphError("has more strict arguments than arguments")


def _check_node(node: TypedNode | BodyNode, args: list[Type]) -> None:
    if isinstance(node.type, Fn) or any(True for _ in variables(node.type)):
        raise GraphError(f"has the open type {node.type}")
    name = node.op.removesuffix(ON_FUNCTIONS)
    spec = current().ops.get(name)
    if spec is not None and spec.kind is Kind.PLAIN:
        found = spec.call_type(tuple(args))
        if found is None and spec.does is Does.CHOOSE:
            wrong = node.type not in args[1:]  # by a constant, of any two types
        else:
            wrong = found is None or join(found[0], node.type) is None or (found[0] == NEVER != node.type)
        if wrong:
            raise GraphError(f"of ({', '.join(map(str, args))}) cannot give {node.type}")
    elif spec is not None and spec.loop:
        if not node.bodies and node.type != NEVER:
            raise GraphError("is a loop without a body")
    elif node.op not in ("input", "const", FAILED, POWER) and node.op not in FREE:
        raise GraphError("has an unknown operation")
    if node.bodies and spec is None and node.op not in (CHOOSE, POWER):
        raise GraphError("has a body it cannot run")
    for body in node.bodies:
        _check_body(body, args)


def _check_body(body: Body, args: list[Type]) -> None:
    if any(not 0 <= place < len(args) for place in body.captures):
        raise GraphError("has a body that captures what is not there")
    if any(not 0 <= capture < len(body.captures) or times < 1 for capture, times in body.charges):
        raise GraphError("has a body that is charged for what it does not capture")
    types = [*body.params, *(args[place] for place in body.captures)]
    for node in body.nodes:
        _check_inputs(node, len(types))
        _check_node(node, [types[arg] for arg in node_inputs(node)])
        types.append(node.type)
    if not 0 <= body.result < len(types):
        raise GraphError("has a body without a result")


def _around(nodes: Sequence[object], index: int) -> str:
    first = max(0, index - 3)
    return "\n".join(f"  {number:>6} {node}" for number, node in enumerate(nodes[first : index + 2], first))
