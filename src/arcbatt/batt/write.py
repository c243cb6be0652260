"""The batt file: one readable Python module that is also read back as a graph."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from arcbatt.batt.card import Card
from arcbatt.compiler.graph import INPUT, INVOKE, Graph
from arcbatt.language.constants import CONSTANTS
from arcbatt.language.program import Call, Expr, Name, names
from arcbatt.language.table import current
from arcbatt.support.files import atomic_output

FORMAT: Final = "# arcbatt batt, format 1"


def write_batt(card: Card, path: Path, *, vectorized: bool = False) -> None:
    """Write the file whole or not at all."""
    text = batt_text(card, vectorized=vectorized)
    with atomic_output(path) as file:
        file.write(text)


def batt_text(card: Card, *, vectorized: bool = False) -> str:
    """The text of the module."""
    return _Writer(card, vectorized).text()


class _Writer:
    def __init__(self, card: Card, vectorized: bool) -> None:
        self.card = card
        self.graph = card.graph
        self.vectorized = vectorized
        roots = [output.node for output in card.outputs] + [score.node for score in card.scores]
        needed = self.graph.cone(roots)
        self.of_samples = _samples_only(self.graph, needed)
        calls = [node for node in needed if self.graph.is_call(node)]
        ordered = [node for node in calls if node in self.of_samples] + [
            node for node in calls if node not in self.of_samples
        ]
        self.number = {node: place for place, node in enumerate(ordered, 1)}
        self.used = needed

    def text(self) -> str:
        parts = [self.head(), self.table(), self.function(), self.tail()]
        return "\n\n\n".join(part.strip("\n") for part in parts) + "\n"

    def head(self) -> str:
        vocabulary = sorted(self.vocabulary(), key=_import_order)
        imports = "\n".join(f"    {name}," for name in vocabulary)
        return f'''{FORMAT}
"""{len(self.card.outputs)} programs merged into {len(self.number)} lines by arcbatt card. Generated; do not edit.

Each line is computed once, however many programs share it. A line that fails is a `Failed` value and spoils only what
depends on it. `arcbatt run -b` reads this file back as a graph without running it.
"""

from __future__ import annotations

from typing import Any

from arcbatt.batt.runtime import engine_banner, log_failures, plain_sample, run_batch
from arcbatt.dsl import (
{imports}
)

VECTORIZED = {self.vectorized}
"""Whether `batt` hands its work to the fastest engine, as `batt_batch` always does."""'''

    def vocabulary(self) -> set[str]:
        """Every name of the language the lines use."""
        found: set[str] = set()
        for node in self.number:
            found |= names(self.expression(node))
        return {name for name in found if name in current().ops or name in CONSTANTS or name == "invoke"}

    def table(self) -> str:
        rows = "\n".join(f'    {number}: "{self.expression(node)}",' for node, number in self.number.items())
        return f'CALLS: dict[int, str] = {{\n{rows}\n}}\n"""The call behind each t."""'

    def function(self) -> str:
        lines = [
            "def batt(",
            "    task_id: str, S: Any, I: Any, C: Any, log_path: str | None = None",
            ") -> tuple[list[tuple[int, str, Any]], list[tuple[int, str, str, Any]]]:",
            '    """What programs give (t, program, value), and what differs say of it (t, program, differ, value)."""',
            "    if VECTORIZED:",
            "        return batt_batch([task_id], [S], [I], [C])[0]",
            "    S, I, C = plain_sample(S, I, C)",
        ]
        if self.of_samples:
            lines.append("    # these depend on S alone")
        for node, number in self.number.items():
            lines.append(f"    t{number} = {self.expression(node)}")
        lines.append("    o: list[tuple[int, str, Any]] = [")
        for output in self.card.outputs:
            lines.append(f'        ({self.t_of(output.node)}, "{output.program}", {self.argument(output.node)}),')
        lines += ["    ]", "    s: list[tuple[int, str, str, Any]] = ["]
        for score in self.card.scores:
            value = self.argument(score.node)
            lines.append(f'        ({self.t_of(score.node)}, "{score.program}", "{score.differ}", {value}),')
        lines += ["    ]", "    log_failures(log_path, task_id, o)", "    return o, s"]
        return "\n".join(lines)

    def tail(self) -> str:
        return '''
def batt_batch(
    task_ids: list[str], Ss: list[Any], Is: list[Any], Cs: list[Any]
) -> list[tuple[list[tuple[int, str, Any]], list[tuple[int, str, str, Any]]]]:
    """The same for many samples at once, on the fastest engine there is."""
    return run_batch(__file__, task_ids, Ss, Is, Cs)


def banner() -> str:
    """Which engine `batt_batch` uses."""
    return engine_banner()
'''

    def t_of(self, node: int) -> int:
        """The number of a node's line; 0 for what needs no line."""
        return self.number.get(node, 0)

    def expression(self, node: int) -> Expr:
        """The call of a node over the t of what it takes."""
        args = tuple(self.argument(arg) for arg in self.graph.nodes[node].args)
        op = self.graph.nodes[node].op
        return Call(Name("invoke" if op == INVOKE else op), args)

    def argument(self, node: int) -> Expr:
        return Name(f"t{self.number[node]}") if node in self.number else self.graph.argument(node)


def _import_order(name: str) -> tuple[int, str]:
    """Where ruff and isort put a name: constants, then what looks like a class, then the rest."""
    return (0 if name.isupper() and len(name) > 1 else 1 if name[0].isupper() else 2, name)


def _samples_only(graph: Graph, nodes: Iterable[int]) -> set[int]:
    """Calls that depend on S and on no other input, functions and constants apart."""
    state: dict[int, tuple[bool, bool]] = {}
    for node in nodes:
        op, args = graph.nodes[node].op, graph.nodes[node].args
        if op == INPUT:
            state[node] = (args[0] == "S", args[0] != "S")
        else:
            inputs = [state[arg] for arg in graph.nodes[node].inputs]
            state[node] = (any(one for one, _ in inputs), any(other for _, other in inputs))
    only = {node for node, (samples, other) in state.items() if samples and not other and graph.is_call(node)}
    # Functions that such a line takes come along, so that each line stands after what it needs.
    stack = list(only)
    while stack:
        for arg in graph.nodes[stack.pop()].inputs:
            if arg not in only and graph.is_call(arg):
                only.add(arg)
                stack.append(arg)
    return only
