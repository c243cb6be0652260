"""Choices, loops and comprehensions: that they mean what Python means, on every tier."""

# ruff: noqa: E501 - a program a line
from __future__ import annotations

from collections import Counter, defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcbatt.compiler.graph import merge
from arcbatt.compiler.program_set import compile
from arcbatt.engine.cpu import CpuEngine
from arcbatt.engine.dynamic import DynamicGraph, DynamicTier
from arcbatt.engine.reference import MergedReference
from arcbatt.language.failures import Failed, Reason
from arcbatt.language.program import unparse
from arcbatt.language.reference import Machine, evaluate
from arcbatt.language.sample import Sample
from arcbatt.syntax import parse_program, parse_text

GRID = ((1, 2, 0), (0, 3, 3))
SAMPLE = Sample(GRID, (), None)


def program_of(body: str, name: str = "solve_x"):
    lines = "".join(f"    {line}\n" for line in body.strip("\n").split("\n"))
    program = parse_program(f"def {name}(I):\n{lines}")
    assert parse_program(unparse(program)) == program
    return program


CASES = [
    ("if height(I) > 1:\n    x = 5\nelse:\n    x = 6\nreturn x", 5),
    ("x = 1\nif height(I) > 5:\n    x = first(frozenset())\nreturn x", 1),
    ("if height(I) > 5:\n    return 1\nelif height(I) > 1:\n    y = 2\nelse:\n    y = 3\nreturn y + 1", 3),
    ("if I:\n    x = 1\nelse:\n    x = 2\nreturn x", 1),
    ("s = 0\nfor r in I:\n    for c in r:\n        s += c\nreturn s", 9),
    ("s = 0\nfor r in I:\n    for c in r:\n        if c == 0:\n            continue\n        s += c * len(r)\nreturn s", 27),
    ("for i, r in enumerate(I):\n    for c in r:\n        if c == 3:\n            return i\nreturn 7", 1),
    ("for i, r in enumerate(I):\n    for c in r:\n        if c == 8:\n            return i\nreturn 7", 7),
    ("k = 0\nfor c in I[0]:\n    if c == 0:\n        break\n    k += 1\nreturn (k, c)", (2, 0)),
    ("for a, b in zip(I[0], I[1]):\n    pass\nreturn (a, b)", (0, 3)),
    ("x = 0\nwhile x < 10:\n    x += 3\nreturn x", 12),
    ("a, b, n = 0, 1, 0\nwhile True:\n    a, b = b, a + b\n    n += 1\n    if n == 10:\n        break\nreturn (a, b)", (55, 89)),
    ("x = 1\nwhile x < 100:\n    x *= 2\n    if x == 16:\n        return 7\nreturn x", 7),
    ("r = []\nfor c in I[0]:\n    r.append(c + 1)\nreturn tuple(r)", (2, 3, 1)),
    ("r = [7]\nfor c in I[0]:\n    if c:\n        r.append(c)\n        r.extend([c, c])\nreturn r", (7, 1, 1, 1, 2, 2, 2)),
    ("r = set()\nfor c in I[0]:\n    if c > 0:\n        r.add(c)\nreturn r", frozenset({1, 2})),
    ("r = []\nfor c in I[0]:\n    r.append(c + len(r))\nreturn r", (1, 3, 2)),
    ("out = []\nfor r in I:\n    row = []\n    for c in r:\n        row.append(c + len(out))\n    out.append(tuple(row))\nreturn tuple(out)",
     ((1, 2, 0), (1, 4, 4))),
    ("return [c * 2 for r in I for c in r if c]", (2, 4, 6, 6)),
    ("return {c for r in I for c in r}", frozenset({0, 1, 2, 3})),
    ("return tuple(tuple(c + i for c in r) for i, r in enumerate(I))", ((1, 2, 0), (1, 4, 4))),
    ("return sum(c for r in I for c in r)", 9),
    ("return (any(c == 3 for c in I[0]), all(c < 3 for c in I[0]))", (False, True)),
    ("return (max([c for c in I[0]]), min(3, 2, 1), max(I, key=lambda r: r[1]), min((), default=4))", (2, 1, (0, 3, 3), 4)),
    ("return [x for x in range(7, 0, -2)]", (7, 5, 3, 1)),
    ("return (sorted(I[0], reverse=True), sorted([3, 12, 11], key=lambda n: n // 10, reverse=True))", ((2, 1, 0), (12, 11, 3))),
    ("return (list(reversed(I[0])), list(zip(*I)), next((c for c in I[0] if c > 5), 9))",
     ((0, 2, 1), ((1, 0), (2, 3), (0, 3)), 9)),
    ("return (I[0][1:], I[0][:-1], I[0][::-1], I[0][::2], I[0][-2:9], I[0][5:])", ((2, 0), (1, 2), (0, 2, 1), (1, 0), (2, 0), ())),
    ("return [0] * 3 + [1] + list(I[0])[:1]", (0, 0, 0, 1, 1)),
    ("x = [1, 2, 3]\nx[1] = 7\nx[-1] += 1\nreturn x", (1, 7, 4)),
    ("g = [list(r) for r in I]\ng[0][1] = 9\ng[-1][-1] += 1\nreturn tuple(tuple(r) for r in g)", ((1, 9, 0), (0, 3, 4))),
    ("q = [1, 2, 3, 4]\na = q.pop(0)\nb = q.pop()\nq.insert(1, 8)\nq.remove(2)\nreturn (a, b, q)", (1, 4, (8, 3))),
    ("x = list()\nx.append(1)\ny = copy.deepcopy(x)\ny += deque([2])\nreturn (x, y)", ((1,), (1, 2))),
    ("q = [3, 1, 2]\nq.sort()\nq.reverse()\nreturn q", (3, 2, 1)),
    ("rows = [[], []]\nfor c in I[0]:\n    rows[c % 2].append(c)\nreturn rows", ((2, 0), (1,))),
    ("a, b = {1, 2}, {2, 3}\nreturn (a | b, a & b, a - b, a.union(b), a.issubset(b))",
     (frozenset({1, 2, 3}), frozenset({2}), frozenset({1}), frozenset({1, 2, 3}), False)),
    ("return len(I) > 5 and first(frozenset()) == 1", False),
    ("return len(I) < 5 or first(frozenset()) == 1", True),
    ("x = None\nfor c in I[1]:\n    if x is None or c > x:\n        x = c\nreturn x", 3),
    ("return first(frozenset()) if height(I) > 5 else width(I)", 3),
    ("def f(x):\n    if x > 1:\n        return x * 2\n    return 0\nreturn [f(c) for c in I[0]]", (0, 4, 0)),
    ("def f(x):\n    while x > 10:\n        x //= 2\n    return x\nreturn [f(n) for n in (5, 50, 500)]", (5, 6, 7)),
    ("k = 1\ndef f(x):\n    return x + k\nif height(I) > 1:\n    k = 5\nreturn f(1)", 6),
    ("if height(I) > 5:\n    raise ValueError\nassert width(I) == 3\nreturn 1", 1),
    ("O = I\nfor o in objects(I, T, F, T):\n    if size(o) > 1:\n        O = fill(O, 7, o)\nreturn O", ((1, 2, 0), (0, 7, 7))),
    ("s = 0\nfor c in []:\n    s = first(frozenset())\nreturn s", 0),
    ("x = []\nfor r in I:\n    x.append([c for c in r])\ny = []\nfor r in x:\n    y.append(r[:1] + r)\nreturn [r + r for r in y][1]", (0, 0, 3, 3) * 2),
    ("d = {}\nfor r in I:\n    for c in r:\n        d[c] = d.get(c, 0) + 1\nreturn list(d.items())", ((1, 1), (2, 1), (0, 2), (3, 2))),
    ("d = {1: 2, 3: 4}\nreturn (d[1], 3 in d, 2 not in d, len(d), sorted(d), max(d, key=d.get), list(d.values()))",
     (2, True, True, 2, (1, 3), 3, (2, 4))),
    ("d = {}\nfor i, r in enumerate(I):\n    for c in r:\n        d.setdefault(c, []).append(i)\nreturn tuple(d.items())",
     ((1, (0,)), (2, (0,)), (0, (0, 1)), (3, (1, 1)))),
    ("d = defaultdict(list)\nfor i, r in enumerate(I):\n    for c in r:\n        d[c].append(i)\nreturn [(k, v) for k, v in d.items()]",
     ((1, (0,)), (2, (0,)), (0, (0, 1)), (3, (1, 1)))),
    ("from collections import Counter\nn = Counter(I[1])\nn[8] += 1\nreturn (n.most_common(1)[0][0], n.most_common(), n[7])",
     (3, ((3, 2), (0, 1), (8, 1)), 0)),
    ("d = {c: i for i, r in enumerate(I) for c in r}\ndel d[1]\nx = d.pop(3)\nif 0 in d:\n    d[0] = 9\nreturn (x, [k for k in d], d.get(5), d[0])",
     (1, (2, 0), None, 9)),
    ("d = {}\nif not d:\n    d[1, 2] = 5\nelse:\n    d = {}\nd.update({(0, 0): 1})\nreturn (d[(1, 2)], len(d.copy()))", (5, 2)),
    ("d = {}\nfor c in (3, 4):\n    d[c] = [0, 0]\n    d[c][1] = c\nd[3][0] += 7\nreturn [d[k] for k in d]", ((7, 3), (0, 4))),
    ("def seen(rows):\n    found = {}\n    for r in rows:\n        found[r[0]] = len(found)\n    return found\nd = seen(I)\nd.clear()\nreturn seen(I)[0] + len(d)", 1),
    ("m = {1: 5, 2: 6}\nreturn tuple(tuple(m.get(c, c) for c in r) for r in I)", ((5, 6, 0), (0, 3, 3))),
    ("O = [list(r) for r in I]\ndef box(a, b, v):\n    if v == 3:\n        return\n    for i in range(a):\n        for j in range(b):\n            O[i][j] = v\nbox(1, 2, 7)\nbox(2, 1, 3)\nbox(2, 1, 5)\nreturn O",
     ((5, 7, 0), (5, 3, 3))),
    ("n = 0\ndef count():\n    nonlocal n\n    n += 1\nfor c in I[0]:\n    count()\nreturn n", 3),
    ("def put(items, i, v=9):\n    items[i] = v\nx = [1, 2]\nput(x, 0)\nput(x, 1, 4)\nreturn x", (9, 4)),
    ("x = add(y := 3, y)\nwhile (k := y - 1) > 0:\n    y = k\nreturn (x, y, k)", (6, 1, 0)),
    ("x = [1, 2, 3]\ndel x[1]\nreturn x", (1, 3)),
    ("return fold(I[0], 0, add) + fold(I[1], 1, lambda total, c: total * 2 + c)", 20),
]  # fmt: skip
FAILING = [
    ("assert height(I) == 7\nreturn I", Reason.EMPTY),
    ("if height(I) == 2:\n    raise ValueError\nreturn I", Reason.EMPTY),
    ("for c in I[0]:\n    x = I[c]\nreturn x", Reason.BOUNDS),
    ("return [I[0][c + 2] for c in I[0]]", Reason.BOUNDS),
    ("x = list(I[0])\nx[3] = 2\nreturn x", Reason.BOUNDS),
    ("x = []\nif height(I) > 1:\n    y = x[0]\nreturn y", Reason.EMPTY),
    ("d = {1: 2}\nreturn d[3]", Reason.EMPTY),
    ("d = {}\nfor c in I[0]:\n    d[c] = c\ndel d[7]\nreturn len(d)", Reason.EMPTY),
]
HOSTILE = [
    "x = 0\nfor i in range(1000000000):\n    x += 1\nreturn x",
    "x = 0\nwhile True:\n    x = 1 - x\nreturn x",
    "x = 2\nwhile x > 0:\n    x = x * x\nreturn x",
    "x = [1]\nwhile True:\n    x = x + x\nreturn x",
    "return [a for a in range(9999) for b in range(9999) for c in range(9999) for d in range(9999)]",
    "x = (1,)\nfor i in range(60000):\n    x = (x, x)\nreturn x",
    "x = [1]\nfor y in range(60000):\n    x.append(x)\nreturn len(x)",
    "d = {}\nfor k in range(60000):\n    d[k] = k\nreturn len(d)",
    "d = {0: (1,)}\nwhile True:\n    d[0] = (d[0], d[0])\nreturn d[0]",
    "d = {k: k for k in range(60000)}\nreturn len(d)",
    "d = defaultdict(list)\nwhile True:\n    d[0].append(len(d[0]))\nreturn len(d[0])",
    "n = Counter(range(60000))\nreturn n.most_common(1)[0][0]",
    "x = 1\nwhile (y := x * x + 1) > 0:\n    x = y\nreturn x",
    "d = {}\nfor k in range(60000):\n    d.setdefault(k, []).append(k)\nreturn len(d)",
    "x = [0]\nwhile x:\n    y = x.pop()\n    x.append(y)\nreturn x",
    "x = frozenset({0})\nwhile True:\n    x = x | {len(x)}\nreturn x",
    "return [[a, b, c] for a in range(9999) for b in range(9999) for c in range(9999)][0]",
    "return any(a == b + c for a in range(60000) for b in range(60000) for c in range(60000))",
    "return [0] * 1000000000",
    "return sum(range(1000000000))",
    "return sorted(range(0, 2000000000, 2))",
    "return list(map(lambda a: list(range(60000)), range(60000)))",
    "return list(filter(lambda a: sum(range(a)) == a, range(60000)))",
    "return [p for p in enumerate(zip(range(60000), range(60000)))][::-1] * 60000",
    "x = I[0]\nfor i in range(60):\n    x = x + x\nreturn x[0:1000000000]",
    "f = lambda x: (x, x, x)\ng = lambda x: f(f(f(f(x))))\nreturn g(g(g(I)))",
    "x = frozenset({frozenset()})\nfor i in range(60000):\n    x = frozenset({x, frozenset({x})})\nreturn x",
    "x = 0\nfor i in range(60000):\n    for j in range(60000):\n        if i == 59999:\n            return x\n        x = j\nreturn x",
    "x = [0] * 60000\nfor i in range(60000):\n    x[i] = x[i - 1] + 1\nreturn x",
    "return fold(range(60000), (0,), lambda x, n: combine(x, x))",
]


