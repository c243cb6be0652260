"""Programs as data: immutable expressions, and their canonical text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

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


@dataclass(frozen=True, slots=True, repr=False)
class Program:
    """One solver or differ: parameters, assignments, and the expression it returns."""

    name: str
    params: tuple[str, ...]
    lines: tuple[Assign, ...]
    result: Expr
    file: str = field(default="<string>", compare=False)
    line: int = field(default=0, compare=False)

    @property
    def id(self) -> str:
        """The name without `solve_` or `differ_`."""
        return self.name.partition("_")[2]

    def __call__(self, *args: Any, **named: Any) -> Any:
        """The program on values of its parameters, `program(grid)`, or on one of a task's samples; or Failed.

        The reference runs it. `arcbatt.run` runs many programs on many tasks, far faster.
        """
        from arcbatt.language.calling import call_program

        return call_program(self, args, named)

    def __str__(self) -> str:
        return unparse(self)

    def __repr__(self) -> str:
        return f"<Program {self.name}({', '.join(self.params)}), {len(self.lines) + 1} lines>"

    def _repr_html_(self) -> str:
        from arcbatt.language.drawing import program_html

        return program_html(self)


def unparse(program: Program) -> str:
    """The canonical text of a program; parsing it gives the program back."""
    head = f"def {program.name}({', '.join(program.params)}):"
    body = [f"    {line}" for line in program.lines]
    return "\n".join([head, *body, f"    return {program.result}", ""])


def live_lines(program: Program) -> list[Assign]:
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


def reads(program: Program, param: str) -> bool:
    """Whether a program's result depends on a parameter.

    One that reads C, the expected output, proves nothing where that is known; one that reads S, little on the
    demonstrations.
    """
    if param not in program.params:
        return False
    return param in names(program.result).union(*(names(line.value) for line in live_lines(program)))
