"""Functions written in a solver file, and how one becomes a value of the language: combinators, no parameters."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from arcbatt.language.program import Call, Const, Expr, Name


@dataclass(eq=False)
class Env:
    """Names and what they stand for, inside a function or a program; what is not here is looked up outside."""

    values: dict[str, Value]
    outer: Env | None
    find: Callable[[str], Value | None]
    """Names of the file and of the language."""
    later: frozenset[str] = frozenset()
    """Names that lines to come assign."""
    captured: set[str] = field(default_factory=set)
    """Names that functions made into values have used."""


@dataclass(frozen=True, eq=False)
class Function:
    """A function of the text: a lambda, a `def` without branches, or an entry of a dialect."""

    name: str
    """Of a lambda, nothing."""
    params: tuple[str, ...]
    body: ast.expr | list[ast.stmt]
    env: Env
    defaults: Mapping[str, Value] = field(default_factory=dict)
    constant: bool = False
    """A constant of the file: no function, but written out like one."""
    own: bool = False
    """Whether its text is that of the program being read, so that errors can point into it."""

    @cached_property
    def uses(self) -> Mapping[str, int]:
        """How often the text of the function reads each parameter."""
        counts = dict.fromkeys(self.params, 0)
        for part in [self.body] if isinstance(self.body, ast.expr) else self.body:
            for node in ast.walk(part):
                if isinstance(node, ast.Name) and node.id in counts:
                    counts[node.id] += 1
        return counts


@dataclass(frozen=True, eq=False)
class Items:
    """A tuple written in the text: it is unpacked without ever being made."""

    items: tuple[Value, ...]
    name: str = ""


Value = Expr | Function | Items


def variable(number: int) -> Name:
    """What stands for a parameter while a function is made into a value; no text can hold such a name."""
    return Name(f"<{number}>")


def is_variable(name: str) -> bool:
    """Whether a name is such a parameter."""
    return name.startswith("<")


class Sizes:
    """Calls and nesting of expressions whose parts may be shared, each part looked at once."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Expr, int, int, bool]] = {}

    def of(self, expr: Expr) -> tuple[int, int, bool]:
        """How many calls, how deep, and whether parameters of functions are among its names."""
        if isinstance(expr, Name):
            return 0, 0, is_variable(expr.id)
        if isinstance(expr, Const):
            return 0, 0, False
        known = self._known.get(id(expr))
        if known is None:
            parts = [self.of(part) for part in (expr.function, *expr.args)]
            calls = 1 + sum(part[0] for part in parts)
            depth = 1 + max(part[1] for part in parts)
            known = expr, calls, depth, any(part[2] for part in parts)
            self._known[id(expr)] = known
        return known[1:]


class Combinators:
    """Makes functions without parameters. `names` are the primitives to make them of, by what they do."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = names

    def value(self, params: Sequence[Name], body: Expr) -> Expr | None:
        """The function of the parameters that gives the body, or None where there is none."""
        if len(params) == 1:
            return _Abstraction(self, params[0]).of(body)
        return self._bound(params, body)

    def name(self, role: str) -> Name:
        """The primitive that does this."""
        return Name(self.names[role])

    def made(self, role: str, *args: Expr) -> Call:
        """A call of the primitive that does this."""
        return Call(self.name(role), args)

    def fixed(self, function: Expr, before: Sequence[Expr], after: Sequence[Expr]) -> Expr:
        """A function with its first and its last arguments given."""
        for arg in reversed(after):
            function = self.made("fix_last", function, arg)
        for arg in before:
            function = self.made("fix_first", function, arg)
        return function

    def _bound(self, params: Sequence[Name], body: Expr) -> Expr | None:
        """f(x, p, q, y) as a function of p and q: f with its first and last arguments given."""
        if not isinstance(body, Call):
            return None
        at = next((place for place, arg in enumerate(body.args) if arg == params[0]), len(body.args))
        before, own, after = body.args[:at], body.args[at : at + len(params)], body.args[at + len(params) :]
        others = _names([body.function, *before, *after])
        if own != tuple(params) or any(param.id in others for param in params):
            return None
        return self.fixed(body.function, before, after)


class _Abstraction:
    """An expression as a function of one of its names."""

    def __init__(self, combinators: Combinators, param: Name) -> None:
        self.name = combinators.name
        self.made = combinators.made
        self.fixed = combinators.fixed
        self.param = param
        self._has: dict[int, tuple[Expr, bool]] = {}
        self._of: dict[int, tuple[Expr, Expr]] = {}

    def has(self, expr: Expr) -> bool:
        if not isinstance(expr, Call):
            return expr == self.param
        if id(expr) not in self._has:
            self._has[id(expr)] = expr, any(map(self.has, (expr.function, *expr.args)))
        return self._has[id(expr)][1]

    def of(self, expr: Expr) -> Expr:
        if expr == self.param:
            return self.name("same")
        if not isinstance(expr, Call) or not self.has(expr):
            return self.made("after", self.name("last_item"), self.made("fix_last", self.name("two"), expr))
        if id(expr) not in self._of:
            self._of[id(expr)] = expr, self.call(expr)
        return self._of[id(expr)][1]

    def call(self, expr: Call) -> Expr:
        if self.has(expr.function):
            return self.of(self.applied(expr.function, expr.args))
        places = [place for place, arg in enumerate(expr.args) if self.has(arg)]
        start, end = places[0], places[-1] + 1
        function = self.fixed(expr.function, expr.args[:start], expr.args[end:])
        own = expr.args[start:end]
        if len(own) == 1:
            return function if own[0] == self.param else self.made("after", function, self.of(own[0]))
        if len(own) == 2:
            return self.made("joined", function, self.of(own[0]), self.of(own[1]))
        return self.of(self.applied(function, own))

    def applied(self, function: Expr, args: tuple[Expr, ...]) -> Expr:
        """A call as one of primitives alone: first(rapply(initset(f), x))."""
        function = self.fixed(function, args[:-1], ())
        return self.made("first_item", self.made("each", self.made("set_of_one", function), args[-1]))


def _names(parts: Sequence[Expr]) -> set[str]:
    """Every name in expressions whose parts may be shared."""
    found: set[str] = set()
    seen: set[int] = set()
    waiting = list(parts)
    while waiting:
        expr = waiting.pop()
        if isinstance(expr, Name):
            found.add(expr.id)
        elif isinstance(expr, Call) and id(expr) not in seen:
            seen.add(id(expr))
            waiting += [expr.function, *expr.args]
    return found
