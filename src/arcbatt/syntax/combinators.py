"""Functions without parameters: how an expression becomes a function of one of its names, made of combinators.

An expression may hold a part many times over: it is a graph. A function computes such a part once: it is a pipeline
that puts the part beside its argument, step by step, and goes on from there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from arcbatt.language.program import Call, Const, Expr, Name
from arcbatt.syntax.functions import is_variable

_DEEP: Final = 16
"""Calls inside one another after which a function goes on in a new step, so that none is deep."""


_Held = int | tuple["_Held", "_Held"]
"""The id of an expression, or two such."""


class Facts(NamedTuple):
    """What is known of an expression."""

    calls: int
    depth: int
    """How many calls stand inside one another."""
    params: frozenset[str]
    """The parameters of functions among its names."""
    ready: bool
    """Whether there is nothing to compute: constants, names, and functions of such."""


_NAME: Final = Facts(0, 0, frozenset(), True)


class Combinators:
    """Makes functions without parameters. `names` are the primitives to make them of, by what they do.

    `makes_function` says whether a primitive is a combinator: a call of one gives a function and does nothing else.
    `fixed_values` are expressions that stand for constants.
    """

    def __init__(
        self, names: Mapping[str, str], makes_function: Callable[[str], bool], fixed_values: Mapping[str, Expr]
    ) -> None:
        self.names = names
        self._makes_function = makes_function
        self._fixed_values = fixed_values
        self._known: dict[int, tuple[Expr, Facts]] = {}

    def facts(self, expr: Expr) -> Facts:
        """What is known of an expression, each part of which is looked at once."""
        if isinstance(expr, Name):
            return Facts(0, 0, frozenset({expr.id}), True) if is_variable(expr.id) else _NAME
        if isinstance(expr, Const):
            return _NAME
        known = self._known.get(id(expr))
        if known is None:
            parts = [self.facts(part) for part in (expr.function, *expr.args)]
            facts = Facts(
                1 + sum(part.calls for part in parts),
                1 + max(part.depth for part in parts),
                frozenset[str]().union(*(part.params for part in parts)),
                self.is_fixed(expr) or (self.makes_function(expr) and all(part.ready for part in parts)),
            )
            known = self._known[id(expr)] = expr, facts
        return known[1]

    def makes_function(self, expr: Call) -> bool:
        """Whether a call is one of a combinator."""
        return isinstance(expr.function, Name) and self._makes_function(expr.function.id)

    def is_fixed(self, expr: Expr) -> bool:
        """Whether an expression stands for a constant."""
        return any(expr is one for one in self._fixed_values.values())

    def value(self, params: Sequence[Name], body: Expr) -> Expr | None:
        """The function of the parameters that gives the body, or None where there is none.

        What does not depend on the parameters is computed where the function is made.
        """
        if len(params) == 1:
            return _Abstraction(self, params[0], late=False).function(body)
        return self._bound(params, body)

    def late(self, param: Name, body: Expr) -> Expr:
        """The function that gives the body, all of which is computed where the function is called, if it ever is."""
        return _Abstraction(self, param, late=True).function(body)

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

    def always(self, value: Expr) -> Expr:
        """The function that gives a value, whatever it is called with."""
        return self.made("after", self.name("last_item"), self.made("fix_last", self.name("two"), value))

    def pairs(self, values: Sequence[Expr]) -> Expr:
        """Values, one at least, as pairs of pairs: one value is itself."""
        if len(values) == 1:
            return values[0]
        half = (len(values) + 1) // 2
        return self.made("two", self.pairs(values[:half]), self.pairs(values[half:]))

    def parts(self, whole: Expr, count: int) -> list[Expr]:
        """The values that so many were as `pairs`."""
        if count == 1:
            return [whole]
        half = (count + 1) // 2
        return [
            *self.parts(self.made("first_item", whole), half),
            *self.parts(self.made("last_item", whole), count - half),
        ]

    def base(self, expr: Expr) -> Name | None:
        """The parameter that an expression is, or is a part of as `parts` gives them."""
        ends = self.names["first_item"], self.names["last_item"]
        while isinstance(expr, Call) and isinstance(expr.function, Name) and expr.function.id in ends:
            expr = expr.args[0]
        return expr if isinstance(expr, Name) and is_variable(expr.id) else None

    def in_turn(self, steps: Sequence[Expr]) -> Expr:
        """Functions one after the other, the first one first, as few inside one another as can be."""
        if len(steps) == 1:
            return steps[0]
        half = len(steps) // 2
        return self.made("after", self.in_turn(steps[half:]), self.in_turn(steps[:half]))

    def _bound(self, params: Sequence[Name], body: Expr) -> Expr | None:
        """f(x, p, q, y) as a function of p and q: f with its first and last arguments given."""
        if not isinstance(body, Call):
            return None
        at = next((place for place, arg in enumerate(body.args) if arg == params[0]), len(body.args))
        before, own, after = body.args[:at], body.args[at : at + len(params)], body.args[at + len(params) :]
        others = frozenset[str]().union(*(self.facts(part).params for part in (body.function, *before, *after)))
        if own != tuple(params) or any(param.id in others for param in params):
            return None
        return self.fixed(body.function, before, after)


class _Abstraction:
    """An expression as a function of one of its names. With `late`, nothing is computed before the call."""

    def __init__(self, combinators: Combinators, param: Name, *, late: bool) -> None:
        self.make = combinators
        self.param = param
        self.late = late
        self._of: dict[int, tuple[Expr, Expr]] = {}

    def function(self, body: Expr) -> Expr:
        """The function that gives the body."""
        kept = self.kept(body)
        return self.pipeline(kept, body) if kept else self.of(body)

    def pipeline(self, kept: list[Call], body: Expr) -> Expr:
        """Some parts one after the other, each beside what there was before, and at last the body of them.

        `held` is what the argument of a step is: a part, or a pair of such. What is no longer used is left out now and
        then.
        """
        own = id(self.param)
        cut = {own, *map(id, kept)}
        last_use: dict[int, int] = {}
        for number, expr in enumerate((*kept, body)):
            last_use.update(dict.fromkeys(self.entries(expr, cut), number))
        steps: list[Expr] = []
        held: _Held = own
        count = 1
        for number, part in enumerate(kept):
            made = self.replaced(part, held, cut)
            used = [entry for entry in _entries(held) if last_use.get(entry, -1) > number]
            if not used:
                steps.append(self.of(made))
                held, count = id(part), 1
            elif count <= 2 * len(used) + 2:
                steps.append(self.make.made("joined", self.make.name("two"), self.of(made), self.make.name("same")))
                held, count = (id(part), held), count + 1
            else:
                places = self.places(held)
                steps.append(self.of(self.make.pairs([made, *(places[entry] for entry in used)])))
                held, count = _balanced([id(part), *used]), 1 + len(used)
            self._of.clear()
        steps.append(self.of(self.replaced(body, held, cut)))
        return self.make.in_turn(steps)

    def entries(self, expr: Expr, cut: set[int]) -> set[int]:
        """Which parts, or whether the parameter itself, an expression is made of directly."""
        found: set[int] = set()
        seen: set[int] = set()
        waiting: list[Expr] = [expr.function, *expr.args] if isinstance(expr, Call) else [expr]
        while waiting:
            one = waiting.pop()
            if one == self.param:
                found.add(id(self.param))
            elif id(one) in cut:
                found.add(id(one))
            elif isinstance(one, Call) and id(one) not in seen and self.has(one):
                seen.add(id(one))
                waiting += [one.function, *one.args]
        return found

    def places(self, held: _Held) -> dict[int, Expr]:
        """Where in the argument each part is."""
        found: dict[int, Expr] = {}
        waiting: list[tuple[_Held, Expr]] = [(held, self.param)]
        while waiting:
            one, place = waiting.pop()
            if isinstance(one, int):
                found[one] = place
            else:
                waiting.append((one[0], self.make.made("first_item", place)))
                waiting.append((one[1], self.make.made("last_item", place)))
        return found

    def replaced(self, expr: Expr, held: _Held, cut: set[int]) -> Expr:
        """An expression of what the argument of a step holds."""
        places = self.places(held)
        done: dict[int, tuple[Expr, Expr]] = {}

        def of(one: Expr, *, whole: bool = False) -> Expr:
            if one == self.param:
                return places[id(self.param)]
            if not isinstance(one, Call) or not self.has(one):
                return one
            if not whole and id(one) in cut:
                return places[id(one)]
            if id(one) not in done:
                parts = [of(part) for part in (one.function, *one.args)]
                same = all(new is old for new, old in zip(parts, (one.function, *one.args), strict=True))
                done[id(one)] = one, one if same else Call(parts[0], tuple(parts[1:]), one.line)
            return done[id(one)][1]

        return of(expr, whole=True)

    def kept(self, body: Expr) -> list[Call]:
        """The parts to compute once, inner ones first: those used several times, and some of what is deep."""
        ordered = list(_inside_out(body, self.has))
        uses = Counter(id(part) for one in ordered for part in (one.function, *one.args))
        height: dict[int, int] = {}
        found = []
        for one in ordered:
            tall = 1 + max(height.get(id(part), 0) for part in (one.function, *one.args))
            small = self.make.base(one) is not None or self.make.makes_function(one)
            if not small and one is not body and (uses[id(one)] > 1 or tall >= _DEEP):
                found.append(one)
                tall = 0
            height[id(one)] = tall
        return found

    def has(self, expr: Expr) -> bool:
        """Whether an expression is computed where the function is called."""
        if not isinstance(expr, Call):
            return expr == self.param
        facts = self.make.facts(expr)
        return self.param.id in facts.params or (self.late and not facts.ready)

    def of(self, expr: Expr) -> Expr:
        """The function that gives an expression."""
        if expr == self.param:
            return self.make.name("same")
        if not isinstance(expr, Call) or not self.has(expr):
            return self.make.always(expr)
        if id(expr) not in self._of:
            self._of[id(expr)] = expr, self.call(expr)
        return self._of[id(expr)][1]

    def call(self, expr: Call) -> Expr:
        if self.has(expr.function):
            return self.of(self.applied(expr.function, expr.args))
        places = [place for place, arg in enumerate(expr.args) if self.has(arg)] or [0]
        start, end = places[0], places[-1] + 1
        function = self.make.fixed(expr.function, expr.args[:start], expr.args[end:])
        own = expr.args[start:end]
        if len(own) == 1:
            return function if own[0] == self.param else self.make.made("after", function, self.of(own[0]))
        if len(own) == 2:
            return self.make.made("joined", function, self.of(own[0]), self.of(own[1]))
        return self.of(self.applied(function, own))

    def applied(self, function: Expr, args: tuple[Expr, ...]) -> Expr:
        """A call as one of primitives alone: first(rapply(initset(f), x))."""
        function = self.make.fixed(function, args[:-1], ())
        return self.make.made("first_item", self.make.made("each", self.make.made("set_of_one", function), args[-1]))


def _entries(held: _Held) -> list[int]:
    """Every part that is held."""
    found: list[int] = []
    waiting = [held]
    while waiting:
        one = waiting.pop()
        if isinstance(one, int):
            found.append(one)
        else:
            waiting += one
    return found


def _balanced(entries: Sequence[int]) -> _Held:
    """Parts as `Combinators.pairs` holds them."""
    if len(entries) == 1:
        return entries[0]
    half = (len(entries) + 1) // 2
    return _balanced(entries[:half]), _balanced(entries[half:])


def _inside_out(expr: Expr, wanted: Callable[[Expr], bool]) -> Iterator[Call]:
    """Every call in an expression that is wanted once, after the calls in it."""
    seen: set[int] = set()
    waiting: list[tuple[Expr, bool]] = [(expr, False)]
    while waiting:
        one, ready = waiting.pop()
        if not isinstance(one, Call):
            continue
        if ready:
            yield one
        elif id(one) not in seen and wanted(one):
            seen.add(id(one))
            waiting.append((one, True))
            waiting += [(part, False) for part in (one.function, *one.args)]
