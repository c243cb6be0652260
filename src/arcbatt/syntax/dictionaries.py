"""Dictionaries of Python: which names hold one is known while the text is read; the language sees tuples of pairs.

A dictionary is no value of the language. Where the text would make one of it (an item of a list, a result), it is
refused, so that its pairs are never taken for something else.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Final

from arcbatt.language.program import Const
from arcbatt.syntax.containers import Containers
from arcbatt.syntax.dialect import python_words
from arcbatt.syntax.functions import Dict, Env, Function, Items, Value
from arcbatt.syntax.report import describe, instead

_MADE: Final = ("Counter", "OrderedDict", "defaultdict", "dict")
"""Functions that make a dictionary."""
_DEFAULTS: Final = ("int", "list", "set")
_EMPTY: Final = Items(())
_KEYS: Final = "keys/0"
_PYTHON: Final = frozenset(python_words()["functions"])


class Dictionaries(Containers):
    """Reads what is written of dictionaries."""

    # --- which values are one ---

    def dictionary(self, node: ast.expr, env: Env) -> Dict | None:
        """The dictionary that a name stands for, if it is one."""
        if not isinstance(node, ast.Name):
            return None
        scope: Env | None = env
        while scope is not None and node.id not in scope.values:
            scope = scope.outer
        value = scope.values[node.id] if scope else env.find(node.id)
        if isinstance(value, Function) and value.constant:
            value = self.of_constant(value, node)
        return value if isinstance(value, Dict) else None

    def maker(self, node: ast.expr, env: Env) -> str:
        """Which of Python's functions that make a dictionary a call is one of."""
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in _MADE and self.unknown(name, env):
                return name
            case ast.Call(func=ast.Attribute(value=ast.Name(id="collections"), attr=name)) if name in _MADE:
                return name if self.unknown("collections", env) else ""
        return ""

    def kind(self, node: ast.expr, env: Env) -> str:
        """Whether an expression is seen to be a list, a list of lists, or a set; also of what dictionaries hold."""
        called = type(node) is ast.Call and type(node.func) is ast.Attribute
        base = node.func.value if called else node.value if type(node) is ast.Subscript else None  # type: ignore[attr-defined]
        held = self.dictionary(base, env) if base else None
        if held is None:
            return super().kind(node, env)
        return held.holds if not called or node.func.attr == "get" else self.kind(ast.List([]), env)  # type: ignore[attr-defined]

    # --- how one is made ---

    def display(self, node: ast.Dict, env: Env, depth: int) -> Value:
        """`{key: value}`."""
        pairs = []
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                self.at.illegal(value, "`**` is not legal in a program", "write update on a line of its own")
            pairs.append((self.value(key, env, depth), self.value(value, env, depth)))
        known = [self.constant(key) for key, _ in pairs]
        if None not in known and len(set(known)) == len(known):
            return Dict(Items(tuple(Items(pair) for pair in pairs)))
        made = Dict(_EMPTY)
        for pair in pairs:
            made = self.with_pair(made, *pair, node, depth)
        return made

    def comprehended(self, node: ast.DictComp, env: Env, depth: int) -> Value:
        """`{key: value for ...}`."""
        pair = ast.copy_location(ast.Tuple([node.key, node.value], ast.Load()), node)
        pairs = ast.copy_location(ast.ListComp(pair, node.generators), node)
        return self.of_pairs(self.value(pairs, env, depth), node, depth)

    def of_pairs(self, pairs: Value, node: ast.expr, depth: int) -> Dict:
        """The dictionary of a container of pairs, of which the last one of a key counts."""
        update = self.words.dictionary_changes["update/1"]
        return Dict(_EMPTY).of(self.applied(update, [_EMPTY, pairs], {}, node, depth))

    def made(self, name: str, node: ast.Call, env: Env, depth: int) -> Value:
        """A call of a function that makes a dictionary."""
        args = list(node.args)
        default: Value | None = Const(0) if name == "Counter" else None
        if name == "defaultdict" and args:
            default = self.default(args.pop(0), env, depth)
        if node.keywords or len(args) > 1 or any(isinstance(arg, ast.Starred) for arg in args):
            self.at.illegal(node, f"{name} with such arguments is not legal in a program", "give it one container")
        made = Dict(_EMPTY)
        if args and name == "Counter":
            items = self.value(args[0], env, depth)
            made = made.of(self.applied(self.words.dictionary["counts"], [items], {}, node, depth))
        elif args:
            given = self.value(args[0], env, depth)
            made = given if isinstance(given, Dict) else self.of_pairs(given, node, depth)
        if default is None:
            return Dict(made.pairs, None, made.holds)
        return Dict(made.pairs, self.as_value(default, node, depth), self.kind_of_value(default))

    def default(self, node: ast.expr, env: Env, depth: int) -> Value:
        """What the keys of a defaultdict give that are not there: a constant."""
        made: Value | None = None
        match node:
            case ast.Name(id=name) if name in _DEFAULTS and env.find(name) is self.words.find(name):
                made = Const(0) if name == "int" else _EMPTY if name == "list" else self.constant_of("empty_set")
            case ast.Lambda(args=args, body=body) if not args.args:
                made = self.value(body, env, depth)
        empty = isinstance(made, Items) and not made.items
        if made is None or not (empty or self.is_constant(made)):
            self.at.illegal(node, "a default that is no constant", "write int, list, set, or lambda: <constant>")
        return made

    def is_constant(self, value: Value) -> bool:
        """Whether a value is the same whenever it is computed."""
        if isinstance(value, Function | Items | Dict):
            return False
        return self.constant(value) is not None or self.combinators.is_fixed(value)

    def kind_of_value(self, value: Value) -> str:
        """What an empty list or set is."""
        if isinstance(value, Items) and not value.items:
            return self.kind(ast.List([]), Env({}, None, self.words.find))
        return self.kind(ast.Set([]), Env({}, None, self.words.find)) if self.is_empty_set(value) else ""

    # --- what it gives ---

    def looked_up(self, held: Dict, key: Value, node: ast.AST, depth: int) -> Value:
        """`d[key]`."""
        if held.default is not None:
            function = self.words.dictionary_methods["get/2"]
            return self.applied(function, [held.pairs, key, held.default], {}, node, depth)  # type: ignore[arg-type]
        return self.applied(self.words.dictionary["item"], [held.pairs, key], {}, node, depth)  # type: ignore[arg-type]

    def part_of(self, whole: Value, node: ast.Subscript, env: Env, depth: int) -> Value:
        """An item, a slice, or what a key gives."""
        if not isinstance(whole, Dict):
            return super().part_of(whole, node, env, depth)
        return self.looked_up(whole, self.value(node.slice, env, depth), node, depth)

    def operator(self, op: ast.AST, args: Sequence[Value], node: ast.expr, depth: int) -> Value:
        """An operator; `in` looks at keys, `and`, `or` and `not` whether there are any."""
        held = args[-1]
        if isinstance(held, Dict) and isinstance(op, ast.In | ast.NotIn):
            made = self.applied(self.words.dictionary["has"], [args[0], held.pairs], {}, node, depth)
            return made if isinstance(op, ast.In) else super().operator(ast.Not(), [made], node, depth)
        if isinstance(op, ast.Not | ast.And | ast.Or):
            args = [self.tested(arg) for arg in args]
        elif any(isinstance(arg, Dict) for arg in args):
            self.at.illegal(node, "an operator between dictionaries is not legal in a program", "compare their items")
        return super().operator(op, args, node, depth)

    def tested(self, value: Value) -> Value:
        """A value that is asked whether it is true."""
        return value.pairs if isinstance(value, Dict) else value

    def called(
        self, function: Value, args: Sequence[Value], keywords: dict[str | None, Value], node: ast.Call, depth: int
    ) -> Value:
        """The call of a function in the text; those of Python's own see the keys of a dictionary."""
        if Dict in map(type, args):
            if function == self.combinators.name("same"):
                return args[0]
            name = node.func.id if isinstance(node.func, ast.Name) else ""
            if name in _PYTHON and self.words.is_own(function):
                args = [self.walked(arg, node, depth) for arg in args]
        return super().called(function, args, keywords, node, depth)

    def walked(self, value: Value, node: ast.AST, depth: int) -> Value:
        """What a loop over a value goes through."""
        if not isinstance(value, Dict):
            return value
        return self.applied(self.words.dictionary_methods[_KEYS], [value.pairs], {}, node, depth)  # type: ignore[arg-type]

    def call(self, node: ast.Call, env: Env, depth: int) -> Value:
        """A call, also of what makes a dictionary."""
        plain = type(node.func) is ast.Name and node.func.id not in _MADE  # most calls are
        name = "" if plain else self.maker(node, env)
        return self.made(name, node, env, depth) if name else super().call(node, env, depth)

    def method_of(self, value: Value, node: ast.Call, env: Env, depth: int) -> Value:
        """What a method of a value gives."""
        if not isinstance(value, Dict):
            return super().method_of(value, node, env, depth)
        assert isinstance(node.func, ast.Attribute)
        name = node.func.attr
        if name == "copy" and not node.args:
            return value
        args = [self.value(arg, env, depth) for arg in node.args]
        if name == "get" and len(args) == 1:
            args.append(self.constant_of("nothing"))
        function = self.words.dictionary_methods.get(f"{name}/{len(args)}")
        if function is None or node.keywords:
            self.at.illegal(node.func, f"{name} of a dictionary is not legal here", instead(node.func))
        return self.applied(function, [value.pairs, *args], {}, node, depth)

    def bound_method(self, node: ast.Attribute, env: Env, depth: int) -> Value:
        """`d.get`, as a function."""
        if node.attr != "get" or self.dictionary(node.value, env) is None:
            self.at.illegal(node, f"{describe(node)} is not legal in a program", instead(node))
        key = ast.copy_location(ast.Name("key", ast.Load()), node)
        body = ast.copy_location(ast.Call(node, [key], []), node)
        args = ast.arguments([], [ast.arg("key")], None, [], [], None, [])
        return self.function("", args, body, env, node, depth)

    # --- how one is changed ---

    def with_pair(self, held: Dict, key: Value, value: Value, node: ast.AST, depth: int) -> Dict:
        """The dictionary with a value for a key."""
        value = self.as_value(value, node, depth) if isinstance(value, Dict) else value  # refused
        holds = self.kind_of_value(value)
        if isinstance(held.pairs, Items) and not held.pairs.items:
            return held.of(Items((Items((key, value)),)), holds)
        put = self.words.dictionary["put"]
        return held.of(self.applied(put, [held.pairs, key, value], {}, node, depth), holds)  # type: ignore[arg-type]

    def put(self, now: Value, places: Sequence[Value], value: Value, node: ast.AST, depth: int) -> Value:
        """A container with another item at a place, or a value for a key."""
        if not isinstance(now, Dict):
            return super().put(now, places, value, node, depth)
        key = self.kept("key", places[0], node)
        if len(places) > 1:
            value = self.put(self.looked_up(now, key, node, depth), places[1:], value, node, depth)
        return self.with_pair(now, key, value, node, depth)

    def changed(self, now: Value, method: str, args: Sequence[Value], node: ast.Call, depth: int) -> Value:
        """What a list, set or dictionary is once a method has changed it."""
        if not isinstance(now, Dict):
            return super().changed(now, method, args, node, depth)
        function = self.words.dictionary_changes.get(f"{method}/{len(args)}")
        if function is None or node.keywords or (method == "update" and now.default is not None):
            self.at.illegal(node, f"{method} of a dictionary is not legal here", "assign d[key]")
        args = [self.tested(arg) for arg in args]
        holds = self.kind_of_value(args[-1]) if args else ""
        return now.of(self.applied(function, [self.tested(now), *args], {}, node, depth), holds)

    def take_from(
        self, now: Value, method: str, args: Sequence[Value], node: ast.Call, depth: int
    ) -> tuple[Value, Value]:
        """What a method takes out of a container, and what is left."""
        if not isinstance(now, Dict):
            return super().take_from(now, method, args, node, depth)
        function = self.words.dictionary_taken.get(f"{method}/{len(args)}")
        if function is None:
            self.at.illegal(node, f"{method} of a dictionary is not legal here", "write pop(key)")
        both = self.applied(function, [now.pairs, *args], {}, node, depth)
        assert isinstance(both, Items)
        return both.items[0], now.of(self.kept("pairs", both.items[1], node))


Dictionaries.readers = {
    **Containers.readers,
    ast.Dict: Dictionaries.display,
    ast.DictComp: Dictionaries.comprehended,
    ast.Attribute: Dictionaries.bound_method,
}
