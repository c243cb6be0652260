"""The one table of primitives, as the standard language; and the language in use, which may have custom operations."""

from __future__ import annotations

from typing import Final

from arcbatt.errors import UsageError
from arcbatt.language.constants import CONSTANTS
from arcbatt.language.language import Language
from arcbatt.language.primitives import (
    completing,
    containers,
    functions,
    grids,
    lattices,
    measures,
    numbers,
    objects,
    rays,
    rules,
    shapes,
)
from arcbatt.language.spec import OpSpec

FAMILIES: Final = (
    numbers,
    containers,
    functions,
    shapes,
    grids,
    objects,
    completing,
    rays,
    lattices,
    measures,
    rules,
)

STANDARD: Final = Language((spec for family in FAMILIES for spec in family.OPS), CONSTANTS)
"""Every primitive of the table, in the order of the families."""


class _InUse:
    language = STANDARD


def current() -> Language:
    """The language programs are read, compiled and run in now: the standard one, and what `add_op` added.

    Ask for it when it is used; what is computed from it holds for this language object and no other.
    """
    return _InUse.language


def add_op(spec: OpSpec) -> None:
    """Make a custom operation a primitive of the language in use."""
    _InUse.language = _InUse.language.extended(spec)


def remove_op(name: str) -> None:
    """Take a custom operation out of the language in use."""
    if name in STANDARD.ops or name not in current().ops:
        raise UsageError(f"{name!r} is no custom operation")
    _InUse.language = _InUse.language.without(name)
