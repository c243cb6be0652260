"""The dynamic tier: the whole language on values of any kind, for what has no typed form or did not fit there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcbatt.compiler.graph import Graph
from arcbatt.compiler.program_set import CompiledSet
from arcbatt.engine.api import RunRequest, Stop
from arcbatt.engine.outputs import Outputs
from arcbatt.engine.packer import Packer, brief_of
from arcbatt.engine.reference import MergedReference, Stopped, expected_at, sample_at
from arcbatt.language.failures import Outcome
from arcbatt.language.limits import MAX_STEPS
from arcbatt.language.sample import Sample


class Evaluated(NamedTuple):
    """The outcomes of nodes on one row of inputs, and the steps of all their calls together."""

    outcomes: list[Outcome]
    steps: int


class DynamicGraph:
    """A graph of the language in use."""

    def __init__(self, graph: Graph, *, threads: int | None = None) -> None:
        self.graph = graph

    def evaluate(
        self,
        rows: Sequence[Sample | Mapping[str, Any]],
        nodes: Iterable[int],
        max_steps: int = MAX_STEPS,
        *,
        stop: Stop | None = None,
        told: Callable[[int], None] | None = None,
    ) -> list[Evaluated | None]:
        """Nodes of the graph on samples, or on declared inputs by name; None for a row that a stop left unfinished.

        `told` hears now and then how many rows are finished.
        """
        found: list[Evaluated | None] = [None] * len(rows)
        wanted = list(nodes)
        for place, row in enumerate(rows):
            reference = MergedReference(self.graph, row, max_steps, stop)
            try:
                if stop and stop():
                    raise Stopped
                found[place] = Evaluated([reference.value(node) for node in wanted], reference.machine.total_steps)
            except Stopped:
                break
            if told:
                told(place + 1)
        return found


class DynamicTier:
    """The programs of a compiled set; nothing is made ready until it is used."""

    def __init__(self, compiled: CompiledSet, *, threads: int | None = None) -> None:
        self.graph = DynamicGraph(compiled.graph, threads=threads)

    def run(
        self,
        request: RunRequest,
        result: Outputs,
        missing: NDArray[np.bool_],
        told: Callable[[int], None],
        max_steps: int,
    ) -> None:
        """Every evaluation marked missing (samples x programs) into the result.

        `told` hears now and then how many of the samples that had something missing are finished; rows that a stop
        leaves unfinished are not `done`.
        """
        packer = Packer(result, request.largest)
        rows = np.flatnonzero(missing.any(axis=1))
        for count, row in enumerate(rows.tolist(), 1):
            sample, wanted = sample_at(request.samples, row), expected_at(request.samples, row)
            reference = MergedReference(self.graph.graph, sample, max_steps, request.stopped)
            try:
                if request.stopped():
                    raise Stopped
                for column in np.flatnonzero(missing[row]).tolist():
                    packer.put(row, column, brief_of(reference.of(result.names[column]), packer.hashed), wanted)
            except Stopped:
                result.done[rows[count - 1 :]] = False
                break
            told(count)
        packer.finish()

    def values(self, sample: Sample, names: Iterable[str], max_steps: int) -> dict[str, Outcome]:
        """What programs give on one sample."""
        chosen = list(names)
        nodes = [self.graph.graph.outputs[name] for name in chosen]
        (found,) = self.graph.evaluate([sample], nodes, max_steps)
        assert found is not None
        return dict(zip(chosen, found.outcomes, strict=True))
