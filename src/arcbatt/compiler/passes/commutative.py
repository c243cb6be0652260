"""add(a, b) and add(b, a) are one node."""

from __future__ import annotations

from typing import Any, Final

from arcbatt.language.spec import Fact
from arcbatt.language.table import STANDARD

_COMMUTATIVE: Final = STANDARD.names_with(Fact.COMMUTATIVE)


def canonical_order(op: str, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The nodes a call takes, in one order where either gives the same."""
    return (args[1], args[0]) if op in _COMMUTATIVE and args[1] < args[0] else args