@pytest.mark.parametrize(("body", "expected"), CASES)
def test_constructs(body, expected):
    assert evaluate(program_of(body), SAMPLE) == expected


@pytest.mark.parametrize(("body", "reason"), FAILING)
def test_what_python_raises_fails(body, reason):
    outcome = evaluate(program_of(body), SAMPLE)
    assert isinstance(outcome, Failed)
    assert outcome.reason is reason


@pytest.mark.parametrize("body", HOSTILE)
def test_what_has_no_end_ends(body):
    programs = [program_of(body)]
    for outcome in (
        evaluate(programs[0], SAMPLE, Machine(300_000)),
        DynamicTier(compile(programs), threads=1).values(SAMPLE, ["solve_x"], 10_000_000)["solve_x"],
        CpuEngine.of(programs, threads=1).values(SAMPLE, max_steps=10_000_000)["solve_x"],
    ):
        assert isinstance(outcome, Failed)
        assert outcome.reason is Reason.LIMIT


def agreed(programs, sample):
    """What programs give, the same by the reference, the typed engine and the dynamic tier."""
    names = [program.name for program in programs]
    expected = [evaluate(program, sample) for program in programs]
    typed = CpuEngine.of(programs, threads=1).values(sample)
    dynamic = DynamicTier(compile(programs), threads=1).values(sample, names, 200_000_000)
    assert [typed[name] for name in names] == expected
    assert [dynamic[name] for name in names] == expected
    return expected


