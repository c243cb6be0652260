"""Identities of the language: calls that equal a smaller one, whatever the values."""

from __future__ import annotations

from typing import Final

from arcbatt.language.reference import call
from arcbatt.language.spec import Fact
from arcbatt.language.table import STANDARD

TURNS: Final = ("rot90", "rot180", "rot270", "hmirror", "vmirror", "dmirror", "cmirror")
_PROBE: Final = ((1, 2, 3), (4, 5, 6))
_TURNED: Final = {call(name, _PROBE): name for name in TURNS} | {_PROBE: "identity"}

TURN_OF_TURN: Final = {(outer, inner): _TURNED[call(outer, call(inner, _PROBE))] for outer in TURNS for inner in TURNS}
"""Two turns of a full grid are one turn, or none: read off a probe that tells all eight apart."""

IDEMPOTENT: Final = frozenset(name for name, spec in STANDARD.ops.items() if Fact.IDEMPOTENT in spec.facts)
TURN_INVARIANT: Final = frozenset(name for name, spec in STANDARD.ops.items() if Fact.TURN_INVARIANT in spec.facts)
KEEPS_SOLID: Final = frozenset(name for name, spec in STANDARD.ops.items() if Fact.KEEPS_GRID in spec.facts)
