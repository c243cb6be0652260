"""The versions of the generator: a seed names a program for ever within one of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final, Protocol

from arcbatt.devtools.generate.failing import FailingCalls
from arcbatt.devtools.generate.full import Full
from arcbatt.devtools.generate.well_typed import WellTyped
from arcbatt.language.program import Program


class Source(Protocol):
    """What draws programs."""

    def program(self, name: str, lines: int, samples: bool) -> Program:
        """A program of about so many lines; with `samples`, over (S, I, C)."""


VERSIONS: Final[dict[int, Callable[[int | str], Source]]] = {
    1: WellTyped,
    2: Full,
    3: partial(Full, version=3),
    4: partial(Full, version=4),
    5: partial(Full, version=5),
    6: FailingCalls,
}
VERSION: Final = 5
"""What new runs draw with. Version 6 is of one kind of programs, for runs that draw with several."""


class Generator:
    """Draws programs, as a version of the generator does."""

    def __init__(self, seed: int | str, version: int = VERSION) -> None:
        self._source = VERSIONS[version](seed)

    def program(self, name: str = "solve_random", lines: int = 8, samples: bool = False) -> Program:
        """A program of about so many lines; with `samples`, over (S, I, C)."""
        return self._source.program(name, lines, samples)
