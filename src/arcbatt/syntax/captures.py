"""Values that a function of the text is called with, so that what was computed before it is computed once."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from arcbatt.language.program import Call, Const, Expr, Name
from arcbatt.syntax.dictionaries import Dictionaries
from arcbatt.syntax.functions import Dict, Env, Function, Items, Value


@dataclass(frozen=True)
class Entry:
    """The parameter of a function that values are read from, and what it is called with."""

    param: Name
    argument: Expr


class Captures(Dictionaries):
    """Reads parts of the text as functions of what they read."""

    @contextmanager
    def later(self) -> Iterator[None]:
        """Inside, nothing becomes a line: it may never be computed."""
        self.late += 1
        try:
            yield
        finally:
            self.late -= 1

    @contextmanager
    def unchanged(self, env: Env) -> Iterator[None]:
        """Afterwards names stand for what they stood for before."""
        before = dict(env.values)
        try:
            yield
        finally:
            env.values.clear()
            env.values.update(before)

    @contextmanager
    def entered(
        self, env: Env, names: frozenset[str], node: ast.AST, depth: int, *, only_computed: bool = False
    ) -> Iterator[Entry]:
        """Inside, what was computed before is read from one parameter, so that it is computed once."""
        found = [one for one in _scoped(env, names) if not isinstance(one[2], Function)]
        if not self.late:
            for scope, name, value in found:
                scope.values[name] = self.kept(name, value, node)
            found = [(scope, name, scope.values[name]) for scope, name, _ in found]
        computed: dict[int, Call] = {}
        bases: dict[str, Name] = {}
        for _, _, value in found:
            self.collect(value, computed, bases)
        if not computed and (only_computed or len(bases) <= 1):
            base = next(iter(bases.values()), None)
            with self.later() if not only_computed else _nothing():
                yield Entry(base or self.fresh(), base or Const(0))
            return
        param = self.fresh()
        entries: list[Expr] = [*computed.values(), *bases.values()]
        places = dict(zip(map(_key, entries), self.combinators.parts(param, len(entries)), strict=True))
        for scope, name, value in found:
            scope.values[name] = self.moved(value, places)
        try:
            with self.later():
                yield Entry(param, self.combinators.pairs(entries))
        finally:
            for scope, name, value in found:
                scope.values[name] = value

    def collect(self, value: Value, computed: dict[int, Call], bases: dict[str, Name]) -> None:
        """What a value is made of that is not there when the function is made: calls, and parameters."""
        if isinstance(value, Dict):
            self.collect(value.pairs, computed, bases)
        elif isinstance(value, Items):
            for item in value.items:
                self.collect(item, computed, bases)
        elif not isinstance(value, Function):
            base = self.combinators.base(value)
            if base is not None:
                bases[base.id] = base
            elif isinstance(value, Call) and not self.combinators.facts(value).ready:
                computed[id(value)] = value

    def moved(self, value: Value, places: dict[object, Expr]) -> Value:
        """A value as a part of a parameter."""
        if isinstance(value, Items):
            return Items(tuple([self.moved(item, places) for item in value.items]), value.name)
        if isinstance(value, Function):
            return value
        if isinstance(value, Dict):
            return value.of(self.moved(value.pairs, places))
        if _key(value) in places:
            return places[_key(value)]
        if self.combinators.base(value) is None:
            return value
        assert isinstance(value, Call)
        inner = self.moved(value.args[0], places)
        assert not isinstance(inner, Function | Items | Dict)
        return Call(value.function, (inner,))

    def once(self, env: Env, names: frozenset[str], node: ast.AST, depth: int, build: Callable[[], Value]) -> Expr:
        """What `build` gives, which runs a function for items: values it reads from outside are computed before."""
        with self.entered(env, names, node, depth, only_computed=True) as entry:
            made = self.as_value(build(), node, depth)
        if not isinstance(entry.argument, Call):
            return made
        return Call(self.combinators.late(entry.param, made), (entry.argument,), self.at.number(node))


@contextmanager
def _nothing() -> Iterator[None]:
    yield


def _key(value: Expr) -> object:
    """What tells entries apart: parameters by name, calls one by one."""
    return value.id if isinstance(value, Name) else id(value)


def _scoped(env: Env, names: frozenset[str]) -> list[tuple[Env, str, Value]]:
    """Where each of some names is, and what it stands for there."""
    found = []
    for name in sorted(names):
        scope: Env | None = env
        while scope is not None and name not in scope.values:
            scope = scope.outer
        if scope is not None:
            found.append((scope, name, scope.values[name]))
    return found
