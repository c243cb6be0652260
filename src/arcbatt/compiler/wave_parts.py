"""What a schedule of waves is made of: nodes, waves, and the stretches and repeats in which these run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from arcbatt.compiler.wave_kernels import WaveKernel


class WaveNode(NamedTuple):
    """One instruction of a wave by its slots; those below 0 are of the waves' own making, 0 is none."""

    domain: int
    slots: tuple[int, ...]
    """Of the result, of its steps where these are kept, of the item's steps, which its own are added to, and of its
    arguments: in the order of its record."""
    type: int = 0
    """Of the result, in the table of types of the code."""
    times: int = 0
    """How often its steps count."""
    which: int = 0
    """A number the phase of its kernel knows."""
    frames: int = -1
    """The domain whose frame it looks at, or -1."""
    waits: tuple[int, ...] = ()
    """Slots that must be there before, beside those it names."""
    domains: tuple[int, ...] = ()
    """Which domain sees each slot (of an index, the value of the domain around it that has the slot), where that is not
    the node's own for all of them."""

    @property
    def result(self) -> int:
        """The slot of the result."""
        return self.slots[0]


@dataclass
class Wave:
    """Nodes that one kernel runs at a time."""

    kernel: WaveKernel
    level: int
    nodes: list[WaveNode] = field(default_factory=list)
    after: list[int] = field(default_factory=list)
    """The waves it takes values from, by number."""
    needs: list[int] = field(default_factory=list)
    """The slots that its nodes come after, while a schedule is made."""


@dataclass
class Stretch:
    """Waves from one number up to another that run once."""

    first: int
    end: int


@dataclass
class Repeat:
    """The bodies of powers, run as often as the longest of them takes."""

    parts: list[Part]
    turns: int
    """How often that is, where all are constants; else 0."""
    left: list[int]
    """Slots that say of each item how often is left."""


Part = Stretch | Repeat
_DEPTH: Final = 1 << 20
"""Levels between powers and those that need their results: all that need equally many run together."""


class Block:
    """Waves by level and kernel; powers of one level, and about equally many turns, repeat as a block of their own."""

    def __init__(self) -> None:
        self.waves: dict[tuple[int, WaveKernel], Wave] = {}
        self.levels: dict[int, int] = {}
        """Of slots that it fills."""
        self.repeats: dict[int, dict[int, tuple[Block, Repeat]]] = {}
        """By level, and by what says that they take about equally many turns."""

    def level_after(self, slots: Iterable[int]) -> int:
        """The first level at which slots are filled."""
        return 1 + max((self.levels.get(slot, 0) for slot in slots), default=0)

    def repeat_after(self, slots: Iterable[int]) -> int:
        """The first level for a power at which slots are filled."""
        return (self.level_after(slots) // _DEPTH + 1) * _DEPTH

    def repeat(self, level: int, alike: int, turns: int) -> tuple[Block, Repeat]:
        """Where the body of a power of a level goes that takes so many turns, or 0 for a computed number of them."""
        block, repeat = self.repeats.setdefault(level, {}).setdefault(alike, (Block(), Repeat([], turns, [])))
        repeat.turns = max(repeat.turns, turns) if turns and repeat.turns else 0
        return block, repeat

    def flattened(self, waves: list[Wave]) -> list[Part]:
        """Add its waves to a list, in order; what runs when."""
        parts: list[Part] = []
        first = len(waves)
        levels: dict[int, list[Wave]] = {level: [] for level in self.repeats}
        for wave in sorted(self.waves.values(), key=lambda one: (one.kernel.phase, one.kernel.words[0])):
            levels.setdefault(wave.level, []).append(wave)
        for level in sorted(levels):
            if level in self.repeats:
                if len(waves) > first:
                    parts.append(Stretch(first, len(waves)))
                for inner, repeat in self.repeats[level].values():
                    repeat.parts = inner.flattened(waves)
                    parts.append(repeat)
                first = len(waves)
            waves += levels[level]
        if len(waves) > first:
            parts.append(Stretch(first, len(waves)))
        return parts
