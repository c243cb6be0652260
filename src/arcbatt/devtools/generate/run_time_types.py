"""Versions 2 and 3 of the generator, but for function values: types that only a run decides, misfits, extremes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import product
from typing import Final

from arcbatt.devtools.generate.unions import NEAR, readings, union
from arcbatt.devtools.generate.well_typed import TRIES, Typed, WellTyped, call_of, plain_of, result_type
from arcbatt.language.limits import INT_MAX, INT_MIN
from arcbatt.language.primitives.containers import (
    combine,
    difference,
    get_nth_t,
    initset,
    insert,
    intersection,
    repeat,
    totuple,
)
from arcbatt.language.primitives.functions import apply, compose, lbind, power, rbind
from arcbatt.language.primitives.grids import canvas, crop, index
from arcbatt.language.primitives.numbers import astuple, both, branch, either, flip, identity, interval
from arcbatt.language.primitives.shapes import height, numcolors, width
from arcbatt.language.program import Call, Const, Expr, Name
from arcbatt.language.spec import OpSpec
from arcbatt.language.types import (
    BOOL,
    GRID,
    IJ,
    INT,
    OPT_INT,
    Fn,
    Rule,
    Seq,
    Set,
    Tup,
    Type,
    match,
    substitute,
    variables,
)

_EXTREMES: Final = (INT_MIN, INT_MIN + 1, -(2**30), -65536, 255, 256, 65535, 65536, 2**30, INT_MAX - 1, INT_MAX)


@cache
def _by_arity(version: int) -> dict[int, list[OpSpec]]:
    return {arity: [spec for spec in plain_of(version) if spec.arity == arity] for arity in range(1, 5)}


@cache
def _makers(version: int) -> dict[Type, list[tuple[OpSpec, Rule]]]:
    """Primitives, with their rules, by what they give."""
    found: dict[Type, list[tuple[OpSpec, Rule]]] = {}
    for spec in plain_of(version):
        for rule in spec.rules:
            found.setdefault(rule.result, []).append((spec, rule))
    return found


def item_of(term: Type) -> Type | None:
    """The type of the items, if it is one of sets or of tuples of any length."""
    return term.item if isinstance(term, Set | Seq) else None


def named(primitive: Callable[..., object]) -> Name:
    """A primitive as a function value."""
    return Name(primitive.__name__)


class RunTimeTyped(WellTyped):
    """Draws values whose type only a run decides, beside what version 1 draws."""

    def __init__(self, seed: int | str, version: int = 2) -> None:
        super().__init__(seed, version)
        self._sources: list[Typed] = []

    def _chance(self, share: float) -> bool:
        return self._random.random() < share

    def _one_of(self, ways: Sequence[tuple[Expr, Type]]) -> Typed:
        return Typed(*self._random.choice(ways))

    # --- what version 1 draws, over more values ---

    def _atom(self) -> Typed:
        if self._sources and self._chance(0.08):
            return self._random.choice(self._sources)
        if self._chance(0.012):
            a, b = self._random.choice(_EXTREMES), self._random.choice((*_EXTREMES, 0, 1, -1))
            return Typed(Const(a), INT) if self._chance(0.7) else Typed(Const((a, b)), IJ)
        return super()._atom()

    def _value(self, pattern: Type, bound: dict[str, Type]) -> Typed | None:
        """A value that fits in one of the ways it may turn out, mostly in all of them."""
        for _ in range(TRIES):
            candidate = self._atom()
            kinds = readings(candidate.type)
            if len(kinds) > 1 and self._chance(0.85) and not all(match(pattern, kind, dict(bound)) for kind in kinds):
                continue
            kind, trial = self._random.choice(kinds), dict(bound)
            if match(pattern, kind, trial, exact=self._chance(0.97)):
                bound.update(trial)
                return Typed(candidate.expr, kind)
        return None

    def _primitives(self, arity: int) -> Sequence[OpSpec]:
        return _by_arity(self._version).get(arity, self._plain)

    def _result(self, spec: OpSpec, args: tuple[Type, ...], *, exact: bool) -> Type | None:
        """What a primitive gives in all the ways its arguments may turn out; mostly None where one does not fit."""
        found = [result_type(spec, kinds, exact=exact) for kinds in product(*map(readings, args))]
        known = [one for one in found if one is not None]
        return union(known) if known and (len(known) == len(found) or self._chance(0.1)) else None

    # --- pieces ---

    def _made(self, wanted: Type) -> Typed | None:
        """A value of a type: one there is, or a call that makes one."""
        found = self._value(wanted, {}) if self._chance(0.5) else None
        if found is not None:
            return found
        for _ in range(5):
            makers = _makers(self._version).get(wanted)
            drawn = self._call(*self._random.choice(makers)) if makers else None
            if drawn is not None:
                return drawn
        if isinstance(wanted, Seq) and (items := self._value(Set(wanted.item), {})):
            return Typed(call_of(totuple, (items.expr,)), wanted)
        return self._value(wanted, {})

    def _argument(self, wanted: Type) -> Expr | None:
        """What can be passed to a function of a type."""
        same = [one for one in self._pool if one.type == wanted]
        if same and self._chance(0.7):
            return self._random.choice(same).expr
        made = self._made(self._random.choice(readings(wanted)))
        return made.expr if made else None

    def _container(self, kind: type[Set] | type[Seq] | None = None) -> Typed | None:
        """A set or tuple there is."""
        for _ in range(TRIES):
            candidate = self._atom()
            if isinstance(candidate.type, kind or (Set, Seq)):
                return candidate
        return None

    def _condition(self) -> Expr:
        """A truth of the run, or now and then any value at all."""
        made = None if self._chance(0.15) else self._made(BOOL)
        return (made or self._atom()).expr

    def _count(self) -> Expr | None:
        """A number that only the run knows, mostly small and above 0."""
        if self._chance(0.2):
            made = self._made(INT)
            return made.expr if made else None
        grid = self._value(GRID, {})
        return call_of(self._random.choice((height, width, numcolors)), (grid.expr,)) if grid else None

    def _powered(self, params: tuple[Type, ...], depth: int) -> Typed | None:
        if self._chance(0.5):
            return super()._powered(params, depth)
        inner, count = self._function(params, depth), self._count()
        if inner is None or count is None or inner.type != params[0]:
            return inner
        return Typed(call_of(power, (inner.expr, count)), inner.type)

    # --- lines ---

    def _mixed(self) -> Typed | None:
        """A value of one of two types, or items of two types."""
        a = self._atom()
        near = NEAR.get(a.type)
        b = self._made(self._random.choice(near)) if near and self._chance(0.7) else self._atom()
        if b is None:
            return None
        both_types = union((a.type, b.type))
        pair = call_of(astuple, (a.expr, b.expr))
        place = Const(self._random.choice((0, 1, -1)))
        ways: list[tuple[Expr, Type]] = [
            (call_of(branch, (self._condition(), a.expr, b.expr)), both_types),
            (call_of(branch, (self._condition(), a.expr, b.expr)), both_types),
            (call_of(get_nth_t, (pair, place)), both_types),
            (call_of(insert, (a.expr, call_of(initset, (b.expr,)))), Set(both_types)),
            (call_of(combine, (pair, call_of(initset, (a.expr,)))), Seq(both_types)),
        ]
        if grid := self._value(GRID, {}):
            ways.append((call_of(index, (grid.expr, Const((self._random.randint(-1, 12), 0)))), OPT_INT))
        if (first := item_of(a.type)) and (second := item_of(b.type)):
            kind = Set if isinstance(a.type, Set) else Seq
            ways += [(call_of(combine, (a.expr, b.expr)), kind(union((first, second))))] * 2
        if isinstance(b.type, Set):
            ways.append((call_of(insert, (a.expr, b.expr)), Set(union((a.type, b.type.item)))))
        return self._one_of(ways)

    def _truth(self) -> Typed:
        """A value of any kind as a truth."""
        a, b, x = self._atom(), self._atom(), self._atom()
        near = self._value(a.type, {})
        b = near if near and self._chance(0.7) else b
        return self._one_of(
            [
                (call_of(branch, (x.expr, a.expr, b.expr)), union((a.type, b.type))),
                (call_of(flip, (x.expr,)), BOOL),
                (call_of(both, (x.expr, a.expr)), BOOL),
                (call_of(either, (x.expr, a.expr)), BOOL),
            ]
        )

    def _empty(self) -> Typed | None:
        """Nothing: a container without items, a grid without cells, or containers of such."""
        item = self._atom()
        found = self._container(Set)
        ways: list[tuple[Expr, Type]] = [
            (call_of(repeat, (item.expr, Const(0))), Seq(item.type)),
            (call_of(interval, (Name("ONE"), Name("ONE"), Name("ONE"))), Seq(INT)),
            (call_of(intersection, (call_of(initset, (item.expr,)), call_of(initset, (Const(-9),)))), Set(item.type)),
            (call_of(canvas, (Const(0), Const((0, self._random.randint(0, 2))))), GRID),
            (call_of(crop, (Name("I"), Name("ORIGIN"), Name("ORIGIN"))), GRID),
        ]
        if found is not None:
            ways += [(call_of(difference, (found.expr, found.expr)), found.type)] * 2
        empty = self._one_of(ways)
        if self._chance(0.5):
            return empty
        return self._one_of(
            [
                (call_of(initset, (empty.expr,)), Set(empty.type)),
                (call_of(repeat, (empty.expr, Const(self._random.randint(0, 3)))), Seq(empty.type)),
                (call_of(astuple, (empty.expr, item.expr)), Tup((empty.type, item.type))),
                (call_of(insert, (empty.expr, call_of(initset, (item.expr,)))), Set(union((empty.type, item.type)))),
            ]
        )

    def _nested(self) -> Typed | None:
        """A value inside containers inside containers, or a call of functions inside functions."""
        if self._chance(0.5):
            return self._deep_call()
        value = self._atom()
        for _ in range(self._random.randint(2, 5)):
            inner = value
            ways: list[tuple[Expr, Type]] = [
                (call_of(initset, (inner.expr,)), Set(inner.type)),
                (call_of(repeat, (inner.expr, Const(self._random.randint(1, 2)))), Seq(inner.type)),
                (call_of(astuple, (inner.expr, self._atom().expr)), Seq(inner.type)),
            ]
            value = self._one_of(ways)
        return value

    def _deep_call(self) -> Typed | None:
        """A call of functions that keep their type, inside one another."""
        domain = self._domain()
        value, found = self._argument(domain), self._function((domain,), 0)
        whole = found.expr if found and found.type == domain else named(identity)
        for _ in range(self._random.randint(4, 12)):
            drawn = self._function((domain,), 0)
            inner = drawn.expr if drawn and drawn.type == domain else named(identity)
            whole = call_of(compose, (inner, whole) if self._chance(0.5) else (whole, inner))
        return Typed(Call(whole, (value,)), domain) if value else None

    def _misfit(self) -> Typed | None:
        """A call that does not fit, mostly where a run may not get to it."""
        if self._chance(0.4):
            return self._bare_misfit()
        good = self._function((domain := self._domain(),), self._random.randint(0, 1))
        value, bad = self._argument(domain), self._wrong_function()
        if good is None or value is None:
            return None
        chosen = call_of(branch, (self._condition(), good.expr, bad))
        nothing = call_of(repeat, (value, Const(0)))
        return self._one_of(
            [
                (Call(chosen, (value,)), good.type),
                (call_of(apply, (bad, nothing)), Seq(INT)),
                (chosen, Fn((domain,), good.type)),
            ]
        )

    def _bare_misfit(self) -> Typed:
        """Wrong kinds of arguments, a wrong number of them, or a call of what is no function."""
        known = [one for one in self._pool if isinstance(one.expr, Name) and one.expr.id.startswith("x")]
        functions = [one for one in known if isinstance(one.type, Fn)]
        if known and self._chance(0.6):
            chosen = self._random.choice(functions or known)
            result = chosen.type.result if isinstance(chosen.type, Fn) else chosen.type
            args = tuple(self._atom().expr for _ in range(self._random.randint(1, 3)))
            return Typed(Call(chosen.expr, args), result)
        spec = self._random.choice(self._plain)
        rule = self._random.choice(spec.rules)
        result = substitute(rule.result, dict.fromkeys(variables(rule.result), INT))
        return Typed(Call(Name(spec.name), tuple(self._atom().expr for _ in spec.params)), result)

    def _wrong_function(self) -> Expr:
        """A function of which most calls fail: of primitives that need not fit, or of other than one argument."""
        a, b = (Name(self._random.choice(self._plain).name) for _ in range(2))
        fixed_last = call_of(rbind, (a, self._atom().expr))
        fixed_first = call_of(lbind, (a, self._atom().expr))
        return self._random.choice((call_of(compose, (a, b)), fixed_last, fixed_first, a))

    def _domain(self) -> Type:
        """The type of something there is that is no function."""
        for _ in range(TRIES):
            found = self._atom().type
            if not isinstance(found, Fn):
                return found
        return GRID
