"""Instructions of bytecode as Python sees them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from arcbatt.compiler.abi import BODY, CODES, FIRST_LOOP, INSTRUCTION

_HEAD: Final = INSTRUCTION.words
_DST, _TIMES, _COST_PLACE, _STRICT, _COUNT, _TYPE = map(
    INSTRUCTION.place, ("dst", "times", "cost_place", "strict", "count", "type")
)


class BodyOf(NamedTuple):
    """A body as its loop names it."""

    code: int
    """Its place."""
    result: int
    type: int
    params: list[tuple[int, int]]
    """Slot and type of each."""


class Instruction:
    """An instruction's words, told apart as native/exec/code.h does; what ends code and charges have only two."""

    def __init__(self, words: Sequence[int]) -> None:
        self.words = words
        self.op, self.length = words[:2]

    @property
    def dst(self) -> int:
        """The slot of the result."""
        return self.words[_DST]

    @property
    def times(self) -> int:
        """How often it counts towards the steps of the loop it is in; -1 outside of loops."""
        times = self.words[_TIMES]
        return times - (1 << 32) if times >> 31 else times

    @property
    def cost_place(self) -> int:
        """Where its own steps are kept, or 0."""
        return self.words[_COST_PLACE]

    @property
    def strict(self) -> int:
        """How many arguments fail it when they have failed."""
        return self.words[_STRICT]

    @property
    def type(self) -> int:
        """The type of the result."""
        return self.words[_TYPE]

    @property
    def count(self) -> int:
        """How many arguments it has."""
        return self.words[_COUNT]

    @property
    def args(self) -> Sequence[int]:
        """The slots of the arguments."""
        return self.words[_HEAD : _HEAD + self.count]

    @property
    def arg_types(self) -> Sequence[int]:
        """Their types."""
        return self.words[_HEAD + self.count : _HEAD + 2 * self.count]

    @property
    def behind_args(self) -> Sequence[int]:
        """All that stands behind the slots of the arguments: their types, and what `extra` has."""
        return self.words[_HEAD + self.count :]

    @property
    def extra(self) -> Sequence[int]:
        """Flags and what stands behind them."""
        return self.words[_HEAD + 2 * self.count :]

    @property
    def typed_args(self) -> list[tuple[int, int]]:
        """Slot and type of each argument."""
        return list(zip(self.args, self.arg_types, strict=True))

    @property
    def bodies(self) -> list[BodyOf]:
        """Those of a loop."""
        found: list[BodyOf] = []
        at = 2
        for _ in range(self.extra[1] if self.op >= FIRST_LOOP else 0):
            code, result, kind, count = self.extra[at : at + BODY.words]
            at += BODY.words
            params = [(self.extra[at + 2 * k], self.extra[at + 2 * k + 1]) for k in range(count)]
            found.append(BodyOf(code, result, kind, params))
            at += 2 * count
        return found


def instructions(code: Sequence[int]) -> Iterator[Sequence[int]]:
    """The instructions of a body, without the one that ends it."""
    at = 0
    while code[at] != CODES["END_BODY"]:
        yield code[at : at + code[at + 1]]
        at += code[at + 1]
