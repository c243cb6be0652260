"""Lists, sets and tuples of Python: literals, slices, operators, methods, and changes in place."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import cache
from typing import Final

from arcbatt.language.program import Const, Name
from arcbatt.language.spec import OpSpec
from arcbatt.language.types import GRID, Set
from arcbatt.syntax.dialect import python_words
from arcbatt.syntax.expressions import Expressions
from arcbatt.syntax.functions import Env, Items, Value
from arcbatt.syntax.report import describe, instead

_LIST: Final = "list"
_GRID: Final = "grid"
_SET: Final = "set"
_GIVES: Final = {
    "list": _LIST, "tuple": _LIST, "deque": _LIST, "sorted": _LIST, "reversed": _LIST, "map": _LIST, "filter": _LIST,
    "zip": _LIST, "enumerate": _LIST, "range": _LIST, "set": _SET, "frozenset": _SET,
}  # fmt: skip
"""Python's functions that make a list or tuple, or a set."""
_GATHERS: Final = python_words()["gathers"]
_PAIR: Final = 2
_NUMPY: Final = ("np", "numpy")
_DICTIONARY: Final = frozenset(name.split("/")[0] for name in python_words()["dictionary_methods"])


@cache
def _result_kind(spec: OpSpec) -> str:
    """What every rule of a primitive gives."""
    results = {rule.result for rule in spec.rules}
    if results and all(isinstance(result, Set) for result in results):
        return _SET
    return _GRID if results == {GRID} else ""


