"""The ends of waves: inputs of samples placed in the heap, values of slots looked at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from arcbatt.compiler.abi import PACKED, POOL_UNIT, WAVE_INPUTS, WAVE_LOOK, WAVE_LOOKED, WAVE_TAKE
from arcbatt.compiler.lower.shapes import shape_of, typed_shape
from arcbatt.data.packing import PackedSamples
from arcbatt.engine.cuda.compile import LANES
from arcbatt.engine.outputs import Wanted
from arcbatt.engine.waves import kernels
from arcbatt.engine.waves.heap import Heap, Place, address
from arcbatt.engine.waves.results import Results
from arcbatt.language.limits import MAX_CELLS
from arcbatt.language.types import GRID, Type

_POOL_BYTES: Final = 1 << 24
"""Room for grids that are kept, at first."""
_POOL_WORDS: Final = 1 << 20
"""And for the words of values."""


@dataclass(frozen=True)
class PlacedInputs:
    """The inputs of samples on the device, and the launch that places them."""

    arrays: dict[str, Any]
    launch: Any
    count: int


@dataclass(frozen=True)
class Looking:
    """Slots to look at: the words of their shapes, and of each width the records and how many there are."""

    words: Any
    rows: dict[int, Any]
    numbers: dict[int, int]
    columns: int


@dataclass(frozen=True)
class Taken:
    """Values as words on the host: of each its status, where its words are in the pool, and how many."""

    statuses: NDArray[np.uint8]
    starts: NDArray[np.uint64]
    lengths: NDArray[np.uint32]
    pool: NDArray[np.uint32]

    def values(self, forms: Any) -> list[Any]:
        """As Python values, None where there is none; `forms` is a `Calls` of the core that gives this type."""
        found: list[Any] = forms.decoded(statuses=self.statuses, pool=self.pool, place=self.starts, length=self.lengths)
        return found


class Ends:
    """The kernels that are the same for every schedule, over one heap."""

    def __init__(self, heap: Heap) -> None:
        self.cupy, self.heap = heap.cupy, heap
        modules = kernels.modules(self.cupy, kernels.ENDS.values())
        self._inputs = modules[kernels.ENDS[LANES]].get_function(kernels.INPUTS_ENTRY)
        self._look = {width: modules[one].get_function(kernels.LOOK_ENTRY) for width, one in kernels.ENDS.items()}

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

    def looking(self, places: Sequence[tuple[Place, Type]]) -> Looking:
        """What is to be looked at, on the device.

        A warp looks at a grid; other values are read from one end to the other, each by a thread.
        """
        shapes = [shape_of(kind) for _, kind in places]
        starts = np.cumsum([0, *map(len, shapes)])
        words = self.cupy.asarray(np.array([word for shape in shapes for word in shape] or [0], np.uint32))
        base = address(words)
        rows: dict[int, list[Any]] = {width: [] for width in kernels.WIDTHS}
        for column, (place, kind) in enumerate(places):
            row = place, base + 4 * int(starts[column]), len(shapes[column]), column
            rows[LANES if kind == GRID else 1].append(row)
        given = {width: self.cupy.asarray(WAVE_LOOKED.rows(some)) for width, some in rows.items() if some}
        return Looking(words, given, {width: len(some) for width, some in rows.items()}, len(places))

    def look(
        self,
        looked: Looking | Sequence[tuple[Place, Type]],
        count: int,
        wanted: Wanted = "hash",
        inputs: PlacedInputs | None = None,
        largest: int = MAX_CELLS,
    ) -> tuple[Results, int]:
        """So many values of each of some slots, a column of the results each; and the bytes that grids take.

        With the inputs they were made of they are compared with what is expected.
        """
        looking = looked if isinstance(looked, Looking) else self.looking(looked)
        used = _POOL_BYTES
        while True:
            found = Results.make(self.cupy, count, looking.columns, wanted, used)
            pool_next = self.cupy.zeros(1, np.uint32)
            for width, rows in looking.rows.items() if count else ():
                self._look_at(rows, looking.numbers[width], count, width, found, pool_next, inputs, largest)
            used = POOL_UNIT * int(pool_next[0]) if wanted == "grid" else 0
            if used <= len(found.pool):
                return found, used

    def _look_at(
        self,
        rows: Any,
        number: int,
        count: int,
        width: int,
        found: Results,
        pool_next: Any,
        inputs: PlacedInputs | None,
        largest: int,
    ) -> None:
        arrays = {"statuses": found.statuses, "hashes": found.hashes, "pool_next": pool_next, "pool": found.pool}
        arrays |= {"grid_offset": found.offset, "grid_height": found.height, "grid_width": found.width}
        if inputs:
            arrays |= {"matches": found.matches, "agreement": found.agreement}
        given = {name: address(array) if array.size else 0 for name, array in arrays.items()}
        samples = (
            {name: address(array) for name, array in inputs.arrays.items()}
            if inputs
            else dict.fromkeys(PACKED.names, 0)
        )
        words = WAVE_LOOK.filled(
            **self._heap(width),
            looked=address(rows),
            looked_count=number,
            count=count,
            samples=samples,
            columns=found.statuses.shape[1],
            pool_bytes=len(found.pool),
            largest=largest,
            **{"matches": 0, "agreement": 0, **given},
        )
        blocks = self._blocks(number * count, width)
        self._look[width]((blocks,), (kernels.THREADS,), (self.cupy.asarray(words),))

    def take(self, place: Place, kind: Type, count: int) -> Taken:
        """So many values of a slot as words on the host."""
        cupy, shape = self.cupy, typed_shape(kind)
        width = LANES if kind == GRID else 1
        function = kernels.modules(cupy, [kernels.VALUES[width]])[kernels.VALUES[width]].get_function(
            kernels.TAKE_ENTRY
        )
        arrays = {
            "statuses": cupy.zeros(count, np.uint8),
            "starts": cupy.zeros(count, np.uint64),
            "lengths": cupy.zeros(count, np.uint32),
        }
        there = cupy.asarray(np.array(shape, np.uint32))
        pool_words = _POOL_WORDS
        while True:
            arrays["pool"] = pool = cupy.empty(pool_words, np.uint32)
            arrays["pool_next"] = pool_next = cupy.zeros(1, np.uint32)
            given = {name: address(array) for name, array in arrays.items()}
            words = WAVE_TAKE.filled(
                heap=address(self.heap.memory),
                place=_place(place),
                count=count,
                shape=address(there),
                shape_words=len(shape),
                pool_words=pool_words,
                **given,
            )
            function((self._blocks(count, width),), (kernels.THREADS,), (cupy.asarray(words),))
            used = POOL_UNIT * int(pool_next[0])
            if used <= pool_words:
                break
            pool_words = used
        statuses, starts, lengths = (arrays[name].get() for name in ("statuses", "starts", "lengths"))
        return Taken(statuses, starts, lengths, pool[:used].get())

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
