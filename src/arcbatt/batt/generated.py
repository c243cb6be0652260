"""Batt files that other tools generated, read as a card: `t` lines, bare or each in try/except, then `o` and `s`.

The defaults in its `except` are left out: no function of the family raises, so they are never reached. Functions there
give defaults of their own, where a line here fails; what such a default would have led to is lost, and nothing is
scored that no program computed.
"""

from __future__ import annotations

import ast
import re
from typing import Final

from arcbatt.batt.card import Card, Output, Score, score_name
from arcbatt.compiler.graph import Graph
from arcbatt.language.program import Expr, Name, Program
from arcbatt.language.table import current
from arcbatt.syntax.cell_items import with_our_cells
from arcbatt.syntax.dialect import Vocabulary, dialects, vocabulary
from arcbatt.syntax.flow import assigned
from arcbatt.syntax.functions import Env, Value
from arcbatt.syntax.reader import ProgramReader, parse_chunk
from arcbatt.syntax.report import Illegal
from arcbatt.syntax.source import Chunk, SourceError, chunks

_BATT: Final = re.compile(r"def\s+batt\s*\(")
_LEGAL: Final = "a line of a generated batt assigns t<number>, bare or in try/except, or appends a tuple to o or s"
_DIALECT: Final = "tokpidjin"
"""The family that generates such files."""
_EXPECTED: Final = ("C", "O")
"""What the parameter of the expected output is called."""


def is_generated(text: str) -> bool:
    """Whether a text is a batt that another tool made."""
    return re.search(rf"^{_BATT.pattern}", text, re.MULTILINE) is not None


def generated_card(file: str, text: str) -> Card:
    """The card of such a file; raises SourceError where it has no output that can be read."""
    chunk = next(one for one in chunks(text) if _BATT.match(one.text))
    reader = _BattReader(chunk, file, vocabulary(current(), dialects()[_DIALECT].in_text(chunk.text)))
    card = reader.card()
    if not card.outputs:
        raise (
            reader.at.errors[0] if reader.at.errors else SourceError(file, chunk.line, 0, "", "a batt without outputs")
        )
    return card


class _BattReader(ProgramReader):
    """Reads the lines of `batt`; a line that cannot be read takes with it what depends on it, and nothing else."""

    def __init__(self, chunk: Chunk, file: str, words: Vocabulary) -> None:
        super().__init__(chunk, file, words, words.find)
        self.entries: list[tuple[str, list[ast.expr], Expr]] = []
        self.lost: set[str] = set()
        self.touched = 0

    def card(self) -> Card:
        """The card, with a problem for every line and entry that could not be read."""
        tree = parse_chunk(self.at)
        if tree is not None and isinstance(tree.body[0], ast.FunctionDef):
            self.parameters(tree.body[0])
            for statement in tree.body[0].body:
                self.calls = 0
                try:
                    self.statement(statement, self.env, 0)
                except Illegal:
                    self.lost |= assigned([statement])
        return self.merged()

    def name(self, node: ast.Name, env: Env) -> Value:
        """What a name stands for; where its line could not be read, that has been said."""
        if node.id in self.lost:
            raise Illegal
        return super().name(node, env)

    def parameters(self, node: ast.FunctionDef) -> None:
        """Names of parameters as ours; others, such as a log's path, stand for nothing."""
        names = {arg.arg for arg in node.args.args}
        ours: dict[str, Value] = {name: Name(name) for name in ("S", "I") if name in names}
        self.params = ("S", "I", "C")
        self.taken.update(self.params)
        self.env.values.update(ours | {name: Name("C") for name in _EXPECTED if name in names})

    def statement(self, node: ast.stmt, env: Env, depth: int) -> None:
        """One line, or one entry of the results."""
        match node:
            case ast.Try(body=body, orelse=[], finalbody=[]):
                for line in body:
                    self.statement(line, env, depth)
            case ast.Assign(targets=[ast.Name(id="o" | "s")], value=ast.List(elts=[])) | ast.Return():
                pass
            case ast.Expr(
                value=ast.Call(
                    func=ast.Attribute(value=ast.Name(id="o" | "s" as which), attr="append"),
                    args=[ast.Tuple(elts=[*fields, last])],
                )
            ):
                self.entries.append((which, fields, self.as_value(self.value(last, env), node, depth)))
            case ast.If(
                test=ast.Compare(left=ast.Name() as value, ops=[ast.Eq()], comparators=[ast.Name(id="C" | "O")]),
                body=[ast.Expr(value=ast.Call(args=[ast.Tuple(elts=fields)]))], orelse=[],
            ):  # fmt: skip
                self.entries.append(("o", fields, self.as_value(self.value(value, env), node, depth)))
            case ast.Assign() | ast.Expr(value=ast.Constant()):
                names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
                self.touched += not self.words.dialect.differs.isdisjoint(names)
                super().statement(node, env, depth)
            case _:
                self.at.illegal(node, "not a line of a batt", _LEGAL)

    def merged(self) -> Card:
        """The lines as one graph, each computed once."""
        graph = Graph()
        card = Card(graph, problems=self.at.errors, touched=self.touched)
        if self.words.cells is not None:
            self.lines, values = with_our_cells(self.lines, [value for *_, value in self.entries], self)
            self.entries = [(which, fields, new) for (which, fields, _), new in zip(self.entries, values, strict=True)]
        scope = {name: graph.input(name) for name in ("S", "I", "C")}

        def node_of(expr: Expr) -> int:
            return graph.build(Program("solve_line", tuple(scope), (), expr), scope)

        for line in self.lines:
            scope[line.target] = node_of(line.value)
        seen: set[str] = set()
        for which, fields, value in self.entries:
            texts = [part.value for part in fields if isinstance(part, ast.Constant) and isinstance(part.value, str)]
            if which == "s" and len(texts) == 2:
                card.scores.append(Score(node_of(value), _word(texts[0]), _word(texts[1].removeprefix("differ_"))))
            elif which == "o" and texts:
                name = _word(texts[0])
                while name in seen:
                    name = (
                        f"{name}_{value}" if isinstance(value, Name) and f"{name}_{value}" not in seen else f"{name}_2"
                    )
                seen.add(name)
                card.outputs.append(Output(node_of(value), name))
        for output in card.outputs:
            graph.outputs[f"solve_{output.program}"] = output.node
        for place, score in enumerate(card.scores):
            graph.outputs[score_name(place)] = score.node
        return card


def _word(text: str) -> str:
    """A name from a file as part of a program's name."""
    return re.sub(r"\W", "_", text, flags=re.ASCII) or "_"
