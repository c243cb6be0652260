"""Calls of constants, computed when the program is compiled."""

from __future__ import annotations

from typing import Final

from arcbatt.language.failures import Fail
from arcbatt.language.reference import Machine
from arcbatt.language.values import Value

_MOST_STEPS: Final = 20_000
_MOST_SIZE: Final = 4_000


def folded(op: str, values: tuple[Value, ...]) -> tuple[Value, int] | None:
    """What a primitive gives and the steps that takes; None where it fails, takes long or gives much."""
    machine = Machine(_MOST_STEPS)
    try:
        result = machine.primitive(machine.language.op(op), values, machine.call)
    except Fail:
        return None
    return (result, machine.steps) if machine.size(result) <= _MOST_SIZE else None