class Containers(Expressions):
    """Reads what is written of containers."""

    def kind(self, node: ast.expr, env: Env) -> str:
        """Whether an expression is seen to be a list (or a tuple that is no pair), a list of lists, or a set."""
        match node:
            case ast.List(elts=items):
                return _GRID if items and self.kind(items[0], env) == _LIST else _LIST
            case ast.ListComp(elt=item, generators=generators):
                inner = Env({}, env, env.find)
                for one in generators:
                    self.mark_items(one.target, one.iter, inner)
                return _GRID if self.kind(item, inner) == _LIST else _LIST
            case ast.Tuple(elts=items):
                return "" if len(items) == _PAIR else _LIST
            case ast.Set() | ast.SetComp():
                return _SET
            case ast.Call(func=ast.Name(id=name), args=args):
                made = _GIVES.get(name, "") or self.kind_of_result(name, env)
                return _GRID if made == _LIST and args and self.kind(args[0], env) == _GRID else made
            case ast.BinOp(left=left, op=ast.Add() | ast.Mult() | ast.BitOr() | ast.BitAnd() | ast.Sub(), right=right):
                return self.kind(left, env) or self.kind(right, env)
            case ast.Subscript(value=value, slice=ast.Slice()):
                return self.kind(value, env) or _LIST
            case ast.Subscript(value=value):
                return self.kind_of_items(value, env)
            case ast.IfExp(body=body, orelse=orelse):
                return self.kind(body, env) or self.kind(orelse, env)
            case ast.Name(id=name):
                scope: Env | None = env
                while scope is not None:
                    if name in scope.kinds:
                        return scope.kinds[name]
                    scope = scope.outer
        return ""

    def mark(self, target: ast.expr, value: ast.expr | None, env: Env) -> None:
        """Remember what names are seen to be that are given a value."""
        match target, value:
            case ast.Name(id=name), _:
                env.kinds[name] = self.kind(value, env) if value else ""
            case ast.Tuple(elts=names), ast.Tuple(elts=values) if len(names) == len(values):
                for one, given in zip(names, values, strict=True):
                    self.mark(one, given, env)
            case ast.Tuple(elts=names) | ast.List(elts=names), _:
                for one in names:
                    self.mark(one, None, env)

    def mark_items(self, target: ast.expr, items: ast.expr, env: Env) -> None:
        """The same of names that stand for the items of something, one after the other."""
        self.mark(target, None, env)
        if isinstance(target, ast.Name):
            env.kinds[target.id] = self.kind_of_items(items, env)

    def kind_of_items(self, node: ast.expr, env: Env) -> str:
        """What the items of an expression are seen to be."""
        return _LIST if self.kind(node, env) == _GRID else ""

    def kind_of_result(self, name: str, env: Env) -> str:
        """What a primitive always gives."""
        value = env.find(name)
        return _result_kind(self.words.ops[value.id]) if isinstance(value, Name) and value.id in self.words.ops else ""

    def list_display(self, node: ast.List, env: Env, depth: int) -> Value:
        """`[a, b]`, as a tuple."""
        return Items(tuple([self.value(item, env, depth) for item in node.elts]))

    def nothing(self, node: ast.Constant, env: Env, depth: int) -> Value:
        """None; other literals that are no numbers are refused."""
        if node.value is not None:
            self.at.illegal(node, f"{describe(node)} is not legal in a program", instead(node))
        return self.constant_of("nothing")

    # --- operators ---

    def tuple_display(self, node: ast.Tuple, env: Env, depth: int) -> Value:
        """`(a, b)`."""
        return Items(tuple([self.value(item, env, depth) for item in node.elts]))

    def set_display(self, node: ast.Set, env: Env, depth: int) -> Value:
        """`{a, b}`."""
        return self.set_of([self.value(item, env, depth) for item in node.elts], node, depth)

    def unary(self, node: ast.UnaryOp, env: Env, depth: int) -> Value:
        """An operator of one side."""
        return self.operator(node.op, [self.value(node.operand, env, depth)], node, depth)

    def comparison(self, node: ast.Compare, env: Env, depth: int) -> Value:
        """Comparisons, of which all must hold."""
        sides = [self.value(side, env, depth) for side in (node.left, *node.comparators)]
        sides[1:-1] = [self.kept("side", side, node) for side in sides[1:-1]]
        parts = [
            self.operator(op, pair, node, depth)
            for op, *pair in zip(node.ops, sides, sides[1:], strict=False)
        ]  # fmt: skip
        made = parts[0]
        for part in parts[1:]:
            made = self.operator(ast.And(), [made, part], node, depth)
        return made

    def binary(self, node: ast.BinOp, env: Env, depth: int) -> Value:
        """An operator, between lists or sets where one side is seen to be one."""
        sides = [self.value(side, env, depth) for side in (node.left, node.right)]
        kinds = [self.kind(side, env) for side in (node.left, node.right)]
        lists = {_LIST, _GRID} & set(kinds)
        match node.op:
            case ast.Add() if lists:
                return self.together(sides[0], sides[1], node, depth)
            case ast.Mult() if lists:
                items, times = sides if kinds[0] in lists else sides[::-1]
                return self.many(items, times, node, depth)
            case ast.Sub() if _SET in kinds:
                return self.syntax("without", sides, node, depth)
        return self.operator(node.op, sides, node, depth)

    def together(self, left: Value, right: Value, node: ast.AST, depth: int) -> Value:
        """Two lists end to end."""
        if isinstance(left, Items) and isinstance(right, Items):
            return Items((*left.items, *right.items))
        if isinstance(left, Items) and not left.items:
            return self.syntax("ordered", [right], node, depth)
        return self.syntax("joined", [left, right], node, depth)

    def many(self, items: Value, times: Value, node: ast.AST, depth: int) -> Value:
        """A list several times over."""
        if isinstance(items, Items) and len(items.items) == 1:
            return self.syntax("many", [items.items[0], times], node, depth)
        return self.syntax("many_all", [items, times], node, depth)

    # --- subscripts ---

    def subscript(self, node: ast.Subscript, env: Env, depth: int) -> Value:
        """An item, or a slice."""
        return self.part_of(self.value(node.value, env, depth), node, env, depth)

    def part_of(self, whole: Value, node: ast.Subscript, env: Env, depth: int) -> Value:
        """What a subscript takes out of a value."""
        if isinstance(node.slice, ast.Slice):
            return self.sliced(whole, node.slice, env, depth)
        if isinstance(node.slice, ast.Tuple):
            self.at.illegal(node, "two subscripts in one are not legal in a program", "write x[i][j]")
        return self.item(whole, self.value(node.slice, env, depth), node, depth)

    def sliced(self, items: Value, written: ast.Slice, env: Env, depth: int) -> Value:
        """A slice of a tuple, its ends within the tuple as Python has them."""
        step = 1 if written.step is None else self.constant(self.value(written.step, env, depth))
        if step == -1 and written.lower is None and written.upper is None:
            return self.syntax("turned", [items], written, depth)
        if not isinstance(step, int) or step < 1:
            self.at.illegal(written, "a slice whose step is no positive constant", "a step is a constant, or [::-1]")
        items = self.kept("items", items, written)
        start = self.end_of(items, written.lower, env, depth) if written.lower else Const(0)
        if written.upper:
            stop = self.end_of(items, written.upper, env, depth)
        else:
            stop = self.syntax("length", [items], written, depth)
        return self.syntax("slice", [items, start, stop, Const(step)], written, depth)

    def end_of(self, items: Value, node: ast.expr, env: Env, depth: int) -> Value:
        """Where a slice starts or stops."""
        place = self.value(node, env, depth)
        known = self.constant(place)
        role = "place" if not isinstance(known, int) else "place_from_end" if known < 0 else "place_from_start"
        return Const(0) if known == 0 else self.syntax(role, [items, place], node, depth)

    # --- calls ---

    def method(self, node: ast.Call, env: Env, depth: int) -> Value:
        """`value.method(...)`, for the methods that give a value."""
        assert isinstance(node.func, ast.Attribute)
        if isinstance(node.func.value, ast.Name) and node.func.value.id == "copy" and self.unknown("copy", env):
            plain = ast.copy_location(ast.Name("deepcopy", ast.Load()), node)
            return self.call(ast.copy_location(ast.Call(plain, node.args, []), node), env, depth)
        base = node.func.value
        if isinstance(base, ast.Name) and base.id in _NUMPY and self.unknown(base.id, env):
            self.at.illegal(node, "numpy is not legal in a program", "write rows as lists, and primitives: docs/ops.md")
        if node.func.attr not in self.words.methods and node.func.attr not in _DICTIONARY:
            self.at.illegal(node.func, f"{describe(node.func)} is not legal in a program", instead(node.func))
        return self.method_of(self.value(node.func.value, env, depth), node, env, depth)

    def method_of(self, value: Value, node: ast.Call, env: Env, depth: int) -> Value:
        """What a method of a value gives."""
        assert isinstance(node.func, ast.Attribute)
        function = self.words.methods.get(node.func.attr)
        if function is None or node.keywords:
            self.at.illegal(node.func, f"{describe(node.func)} is not legal in a program", instead(node.func))
        return self.applied(function, [value, *(self.value(arg, env, depth) for arg in node.args)], {}, node, depth)

    def unknown(self, name: str, env: Env) -> bool:
        """Whether a name stands for nothing, so that it may be that of a module."""
        scope: Env | None = env
        while scope is not None:
            if name in scope.values:
                return False
            scope = scope.outer
        return env.find(name) is None

    def form(self, node: ast.Call, function: Value) -> Value:
        """Python's function as it is for so many arguments and such keywords."""
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name not in self.words.form_names or function is not self.words.find(name):
            return function
        if len(node.args) == 1 and isinstance(node.args[0], ast.Starred):
            return self.words.forms.get(f"{name}/*", function)
        keys = ",".join(sorted(keyword.arg or "" for keyword in node.keywords))
        return self.words.forms.get(f"{name}/{len(node.args)}" + f"/{keys}" * bool(keys), function)

    def call(self, node: ast.Call, env: Env, depth: int) -> Value:
        """`max(a, b, c)`, one after the other; any other call as it is."""
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if len(node.args) > _PAIR and f"{name}/1" in self.words.forms and env.find(name) is self.words.find(name):
            inner = ast.copy_location(ast.Call(node.func, node.args[:-1], []), node)
            if f"{name}/{len(node.args)}" not in self.words.forms:
                return self.call(ast.copy_location(ast.Call(node.func, [inner, node.args[-1]], []), node), env, depth)
        return super().call(node, env, depth)

    # --- changes ---

    def changed(self, now: Value, method: str, args: Sequence[Value], node: ast.Call, depth: int) -> Value:
        """What a list or set is once a method has changed it."""
        if isinstance(now, Items) and _GATHERS.get(method) == f"{_LIST} item" and len(args) == 1:
            return Items((*now.items, args[0]))
        if isinstance(now, Items) and _GATHERS.get(method) == _LIST and len(args) == 1:
            return self.together(now, args[0], node, depth)
        if method in _GATHERS and self.is_empty_set(now) and len(args) == 1:
            return self.syntax("set_of_one" if _GATHERS[method].endswith("item") else "as_set", args, node, depth)
        if method not in self.words.changes:
            self.at.illegal(node, f"{method} of something not seen to be a dictionary is not legal", "assign {} first")
        return self.applied(self.words.changes[method], [now, *args], {}, node, depth)

    def mark_gathered(self, name: str, method: str, item: ast.expr, env: Env) -> None:
        """A list that lists are put into is a list of lists."""
        if _GATHERS.get(method) == f"{_LIST} item" and self.kind(item, env) == _LIST:
            env.kinds[name] = _GRID

    def is_empty_set(self, value: Value) -> bool:
        """Whether a value is the empty set as it is written."""
        return value is self.constant_of("empty_set")

    def take_from(
        self, now: Value, method: str, args: Sequence[Value], node: ast.Call, depth: int
    ) -> tuple[Value, Value]:
        """What a method takes out of a list, and what is left."""
        function = self.words.taken.get(method if not args else f"{method}/{len(args)}")
        if function is None:
            self.at.illegal(node, f"{method} with such arguments is not legal in a program", "write pop(), pop(0)")
        both = self.applied(function, [now, *args], {}, node, depth)
        assert isinstance(both, Items)
        item, rest = (self.kept("item", part, node) for part in both.items)
        return item, rest

    def put(self, now: Value, places: Sequence[Value], value: Value, node: ast.AST, depth: int) -> Value:
        """A list with another item at a place, or rows with another cell at two."""
        if len(places) > _PAIR:
            self.at.illegal(
                node, "an item three levels deep is not legal to assign", "assign items of a list, or cells"
            )
        role = "with_item_at" if len(places) == 1 else "with_cell_at"
        return self.syntax(role, [now, *places, value], node, depth)


Containers.readers = {
    **Expressions.readers,
    ast.Tuple: Containers.tuple_display,
    ast.Set: Containers.set_display,
    ast.UnaryOp: Containers.unary,
    ast.Compare: Containers.comparison,
    ast.List: Containers.list_display,
    ast.Constant: Containers.nothing,
    ast.BinOp: Containers.binary,
    ast.Subscript: Containers.subscript,
}
