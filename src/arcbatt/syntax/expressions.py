"""Expressions of Python as expressions of the language; functions of the text are written out where they are called."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, ClassVar, Final, NoReturn

from arcbatt.language.limits import INT_MAX, INT_MIN, MAX_CALLS, MAX_NESTING
from arcbatt.language.program import Assign, Call, Const, Expr, Literal, Name
from arcbatt.language.spec import Gives, OpSpec
from arcbatt.support.text import counted
from arcbatt.syntax.combinators import Combinators
from arcbatt.syntax.dialect import Vocabulary
from arcbatt.syntax.functions import Dict, Env, Function, Items, Value, variable
from arcbatt.syntax.report import Illegal, Reporter, describe, instead, parameters

_CONTAINERS: Final = {
    "tuple": ast.Tuple, "list": ast.Tuple, "deque": ast.Tuple, "frozenset": ast.Set, "set": ast.Set,
}  # fmt: skip
"""Python's functions that make a container of the items written in them."""
_PAIR: Final = 2
_MOST_CALLS: Final = 8 * MAX_CALLS
"""Calls that are read; some may yet be left out."""


class Expressions:
    """Reads expressions of one program, and holds the lines it has so far."""

    readers: ClassVar[Mapping[type[ast.expr], Callable[[Any, Any, Env, int], Value]]] = {}
    """By kind of expression, who reads it."""

    def __init__(self, at: Reporter, words: Vocabulary) -> None:
        self.at = at
        self.words = words
        self._fixed: dict[str, Expr] = {}
        self.combinators = Combinators(words.combinators, words.makes_function, self._fixed)
        self._fixing = words.combinators["fix_first"], words.combinators["fix_last"]
        self.lines: list[Assign] = []
        self.taken: set[str] = set()
        self.calls = 0
        self.wrote_out = False
        self.late = 0
        """How many functions there are around what is read of which nothing may be computed before they are called."""
        self.combined: list[Value] = []
        """What the combinators of the statement being read were given."""
        self._constants: dict[str, Expr] = {}
        self._variables = 0
        self._made: dict[int, tuple[Value, Expr]] = {}
        self._active: list[Function] = []
        self.params: tuple[str, ...] = ()

    # --- lines ---

    def add_line(self, name: str, value: Expr, node: ast.AST) -> Name:
        """One more line; its name may have to differ from the one it has in the text."""
        target = self.free(name)
        self.lines.append(Assign(target, value, self.at.number(node)))
        if not isinstance(value, Call):
            self._constants[target] = value
        return Name(target)

    def free(self, name: str) -> str:
        """A name for a line that nothing else has."""
        made, number = name, 1
        while made in self.taken or made in self.words.ops or made in self.words.language.constants:
            number += 1
            made = f"{name}_{number}"
        self.taken.add(made)
        return made

    def kept(self, name: str, value: Value, node: ast.AST) -> Value:
        """A value that will be used several times: a line of its own where it can be one."""
        if isinstance(value, Items) and not value.name:
            return Items(tuple([self.kept(name, item, node) for item in value.items]), name)
        if isinstance(value, Dict):
            return value.of(self.kept(name, value.pairs, node))
        if not isinstance(value, Call) or self.combinators.is_fixed(value):
            return value
        facts = self.combinators.facts(value)
        if not self.late and (facts.calls > MAX_CALLS or facts.depth > MAX_NESTING):
            self.at.illegal(node, f"functions written out make more than {MAX_CALLS:,} calls, or nest too deep", "")
        return value if facts.params or self.late else self.add_line(name, value, node)

    # --- expressions ---

    def value(self, node: ast.expr, env: Env, depth: int = 0) -> Value:
        """What an expression stands for."""
        if depth > MAX_NESTING:
            self.at.illegal(node, f"calls nested more than {MAX_NESTING} deep", "use a variable for inner calls")
        kind = type(node)
        if kind is ast.Name:
            return self.name(node, env)  # type: ignore[arg-type]
        if kind is ast.Call:
            return self.call(node, env, depth + 1)  # type: ignore[arg-type]
        literal = self.literal(node)
        if literal is not None:
            return Const(literal)
        read = self.readers.get(kind)
        if read is None:
            self.at.illegal(node, f"{describe(node)} is not legal in a program", instead(node))
        return read(self, node, env, depth + 1)

    def literal(self, node: ast.expr) -> Literal | None:
        """The number, truth or tuple of numbers that is written there, if it is one."""
        match node:
            case ast.Constant(value=bool() as flag):
                return flag
            case ast.Constant(value=int() as number):
                return self._in_range(node, number)
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as number)) if type(number) is int:
                return self._in_range(node, -number)
            case ast.Tuple(elts=elements) if elements:
                parts = [self.literal(element) for element in elements]
                ints = tuple(part for part in parts if type(part) is int)
                return ints if len(ints) == len(parts) else None
        return None

    def _in_range(self, node: ast.expr, number: int) -> int:
        if not INT_MIN <= number <= INT_MAX:
            self.at.illegal(node, "integer does not fit 32 bits", f"integers go from {INT_MIN} to {INT_MAX}")
        return number

    def constant(self, value: Value) -> Literal | None:
        """The number or pair a value is known to be."""
        while isinstance(value, Name) and value.id in self._constants:
            value = self._constants[value.id]
        if isinstance(value, Const):
            return value.value
        return self.words.language.constants.get(value.id) if isinstance(value, Name) else None

    def name(self, node: ast.Name, env: Env) -> Value:
        """What a name stands for here."""
        name = node.id
        scope: Env | None = env
        while scope is not None:
            value = scope.values.get(name)
            if value is not None:
                return value
            if name in scope.later:
                self.at.illegal(node, f"{name!r} is used before it is assigned", "")
            last, scope = scope, scope.outer
        value = last.find(name)
        if value is None:
            self._unknown(node, name)
        return self.of_constant(value, node) if type(value) is Function and value.constant else value

    def of_constant(self, value: Function, node: ast.expr) -> Value:
        """What a constant of the file stands for: one line, however often it is used."""
        if id(value) not in self._made:
            late, self.late = self.late, 0
            made = self.kept(value.name, self.written_out(value, {}, node, 0), node)
            self.late = late
            if isinstance(made, Function | Items | Dict):
                return made
            self._made[id(value)] = value, made
        return self._made[id(value)][1]

    def _unknown(self, node: ast.Name, name: str) -> NoReturn:
        if name in ("S", "C"):
            self.at.illegal(node, f"{name!r} is not a parameter of this program", "use the parameters (S, I, C)")
        known = [*self.words.known(), *sorted(self.taken)]
        close = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
        hint = f"did you mean {close[0]!r}?" if close else "docs/ops.md lists every primitive and constant"
        self.at.illegal(node, f"unknown primitive or name {name!r}", hint)

    # --- calls ---

    def call(self, node: ast.Call, env: Env, depth: int) -> Value:
        """A call of anything."""
        if type(node.func) is ast.Attribute:
            return self.method(node, env, depth)
        if type(node.func) not in (ast.Name, ast.Call, ast.Subscript, ast.Lambda):
            self.at.illegal(
                node.func, f"{describe(node.func)} is not legal in a program", "call a primitive, a variable or a call"
            )
        function = self.value(node.func, env, depth)
        if made := self._container(node, function, env, depth):
            return made
        function = self.form(node, function)
        written = node.args[0].value if node.args and function is self.words.forms.get("zip/*") else None  # type: ignore[attr-defined]
        args = [self.value(arg, env, depth) for arg in ([written] if written else node.args)]
        keywords = {keyword.arg: self.value(keyword.value, env, depth) for keyword in node.keywords}
        return self.called(function, args, keywords, node, depth)

    def called(
        self, function: Value, args: Sequence[Value], keywords: dict[str | None, Value], node: ast.Call, depth: int
    ) -> Value:
        """The call of a function that stands in the text."""
        return self.applied(function, args, keywords, node, depth)

    def method(self, node: ast.Call, env: Env, depth: int) -> Value:
        """`value.method(...)`."""
        raise NotImplementedError

    def form(self, node: ast.Call, function: Value) -> Value:
        """A function as it is for such arguments."""
        raise NotImplementedError

    def _container(self, node: ast.Call, function: Value, env: Env, depth: int) -> Value | None:
        """tuple([a, b]), frozenset({a, b}) and the like: the items as they are written."""
        kind = _CONTAINERS.get(node.func.id) if isinstance(node.func, ast.Name) else None
        if kind is None or node.keywords or function is not self.words.find(node.func.id):  # type: ignore[attr-defined]
            return None
        if not node.args:
            return Items(()) if kind is ast.Tuple else self.set_of([], node, depth)
        written = node.args[0]
        if kind is ast.Set and len(node.args) == 1 and isinstance(written, ast.ListComp | ast.GeneratorExp):
            as_set = ast.SetComp(written.elt, written.generators)
            return self.value(ast.copy_location(as_set, written), env, depth)
        if len(node.args) != 1 or not isinstance(written, ast.Tuple | ast.List | ast.Set):
            return None
        items = [self.value(item, env, depth) for item in written.elts]
        return Items(tuple(items)) if kind is ast.Tuple else self.set_of(items, node, depth)

    def applied(
        self, function: Value, args: Sequence[Value], keywords: dict[str | None, Value], node: ast.expr, depth: int
    ) -> Value:
        """The call of a function."""
        self.calls += 1
        if self.calls > _MOST_CALLS:
            self.at.illegal(node, f"functions written out make more than {MAX_CALLS:,} calls", "")
        if isinstance(function, Function):
            return self.written_out(function, self.bound(function, args, keywords, node), node, depth)
        if isinstance(function, Name):
            spec = self.words.ops.get(function.id)
            if spec is not None:
                args = self.in_order(function.id, spec.params, args, keywords, node)
                if any(type(arg) is Function for arg in args) or self.of_two(spec, args):
                    if spec.combinator:
                        self.combined += args
                    reduced = self.reduced(function.id, args, node, depth)
                    if reduced is not None:
                        return reduced
                return Call(function, tuple([self.as_value(arg, node, depth) for arg in args]), self.at.number(node))
            if self.constant(function) is not None or function.id in self.params:
                name = getattr(getattr(node, "func", None), "id", function.id)
                self.at.illegal(
                    node, f"{name!r} is not a function", "call a primitive or a variable that holds a function"
                )
        if isinstance(function, Const | Items | Dict):
            what = str(function) if isinstance(function, Const) else "a container"
            self.at.illegal(node, f"{what} is not a function", "call a primitive or a variable that holds one")
        if keywords:
            self.at.illegal(
                node, "keyword argument to a variable", "name arguments only where a primitive is called by name"
            )
        if not args:
            self.at.illegal(node, "call of a variable without arguments", "every function takes at least one")
        return Call(function, tuple([self.as_value(arg, node, depth) for arg in args]), self.at.number(node))

    def reduced(self, name: str, args: Sequence[Value], node: ast.expr, depth: int) -> Value | None:
        """The call of a primitive with a function of the text of several arguments, written out where it can be."""
        if name in self._fixing:
            return self.fixed(name, args[0], args[1], node, depth)
        if name in self.words.reductions and (
            any(_several(arg) for arg in args) or self.of_two(self.words.ops[name], args)
        ):
            return self.applied(self.words.reductions[name], args, {}, node, depth)
        return None

    def of_two(self, spec: OpSpec, args: Sequence[Value]) -> bool:
        """Whether a loop that gives its function a pair was given a primitive that takes two arguments."""
        if spec.loop is None or spec.loop.gives is not Gives.STATE or not isinstance(args[-1], Name):
            return False
        given = self.words.ops.get(args[-1].id)
        return given is not None and given.arity == _PAIR and not given.combinator

    def fixed(self, name: str, function: Value, given: Value, node: ast.expr, depth: int) -> Value | None:
        """A function of the text with its first or last argument given, or one that waits for what to give it."""
        first = name == self._fixing[0]
        if isinstance(function, Name) and function.id in self._fixing and first and _several(given):
            role = "curried_first" if function.id == name else "curried_last"
            return self.syntax(role, [given], node, depth)
        if not isinstance(function, Function) or len(function.params) < 2 or function.defaults:
            return None
        param = function.params[0 if first else -1]
        value = self.kept(param, given, node) if function.uses[param] > 1 else given
        env = Env({param: value}, function.env, function.env.find)
        rest = tuple(other for other in function.params if other != param)
        return Function("", rest, function.body, env, own=function.own)

    def in_order(
        self,
        name: str,
        params: tuple[str, ...],
        positional: Sequence[Value],
        keywords: dict[str | None, Value],
        node: ast.expr,
    ) -> Sequence[Value]:
        """The arguments of a primitive in the order of its parameters."""
        count = len(positional) + len(keywords)
        if count != len(params):
            usage = f"{name}({', '.join(params)})"
            self.at.illegal(node, f"{name} takes {len(params)} argument{'s' * (len(params) != 1)}, got {count}", usage)
        if not keywords:
            return positional
        values: dict[str, Value] = dict(zip(params, positional, strict=False))
        for key, value in keywords.items():
            if key is None or key not in params or key in values:
                usage = f"{name}({', '.join(params)})"
                self.at.illegal(node, f"{name} has no free parameter {key or '**'!r}", usage)
            values[key] = value
        return [values[param] for param in params]

    # --- functions of the text ---

    def bound(
        self, function: Function, args: Sequence[Value], keywords: dict[str | None, Value], node: ast.expr
    ) -> dict[str, Value]:
        """The arguments of a function of the text by parameter."""
        name = function.name or "the lambda"
        values = dict(zip(function.params, args, strict=False))
        for key, value in keywords.items():
            if key is None or key not in function.params or key in values:
                self.at.illegal(node, f"{name} has no free parameter {key or '**'!r}", "")
            values[key] = value
        missing = [param for param in function.params if param not in values and param not in function.defaults]
        if missing or len(args) > len(function.params):
            wanted = f"{name}({', '.join(function.params)})"
            self.at.illegal(node, f"{name} takes {counted(len(function.params), 'argument')}, got {len(args)}", wanted)
        for param, default in function.defaults.items():
            if param not in values:
                constant = isinstance(default, Function) and default.constant
                values[param] = self.of_constant(default, node) if constant else default  # type: ignore[arg-type]
        return values

    def written_out(self, function: Function, args: dict[str, Value], node: ast.expr, depth: int) -> Value:
        """What a call of a function of the text gives, its lines in place of the call."""
        if function in self._active:
            self.at.illegal(node, f"recursion: {function.name or 'a lambda'} calls itself", "write power(function, n)")
        self.wrote_out = True
        if self.calls > MAX_CALLS:
            self.at.illegal(node, f"functions written out make more than {MAX_CALLS:,} calls", "")
        values = {
            name: self.kept(name, value, node) if function.uses[name] > 1 else value for name, value in args.items()
        }
        env = Env(values, function.env, function.env.find)
        with self._inside(function, node):
            if isinstance(function.body, ast.expr):
                return self.value(function.body, env, depth + 1)
            return self.body(function.body, env, depth + 1)

    @contextmanager
    def _inside(self, function: Function, node: ast.expr) -> Iterator[None]:
        self._active.append(function)
        if not function.own:
            self.at.inside.append((node, function.name or "a lambda"))
        try:
            yield
        finally:
            self._active.pop()
            if not function.own:
                self.at.inside.pop()

    def body(self, statements: list[ast.stmt], env: Env, depth: int) -> Value:
        """What the statements of a function return."""
        raise NotImplementedError

    def as_value(self, value: Value, node: ast.AST, depth: int) -> Expr:
        """A value as an expression; a function of the text becomes one of combinators."""
        if not isinstance(value, Function | Items | Dict):
            return value
        if isinstance(value, Dict):
            self.at.illegal(
                node, "a dictionary is not legal here", "look up its values, or write tuple(d.items()) for its pairs"
            )
        if id(value) in self._made:
            return self._made[id(value)][1]
        if isinstance(value, Items):
            made_tuple = self.as_value(self.tuple_of(value.items, node, depth), node, depth)
            return self._remember(value, self.named(value.name, made_tuple, node))
        params = [self.fresh() for _ in value.params[: len(value.params) - len(value.defaults)]]
        if not params:
            self.at.illegal(node, f"{value.name or 'a lambda'} takes no argument, so it is no value", "call it here")
        args = self.bound(value, params, {}, node)  # type: ignore[arg-type]
        body = self.as_value(self.written_out(value, args, node, depth + 1), node, depth + 1)  # type: ignore[arg-type]
        made = self.combinators.value(params, body)
        if made is None:
            self.at.illegal(
                node, f"{value.name or 'the lambda'} takes {len(params)} arguments and is used as a value",
                "call it, or write it as one call of a primitive with some arguments given",
            )  # fmt: skip
        if value.name:
            self.capture([value])
        return self._remember(value, self.named(value.name, made, node))

    def _remember(self, value: Value, made: Expr) -> Expr:
        """Keep what a value became, if it is the same wherever it is used."""
        if not self.late:
            self._made[id(value)] = value, made
        return made

    def fresh(self) -> Name:
        """What stands for one more parameter."""
        self._variables += 1
        return variable(self._variables)

    def named(self, name: str, value: Expr, node: ast.AST) -> Expr:
        """A value that has a name in the text, as a line where it can be one."""
        kept = self.kept(name, value, node) if name else value
        return kept if isinstance(kept, Name | Const | Call) else value

    def capture(self, values: Sequence[Value]) -> None:
        """Remember which names functions that are kept read: they cannot be bound again after."""
        for value in values:
            if not isinstance(value, Function):
                continue
            parts = [value.body] if isinstance(value.body, ast.expr) else value.body
            read = {node.id for part in parts for node in ast.walk(part) if isinstance(node, ast.Name)}
            read.difference_update(value.params)
            env: Env | None = value.env
            while env is not None:
                env.captured |= read & env.values.keys()
                env = env.outer

    # --- what Python has ---

    def operator(self, op: ast.AST, args: Sequence[Value], node: ast.expr, depth: int) -> Value:
        """What an operator of Python gives."""
        function = self.words.operators.get(type(op).__name__)
        if function is None:
            self.at.illegal(node, f"the operator {type(op).__name__} is not legal in a program", "write a primitive")
        return self.applied(function, args, {}, node, depth)

    def syntax(self, role: str, args: Sequence[Value], node: ast.AST, depth: int) -> Value:
        """A call of what stands for a piece of Python's syntax."""
        return self.applied(self.words.syntax[role], args, {}, node, depth)  # type: ignore[arg-type]

    def constant_of(self, role: str) -> Expr:
        """A constant that has no literal: an empty tuple or set, None."""
        if role not in self._fixed:
            self._fixed[role] = self.as_value(self.syntax(role, [], ast.Constant(0), 0), ast.Constant(0), 0)
        return self._fixed[role]

    def tuple_of(self, values: Sequence[Value], node: ast.AST, depth: int) -> Value:
        """A tuple of values: pairs joined end to end."""
        items = [self.as_value(value, node, depth) for value in values]
        if not items:
            return self.constant_of("empty_tuple")
        numbers = [item.value if isinstance(item, Const) else None for item in items]
        if all(type(number) is int for number in numbers):
            return Const(tuple(numbers))  # type: ignore[arg-type]
        parts = [
            self.syntax("two", items[at : at + 2], node, depth) if at + 1 < len(items) else
            self.syntax("single", items[at:], node, depth)
            for at in range(0, len(items), 2)
        ]  # fmt: skip
        made = parts[0]
        for part in parts[1:]:
            made = self.syntax("joined", [made, part], node, depth)
        return made

    def set_of(self, items: Sequence[Value], node: ast.AST, depth: int) -> Value:
        """A set of values."""
        if not items:
            return self.constant_of("empty_set")
        made = self.syntax("set_of_one", [items[0]], node, depth)
        for item in items[1:]:
            made = self.syntax("with_item", [item, made], node, depth)
        return made

    def item(self, value: Value, place: Value, node: ast.AST, depth: int) -> Value:
        """The item of a tuple at a place."""
        role = {0: "first_item", 1: "second_item", -1: "last_item"}
        number = self.constant(place)
        if isinstance(value, Items) and type(number) is int:
            if -len(value.items) <= number < len(value.items):
                return value.items[number]
            if not self.late:  # else it may never be looked at
                self.at.illegal(node, f"item {number} of a tuple that has {len(value.items)}", "")
        if type(number) is int and number in role:
            return self.syntax(role[number], [value], node, depth)
        return self.syntax("item", [value, place], node, depth)

    def _lambda(self, node: ast.Lambda, env: Env, depth: int) -> Value:
        return self.function("", node.args, node.body, env, node, depth)

    def function(
        self,
        name: str,
        args: ast.arguments,
        body: ast.expr | list[ast.stmt],
        env: Env,
        node: ast.AST,
        depth: int = 0,
    ) -> Function:
        """A function of the text as it is defined."""
        if args.vararg or args.kwarg or args.kwonlyargs:
            self.at.illegal(
                node, f"parameters ({parameters(args)})", "parameters are plain names, with or without defaults"
            )
        plain = [*args.posonlyargs, *args.args]
        with_default = plain[len(plain) - len(args.defaults) :]
        defaults = {
            param.arg: self.value(value, env, depth) for param, value in zip(with_default, args.defaults, strict=True)
        }
        params = tuple(param.arg for param in plain)
        return Function(name, params, body, env, defaults, own=not self.at.inside)


def _several(value: Value) -> bool:
    """Whether a value is a function of the text of several arguments, or of none that is a value."""
    return isinstance(value, Function) and len(value.params) - len(value.defaults) != 1


def renamed(value: Value, name: str) -> Value:
    """A value that a name of the text stands for; a function takes the name."""
    return replace(value, name=name) if isinstance(value, Function | Items) and not value.name else value


Expressions.readers = {
    ast.Lambda: Expressions._lambda,
}

__all__ = ["Expressions", "Illegal", "renamed"]
