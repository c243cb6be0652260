"""Expressions and lines of programs: immutable data, and their canonical text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

Literal = int | tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Name:
    """A parameter, a variable, a primitive or a named constant."""

    id: str

    def __str__(self) -> str:
        return self.id


@dataclass(frozen=True, slots=True)
class Const:
    """A literal: an integer, a boolean or a tuple of integers."""

    value: Literal

    def __str__(self) -> str:
        return str(self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Const) and (type(self.value), self.value) == (type(other.value), other.value)

    def __hash__(self) -> int:
        return hash((type(self.value), self.value))


@dataclass(frozen=True, slots=True)
class Call:
    """A call; the line in the source is for messages and plays no part in equality."""

    function: Expr
    args: tuple[Expr, ...]
    line: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return f"{self.function}({', '.join(map(str, self.args))})"


Expr = Name | Const | Call


@dataclass(frozen=True, slots=True)
class Assign:
    """One line of a program."""

    target: str
    value: Expr
    line: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return f"{self.target} = {self.value}"


class Body(Protocol):
    """What is inside a program: its parameters, its lines, and the expression it returns."""

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def params(self) -> tuple[str, ...]:
        """Its parameters."""

    @property
    def lines(self) -> tuple[Assign, ...]:
        """Its lines."""

    @property
    def result(self) -> Expr:
        """What it returns."""


def live_lines(program: Body) -> list[Assign]:
    """The lines the result depends on, in order."""
    needed = names(program.result)
    live = []
    for line in reversed(program.lines):
        if line.target in needed:
            live.append(line)
            needed |= names(line.value)
    return live[::-1]


def names(expr: Expr) -> set[str]:
    """Every name an expression uses."""
    if isinstance(expr, Name):
        return {expr.id}
    if isinstance(expr, Const):
        return set()
    found = names(expr.function)
    for arg in expr.args:
        if isinstance(arg, Name):
            found.add(arg.id)
        elif isinstance(arg, Call):
            found |= names(arg)
    return found


def substituted(expr: Expr, known: Mapping[str, Expr]) -> Expr:
    """An expression with others in place of names."""
    if isinstance(expr, Name):
        return known.get(expr.id, expr)
    if isinstance(expr, Const):
        return expr
    return Call(substituted(expr.function, known), tuple(substituted(arg, known) for arg in expr.args), expr.line)
