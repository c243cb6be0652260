"""Errors of one program: where each is, and what to write instead."""

from __future__ import annotations

import ast
from typing import Final, NoReturn

from arcbatt.syntax.source import Chunk, SourceError

LEGAL: Final = "a program is assignments of calls, then return; docs/language.md says what else may stand in it"

_MOST_ERRORS: Final = 100
"""Errors of one program that are told: finding the place of each takes time that grows with the length of its line."""


class Illegal(Exception):
    """Leaves one statement after its error was reported."""


class Reporter:
    """Collects the errors of one chunk of a file."""

    def __init__(self, chunk: Chunk, file: str) -> None:
        self.chunk = chunk
        self.file = file
        self.lines = chunk.text.split("\n")
        self.errors: list[SourceError] = []
        self.inside: list[tuple[ast.AST, str]] = []
        """Calls of functions that are being written out: where each is, and what was called."""

    def line(self, message: str, line: int = 1, column: int = 0, allowed: str = "") -> None:
        """Report at a line of the chunk, unless enough is said."""
        if len(self.errors) == _MOST_ERRORS:
            return
        if len(self.errors) == _MOST_ERRORS - 1:
            message, allowed = f"more than {_MOST_ERRORS - 1} problems in one program: the others are not told", ""
        text = self.lines[line - 1] if 0 < line <= len(self.lines) else ""
        self.errors.append(SourceError(self.file, self.chunk.line + line - 1, column, text, message, allowed))

    def report(self, node: ast.AST, message: str, allowed: str = LEGAL) -> None:
        """Report at a node of the chunk, or where the function that holds the node is called."""
        if len(self.errors) == _MOST_ERRORS:
            return
        if self.inside:
            node, name = self.inside[0]
            message = f"in {name}: {message}"
        line = getattr(node, "lineno", 1)
        text = self.lines[line - 1] if line <= len(self.lines) else ""
        column = len(text.encode()[: getattr(node, "col_offset", 0)].decode(errors="ignore"))
        self.line(message, line, column, allowed)

    def illegal(self, node: ast.AST, message: str, allowed: str = LEGAL) -> NoReturn:
        """Report, and leave the statement."""
        self.report(node, message, allowed)
        raise Illegal

    def number(self, node: ast.AST) -> int:
        """The line of a node in the file."""
        if self.inside:
            node = self.inside[0][0]
        return self.chunk.line + int(getattr(node, "lineno", 1)) - 1


_WORDS: Final = {
    ast.BinOp: "an operator",
    ast.UnaryOp: "an operator",
    ast.BoolOp: "an operator",
    ast.Compare: "an operator",
    ast.AugAssign: "an assignment to something other than a name or an item",
    ast.NamedExpr: "an assignment inside an expression",
    ast.Import: "an import",
    ast.ImportFrom: "an import",
    ast.Attribute: "an attribute",
    ast.Subscript: "a subscript",
    ast.Lambda: "a lambda",
    ast.Starred: "a starred argument",
    ast.JoinedStr: "a string",
    ast.FunctionDef: "a function with a decorator",
    ast.AsyncFunctionDef: "an asynchronous function",
    ast.AsyncFor: "an asynchronous loop",
    ast.AsyncWith: "an asynchronous block",
    ast.ClassDef: "a class definition",
    ast.Expr: "an expression whose value is not used",
    ast.Slice: "a slice",
}
_INSTEAD: Final[dict[type[ast.AST], str]] = {
    ast.AsyncFor: "write `for`",
    ast.AsyncFunctionDef: "write `def`",
    ast.Attribute: "write a primitive: docs/ops.md lists them",
    ast.Await: "leave it out",
    ast.ClassDef: "write a tuple of the values, and functions of it",
    ast.Delete: "leave it out, or assign a new value",
    ast.Expr: "assign what it gives to a name: a call changes nothing outside of itself",
    ast.FunctionDef: "leave the decorator out",
    ast.Global: "pass the value as an argument, and return the new one",
    ast.Import: "leave it out: every primitive is known, and nothing else can be imported",
    ast.ImportFrom: "leave it out: every primitive is known, and nothing else can be imported",
    ast.NamedExpr: "assign on a line of its own",
    ast.Nonlocal: "pass the value as an argument, and return the new one",
    ast.Slice: "write one slice at a time",
    ast.Try: "write the lines alone: a line that fails gives a failed value",
    ast.With: "write the lines without it",
    ast.Yield: "write a list, and return it",
    ast.YieldFrom: "write a list, and return it",
}


def parameters(args: ast.arguments) -> str:
    """The parameters of a function as an error shows them; a default that is no literal is left out."""
    plain = [*args.posonlyargs, *args.args]
    defaults = [None] * (len(plain) - len(args.defaults)) + [_short(default) for default in args.defaults]
    out = [arg.arg + (f"={default}" if default else "") for arg, default in zip(plain, defaults, strict=True)]
    out += [f"*{args.vararg.arg}"] if args.vararg else ["*"] * bool(args.kwonlyargs)
    out += [arg.arg for arg in args.kwonlyargs] + ([f"**{args.kwarg.arg}"] if args.kwarg else [])
    return ", ".join(out)


def _short(node: ast.expr) -> str:
    return f"{node.value!r:.20}" if isinstance(node, ast.Constant) else "..."


def describe(node: ast.AST) -> str:
    """What a piece of Python is, in words for an error."""
    if isinstance(node, ast.Constant):
        return f"the literal {node.value!r:.40}"
    return _WORDS.get(type(node)) or f"`{type(node).__name__.lower()}`"


def instead(node: ast.AST) -> str:
    """What to write in place of it."""
    return _INSTEAD.get(type(node), LEGAL)
