"""Many grids in one buffer: packed once, shared by every engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arcbatt.backends.python import Sample
from arcbatt.reference.values import Grid


@dataclass(frozen=True)
class PackedSamples:
    """Samples as arrays. Grids are numbered; a sample names its input, expected output and task."""

    cells: NDArray[np.uint8]
    offset: NDArray[np.int64]
    height: NDArray[np.int32]
    width: NDArray[np.int32]
    input: NDArray[np.int32]
    expected: NDArray[np.int32]
    task: NDArray[np.int32]
    first: NDArray[np.int32]
    count: NDArray[np.int32]
    demo: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.input)

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        return sum(array.nbytes for array in vars(self).values())


def pack_samples(samples: Sequence[Sample]) -> PackedSamples:
    """Pack samples; a grid that is the same object in several places is stored once."""
    numbers: dict[int, int] = {}
    grids: list[Grid] = []

    def number(grid: Grid) -> int:
        known = numbers.get(id(grid))
        if known is None:
            known = numbers[id(grid)] = len(grids)
            grids.append(grid)
        return known

    tasks: dict[int, int] = {}
    first: list[int] = []
    count: list[int] = []
    demo: list[int] = []
    inputs, expected, task = [], [], []
    for sample in samples:
        inputs.append(number(sample.I))
        expected.append(-1 if sample.C is None else number(sample.C))
        if id(sample.S) not in tasks:
            tasks[id(sample.S)] = len(first)
            first.append(len(demo) // 2)
            count.append(len(sample.S))
            for given, wanted in sample.S:
                demo += [number(given), number(wanted)]
        task.append(tasks[id(sample.S)])
    height = np.array([len(grid) for grid in grids], np.int32)
    width = np.array([len(grid[0]) if grid else 0 for grid in grids], np.int32)
    ends = np.cumsum(height.astype(np.int64) * width)
    cells = np.frombuffer(b"".join(bytes(row) for grid in grids for row in grid), np.uint8)
    return PackedSamples(
        cells=cells,
        offset=np.concatenate([np.zeros(1, np.int64), ends])[: len(grids)],
        height=height,
        width=width,
        input=np.array(inputs, np.int32),
        expected=np.array(expected, np.int32),
        task=np.array(task, np.int32),
        first=np.array(first, np.int32),
        count=np.array(count, np.int32),
        demo=np.array(demo, np.int32),
    )
