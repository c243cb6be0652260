"""One program: from a piece of a file to data."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import Final

from arcbatt.language.limits import MAX_CALLS, MAX_NESTING, MAX_PROGRAM_BYTES
from arcbatt.language.program import Call, Const, Name, Program
from arcbatt.syntax.dialect import Vocabulary
from arcbatt.syntax.expressions import Expressions, renamed
from arcbatt.syntax.functions import Env, Function, Items, Value
from arcbatt.syntax.report import LEGAL, Illegal, Reporter, describe, instead, parameters
from arcbatt.syntax.source import Chunk

SIGNATURES: Final = (("I",), ("S", "I", "C"))
_SIGNATURE: Final = "the parameters of a program are (I), (S, I) or (S, I, C); more have a constant as default"
_RETURN: Final = "the last line of a program is `return <name or call>`"
_COMPARED: Final[dict[type[ast.cmpop], Callable[[object, object], bool]]] = {
    ast.Eq: lambda a, b: a == b,
    ast.NotEq: lambda a, b: a != b,
}


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


class ProgramReader(Expressions):
    """Reads one program; `find` gives what its file defines and what the language has."""

    def __init__(self, chunk: Chunk, file: str, words: Vocabulary, find: Callable[[str], Value | None]) -> None:
        super().__init__(Reporter(chunk, file), words)
        self.env = Env({}, None, find)

    def program(self, node: ast.FunctionDef, name: str) -> Program | None:
        """The program of a definition under a name, or None with errors reported."""
        try:
            self._signature(node)
        except Illegal:
            return None
        self.env.later = assigned(node.body)
        result: Value | None = None
        for statement in node.body:
            try:
                if result is not None:
                    self.at.report(statement, "a line after return", "return ends a program")
                    break
                result = self.statement(statement, self.env, 0)
            except Illegal:
                self.bind_names(statement)
                if isinstance(statement, ast.Return):
                    return None
        if self.at.errors:
            return None
        if result is None:
            self.at.report(node, "missing return", _RETURN)
            return None
        return self.finished(node, name, result)

    def finished(self, node: ast.FunctionDef, name: str, result: Value) -> Program | None:
        """The program of the lines read, if it keeps within the limits."""
        try:
            returned = self.as_value(result, node, 0)
        except Illegal:
            return None
        if self.wrote_out:
            sizes = [self.sizes.of(value) for value in (*(line.value for line in self.lines), returned)]
            self.calls = sum(calls for calls, _, _ in sizes)
            if max(depth for _, depth, _ in sizes) >= MAX_NESTING:
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
        self.env.values.update(values)
        for decorator in node.decorator_list:
            self.at.report(decorator, "decorator")
        for annotation in [*(arg.annotation for arg in args.args), node.returns]:
            if annotation is not None and any(isinstance(part, ast.Call) for part in ast.walk(annotation)):
                self.at.report(annotation, "annotation that is not a plain name")

    # --- statements ---

    def statement(self, node: ast.stmt, env: Env, depth: int) -> Value | None:
        """Read one statement; gives what it returns, if it does."""
        match node:
            case ast.Assign(targets=targets, value=value):
                self._assign(targets, value, env, depth)
            case ast.Return():
                return self._returned(node, env, depth)
            case ast.AnnAssign(target=ast.Name() as target, value=ast.expr() as value):
                self._assign([target], value, env, depth)
            case ast.AugAssign(target=ast.Name() as target, op=op, value=value):
                before = self.name(target, env)
                self._bind(target, self.operator(op, [before, self.value(value, env, depth)], value, depth), env)
            case ast.FunctionDef(name=name, args=args, body=body, decorator_list=[]):
                self.bind_name(name, self.function(name, args, body, env, node, depth), env, node)
            case ast.If(test=test):
                return self.known_branch(node, test, env, depth)
            case ast.Pass() | ast.Expr(value=ast.Constant()):
                pass
            case _:
                self.at.illegal(node, f"{describe(node)} is not legal in a program", instead(node))
        return None

    def _returned(self, node: ast.Return, env: Env, depth: int) -> Value:
        if node.value is None:
            self.at.illegal(node, "return without a value", _RETURN)
        return self.value(node.value, env, depth)

    def body(self, statements: list[ast.stmt], env: Env, depth: int) -> Value:
        """What the statements of a function return."""
        env.later = assigned(statements)
        for statement in statements:
            result = self.statement(statement, env, depth)
            if result is not None:
                return result
        self.at.illegal(statements[-1], "missing return", "a function ends in `return <expression>`")

    def known_branch(self, node: ast.If, test: ast.expr, env: Env, depth: int) -> Value | None:
        """An if whose condition is known: a parameter with a default compared with a number."""
        holds: bool | None = None
        if isinstance(test, ast.Compare) and len(test.ops) == 1 and type(test.ops[0]) in _COMPARED:
            sides = [self.constant(self.value(side, env, depth)) for side in (test.left, test.comparators[0])]
            if None not in sides:
                holds = _COMPARED[type(test.ops[0])](*sides)
        if holds is None:
            self.at.illegal(node, f"{describe(node)} is not legal in a program", instead(node))
        for statement in node.body if holds else node.orelse:
            result = self.statement(statement, env, depth)
            if result is not None:
                return result
        return None

    # --- names ---

    def _assign(self, targets: list[ast.expr], value: ast.expr, env: Env, depth: int) -> None:
        match targets, value:
            case [ast.Name() as target], _:
                self._bind(target, self.value(value, env, depth), env)
            case _:
                made = self.value(value, env, depth)
                for each in targets:
                    self.unpack(each, made, env, depth)

    def unpack(self, target: ast.expr, value: Value, env: Env, depth: int) -> None:
        """Bind a name, or names in parentheses to the items of a value."""
        if isinstance(target, ast.Name):
            self._bind(target, value, env)
            return
        if not isinstance(target, ast.Tuple | ast.List) or any(isinstance(one, ast.Starred) for one in target.elts):
            self.at.illegal(target, "assignment to something other than names", "each line assigns one or more names")
        if isinstance(value, Items) and len(value.items) != len(target.elts):
            self.at.illegal(target, f"{len(target.elts)} names for a tuple of {len(value.items)}", "")
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
        elif isinstance(value, Items):
            env.values[name] = self.kept(name, value, node)
        elif env is self.env:
            env.values[name] = self.add_line(name, value, node)
        else:
            env.values[name] = self.kept(name, value, node)

    def bind_names(self, statement: ast.stmt) -> None:
        """The names of a statement with an error stand for themselves, so that it is reported once."""
        for name in assigned([statement]):
            self.env.values.setdefault(name, Name(name))


def assigned(statements: list[ast.stmt]) -> frozenset[str]:
    """Every name that statements assign, those of nested functions left out."""
    found: set[str] = set()
    for statement in statements:
        if isinstance(statement, ast.FunctionDef):
            found.add(statement.name)
        elif isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            found.update(target.id for target in statement.targets if isinstance(target, ast.Name))
        elif isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.If | ast.For | ast.While | ast.Try):
            found.update(
                part.id
                for part in ast.walk(statement)
                if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
            )
    return frozenset(found)


def _nesting(text: str) -> int:
    """How deep brackets are nested, comments and strings included: an upper bound, and cheap."""
    depth = deepest = 0
    for bracket in re.findall(r"[()\[\]{}]", text):
        depth += 1 if bracket in "([{" else -1
        deepest = max(deepest, depth)
    return deepest
