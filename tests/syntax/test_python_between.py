"""Python between the calls: what each construct becomes, and that it means what Python means."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcbatt.compiler.program_set import compile
from arcbatt.engine.cpu import CpuEngine
from arcbatt.engine.dynamic import DynamicTier
from arcbatt.language.limits import MAX_STEPS
from arcbatt.language.program import unparse
from arcbatt.language.reference import evaluate
from arcbatt.language.sample import Sample
from arcbatt.syntax import parse_program, parse_text

GRID = ((1, 2, 0), (0, 3, 3))


def program_of(body: str, before: str = "", name: str = "solve_x"):
    """A program of these lines; its canonical text must be the same program."""
    lines = "\n".join(f"    {line}" for line in body.strip("\n").split("\n"))
    program = parse_program(f"{before}\ndef {name}(I):\n{lines}\n")
    assert parse_program(unparse(program)) == program
    return program


def value(body: str, before: str = "", grid=GRID):
    return evaluate(program_of(body, before), Sample(grid, (), None))


CASES = [
    ("x = 1\nx = x + 1\nx += 3\nreturn x", 5),
    ("I = rot90(I)\nreturn height(I)", 3),
    ("rot90 = height(I)\nreturn rot90", 2),
    ("a, b = shape(I)\na, b = b, a\nreturn (a, b)", (3, 2)),
    ("(a, b), c = (1, 2), 3\nreturn (c, b, a)", (3, 2, 1)),
    ("a = b = height(I)\nreturn a * b", 4),
    ("a: int = 7\nreturn a // 2", 3),
    ("p, q, r = first(I)\nreturn (p, q, r)", (1, 2, 0)),
    ("return (1, (2, 3))", (1, (2, 3))),
    ("return (I, 1, 2, T)", (GRID, 1, 2, True)),
    ("return (height(I),)", (2,)),
    ("return ()", ()),
    ("return I[0]", (1, 2, 0)),
    ("return I[1][2]", 3),
    ("return I[-1][height(I)]", 3),
    ("x = (rot90, I)\nreturn x[0](x[1])", ((0, 1), (3, 2), (3, 0))),
    ("return frozenset({1, height(I)})", frozenset({1, 2})),
    ("return frozenset(I[0])", frozenset({0, 1, 2})),
    ("return {1, 2} == frozenset([2, 1])", True),
    ("return frozenset()", frozenset()),
    ("return tuple(palette(I))", (0, 1, 2, 3)),
    ("return tuple([1, height(I)])", (1, 2)),
    ("return len(I[0])", 3),
    ("return sorted(palette(I), key=lambda c: -c)", (3, 2, 1, 0)),
    ("return 1 < height(I) <= 2 and not 3 in palette(I)", False),
    ("return -7 // 2", -4),
    ("return (-7 % 3, 7 % -3, max(2, 5), min(2, 5), abs(-4))", (2, -2, 5, 2, 4)),
    ("a = 1\nb = 2\nreturn a if height(I) > 5 else b", 2),
    ("f = lambda x, y=2: x * y\nreturn f(3) + f(3, 3) + f(y=1, x=1)", 16),
    ("def f(x):\n    y = x + 1\n    return (y, y * y)\na, b = f(4)\nreturn a + b", 30),
    ("def f(x):\n    return lambda y: x - y\nreturn f(7)(3)", 4),
    ("def f(c):\n    return (c, c + 1, c * c)\nreturn apply(f, I[0])", ((1, 2, 1), (2, 3, 4), (0, 1, 0))),
    ("k = 5\nreturn apply(lambda c: k, I[0])", (5, 5, 5)),
    ("return apply(lambda r: len(r), I)", (3, 3)),
    ("return apply(lambda r: apply(lambda c: c + r[0], r), I)", ((2, 3, 1), (0, 3, 3))),
    ("return papply(lambda a, b: a - b * b, I[0], I[1])", (1, -7, -9)),
    ("return apply(lambda c: rapply((lambda d: d + c, lambda d: d * c), 2), I[0])", ((3, 2), (4, 4), (2, 0))),
    ("return apply(lambda c: cellwise(I, canvas(c, shape(I)), c), I[0])[2]", ((0, 0, 0), (0, 0, 0))),
    ("return fork(lambda a, b: a - b, height, width)(I)", -1),
    ("return compose(lambda a: a + 1, height)(I)", 3),
    ("return rbind(lambda a, b, c: a + b * c, 3)(1, 2)", 7),
    ("return lbind(lbind, lambda a, b: (b, a, a))(1)(2)", (2, 1, 1)),
]


@pytest.mark.parametrize(("body", "expected"), CASES)
def test_constructs(body, expected):
    assert value(body) == expected


def agreed(programs):
    """What programs give, the same by the reference, the typed engine and the dynamic tier."""
    sample, names = Sample(GRID, (), None), [program.name for program in programs]
    expected = [evaluate(program, sample) for program in programs]
    typed = CpuEngine.of(programs, threads=1).values(sample)
    dynamic = DynamicTier(compile(programs), threads=1).values(sample, names, MAX_STEPS)
    assert [typed[name] for name in names] == [dynamic[name] for name in names] == expected
    return expected


def test_every_tier_gives_the_same():
    agreed([program_of(body, name=f"solve_{number}") for number, (body, _) in enumerate(CASES)])


def test_what_a_file_defines_is_written_out():
    before = """
