"""The one table of primitives. Opcodes, docs, the parser and the generators all look here."""

from __future__ import annotations

from typing import Final

from arcbatt.language.constants import CONSTANTS
from arcbatt.language.primitives import containers, functions, grids, numbers, objects, shapes
from arcbatt.language.spec import OpSpec

FAMILIES: Final = (numbers, containers, functions, shapes, grids, objects)

OPS: Final[dict[str, OpSpec]] = {spec.name: spec for family in FAMILIES for spec in family.OPS}
"""Every primitive by name, in the order of the families."""

LANGUAGE: Final = frozenset(OPS)
"""The names of the language itself; OPS may come to hold operations of one's own."""

if overlap := OPS.keys() & CONSTANTS.keys():
    raise RuntimeError(f"names both primitive and constant: {sorted(overlap)}")
