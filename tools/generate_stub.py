"""Write src/arcbatt/dsl.pyi from the op table, so that mypy and editors know every primitive; or check it (--check)."""

from __future__ import annotations

import sys
from itertools import groupby
from pathlib import Path

from arcbatt.language.constants import CONSTANTS
from arcbatt.language.spec import OpSpec
from arcbatt.language.table import STANDARD
from arcbatt.language.types import BOOL, GRID, INT, OPT_INT, Fn, Seq, Set, Tup, Type

TARGET = Path(__file__).resolve().parent.parent / "src" / "arcbatt" / "dsl.pyi"
HEAD = '''"""The vocabulary as Python names; generated from the op table by `make docs`, do not edit.

Arguments may be lists and arrays, and what has failed; what comes back is a plain value, or Failed.
"""

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Final, TypeAlias

from numpy.typing import NDArray

from arcbatt.language.calling import PythonFunction as _Function
from arcbatt.language.failures import Failed as Failed
from arcbatt.language.functions import Function as _FunctionValue

_AnyGrid: TypeAlias = Sequence[Sequence[int]] | NDArray[Any] | Failed
_AnyInt: TypeAlias = int | None | Failed
_AnyTuple: TypeAlias = tuple[Any, ...] | list[Any] | Failed
_AnyItems: TypeAlias = AbstractSet[Any] | tuple[Any, ...] | list[Any] | Failed
_AnyFunction: TypeAlias = Callable[..., Any] | _FunctionValue | Failed

_Grid: TypeAlias = tuple[tuple[int, ...], ...]
_IJ: TypeAlias = tuple[int, int]
_Cell: TypeAlias = tuple[int, _IJ]
_Object: TypeAlias = frozenset[_Cell]
_Indices: TypeAlias = frozenset[_IJ]

def invoke(function: Any, *args: Any) -> Any:
    """A function value of the arguments, or Failed; anything else in its place fails too."""
'''
ALIASES = {"tuple[int, int]": "_IJ", "tuple[int, _IJ]": "_Cell", "frozenset[_Cell]": "_Object",
           "frozenset[_IJ]": "_Indices"}  # fmt: skip


def taken(term: Type) -> str:
    """What a primitive takes where a rule has this type."""
    match term:
        case Set():
            return "_AnyItems"
        case Seq() | Tup():
            return "_AnyTuple"
        case Fn():
            return "_AnyFunction"
    return {INT: "_AnyInt", OPT_INT: "_AnyInt", BOOL: "_AnyInt", GRID: "_AnyGrid"}.get(term, "Any")


def given(term: Type) -> str:
    """What a primitive gives where a rule has this type."""
    match term:
        case Set(item):
            text = f"frozenset[{given(item)}]"
        case Seq(item):
            text = f"tuple[{given(item)}, ...]"
        case Tup(parts):
            text = f"tuple[{', '.join(map(given, parts))}]"
        case Fn():
            text = "_Function"
        case _:
            text = {INT: "int", OPT_INT: "int | None", BOOL: "bool", GRID: "_Grid"}.get(term, "Any")
    return ALIASES.get(text, text)


def parameter(spec: OpSpec, at: int) -> str:
    """What a primitive takes at a place: any of what its rules have there."""
    found = dict.fromkeys(taken(rule.params[at]) for rule in spec.rules)
    if "_AnyItems" in found:
        found.pop("_AnyTuple", None)
    return "Any" if "Any" in found else " | ".join(found)


def result(spec: OpSpec) -> str:
    """What a primitive gives; anything, where that depends on the types of its arguments."""
    found = {given(rule.result) for rule in spec.rules}
    return f"{found.pop()} | Failed" if len(found) == 1 and "Any" not in found else "Any"


def stub(spec: OpSpec) -> str:
    """A primitive as a function with its types and its line of help."""
    if spec.combinator:
        functions = spec.combinator.functions
        types = ["_AnyFunction"] * functions + ["Any"] * (spec.arity - functions)
        gives = "_Function"
    else:
        types, gives = [parameter(spec, at) for at in range(spec.arity)], result(spec)
    params = ", ".join(f"{name}: {kind}" for name, kind in zip(spec.params, types, strict=True))
    return f'def {spec.name}({params}) -> {gives}:\n    """{spec.doc}"""\n'


def page() -> str:
    """The whole file."""
    out = [HEAD]
    for family, specs in groupby(STANDARD.ops.values(), key=lambda spec: spec.family):
        out += [f"\n# --- {family} ---\n\n", "\n".join(map(stub, specs))]
    constants = [f"{name}: Final = {value}\n" for name, value in CONSTANTS.items()]
    return "".join([*out, "\n# --- constants ---\n\n", *constants])


def main() -> None:
    """Write or check."""
    text = page()
    if "--check" not in sys.argv:
        TARGET.write_text(text, encoding="utf-8")
    elif not TARGET.exists() or TARGET.read_text(encoding="utf-8") != text:
        sys.exit(f"{TARGET.name} is out of date; run: make docs")


if __name__ == "__main__":
    main()
