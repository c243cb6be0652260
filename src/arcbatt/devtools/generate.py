"""Random programs from the op table: well-typed ones from nothing, and mutants of given ones.

Everything is drawn from one `random.Random`, so a seed names a program for ever (within one version).
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from arcbatt.language.constants import CONSTANTS
from arcbatt.language.primitives.functions import chain, compose, fork, lbind, matcher, power, rbind
from arcbatt.language.program import Assign, Call, Const, Expr, Name, Program
from arcbatt.language.spec import Kind, OpSpec, Over
from arcbatt.language.table import STANDARD, current
from arcbatt.language.types import BOOL, GRID, IJ, INT, Fn, Rule, Seq, Tup, Type, match, substitute

_PLAIN: Final = [spec for spec in STANDARD.ops.values() if spec.kind is Kind.PLAIN]
_LOOPS: Final = [spec for spec in STANDARD.ops.values() if spec.loop and spec.loop.over is not Over.FUNCTIONS]
_TRIES: Final = 40
_EXACT: Final = 0.97
"""How often a draw must fit exactly; the rest pass tuples as patches, IJs or grids, which may fail when run."""
_CONSTANT_TYPES: Final[dict[str, Type]] = {
    name: BOOL if isinstance(value, bool) else INT if isinstance(value, int) else IJ
    for name, value in CONSTANTS.items()
    if name not in ("HUNDRED", "THOUSAND")
}


@dataclass(frozen=True)
class _Typed:
    expr: Expr
    type: Type


def _call(primitive: Callable[..., Any], args: tuple[Expr, ...]) -> Call:
    """A call of the primitive a reference function is of."""
    return Call(Name(primitive.__name__), args)


class Generator:
    """Draws well-typed programs: each line a call that fits what stands above it."""

    def __init__(self, seed: int | str) -> None:
        self._random = random.Random(seed)
        self._pool: list[_Typed] = []

    def program(self, name: str = "solve_random", lines: int = 8, samples: bool = False) -> Program:
        """A program of so many lines; with `samples`, over (S, I, C)."""
        self._pool = [_Typed(Name("I"), GRID)]
        if samples:
            self._pool += [_Typed(Name("S"), Seq(Tup((GRID, GRID)))), _Typed(Name("C"), GRID)]
        body: list[Assign] = []
        while len(body) < lines:
            drawn = self._line()
            if drawn is None:
                continue
            target = f"x{len(body) + 1}"
            body.append(Assign(target, drawn.expr))
            self._pool.append(_Typed(Name(target), drawn.type))
        params = ("S", "I", "C") if samples else ("I",)
        return Program(name, params, tuple(body), self._pool[-1].expr)

    def _line(self) -> _Typed | None:
        """One call of a random primitive on values of the pool, or None where the draw did not fit."""
        spec = self._random.choice(_LOOPS if self._random.random() < 0.35 else _PLAIN)
        for rule in self._random.sample(spec.rules, len(spec.rules)):
            drawn = self._call(spec, rule)
            if drawn:
                return drawn
        return None

    def _call(self, spec: OpSpec, rule: Rule) -> _Typed | None:
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
        return _Typed(Call(Name(spec.name), known), substitute(rule.result, bound))

    def _value(self, pattern: Type, bound: dict[str, Type]) -> _Typed | None:
        """A value of the pool or a constant that fits a pattern."""
        for _ in range(_TRIES):
            candidate = self._atom()
            trial = dict(bound)
            if match(pattern, candidate.type, trial, exact=self._random.random() < _EXACT):
                bound.update(trial)
                return candidate
        return None

    def _atom(self) -> _Typed:
        if self._random.random() < 0.3:
            if self._random.random() < 0.1:
                return _Typed(Const(self._random.randint(-3, 12)), INT)
            name = self._random.choice(list(_CONSTANT_TYPES))
            return _Typed(Name(name), _CONSTANT_TYPES[name])
        # Later lines are likelier, so that programs grow deep rather than wide.
        reach = min(int(self._random.expovariate(0.5)), len(self._pool) - 1)
        return self._pool[-1 - reach]

    def _function_for(self, wanted: Fn, bound: dict[str, Type]) -> Expr | None:
        """A function that takes the bound types and gives what the pattern asks for."""
        params = tuple(substitute(param, bound) for param in wanted.params)
        for _ in range(_TRIES):
            drawn = self._function(params, depth=self._random.randint(0, 3))
            if drawn is None:
                continue
            trial = dict(bound)
            if match(wanted.result, drawn.type, trial):
                bound.update(trial)
                return drawn.expr
        return None

    def _function(self, params: tuple[Type, ...], depth: int) -> _Typed | None:
        """A random function of the given types."""
        if depth and len(params) == 1:
            return self._random.choice((self._composed, self._forked, self._matched, self._powered))(params, depth - 1)
        if self._random.random() < 0.5:
            return self._primitive(params)
        return self._fixed(params)

    def _primitive(self, params: tuple[Type, ...]) -> _Typed | None:
        for _ in range(_TRIES):
            spec = self._random.choice(_PLAIN)
            result = result_type(spec, params, exact=self._random.random() < _EXACT)
            if result is not None:
                return _Typed(Name(spec.name), result)
        return None

    def _fixed(self, params: tuple[Type, ...]) -> _Typed | None:
        """A primitive with its last or first argument fixed."""
        for _ in range(_TRIES):
            spec = self._random.choice(_PLAIN)
            value = self._atom()
            right = self._random.random() < 0.5
            types = (*params, value.type) if right else (value.type, *params)
            result = result_type(spec, types, exact=self._random.random() < _EXACT)
            if result is not None:
                combinator = rbind if right else lbind
                return _Typed(_call(combinator, (Name(spec.name), value.expr)), result)
        return None

    def _composed(self, params: tuple[Type, ...], depth: int) -> _Typed | None:
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
        return _Typed(_call(compose if count == 2 else chain, tuple(reversed(parts))), result)

    def _forked(self, params: tuple[Type, ...], depth: int) -> _Typed | None:
        a, b = self._function(params, depth), self._function(params, depth)
        outer = self._function((a.type, b.type), 0) if a and b else None
        if a is None or b is None or outer is None:
            return None
        return _Typed(_call(fork, (outer.expr, a.expr, b.expr)), outer.type)

    def _matched(self, params: tuple[Type, ...], depth: int) -> _Typed | None:
        inner = self._function(params, depth)
        target = self._value(inner.type, {}) if inner else None
        if inner is None or target is None:
            return None
        return _Typed(_call(matcher, (inner.expr, target.expr)), BOOL)

    def _powered(self, params: tuple[Type, ...], depth: int) -> _Typed | None:
        inner = self._function(params, depth)
        if inner is None or inner.type != params[0]:
            return inner
        return _Typed(_call(power, (inner.expr, Const(self._random.randint(1, 3)))), inner.type)


def result_type(spec: OpSpec, args: tuple[Type, ...], *, exact: bool = False) -> Type | None:
    """What a plain primitive gives for arguments of these types, or None where no rule fits."""
    if len(args) != spec.arity:
        return None
    for rule in spec.rules:
        bound: dict[str, Type] = {}
        if all(match(param, arg, bound, exact=exact) for param, arg in zip(rule.params, args, strict=True)):
            return substitute(rule.result, bound)
    return None


def _alike() -> dict[str, list[str]]:
    """For each primitive, those with the same signature; for each constant, those of its type."""
    by_signature: dict[str, list[str]] = defaultdict(list)
    for spec in current().ops.values():
        by_signature[spec.signature].append(spec.name)
    by_type: dict[Type, list[str]] = defaultdict(list)
    for name, kind in _CONSTANT_TYPES.items():
        by_type[kind].append(name)
    alike = {spec.name: by_signature[spec.signature] for spec in current().ops.values()}
    return alike | {name: by_type[kind] for name, kind in _CONSTANT_TYPES.items()}


def mutants(programs: list[Program], count: int, seed: int) -> Iterator[Program]:
    """So many programs, each a given one with one to three names replaced by others of the same type."""
    draw, alike = random.Random(seed), _alike()
    sites = [_sites(program, alike) for program in programs]
    for number in range(count):
        which = draw.randrange(len(programs))
        parent, lines = programs[which], list(programs[which].lines)
        chosen = draw.sample(sites[which], min(draw.randint(1, 3), len(sites[which])))
        for at, path in chosen:
            lines[at] = Assign(lines[at].target, _replaced(lines[at].value, path, draw, alike), lines[at].line)
        yield Program(f"{parent.name}_{number}", parent.params, tuple(lines), parent.result, parent.file, parent.line)


_Site = tuple[int, tuple[int, ...]]
"""A line, and the way from its expression to a name: -1 the function of a call, else an argument."""


def _sites(program: Program, alike: dict[str, list[str]]) -> list[_Site]:
    """Every name of a program that could be another."""
    found: list[_Site] = []

    def walk(expr: Expr, line: int, path: tuple[int, ...]) -> None:
        if isinstance(expr, Name) and len(alike.get(expr.id, ())) > 1:
            found.append((line, path))
        elif isinstance(expr, Call):
            for step, part in enumerate((expr.function, *expr.args), start=-1):
                walk(part, line, (*path, step))

    for number, line in enumerate(program.lines):
        walk(line.value, number, ())
    return found


def _replaced(expr: Expr, path: tuple[int, ...], draw: random.Random, alike: dict[str, list[str]]) -> Expr:
    """The expression with the name at the end of the path replaced by another of its type."""
    if isinstance(expr, Name):
        return Name(draw.choice([name for name in alike[expr.id] if name != expr.id]))
    assert isinstance(expr, Call)
    if path[0] == -1:
        return Call(_replaced(expr.function, path[1:], draw, alike), expr.args, expr.line)
    args = list(expr.args)
    args[path[0]] = _replaced(args[path[0]], path[1:], draw, alike)
    return Call(expr.function, tuple(args), expr.line)