SIZE = (2, 2)
BACK = canvas(ZERO, SIZE)
def put(g, c, where=ORIGIN):
    '''A cell.'''
    return fill(g, c, initset(where))
def twice(f, x):
    return f(f(x))
"""
    assert value("return twice(lambda g: put(g, 3, where=UNITY), BACK)", before) == ((0, 0), (0, 3))


def test_a_file_may_give_a_primitive_anew():
    assert value("return size(I)", "def size(x):\n    return 7\n") == 7


def test_one_program_may_call_another_and_have_two_names():
    text = "def solve_a(I):\n    return rot90(I)\ndef solve_b(I):\n    return rot90(solve_a(I))\nsolve_c = solve_b\n"
    parsed = parse_text(text)
    assert not parsed.errors
    assert [program.name for program in parsed.programs] == ["solve_a", "solve_b", "solve_c"]
    assert evaluate(parsed.programs[2], Sample(GRID, (), None)) == ((3, 3, 0), (0, 2, 1))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def f(x):\n    return f(x)\ndef solve_a(I):\n    return f(I)\n", "recursion: f calls itself"),
        ("def f(x):\n    return g(x)\ndef g(x):\n    return f(x)\ndef solve_a(I):\n    return f(I)\n", "recursion"),
        ("A = B\nB = A\ndef solve_a(I):\n    return A\n", "recursion"),
        ("def f(x):\n    for y in x: print(y)\n    return x\ndef solve_a(I):\n    return f(I)\n", "in f: an expr"),
        ("def solve_a(I):\n  y = []\n  def f(x):\n    y.append(x)\n    return x\n  return f(I)", "came from outside"),
        ("def f(x):\n    x.append(1)\n    return x\ndef solve_a(I):\n    return f(I)\n", "came from outside"),
        ("def solve_a(I):\n    return (lambda f: f(f))(lambda f: f(f))\n", "recursion"),
        ("def solve_a(I):\n    f = lambda x: y\n    y = I\n    g = apply(f, I)\n    y = 1\n    return", "redefinition"),
        ("def solve_a(I):\n    y = 1\n    f = compose(lambda x: y, size)\n    y = 2\n    return f(I)", "redefinition"),
        ("def solve_a(I):\n    return prapply(branch(T, lambda a, b: b, product), I, I)\n", "used as a value"),
        ("def solve_a(I):\n    a, b = (1, I, 2)\n    return a\n", "2 names for a tuple of 3"),
        ("def solve_a(I):\n    x = (I, I)\n    return x[2]\n", "item 2 of a tuple that has 2"),
        ("def solve_a(I):\n    return (I, I)(I)\n", "`tuple` is not legal"),
        ("def solve_a(I):\n    f = lambda *a: I\n    return f(I)\n", "parameters (*a)"),
        ("def solve_a(I):\n    f = lambda a: I\n    return f(I, I)\n", "f takes 1 argument, got 2"),
        ("def solve_a(I):\n    return [x() for x in I]\n", "call of a variable without arguments"),
        ("def solve_a(I):\n    return [add(x, x()()) for x in I]\n", "call of a variable without arguments"),
        (
            "def solve_a(I):\n    f = rot90 if I else rot180\n    return tuple(paint(f(), x) for x in I)\n",
            "call of a variable without arguments",
        ),
        ("def solve_a(I):\n    return sorted(I, backwards=T)\n", "no free parameter 'backwards'"),
    ],
)  # fmt: skip
def test_what_cannot_be_written_out_is_refused(text, message):
    parsed = parse_text(text)
    assert not parsed.programs
    assert message in str(parsed.errors[0])


def test_growth_is_bounded():
    lines = "".join(f"def f{n + 1}(x):\n    return f{n}(f{n}(x))\n" for n in range(60))
    text = f"def f0(x):\n    return rot90(x)\n{lines}def solve_a(I):\n    return f60(I)\n"
    parsed = parse_text(text)
    assert not parsed.programs
    assert len(parsed.errors) == 1
    doubled = "".join(f"    x{n + 1} = (x{n}, x{n})\n" for n in range(60))
    inner = f"def solve_a(I):\n  def f(x0):\n{doubled}    return x60\n  return apply(f, I)\n"
    parsed = parse_text(inner.replace("\n    x", "\n      x").replace("    return x60", "      return x60"))
    assert not parsed.programs


names = st.sampled_from("abc")


@st.composite
def functions(draw: st.DrawFn, depth: int) -> str:
    """Text of a function of one number."""

    def one() -> str:
        return draw(functions(depth - 1))

    def two() -> str:
        params = draw(st.permutations(["a", "b", "c"]))[:2]
        return f"lambda {', '.join(params)}: {draw(expressions(depth))}"

    name = draw(names)
    forms = [
        lambda: f"(lambda {name}: {draw(expressions(depth))})",
        lambda: f"compose({one()}, {one()})",
        lambda: f"rbind({two()}, {draw(expressions(depth - 1))})",
        lambda: f"lbind({two()}, {draw(expressions(depth - 1))})",
        lambda: f"fork({two()}, {one()}, {one()})",
        lambda: f"(lambda f: lambda {name}: f(f({name})))({one()})",
    ]
    return forms[draw(st.integers(0, 5)) if depth else 0]()


@st.composite
def expressions(draw: st.DrawFn, depth: int = 2) -> str:
    """Text that Python and we both read: numbers, tuples, calls of functions of all kinds."""
    if depth <= 0:
        return draw(names | st.integers(-4, 9).map(str))

    def one() -> str:
        return draw(expressions(depth - 1))

    def place() -> int:
        return draw(st.integers(-3, 2))

    forms = [
        lambda: draw(names),
        lambda: f"({one()} {draw(st.sampled_from(['+', '-', '*', '//', '%']))} {one()})",
        lambda: f"(-({one()}))",
        lambda: f"({one()}, {one()}, {one()})[{place()}]",
        lambda: f"{draw(functions(depth - 1))}({one()})",
        lambda: f"max({one()}, abs({one()}))",
        lambda: f"len(({one()}, {one()}))",
        lambda: f"apply({draw(functions(depth - 1))}, ({one()}, {one()}, {one()}))[{place()}]",
    ]
    return forms[draw(st.integers(0, 7))]()


@st.composite
def bodies(draw: st.DrawFn) -> str:
    lines = ["a = 2", "b = 3", "c = -5"]
    for _ in range(draw(st.integers(0, 5))):
        lines.append(
            draw(
                st.one_of(
                    st.builds("{} = {}".format, names, expressions()),
                    st.builds("{}, {} = {}, {}".format, names, names, expressions(), expressions()),
                    st.builds("{} += {}".format, names, expressions()),
                )
            )
        )
    keys = draw(expressions()), draw(expressions())
    lines.append(f"return (a, b, c, apply(lambda a: {keys[0]}, (1, 2, 3)), {keys[0]} < {keys[1]})")
    return "\n".join(lines)


@settings(max_examples=100, deadline=None)
@given(bodies())
def test_random_lines_mean_what_python_means(body):
    text = "def f():\n" + "".join(f"    {line}\n" for line in body.split("\n"))
    scope = {
        "apply": lambda f, items: tuple(f(item) for item in items),
        "compose": lambda f, g: lambda x: f(g(x)),
        "fork": lambda f, g, h: lambda x: f(g(x), h(x)),
        "rbind": lambda f, given: lambda x: f(x, given),
        "lbind": lambda f, given: lambda x: f(given, x),
    }
    exec(text, scope)
    try:
        expected = scope["f"]()
    except ZeroDivisionError:
        return
    if any(abs(number) >= 2**31 for number in (*expected[:3], *expected[3])):
        return
    (got,) = agreed([program_of(body)])
    if getattr(got, "reason", None) is None:  # a step on the way may not have fitted 32 bits
        assert got == expected
