"""Defects of arcbatt itself, kept to the programs that meet them: those run on the next tier, all others as ever."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

_LINES: Final = 12
"""Of a traceback, the last ones, which say where."""
_Made = TypeVar("_Made")


@dataclass(frozen=True)
class InternalError:
    """What was raised over a program that nobody had foreseen, for a bug report."""

    stage: str
    error: str
    """Kind and text of the exception."""
    trace: str
    """The last lines of the traceback."""

    @classmethod
    def of(cls, stage: str, error: Exception) -> InternalError:
        """From the exception, at a stage such as `lowering`."""
        lines = "".join(traceback.format_exception(error, chain=False)).splitlines()
        return cls(stage, f"{type(error).__name__}: {error}", "\n".join(lines[-_LINES:]))

    def __str__(self) -> str:
        return f"internal error in {self.stage}: {self.error.partition(chr(10))[0]}"


InternalErrors = dict[str, InternalError]
"""By program."""


def pinned_down(names: Sequence[str], attempt: Callable[[list[str]], object], stage: str) -> InternalErrors:
    """The programs over which an attempt raises: tried on all, then on halves of those that it raises over.

    Every other program was in a list that the attempt went through with.
    """
    try:
        attempt(list(names))
    except Exception as error:
        if not names:
            raise
        if len(names) == 1:
            return {names[0]: InternalError.of(stage, error)}
        middle = len(names) // 2
        return pinned_down(names[:middle], attempt, stage) | pinned_down(names[middle:], attempt, stage)
    return {}


def made_of_most(names: Sequence[str], make: Callable[[list[str]], _Made], stage: str) -> tuple[_Made, InternalErrors]:
    """What is made of all programs but those over which that raises, and these.

    Where programs raise only together none of them is in it. What is raised over no program at all is raised.
    """
    try:
        return make(list(names)), {}
    except Exception as error:
        made = make([])
        errors = pinned_down(names, make, stage) or dict.fromkeys(names, InternalError.of(stage, error))
    rest = [name for name in names if name not in errors]
    if not rest:
        return made, errors
    try:
        return make(rest), errors
    except Exception as error:
        return made, errors | dict.fromkeys(rest, InternalError.of(stage, error))