def test_every_tier_gives_the_same():
    bodies = [body for body, _ in (*CASES, *FAILING)]
    agreed([program_of(body, f"solve_{number}") for number, body in enumerate(bodies)], SAMPLE)


def test_growth_of_the_text_is_bounded():
    guards = "".join(f"    if height(I) == {n}:\n        if width(I) == 1:\n            return I\n" for n in range(40))
    parsed = parse_text(f"def solve_a(I):\n{guards}    return I\n")
    assert not parsed.programs
    assert len(parsed.errors) == 1
    guards = "".join(f"    if height(I) == {n}:\n        return rot90(I)\n" for n in range(40))
    assert parse_text(f"def solve_a(I):\n{guards}    return I\n").programs


# --- random programs that Python runs too ---

numbers = st.sampled_from("abc")
lists = st.sampled_from(["xs", "ys"])


@st.composite
def number(draw: st.DrawFn, depth: int = 2) -> str:
    """Text of a number."""
    if depth <= 0:
        return draw(numbers | st.integers(-3, 7).map(str))

    def one() -> str:
        return draw(number(depth - 1))

    forms = [
        lambda: draw(numbers),
        lambda: f"({one()} {draw(st.sampled_from('+-*'))} {one()}) % 97",
        lambda: f"({one()} if {draw(truth(depth - 1))} else {one()})",
        lambda: f"len({draw(items(depth - 1))})",
        lambda: f"sum({draw(items(depth - 1))}) % 97",
        lambda: f"max({one()}, {one()})",
        lambda: f"{draw(lists)}[{one()}]",
        lambda: f"min({draw(items(depth - 1))}, default={one()})",
        lambda: f"sum({one()} for k in {draw(items(depth - 1))}) % 97",
        lambda: f"d[{one()}]",
        lambda: f"d.get({one()}, {one()})",
        lambda: f"len({draw(st.sampled_from('de'))})",
        lambda: f"Counter({draw(items(depth - 1))})[{one()}]",
    ]
    return forms[draw(st.integers(0, len(forms) - 1))]()


