"""Version 1 of the generator: well-typed programs, in which functions stand only where they are called."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Final

from arcbatt.language.constants import CONSTANTS
from arcbatt.language.primitives.functions import chain, compose, fork, lbind, matcher, power, rbind
from arcbatt.language.program import Assign, Call, Const, Expr, Name, Program
from arcbatt.language.spec import Kind, OpSpec, Over
from arcbatt.language.table import STANDARD
from arcbatt.language.types import BOOL, GRID, IJ, INT, Fn, Rule, Seq, Tup, Type, match, substitute

TRIES: Final = 40
EXACT: Final = 0.97
"""How often a draw must fit exactly; the rest pass tuples as patches, IJs or grids, which may fail when run."""
CONSTANT_TYPES: Final[dict[str, Type]] = {
    name: BOOL if isinstance(value, bool) else INT if isinstance(value, int) else IJ
    for name, value in CONSTANTS.items()
    if name not in ("HUNDRED", "THOUSAND")
}
_CONSTANT_NAMES: Final = list(CONSTANT_TYPES)
_REMEMBERED: Final = 200_000


@cache
def plain_of(version: int) -> list[OpSpec]:
    """The plain primitives that a version draws."""
    return [spec for spec in STANDARD.ops.values() if spec.kind is Kind.PLAIN and spec.since <= version]


@cache
def _loops_of(version: int) -> list[OpSpec]:
    drawn = [spec for spec in STANDARD.ops.values() if spec.since <= version]
    return [spec for spec in drawn if spec.loop and not spec.loop.carries and spec.loop.over is not Over.FUNCTIONS]


@dataclass(frozen=True)
class Typed:
    """An expression and its type."""

    expr: Expr
    type: Type


def call_of(primitive: Callable[..., Any], args: tuple[Expr, ...]) -> Call:
    """A call of the primitive a reference function is of."""
    return Call(Name(primitive.__name__), args)


class WellTyped:
    """Draws well-typed programs: each line a call that fits what stands above it."""

    def __init__(self, seed: int | str, version: int = 1) -> None:
        self._random = random.Random(seed)
        self._version = version
        self._plain, self._loops = plain_of(version), _loops_of(version)
        self._pool: list[Typed] = []

    def program(self, name: str = "solve_random", lines: int = 8, samples: bool = False) -> Program:
        """A program of so many lines; with `samples`, over (S, I, C)."""
        self._pool = [Typed(Name("I"), GRID)]
        if samples:
            self._pool += [Typed(Name("S"), Seq(Tup((GRID, GRID)))), Typed(Name("C"), GRID)]
        body: list[Assign] = []
        while len(body) < lines:
            drawn = self._line()
            if drawn is None:
                continue
            target = f"x{len(body) + 1}"
            body.append(Assign(target, drawn.expr))
            self._pool.append(Typed(Name(target), drawn.type))
        params = ("S", "I", "C") if samples else ("I",)
        return Program(name, params, tuple(body), self._pool[-1].expr)

    def _line(self) -> Typed | None:
        """One call of a random primitive on values of the pool, or None where the draw did not fit."""
        spec = self._random.choice(self._loops if self._random.random() < 0.35 else self._plain)
        for rule in self._random.sample(spec.rules, len(spec.rules)):
            drawn = self._call(spec, rule)
            if drawn:
                return drawn
        return None

    def _call(self, spec: OpSpec, rule: Rule) -> Typed | None:
        bound: dict[str, Type] = {}
        args: list[Expr | None] = []
        for param in rule.params:
            if isinstance(param, Fn):
                args.append(None)
                continue
            value = self._value(param, bound)
            if value is None:
                return None
            args.append(value.expr)
        for position, param in enumerate(rule.params):
            if isinstance(param, Fn):
                function = self._function_for(param, bound)
                if function is None:
                    return None
                args[position] = function
        known = tuple(arg for arg in args if arg is not None)
        return Typed(Call(Name(spec.name), known), substitute(rule.result, bound))

    def _value(self, pattern: Type, bound: dict[str, Type]) -> Typed | None:
        """A value of the pool or a constant that fits a pattern."""
        for _ in range(TRIES):
            candidate = self._atom()
            trial = dict(bound)
            if match(pattern, candidate.type, trial, exact=self._random.random() < EXACT):
                bound.update(trial)
                return candidate
        return None

    def _atom(self) -> Typed:
        if self._random.random() < 0.3:
            if self._random.random() < 0.1:
                return Typed(Const(self._random.randint(-3, 12)), INT)
            name = self._random.choice(_CONSTANT_NAMES)
            return Typed(Name(name), CONSTANT_TYPES[name])
        # Later lines are likelier, so that programs grow deep rather than wide.
        reach = min(int(self._random.expovariate(0.5)), len(self._pool) - 1)
        return self._pool[-1 - reach]

    def _function_for(self, wanted: Fn, bound: dict[str, Type]) -> Expr | None:
        """A function that takes the bound types and gives what the pattern asks for."""
        params = tuple(substitute(param, bound) for param in wanted.params)
        for _ in range(TRIES):
            drawn = self._function(params, depth=self._random.randint(0, 3))
            if drawn is None:
                continue
            trial = dict(bound)
            if match(wanted.result, drawn.type, trial):
                bound.update(trial)
                return drawn.expr
        return None

    def _function(self, params: tuple[Type, ...], depth: int) -> Typed | None:
        """A random function of the given types."""
        if depth and len(params) == 1:
            return self._random.choice((self._composed, self._forked, self._matched, self._powered))(params, depth - 1)
        if self._random.random() < 0.5:
            return self._primitive(params)
        return self._fixed(params)

    def _primitives(self, arity: int) -> Sequence[OpSpec]:
        return self._plain

    def _result(self, spec: OpSpec, args: tuple[Type, ...], *, exact: bool) -> Type | None:
        return result_type(spec, args, exact=exact)

    def _primitive(self, params: tuple[Type, ...]) -> Typed | None:
        for _ in range(TRIES):
            spec = self._random.choice(self._primitives(len(params)))
            result = self._result(spec, params, exact=self._random.random() < EXACT)
            if result is not None:
                return Typed(Name(spec.name), result)
        return None

    def _fixed(self, params: tuple[Type, ...]) -> Typed | None:
        """A primitive with its last or first argument fixed."""
        for _ in range(TRIES):
            spec = self._random.choice(self._primitives(len(params) + 1))
            value = self._atom()
            right = self._random.random() < 0.5
            types = (*params, value.type) if right else (value.type, *params)
            result = self._result(spec, types, exact=self._random.random() < EXACT)
            if result is not None:
                combinator = rbind if right else lbind
                return Typed(call_of(combinator, (Name(spec.name), value.expr)), result)
        return None

    def _composed(self, params: tuple[Type, ...], depth: int) -> Typed | None:
        count = self._random.choice((2, 2, 3))
        parts: list[Expr] = []
        current = params
        result: Type = GRID
        for _ in range(count):
            drawn = self._function(current, depth)
            if drawn is None:
                return None
            parts.append(drawn.expr)
            current, result = (drawn.type,), drawn.type
        return Typed(call_of(compose if count == 2 else chain, tuple(reversed(parts))), result)

    def _forked(self, params: tuple[Type, ...], depth: int) -> Typed | None:
        a, b = self._function(params, depth), self._function(params, depth)
        outer = self._function((a.type, b.type), 0) if a and b else None
        if a is None or b is None or outer is None:
            return None
        return Typed(call_of(fork, (outer.expr, a.expr, b.expr)), outer.type)

    def _matched(self, params: tuple[Type, ...], depth: int) -> Typed | None:
        inner = self._function(params, depth)
        target = self._value(inner.type, {}) if inner else None
        if inner is None or target is None:
            return None
        return Typed(call_of(matcher, (inner.expr, target.expr)), BOOL)

    def _powered(self, params: tuple[Type, ...], depth: int) -> Typed | None:
        inner = self._function(params, depth)
        if inner is None or inner.type != params[0]:
            return inner
        return Typed(call_of(power, (inner.expr, Const(self._random.randint(1, 3)))), inner.type)


@lru_cache(maxsize=_REMEMBERED)
def result_type(spec: OpSpec, args: tuple[Type, ...], *, exact: bool = False) -> Type | None:
    """What a plain primitive gives for arguments of these types, or None where no rule fits."""
    if len(args) != spec.arity:
        return None
    for rule in spec.rules:
        bound: dict[str, Type] = {}
        if all(match(param, arg, bound, exact=exact) for param, arg in zip(rule.params, args, strict=True)):
            return substitute(rule.result, bound)
    return None
