"""What statements read, assign and leave early, found out from the text alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from arcbatt.syntax.dialect import python_words

TAKES: Final = frozenset(name.split("/")[0] for name in python_words()["taken"])
"""Methods that take an item out of a list, and give it."""
CHANGES: Final = TAKES.union(
    python_words()["changes"], (name.split("/")[0] for name in python_words()["dictionary_changes"])
)
"""Methods of Python's lists, sets and dictionaries that change them."""
LEGAL: Final = (
    ast.Assign, ast.AnnAssign, ast.AugAssign, ast.FunctionDef, ast.Return, ast.If, ast.For, ast.While, ast.Break,
    ast.Continue, ast.Pass, ast.Raise, ast.Assert,
)  # fmt: skip
"""Statements that mean something in a program; so do docstrings and changes of lists and sets."""
_SCOPES: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_SINGLE: Final = (ast.Assign, ast.Return, ast.Expr, *_SCOPES)
"""Statements that have none inside them, those of nested functions left out."""


class Flow(NamedTuple):
    """Of some statements: names they may read before assigning them, names they surely assign, whether they end."""

    reads: frozenset[str]
    assigns: frozenset[str]
    ends: bool
    """Whether what stands after them is never reached."""


def flow(statements: Sequence[ast.stmt]) -> Flow:
    """What statements, one after the other, read and assign."""
    reads: set[str] = set()
    assigns: set[str] = set()
    for statement in statements:
        one = _flow_of(statement)
        reads |= one.reads - assigns
        assigns |= one.assigns
        if one.ends:
            return Flow(frozenset(reads), frozenset(assigns), True)
    return Flow(frozenset(reads), frozenset(assigns), False)


def alive(statements: Sequence[ast.stmt], after: frozenset[str]) -> list[frozenset[str]]:
    """Behind each of some statements, the names that are read from there on; `after` are read behind all of them."""
    found: list[frozenset[str]] = []
    for statement in reversed(statements):
        found.append(after)
        one = _flow_of(statement)
        after = one.reads | (after - one.assigns)
    return found[::-1]


def _flow_of(statement: ast.stmt) -> Flow:
    known: Flow | None = getattr(statement, "flow", None)  # kept with the statement, since blocks nest
    if known is None:
        known = _looked_at(statement)
        statement.flow = known  # type: ignore[attr-defined]
    return known


def _looked_at(statement: ast.stmt) -> Flow:
    match statement:
        case ast.Return() | ast.Break() | ast.Continue() | ast.Raise():
            return Flow(names_read(statement), frozenset(), True)
        case ast.If(test=test, body=body, orelse=orelse):
            one, two = flow(body), flow(orelse)
            reads = names_read(test) | one.reads | two.reads
            if one.ends or two.ends:
                assigns = one.assigns if two.ends else two.assigns
            else:
                assigns = one.assigns & two.assigns
            return Flow(reads, assigns, one.ends and two.ends)
        case ast.For(target=target, iter=walked, body=body, orelse=orelse):
            inside = names_read(target) | flow(body).reads - _stored(target)
            return Flow(names_read(walked) | inside | flow(orelse).reads, frozenset(), False)
        case ast.While(test=test, body=body, orelse=orelse):
            return Flow(names_read(test) | flow(body).reads | flow(orelse).reads, frozenset(), False)
        case ast.AugAssign(target=ast.Name(id=name), value=value):
            return Flow(names_read(value) | {name}, frozenset({name}), False)
        case ast.Assign() | ast.AnnAssign() | ast.FunctionDef():
            changed = frozenset(_changed(statement))
            return Flow(names_read(statement) | changed, frozenset(_bound(statement)), False)
    return Flow(names_read(statement) | frozenset(_changed(statement)), frozenset(), False)


def assigned(statements: Sequence[ast.stmt]) -> frozenset[str]:
    """Every name that statements assign or whose value they change, those of nested functions left out."""
    return frozenset(
        name for statement in inner_statements(statements) for name in (*_bound(statement), *_changed(statement))
    )


def changed(statements: Sequence[ast.stmt]) -> frozenset[str]:
    """Every name of a list or set that statements change in place."""
    return frozenset(name for statement in inner_statements(statements) for name in _changed(statement))