@st.composite
def truth(draw: st.DrawFn, depth: int = 2) -> str:
    """Text of a condition."""

    def one() -> str:
        return draw(number(depth - 1))

    forms = [
        lambda: f"{one()} {draw(st.sampled_from(['<', '<=', '>', '>=', '==', '!=']))} {one()}",
        lambda: f"{one()} in {draw(items(depth - 1))}",
        lambda: f"({draw(truth(depth - 1))} {draw(st.sampled_from(['and', 'or']))} {draw(truth(depth - 1))})",
        lambda: f"not {draw(truth(depth - 1))}",
        lambda: f"any(k > {one()} for k in {draw(items(depth - 1))})",
        lambda: f"{one()} {draw(st.sampled_from(['in', 'not in']))} {draw(st.sampled_from('de'))}",
    ]
    return forms[draw(st.integers(0, len(forms) - 1)) if depth > 0 else 0]()


@st.composite
def items(draw: st.DrawFn, depth: int = 2) -> str:
    """Text of a list of numbers."""
    if depth <= 0:
        return draw(lists)

    def one() -> str:
        return draw(items(depth - 1))

    def place() -> str:
        return draw(st.sampled_from(["", "1", "-1", "2", "-2", draw(number(depth - 1))]))

    forms = [
        lambda: draw(lists),
        lambda: f"[{draw(number(depth - 1))}, {draw(number(depth - 1))}]",
        lambda: f"list(range({draw(number(depth - 1))} % 5))",
        lambda: f"[k + {draw(number(depth - 1))} for k in {one()} if {draw(truth(depth - 1))}]",
        lambda: f"[k * j % 97 for k in {one()} for j in {one()}]",
        lambda: f"sorted({{k % 7 for k in {one()}}})",
        lambda: f"{draw(lists)}[{place()}:{place()}]",
        lambda: f"({one()} + {one()})[:20]",
        lambda: f"[j for i, j in enumerate({one()}) if i % 2 == 0]",
        lambda: f"[i - j for i, j in zip({one()}, {one()})]",
        lambda: draw(st.sampled_from(["sorted(d)", "list(d.values())", "[k - v for k, v in d.items()]"])),
        lambda: f"list({{k % 5: k for k in {one()}}}.values())",
        lambda: f"e.get({draw(number(depth - 1))}, {one()})",
    ]
    return forms[draw(st.integers(0, len(forms) - 1))]()


