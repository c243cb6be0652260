"""The CPU engine in place of a GPU that cannot be used, which says so in every run."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from arcbatt.compiler.graph import Graph
from arcbatt.data.packing import PackedSamples
from arcbatt.engine import cpu
from arcbatt.engine.outputs import Outputs, Wanted
from arcbatt.engine.reference import Stop
from arcbatt.language.limits import MAX_CELLS
from arcbatt.language.sample import Sample


class Engine(cpu.Engine):
    """A CPU engine whose runs count every evaluation as moved; `why` is the reason."""

    def __init__(self, graph: Graph, why: str, *, threads: int | None = None) -> None:
        super().__init__(graph, threads=threads)
        self.why = why

    def run(
        self,
        samples: Sequence[Sample] | PackedSamples,
        outputs: Wanted = "match",
        *,
        largest: int = MAX_CELLS,
        stop: Stop | None = None,
        progress: Callable[[int], None] | None = None,
        complete: bool = True,
    ) -> Outputs:
        """As the CPU engine's."""
        found = super().run(samples, outputs, largest=largest, stop=stop, progress=progress, complete=complete)
        found.moved[self.why] += int(found.done.sum()) * len(self.names)
        return found
