"""Columnar code: what it leaves out, what it keeps, and which loops have it."""

from __future__ import annotations

import re

import pytest

from arcbatt.compiler.lower.disassemble import disassemble
from arcbatt.engine.cpu import CpuEngine
from arcbatt.language.reference import Machine, evaluate
from arcbatt.language.sample import Sample
from arcbatt.syntax import parse_program, parse_text

FARTHEST = """
    x1 = asindices(I)
    x2 = fork(multiply, sign, identity)
    x3 = compose(fork(add, first, last), lbind(apply, x2))
    x4 = compose(x3, fork(subtract, first, last))
    x5 = compose(lbind(compose, x4), lbind(lbind, astuple))
    x6 = compose(lbind(valmax, x1), x5)
    return {loop}
"""


def text_of(source: str) -> str:
    code = CpuEngine.of([parse_program(f"def solve_a(I):{source}")]).code
    assert not code.rejected
    return disassemble(code)


def columns_of(text: str, loop: str) -> list[str]:
    """The operations of a loop's columnar code, those of loops in it left out."""
    lines = text.split("\n")
    at = next(k for k, line in enumerate(lines) if f"{loop}(" in line)
    start = next(k for k in range(at, len(lines)) if lines[k].lstrip().startswith("columns"))
    depth = len(lines[start + 1]) - len(lines[start + 1][6:].lstrip())
    inside = [line for line in lines[start + 1 :] if len(line) - len(line[6:].lstrip()) == depth]
    return [line.split("= ")[-1].split("(")[0] if "=" in line else line.split()[1] for line in inside]


def test_parts_and_copies_are_left_out_and_signs_taken_off():
    source = """
    x1 = fork(multiply, sign, identity)
    x2 = chain(fork(add, first, last), lbind(apply, x1), rbind(subtract, TWO_BY_TWO))
    return argmin(asindices(I), x2)
"""
    operations = columns_of(text_of(source), "LOOP_ARGMIN")
    assert operations[: operations.index("END_BODY")] == [
        "GUARD", "CHARGE", "subtract", "ABSOLUTE", "ABSOLUTE", "add",
    ]  # fmt: skip


def test_a_loop_over_one_container_runs_for_all_items_of_the_loop_around():
    text = text_of(FARTHEST.format(loop="apply(x6, x1)"))
    outer = next(line for line in text.split("\n") if "LOOP_APPLY(" in line)
    assert "columnar" in outer
    assert text.count("LOOP_VALMAX(") == 2, "in the body, and in its columnar code"


def test_a_loop_that_ends_early_has_none_inside():
    text = text_of(FARTHEST.format(loop="extract(x1, compose(positive, x6))"))
    outer = next(line for line in text.split("\n") if "LOOP_EXTRACT(" in line)
    assert "columnar" not in outer


def test_what_depends_on_sizes_is_counted_once():
    source = "\n    return argmax(objects(I, T, F, T), compose(fork(add, height, width), identity))\n"
    text = text_of(source)
    assert len(re.findall(r"COUNT\(", text)) == 1
    assert "COPY" not in "".join(columns_of(text, "LOOP_ARGMAX"))


def test_a_set_copied_to_a_tuple_is_another_value():
    program = parse_program(
        """def solve_a(I):
    x1 = first(I)
    x2 = argmax(x1, matcher(compose(totuple, initset), x1))
    return astuple(x2, x2)
"""
    )
    sample = Sample(((5, 3, 3, 4, 2, 1),))
    assert CpuEngine.of([program]).values(sample)["solve_a"] == evaluate(program, sample) == (5, 5)


def test_a_size_of_a_part_of_a_value_from_outside_is_not_counted_in_columns():
    program = parse_program(
        """def solve_a(I):
    x1 = astuple(size(I), first(I))
    return apply(compose(first, rbind(astuple, x1)), last(x1))
"""
    )
    sample = Sample(((5, 3), (4, 2)))
    engine = CpuEngine.of([program])
    assert not engine.refused()
    for steps in (5, 30, 10_000):
        assert engine.values(sample, max_steps=steps)["solve_a"] == evaluate(program, sample, Machine(steps))


NEAREST = """
def solve_near(I):
    x1 = asindices(I)
    x2 = o_g(I, R5)
    x3 = compose(fork(add, first, last), lbind(apply, fork(multiply, sign, identity)))
    x4 = compose(x3, fork(subtract, first, compose(center, last)))
    x5 = compose(lbind(argmin, x2), compose(lbind(compose, x4), lbind(lbind, astuple)))
    x6 = chain(rbind(compose, x5), lbind(rbind, equality), identity)
    return apply(compose(lbind(sfilter, x1), x6), x2)
"""


@pytest.mark.parametrize("first", range(0, 40, 8))
def test_what_is_kept_does_not_depend_on_where_slots_lie(first):
    """Some numbers of slots before a loop had its code refused: a word was taken for one of the value before."""
    for before in range(first, first + 8):
        lines = ["x0 = height(I)", *(f"x{k} = add(x{k - 1}, {k})" for k in range(1, before + 1)), f"return x{before}"]
        text = "def solve_before(I):\n" + "".join(f"    {line}\n" for line in lines)
        code = CpuEngine.of(parse_text(text + NEAREST).check(), threads=1).code
        assert not code.internal_errors
        assert not code.rejected