USED = "t = (t + [a, b, c, len(xs), len(ys), len(d), len(e)])[-9:]"
"""All values are used: a line that fails for nobody does not fail a program, where Python raises."""


@st.composite
def statements(draw: st.DrawFn, depth: int, loops: int) -> list[str]:
    """Lines of one statement; `loops` is how many loops there are around it."""

    def block(inside: int = loops) -> list[str]:
        lines = [line for _ in range(draw(st.integers(1, 3))) for line in draw(statements(depth - 1, inside))]
        return [f"    {line}" for line in lines]

    def leave() -> list[str]:
        kinds = [f"return ({draw(number(1))}, {draw(items(1))}, t)", "break", "continue"][: 3 if loops else 1]
        return [f"if {draw(truth(1))}:", f"    {draw(st.sampled_from(kinds))}"]

    simple = [
        lambda: [f"{draw(numbers)} = {draw(number())}"],
        lambda: [f"{draw(numbers)} += {draw(number(1))} % 9"],
        lambda: [f"a, b = b, {draw(number(1))}"],
        lambda: [f"{draw(lists)} = {draw(items())}[:12]"],
        lambda: [f"xs.append({draw(number(1))})", "xs = xs[-12:]"],
        lambda: [f"if {draw(lists)}:", f"    ys[0] = {draw(number(1))}", "    a = xs.pop()"],
        lambda: [f"d[{draw(number(1))}] = {draw(number(1))}"],
        lambda: [f"d[{draw(numbers)}] = d.get({draw(numbers)}, 1) + 1"],
        lambda: [f"d.setdefault({draw(number(1))}, {draw(number(1))})"],
        lambda: [f"e[{draw(number(1))}].append({draw(number(1))})"],
        lambda: [f"if {draw(numbers)} in d:", f"    c = d.pop({draw(numbers)})"],
        lambda: [f"push({draw(number(1))})", "xs = xs[-12:]"],
        lambda: [f"{draw(numbers)} = (q := {draw(number(1))}) + q"],
    ]
    compound = [
        lambda: [f"if {draw(truth())}:", *block(), *(["else:", *block()] if draw(st.booleans()) else [])],
        lambda: [f"if {draw(truth())}:", *block(), f"elif {draw(truth(1))}:", *block(), "else:", *block()],
        lambda: [f"for {draw(st.sampled_from('abcn'))} in {draw(items(1))}[:4]:", *block(loops + 1)],
        lambda: [f"for a, c in zip({draw(items(1))}[:9], {draw(items(1))}[:3]):", *block(loops + 1)],
        lambda: ["m = 0", f"while m < 3 and {draw(truth(1))}:", "    m += 1", *block(loops + 1)],
        leave,
    ]
    forms = simple + (compound if depth else [])
    which = draw(st.integers(0, len(forms) - 1))
    return forms[which]() + [USED] * (which < len(simple))


