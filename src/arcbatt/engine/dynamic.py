"""The dynamic tier: the whole language on values of any kind, for what has no typed form or did not fit there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcbatt.compiler.program_set import CompiledSet
from arcbatt.engine.api import RunRequest, Stop
from arcbatt.engine.outputs import Outputs
from arcbatt.engine.packer import Packer, brief_of
from arcbatt.engine.reference import MergedReference, Stopped, expected_at, sample_at
from arcbatt.language.failures import Outcome
from arcbatt.language.sample import Sample


class DynamicTier:
    """Evaluates programs of a compiled set; nothing is made ready until it is used."""

    def __init__(self, compiled: CompiledSet, *, threads: int | None = None) -> None:
        self.compiled = compiled

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
            reference = MergedReference(
                self.compiled.graph, sample_at(request.samples, row), max_steps, request.stopped
            )
            wanted = expected_at(request.samples, row)
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
        reference = MergedReference(self.compiled.graph, sample, max_steps)
        return {name: reference.of(name) for name in names}

    def called(self, inputs: Mapping[str, Any], name: str, max_steps: int, stop: Stop | None) -> Outcome:
        """An output of a graph with declared inputs, given these; Stopped is raised after a stop."""
        return MergedReference(self.compiled.graph, inputs, max_steps, stop).of(name)
