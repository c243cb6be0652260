"""Statements of Python rewritten into simpler ones that mean the same, before they are read.

`d.setdefault(k, v).append(x)` becomes two statements, `del x[k]` a `pop`, an assignment inside an expression a line
before it, and a function that is called for what it changes is written out where it is called.
"""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeVar

from arcbatt.syntax.flow import assigned, changed, inner_statements

_IMPORTED: Final[Mapping[str, frozenset[str] | None]] = {
    "collections": frozenset({"Counter", "OrderedDict", "defaultdict", "deque"}),
    "copy": frozenset({"deepcopy"}),
    "typing": None,
}
"""What an import may name, since it is known without: of typing anything, for it is in annotations only."""
_WANTED: Final = ("def ", ":=", "setdefault(", "del ", "import ")
"""Text inside a function that may have to be rewritten."""
_BLOCKS: Final = ("body", "orelse")
_MOST_LINES: Final = 2_000
"""Lines that are written out in one function; calls beyond that stay as they are."""
_Node = TypeVar("_Node", bound=ast.AST)


def rewritten(tree: ast.Module, text: str) -> ast.Module:
    """The tree of a text, rewritten where there is something to rewrite."""
    if any(text.find(word, 1) > 0 for word in _WANTED):
        for node in list(ast.walk(tree)):
            if isinstance(node, ast.FunctionDef):
                node.body = _Rewriter(node.body).block(node.body)
    return tree


def is_known_import(node: ast.stmt) -> bool:
    """Whether an import only brings names that are known without it."""
    match node:
        case ast.Import(names=names):
            return all(one.name in _IMPORTED and one.asname is None for one in names)
        case ast.ImportFrom(module=str() as module, names=names, level=0) if module in _IMPORTED:
            known = _IMPORTED[module]
            return known is None or all(one.name in known and one.asname is None for one in names)
    return False