@st.composite
def bodies(draw: st.DrawFn) -> str:
    lines = [
        "a, b, c = height(I), 2, -1",
        "xs = list(I[0])",
        "ys = [4, b]",
        "d = {1: 2, b: 3}",
        "e = defaultdict(list)",
        "t = []",
    ]
    lines += ["def push(n):", "    if n < 0:", "        return", "    m = n + 1", "    xs.append(m)"]
    for _ in range(draw(st.integers(1, 4))):
        lines += draw(statements(2, 0))
    return "\n".join([*lines, "return (a, b, c, xs, ys, list(d.items()), list(e.items()), t)"])


def as_value(value):
    return tuple(map(as_value, value)) if isinstance(value, list | tuple) else value


@settings(max_examples=30, deadline=None)
@given(bodies())
def test_random_programs_mean_what_python_means(body):
    text = "def f(I):\n" + "".join(f"    {line}\n" for line in body.split("\n"))
    scope = {"height": len, "Counter": Counter, "defaultdict": defaultdict}
    exec(text, scope)
    try:
        expected = as_value(scope["f"](GRID))
    except (IndexError, KeyError, ZeroDivisionError, ValueError):
        expected = None
    parsed = parse_text(f"def solve_x(I):\n{text.split(':', 1)[1]}")
    if parsed.errors and expected is None and "of a tuple that has" in parsed.errors[0].message:
        return  # what fails on every input is refused
    assert not parsed.errors, str(parsed.errors[0])
    program = parsed.programs[0]
    assert parse_program(unparse(program)) == program
    (outcome,) = agreed([program], SAMPLE)
    if expected is None:
        assert isinstance(outcome, Failed)
    elif not isinstance(outcome, Failed) or outcome.reason is not Reason.LIMIT:
        assert outcome == expected


def test_steps_are_the_same():
    graph = merge(program_of(body, f"solve_{number}") for number, (body, _) in enumerate(CASES))
    nodes = list(graph.outputs.values())
    reference = MergedReference(graph, SAMPLE, 200_000_000)
    expected = [reference.value(node) for node in nodes]
    (found,) = DynamicGraph(graph, threads=1).evaluate([SAMPLE], nodes)
    assert found is not None
    assert found.outcomes == expected
    assert found.steps == reference.machine.total_steps
