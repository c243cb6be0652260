"""Outcomes that are Python values, put into the arrays of a run as an engine would."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arcbatt.engine.outputs import NUMBERS, Outputs, grid_hash, grid_of, outcome_hash
from arcbatt.engine.verdicts import verdict_on
from arcbatt.language.failures import Failed, Outcome


@dataclass(frozen=True, slots=True)
class Brief:
    """What a run keeps of an outcome."""

    status: int
    digest: int
    """Its hash, or 0 where nobody asked."""
    grid: NDArray[np.int8] | None


def brief_of(outcome: Outcome, hashed: bool) -> Brief:
    """An outcome in brief, with its hash if that is wanted."""
    grid = grid_of(outcome)
    digest = 0
    if hashed:
        digest = outcome_hash(outcome) if grid is None else grid_hash(grid)
    return Brief(NUMBERS[outcome.reason] if isinstance(outcome, Failed) else 0, digest, grid)


class Packer:
    """Puts outcomes in their places; grids of more than `largest` cells are not kept.

    What comes of it does not depend on the order in which outcomes are put.
    """

    def __init__(self, outputs: Outputs, largest: int) -> None:
        self.outputs = outputs
        self.largest = largest
        self.hashed = outputs.hashes is not None and len(outputs.hashes) > 0
        """Whether outcomes need their hashes."""
        self._grids = outputs.grids if outputs.grids is not None and len(outputs.grids.offset) else None
        self._kept: dict[tuple[int, int], NDArray[np.int8]] = {}
        """By row and digest."""
        self._digests: dict[tuple[int, int], int] = {}
        """By row and column."""

    def put(self, row: int, column: int, brief: Brief, wanted: NDArray[np.int8] | None) -> None:
        """Put an outcome; `wanted` is the grid that is expected, if it is known."""
        outputs, grid = self.outputs, brief.grid
        outputs.statuses[row, column] = brief.status
        if self.hashed:
            assert outputs.hashes is not None
            outputs.hashes[row, column] = brief.digest
        if grid is None:
            return
        outputs.agreement[row, column], outputs.matches[row, column] = verdict_on(grid, wanted)
        if self._grids and grid.size <= self.largest:
            self._kept.setdefault((row, brief.digest), grid)
            self._digests[row, column] = brief.digest
            self._grids.height[row, column], self._grids.width[row, column] = grid.shape

    def finish(self) -> None:
        """Put the cells behind those of the engine, which had to be all there first; equal grids of a row once."""
        if not self._grids or not self._kept:
            return
        places: dict[tuple[int, int], int] = {}
        chunks, end = [self._grids.cells], len(self._grids.cells)
        for row, column in sorted(self._digests):
            key = row, self._digests[row, column]
            if key not in places:
                places[key] = end
                chunks.append(self._kept[key].reshape(-1))
                end += self._kept[key].size
            self._grids.offset[row, column] = places[key]
        self._grids.cells = np.concatenate(chunks)