class _Rewriter:
    """Rewrites the statements of one function; functions inside it are rewritten by themselves."""

    def __init__(self, statements: Sequence[ast.stmt]) -> None:
        bound = Counter(name for one in inner_statements(statements) for name in _bound_by(one))
        found = [one for one in statements if isinstance(one, ast.FunctionDef)]
        self.functions = {one.name: one for one in found if bound[one.name] == 1}
        self.taken = {part.id for one in statements for part in ast.walk(one) if isinstance(part, ast.Name)}
        self.active: list[str] = []
        self.lines = 0

    def block(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        """Statements one after the other."""
        made = [new for one in statements for new in self.statement(one)]
        return made or [ast.copy_location(ast.Pass(), one) for one in statements[:1]]

    def statement(self, node: ast.stmt) -> list[ast.stmt]:
        """What stands for one statement."""
        if isinstance(node, ast.Import | ast.ImportFrom) and is_known_import(node):
            return []
        if isinstance(node, ast.Delete) and all(isinstance(target, ast.Subscript) for target in node.targets):
            return [_popped(target, node) for target in node.targets if isinstance(target, ast.Subscript)]
        if isinstance(node, ast.FunctionDef):
            return [node]
        if (called := self.called(node)) is not None:
            return called
        before = _hoisted(node) if not isinstance(node, ast.While) else []
        if isinstance(node, ast.While) and (first := _hoisted(node)):
            ends = ast.If(ast.UnaryOp(ast.Not(), node.test), [ast.Break()], [])
            node.body = [*first, placed(ends, node), *node.body]
            node.test = placed(ast.Constant(True), node)
        for field in _BLOCKS:
            if inner := getattr(node, field, None):
                setattr(node, field, self.block(inner))
        return [*before, *_chained(node)]

    # --- functions called for what they change ---

    def called(self, node: ast.stmt) -> list[ast.stmt] | None:
        """The statements of a function of the text, where a statement is nothing but a call of it."""
        match node:
            case ast.Expr(value=ast.Call(func=ast.Name(id=name), args=args, keywords=[])) if name in self.functions:
                return self.written(self.functions[name], args, node)
        return None

    def written(self, function: ast.FunctionDef, args: Sequence[ast.expr], node: ast.stmt) -> list[ast.stmt] | None:
        """The lines of a function with arguments in place of its parameters, if it can be written so."""
        taken = function.args
        params = [one.arg for one in taken.args]
        plain = not (taken.vararg or taken.kwarg or taken.kwonlyargs or taken.posonlyargs or function.decorator_list)
        missing = len(params) - len(args)
        if not plain or not 0 <= missing <= len(taken.defaults) or function.name in self.active:
            return None
        self.lines += sum(1 for _ in inner_statements(function.body))
        if self.lines > _MOST_LINES or function.lineno > node.lineno:
            return None
        given = [*args, *taken.defaults[len(taken.defaults) - missing :]]
        if any(isinstance(one, ast.Starred) for one in given):
            return None
        body = copy.deepcopy(function.body)
        outside = {name for one in inner_statements(body) if isinstance(one, ast.Nonlocal) for name in one.names}
        body = [one for one in body if not isinstance(one, ast.Nonlocal)]
        own = (assigned(body) - changed(body)) | {name for one in inner_statements(body) for name in _bound_by(one)}
        names = {name: self.fresh(function.name, name) for name in sorted({*own, *params} - outside)}
        lines: list[ast.stmt] = []
        for param, value in zip(params, given, strict=True):
            if param in changed(body) and isinstance(value, ast.Name | ast.Subscript):  # it is the caller's
                if not isinstance(value, ast.Name) or param in own:
                    return None
                names[param] = value.id
            else:
                target = ast.Name(names[param], ast.Store())
                lines.append(placed(ast.Assign([target], copy.deepcopy(value)), node))
        body = _without_returns(body, node)
        if any(isinstance(one, ast.Return) for one in inner_statements(body)):
            return None
        self.active.append(function.name)
        made = self.block([*lines, *(_Renamed(names).visit(one) for one in body)])
        self.active.pop()
        return [_moved(one, node) for one in made]

    def fresh(self, function: str, name: str) -> str:
        """A name for what a function calls so."""
        made, number = f"{function}_{name}", 1
        while made in self.taken:
            number += 1
            made = f"{function}_{name}_{number}"
        self.taken.add(made)
        return made


class _Renamed(ast.NodeTransformer):
    """Gives names others, wherever they stand."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        node.id = self.names.get(node.id, node.id)
        return node

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.arg = self.names.get(node.arg, node.arg)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        node.name = self.names.get(node.name, node.name)
        self.generic_visit(node)
        return node


def _bound_by(node: ast.stmt) -> Iterator[str]:
    """Names that a statement gives a value, not those whose values it changes."""
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    for target in targets:
        for part in ast.walk(target) if target is not None else ():
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                yield part.id
    if isinstance(node, ast.FunctionDef):
        yield node.name


def _without_returns(body: list[ast.stmt], node: ast.stmt) -> list[ast.stmt]:
    """Statements that end where they returned nothing: a loop that runs once, with breaks."""
    empty = [one for one in inner_statements(body) if isinstance(one, ast.Return) and _gives_nothing(one)]
    if not empty:
        return body
    if len(empty) == 1 and body[-1] is empty[0]:
        return body[:-1]
    loops = [one for one in inner_statements(body) if isinstance(one, ast.For | ast.While)]
    if any(isinstance(inner, ast.Return) for loop in loops for inner in inner_statements(loop.body)):
        return body
    for one in inner_statements(body):
        for field in _BLOCKS:
            if inner := getattr(one, field, None):
                setattr(one, field, [_breaking(part) for part in inner])
    items = ast.Tuple([ast.Constant(0)], ast.Load())
    return [placed(ast.For(ast.Name("_", ast.Store()), items, [_breaking(one) for one in body], []), node)]


def _gives_nothing(node: ast.Return) -> bool:
    return node.value is None or (isinstance(node.value, ast.Constant) and node.value.value is None)


def _breaking(node: ast.stmt) -> ast.stmt:
    return ast.copy_location(ast.Break(), node) if isinstance(node, ast.Return) and _gives_nothing(node) else node


def _popped(target: ast.Subscript, node: ast.stmt) -> ast.stmt:
    """`del x[k]` as `x.pop(k)`."""
    function = ast.Attribute(_loaded(target.value), "pop", ast.Load())
    return placed(ast.Expr(ast.Call(function, [target.slice], [])), node)


def _chained(node: ast.stmt) -> list[ast.stmt]:
    """`d.setdefault(k, v).append(x)` as `d.setdefault(k, v)` and `d[k].append(x)`."""
    match node:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Call() as inner) as outer)):
            held = outer
        case ast.Assign(targets=[ast.Subscript(value=ast.Call() as inner) as target]):
            held = target  # type: ignore[assignment]
        case ast.AugAssign(target=ast.Subscript(value=ast.Call() as inner) as target):
            held = target  # type: ignore[assignment]
        case _:
            return [node]
    match inner:
        case ast.Call(func=ast.Attribute(value=ast.Name() as name, attr="setdefault"), args=[key, _]):
            held.value = placed(ast.Subscript(ast.Name(name.id, ast.Load()), key, ast.Load()), inner)
            return [placed(ast.Expr(inner), node), node]
    return [node]


# --- assignments inside expressions ---


def _hoisted(node: ast.stmt) -> list[ast.stmt]:
    """Assignments that are surely made while a statement's own expression is computed, as lines before it."""
    lines: list[ast.stmt] = []
    for field in ("value", "test", "iter"):
        value = getattr(node, field, None)
        if isinstance(value, ast.expr) and any(isinstance(part, ast.NamedExpr) for part in ast.walk(value)):
            setattr(node, field, _Hoist(value, lines).read(value))
    return lines


class _Hoist:
    """Takes assignments out of one expression."""

    def __init__(self, whole: ast.expr, lines: list[ast.stmt]) -> None:
        self.lines = lines
        self.reads = [part for part in ast.walk(whole) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)]

    def read(self, node: ast.expr) -> ast.expr:
        """An expression without the assignments that are always made in it."""
        if isinstance(node, ast.NamedExpr):
            node.value = self.read(node.value)
            if any(one.id == node.target.id and _place(one) < _place(node) for one in self.reads):
                return node  # what stands before it reads the old value
            self.lines.append(placed(ast.Assign([ast.Name(node.target.id, ast.Store())], node.value), node))
            return placed(ast.Name(node.target.id, ast.Load()), node)
        for field in _always(node):
            inner = getattr(node, field)
            if isinstance(inner, ast.expr):
                setattr(node, field, self.read(inner))
            elif isinstance(inner, list):
                some = inner[:1] if isinstance(node, ast.BoolOp | ast.Compare) else inner
                inner[: len(some)] = [self.read(one) if isinstance(one, ast.expr) else one for one in some]
        return node


