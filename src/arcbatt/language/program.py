"""Programs as data, and their canonical text; `expressions` has what they are made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from arcbatt.language.expressions import Assign, Call, Const, Expr, Literal, Name, live_lines, names, substituted
from arcbatt.support.text import counted

__all__ = [
    "Assign",
    "Call",
    "Const",
    "Expr",
    "Literal",
    "Name",
    "Program",
    "live_lines",
    "names",
    "reads",
    "substituted",
    "unparse",
]


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
        return f"<Program {self.name}({', '.join(self.params)}), {counted(len(self.lines) + 1, 'line')}>"

    def _repr_html_(self) -> str:
        from arcbatt.language.drawing import program_html

        return program_html(self)


def unparse(program: Program) -> str:
    """The canonical text of a program; parsing it gives the program back."""
    head = f"def {program.name}({', '.join(program.params)}):"
    body = [f"    {line}" for line in program.lines]
    return "\n".join([head, *body, f"    return {program.result}", ""])


def reads(program: Program, param: str) -> bool:
    """Whether a program's result depends on a parameter.

    One that reads C, the expected output, proves nothing where that is known; one that reads S, little on the
    demonstrations.
    """
    if param not in program.params:
        return False
    return param in names(program.result).union(*(names(line.value) for line in live_lines(program)))
