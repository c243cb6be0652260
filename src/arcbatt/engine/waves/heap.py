"""The heap of waves on a device: slots of nodes one behind the other, and behind them what values point to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from arcbatt.compiler.abi import WAVE_ARENA, WAVE_PLACE, constant
from arcbatt.engine.waves.kernels import THREADS, WIDTHS

MOST_WORDS: Final = (1 << 32) - 1
"""Values name each other by words of 32 bits."""
_ROWS: Final = constant("WAVE_ROWS")
_ARENA_BYTES: Final = {
    width: 4 * _ROWS + _ROWS * constant("WAVE_ROW_BLOCKS") * THREADS // width * WAVE_ARENA.bytes for width in WIDTHS
}
"""What the arenas of the groups of a width take, and which of them are in use (native/waves/block_arenas.h)."""
Place = tuple[int, int, int]
"""Base, stride and map of a node's values, an abi.WAVE_PLACE."""


def address(array: Any) -> int:
    """Where an array of the device begins."""
    return int(array.data.ptr)


@dataclass
class Heap:
    """Memory for values."""

    cupy: Any
    words: int

    def __post_init__(self) -> None:
        self.memory = self.cupy.empty(self.words, np.uint32)
        self.top = self.cupy.zeros(1, np.uint64)
        self.used = 0
        """Words that are taken before a run: constants and slots."""
        self._arenas = self.cupy.zeros(sum(_ARENA_BYTES.values()) // 4, np.uint32)

    def take(self, words: int) -> int:
        """Room that is taken before a run."""
        place = self.used
        self.used += words
        return place

    def arenas(self, width: int) -> int:
        """The address of the arenas of groups of a width."""
        return address(self._arenas) + sum(_ARENA_BYTES[one] for one in WIDTHS if one < width)

    def begin(self) -> None:
        """Forget all values but what was taken before."""
        self._arenas[...] = 0
        self.top[...] = -(-self.used // 64) * 64

    def over(self) -> bool:
        """Whether values did not fit."""
        return int(self.top[0]) > self.words


def places(rows: list[Place]) -> NDArray[np.uint32]:
    """Places as words."""
    return WAVE_PLACE.rows(rows)
