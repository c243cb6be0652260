"""From text to programs, by `ast` alone: nothing in a solver file is ever imported or run."""

from __future__ import annotations

import ast
import difflib
import os
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from arcbatt.errors import UsageError
from arcbatt.language.constants import CONSTANTS
from arcbatt.language.limits import INT_MAX, INT_MIN, MAX_CALLS, MAX_NESTING, MAX_PROGRAM_BYTES
from arcbatt.language.program import Assign, Call, Const, Expr, Literal, Name, Program
from arcbatt.language.table import current
from arcbatt.syntax.distinct import distinct
from arcbatt.syntax.source import Chunk, SourceError, chunks, decode, read_text

SIGNATURES: Final = (("I",), ("S", "I", "C"))
_LEGAL: Final = (
    "a program is assignments of calls, then return; arguments are names, ints, bools, tuples of ints or calls"
)
_TOP_LEVEL: Final = "a solver file holds `def solve_<id>(I)` or `(S, I, C)`, comments and `from <name> import *`"
_PROGRAM_NAME: Final = re.compile(r"(solve|differ)_\w+")


@dataclass
class Parsed:
    """What parsing found: the good programs, every error, and which programs were renamed, in words."""

    programs: list[Program] = field(default_factory=list)
    errors: list[SourceError] = field(default_factory=list)
    renamed: list[str] = field(default_factory=list)

    def check(self) -> list[Program]:
        """The programs, or a UsageError that shows every error."""
        if self.errors:
            raise UsageError("\n".join(map(str, self.errors)))
        return self.programs


def is_program_name(name: str) -> bool:
    """Whether a program of this name can be written and read back."""
    normal = unicodedata.normalize("NFKC", name) == name
    return bool(_PROGRAM_NAME.fullmatch(name)) and name.isidentifier() and normal


def parse_paths(paths: Iterable[Path]) -> Parsed:
    """Every program in files and in folders of `.py` files; a file that is named twice is read once.

    Where several files have a program of one name, the later ones are renamed by their file (`distinct`).
    """
    result = Parsed()
    read: dict[str, tuple[Path, list[Program]]] = {}
    for path in paths:
        files = _files(path, result.errors) if path.is_dir() else [path]
        if not files:
            result.errors.append(SourceError(str(path), 0, 0, "", "no program found: the folder holds no .py file"))
        for file in files:
            place = os.path.realpath(file)
            if place not in read:
                one = parse_file(file)
                read[place] = file, one.programs
                result.errors += one.errors
    result.programs, result.renamed = distinct(list(read.values()))
    return result


def _files(folder: Path, errors: list[SourceError]) -> list[Path]:
    """The `.py` files of a folder and its folders; what only looks like one is an error."""
    found = sorted(folder.rglob("*.py"))
    errors += [SourceError(str(one), 0, 0, "", "cannot read: not a plain file") for one in found if not one.is_file()]
    return [one for one in found if one.is_file()]


def parse_file(path: Path) -> Parsed:
    """Every program in one file."""
    try:
        text = read_text(path)
    except SourceError as error:
        return Parsed(errors=[error])
    return parse_text(text, str(path))


def parse_bytes(data: bytes, file: str = "<bytes>") -> Parsed:
    """Every program in bytes that should be UTF-8 text."""
    try:
        return parse_text(decode(data, file), file)
    except SourceError as error:
        return Parsed(errors=[error])


def parse_text(text: str, file: str = "<string>") -> Parsed:
    """Every program in a text; errors are collected, and one bad program does not hide the good ones."""
    result = Parsed()
    first_line: dict[str, int] = {}
    for chunk in chunks(text):
        reader = _ProgramReader(chunk, file)
        program = reader.read()
        if program and program.name in first_line:
            reader.report_line(f"redefinition: {program.name} is defined on line {first_line[program.name]} too")
            program = None
        if program:
            first_line[program.name] = program.line
            result.programs.append(program)
        result.errors += reader.errors
    if not result.programs and not result.errors:
        result.errors.append(SourceError(file, 0, 0, "", "no program found", _TOP_LEVEL))
    return result


def parse_program(text: str) -> Program:
    """The one program in a text; raises UsageError with every error otherwise."""
    programs = parse_text(text).check()
    if len(programs) != 1:
        raise UsageError(f"expected one program, found {len(programs)}")
    return programs[0]


def parse_expression(text: str, params: tuple[str, ...] = ("I",)) -> Program:
    """A bare expression as the program that returns it."""
    return parse_program(f"def solve_expression({', '.join(params)}):\n    return {text}\n")


class _Illegal(Exception):
    """Leaves one statement after its error was reported."""


