"""From text to programs, by `ast` alone: nothing in a solver file is ever imported or run."""

from __future__ import annotations

import ast
import os
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from arcbatt.errors import UsageError
from arcbatt.language.program import Program
from arcbatt.language.table import current
from arcbatt.support.collecting import collect_new, collecting_later
from arcbatt.syntax.dialect import Dialect, detect, program_patterns, vocabulary
from arcbatt.syntax.distinct import distinct
from arcbatt.syntax.folders import SUFFIXES, solver_files
from arcbatt.syntax.functions import Env, Function, Value
from arcbatt.syntax.reader import ProgramReader, parse_chunk
from arcbatt.syntax.report import Reporter, describe
from arcbatt.syntax.rewrite import is_known_import, rewritten
from arcbatt.syntax.source import Chunk, SourceError, chunks, decode, read_text

_TOP_LEVEL: Final = (
    "a solver file holds `def solve_<id>(I)` or `(S, I, C)`, functions and constants they use, comments and "
    "`from <name> import *`"
)
_PROGRAM_NAME: Final = re.compile(r"(solve|differ)_\w+")
_COLLECTED: Final = 250
"""Programs after which cycles are searched for: reading what is more than calls leaves some behind."""
_DEFINITION: Final = re.compile(r"(?:def\s+(\w+)|(\w+)\s*(?::[^=\n]*)?=(?!=))")


def _no_progress(_: int, __: int) -> None:
    """Nobody wants to know."""


@dataclass
class Parsed:
    """What parsing found: the good programs, every error, what was renamed, and how much was looked at."""

    programs: list[Program] = field(default_factory=list)
    errors: list[SourceError] = field(default_factory=list)
    renamed: list[str] = field(default_factory=list)
    """Programs that have another name than in their file, in words."""
    refused: int = 0
    """Programs with errors."""
    files: int = 0
    others: int = 0
    """Files of folders that hold no program."""
    dialects: Counter[str] = field(default_factory=Counter)
    """Files by dialect."""
    touched: int = 0
    """Programs read that use names which can mean something else at home (`Dialect.differs`)."""

    def check(self) -> list[Program]:
        """The programs, or a UsageError that shows every error."""
        if self.errors:
            raise UsageError("\n".join(map(str, self.errors)))
        return self.programs

    def add_counts(self, other: Parsed) -> None:
        """Take over the errors and counts of a part."""
        self.errors += other.errors
        self.refused += other.refused
        self.files += other.files
        self.others += other.others
        self.dialects += other.dialects
        self.touched += other.touched


def is_program_name(name: str) -> bool:
    """Whether a program of this name can be written and read back."""
    normal = unicodedata.normalize("NFKC", name) == name
    return bool(_PROGRAM_NAME.fullmatch(name)) and name.isidentifier() and normal


def parse_paths(
    paths: Iterable[Path], dialect: Dialect | None = None, progress: Callable[[int, int], None] = _no_progress
) -> Parsed:
    """Every program in files, and in the solver files of folders; a file that is named twice is read once.

    Where several files have a program of one name, the later ones are renamed by their file (`distinct`). `progress`
    is told how many files are read, and of how many; of a single file, how many of its programs.
    """
    result = Parsed()
    wanted: dict[str, Path] = {}
    for path in paths:
        files, others, unreadable = solver_files(path, dialect) if path.is_dir() else ([path], 0, [])
        result.others += others
        result.errors += [SourceError(str(one), 0, 0, "", f"cannot read: {why}") for one, why in unreadable]
        if not files and not unreadable:
            message = f"no program found in the folder, in {others:,} files that end in {' or '.join(SUFFIXES)}"
            result.errors.append(SourceError(str(path), 0, 0, "", message, _TOP_LEVEL))
        for file in files:
            wanted.setdefault(os.path.realpath(file), file)
    read: list[tuple[Path, list[Program]]] = []
    for number, file in enumerate(wanted.values()):
        one = parse_file(file, dialect, progress if len(wanted) == 1 else _no_progress)
        read.append((file, one.programs))
        result.add_counts(one)
        if len(wanted) > 1:
            progress(number + 1, len(wanted))
    result.programs, result.renamed = distinct(read)
    return result


def parse_file(
    path: Path, dialect: Dialect | None = None, progress: Callable[[int, int], None] = _no_progress
) -> Parsed:
    """Every program in one file; `progress` is told how many are read, and of how many."""
    try:
        text = read_text(path)
    except SourceError as error:
        return Parsed(errors=[error], files=1)
    return _FileReader(text, str(path), dialect or detect(text, current())).parsed(progress)


def parse_bytes(data: bytes, file: str = "<bytes>") -> Parsed:
    """Every program in bytes that should be UTF-8 text."""
    try:
        return parse_text(decode(data, file), file)
    except SourceError as error:
        return Parsed(errors=[error])


def parse_text(text: str, file: str = "<string>", dialect: Dialect | None = None) -> Parsed:
    """Every program in a text; errors are collected, and one bad program does not hide the good ones.

    Without a dialect it is found out from the names in the text.
    """
    return _FileReader(text, file, dialect or detect(text, current())).parsed()


def parse_program(text: str) -> Program:
    """The one program in a text; raises UsageError with every error otherwise."""
    programs = parse_text(text).check()
    if len(programs) != 1:
        raise UsageError(f"expected one program, found {len(programs)}")
    return programs[0]


def parse_expression(text: str, params: tuple[str, ...] = ("I",)) -> Program:
    """A bare expression as the program that returns it."""
    return parse_program(f"def solve_expression({', '.join(params)}):\n    return {text}\n")


