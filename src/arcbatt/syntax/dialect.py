"""Dialects: the names, constants and functions of other families of solver files, as tables of our own language."""

from __future__ import annotations

import ast
import builtins
import re
import reprlib
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from arcbatt.errors import UsageError
from arcbatt.language.language import Language
from arcbatt.language.limits import INT_MAX, INT_MIN, MAX_ITEMS
from arcbatt.language.program import Const, Name
from arcbatt.language.spec import Does
from arcbatt.support.files import check_file
from arcbatt.syntax.functions import Env, Foreign, Function, Value
from arcbatt.syntax.plain import PlainWords

STANDARD: Final = "arc-dsl"
"""The dialect that has our own names."""
_FOLDER: Final = Path(__file__).parent / "dialects"
_TABLES: Final = {"names", "constants", "functions"}
_CELLS: Final = {"since", "items", "place"}
_MOST_BYTES: Final = 1 << 20
# Nothing here is tried again from within what it has passed: a line of a megabyte would take hours.
_DEEP_KEY: Final = re.compile(r"^[ \t\[]*+(?:[^\s.=]++[ \t]*+\.[ \t]*+){8}", re.MULTILINE)
_USED: Final = re.compile(r"\b([^\W\d]\w*+)\s*+(?=[(,)])")
"""Names that are called or stand as an argument."""
_TOLD: Final = re.compile(r"#[^\n]*|(\"{3}|'{3})[\s\S]*?\1")
"""Comments and docstrings, which use no names."""
_CALLED: Final = re.compile(r"\b([^\W\d]\w*+)\(")
_DEFINED: Final = re.compile(r"^[^\S\n]*+(?:def\s++([^\W\d]\w*+)|([^\W\d]\w*+)\s*+=[^=])", re.MULTILINE)


@dataclass(frozen=True, eq=False)
class Dialect:
    """One family's names beyond ours, and how its programs are called."""

    name: str
    about: str
    programs: tuple[re.Pattern[str], ...]
    """Names of programs; the first group is the id, and without one the name of the file is."""
    words: Mapping[str, str | int | tuple[int, ...]]
    """Name to one of ours, to the text of a lambda, or to a number or pair."""
    differs: frozenset[str] = frozenset()
    """Names that can give something else here than at home, such as a default in place of a failure."""
    cells: CellTable | None = None
    """What its cells are, if they are not ours."""

    def in_text(self, text: str) -> Dialect:
        """The dialect as a text has it: with cells of its own, or ours."""
        return self if self.cells is None or self.cells.since.search(text) else _with_our_cells(self)


@dataclass(frozen=True)
class CellTable:
    """The cells of a dialect: names and lambdas of one of our cells."""

    since: re.Pattern[str]
    """What shows that a text has them: older ones of the family have ours."""
    items: tuple[str, ...]
    """What each item of such a cell is."""
    place: str
    """What its place is."""


@cache
def _with_our_cells(dialect: Dialect) -> Dialect:
    return replace(dialect, cells=None)


@cache
def dialects() -> Mapping[str, Dialect]:
    """Those that come with arcbatt, by name."""
    return {path.stem: read_dialect(path) for path in sorted(_FOLDER.glob("*.toml"))}


def named_dialect(name: str) -> Dialect:
    """A dialect by its name, or from a TOML file."""
    if name in dialects():
        return dialects()[name]
    if name.endswith(".toml"):
        return read_dialect(Path(name))
    raise UsageError(f"no dialect {name!r}; there are: {', '.join(dialects())}, or a file that ends in .toml")


def read_dialect(path: Path) -> Dialect:
    """A dialect from a file; raises UsageError that says what is wrong in it."""
    try:
        check_file(path)
        if path.stat().st_size > _MOST_BYTES:
            raise UsageError(f"{path}: not a dialect: {path.stat().st_size:,} bytes, at most {_MOST_BYTES:,}")
        text = path.read_text(encoding="utf-8")
        if _DEEP_KEY.search(text):  # which tomllib takes a time for that grows with the square of its length
            raise UsageError(f"{path}: not a dialect: a key of many parts")
        table = tomllib.loads(text)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(f"{path}: not a dialect: {_why(error)}") from error
    unknown = table.keys() - _TABLES - {"about", "programs", "differs", "cells"}
    if unknown or not all(isinstance(table.get(part, {}), dict) for part in (*_TABLES, "cells")):
        raise UsageError(f"{path}: a dialect has about, programs, and the tables {', '.join(sorted(_TABLES))}, cells")
    entries = [(name, value) for part in sorted(_TABLES) for name, value in table.get(part, {}).items()]
    words = {name: _word(path, name, value) for name, value in entries}
    if len(words) < len(entries):
        twice, _ = Counter(name for name, _ in entries).most_common(1)[0]
        raise UsageError(f"{path}: {twice} stands in two tables")
    about = table.get("about", "")
    if not isinstance(about, str):
        raise UsageError(f"{path}: about is a text")
    patterns, differs = table.get("programs", [r"solve_(\w+)"]), table.get("differs", [])
    try:
        programs = tuple(re.compile(text) for text in _texts(patterns))
    except (re.error, TypeError, RecursionError, OverflowError) as error:
        raise UsageError(f"{path}: programs is a list of regular expressions: {_why(error)}") from error
    try:
        differing = frozenset(_texts(differs))
    except TypeError as error:
        raise UsageError(f"{path}: differs is a list of names") from error
    cells = _cells(path, table["cells"]) if "cells" in table else None
    return Dialect(path.stem, about, programs, words, differing, cells)


