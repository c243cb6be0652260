"""The named constants of the language."""

from __future__ import annotations

from typing import Final

_WORDS = ["ZERO", "ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE", "TEN"]

CONSTANTS: Final[dict[str, int | tuple[int, int]]] = {
    "T": True,
    "F": False,
    **{word: value for value, word in enumerate(_WORDS)},
    "NEG_ONE": -1,
    "NEG_TWO": -2,
    "HUNDRED": 100,
    "THOUSAND": 1000,
    "DOWN": (1, 0),
    "RIGHT": (0, 1),
    "UP": (-1, 0),
    "LEFT": (0, -1),
    "ORIGIN": (0, 0),
    "UNITY": (1, 1),
    "NEG_UNITY": (-1, -1),
    "UP_RIGHT": (-1, 1),
    "DOWN_LEFT": (1, -1),
    "ZERO_BY_TWO": (0, 2),
    "TWO_BY_ZERO": (2, 0),
    "TWO_BY_TWO": (2, 2),
    "THREE_BY_THREE": (3, 3),
    **{f"R{mode}": mode for mode in range(8)},
    **{f"F{rank}": rank for rank in range(10)},
    **{f"L{rank}": -rank for rank in range(1, 10)},
}
"""Name to value: numbers, directions and shapes, object modes R0..R7, ranks F0..F9 and L1..L9."""
