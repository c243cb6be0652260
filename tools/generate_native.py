"""Write what C++ takes from Python, or check that it is up to date (--check).

native/abi.h has the declarations of compiler/abi.py, native/dynamic/table.h what the op table says of every primitive.
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from arcbatt.compiler import abi
from arcbatt.compiler.cpp_names import cpp_name
from arcbatt.compiler.declared import Constant, Enum, Field, Struct
from arcbatt.compiler.lower.variants import FUNCTIONS, Native
from arcbatt.language.primitives.numbers import equality
from arcbatt.language.reference import MAKES_GRID
from arcbatt.language.spec import Cost, Kind, OpSpec
from arcbatt.language.table import STANDARD

NATIVE = Path(__file__).resolve().parent.parent / "src" / "arcbatt" / "native"
_WIDTH = 120
_HEAD = """\
// What Python and C++ share. Generated from compiler/abi.py by `make native`; do not edit.
//
// Lists are macros: AB_CODES(ROW) is ROW(name) for every operation, and so on.
// clang-format off
#pragma once

#include "core/portability.h"
"""
_SUFFIX = {"u32": "u", "u64": "ull", "i32": "", "u8": "u"}


def comment(text: str) -> list[str]:
    """Lines of a comment."""
    return textwrap.wrap(text, _WIDTH, initial_indent="// ", subsequent_indent="// ")


def listed(name: str, params: str, rows: Iterable[str]) -> Iterator[str]:
    """A list as a macro."""
    yield " \\\n    ".join([f"#define {name}({params})", *rows])


def enum_lines(enum: Enum) -> Iterator[str]:
    """An enum."""
    yield ""
    yield from comment(enum.doc)
    yield f"enum {enum.name} : {enum.kind} {{"
    for name, number in enum.items():
        note = f"  // {enum.notes[name]}" if enum.notes[name] else ""
        yield f"    {enum.prefix}{name} = {number},{note}"
    yield "};"


def constant_line(name: str, one: Constant) -> str:
    """A constant."""
    number = f"{one.value}" if one.value >= 0 else f"{one.value + 1} - 1"
    if one.kind == "u64" and one.value >= 1 << 32:
        number = f"0x{one.value:X}"
    note = f"  // {one.note}" if one.note else ""
    return f"constexpr {one.kind} {name} = {number}{_SUFFIX[one.kind]};{note}"


def group_line(fields: Sequence[Field], note: str) -> str:
    """Fields of a struct that are declared together."""
    kind, star, _ = fields[0].type_name.partition("*")
    names = ", ".join(f"{star}{field.name}" for field in fields)
    return f"    {kind} {names};" + (f"  // {note}" if note else "")


def struct_lines(struct: Struct) -> Iterator[str]:
    """A struct."""
    yield ""
    yield from comment(struct.doc)
    yield f"struct {struct.name} {{"
    yield from (group_line(fields, note) for fields, note in struct.groups)
    yield "};"


def layout_lines() -> Iterator[str]:
    """Where every field lies as NumPy has it, and that C++ agrees."""
    yield ""
    yield from comment("Every struct and its size, every field and where it begins, in bytes.")
    rows: list[str] = []
    for one in abi.STRUCTS:
        rows.append(f"STRUCT({one.name}, {one.bytes})")
        rows += [f"FIELD({one.name}, {name}, {offset})" for name, offset in one.offsets.items()]
    yield from listed("AB_STRUCTS", "STRUCT, FIELD", rows)
    yield '#define AB_SIZE(type, size) static_assert(sizeof(type) == size, #type " has another size in abi.py");'
    yield from ("#if AB_DEVICE  // NVRTC has no offsetof", "#define AB_OFFSET(type, field, offset)", "#else")
    yield "#define AB_OFFSET(type, field, offset) \\"
    yield '    static_assert(__builtin_offsetof(type, field) == offset, #type "." #field " lies elsewhere in abi.py");'
    yield "#endif"
    yield "AB_STRUCTS(AB_SIZE, AB_OFFSET)"
    yield from ("#undef AB_SIZE", "#undef AB_OFFSET")


def function_row(one: Native) -> str:
    """A native function in a list."""
    return f"ROW({one.number}, {one.function}, {one.result}, {', '.join(one.params)}) /* {one.rule} */"


def numbered(functions: Iterable[Native]) -> list[str]:
    """Native functions in a list of opcodes."""
    return [f"ROW({one.number}) /* {one.rule} */" for one in functions]


def lists() -> Iterator[str]:
    """What is expanded by macros."""
    yield ""
    yield from comment("Names of statuses, which are numbered from 0 on, and of operations.")
    yield from listed("AB_STATUSES", "ROW", [f"ROW({name})" for name in abi.STATUSES])
    yield from listed("AB_CODES", "ROW", [f"ROW({name})" for name in abi.CODES])
    yield from listed("AB_GENERIC_CALLS", "ROW", [f"ROW({name})" for name in abi.GENERIC_CALLS])
    yield ""
    yield from comment("Codes over cells: name, how many values one takes, how many words stand behind it.")
    yield from listed("AB_CELL_CODES", "ROW", [f"ROW({', '.join(map(str, row))})" for row in abi.cell_code_rows()])
    yield ""
    yield from comment("Native functions: opcode, name, C++ types of the result and of the parameters.")
    yield from listed("AB_VARIANTS", "ROW", map(function_row, FUNCTIONS))
    yield ""
    yield from comment("Those on numbers alone; those that cost the product of their arguments' sizes; those that fail "
                       "for type given () for an IJ, at once or after they have looked at their grid.")  # fmt: skip
    yield from listed("AB_SCALARS", "ROW", (function_row(one) for one in FUNCTIONS if one.on_numbers))
    yield from listed("AB_MULTIPLIES", "ROW", numbered(one for one in FUNCTIONS if one.multiplies))
    for what in ("fails", "after grid"):
        name = f"AB_EMPTY_TUPLE_{what.replace(' ', '_').upper()}"
        yield from listed(name, "ROW", numbered(one for one in FUNCTIONS if one.empty_tuple == what))
    yield ""
    yield from comment("Loops that can run columnar; that look for the best item; and that give its value.")
    for what, names in abi.LOOPS.items():
        yield from listed(f"AB_{what}_LOOPS", "ROW", (f"ROW({name})" for name in names))
    yield ""
    yield from comment("How the check on load writes a type.")
    yield from listed("AB_PATTERNS", "ROW", (f'ROW({kind}, "{pattern}")' for kind, pattern in abi.PATTERNS.items()))
    yield ""
    yield from comment("The arrays of packed samples: type of an entry, name.")
    yield from listed("AB_PACKED", "ROW", (f"ROW({field.pointee}, {field.name})" for field in abi.PACKED.fields))


def text() -> str:
    """The text of abi.h."""
    lines = [_HEAD, "namespace arcbatt {", ""]
    lines += comment("A digest of all that is declared here.")
    lines.append(f"constexpr u64 ABI_VERSION = 0x{abi.VERSION_TEXT}ull;")
    for enum in abi.ENUMS:
        lines += enum_lines(enum)
    lines.append("")
    lines += [constant_line(name, one) for name, one in abi.CONSTANTS.items()]
    for struct in abi.STRUCTS:
        lines += struct_lines(struct)
    return "\n".join([*lines, *layout_lines(), "", "}  // namespace arcbatt", *lists()]) + "\n"


_TABLE = """\
// What the op table says of every primitive, for the dynamic tier. Generated by `make native`; do not edit.
//
// AB_DYNAMIC(ROW, COMBINATOR) is ROW(name, function, kind, arity, whether it costs the product of its arguments' sizes,
// whether a tuple it gives is a grid), and COMBINATOR(name, arity).
// clang-format off
#pragma once
"""


def table_row(spec: OpSpec) -> str:
    """A primitive in the table of the dynamic tier."""
    if spec.kind is Kind.COMBINATOR:
        return f"COMBINATOR({spec.name}, {spec.arity})"
    facts = (spec.cost is Cost.PRODUCT, spec.name in MAKES_GRID)
    return f"ROW({spec.name}, {cpp_name(spec.name)}, {spec.kind.name}, {spec.arity}, {facts[0]:d}, {facts[1]:d})"


def table() -> str:
    """The text of dynamic/table.h."""
    matches_by = ["", "// What a matcher compares with.", f'#define AB_MATCHES_BY "{equality.__name__}"', ""]
    lines = [_TABLE, *listed("AB_DYNAMIC", "ROW, COMBINATOR", map(table_row, STANDARD.ops.values())), *matches_by]
    return "\n".join(lines)


def main() -> None:
    """Write or check."""
    for name, written in (("abi.h", text()), ("dynamic/table.h", table())):
        target = NATIVE / name
        if target.exists() and target.read_text(encoding="utf-8") == written:
            continue
        if "--check" in sys.argv:
            sys.exit(f"native/{name} is out of date; run: make native")
        target.write_text(written, encoding="utf-8")
    print(f"ABI {abi.VERSION_TEXT}: {len(FUNCTIONS)} native functions, {len(abi.STRUCTS)} structs")


if __name__ == "__main__":
    main()
