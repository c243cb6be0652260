from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcbatt.compiler.evaluate import ESCAPED, evaluate_graph
from arcbatt.compiler.rewrites import Rewrites
from arcbatt.compiler.typed import body_nodes
from arcbatt.language.failures import Fail, Failed
from arcbatt.language.reference import call, evaluate
from arcbatt.language.sample import Sample
from arcbatt.language.spec import Kind
from arcbatt.language.table import STANDARD
from arcbatt.language.types import BOOL, GRID, INT, NEVER, OPT_INT, Seq, Set, Tup, as_seq
from arcbatt.syntax import parse_program
from compiler.support import compiled, equal, random_programs, random_sample

GRID_A = ((1, 0, 2), (0, 3, 0))


def graph_of(*bodies: str, params: str = "I", rewrites: Rewrites | None = None):
    programs = [parse_program(f"def solve_{k}({params}):\n    {body}\n") for k, body in enumerate(bodies)]
    return compiled(programs, rewrites or Rewrites())


def check(body: str, params: str = "I", sample: Sample | None = None) -> str:
    """Compile one program; it must resolve and give what the reference gives. Its type comes back."""
    sample = sample or Sample(GRID_A, ((GRID_A, GRID_A),), GRID_A)
    program = parse_program(f"def solve_0({params}):\n    {body}\n")
    result = compiled([program], Rewrites())
    assert not result.graph.unresolved, result.graph.unresolved
    value = evaluate_graph(result.graph, sample)["solve_0"]
    assert equal(value, evaluate(program, sample)), (value, evaluate(program, sample))
    return str(result.graph.nodes[result.graph.outputs["solve_0"]].type)


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("return apply(compose(size, toindices), objects(I, T, F, T))", "{Int}"),
        ("return apply(chain(double, size, toindices), objects(I, T, F, T))", "{Int}"),
        ("return apply(fork(astuple, size, color), objects(I, T, F, T))", "Indices"),
        ("return sfilter(objects(I, T, F, T), matcher(color, ONE))", "{Object}"),
        ("return apply(rbind(shift, UNITY), objects(I, T, F, T))", "{Object}"),
        ("return apply(lbind(lbind(fill, I), 5), objects(I, T, F, T))", "{Grid}"),
        ("return power(rot90, 3)(I)", "Grid"),
        ("f = compose(rot90, hmirror)\n    g = f\n    return g(I)", "Grid"),
        ("return rapply(insert(height, initset(width)), I)", "{Int}"),
        ("return rapply(astuple(rot90, rot180), I)", "[Grid]"),
        ("return rapply(apply(lbind(rbind, upscale), interval(1, 3, 1)), I)", "[Grid]"),
        ("return rapply(apply(lbind(lbind, shift), objects(I, T, F, T)), UNITY)", "{Object}"),
        ("return mapply(rbind(apply, initset(UNITY)), apply(lbind(lbind, shift), objects(I, T, F, T)))", "{Object}"),
        ("return branch(portrait(I), rot90, rot180)(I)", "Grid"),
        ("return apply(branch(portrait(I), height, width), objects(I, T, F, T))", "{Int}"),
        ("return apply(fork(mapply, lbind(lbind, shift), corners), objects(I, T, F, T))", "{Object}"),
        ("x = branch(portrait(I), asobject(I), asindices(I))\n    return fill(I, 5, x)", "Grid"),
        ("x = branch(portrait(I), asobject, asindices)(I)\n    return box(x)", "Indices"),
        ("return power(increment, height(I))(width(I))", "Int"),
        ("return power(increment, size(ofcolor(I, 9)))(1)", "Int"),
        ("return apply(fork(power, branch(T, identity, identity), identity), I)", "[Never]"),
        ("return apply(index, I)", "[Never]"),
        ("return valmax(ofcolor(I, 9), first)", "Int"),
        ("return valmax(ofcolor(I, 9), identity)", "IJ"),
        ("return apply(first, S)", "[Grid]"),
        ("return mapply(p_g, apply(second, S))", "[Int]"),
        ("return papply(equality, apply(first, S), apply(second, S))", "[Bool]"),
        ("return prapply(add, palette(I), palette(I))", "{Int}"),
        ("return product(initset(rot90), initset(rot180))", ""),
    ],
)
def test_functions_vanish(body, kind):
    params = "S, I, C" if "S)" in body else "I"
    if not kind or kind == "IJ":
        graph = graph_of(body, params=params).graph
        assert graph.unresolved or kind
    if kind == "IJ":  # of nothing, identity(0) is no IJ: the program then runs as written
        assert evaluate_graph(graph, Sample(GRID_A))["solve_0"] is ESCAPED
    elif kind:
        assert check(body, params) == kind


def test_what_cannot_be_resolved_says_why_and_touches_nothing_else():
    result = graph_of(
        "return combine(ofcolor(I, 1), asobject(I))",
        "return rot90(I)",
        "return argmax(I, palette(I))",
        "return compose(size, first)",
    )
    reasons = result.graph.unresolved
    assert set(reasons) == {"solve_0", "solve_2", "solve_3"}
    assert reasons["solve_0"] == "no rule of combine takes (Indices, Object)"
    assert reasons["solve_3"] == "the program returns a function"
    assert set(result.graph.outputs) == {"solve_1"}


