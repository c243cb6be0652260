"""Which native function serves which primitive for which types. Opcodes are places in this list."""

from __future__ import annotations

from typing import Final, NamedTuple

from arcbatt.language.spec import Cost, Kind
from arcbatt.language.table import OPS
from arcbatt.language.types import BOOL, CELL, GRID, IJ, INDICES, INT, OBJECT, OBJECTS, OPT_INT, Rule, Seq, Set, Type

NATIVE: Final[dict[Type, str]] = {
    INT: "i32",
    BOOL: "i32",
    OPT_INT: "OptInt",
    IJ: "IJ",
    CELL: "Cell",
    GRID: "Grid",
    INDICES: "Indices",
    OBJECT: "Object",
    Set(INT): "Ints",
    Seq(INT): "IntSeq",
    OBJECTS: "Objects",
    Seq(OBJECT): "ObjectSeq",
    Seq(GRID): "GridSeq",
    Seq(CELL): "CellSeq",
}
"""The C++ type of each type a native function can take or give."""

_FAMILIES: Final = ("numbers", "colour and shape", "grids", "objects and patches")
_GENERIC: Final = ("equality", "astuple", "identity", "branch")
_KEYWORDS: Final = {"double": "double_", "switch": "switch_"}
_IN_ORDER: Final = ("paint", "underpaint")
"""Primitives for which a tuple of cells is not just the set of them: later cells cover earlier ones."""


class Variant(NamedTuple):
    """A primitive for concrete types."""

    name: str
    rule: Rule


def _variants() -> list[Variant]:
    found = []
    for name, spec in OPS.items():
        if spec.family not in _FAMILIES or name in _GENERIC or spec.kind is not Kind.PLAIN:
            continue
        rules = list(spec.rules)
        if name in _IN_ORDER:
            rules.append(Rule((GRID, Seq(CELL)), GRID))
        found += [Variant(name, rule) for rule in rules]
    return found


VARIANTS: Final[list[Variant]] = _variants()
NUMBER: Final[dict[Variant, int]] = {variant: number for number, variant in enumerate(VARIANTS)}

_SEES_IJ_LATE: Final = ("index", "move")
"""Primitives that can fail for another reason before they look at their IJ."""
_SEES_GRID_FIRST: Final = ("index",)
"""Those of them that only want a grid that is not empty, their first argument."""
_NUMBERS: Final = ("i32", "IJ")


class Native(NamedTuple):
    """A variant as the native code has it: a function of C++ types, and what the interpreter must know of it."""

    number: int
    function: str
    result: str
    params: tuple[str, ...]
    on_numbers: bool
    """Whether it takes and gives nothing but integers and IJs."""
    multiplies: bool
    """Whether it costs the product of its arguments' sizes."""
    empty_tuple: str
    """What it makes of () for an IJ: `fails` for type at once, `after grid`, or is left alone."""
    rule: str


def on_numbers(variant: Variant) -> bool:
    """Whether a variant takes and gives nothing but integers and IJs."""
    return all(NATIVE[kind] in _NUMBERS for kind in (*variant.rule.params, variant.rule.result))


def _native(number: int, variant: Variant) -> Native:
    name, rule = variant
    empty_tuple = ""
    if IJ in rule.params and name not in _SEES_IJ_LATE:
        empty_tuple = "fails"
    elif name in _SEES_GRID_FIRST:
        empty_tuple = "after grid"
    return Native(
        number,
        _KEYWORDS.get(name, name),
        NATIVE[rule.result],
        tuple(NATIVE[param] for param in rule.params),
        on_numbers(variant),
        OPS[name].cost is Cost.PRODUCT,
        empty_tuple,
        f"{name}: {rule}",
    )


FUNCTIONS: Final[list[Native]] = [_native(number, variant) for number, variant in enumerate(VARIANTS)]
