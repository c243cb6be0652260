"""Very many programs, compiled part by part by several processes, and joined.

Parts are cut by the number of programs alone, so what is made of them does not depend on how many processes there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, partial

from arcbatt.compiler.graph import Graph
from arcbatt.compiler.pipeline import COUNTED, Compiled, stats_of
from arcbatt.compiler.program_set import CompiledSet
from arcbatt.compiler.rewrites import Rewrites
from arcbatt.compiler.typed import TypedGraph, with_inputs
from arcbatt.engine.compilers import CompiledAhead, helpful
from arcbatt.support.collecting import collecting_later


def in_parts(compiled: CompiledSet, size: int, threads: int | None) -> CompiledSet:
    """The set; where it has more programs than a part, is not compiled yet, and processes help, one in parts."""
    processes = 0 if compiled.is_compiled else helpful(len(compiled.names) - size, threads)
    if not processes or isinstance(compiled, PartedSet):
        return compiled
    return PartedSet(compiled.graph, compiled.rewrites, size=size, processes=processes)


class PartedSet(CompiledSet):
    """Programs compiled by parts of so many, each with its bytecode and its schedule by waves."""

    def __init__(
        self,
        graph: Graph,
        rewrites: Rewrites | None = None,
        *,
        size: int,
        processes: int,
    ) -> None:
        super().__init__(graph, rewrites)
        self._size, self._processes = size, processes

    @cached_property
    def _cut(self) -> list[tuple[Graph, list[int]]]:
        """The graph of each part, and which nodes of the whole its nodes are."""
        names = self.names
        return [self.graph.only(names[first : first + self._size]) for first in range(0, len(names), self._size)]

    @cached_property
    def parts(self) -> list[CompiledSet]:
        """The parts, compiled."""
        given = [partial(self._graph_of, number) for number in range(len(self._cut))]
        found = []
        ahead = CompiledAhead(given, self._processes, rewrites=self.rewrites, waves=lambda: True)
        with ahead, collecting_later():
            for number in range(len(given)):
                part = ahead.take(number)
                part.forms(waves=True)
                found.append(part)
        self.errors += ahead.errors
        return found

    def _graph_of(self, number: int) -> Graph:
        return self._cut[number][0]

    @cached_property
    def _compiled(self) -> Compiled:
        parts = self.parts
        typed = self._joined(parts)
        counts = {name: sum(getattr(part.stats, name) for part in parts) for name in COUNTED}
        stats = stats_of(self.graph, typed, counts)
        stats.seconds = sum(part.stats.seconds for part in parts)
        return Compiled(typed, stats)

    @collecting_later()
    def _joined(self, parts: Sequence[CompiledSet]) -> TypedGraph:
        """One graph of all parts, in which equal nodes are one again."""
        whole = TypedGraph()
        for part, (_, nodes) in zip(parts, self._cut, strict=True):
            typed, place = part.typed, list[int]()
            for node, depends, can_fail in zip(typed.nodes, typed.depends, typed.can_fail, strict=True):
                place.append(whole.add(with_inputs(node, place), depends, can_fail))
            whole.outputs |= {name: place[node] for name, node in typed.outputs.items()}
            whole.unresolved |= typed.unresolved
            whole.unresolved_at |= {name: nodes[node] for name, node in typed.unresolved_at.items()}
            whole.internal_errors |= typed.internal_errors
            whole.bounds |= typed.bounds
        return whole

    @cached_property
    def exact(self) -> CompiledSet:
        """The same without rewrites that leave out calls."""
        exact = self.rewrites.exact
        if exact == self.rewrites:
            return self
        return PartedSet(self.graph, exact, size=self._size, processes=self._processes)
