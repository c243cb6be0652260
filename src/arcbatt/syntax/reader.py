"""One program: from a piece of a file to data."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Container
from typing import Final

from arcbatt.language.limits import MAX_CALLS, MAX_NESTING, MAX_PROGRAM_BYTES
from arcbatt.language.program import Assign, Call, Const, Expr, Name, Program
from arcbatt.syntax.cell_items import with_our_cells
from arcbatt.syntax.control import Control, Exit
from arcbatt.syntax.dialect import Vocabulary
from arcbatt.syntax.expressions import renamed
from arcbatt.syntax.flow import (
    CHANGES,
    TAKES,
    assigned,
    called_method,
    changed,
    changed_outside,
    flow,
    illegal,
    leaves,
    names_kept,
)
from arcbatt.syntax.functions import Dict, Env, Function, Items, Value
from arcbatt.syntax.plain import NotPlain, PlainProgram
from arcbatt.syntax.report import LEGAL, Illegal, Reporter, describe, instead, parameters
from arcbatt.syntax.rewrite import placed
from arcbatt.syntax.source import Chunk

SIGNATURES: Final = (("I",), ("S", "I", "C"))
_SIGNATURE: Final = "the parameters of a program are (I), (S, I) or (S, I, C); more have a constant as default"
_RETURN: Final = "the last line of a program is `return <name or call>`"
_COMPOUND: Final = (ast.If, ast.For, ast.While, ast.Raise, ast.Assert)
_DEEP: Final = 20
"""Combinators inside one another that become a line of their own where a program nests deep."""


def parse_chunk(at: Reporter) -> ast.Module | None:
    """The syntax tree of a chunk, or None with an error reported."""
    text = at.chunk.text
    if len(text) > MAX_PROGRAM_BYTES:
        at.line(f"program too large: {len(text):,} characters, at most {MAX_PROGRAM_BYTES:,}")
        return None
    if (depth := _nesting(text)) > MAX_NESTING:
        at.line(f"calls nested {depth} deep, at most {MAX_NESTING}", allowed="use a variable for inner calls")
        return None
    try:
        return ast.parse(text)
    except SyntaxError as error:
        at.line(f"not Python syntax: {error.msg}", error.lineno or 1, max(0, (error.offset or 1) - 1), LEGAL)
    except (RecursionError, MemoryError, ValueError) as error:
        at.line(f"too complex to parse: {str(error) or type(error).__name__}", allowed=LEGAL)
    return None


class ProgramReader(Control):
    """Reads one program; `find` gives what its file defines and what the language has."""

    def __init__(
        self,
        chunk: Chunk,
        file: str,
        words: Vocabulary,
        find: Callable[[str], Value | None],
        defined: Container[str] = (),
    ) -> None:
        super().__init__(Reporter(chunk, file), words)
        self.env = Env({}, None, find)
        self.defined = defined
        """Names that the file defines."""

    def program(self, node: ast.FunctionDef, name: str) -> Program | None:
        """The program of a definition under a name, or None with errors reported."""
        try:
            self._signature(node)
        except Illegal:
            return None
        if not self.at.errors and (plain := self.plain_program(node)) is not None:
            return self.finished(node, name, plain)
        self.env.later = assigned(node.body)
        self.env.changed = changed(node.body)
        self.env.kinds[self.shown] = "grid"
        result = self.lines_of(node.body)
        if self.at.errors:
            return None
        if result is None:
            self.at.report(node, "missing return", _RETURN)
            return None
        return self.finished(node, name, result)

    def plain_program(self, node: ast.FunctionDef) -> Expr | None:
        """What a program returns that is nothing but calls, or None."""
        given = {name: value for name, value in self.env.values.items() if isinstance(value, Name)}
        if len(given) != len(self.env.values):
            return None
        plain = PlainProgram(self.words.plain, given, self.taken, self.defined, self.at.chunk.line)
        try:
            result = plain.read(node.body)
        except NotPlain:
            return None
        self.lines, self.calls = plain.lines, plain.calls
        return result

    def legal(self, statements: list[ast.stmt]) -> bool:
        """Whether every statement means something, also where nothing reads what it does; else it is reported."""
        wrong = illegal(statements)
        if wrong is not None:
            self.at.report(wrong, f"{describe(wrong)} is not legal in a program", instead(wrong))
        return wrong is None

    def lines_of(self, statements: list[ast.stmt]) -> Value | None:
        """What the statements of a program return; each of them that has an error is reported."""
        compound = any(isinstance(one, _COMPOUND) for one in statements)
        if not compound:
            return self.plain_lines(statements)
        wrong = [one for one in statements if not self.legal([one])]
        if wrong:
            return None
        live = names_kept(statements)
        waiting = statements
        while waiting:
            statement, *waiting = waiting
            rest: list[ast.stmt] = []
            try:
                chosen = self.known_if(statement)
                if chosen is not None:
                    waiting = [*chosen, *waiting]
                    continue
                rest = waiting if leaves([statement]) else []
                behind = flow(waiting).reads | live
                result = self.block([statement, *rest], self.env, 0, live if rest else behind, _returned)
                if isinstance(result, Dict):
                    self.as_value(result, statement, 0)
                if result is not None and not rest and waiting:
                    self.at.report(waiting[0], "a line after return", "return ends a program")
                if result is not None or rest:
                    return result
            except Illegal:
                self.bind_names(statement)
                if rest or isinstance(statement, ast.Return):
                    return None
        return None

    def plain_lines(self, statements: list[ast.stmt]) -> Value | None:
        """The same where no statement chooses or repeats."""
        for number, statement in enumerate(statements, 1):
            try:
                if isinstance(statement, ast.Return):
                    result = self.block([statement], self.env, 0, frozenset(), _returned)
                    if isinstance(result, Dict):
                        self.as_value(result, statement, 0)
                    if number < len(statements):
                        self.at.report(statements[number], "a line after return", "return ends a program")
                    return result
                self.statement(statement, self.env, 0)
            except Illegal:
                self.bind_names(statement)
                if isinstance(statement, ast.Return):
                    return None
        return None

    def known_if(self, statement: ast.stmt) -> list[ast.stmt] | None:
        """The statements of an if whose condition the text decides, or None."""
        if not isinstance(statement, ast.If):
            return None
        known = self.known_truth(statement.test, self.env, 0)
        return None if known is None else statement.body if known else statement.orelse

    def finished(self, node: ast.FunctionDef, name: str, result: Value) -> Program | None:
        """The program of the lines read, if it keeps within the limits."""
        try:
            returned = self.as_value(result, node, 0)
        except Illegal:
            return None
        if self.words.cells is not None:
            self.lines, (returned,) = with_our_cells(self.lines, [returned], self)
        if self.wrote_out:
            if self._depth(returned) >= MAX_NESTING // 2:
                returned = self.flattened(returned, node)
            self.calls = sum(self.combinators.facts(value).calls for value in (*self._values(), returned))
            if self._depth(returned) >= MAX_NESTING:
                self.at.report(node, f"functions written out nest more than {MAX_NESTING} deep", "use fewer functions")
        if self.calls > MAX_CALLS:
            self.at.report(node, f"{self.calls:,} calls, at most {MAX_CALLS:,}", "")
        if self.at.errors:
            return None
        line = self.at.chunk.line + node.lineno - 1
        return Program(name, self.params, tuple(self.lines), returned, self.at.file, line)

    def _signature(self, node: ast.FunctionDef) -> None:
        args = node.args
        plain = [*args.posonlyargs, *args.args]
        given = tuple(arg.arg for arg in plain[: len(plain) - len(args.defaults)])
        more = plain[len(given) :]
        self.params = ("I",) if len(given) == 1 else ("S", "I", "C")
        legal = len(given) == 1 or given in (("S", "I"), ("S", "I", "C"))
        if not legal or any((args.vararg, args.kwarg, *args.posonlyargs, *args.kwonlyargs)):
            self.at.report(node, f"parameters ({parameters(args)})", _SIGNATURE)
        values: dict[str, Value] = {own: Name(name) for own, name in zip(given, self.params, strict=False)}
        for param, default in zip(more, args.defaults, strict=True):
            number = self.literal(default) if isinstance(default, ast.Constant | ast.UnaryOp | ast.Tuple) else None
            if number is None or param.arg in ("S", "I", "C"):
                self.at.report(node, f"parameters ({parameters(args)})", _SIGNATURE)
            values[param.arg] = Const(number or 0)
        self.taken.update(self.params)
        self.shown = given[0] if len(given) == 1 else "I"
        self.env.values.update(values)
        for decorator in node.decorator_list:
            self.at.report(decorator, "decorator")
        for annotation in [*(arg.annotation for arg in args.args), node.returns]:
            if annotation is not None and any(isinstance(part, ast.Call) for part in ast.walk(annotation)):
                self.at.report(annotation, "annotation that is not a plain name")

    def _values(self) -> list[Expr]:
        return [line.value for line in self.lines]

    def _depth(self, returned: Expr) -> int:
        """How deep calls are inside one another."""
        return max(self.combinators.facts(value).depth for value in (*self._values(), returned))

    def flattened(self, returned: Expr, node: ast.AST) -> Expr:
        """The result, and all lines, with functions that nest deep as lines of their own."""
        before, self.lines = self.lines, []
        known: dict[int, tuple[Expr, Expr]] = {}

        def of(expr: Expr) -> Expr:
            if not isinstance(expr, Call):
                return expr
            if id(expr) not in known:
                made: Expr = Call(of(expr.function), tuple([of(arg) for arg in expr.args]), expr.line)
                assert isinstance(made, Call)
                if self.combinators.makes_function(made) and self.combinators.facts(made).depth >= _DEEP:
                    made = self.add_line("f", made, node)
                known[id(expr)] = expr, made
            return known[id(expr)][1]

        for line in before:
            value = of(line.value)
            self.lines.append(Assign(line.target, value, line.line))
        return of(returned)

    # --- statements ---

    def statement(self, node: ast.stmt, env: Env, depth: int) -> None:
        """Read one statement that neither chooses nor repeats."""
        match node:
            case ast.Assign(targets=targets, value=value):
                self._assign(targets, value, env, depth)
            case ast.AnnAssign(target=ast.Name() as target, value=ast.expr() as value):
                self._assign([target], value, env, depth)
            case ast.AugAssign(target=ast.Name() as target, op=op, value=value):
                whole = ast.BinOp(ast.Name(target.id, ast.Load()), op, value)
                self._bind(target, self.value(placed(whole, node), env, depth), env)
            case ast.AugAssign(target=ast.Subscript() as target, op=op, value=value):
                now = ast.Subscript(target.value, target.slice, ast.Load())
                self.put_item(target, self.value(placed(ast.BinOp(now, op, value), node), env, depth), env, depth)
            case ast.FunctionDef(name=name, args=args, body=body, decorator_list=[]):
                self.bind_name(name, self.function(name, args, body, env, node, depth), env, node)
            case ast.Expr(value=ast.Call() as call) if called_method(call):
                self.change(call, env, depth)
            case ast.Pass() | ast.Expr(value=ast.Constant()):
                pass
            case _:
                self.at.illegal(node, f"{describe(node)} is not legal in a program", instead(node))

    def body(self, statements: list[ast.stmt], env: Env, depth: int) -> Value:
        """What the statements of a function return."""
        env.later = assigned(statements)
        env.changed = changed(statements)
        if outside := sorted(changed_outside(statements) | (env.changed & env.values.keys())):
            self.at.illegal(
                statements[0], f"{outside[0]!r} is changed, and came from outside of the function",
                "make a new list of it, and return that",
            )  # fmt: skip
        if not self.legal(statements):
            raise Illegal
        result = self.block(statements, env, depth, names_kept(statements), _returned)
        if result is None:
            self.at.illegal(statements[-1], "missing return", "a function ends in `return <expression>`")
        return result

    def change(self, call: ast.Call, env: Env, depth: int) -> None:
        """`x.append(y)`, `x[i].append(y)` and the like."""
        assert isinstance(call.func, ast.Attribute)
        held, method = call.func.value, call.func.attr
        if method in TAKES:
            self.take(None, call, env, depth)
        elif method not in CHANGES:
            self.at.illegal(call, f"{describe(call.func)} is not legal in a program", instead(call.func))
        elif method == "sort":
            ordered = ast.Call(ast.Name("sorted", ast.Load()), [held], call.keywords)
            self.store(held, self.value(placed(ordered, call), env, depth), env, depth)
        else:
            args = [self.value(arg, env, depth) for arg in call.args]
            now = self.value(held, env, depth)
            if isinstance(held, ast.Name) and call.args:
                self.mark_gathered(held.id, method, call.args[0], env)
            self.store(held, self.changed(now, method, args, call, depth), env, depth)

    def store(self, held: ast.expr, value: Value, env: Env, depth: int) -> None:
        """Put a new value where a list or set was."""
        if isinstance(held, ast.Name):
            self.bind_name(held.id, value, env, held)
        elif isinstance(held, ast.Subscript):
            self.put_item(held, value, env, depth)
        else:
            self.at.illegal(held, "a change of something other than a name", "give it a name first")

    def take(self, target: ast.expr | None, call: ast.Call, env: Env, depth: int) -> None:
        """`x = items.pop()`: an item, and the list without it."""
        assert isinstance(call.func, ast.Attribute)
        held, method = call.func.value, call.func.attr
        args = [self.value(arg, env, depth) for arg in call.args]
        item, rest = self.take_from(self.value(held, env, depth), method, args, call, depth)
        if target is not None:
            self.unpack(target, item, env, depth)
        self.store(held, rest, env, depth)

    def put_item(self, target: ast.Subscript, value: Value, env: Env, depth: int) -> None:
        """`x[i] = value`, `x[i][j] = value`."""
        places: list[Value] = []
        base: ast.expr = target
        while isinstance(base, ast.Subscript):
            if isinstance(base.slice, ast.Slice):
                self.at.illegal(target, "assignment to a slice is not legal in a program", "write a new list")
            places.insert(0, self.value(base.slice, env, depth))
            base = base.value
        if not isinstance(base, ast.Name):
            self.at.illegal(target, "assignment to something other than names", "each line assigns one or more names")
        now = self.name(ast.copy_location(ast.Name(base.id, ast.Load()), base), env)
        self.bind_name(base.id, self.put(now, places, value, target, depth), env, target)

    # --- names ---

    def _assign(self, targets: list[ast.expr], value: ast.expr, env: Env, depth: int) -> None:
        match targets, value:
            case [ast.Name() as target], _ if not isinstance(value, ast.Call) or type(value.func) is ast.Name:
                if env.changed:
                    self._need_own(target.id, value, env)
                self.mark(target, value, env)
                self._bind(target, self.value(value, env, depth), env)
            case [target], ast.Call() if (method := called_method(value)) and method[1] in TAKES:
                self.take(target, value, env, depth)
            case _:
                made = self.value(value, env, depth)
                for each in targets:
                    self.mark(each, value, env)
                    self.unpack(each, made, env, depth)

    def _need_own(self, name: str, value: ast.expr, env: Env) -> None:
        """Two names for one list that is changed in place would not both see it here."""
        held = value
        while isinstance(held, ast.Subscript) and not isinstance(held.slice, ast.Slice) and name in env.changed:
            held = held.value
        other = held.id if isinstance(held, ast.Name) else ""
        if other and (name in env.changed or other in env.changed) and other in env.values:
            what = f"an item of {other!r}" if held is not value else repr(other)
            self.at.illegal(value, f"{name!r} and {what} would be the same list, which is changed", "write list(...)")

    def unpack(self, target: ast.expr, value: Value, env: Env, depth: int) -> None:
        """Bind a name, or names in parentheses to the items of a value."""
        if isinstance(target, ast.Name):
            self._bind(target, value, env)
            return
        if isinstance(target, ast.Subscript):
            self.put_item(target, value, env, depth)
            return
        if not isinstance(target, ast.Tuple | ast.List) or any(isinstance(one, ast.Starred) for one in target.elts):
            self.at.illegal(target, "assignment to something other than names", "each line assigns one or more names")
        if isinstance(value, Items) and len(value.items) != len(target.elts) and not self.late:
            self.at.illegal(target, f"{len(target.elts)} names for a tuple of {len(value.items)}", "")
        if isinstance(value, Items) and len(value.items) != len(target.elts):
            value = self.as_value(value, target, depth)
        whole = self.kept("items", value, target)
        if len(target.elts) > 2 and not isinstance(whole, Items):
            whole = self.kept("items", self.syntax("ordered", [whole], target, depth), target)
        for place, one in enumerate(target.elts):
            self.unpack(one, self.item(whole, Const(place), target, depth), env, depth)

    def _bind(self, target: ast.Name, value: Value, env: Env) -> None:
        self.bind_name(target.id, value, env, target)

    def bind_name(self, name: str, value: Value, env: Env, node: ast.AST) -> None:
        """From here on the name stands for the value."""
        if name.startswith("__"):
            self.at.illegal(node, f"redefinition: {name!r} is a name of Python's own", "each line assigns a new name")
        if name in env.captured:
            self.at.illegal(
                node, f"redefinition: {name!r} is used in a function that was made before", "assign a new name"
            )
        if isinstance(value, Call) and isinstance(value.function, Name):
            spec = self.words.ops.get(value.function.id)
            if spec is not None and spec.combinator:  # the name keeps the functions
                self.capture(self.combined)
        self.combined.clear()
        if isinstance(value, Function):
            env.values[name] = renamed(value, name)
        elif isinstance(value, Items | Dict):
            env.values[name] = self.kept(name, value, node)
        elif self.combinators.is_fixed(value):
            env.values[name] = value
        elif env is self.env and not self.late:
            env.values[name] = self.add_line(name, value, node)
        else:
            env.values[name] = self.kept(name, value, node)

    def bind_names(self, statement: ast.stmt) -> None:
        """The names of a statement with an error stand for themselves, so that it is reported once."""
        for name in assigned([statement]):
            self.env.values.setdefault(name, Name(name))


def _returned(_: Exit, value: Value | None) -> Value | None:
    """What statements of a function give: what they return, if they do."""
    return value


def _nesting(text: str) -> int:
    """How deep brackets are nested, comments and strings included: an upper bound, and cheap."""
    depth = deepest = 0
    for bracket in re.findall(r"[()\[\]{}]", text):
        depth += 1 if bracket in "([{" else -1
        deepest = max(deepest, depth)
    return deepest
