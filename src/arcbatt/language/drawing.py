"""Programs and values as pictures: a program's text and the graph of its calls, grids among values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from arcbatt.display.colours import size_text
from arcbatt.display.graph import Node, graph_image
from arcbatt.display.html import code, figure, note, page
from arcbatt.display.pictures import grid_image
from arcbatt.language.expressions import Body, Call, Const, Expr, Name, live_lines
from arcbatt.language.failures import Failed
from arcbatt.language.shown import is_grid

_SHOWN: Final = 12
"""Values of many that a notebook shows."""
_LONGEST: Final = 100
"""Letters of a value that are shown of those that are no grids."""


def values_html(values: Sequence[Any]) -> str:
    """The first of many values as a notebook shows them, side by side."""
    more = len(values) - _SHOWN
    shown = [_value_html(number, value) for number, value in enumerate(values[:_SHOWN])]
    return "".join([*shown, note(f"and {more:,} more") if more > 0 else ""])


def _value_html(number: int, value: Any) -> str:
    if is_grid(value):
        return figure(grid_image(value, f"item {number}", side=80), f"{number}: {size_text(value)}")
    words = str(value) if isinstance(value, Failed) else repr(value)
    cut = words if len(words) <= _LONGEST else f"{words[:_LONGEST]}..."
    return f"<div>{figure('', f'{number}: {cut}')}</div>"


def program_html(program: Body) -> str:
    """A program as a notebook shows it: its text beside its graph."""
    graph = graph_image(program_nodes(program), f"graph of {program.name}")
    return page("", figure(code(str(program)), ""), figure(graph, "") if graph else "")


def program_nodes(program: Body) -> list[Node]:
    """The parameters that are read and every call of a program, equal calls once, each after what it takes.

    Constants and functions that are passed by name stand in the box of the call.
    """
    return _Nodes(program).nodes


class _Nodes:
    def __init__(self, program: Body) -> None:
        self.nodes: list[Node] = []
        self.known: dict[Node, int] = {}
        self.params = program.params
        self.names: dict[str, int | str] = {}
        for line in live_lines(program):
            self.names[line.target] = self.of(line.value)
        result = self.of(program.result)
        if isinstance(result, str):  # a constant
            self.number(Node(result))

    def of(self, expr: Expr) -> int | str:
        """The number of the box that gives an expression's value, or what stands for it in another box."""
        if isinstance(expr, Const):
            return str(expr)
        if isinstance(expr, Name):
            if expr.id in self.names:
                return self.names[expr.id]
            return self.number(Node(expr.id)) if expr.id in self.params else expr.id
        parts = [self.of(part) for part in (expr.function, *expr.args)]
        inputs = tuple([part for part in parts if isinstance(part, int)])
        function, *args = [part if isinstance(part, str) else "\N{MIDDLE DOT}" for part in parts]
        label = f"{function}({', '.join(args)})"
        return self.number(Node(label, inputs)) if inputs or not _is_function(expr) else label

    def number(self, node: Node) -> int:
        if node not in self.known:
            self.known[node] = len(self.nodes)
            self.nodes.append(node)
        return self.known[node]


def _is_function(expr: Call) -> bool:
    """Whether a call of constants makes a function, which is written where it is passed on."""
    from arcbatt.language.table import current

    ops = current().ops
    return isinstance(expr.function, Name) and expr.function.id in ops and ops[expr.function.id].combinator is not None
