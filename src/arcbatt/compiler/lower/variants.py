"""Which native function serves which primitive for which types. Opcodes are places in this list."""

from __future__ import annotations

from typing import Final, NamedTuple

from arcbatt.compiler.cpp_names import cpp_name
from arcbatt.language import limits
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

IN_ORDER: Final = Rule((GRID, Seq(CELL)), GRID)
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
        rules = [*spec.rules, IN_ORDER] if Fact.CELLS_IN_ORDER in spec.facts else spec.rules
        found += [Variant(name, rule) for rule in rules]
    return found


VARIANTS: Final[list[Variant]] = _variants()
NUMBER: Final[dict[Variant, int]] = {variant: number for number, variant in enumerate(VARIANTS)}


def empty_tuple_text() -> str:
    """The text of empty_tuple.inc: variants that fail for type given () for an IJ, at once or after the grid."""
    lines = ["// Generated from the op table by `make native`; do not edit."]
    for number, (name, rule) in enumerate(VARIANTS):
        if IJ in rule.params and Fact.IJ_LATE not in STANDARD.op(name).facts:
            lines.append(f"AB_EMPTY_TUPLE_FAILS({number})  // {name}: {rule}")
        elif Fact.IJ_AFTER_GRID in STANDARD.op(name).facts:
            lines.append(f"AB_EMPTY_TUPLE_AFTER_GRID({number})  // {name}: {rule}")
    return "\n".join(lines) + "\n"


_NUMBERS: Final = ("i32", "IJ")


def on_numbers(variant: Variant) -> bool:
    """Whether a variant takes and gives nothing but integers and IJs."""
    return all(NATIVE[kind] in _NUMBERS for kind in (*variant.rule.params, variant.rule.result))


def _line(macro: str, number: int) -> str:
    name, rule = VARIANTS[number]
    params = ", ".join(NATIVE[param] for param in rule.params)
    return f"{macro}({number}, {cpp_name(name)}, {NATIVE[rule.result]}, {params})  // {rule}"


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
