"""Cells of another family, (i, j, colour): what takes them apart, wherever the text leads."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcbatt.language.program import unparse
from arcbatt.language.reference import evaluate
from arcbatt.language.sample import Sample
from arcbatt.syntax import parse_program, parse_text
from arcbatt.syntax.dialect import named_dialect

GRID = ((1, 2, 0), (0, 3, 3))
CELLS = {(i, j, GRID[i][j]) for i in range(2) for j in range(3)}
TOKPIDJIN = named_dialect("tokpidjin")


def program(lines: str, signature: str = "(S, I, C)"):
    text = f"def solve_a{signature}:\n" + "".join(f"    {line}\n" for line in lines.split("; "))
    (found,) = parse_text(text, dialect=TOKPIDJIN).check()
    assert parse_program(unparse(found)) == found
    return found


def value(lines: str, signature: str = "(S, I, C)", grid=GRID):
    return evaluate(program(lines, signature), Sample(grid, (), None))


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("return apply(rbind(get_nth_f, L1), asobject(I))", {0, 1, 2, 3}),
        ("return apply(rbind(get_nth_f, F0), asobject(I))", {0, 1}),
        ("return apply(rbind(get_nth_t, F1), asobject(I))", {0, 1, 2}),
        ("return apply(rbind(get_nth_t, L2), asobject(I))", {0, 1, 2}),
        ("return apply(first, asobject(I))", {0, 1}),
        ("return apply(second, asobject(I))", {0, 1, 2}),
        ("return apply(last_f, asobject(I))", {0, 1, 2, 3}),
        ("return apply(toij, sfilter_f(asobject(I), matcher(rbind(get_nth_f, L1), THREE)))", {(1, 1), (1, 2)}),
        ("x = get_nth_f(asobject(crop(I, ORIGIN, UNITY)), F0); return get_nth_t(x, L1)", 1),
        ("x = ascell(RIGHT, SEVEN); return last(x)", 7),
        ("return apply(rbind(get_nth_f, L1), celltuple((ORIGIN, UNITY), (SIX, SEVEN)))", (6, 7)),
        ("f = rbind(get_nth_f, L1); x = apply(f, asobject(I)); y = apply(f, (ORIGIN, RIGHT)); return x", {0, 1, 2, 3}),
        ("f = rbind(get_nth_f, L1); x = apply(f, asobject(I)); y = apply(f, (ORIGIN, RIGHT)); return y", (0, 1)),
        ("f = rbind(get_nth_f, L1); g = fork(equality, f, f); return size(sfilter(asobject(I), g))", 6),
        ("f = branch(T, first, last); return apply(f, asobject(I))", {0, 1}),
        ("f = chain(size, rbind(toobject, I), ineighbors); return apply(f, asobject(I))", {1, 2}),
        ("x = get_nth_f(f_ofcolor(I, THREE), F0); return get_nth_t(x, L1)", 1),
        ("x = astuple(SEVEN, RIGHT); return last(x)", (0, 1)),
        ("x = product((SEVEN, SIX), (RIGHT, DOWN)); return apply(last, x)", {(0, 1), (1, 0)}),
        ("x = pair((SEVEN, SIX), (RIGHT, DOWN)); return apply(rbind(get_nth_f, F0), x)", (7, 6)),
        ("x = apply(first, product(asobject(I), asobject(I))); return apply(rbind(get_nth_f, L1), x)", {0, 1, 2, 3}),
    ],
)
def test_items_of_cells_and_of_other_things(lines, expected):
    got = value(lines)
    assert got == (frozenset(expected) if isinstance(expected, set) else expected)


def test_older_files_have_our_cells():
    assert value("return apply(rbind(get_nth_f, F0), asobject(I))", "(S, I)") == frozenset({0, 1, 2, 3})
    assert value("return apply(last_f, asobject(I))", "(S, I, x=0)") == frozenset((i, j) for i, j, _ in CELLS)


def test_what_is_written_is_plain():
    found = program("f = rbind(get_nth_f, L1); return sfilter_f(asobject(I), matcher(f, THREE))")
    assert str(found.result) == "sfilter(asobject(I), matcher(first, THREE))"
    found = program("return apply(rbind(get_nth_f, F0), asobject(I))")
    assert str(found.result) == "apply(compose(first, last), asobject(I))"
    found = program("return apply(ineighbors, asobject(I))")
    assert str(found.result) == "apply(compose(ineighbors, last), asobject(I))"


def test_functions_that_call_functions_without_end_are_left_as_they_are():
    doubling = "; ".join(f"f{n} = fork(add, f{n - 1}, f{n - 1})" for n in range(1, 40))
    found = program(f"f0 = rbind(get_nth_f, L1); {doubling}; return apply(f39, asobject(I))")
    assert "rbind(get_nth_f, L1)" in unparse(found)


ITEMS = {
    "get_nth_f, F0": 0, "get_nth_f, F1": 1, "get_nth_f, F2": 2,
    "get_nth_f, L1": 2, "get_nth_t, L2": 1, "get_nth_t, L3": 0,
}  # fmt: skip


@given(st.lists(st.tuples(st.sampled_from(sorted(ITEMS)), st.booleans(), st.integers(0, 3)), min_size=1, max_size=4))
def test_any_way_to_an_item(ways):
    """Sets of numbers made of cells by functions that are named, composed, and combined at random."""
    lines, wanted = [], frozenset()
    parts = []
    for number, (rank, named, shape) in enumerate(ways):
        taken = f"rbind({rank})"
        if named:
            lines.append(f"f{number} = {taken}")
            taken = f"f{number}"
        forms = [
            taken,
            f"compose(identity, {taken})",
            f"compose({taken}, identity)",
            f"chain(identity, {taken}, identity)",
        ]
        parts.append(f"apply({forms[shape]}, asobject(I))")
        wanted |= {cell[ITEMS[rank]] for cell in CELLS}
    text = parts[0]
    for part in parts[1:]:
        text = f"combine_f({text}, {part})"
    assert value("; ".join([*lines, f"return {text}"])) == wanted