class _ProgramReader:
    """Reads one chunk of a file."""

    def __init__(self, chunk: Chunk, file: str) -> None:
        self.ops = current().ops
        self.chunk = chunk
        self.file = file
        self.lines = chunk.text.split("\n")
        self.errors: list[SourceError] = []
        self.assigned: set[str] = set()
        self.assigned_later: set[str] = set()
        self.params: tuple[str, ...] = ()
        self.calls = 0

    def report_line(self, message: str, line: int = 1, column: int = 0, allowed: str = "") -> None:
        text = self.lines[line - 1] if 0 < line <= len(self.lines) else ""
        self.errors.append(SourceError(self.file, self.chunk.line + line - 1, column, text, message, allowed))

    def report(self, node: ast.AST, message: str, allowed: str = _LEGAL) -> None:
        line = getattr(node, "lineno", 1)
        text = self.lines[line - 1] if line <= len(self.lines) else ""
        column = len(text.encode()[: getattr(node, "col_offset", 0)].decode(errors="ignore"))
        self.report_line(message, line, column, allowed)

    def read(self) -> Program | None:
        """The program in the chunk, or None where there is none or it has errors."""
        tree = self.tree()
        if tree is None or not tree.body:
            return None
        statement = tree.body[0]
        if isinstance(statement, ast.FunctionDef) and len(tree.body) == 1:
            program = self.program(statement)
            return None if self.errors else program
        if self.is_star_import(statement) or _is_docstring(statement):
            return None
        self.report(statement, f"{_describe(statement)} is not legal here", _TOP_LEVEL)
        return None

    def tree(self) -> ast.Module | None:
        text = self.chunk.text
        if len(text) > MAX_PROGRAM_BYTES:
            self.report_line(f"program too large: {len(text):,} characters, at most {MAX_PROGRAM_BYTES:,}")
            return None
        if (depth := _nesting(text)) > MAX_NESTING:
            self.report_line(
                f"calls nested {depth} deep, at most {MAX_NESTING}", allowed="use a variable for inner calls"
            )
            return None
        try:
            return ast.parse(text)
        except SyntaxError as error:
            self.report_line(
                f"not Python syntax: {error.msg}", error.lineno or 1, max(0, (error.offset or 1) - 1), _LEGAL
            )
        except (RecursionError, MemoryError, ValueError) as error:
            self.report_line(f"too complex to parse: {str(error) or type(error).__name__}", allowed=_LEGAL)
        return None

    def is_star_import(self, statement: ast.stmt) -> bool:
        return isinstance(statement, ast.ImportFrom) and [alias.name for alias in statement.names] == ["*"]

    def program(self, node: ast.FunctionDef) -> Program | None:
        self.signature(node)
        self.assigned_later = {
            target.id
            for statement in node.body
            if isinstance(statement, ast.Assign)
            for target in statement.targets
            if isinstance(target, ast.Name)
        }
        lines: list[Assign] = []
        result: Expr | None = None
        body = node.body[1:] if _is_docstring(node.body[0]) else node.body
        for statement in body:
            try:
                if result is not None:
                    self.report(statement, "a line after return", "return ends a program")
                    break
                if isinstance(statement, ast.Return):
                    result = self.returned(statement)
                else:
                    lines.append(self.assignment(statement))
            except _Illegal:
                if isinstance(statement, ast.Return):
                    return None
        if result is None:
            if not self.errors:
                self.report(node, "missing return", "the last line of a program is `return <name or call>`")
            return None
        if self.calls > MAX_CALLS:
            self.report(node, f"{self.calls:,} calls, at most {MAX_CALLS:,}", "")
        return Program(node.name, self.params, tuple(lines), result, self.file, self.chunk.line + node.lineno - 1)

    def signature(self, node: ast.FunctionDef) -> None:
        args = node.args
        self.params = tuple(arg.arg for arg in args.args)
        extra = [args.vararg, args.kwarg, *args.posonlyargs, *args.kwonlyargs, *args.defaults]
        if self.params not in SIGNATURES or any(extra):
            self.report(node, f"parameters ({ast.unparse(args)})", "the parameters of a program are (I) or (S, I, C)")
        if not _PROGRAM_NAME.fullmatch(node.name):
            self.report(node, f"program name {node.name!r}", "a program is named solve_<id>, or differ_<name>")
        for decorator in node.decorator_list:
            self.report(decorator, "decorator", _LEGAL)
        annotations = [*(arg.annotation for arg in args.args), node.returns]
        for annotation in annotations:
            if annotation is not None and not isinstance(annotation, ast.Name):
                self.report(annotation, "annotation that is not a plain name", _LEGAL)

    def returned(self, statement: ast.Return) -> Expr:
        if statement.value is None:
            self.report(statement, "return without a value", "the last line of a program is `return <name or call>`")
            raise _Illegal
        return self.expression(statement.value)

    def assignment(self, statement: ast.stmt) -> Assign:
        if not isinstance(statement, ast.Assign):
            self.report(statement, f"{_describe(statement)} is not legal in a program")
            raise _Illegal
        target = statement.targets[0]
        if len(statement.targets) != 1 or not isinstance(target, ast.Name):
            self.report(target, "assignment to something other than one name", "each line assigns one new name")
            self.assigned |= {name.id for name in ast.walk(statement) if isinstance(name, ast.Name)}
            raise _Illegal
        try:
            value = self.expression(statement.value)
            self.check_target(target)
        finally:
            self.assigned.add(target.id)
        return Assign(target.id, value, self.chunk.line + statement.lineno - 1)

    def check_target(self, target: ast.Name) -> None:
        name = target.id
        what = (
            "a parameter"
            if name in self.params
            else "a primitive"
            if name in self.ops
            else "a constant"
            if name in CONSTANTS
            else "a variable assigned above"
            if name in self.assigned
            else "a name of Python's own"
            if name.startswith("__")
            else ""
        )
        if what:
            self.report(target, f"redefinition: {name!r} is {what}", "each line assigns one new name")
            raise _Illegal

    def expression(self, node: ast.expr, depth: int = 0) -> Expr:
        if depth > MAX_NESTING:
            self.report(node, f"calls nested more than {MAX_NESTING} deep", "use a variable for inner calls")
            raise _Illegal
        match node:
            case ast.Name(id=name):
                self.check_name(node, name)
                return Name(name)
            case ast.Call():
                return self.call(node, depth + 1)
            case ast.Constant() | ast.Tuple() | ast.UnaryOp():
                value = self.literal(node)
                if value is not None:
                    return Const(value)
        self.report(node, f"{_describe(node)} is not legal in a program")
        raise _Illegal

    def literal(self, node: ast.expr) -> Literal | None:
        match node:
            case ast.Constant(value=bool() as flag):
                return flag
            case ast.Constant(value=int() as number):
                return self.in_range(node, number)
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as number)) if type(number) is int:
                return self.in_range(node, -number)
            case ast.Tuple(elts=elements) if elements:
                parts = [self.literal(element) for element in elements]
                ints = tuple(part for part in parts if type(part) is int)
                return ints if len(ints) == len(parts) else None
        return None

    def in_range(self, node: ast.expr, number: int) -> int:
        if not INT_MIN <= number <= INT_MAX:
            self.report(node, "integer does not fit 32 bits", f"integers go from {INT_MIN} to {INT_MAX}")
            raise _Illegal
        return number

    def check_name(self, node: ast.expr, name: str) -> None:
        if name in self.params or name in self.assigned or name in self.ops or name in CONSTANTS:
            return
        if name in self.assigned_later:
            self.report(node, f"{name!r} is used before it is assigned", "")
        elif name in ("S", "C"):
            self.report(node, f"{name!r} is not a parameter of this program", "use the parameters (S, I, C)")
        else:
            self.report(node, f"unknown primitive or name {name!r}", self.nearest(name))
        raise _Illegal

    def nearest(self, name: str) -> str:
        known = [*self.ops, *CONSTANTS, *self.params, *sorted(self.assigned)]
        close = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
        return f"did you mean {close[0]!r}?" if close else "docs/ops.md lists every primitive and constant"

    def call(self, node: ast.Call, depth: int) -> Call:
        self.calls += 1
        if not isinstance(node.func, (ast.Name, ast.Call)):
            self.report(
                node.func, f"{_describe(node.func)} is not legal in a program", "call a primitive, a variable or a call"
            )
            raise _Illegal
        function = self.expression(node.func, depth)
        if isinstance(function, Name) and (function.id in self.params or function.id in CONSTANTS):
            self.report(
                node.func, f"{function.id!r} is not a function", "call a primitive or a variable that holds a function"
            )
            raise _Illegal
        args = [self.expression(arg, depth) for arg in node.args]
        if isinstance(function, Name) and function.id in self.ops:
            args = self.bound(node, function.id, args, depth)
        elif node.keywords:
            self.report(
                node, "keyword argument to a variable", "name arguments only where a primitive is called by name"
            )
            raise _Illegal
        return Call(function, tuple(args), self.chunk.line + node.lineno - 1)

    def bound(self, node: ast.Call, name: str, positional: list[Expr], depth: int) -> list[Expr]:
        """The arguments of a primitive in the order of its parameters."""
        params = self.ops[name].params
        usage = f"{name}({', '.join(params)})"
        count = len(positional) + len(node.keywords)
        if count != len(params):
            self.report(node, f"{name} takes {len(params)} argument{'s' * (len(params) != 1)}, got {count}", usage)
            raise _Illegal
        values = dict(zip(params, positional, strict=False))
        for keyword in node.keywords:
            if keyword.arg not in params or keyword.arg in values:
                self.report(keyword, f"{name} has no free parameter {keyword.arg or '**'!r}", usage)
                raise _Illegal
            values[keyword.arg] = self.expression(keyword.value, depth)
        return [values[param] for param in params]


def _nesting(text: str) -> int:
    """How deep brackets are nested, comments and strings included: an upper bound, and cheap."""
    depth = deepest = 0
    for bracket in re.findall(r"[()\[\]{}]", text):
        depth += 1 if bracket in "([{" else -1
        deepest = max(deepest, depth)
    return deepest


def _is_docstring(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


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
}


def _describe(node: ast.AST) -> str:
    """What a piece of Python is, in words for an error."""
    if isinstance(node, ast.Constant):
        return f"the literal {node.value!r:.40}"
    if isinstance(node, ast.Tuple):
        return "a tuple of anything but integers"
    return _WORDS.get(type(node)) or f"`{type(node).__name__.lower()}`"
