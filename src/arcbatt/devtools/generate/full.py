"""Version 2 of the generator, and 3 to 5: everything the language allows, in proportions that mostly give a value.

Function values in variables, containers and branches, functions made by functions, and the lines of `run_time_types`.
Version 3 draws the primitives that have come since, and rules over images; version 4 loops that carry a state.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from arcbatt.devtools.generate.run_time_types import RunTimeTyped, item_of, named
from arcbatt.devtools.generate.unions import readings, union
from arcbatt.devtools.generate.well_typed import TRIES, Typed, call_of
from arcbatt.language.primitives.containers import (
    argmax,
    argmin,
    combine,
    extract,
    first,
    get_nth_t,
    initset,
    insert,
    last,
    order,
    pair,
    product,
    repeat,
    sfilter,
    size,
    valmax,
    valmin,
)
from arcbatt.language.primitives.functions import (
    apply,
    chain,
    compose,
    fold,
    fork,
    iterate,
    lbind,
    matcher,
    papply,
    power,
    prapply,
    rapply,
    rbind,
)
from arcbatt.language.primitives.grids import vmirror
from arcbatt.language.primitives.lattices import torows
from arcbatt.language.primitives.measures import colormask
from arcbatt.language.primitives.numbers import astuple, branch, decrement, positive
from arcbatt.language.primitives.rules import decide
from arcbatt.language.program import Assign, Call, Const, Expr, Name, Program
from arcbatt.language.types import BOOL, GRID, INT, Fn, Seq, Set, Tup, Type, Var, substitute

_ANY_KEY: Final = 0.12
"""How often a condition may give anything, and a key what has no order of its own."""


class Full(RunTimeTyped):
    """Draws programs over the whole language."""

    def __init__(self, seed: int | str, version: int = 2) -> None:
        super().__init__(seed, version)
        drawers: tuple[tuple[Callable[[], Typed | None], float], ...] = (
            (super()._line, 13),
            (self._function_value, 2),
            (self._call_of_value, 2),
            (self._functions, 1.5),
            (self._each_function, 2),
            (self._among_functions, 2),
            (self._made_functions, 2),
            (self._chosen_call, 1.5),
            (self._mixed, 3),
            (self._truth, 1.5),
            (self._repeated_call, 1.5),
            (self._empty, 1.5),
            (self._misfit, 1.5 if version < 4 else 0.9),
            (self._nested, 1),
            *([(self._rule, 1)] if version > 2 else []),
            *([(self._folded, 0.4), (self._iterated, 0.3)] if version > 3 else []),
        )
        self._drawers = [drawer for drawer, _ in drawers]
        self._weights = [weight for _, weight in drawers]

    def program(self, name: str = "solve_random", lines: int = 8, samples: bool = False) -> Program:
        """A program of so many lines, one more where the last is a function to call; with `samples`, over (S, I, C)."""
        self._sources = [Typed(Name("S"), Seq(Tup((GRID, GRID)))), Typed(Name("C"), GRID)] if samples else []
        drawn = super().program(name, lines, samples)
        last_value = self._pool[-1]
        called = self._called(last_value) if isinstance(last_value.type, Fn) and self._chance(0.8) else None
        if called is None:
            return drawn
        line = Assign(f"x{len(drawn.lines) + 1}", called.expr)
        return Program(name, drawn.params, (*drawn.lines, line), Name(line.target))

    def _line(self) -> Typed | None:
        return self._random.choices(self._drawers, self._weights)[0]()

    # --- functions where version 1 has them ---

    def _function_for(self, wanted: Fn, bound: dict[str, Type]) -> Expr | None:
        key = isinstance(wanted.result, Var) and wanted.result.name.startswith("Key")
        if not (wanted.result == BOOL or key) or not self._chance(_ANY_KEY):
            return super()._function_for(wanted, bound)
        drawn = self._function(tuple(substitute(one, bound) for one in wanted.params), self._random.randint(0, 2))
        if drawn is not None and isinstance(wanted.result, Var):
            bound.setdefault(wanted.result.name, drawn.type)
        return drawn.expr if drawn else None

    def _function(self, params: tuple[Type, ...], depth: int) -> Typed | None:
        if len(params) == 1 and self._chance(0.8):
            chosen = self._random.choice(readings(params[0]))
            if isinstance(chosen, Fn):
                return self._of_function(chosen)
        if self._chance(0.06):
            return self._known_function(params)
        if self._chance(0.06):
            return self._chosen(params)
        return super()._function(params, depth)

    def _known_function(self, params: tuple[Type, ...]) -> Typed | None:
        """A function of a variable."""
        fitting = [
            Typed(one.expr, one.type.result)
            for one in self._pool
            if isinstance(one.type, Fn) and one.type.params == params
        ]
        return self._random.choice(fitting) if fitting else None

    def _chosen(self, params: tuple[Type, ...]) -> Typed | None:
        """One of two functions, by a condition or by its place."""
        a, b = (self._function(params, self._random.choice((0, 0, 1))) for _ in range(2))
        if a is None or b is None:
            return None
        result, two = union((a.type, b.type)), call_of(astuple, (a.expr, b.expr))
        return self._one_of(
            [
                (call_of(branch, (self._condition(), a.expr, b.expr)), result),
                (call_of(branch, (self._condition(), a.expr, b.expr)), result),
                (call_of(self._random.choice((first, last)), (two,)), result),
                (call_of(get_nth_t, (two, Const(self._random.choice((0, 1, -1))))), result),
                (call_of(first, (call_of(initset, (a.expr,)),)), a.type),
            ]
        )

    def _of_function(self, function: Fn) -> Typed | None:
        """A function whose argument is a function: calls it, maps with it, or makes another of it."""
        if len(function.params) > 1:
            value = self._argument(function.params[-1])
            rest = Fn(function.params[:-1], function.result)
            return Typed(call_of(rbind, (named(rbind), value)), rest) if value else None
        base = self._use_of(function)
        if base is None or isinstance(base.type, Fn) or self._chance(0.3):
            return base
        outer = self._function((base.type,), 0)
        return outer and Typed(call_of(compose, (outer.expr, base.expr)), outer.type)

    def _use_of(self, function: Fn) -> Typed | None:
        domain, result = function.params[0], function.result
        value = self._argument(domain)
        if value is None:
            return None
        calls = call_of(chain, (named(first), call_of(rbind, (named(rapply), value)), named(initset)))
        ways: list[tuple[Expr, Type]] = [(calls, result)] * 4
        ways.append((call_of(rbind, (named(apply), call_of(initset, (value,)))), Set(result)))
        ways.append((call_of(rbind, (named(matcher), self._atom().expr)), Fn((domain,), BOOL)))
        if outer := self._function((result,), 0):
            ways.append((call_of(lbind, (named(compose), outer.expr)), Fn((domain,), outer.type)))
        if result == domain:
            ways.append((call_of(rbind, (named(power), Const(2))), function))
        return self._one_of(ways)

    # --- lines ---

    def _function_value(self) -> Typed | None:
        params = (self._domain(), self._domain())[: self._random.choice((1, 1, 1, 2))]
        drawn = self._function(params, self._random.randint(0, 2))
        return drawn and Typed(drawn.expr, Fn(params, drawn.type))

    def _call_of_value(self) -> Typed | None:
        known = [one for one in self._pool if isinstance(one.type, Fn)]
        function = self._random.choice(known) if known and self._chance(0.7) else self._function_value()
        return function and self._called(function)

    def _called(self, function: Typed) -> Typed | None:
        """A call of a function value with arguments that fit."""
        chosen = self._random.choice(readings(function.type))
        if not isinstance(chosen, Fn):
            return None
        args = [self._argument(param) for param in chosen.params]
        known = tuple(arg for arg in args if arg is not None)
        return Typed(Call(function.expr, known), chosen.result) if len(known) == len(args) else None

    def _chosen_call(self) -> Typed | None:
        """A call of a function that a condition or a place chooses; now and then of a combinator that one chooses."""
        domain = self._domain()
        value = self._argument(domain)
        if value is None:
            return None
        if self._chance(0.25) and (two := self._primitive((domain, domain))):
            binder = call_of(branch, (self._condition(), named(lbind), named(rbind)))
            fixed = self._argument(domain)
            return Typed(Call(Call(binder, (two.expr, fixed)), (value,)), two.type) if fixed else None
        chosen = self._chosen((domain,))
        return chosen and Typed(Call(chosen.expr, (value,)), chosen.type)

    def _functions(self) -> Typed | None:
        """A set or tuple of functions of one domain."""
        domain = self._domain()
        drawn = self._function((domain,), self._random.choice((0, 0, 1, 2)))
        other = self._alike(domain, drawn.type) if drawn else None
        if drawn is None or other is None:
            return None
        a, item = Fn((domain,), drawn.type), union((Fn((domain,), drawn.type), Fn((domain,), other.type)))
        two, one = call_of(astuple, (drawn.expr, other.expr)), call_of(initset, (drawn.expr,))
        ways: list[tuple[Expr, Type]] = [
            (two, Seq(item)),
            (two, Seq(item)),
            (one, Set(a)),
            (call_of(insert, (other.expr, one)), Set(item)),
            (call_of(repeat, (drawn.expr, Const(self._random.randint(1, 3)))), Seq(a)),
            (call_of(combine, (two, one)), Seq(item)),
        ]
        known = self._known_functions()
        if known is not None:
            old = item_of(known.type)
            assert old is not None
            ways += [
                (call_of(product, (known.expr, one)), Set(Tup((old, a)))),
                (call_of(pair, (known.expr, two)), Seq(Tup((old, item)))),
                (call_of(combine, (known.expr, one)), known.type),
            ]
        return self._one_of(ways)

    def _alike(self, domain: Type, result: Type) -> Typed | None:
        """A function that mostly gives the same type."""
        found = self._function((domain,), 0)
        for _ in range(8):
            if found is not None and (found.type == result or self._chance(0.05)):
                break
            found = self._function((domain,), 0) or found
        return found

    def _known_functions(self) -> Typed | None:
        """A set or tuple of functions there is."""
        known = [one for one in self._pool if isinstance(readings(item_of(one.type) or INT)[0], Fn)]
        return self._random.choice(known) if known else None

    def _some_functions(self) -> tuple[Typed, Fn] | None:
        """A set or tuple of functions, and what one of them is."""
        found = self._known_functions() if self._chance(0.6) else None
        found = found or self._functions()
        item = item_of(found.type) if found else None
        chosen = self._random.choice(readings(item)) if item else None
        return (found, chosen) if found and isinstance(chosen, Fn) else None

    def _each_function(self) -> Typed | None:
        """Every function of a container, called with one value."""
        found = self._some_functions()
        value = self._argument(found[1].params[0]) if found else None
        if found is None or value is None or len(found[1].params) > 1:
            return None
        kind = Set if isinstance(found[0].type, Set) else Seq
        results = union(one.result for one in readings(item_of(found[0].type) or INT) if isinstance(one, Fn))
        return Typed(call_of(rapply, (found[0].expr, value)), kind(results))

    def _among_functions(self) -> Typed | None:
        """Functions of a container, chosen, ordered or filtered by what they do."""
        found = self._some_functions()
        if found is None:
            return None
        functions, function = found
        loop, wanted, result = self._random.choice(
            (
                (extract, BOOL, function),
                (argmax, Var("Key"), function),
                (argmin, Var("Key"), function),
                (sfilter, BOOL, functions.type),
                (order, Var("Key"), Seq(function)),
                (valmax, Var("Key"), INT),
                (valmin, Var("Key"), INT),
            )
        )
        if self._chance(0.2):
            taken, kind = self._random.choice(((first, function), (last, function), (size, INT)))
            return Typed(call_of(taken, (functions.expr,)), kind)
        key = self._function_for(Fn((function,), wanted), {})
        if key is None:
            return None
        chosen = Typed(call_of(loop, (functions.expr, key)), result)
        return self._called(chosen) if isinstance(result, Fn) and self._chance(0.6) else chosen

    def _made_functions(self) -> Typed | None:
        """Functions made item by item, kept or called."""
        items, domain = self._container(), self._domain()
        item = self._random.choice(readings(item_of(items.type) or INT)) if items else None
        value = self._argument(domain)
        if items is None or item is None or value is None:
            return None
        right = self._chance(0.6)
        two = self._primitive((domain, item) if right else (item, domain))
        if two is None:
            return None
        maker = call_of(lbind, (named(rbind if right else lbind), two.expr))
        made = Fn((domain,), two.type)
        kind = Set if isinstance(items.type, Set) else Seq
        kept = call_of(apply, (maker, items.expr))
        single = call_of(compose, (named(initset), maker))
        calls = call_of(chain, (named(first), call_of(rbind, (named(rapply), value)), single))
        ways: list[tuple[Expr, Type]] = [
            (kept, kind(made)),
            (call_of(rapply, (kept, value)), kind(two.type)),
            (call_of(apply, (calls, items.expr)), kind(two.type)),
        ]
        if after := self._function((two.type,), 0):
            outer, whole = call_of(initset, (after.expr,)), Fn((domain,), after.type)
            loop = self._random.choice((papply, prapply))
            ways.append((call_of(loop, (named(compose), outer, kept)), Seq(whole)))
            ways.append((call_of(apply, (call_of(lbind, (named(compose), after.expr)), kept)), kind(whole)))
        return self._one_of(ways)

    def _rule(self) -> Typed | None:
        """An image by a table over one image, or over it and where it is of some colour once mirrored."""
        image = self._argument(GRID)
        if image is None:
            return None
        both = self._chance(0.5)
        keys = [(colour, *rest) for colour in range(10) for rest in ([(0,), (1,)] if both else [()])]
        entries = [number for key in keys for number in (*key, self._random.randint(-len(key), 9))]
        mirrored = call_of(colormask, (call_of(vmirror, (image,)), Const(self._random.randint(0, 4))))
        table = call_of(torows, (Const(tuple(entries)), Const(len(keys[0]) + 1)))
        return Typed(call_of(decide, (table, image, mirrored if both else image, image)), GRID)

    def _folded(self) -> Typed | None:
        """A state carried over the items of a container: a step of both, of the state or of the item alone."""
        items = self._container()
        item = self._random.choice(readings(item_of(items.type) or INT)) if items else None
        state = self._domain()
        start = self._argument(state)
        if items is None or item is None or start is None:
            return None
        step = self._keeping(state, (state, item)) or self._keeping(state, (state,))
        if step is None:
            return None
        of_both = call_of(fork, (step.expr, named(first), named(last)))
        of_one = call_of(compose, (step.expr, named(first)))
        function = of_both if isinstance(step.type, Fn) and len(step.type.params) > 1 else of_one
        return Typed(call_of(fold, (items.expr, start, function)), state)

    def _iterated(self) -> Typed | None:
        """A function applied while a number beside the value is positive."""
        state = self._domain()
        start, step = self._argument(state), self._keeping(state, (state,))
        if start is None or step is None:
            return None
        both = call_of(fork, (named(astuple), call_of(compose, (step.expr, named(first))),
                              call_of(compose, (named(decrement), named(last)))))  # fmt: skip
        goes_on = call_of(compose, (named(positive), named(last)))
        count = Const(self._random.choice((0, 1, 2, 3, 3, 9)))
        made = call_of(iterate, (both, goes_on, call_of(astuple, (start, count))))
        return Typed(call_of(first, (made,)), state)

    def _keeping(self, state: Type, params: tuple[Type, ...]) -> Typed | None:
        """A function of values that gives a state again, mostly."""
        for _ in range(TRIES):
            drawn = self._function(params, 0) if len(params) == 1 else self._primitive(params)
            if drawn is not None and (drawn.type == state or self._chance(0.02)):
                return Typed(drawn.expr, Fn(params, drawn.type))
        return None

    def _repeated_call(self) -> Typed | None:
        """A function applied so often as a number of the run says."""
        domain = self._domain()
        value, count = self._argument(domain), self._count()
        if value is None or count is None:
            return None
        for _ in range(TRIES):
            drawn = self._function((domain,), self._random.choice((0, 0, 1)))
            if drawn is not None and (drawn.type == domain or self._chance(0.02)):
                repeated = call_of(power, (drawn.expr, count))
                called = (Call(repeated, (value,)), drawn.type)
                return self._one_of([called, called, (repeated, Fn((domain,), drawn.type))])
        return None
