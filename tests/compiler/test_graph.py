from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcbatt.compiler.check import GraphError, verify, verify_typed
from arcbatt.compiler.graph import Graph, Node, merge
from arcbatt.compiler.rewrites import Rewrites
from arcbatt.compiler.typed import TypedNode
from arcbatt.errors import UsageError
from arcbatt.language.reference import evaluate
from arcbatt.language.types import INT
from arcbatt.syntax import parse_program, parse_text
from compiler.support import compiled, equal, random_programs, random_sample


def one(body: str, name: str = "a"):
    return parse_program(f"def solve_{name}(I):\n    {body}\n")


def test_sharing_sees_through_names_style_and_order():
    a = one(
        "x = rot90(I)\n    y = objects(grid=x, univalued=T, diagonal=F, without_bg=T)\n    return add(size(y), 3)", "a"
    )
    b = one(
        "q = THREE\n    p = objects(rot90(I), True, False, True)\n    dead = hmirror(I)\n    return add(q, size(p))",
        "b",
    )
    graph = merge([a, b])
    verify(graph)
    assert graph.outputs["solve_a"] == graph.outputs["solve_b"]
    assert not any(node.op == "hmirror" for node in graph.nodes)
    assert merge([a, b], commutative=False).outputs["solve_a"] != merge([a, b], commutative=False).outputs["solve_b"]


def test_true_and_one_are_two_constants():
    graph = merge([one("return equality(T, I)", "a"), one("return equality(1, I)", "b")])
    assert graph.outputs["solve_a"] != graph.outputs["solve_b"]


def test_provenance():
    graph = merge([one("return rot90(I)", "a"), one("return rot90(I)", "b"), one("return size(rot90(I))", "c")])
    shared = graph.outputs["solve_a"]
    assert graph.programs_of()[shared] == ["solve_a", "solve_b"]
    assert shared in graph.nodes_of("solve_c")
    assert len(graph.nodes_of("solve_c")) == 3
    assert str(graph.to_program(graph.outputs["solve_c"], "solve_x")) == (
        "def solve_x(I):\n    t1 = rot90(I)\n    return size(t1)\n"
    )


@given(st.integers(0, 2**32))
def test_any_node_is_a_program_of_its_own(seed):
    programs, sample = random_programs(seed, 2), random_sample(seed)
    graph = merge(programs)
    for program in programs:
        again = graph.to_program(graph.outputs[program.name], "solve_again")
        assert parse_program(str(again)) == again
        assert equal(evaluate(program, sample), evaluate(again, sample))


def test_two_programs_of_one_name():
    with pytest.raises(UsageError, match="two programs are named solve_a"):
        merge([one("return I"), one("return rot90(I)")])


def test_the_verifier_shows_the_neighbourhood():
    graph = Graph()
    graph.input("I")
    graph.nodes.append(Node("rot90", (5,)))
    with pytest.raises(GraphError, match=r"node 1 takes a node that does not stand before it\n +0 .*input"):
        verify(graph)
    for bad in (Node("frobnicate", (0,)), Node("rot90", (0, 0)), Node("input", ("I",))):
        graph.nodes[1] = bad
        with pytest.raises(GraphError, match="node 1"):
            verify(graph)


def test_the_typed_verifier():
    graph = compiled([one("return apply(size, objects(I, T, F, T))")], Rewrites()).graph
    last = len(graph.nodes) - 1
    good = graph.nodes[last]
    for bad in (
        good._replace(args=(last,)),
        good._replace(bodies=()),
        good._replace(op="frobnicate"),
        good._replace(bodies=(good.bodies[0]._replace(result=99),)),
        good._replace(bodies=(good.bodies[0]._replace(captures=(7,)),)),
        good._replace(bodies=(good.bodies[0]._replace(charges=((0, 1),)),)),
        TypedNode("rot90", good.args, 1, (), INT),
    ):
        graph.nodes[last] = bad
        with pytest.raises(GraphError, match=f"node {last}"):
            verify_typed(graph)
    graph.nodes[last] = good
    graph.depends[last] = 4
    with pytest.raises(GraphError, match="depends on 4"):
        verify_typed(graph)


def test_merging_is_linear_in_lines():
    counts = []
    for size in (200, 400):
        lines = "".join(f"    x{i} = add(x{i - 1}, {i})\n" for i in range(1, size))
        graph = merge(parse_text(f"def solve_a(I):\n    x0 = height(I)\n{lines}    return x{size - 1}\n").check())
        counts.append(len(graph.nodes))
    assert counts[1] - 2 * counts[0] <= 4


def test_calls_as_a_program_writes_them():
    """Of what programs share, each knows its own lines."""
    text = "def solve_a(I):\n    return size(hmirror(I))\n\n\n"
    text += "def solve_b(I):\n    x1 = T\n    x2 = hmirror(I)\n    return x2\n"
    a, b = parse_text(text).check()
    graph = merge([a, b])
    counted, nodes = graph.calls_read, len(graph.nodes)
    shared = graph.outputs["solve_b"]
    assert (graph.calls_of(a)[shared].line, str(graph.calls_of(a)[shared])) == (2, "hmirror(I)")
    assert graph.calls_of(b)[shared].line == 7
    assert graph.outputs["solve_a"] not in graph.calls_of(b)
    assert (graph.calls_read, len(graph.nodes)) == (counted, nodes)


def test_programs_that_use_an_operation():
    graph = merge(
        parse_text(
            "def solve_a(I):\n    return size(I)\n\ndef solve_b(I):\n    return apply(size, asobject(I))\n\n"
            "def solve_c(I):\n    return hmirror(I)\n"
        ).check()
    )
    assert graph.programs_using({"size"}) == ["solve_a", "solve_b"]
    assert graph.programs_using({"hmirror", "nothing"}) == ["solve_c"]


def test_a_primitive_called_with_too_many_arguments_can_be_read_again():
    program = one("x = positive\n    y = x\n    return x(height(I), y(TWO, FOUR))")
    graph = merge([program])
    again = graph.to_program(graph.outputs[program.name], program.name)
    assert parse_program(str(again)) == again
    sample = random_sample(1)
    assert equal(evaluate(program, sample), evaluate(again, sample))
