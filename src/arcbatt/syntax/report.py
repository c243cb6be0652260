"""Errors of one program: where each is, and what to write instead."""

from __future__ import annotations

import ast
from typing import Final, NoReturn

from arcbatt.syntax.source import Chunk, SourceError

LEGAL: Final = "a program is assignments of calls, then return; docs/language.md says what else may stand in it"


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
        """Report at a line of the chunk."""
        text = self.lines[line - 1] if 0 < line <= len(self.lines) else ""
        self.errors.append(SourceError(self.file, self.chunk.line + line - 1, column, text, message, allowed))

    def report(self, node: ast.AST, message: str, allowed: str = LEGAL) -> None:
        """Report at a node of the chunk, or where the function that holds the node is called."""
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
    ast.AugAssign: "an operator",
    ast.NamedExpr: "an operator",
    ast.Import: "an import",
    ast.ImportFrom: "an import",
    ast.Attribute: "an attribute",
    ast.Subscript: "a subscript",
    ast.Lambda: "a lambda",
    ast.Starred: "a starred argument",
    ast.JoinedStr: "a string",
    ast.FunctionDef: "a function definition",
    ast.ClassDef: "a class definition",
    ast.Expr: "an expression whose value is not used",
    ast.ListComp: "a comprehension",
    ast.SetComp: "a comprehension",
    ast.DictComp: "a comprehension",
    ast.GeneratorExp: "a comprehension",
    ast.List: "a list",
    ast.Dict: "a dictionary",
    ast.Slice: "a slice",
    ast.IfExp: "a conditional expression over calls",
}
_INSTEAD: Final[dict[type[ast.AST], str]] = {
    ast.ListComp: "write apply(function, container) or sfilter(container, condition)",
    ast.SetComp: "write apply(function, container) or sfilter(container, condition)",
    ast.GeneratorExp: "write apply(function, container) or sfilter(container, condition)",
    ast.For: "write apply, mapply, sfilter or another primitive that calls a function for each item",
    ast.While: "write power(function, n)",
    ast.If: "write branch(condition, a, b), or branch(condition, f, g)(x) to run only one of two",
    ast.IfExp: "assign both sides to names first, or write branch(condition, f, g)(x) to run only one of two",
    ast.List: "write a tuple",
    ast.Slice: "write crop of a grid, or items one by one",
    ast.Attribute: "write a primitive: docs/ops.md lists them",
    ast.Try: "write the lines alone: a line that fails gives a failed value",
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
