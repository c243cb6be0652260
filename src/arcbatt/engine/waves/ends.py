"""The ends of waves: inputs of samples placed in the heap, values of slots looked at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcbatt.compiler.abi import PACKED, WAVE_INPUTS, WAVE_LOOK, WAVE_LOOKED
from arcbatt.compiler.lower.shapes import shape_of
from arcbatt.data.packing import PackedSamples
from arcbatt.engine.cuda.compile import LANES
from arcbatt.engine.waves import kernels
from arcbatt.engine.waves.heap import Heap, Place, address
from arcbatt.language.types import GRID, Type


@dataclass(frozen=True)
class PlacedInputs:
    """The inputs of samples on the device, and the launch that places them."""

    arrays: dict[str, Any]
    launch: Any
    count: int


class Ends:
    """The two kernels that are the same for every schedule, over one heap."""

    def __init__(self, heap: Heap) -> None:
        self.cupy, self.heap = heap.cupy, heap
        arch = int(self.cupy.cuda.Device().compute_capability)
        paths = kernels.compiled(self.cupy.cuda.nvrtc, kernels.ENDS.values(), arch)
        modules = {width: self.cupy.RawModule(path=str(paths[one])) for width, one in kernels.ENDS.items()}
        self._inputs = modules[LANES].get_function(kernels.INPUTS_ENTRY)
        self._look = {width: module.get_function(kernels.LOOK_ENTRY) for width, module in modules.items()}

    def inputs(self, data: PackedSamples, tasks: NDArray[np.int32], places: dict[str, Place]) -> PlacedInputs:
        """Samples on the device; `tasks` are those there are demonstrations of, `places` where I, S and C go."""
        mine = replace(data, first=data.first[tasks], count=data.count[tasks])
        there = {name: self.cupy.asarray(np.ascontiguousarray(getattr(mine, name))) for name in PACKED.names}
        names = {"I": "input", "C": "expected", "S": "demonstrations"}
        slots = {field: _place(places.get(name, (0, 0, 0))) for name, field in names.items()}
        packed = {name: address(array) for name, array in there.items()}
        words = WAVE_INPUTS.filled(**self._heap(LANES), samples=len(data), tasks=len(tasks), **slots, packed=packed)
        return PlacedInputs(there, self.cupy.asarray(words), len(data) + len(tasks))

    def place(self, inputs: PlacedInputs) -> None:
        """Put inputs into their slots, on the current stream."""
        self._inputs((self._blocks(inputs.count, LANES),), (kernels.THREADS,), (inputs.launch,))

    def look(self, places: Sequence[tuple[Place, Type]], count: int) -> tuple[Any, Any]:
        """Statuses and hashes of so many values of each of some slots, on the device, a row for each.

        A warp looks at a grid; other values are read from one end to the other, each by a thread.
        """
        rows = len(places)
        statuses, hashes = (self.cupy.zeros((rows, count), kind) for kind in (np.uint8, np.uint64))
        shapes = [shape_of(kind) for _, kind in places]
        starts = np.cumsum([0, *map(len, shapes)])
        words = self.cupy.asarray(np.array([word for shape in shapes for word in shape] or [0], np.uint32))
        for width in kernels.WIDTHS:
            looked = [
                (place, address(words) + 4 * int(starts[row]), len(shapes[row]), address(statuses) + row * count,
                 address(hashes) + 8 * row * count)
                for row, (place, kind) in enumerate(places)
                if (LANES if kind == GRID else 1) == width
            ]  # fmt: skip
            if looked and count:
                self._look_at(looked, count, width)
        return statuses, hashes

    def _look_at(self, looked: list[tuple[Place, int, int, int, int]], count: int, width: int) -> None:
        rows = self.cupy.asarray(WAVE_LOOKED.rows(looked))
        words = WAVE_LOOK.filled(**self._heap(width), looked=address(rows), looked_count=len(looked), count=count)
        blocks = self._blocks(len(looked) * count, width)
        self._look[width]((blocks,), (kernels.THREADS,), (self.cupy.asarray(words),))

    def _heap(self, width: int) -> dict[str, int]:
        return {
            "heap": address(self.heap.memory),
            "heap_words": self.heap.words,
            "top": address(self.heap.top),
            "arenas": self.heap.arenas(width),
        }

    def _blocks(self, groups: int, width: int) -> int:
        return max(1, min(self.heap.blocks, -(-groups * width // kernels.THREADS)))


def _place(place: Place) -> dict[str, int]:
    return dict(zip(("base", "stride", "map"), place, strict=True))
