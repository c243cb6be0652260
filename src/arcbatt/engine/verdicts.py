"""Whether outputs are right, for outcomes that are Python values or hashes; native/core/digest.h says it of words."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arcbatt.data.packing import PackedSamples
from arcbatt.engine.outputs import Outputs, grid_hash

_MOST_AGREEMENT = np.iinfo(np.uint16).max


def verdict_on(grid: NDArray[np.int8], wanted: NDArray[np.int8] | None) -> tuple[int, bool]:
    """Cells that are as expected, and whether all are; none where the expected grid is unknown or of another shape."""
    if wanted is None or grid.shape != wanted.shape:
        return 0, False
    same = int((grid == wanted).sum())
    return min(same, _MOST_AGREEMENT), same == grid.size


def matching(outputs: Outputs, row: int, data: PackedSamples, answer: int) -> NDArray[np.bool_]:
    """Which programs give a grid of the packed data on a sample, by their hashes.

    For answers that programs must not see as C, so that the engine could not compare with them.
    """
    assert outputs.hashes is not None
    height, width, start = int(data.height[answer]), int(data.width[answer]), int(data.offset[answer])
    grid = data.cells[start : start + height * width].reshape(height, width)
    return np.asarray(outputs.hashes[row] == np.uint64(grid_hash(grid)))
