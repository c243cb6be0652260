"""Objects of inputs found before programs run, once for all that ask for them; native/cuda_objects.h does it."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from arcbatt.backends.cuda_launch import Counts, address
from arcbatt.ir.typed import TypedGraph, TypedNode

OBJECTS_ENTRY: Final = "arcbatt_objects"
_NOWHERE: Final = 0xFFFFFFFF
_GROUPS: Final = 4
"""Groups of lanes in a block."""
_BLOCKS: Final = 16
"""Blocks a multiprocessor has room for at most."""
_CELLS: Final = 416, 928
"""Grids are found with room for so many cells: the less room, the more of them at a time."""
_WORDS_A_CELL: Final = 3
"""What objects take at most: the cell, and where an object of one cell begins and how many it has."""
_MOST_POOL: Final = 1 << 30


def modes_wanted(graph: TypedGraph) -> frozenset[int]:
    """The modes in which programs look for the objects of their input."""
    found: set[int] = set()
    for node in graph.nodes:
        if node.op in ("o_g", "objects") and graph.nodes[node.args[0]].op == "input":
            if graph.nodes[node.args[0]].args[0] != "I":
                continue
            values = [_constant(graph.nodes[arg]) for arg in node.args[1:]]
            if any(value is None for value in values):
                continue
            if node.op == "o_g":
                found.update(value for value in values if value is not None and 0 <= value < 8)
            else:
                found.add(sum(bit for bit, value in zip((4, 2, 1), values, strict=True) if value))
    return frozenset(found)


def _constant(node: TypedNode) -> int | None:
    return int(node.args[2]) if node.op == "const" and isinstance(node.args[2], int) else None


class KnownObjects:
    """The objects of some grids in some modes, on the device."""

    def __init__(
        self,
        cupy: Any,
        function: Any,
        multiprocessors: int,
        samples: dict[str, Any],
        numbers: NDArray[np.uint32],
        sizes: tuple[NDArray[np.int32], NDArray[np.int32]],
        modes: frozenset[int],
        counts: Counts,
    ) -> None:
        """Find them: of the grids with these numbers; `sizes` are the heights and widths of all."""
        self.grids = int(samples["height"].size)
        self.places = cupy.full((8, self.grids), _NOWHERE, np.uint32)
        heights, widths = sizes
        size = heights[numbers].astype(np.int64) * widths[numbers]
        words = min(len(modes) * int(_WORDS_A_CELL * size.sum() + 2 * len(numbers)), _MOST_POOL)
        self.pool = cupy.empty(words, np.uint32)
        self._next = cupy.zeros(1, np.uint32)
        self.milliseconds = 0.0
        """What finding them took on the device."""
        for least, most in zip((0, *_CELLS), _CELLS, strict=False):
            some = numbers[(size > least) & (size <= most)]
            if len(some):
                self._find(cupy, function, multiprocessors, samples, some, most, modes, counts)

    def _find(
        self,
        cupy: Any,
        function: Any,
        multiprocessors: int,
        samples: dict[str, Any],
        numbers: NDArray[np.uint32],
        most_cells: int,
        modes: frozenset[int],
        counts: Counts,
    ) -> None:
        there = counts.traffic.upload(numbers)
        taken = cupy.zeros(1, np.uint32)
        launch = counts.traffic.upload(np.array([
            *(address(samples[name]) for name in ("cells", "offset", "height", "width")), self.grids,
            address(there), len(numbers), address(taken), sum(1 << mode for mode in modes), most_cells,
            address(self.places), address(self.pool), self.pool.size, address(self._next),
        ], np.uint64))  # fmt: skip
        blocks = max(1, min(multiprocessors * _BLOCKS, -(-len(numbers) // _GROUPS)))
        room = _GROUPS * (128 + 11 * most_cells)  # bytes: colours, labels and cells of each group
        start, end = cupy.cuda.Event(), cupy.cuda.Event()
        counts.traffic.launches += 1
        with counts.traffic.stage("objects"):
            start.record()
            function((blocks,), (_GROUPS * 32,), (launch,), shared_mem=room)
            end.record()
            end.synchronize()
        self.milliseconds += float(cupy.cuda.get_elapsed_time(start, end))

    @property
    def nbytes(self) -> int:
        """What they take there."""
        return int(self.pool.nbytes + self.places.nbytes)

    def table(self) -> list[int]:
        """The words of a launch about them."""
        return [address(self.pool), address(self.places), self.grids]