def _texts(value: Any) -> list[str]:
    """A list of texts; raises TypeError for anything else."""
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise TypeError(f"got {reprlib.repr(value)}")
    return value


def _why(error: BaseException) -> str:
    return str(error) or "nested too deep"


def _cells(path: Path, table: Mapping[str, Any]) -> CellTable:
    """The cells of a dialect, checked by themselves."""
    texts = table.get("items")
    if table.keys() != _CELLS or not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise UsageError(f"{path}: cells has since, a regular expression, place, a function of a cell, and items, such")
    for text in (*texts, table["place"]):
        _parsed(f"{path}: cells", str(text))
    try:
        return CellTable(re.compile(table["since"]), tuple(texts), str(table["place"]))
    except (re.error, TypeError, RecursionError, OverflowError) as error:
        raise UsageError(f"{path}: since is a regular expression: {_why(error)}") from error


def _word(path: Path, name: str, value: Any) -> str | int | tuple[int, ...]:
    """One entry, checked by itself; what it names is checked when it is used."""
    numbers = value if isinstance(value, list) else [value]
    if not name.isidentifier():
        raise UsageError(f"{path}: {name!r} is no name")
    if isinstance(value, str):
        _parsed(f"{path}: {name}", value)
        return value
    integers = all(type(number) is int and INT_MIN <= number <= INT_MAX for number in numbers)
    if integers and 0 < len(numbers) <= MAX_ITEMS:
        return tuple(numbers) if isinstance(value, list) else numbers[0]
    shown = reprlib.repr(value)
    raise UsageError(f"{path}: {name} is a name, a lambda, an integer or a list of integers; got {shown}")


@lru_cache(maxsize=4096)
def _parsed(where: str, text: str) -> ast.expr:
    """A name or a lambda from its text."""
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise UsageError(f"{where}: not an expression: {_why(error)}") from error
    if not isinstance(tree, ast.Name | ast.Lambda):
        raise UsageError(f"{where} is a name or a lambda; got {reprlib.repr(text)}")
    if isinstance(tree, ast.Lambda) and not _plain_parameters(tree.args):
        raise UsageError(f"{where}: a lambda has plain parameters, and names as defaults; got {reprlib.repr(text)}")
    return tree


def _plain_parameters(args: ast.arguments) -> bool:
    other = args.posonlyargs or args.kwonlyargs or args.vararg or args.kwarg
    return not other and all(isinstance(value, ast.Name) for value in args.defaults)


@cache
def python_words() -> Mapping[str, Mapping[str, str]]:
    """What Python between the calls means, table by table (python.toml)."""
    return tomllib.loads((Path(__file__).parent / "python.toml").read_text(encoding="utf-8"))


class CellParts(NamedTuple):
    """Functions of one of our cells that give what another family's cell has."""

    items: tuple[Value, ...]
    place: Value


