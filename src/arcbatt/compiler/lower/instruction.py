"""Instructions of bytecode as Python sees them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from arcbatt.compiler.lower.codes import CODES


class Instruction:
    """An instruction's words, told apart as native/exec/code.h does; what ends code and charges have only two."""

    def __init__(self, words: Sequence[int]) -> None:
        self.words = words
        self.op, self.length = words[:2]

    @property
    def dst(self) -> int:
        """The slot of the result."""
        return self.words[2]

    @property
    def times(self) -> int:
        """How often it counts towards the steps of the loop it is in; -1 outside of loops."""
        return self.words[3] - (1 << 32) if self.words[3] >> 31 else self.words[3]

    @property
    def cost_place(self) -> int:
        """Where its own steps are kept, or 0."""
        return self.words[4]

    @property
    def strict(self) -> int:
        """How many arguments fail it when they have failed."""
        return self.words[5]

    @property
    def type(self) -> int:
        """The type of the result."""
        return self.words[7]

    @property
    def args(self) -> Sequence[int]:
        """The slots of the arguments."""
        return self.words[8 : 8 + self.words[6]]

    @property
    def arg_types(self) -> Sequence[int]:
        """Their types."""
        return self.words[8 + self.words[6] : 8 + 2 * self.words[6]]

    @property
    def extra(self) -> Sequence[int]:
        """Flags and what stands behind them."""
        return self.words[8 + 2 * self.words[6] :]

    @property
    def typed_args(self) -> list[tuple[int, int]]:
        """Slot and type of each argument."""
        return list(zip(self.args, self.arg_types, strict=True))


def instructions(code: Sequence[int]) -> Iterator[Sequence[int]]:
    """The instructions of a body, without the one that ends it."""
    at = 0
    while code[at] != CODES["END_BODY"]:
        yield code[at : at + code[at + 1]]
        at += code[at + 1]
