"""What a program runs on: the values of its parameters I, S and C."""

from __future__ import annotations

from dataclasses import dataclass

from arcbatt.language.values import Grid


@dataclass(frozen=True, slots=True)
class Sample:
    """What a program runs on: an input, the task's demonstration pairs, and the expected output if known."""

    I: Grid  # noqa: E741 - the language's own name
    S: tuple[tuple[Grid, Grid], ...] = ()
    C: Grid | None = None