def _always(node: ast.expr) -> tuple[str, ...]:
    """The parts of an expression that are computed whenever it is."""
    match node:
        case ast.Call():
            return "func", "args"
        case ast.BinOp():
            return "left", "right"
        case ast.UnaryOp():
            return ("operand",)
        case ast.Compare():
            return "left", "comparators"
        case ast.BoolOp():
            return ("values",)
        case ast.IfExp():
            return ("test",)
        case ast.Tuple() | ast.List() | ast.Set():
            return ("elts",)
        case ast.Subscript():
            return "value", "slice"
        case ast.Attribute() | ast.Starred():
            return ("value",)
    return ()


# --- places ---


def _place(node: ast.expr) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _loaded(node: ast.expr) -> ast.expr:
    return ast.Name(node.id, ast.Load()) if isinstance(node, ast.Name) else node


def placed(made: _Node, node: ast.AST) -> _Node:
    """A piece of text that is not in the file, with a place there for errors."""
    for part in ast.walk(made):
        if isinstance(part, ast.expr | ast.stmt) and not hasattr(part, "lineno"):
            ast.copy_location(part, node)
    return made


def _moved(made: _Node, node: ast.AST) -> _Node:
    """Lines of a function at the place where it is called."""
    for part in ast.walk(made):
        if isinstance(part, ast.expr | ast.stmt):
            ast.copy_location(part, node)
    return made