class Vocabulary:
    """What names mean that no file defines: the language's own, Python's, and those of one dialect."""

    def __init__(self, language: Language, dialect: Dialect) -> None:
        self.language = language
        self.dialect = dialect
        self.ops = language.ops
        self._values: dict[str, Value] = {name: Name(name) for name in (*language.ops, *language.constants)}
        self._env = Env({}, None, self._inner)
        python = python_words()
        self._python = self.bindings("Python's", python["functions"])
        self.forms = self.bindings("forms", python["forms"])
        self.form_names = frozenset(name.split("/")[0] for name in self.forms)
        self.methods = self.bindings("methods", python["methods"])
        self.changes = self.bindings("changes", python["changes"])
        self.taken = self.bindings("taken", python["taken"])
        self.dictionary = self.bindings("dictionary", python["dictionary"])
        self.dictionary_methods = self.bindings("dictionary", python["dictionary_methods"])
        self.dictionary_changes = self.bindings("dictionary", python["dictionary_changes"])
        self.dictionary_taken = self.bindings("dictionary", python["dictionary_taken"])
        self.operators = self.bindings("operators", python["operators"])
        self.syntax = self.bindings("syntax", python["syntax"])
        self.reductions = self.bindings("reductions", python["reductions"])
        self.combinators = python["combinators"]
        self._own = self.bindings(dialect.name, dialect.words)
        self._own |= {name: self._resolved(name) for name in self._own}
        self._found: dict[str, Value] = {**self._python, **self._values, **self._own}
        self.cells: CellParts | None = None
        if dialect.cells is not None:
            *items, place = [self.binding("cells", "", text) for text in (*dialect.cells.items, dialect.cells.place)]
            self.cells = CellParts(tuple(items), place)
            self._found |= {name: Foreign(one.id) for name, one in self._found.items() if self._sees_cells(one)}  # type: ignore[union-attr]

        self.plain = self._plain()

    def _plain(self) -> PlainWords:
        """What names mean in programs that are nothing but calls."""
        values = {name: value for name, value in self._found.items() if isinstance(value, Name | Const)}
        specs = {name: self.ops.get(value.id) for name, value in values.items() if isinstance(value, Name)}
        arities = {
            name: spec.arity
            for name, spec in specs.items()
            if spec is not None and name not in self.form_names and not (spec.loop and spec.loop.carries)
        }
        return PlainWords(values, arities, {*self.ops, *self.language.constants})

    def _sees_cells(self, value: Value) -> bool:
        """Whether a value is a primitive that takes an item of a tuple, or makes pairs."""
        spec = self.ops.get(value.id) if isinstance(value, Name) else None
        return spec is not None and spec.does in (Does.NTH, Does.PAIR, Does.ZIP, Does.PRODUCT)

    def _resolved(self, name: str) -> Value:
        """What an entry of the dialect stands for in the end, where it names another."""
        value: Value | None = self._own[name]
        for _ in range(10):
            if not isinstance(value, Name) or value.id in self._values:
                break
            value = self._inner(value.id)
        if value is None or (isinstance(value, Name) and value.id not in self._values):
            raise UsageError(f"dialect {self.dialect.name}: {name} names nothing that there is")
        return value

    def find(self, name: str) -> Value | None:
        """What a name means in a file of the dialect."""
        return self._found.get(name)

    def _inner(self, name: str) -> Value | None:
        """What a name means in a function of a table: ours first, so that a dialect may give one of ours anew."""
        return self._values.get(name) or self._python.get(name) or self._own.get(name)

    def is_own(self, function: Value) -> bool:
        """Whether a function is a primitive or one of the tables, not of a file."""
        return not isinstance(function, Function) or function.env is self._env

    def makes_function(self, name: str) -> bool:
        """Whether a name is that of a combinator."""
        spec = self.ops.get(name)
        return spec is not None and spec.combinator is not None

    def known(self) -> list[str]:
        """Every name, for suggestions."""
        return [*self._values, *self._own, *self._python]

    def bindings(self, where: str, words: Mapping[str, str | int | tuple[int, ...]]) -> dict[str, Value]:
        """The values of a table's entries."""
        return {name: self.binding(f"{where}: {name}", name, word) for name, word in words.items()}

    def binding(self, where: str, name: str, word: str | int | tuple[int, ...]) -> Value:
        """The value of one entry."""
        if not isinstance(word, str):
            return Const(word)
        tree = _parsed(where, word)
        if isinstance(tree, ast.Name):
            return Name(tree.id)
        assert isinstance(tree, ast.Lambda)
        args = tree.args
        defaults: dict[str, Value] = {
            arg.arg: Name(value.id)
            for arg, value in zip(reversed(args.args), reversed(args.defaults), strict=False)
            if isinstance(value, ast.Name)
        }
        return Function(name, tuple(arg.arg for arg in args.args), tree.body, self._env, defaults)


@lru_cache(maxsize=16)
def vocabulary(language: Language, dialect: Dialect) -> Vocabulary:
    """The words of a dialect over a language, made once."""
    return Vocabulary(language, dialect)


def detect(text: str, language: Language) -> Dialect:
    """The dialect that knows most of the names a text uses and ours does not have; ours if most calls stay unknown."""
    known = dialects()
    used = set(_USED.findall(text)).difference(language.ops, language.constants)
    if all(used.isdisjoint(one.words) for one in known.values()):
        return known[STANDARD]
    code = _TOLD.sub("", text)
    used &= set(_USED.findall(code))
    used -= {name for pair in _DEFINED.findall(code) for name in pair}
    best = max(known.values(), key=lambda one: len(used & one.words.keys()))
    strange = used.intersection(_CALLED.findall(code)).difference(best.words, dir(builtins))
    return best if len(used & best.words.keys()) > len(strange) else known[STANDARD]


def program_patterns(dialect: Dialect) -> Iterable[re.Pattern[str]]:
    """How programs are called in files of a dialect: as it says, or as in ours."""
    return (*dialect.programs, *dialects()[STANDARD].programs)
