"""Which native function serves which primitive for which types. Opcodes are places in this list."""

from __future__ import annotations

from typing import Final, NamedTuple

from arcbatt.compiler.cpp_names import cpp_name
from arcbatt.language.spec import Cost, Fact, Kind
from arcbatt.language.table import STANDARD
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

CELL_SEQUENCE: Final = Rule((GRID, Seq(CELL)), GRID)
"""The rule of primitives for which a tuple of cells is not just the set of them, beside those of the table."""


class Variant(NamedTuple):
    """A primitive for concrete types."""

    name: str
    rule: Rule


def _variants() -> list[Variant]:
    found = []
    for name, spec in STANDARD.ops.items():
        if spec.generic or spec.kind is not Kind.PLAIN:
            continue
        rules = [*spec.rules, CELL_SEQUENCE] if Fact.CELLS_IN_ORDER in spec.facts else spec.rules
        found += [Variant(name, rule) for rule in rules]
    return found


VARIANTS: Final[list[Variant]] = _variants()
NUMBER: Final[dict[Variant, int]] = {variant: number for number, variant in enumerate(VARIANTS)}
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
    spec = STANDARD.op(name)
    empty_tuple = ""
    if IJ in rule.params and Fact.IJ_LATE not in spec.facts:
        empty_tuple = "fails"
    elif Fact.IJ_AFTER_GRID in spec.facts:
        empty_tuple = "after grid"
    return Native(
        number,
        cpp_name(name),
        NATIVE[rule.result],
        tuple(NATIVE[param] for param in rule.params),
        on_numbers(variant),
        spec.cost is Cost.PRODUCT,
        empty_tuple,
        f"{name}: {rule}",
    )


FUNCTIONS: Final[list[Native]] = [_native(number, variant) for number, variant in enumerate(VARIANTS)]
