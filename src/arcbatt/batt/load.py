"""Reading a batt file back as a card: line by line, as data; the file is never run."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Final

from arcbatt.batt.card import Card, Output, Score, score_name
from arcbatt.batt.generated import generated_card, is_generated
from arcbatt.batt.write import FORMAT
from arcbatt.compiler.graph import INVOKE, Graph
from arcbatt.errors import UsageError
from arcbatt.language.constants import CONSTANTS
from arcbatt.language.limits import INT_MAX, INT_MIN, MAX_CALLS
from arcbatt.language.program import Call, Const, Expr, Name
from arcbatt.language.table import current
from arcbatt.support.text import counted
from arcbatt.syntax import SourceError
from arcbatt.syntax.parser import is_program_name
from arcbatt.syntax.source import read_text

_OURS: Final = FORMAT.partition(",")[0]
_LINE: Final = re.compile(r"    (t\d+) = (.+)")
_OUTPUT: Final = re.compile(r'        \((\d+), "(\w+)", (.+)\),')
_SCORE: Final = re.compile(r'        \((\d+), "(\w+)", "(\w+)", (.+)\),')
_LEGAL: Final = (
    "a line of a batt is `t<number> = <primitive>(<names, constants>)`; make the file anew with arcbatt card"
)


def load_batt(path: Path) -> Card:
    """The card a batt file was written from; raises UsageError that shows the line where it is not one.

    A file that another tool generated is read too (`generated`); what could not be read of it is in `problems`.
    """
    try:
        text = read_text(path)
        if not text.startswith(_OURS) and is_generated(text):
            return generated_card(str(path), text)
        return _Loader(str(path), text).card()
    except SourceError as error:
        raise UsageError(str(error)) from error


class _Loader:
    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self.lines = text.split("\n")
        self.graph = Graph()
        self.scope = {name: self.graph.input(name) for name in ("S", "I", "C")}
        self.at = 0

    def error(self, message: str, allowed: str = _LEGAL) -> SourceError:
        text = self.lines[self.at] if self.at < len(self.lines) else ""
        return SourceError(self.file, self.at + 1, len(text) - len(text.lstrip()), text, message, allowed)

    def card(self) -> Card:
        if self.lines[0] != FORMAT:
            raise self.error(f"not a batt file of this version: its first line is not {FORMAT!r}", "")
        card = Card(self.graph)
        self.skip_to(re.compile(r"def batt\("), "no function `batt`")
        self.skip_to(re.compile(r"    S, I, C = plain_sample"), "no lines")
        while not self.here().startswith("    o: "):
            self.assignment()
        self.at += 1
        while self.here() != "    ]":
            number, program, text = self.entry(_OUTPUT)
            if not is_program_name(f"solve_{program}"):
                self.at -= 1
                raise self.error(f"{program!r} is no name of a program", "")
            card.outputs.append(Output(self.value(text, number), program))
        self.at += 1
        if not self.here().startswith("    s: "):
            raise self.error("expected the list `s` of differs")
        self.at += 1
        while self.here() != "    ]":
            number, program, differ, text = self.entry(_SCORE)
            card.scores.append(Score(self.value(text, number), program, differ))
        for output in card.outputs:
            if f"solve_{output.program}" in self.graph.outputs:
                raise self.error(f"two outputs of {output.program}")
            self.graph.outputs[f"solve_{output.program}"] = output.node
            calls = sum(map(self.graph.is_call, self.graph.cone([output.node])))
            if calls > MAX_CALLS:
                raise self.error(f"{output.program} has {calls:,} calls, at most {MAX_CALLS:,}", "")
        for place, score in enumerate(card.scores):
            self.graph.outputs[score_name(place)] = score.node
        if not card.outputs:
            raise self.error("a batt without outputs")
        return card

    def here(self) -> str:
        if self.at >= len(self.lines):
            raise self.error("the file ends in the middle")
        return self.lines[self.at]

    def skip_to(self, pattern: re.Pattern[str], problem: str) -> None:
        while self.at < len(self.lines) and not pattern.match(self.lines[self.at]):
            self.at += 1
        if self.at >= len(self.lines):
            raise self.error(problem)
        self.at += 1

    def entry(self, pattern: re.Pattern[str]) -> tuple[str, ...]:
        found = pattern.fullmatch(self.here())
        if not found:
            raise self.error("not an entry of the results")
        self.at += 1
        return found.groups()

    def value(self, text: str, number: str) -> int:
        """The node of the result in the entry that was just read."""
        self.at -= 1
        node = self.node(self.simple(self.tree(text)))
        if number != "0" and text != f"t{number}":
            raise self.error(f"{text} is not t{number}")
        self.at += 1
        return node

    def assignment(self) -> None:
        line = self.here()
        if not line.startswith("    #"):
            found = _LINE.fullmatch(line)
            if not found:
                raise self.error("not a line of a batt")
            name, text = found.groups()
            if name in self.scope:
                raise self.error(f"redefinition of {name}")
            self.scope[name] = self.node(self.parsed(text))
        self.at += 1

    def tree(self, text: str) -> ast.expr:
        try:
            return ast.parse(text, mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise self.error(f"not Python syntax: {error}") from error

    def parsed(self, text: str) -> Expr:
        tree = self.tree(text)
        if not isinstance(tree, ast.Call) or tree.keywords:
            raise self.error("not a call")
        return Call(self.simple(tree.func), tuple(self.simple(arg) for arg in tree.args))

    def simple(self, node: ast.expr) -> Expr:
        """A name or a literal."""
        if isinstance(node, ast.Name):
            return Name(node.id)
        try:
            value = ast.literal_eval(node)
        except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
            value = None
        parts = value if isinstance(value, tuple) else (value,)
        if isinstance(value, bool) or (parts and all(type(part) is int for part in parts)):
            if not all(INT_MIN <= part <= INT_MAX for part in parts):
                raise self.error("integer does not fit 32 bits", f"integers go from {INT_MIN} to {INT_MAX}")
            return Const(value)
        raise self.error("an argument that is no name, integer or tuple of integers")

    def node(self, expr: Expr) -> int:
        match expr:
            case Const(value):
                return self.graph.const(value)
            case Name(name) if name in self.scope:
                return self.scope[name]
            case Name(name) if name in CONSTANTS:
                return self.graph.const(CONSTANTS[name])
            case Name(name) if name in current().ops:
                return self.graph.add("primitive", (name,))
            case Call(Name("invoke"), args) if args:
                return self.graph.add(INVOKE, tuple(map(self.node, args)), self.at + 1)
            case Call(Name(name), args) if name in current().ops:
                if len(args) != current().op(name).arity:
                    raise self.error(f"{name} takes {counted(current().op(name).arity, 'argument')}, got {len(args)}")
                self.graph.calls_read += 1
                return self.graph.add(name, tuple(map(self.node, args)), self.at + 1)
        raise self.error(f"unknown name {expr.id if isinstance(expr, Name) else str(expr)!r}")
