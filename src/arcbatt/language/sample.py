"""What a program runs on: the values of its parameters I, S and C."""

from __future__ import annotations

from dataclasses import dataclass

from arcbatt.language.shown import quickly_plain
from arcbatt.language.values import Grid
from arcbatt.support.text import counted


@dataclass(frozen=True, slots=True)
class Sample:
    """What a program runs on: an input, the task's demonstration pairs, and the expected output if known.

    Lists and arrays are made grids.
    """

    I: Grid  # noqa: E741 - the language's own name
    S: tuple[tuple[Grid, Grid], ...] = ()
    C: Grid | None = None

    def __post_init__(self) -> None:
        for name in ("I", "S", "C"):
            value = getattr(self, name)
            if (made := quickly_plain(value)) is not value:
                object.__setattr__(self, name, made)

    def __repr__(self) -> str:
        known = "" if self.C is None else ", C known"
        return f"<Sample: I of {counted(len(self.I), 'row')}, {counted(len(self.S), 'demonstration')} in S{known}>"
