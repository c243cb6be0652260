"""Programs compiled once: the one artefact that engines, profiles, comparisons and runs share.

A set is merged when it is made; types and first-order form, and then bytecode, are made when they are first asked for.
A subset is cut out of what is there, so nothing is ever compiled twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

from arcbatt.compiler.graph import Graph, merge
from arcbatt.compiler.internal_errors import InternalError
from arcbatt.compiler.lower.lower import Code
from arcbatt.compiler.lower.subgraph import lower_most, subgraph
from arcbatt.compiler.pipeline import Compiled, Stats, compile_graph
from arcbatt.compiler.rewrites import Rewrites
from arcbatt.compiler.typed import TypedGraph
from arcbatt.compiler.waves import Schedule, schedule
from arcbatt.language.program import Program
from arcbatt.support.text import counted


class Forms(NamedTuple):
    """What is made of a merged graph, as it travels from the process that made it."""

    compiled: Compiled
    code: Code
    """Of the standard primitives, which every machine has."""
    waves: Schedule | None


class CompiledSet:
    """Programs in every form an engine may need."""

    def __init__(self, graph: Graph, rewrites: Rewrites | None = None) -> None:
        self.graph = graph
        """Merged, functions as nodes: what the dynamic tier and the reference evaluate."""
        self.rewrites = rewrites or Rewrites()
        self.errors = Counter[str]()
        """What went wrong with processes that compiled it, as long as nobody was told; nothing was lost."""
        self._codes: dict[tuple[tuple[str, str], ...], Code] = {}

    def __repr__(self) -> str:
        return f"<CompiledSet of {counted(len(self.names), 'program')}>"

    @cached_property
    def _compiled(self) -> Compiled:
        try:
            return compile_graph(self.graph, self.rewrites)
        except Exception as error:  # over no node, so that no program can be told apart from the others
            errors = dict.fromkeys(self.names, InternalError.of("compiling", error))
            typed = TypedGraph(
                unresolved={name: str(one) for name, one in errors.items()},
                unresolved_at=dict(self.graph.outputs),
                internal_errors=errors,
            )
            return Compiled(typed, Stats(programs=len(errors), unresolved=typed.unresolved))

    @property
    def names(self) -> list[str]:
        """Every program, in the order of the columns of results."""
        return list(self.graph.outputs)

    @property
    def typed(self) -> TypedGraph:
        """First-order, typed: what is lowered. Programs without such a form are in `unresolved`, with why."""
        return self._compiled.graph

    @property
    def stats(self) -> Stats:
        """What merging and the rewrites found."""
        return self._compiled.stats

    def code(self, without: Mapping[str, str] | None = None) -> Code:
        """The bytecode of all programs that have some; `Code.rejected` has the others, with why.

        `without` are custom operations whose functions this machine cannot have, and why.
        """
        key = tuple(sorted((without or {}).items()))
        if key not in self._codes:
            self._codes[key] = lower_most(self.typed, columns=self.rewrites.columns, without=without)
        return self._codes[key]

    @cached_property
    def waves(self) -> Schedule:
        """The schedule of all programs by waves."""
        return schedule(self.typed)

    @property
    def is_compiled(self) -> bool:
        """Whether types and first-order form are there."""
        return "_compiled" in vars(self)

    def forms(self, *, waves: bool) -> Forms:
        """All that engines ask for, made now; with `waves` what a GPU needs too, unless it is to leave programs out."""
        code = self.code()
        return Forms(self._compiled, code, self.waves if waves and not code.internal_errors else None)

    def take(self, forms: Forms) -> None:
        """Have forms that were made of the same graph, by the same rewrites, elsewhere."""
        self._compiled = forms.compiled
        self._codes[()] = forms.code
        if forms.waves is not None:
            self.waves = forms.waves

    def subset(self, names: Iterable[str]) -> CompiledSet:
        """Some of the programs, cut out of what is compiled already."""
        wanted = dict.fromkeys(names)
        typed = subgraph(self.typed, [name for name in wanted if name in self.typed.outputs])
        typed.unresolved = {name: why for name, why in self.typed.unresolved.items() if name in wanted}
        typed.unresolved_at = {name: self.typed.unresolved_at[name] for name in typed.unresolved}
        typed.internal_errors = {name: error for name, error in self.typed.internal_errors.items() if name in wanted}
        made = CompiledSet(replace(self.graph, outputs={name: self.graph.outputs[name] for name in wanted}))
        made.rewrites = self.rewrites
        made._compiled = Compiled(typed, self.stats)
        return made

    @cached_property
    def exact(self) -> CompiledSet:
        """The same without rewrites that leave out calls, for runs with fewer steps than those might take."""
        exact = self.rewrites.exact
        return self if exact == self.rewrites else CompiledSet(self.graph, exact)

    def __getstate__(self) -> dict[str, object]:
        return {**vars(self), "_codes": {}}  # writing code is quick, and it may name functions of this process


def compile(programs: Iterable[Program] | Graph | CompiledSet, rewrites: Rewrites | None = None) -> CompiledSet:
    """Programs, or a graph they were merged into, as a compiled set; one that is given comes back as it is."""
    if isinstance(programs, CompiledSet):
        return programs
    chosen = rewrites or Rewrites()
    graph = programs if isinstance(programs, Graph) else merge(programs, commutative=chosen.commutative)
    return CompiledSet(graph, chosen)