def test_a_number_in_place_of_a_container_always_fails_as_the_compiler_says():
    plain = [spec for spec in STANDARD.ops.values() if spec.arity == 1 and spec.kind is Kind.PLAIN]
    types = {(spec.name, kind): spec.call_type((kind,)) for spec in plain for kind in (INT, BOOL)}
    never = [call for call, found in types.items() if found is not None and found[0] == NEVER]
    assert len(never) > 50
    for name, kind in never:
        for value in (False, True) if kind == BOOL else (-3, 0, 1, 5):
            with pytest.raises(Fail) as failed:
                call(name, value)
            assert failed.value.reason == "type", name


def test_not_of_a_number_is_the_references():
    assert check("return flip(height(I))") == "Bool"


def conforms(value, kind) -> bool:
    """Whether a value is of a type, but for the odd ones, which engines leave to the reference.

    () stands for an IJ, rows of different lengths for a grid, and None for a number where `index` gave it.
    """
    if kind == NEVER:
        return False
    if kind in (INT, BOOL, OPT_INT):
        return value is None or isinstance(value, int)
    if kind == GRID:
        return isinstance(value, tuple) and all(isinstance(row, tuple) for row in value)
    if isinstance(kind, Set):
        return isinstance(value, frozenset) and all(conforms(item, kind.item) for item in value)
    if isinstance(kind, Seq):
        return isinstance(value, tuple) and all(conforms(item, kind.item) for item in value)
    assert isinstance(kind, Tup)
    if value == ():
        return True
    if len(value) != len(kind.parts):
        return as_seq(kind) is not None
    return all(conforms(part, t) for part, t in zip(value, kind.parts, strict=True))


@settings(max_examples=100)
@given(st.integers(0, 2**32))
def test_values_have_the_types_inference_says(seed):
    programs, sample = random_programs(seed), random_sample(seed)
    graph = compiled(programs, Rewrites()).graph
    for name, value in evaluate_graph(graph, sample).items():
        if value is not ESCAPED and not isinstance(value, Failed):
            kind = graph.nodes[graph.outputs[name]].type
            assert conforms(value, kind), f"seed {seed}: {name} is {value}, not {kind}"


def nodes(graph) -> list[str]:
    return [node.op for node in graph.nodes] + [inner.op for node in graph.nodes for inner in body_nodes(node)]


def test_folding():
    assert "add" not in nodes(graph_of("return fill(I, add(1, 2), initset(add(ORIGIN, UNITY)))").graph)
    off = replace(Rewrites(), fold=False)
    assert "add" in nodes(graph_of("return fill(I, add(1, 2), asindices(I))", rewrites=off).graph)


@pytest.mark.parametrize(
    ("body", "left"),
    [
        ("return rot90(rot90(rot90(rot90(I))))", []),
        ("return hmirror(vmirror(I))", ["rot180"]),
        ("return hmirror(hmirror(I))", []),
        ("return palette(rot90(hmirror(I)))", ["palette"]),
        ("return merge(initset(asindices(I)))", ["asindices"]),
        ("return identity(identity(I))", []),
        ("return normalize(normalize(asobject(I)))", ["asobject", "normalize"]),
        ("return flip(flip(portrait(I)))", ["portrait"]),
        ("return branch(T, rot90(I), I)", ["rot90"]),
        ("return first(initset(rot90(I)))", ["rot90"]),
        ("return dmirror(dmirror(crop(I, ORIGIN, (2, 0))))", ["crop", "dmirror", "dmirror"]),
        ("return merge(initset(first(I)))", ["first", "initset", "merge"]),
    ],
)
def test_algebra(body, left):
    def calls(graph):
        return [node.op for node in graph.nodes if node.op not in ("input", "const")]

    assert calls(graph_of(body).graph) == left
    assert len(calls(graph_of(body, rewrites=replace(Rewrites(), algebra=False)).graph)) >= len(left)
    check(body)


def test_body_sharing_and_hoisting():
    body = "return apply(fork(add, compose(double, size), compose(halve, size)), objects(I, T, F, T))"
    on, off = graph_of(body), graph_of(body, rewrites=replace(Rewrites(), body_sharing=False))
    assert nodes(on.graph).count("size") == 1
    assert nodes(off.graph).count("size") == 2
    assert on.stats.body_shared == 1
    fixed = "f = rbind(apply, palette(I))\n    return apply(f, astuple(increment, decrement))"
    assert graph_of(fixed).stats.resolved + len(graph_of(fixed).graph.unresolved) == 1
    check(
        "f = compose(size, rbind(apply, asindices(I)))\n    g = lbind(lbind, add)\n"
        "    return apply(compose(f, g), asindices(I))"
    )


def test_dependence_classes():
    counts = graph_of(
        "x1 = apply(first, S)\n    x2 = mapply(p_g, x1)\n    return fill(I, first(x2), ofcolor(C, 3))", params="S, I, C"
    ).graph.class_counts()
    assert counts["S only"] == 4  # S, the inputs, their colours, the first of them
    assert counts["C"] == 3  # C, its places, the result


def test_failed_values_bound_into_functions_fail_them_even_where_they_are_not_called():
    sample = Sample(GRID_A)
    for body in (
        "f = lbind(add, first(ofcolor(I, 9)))\n    return apply(f, ofcolor(I, 8))",
        "f = compose(lbind(add, divide(1, 0)), first)\n    return f(ofcolor(I, 9))",
        "f = branch(T, height, compose(lbind(add, divide(1, 0)), height))\n    return f(I)",
        "f = fork(add, lbind(add, first(ofcolor(I, 9))), lbind(divide, divide(1, 0)))\n    return f(1)",
    ):
        check(body, sample=sample)


def test_call_is_the_reference():
    assert call("rot90", GRID_A) == ((0, 1), (3, 0), (0, 2))
