"""Bytecode as waves read it: its instructions, and which of them need which others."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from arcbatt.compiler.abi import CODES
from arcbatt.compiler.lower.instruction import BodyOf, Instruction
from arcbatt.compiler.wave_kernels import is_loop

CHARGE: Final = CODES["CHARGE"]
_POWER: Final = CODES["LOOP_POWER"]
_ENDS: Final = (CODES["HALT"], CODES["END_BODY"])


class Reading:
    """The instructions of bytecode."""

    def __init__(self, words: Sequence[int]) -> None:
        self._words = words

    def main(self) -> Iterator[Instruction]:
        """Those outside of loops."""
        return map(Instruction, self._from(0))

    def words_of(self, body: BodyOf) -> Iterator[Sequence[int]]:
        """The words of those of a body, charges among them."""
        return self._from(body.code)

    def inside(self, one: Instruction) -> Iterator[Instruction]:
        """Those in the bodies of a loop, not in bodies of these."""
        for body in one.bodies if is_loop(one.op) else ():
            yield from (Instruction(words) for words in self.words_of(body) if words[0] != CHARGE)

    def mentioned(self, one: Instruction) -> Sequence[int]:
        """Slots it reads, itself or in bodies; those that bodies fill are among them."""
        if not is_loop(one.op):
            return one.args
        found = list(one.args)
        for body in one.bodies:
            for words in self.words_of(body):
                found += words[4::2] if words[0] == CHARGE else self.mentioned(Instruction(words))
        return found

    def needed(self, code: Sequence[Instruction], wanted: Collection[int]) -> list[Instruction]:
        """The instructions that fill slots, and what these need."""
        found, slots = [], set(wanted)
        for one in reversed(code):
            if one.dst in slots or (one.cost_place and one.cost_place in slots):
                found.append(one)
                slots.update(self.mentioned(one))
        return found[::-1]

    def powers_and_users(self, code: Sequence[Instruction]) -> set[int]:
        """The results of instructions that have a power in them, or need one that has."""
        found: set[int] = set()
        for one in code:
            if self.has_power(one) or not found.isdisjoint(self.mentioned(one)):
                found |= {one.dst, one.cost_place} - {0}
        return found

    def has_power(self, one: Instruction) -> bool:
        """Whether an instruction is a power, or has one in it."""
        return is_loop(one.op) and (one.op == _POWER or any(map(self.has_power, self.inside(one))))

    def _from(self, at: int) -> Iterator[Sequence[int]]:
        """The words of instructions from a place on, without the one that ends them."""
        words = self._words
        while words[at] not in _ENDS:
            yield words[at : at + words[at + 1]]
            at += words[at + 1]