def changed_outside(statements: Sequence[ast.stmt]) -> frozenset[str]:
    """Those of them that the statements do not assign: the list or set is of somebody else."""
    own = frozenset(name for statement in inner_statements(statements) for name in _bound(statement))
    return changed(statements) - own


def leaves(statements: Sequence[ast.stmt], kinds: tuple[type[ast.stmt], ...] = (ast.Break, ast.Continue)) -> bool:
    """Whether statements may return, or may break off or go on with the loop around them."""
    for statement in statements:
        if isinstance(statement, (ast.Return, ast.Raise, ast.Assert, *kinds)):
            return True
        if isinstance(statement, ast.If) and (leaves(statement.body, kinds) or leaves(statement.orelse, kinds)):
            return True
        if isinstance(statement, ast.For | ast.While) and (returns(statement.body) or leaves(statement.orelse, kinds)):
            return True
    return False


def returns(statements: Sequence[ast.stmt]) -> bool:
    """Whether there is a return among statements."""
    return any(isinstance(one, ast.Return | ast.Raise | ast.Assert) for one in inner_statements(statements))


def breaks(statements: Sequence[ast.stmt]) -> bool:
    """Whether statements may break off the loop around them."""
    return any(
        isinstance(statement, ast.Break)
        or (isinstance(statement, ast.If) and (breaks(statement.body) or breaks(statement.orelse)))
        or (isinstance(statement, ast.For | ast.While) and breaks(statement.orelse))
        for statement in statements
    )


def names_read(node: ast.AST) -> frozenset[str]:
    """Every name that is read in a piece of text."""
    known: frozenset[str] | None = getattr(node, "names_read", None)
    if known is None:
        known = node.names_read = _read_in(node)  # type: ignore[attr-defined]
    return known


def _read_in(node: ast.AST) -> frozenset[str]:
    return frozenset(
        part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)
    )


def illegal(statements: Sequence[ast.stmt]) -> ast.stmt | None:
    """The first statement that means nothing in a program, wherever it is among statements."""
    for one in inner_statements(statements):
        change = isinstance(one, ast.Expr) and (isinstance(one.value, ast.Constant) or any(_changed(one)))
        if not isinstance(one, LEGAL) and not change:
            return one
    return None


def names_kept(statements: Sequence[ast.stmt]) -> frozenset[str]:
    """Every name that functions inside statements read: they read it when they are called."""
    functions = (part for one in statements for part in ast.walk(one) if isinstance(part, _SCOPES))
    return frozenset[str]().union(*map(names_read, functions))


def inner_statements(statements: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements and those inside them, of nested functions only their heads."""
    for statement in statements:
        yield statement
        if not isinstance(statement, _SINGLE):
            for inner in (getattr(statement, field, []) for field in ("body", "orelse", "finalbody", "handlers")):
                yield from inner_statements(inner)


def _bound(statement: ast.stmt) -> Iterator[str]:
    """The names that a statement itself binds."""
    match statement:
        case ast.FunctionDef(name=name):
            yield name
        case ast.Assign(targets=[ast.Name(id=name)]):
            yield name
        case ast.Assign(targets=targets):
            for target in targets:
                yield from _stored(target)
        case ast.AnnAssign(target=target, value=ast.expr()) | ast.AugAssign(target=target) | ast.For(target=target):
            yield from _stored(target)


def _stored(target: ast.expr) -> frozenset[str]:
    return frozenset(
        part.id for part in ast.walk(target) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    )


def _changed(statement: ast.stmt) -> Iterator[str]:
    """The names whose lists or sets a statement itself changes: `x.append(1)`, `x[0] = 1`, `y = x.pop()`."""
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    value = getattr(statement, "value", None)
    if type(targets[0]) is ast.Name and type(getattr(value, "func", None)) is ast.Name:
        return  # most lines are so
    for target in targets:
        base = target
        while isinstance(base, ast.Subscript):
            base = base.value
        if isinstance(base, ast.Name) and base is not target:
            yield base.id
    if (method := called_method(value)) and method[1] in CHANGES:
        yield method[0]


def called_method(node: ast.AST | None) -> tuple[str, str] | None:
    """The name and the method of `name.method(...)`, or of `name[place].method(...)`."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    base = node.func.value
    while isinstance(base, ast.Subscript):
        base = base.value
    return (base.id, node.func.attr) if isinstance(base, ast.Name) else None
