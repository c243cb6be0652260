"""Objects of inputs found before programs run, once for all that ask for them; native/cuda/objects.h does it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from arcbatt.compiler.abi import NOWHERE, OBJECTS_LAUNCH, constant
from arcbatt.compiler.typed import TypedGraph, TypedNode
from arcbatt.engine.cuda.compile import LANES
from arcbatt.engine.cuda.launch import address, timed
from arcbatt.engine.stats import KernelStats
from arcbatt.language.table import STANDARD

OBJECTS_ENTRY: Final = "arcbatt_objects"
_GROUPS: Final = constant("OBJECT_GROUPS")
"""Groups of lanes in a block."""
_BLOCKS: Final = 16
"""Blocks a multiprocessor has room for at most."""
_CELLS: Final = 416, 640, 928
"""Grids are found with room for so many cells: the less room, the more of them at a time."""
_WORDS_PER_CELL: Final = 3
"""What objects take at most: the cell, and where an object of one cell begins and how many it has."""
_MOST_POOL: Final = 1 << 30


def modes_wanted(graph: TypedGraph) -> frozenset[int]:
    """The modes in which programs look for the objects of their input."""
    found: set[int] = set()
    for node in graph.nodes:
        finder = STANDARD.ops.get(node.op)
        if finder is None or not finder.object_mode:
            continue
        grid = graph.nodes[node.args[0]]
        values = [_constant(graph.nodes[arg]) for arg in node.args[1:]]
        if grid.op != "input" or grid.args[0] != "I" or None in values:
            continue
        found.add(sum(counts * (value or 0) for counts, value in zip(finder.object_mode, values, strict=True)))
    return frozenset(found & set(range(8)))


def _constant(node: TypedNode) -> int | None:
    return int(node.args[2]) if node.op == "const" and isinstance(node.args[2], int) else None


@dataclass(frozen=True)
class ObjectFinder:
    """Launches that find the objects of grids on a device, in some modes."""

    cupy: Any
    function: Any
    multiprocessors: int
    modes: frozenset[int]
    samples: dict[str, Any]
    """The packed samples there."""
    counts: KernelStats

    def find(self, numbers: NDArray[np.uint32], cells: NDArray[np.int64]) -> KnownObjects:
        """Those of the grids with these numbers, which have so many cells each."""
        grids = int(self.samples["height"].size)
        words = min(len(self.modes) * int(_WORDS_PER_CELL * cells.sum() + 2 * len(numbers)), _MOST_POOL)
        found = KnownObjects(self.cupy.full((8, grids), NOWHERE, np.uint32), self.cupy.empty(words, np.uint32))
        taken = self.cupy.zeros(1, np.uint32)
        for least, most in zip((0, *_CELLS), _CELLS, strict=False):
            some = numbers[(cells > least) & (cells <= most)]
            if len(some):
                found.milliseconds += self._launch(found, some, most, taken)
        return found

    def _launch(self, found: KnownObjects, numbers: NDArray[np.uint32], most_cells: int, taken: Any) -> float:
        """Find those of some grids, none with more cells; the milliseconds that took on the device."""
        cupy, traffic = self.cupy, self.counts.traffic
        there, next_number = traffic.upload(numbers), cupy.zeros(1, np.uint32)
        launch = traffic.upload(
            OBJECTS_LAUNCH.filled(
                **{name: address(self.samples[name]) for name in ("cells", "offset", "height", "width")},
                grids=found.grids,
                numbers=address(there),
                count=len(numbers),
                next=address(next_number),
                modes=sum(1 << mode for mode in self.modes),
                most_cells=most_cells,
                places=address(found.places),
                pool=address(found.pool),
                pool_words=found.pool.size,
                pool_next=address(taken),
            )
        )
        blocks = max(1, min(self.multiprocessors * _BLOCKS, -(-len(numbers) // _GROUPS)))
        room = _GROUPS * (constant("OBJECT_GROUP_BYTES") + constant("OBJECT_CELL_BYTES") * most_cells)
        milliseconds, _ = timed(
            cupy, traffic, "objects",
            lambda: self.function((blocks,), (_GROUPS * LANES,), (launch,), shared_mem=room),
            lambda end: end.synchronize(),
        )  # fmt: skip
        return milliseconds


@dataclass
class KnownObjects:
    """The objects of some grids in some modes, on the device."""

    places: Any
    """Where in the pool they begin, by mode and grid."""
    pool: Any
    milliseconds: float = 0.0
    """What finding them took on the device."""

    @property
    def grids(self) -> int:
        """How many grids there are, found or not."""
        return int(self.places.shape[1])

    def fields(self) -> dict[str, int]:
        """What a launch says of them."""
        return {"objects": address(self.pool), "object_places": address(self.places), "grids": self.grids}
