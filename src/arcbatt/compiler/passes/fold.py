"""Calls of constants, computed when the program is compiled."""

from __future__ import annotations

from typing import Final

from arcbatt.language.failures import Fail, Reason
from arcbatt.language.reference import Machine
from arcbatt.language.values import Value

MOST_STEPS: Final = 20_000
"""Steps of one call that is computed."""
_MOST_SIZE: Final = 4_000
_MOST_STEPS_OF_ALL: Final = 1_000_000


class Folder:
    """Folds calls as long as all of them together take few steps: compiling must not run programs."""

    def __init__(self) -> None:
        self._steps_left = _MOST_STEPS_OF_ALL

    def folded(self, op: str, values: tuple[Value, ...]) -> tuple[Value, int] | None:
        """What a primitive gives and the steps that takes; None where it fails, takes long or gives much."""
        if self._steps_left <= 0:
            return None
        machine = Machine(MOST_STEPS)
        try:
            result = machine.primitive(machine.language.op(op), values, machine.call)
        except Fail as fail:
            # What is beyond a limit may have been made before it was measured.
            self._steps_left -= MOST_STEPS if fail.reason is Reason.LIMIT else machine.steps
            return None
        self._steps_left -= machine.steps
        return (result, machine.steps) if machine.size(result) <= _MOST_SIZE else None
