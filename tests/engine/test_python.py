from __future__ import annotations

import pytest

from arcbatt import dsl
from arcbatt.language import limits
from arcbatt.language.failures import Fail, Failed, Reason, first_failure
from arcbatt.language.reference import Machine, call, evaluate
from arcbatt.language.sample import Sample
from arcbatt.syntax import parse_expression, parse_program

GRID = ((1, 0, 0), (0, 2, 0), (0, 0, 3))


def run(text: str, grid=GRID, machine: Machine | None = None):
    program = parse_program(text) if text.startswith("def") else parse_expression(text)
    return evaluate(program, Sample(grid), machine)


def failed(outcome) -> Reason:
    assert isinstance(outcome, Failed), outcome
    return outcome.reason


@pytest.mark.parametrize(
    ("expr", "reason"),
    [
        ("first(ofcolor(I, 9))", Reason.EMPTY),
        ("divide(ONE, ZERO)", Reason.ZERO_DIVISION),
        ("interval(ZERO, TEN, ZERO)", Reason.ZERO_DIVISION),
        ("second(initset(ONE))", Reason.BOUNDS),
        ("get_nth_t(I, TEN)", Reason.BOUNDS),
        ("o_g(I, EIGHT)", Reason.BOUNDS),
        ("power(rot90, ZERO)", Reason.BOUNDS),
        ("size(ONE)", Reason.TYPE),
        ("add(I, ONE)", Reason.TYPE),
        ("apply(ONE, I)", Reason.TYPE),
        ("compose(size, I)", Reason.TYPE),
        ("apply(add, I)", Reason.TYPE),
        ("argmax(I, palette(I))", Reason.TYPE),
        ("rbind(size, ONE)(I)", Reason.TYPE),
        ("add(2147483647, ONE)", Reason.LIMIT),
        ("multiply(THOUSAND, multiply(THOUSAND, multiply(THOUSAND, THOUSAND)))", Reason.LIMIT),
        ("canvas(ZERO, (1025, 1))", Reason.LIMIT),
        ("canvas(ZERO, (2000000000, 2000000000))", Reason.LIMIT),
        ("canvas(ZERO, (1000, 1000))", Reason.LIMIT),
        ("upscale(I, 1000000)", Reason.LIMIT),
        ("upscale(asobject(I), 100000)", Reason.LIMIT),
        ("repeat(I, 1000000000)", Reason.LIMIT),
        ("repeat(canvas(ZERO, (100, 100)), 1000)", Reason.LIMIT),
        ("interval(ZERO, 2000000000, ONE)", Reason.LIMIT),
        ("hsplit(I, 1000000000)", Reason.LIMIT),
        ("backdrop(insert((2000000000, 2000000000), initset(ORIGIN)))", Reason.LIMIT),
        ("outbox(insert((2147483647, 0), initset(ORIGIN)))", Reason.LIMIT),
        ("connect(ORIGIN, (0, 2000000000))", Reason.LIMIT),
        ("hperiod(recolor(ONE, insert((0, 2000000000), initset(ORIGIN))))", Reason.LIMIT),
        ("product(interval(ZERO, 1000, ONE), interval(ZERO, 1000, ONE))", Reason.LIMIT),
        ("power(rot90, 2000000000)", Reason.LIMIT),
        ("power(rot90, 65537)", Reason.LIMIT),
    ],
)
def test_failures_have_reasons(expr, reason):
    assert failed(run(expr)) is reason


def test_failure_names_primitive_and_line():
    outcome = run("def solve_x(I):\n    a = ofcolor(I, 9)\n    b = uppermost(a)\n    c = add(b, ONE)\n    return c\n")
    assert (outcome.primitive, outcome.line) == ("uppermost", 3)
    assert str(outcome) == "failed: empty in uppermost, line 3: an empty patch has no place"


def test_a_failed_line_touches_only_what_depends_on_it():
    assert run("def solve_x(I):\n    bad = first(ofcolor(I, 9))\n    return rot180(I)\n") == call("rot180", GRID)


def test_branch_fails_with_a_failed_value_but_calls_only_the_chosen_function():
    assert failed(run("branch(T, ONE, first(ofcolor(I, 9)))")) is Reason.EMPTY
    assert run("branch(T, height, compose(first, lbind(ofcolor, I)))(I)") == 3
    assert failed(run("branch(F, height, compose(first, rbind(ofcolor, 9)))(I)")) is Reason.EMPTY


def test_extract_stops_at_the_first_that_holds():
    assert run("extract(interval(ONE, THREE, ONE), compose(positive, lbind(divide, TWO)))") == 1
    assert run("extract(interval(TWO, -2, -1), compose(positive, lbind(divide, TWO)))") == 2
    assert failed(run("extract(interval(ZERO, 3, 1), compose(positive, lbind(divide, TWO)))")) is Reason.ZERO_DIVISION


