"""The heap of waves on a device: slots of nodes one behind the other, and behind them what values point to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from arcbatt.compiler.abi import WAVE_ARENA, constant
from arcbatt.engine.cuda.compile import LANES
from arcbatt.engine.waves.kernels import BLOCK, BLOCKS, THREADS, WIDTHS

MOST_WORDS: Final = (1 << 32) - 1
"""Values name each other by words of 32 bits."""
_RESIDENT: Final = 2048 // THREADS
"""Blocks of a multiprocessor that can run at a time, at most."""
_PIECES: Final = {1: constant("THREAD_PIECE"), LANES: constant("WARP_PIECE"), BLOCK: constant("BLOCK_PIECE")}
"""Words that groups of a width take at a time."""
_IN_PIECES: Final = 0.6
"""The part of the heap that groups may have in pieces that they have just begun."""
Place = tuple[int, int, int]
"""Base, stride and map of a node's values, an abi.WAVE_PLACE."""


def address(array: Any) -> int:
    """Where an array of the device begins."""
    return int(array.data.ptr)


def _groups(blocks: int) -> dict[int, int]:
    """How many groups of each width there are in a line at most."""
    return {width: blocks * THREADS // width for width in WIDTHS} | {BLOCK: BLOCKS * -(-blocks // _RESIDENT)}


@dataclass
class Heap:
    """Memory for values. Waves that may run at the same time (`lines`) have pieces of their own."""

    cupy: Any
    words: int
    lines: int
    blocks: int
    """Most blocks of a launch."""

    def __post_init__(self) -> None:
        self.memory = self.cupy.empty(self.words, np.uint32)
        self.top = self.cupy.zeros(2, np.uint64)
        """Where the next piece begins, and how often there was no room for one."""
        self.used = 0
        """Words that are taken before a run: constants and slots."""
        self._groups = _groups(self.blocks)
        self._arenas = self.cupy.zeros(self.lines * sum(self._groups.values()) * WAVE_ARENA.words, np.uint32)

    @classmethod
    def resident(cls, cupy: Any, words: int, lines: int = 1) -> Heap:
        """A heap for launches that fill the current device, with fewer lines where pieces would fill it."""
        blocks = _RESIDENT * int(cupy.cuda.Device().attributes["MultiProcessorCount"])
        of_line = sum(_PIECES[width] * groups for width, groups in _groups(blocks).items())
        return cls(cupy, words, max(1, min(lines, int(_IN_PIECES * words / of_line))), blocks)

    def take(self, words: int) -> int:
        """Room that is taken before a run."""
        place = self.used + self.used % 2  # steps are 64 bits
        self.used = place + words
        return place

    def take_all(self, words: NDArray[np.int64]) -> NDArray[np.int64]:
        """The same for many, one behind the other."""
        taken = words + words % 2
        places: NDArray[np.int64] = self.used + self.used % 2 + np.cumsum(taken) - taken
        if len(words):
            self.used = int(places[-1] + words[-1])
        return places

    def arenas(self, width: int, line: int = 0) -> int:
        """The address of the arenas of groups of a width."""
        before = sum(groups for other, groups in self._groups.items() if other < width)
        return address(self._arenas) + (line * sum(self._groups.values()) + before) * WAVE_ARENA.bytes

    def groups(self, width: int) -> int:
        """How many groups of a width may run at a time."""
        return self._groups[width]

    def begin(self) -> None:
        """Forget all values but what was taken before."""
        self._arenas[...] = 0
        self.top[...] = self.cupy.asarray(np.array([-(-self.used // 64) * 64, 0], np.uint64))

    def over(self) -> bool:
        """Whether values did not fit."""
        return int(self.top[1]) > 0