class _FileReader:
    """Reads the programs of one text, each with what the text defines beside it."""

    def __init__(self, text: str, file: str, dialect: Dialect) -> None:
        self.file = file
        self.words = vocabulary(current(), dialect.in_text(text))
        self.patterns = tuple(program_patterns(dialect))
        self.differs = dialect.differs
        self.chunks = chunks(text)
        self.helpers: dict[str, Chunk] = {}
        self.known: dict[str, Value | None] = {}
        self.env = Env({}, None, self.find)
        self.result = Parsed(files=1, dialects=Counter([dialect.name]))
        self.first_line: dict[str, int] = {}

    def parsed(self, progress: Callable[[int, int], None] = _no_progress) -> Parsed:
        programs = [chunk for chunk in self.chunks if not self.is_helper(chunk)]
        with collecting_later():
            for number, chunk in enumerate(programs, 1):
                self.read(chunk)
                progress(number, len(programs))
                if number % _COLLECTED == 0:
                    collect_new()
        result = self.result
        if not result.programs and not result.errors:
            result.errors.append(SourceError(self.file, 0, 0, "", "no program found", _TOP_LEVEL))
        return result

    def is_helper(self, chunk: Chunk) -> bool:
        """Whether a chunk defines something that is no program; it is read where a program uses it."""
        found = _DEFINITION.match(chunk.text)
        name = found and (found[1] or found[2])
        if not name or name.startswith("__"):
            return False
        self.helpers[name] = chunk
        return not self.program_name(name)

    def program_name(self, name: str) -> str | None:
        """The name of a program of ours for the name of a function, if it is that of a program."""
        if name.startswith(("solve_", "differ_")) and len(name) > len("solve_"):
            return name
        for pattern in self.patterns:
            if found := pattern.fullmatch(name):
                own = found[1] if pattern.groups else re.sub(r"\W", "_", Path(self.file).stem.removeprefix("solve_"))
                return f"solve_{own.strip('_') or 'program'}"
        return None

    def read(self, chunk: Chunk) -> None:
        """One chunk: a program, the same program under another name, or something that is read over."""
        reader = ProgramReader(chunk, self.file, self.words, self.find, self.helpers)
        tree = parse_chunk(reader.at)
        try:
            if tree is not None and tree.body:
                self.add(self.program(rewritten(tree, chunk.text), reader), reader.at)
                if self.differs and not reader.at.errors:
                    self.result.touched += not self.differs.isdisjoint(re.findall(r"\w+", chunk.text))
        except RecursionError:
            reader.at.line("too complex to read", allowed="use variables for inner parts")
        if reader.at.errors:
            self.result.errors += reader.at.errors
            found = _DEFINITION.match(chunk.text)
            self.result.refused += bool(found and self.program_name(found[1] or found[2]))

    def program(self, tree: ast.Module, reader: ProgramReader) -> Program | None:
        match tree.body:
            case [ast.FunctionDef(name=name) as node]:
                program_name = self.program_name(name)
                if program_name is None:
                    reader.at.report(node, f"program name {name!r}", "a program is named solve_<id>, or differ_<name>")
                    return None
                return reader.program(node, program_name)
            case [ast.Assign(targets=[ast.Name(id=name)], value=ast.Name(id=other)) as node]:
                return self.alias(name, other, node, reader.at)
            case [ast.ImportFrom(names=[ast.alias(name="*")]), *_] | [ast.Expr(value=ast.Constant(value=str())), *_]:
                return None
            case [first, *_] if is_known_import(first):
                return None
        reader.at.report(tree.body[0], f"{describe(tree.body[0])} is not legal here", _TOP_LEVEL)
        return None

    def alias(self, name: str, other: str, node: ast.AST, at: Reporter) -> Program | None:
        """`solve_b = solve_a`: the program again, under another name."""
        wanted, new = self.program_name(other), self.program_name(name)
        found = next((one for one in self.result.programs if one.name == wanted), None)
        if found is None or new is None:
            at.report(node, f"no program {other!r} above this line", _TOP_LEVEL)
            return None
        return replace(found, name=new, line=at.number(node))

    def add(self, program: Program | None, at: Reporter) -> None:
        if program is None:
            return
        if program.name in self.first_line:
            at.line(f"redefinition: {program.name} is defined on line {self.first_line[program.name]} too")
            return
        self.first_line[program.name] = program.line
        self.result.programs.append(program)

    def find(self, name: str) -> Value | None:
        """What a name means in every program of the file."""
        if name not in self.helpers:
            return self.words.find(name)
        if name not in self.known:
            self.known[name] = None
            self.known[name] = self.helper(name)
        return self.known[name]

    def helper(self, name: str) -> Value | None:
        """A function or constant of the file, to be written out where it is used."""
        at = Reporter(self.helpers[name], self.file)
        tree = parse_chunk(at)
        match rewritten(tree, at.chunk.text).body if tree is not None else []:
            case [ast.FunctionDef(args=args, body=body, decorator_list=[])]:
                if args.vararg or args.kwarg or args.kwonlyargs or args.posonlyargs:
                    return None
                params = tuple(arg.arg for arg in args.args)
                with_default = params[len(params) - len(args.defaults) :]
                defaults = {
                    param: Function(param, (), value, self.env, constant=True)
                    for param, value in zip(with_default, args.defaults, strict=True)
                }
                return Function(name, params, body, self.env, defaults)
            case [ast.Assign(targets=[ast.Name()], value=value)] | [ast.AnnAssign(value=ast.expr() as value)]:
                return Function(name, (), value, self.env, constant=True)
        self.result.errors += at.errors
        return None