def test_precedence_of_reasons_is_symmetric():
    zero, empty = "divide(ONE, ZERO)", "uppermost(ofcolor(I, 9))"
    assert failed(run(f"add({zero}, {empty})")) is failed(run(f"add({empty}, {zero})")) is Reason.EMPTY
    first = Failed(Reason.TYPE, "a")
    assert first_failure([Failed(Reason.EMPTY), first, Failed(Reason.TYPE, "b")]).primitive == "a"


def test_c_is_known_only_to_scoring():
    program = parse_program("def solve_x(S, I, C):\n    return equality(I, C)\n")
    assert evaluate(program, Sample(GRID, (), GRID)) is True
    assert failed(evaluate(program, Sample(GRID))) is Reason.EMPTY
    count = parse_program("def solve_x(S, I, C):\n    return size(S)\n")
    assert evaluate(count, Sample(GRID, ((GRID, GRID),))) == 1


def test_functions_are_values():
    assert run("rapply(insert(width, initset(height)), I)") == frozenset({3})
    assert run("equality(compose(size, first), compose(size, first))") is True
    assert run("size(insert(compose(size, first), initset(compose(size, first))))") == 1
    assert (
        run("def solve_x(I):\n    f = lbind(fill, I)\n    g = lbind(f, FIVE)\n    return g(asindices(I))\n")
        == ((5,) * 3,) * 3
    )
    assert run("power(rot90, TWO)(I)") == call("rot180", GRID)


def test_functions_are_written_as_they_are_made():
    """Sets bound into them in the language's order, and alike where they come from Python names."""
    written = "rbind(contained, {(1,), (1, even), compose(size, first), rot90})"
    pairs = "insert(repeat(ONE, ONE), initset(astuple(ONE, even)))"
    assert str(run(f"rbind(contained, insert(rot90, insert(compose(size, first), {pairs})))")) == written
    held = frozenset({(1,), (1, dsl.even), dsl.rot90, dsl.compose(dsl.size, dsl.first)})
    assert str(dsl.rbind(dsl.contained, held)) == written


def test_steps_bound_a_runaway_program():
    billion = "apply(rbind(contained, asindices(canvas(0, (250, 250)))), asindices(canvas(0, (250, 250))))"
    outcome = run(billion)
    assert failed(outcome) is Reason.LIMIT
    assert "steps" in outcome.detail
    row = "interval(ZERO, 1000, ONE)"
    nested = f"apply(rbind(lbind(prapply, add), {row}), repeat({row}, 60000))"
    machine = Machine(max_steps=1_000_000)
    assert failed(run(nested, machine=machine)) is Reason.LIMIT
    assert machine.total_steps < 1_200_000


def test_steps_of_one_line_do_not_count_for_the_next():
    machine = Machine(max_steps=3_000)
    lines = "".join(f"    x{i} = apply(increment, interval(ZERO, 300, ONE))\n" for i in range(20))
    pair = "    y = combine(x0, x19)\n    return size(y)\n"
    assert run(f"def solve_x(I):\n{lines}{pair}", machine=machine) == 600


def test_function_doubling_ends_at_a_limit():
    lines = ["    f0 = height"] + [f"    f{i} = fork(add, f{i - 1}, f{i - 1})" for i in range(1, 60)]
    assert failed(run("def solve_x(I):\n" + "\n".join(lines) + "\n    return f59(I)\n")) is Reason.LIMIT
    deep = ["    f0 = identity"] + [f"    f{i} = compose(identity, f{i - 1})" for i in range(1, 300)]
    assert failed(run("def solve_x(I):\n" + "\n".join(deep) + "\n    return f299(I)\n")) is Reason.LIMIT


def test_the_deepest_functions_run():
    lines = ["    f0 = lbind(apply, increment)"]
    lines += [f"    f{i} = lbind(apply, f{i - 1})" for i in range(1, limits.MAX_DEPTH - 1)]
    nest = ["    x0 = interval(ZERO, ONE, ONE)"] + [
        f"    x{i} = repeat(x{i - 1}, ONE)" for i in range(1, limits.MAX_DEPTH - 1)
    ]
    last = limits.MAX_DEPTH - 2
    outcome = run("def solve_x(I):\n" + "\n".join(lines + nest) + f"\n    return f{last}(x{last})\n")
    assert not isinstance(outcome, Failed), outcome


def test_dead_lines_are_not_run():
    machine = Machine()
    run("def solve_x(I):\n    a = asobject(I)\n    return height(I)\n", machine=machine)
    assert machine.total_steps == 1 + 9 + 1


def test_limits_are_generous():
    assert run("width(canvas(ZERO, (1, 147)))") == 147
    assert run("size(asindices(canvas(ZERO, (92, 93))))") == 92 * 93
    assert limits.MAX_STEPS > 4 * 43_514_397  # a64e4611 as we count


def test_call_raises_fail_with_the_primitive():
    with pytest.raises(Fail) as info:
        call("first", frozenset())
    assert (info.value.primitive, info.value.reason) == ("first", Reason.EMPTY)
    with pytest.raises(Fail) as info:
        call("first")
    assert info.value.reason is Reason.TYPE
