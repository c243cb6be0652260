"""Which native function serves which primitive for which types. Opcodes are places in this list."""

from __future__ import annotations

from typing import Final, NamedTuple

from arcbatt.language import limits
from arcbatt.language.spec import Cost, Kind
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
    for name, spec in STANDARD.ops.items():
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


def empty_tuple_text() -> str:
    """The text of empty_tuple.inc: variants that fail for type given () for an IJ, at once or after the grid."""
    lines = ["// Generated from the op table by `make native`; do not edit."]
    for number, (name, rule) in enumerate(VARIANTS):
        if IJ in rule.params and name not in _SEES_IJ_LATE:
            lines.append(f"AB_EMPTY_TUPLE_FAILS({number})  // {name}: {rule}")
        elif name in _SEES_GRID_FIRST:
            lines.append(f"AB_EMPTY_TUPLE_AFTER_GRID({number})  // {name}: {rule}")
    return "\n".join(lines) + "\n"


_NUMBERS: Final = ("i32", "IJ")


def on_numbers(variant: Variant) -> bool:
    """Whether a variant takes and gives nothing but integers and IJs."""
    return all(NATIVE[kind] in _NUMBERS for kind in (*variant.rule.params, variant.rule.result))


def _line(macro: str, number: int) -> str:
    name, rule = VARIANTS[number]
    params = ", ".join(NATIVE[param] for param in rule.params)
    return f"{macro}({number}, {_KEYWORDS.get(name, name)}, {NATIVE[rule.result]}, {params})  // {rule}"


def scalars_text() -> str:
    """The text of scalars.inc: the variants on numbers alone."""
    lines = ["// Generated from the op table by `make native`; do not edit."]
    lines += [_line("AB_SCALAR", number) for number, variant in enumerate(VARIANTS) if on_numbers(variant)]
    return "\n".join(lines) + "\n"


def multiplies_text() -> str:
    """The text of multiplies.inc: variants that cost the product of their arguments' sizes."""
    lines = ["// Generated from the op table by `make native`; do not edit."]
    for number, (name, rule) in enumerate(VARIANTS):
        if STANDARD.op(name).cost is Cost.PRODUCT:
            lines.append(f"AB_MULTIPLIES({number})  // {name}: {rule}")
    return "\n".join(lines) + "\n"


def native_text() -> str:
    """The text of variants.inc."""
    lines = [
        "// Generated from the op table by `make native`; do not edit.",
        "// AB_VARIANT(opcode, function, result, parameters...)",
    ]
    lines += [_line("AB_VARIANT", number) for number in range(len(VARIANTS))]
    lines.append("#ifdef AB_CHECK_LIMITS")
    for limit in ("MAX_SIDE", "MAX_CELLS", "MAX_ITEMS", "MAX_SIZE", "MAX_STEPS", "MAX_FUNCTION_CALLS"):
        lines.append(f'static_assert(arcbatt::{limit} == {getattr(limits, limit)}, "{limit} differs from limits.py");')
    lines.append("#endif")
    return "\n".join(lines) + "\n"
