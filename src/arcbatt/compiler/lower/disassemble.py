"""Bytecode as text: what runs where, for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from arcbatt.compiler.abi import (
    CODES,
    COLUMNAR,
    FIRST_LOOP,
    FIXED_COST,
    FUNCTIONS_VALUE,
    HIDDEN_ARG,
    K_IJ,
    K_INT,
    MULTIPLIES,
    NEVER_EQUAL,
    ORIGINALS,
    OVER_FUNCTIONS,
    VERSION_TEXT,
)
from arcbatt.compiler.lower.columns import inner_columns
from arcbatt.compiler.lower.instruction import Instruction
from arcbatt.compiler.lower.lower import Code
from arcbatt.compiler.lower.variants import VARIANTS

_NAMES: Final = {number: name for name, number in CODES.items()} | {n: one.name for n, one in enumerate(VARIANTS)}
_FLAGS: Final = {
    MULTIPLIES: "multiplies",
    HIDDEN_ARG: "hidden last",
    OVER_FUNCTIONS: "over functions",
    FUNCTIONS_VALUE: "with value",
    NEVER_EQUAL: "never equal",
    ORIGINALS: "originals",
    COLUMNAR: "columnar",
}
_INDENT: Final = "    "


class _Instruction(Instruction):
    """One instruction and where it stands."""

    def __init__(self, words: Sequence[int], place: int) -> None:
        super().__init__(words[place : place + words[place + 1]])
        self.place = place
        self.name = _NAMES.get(self.op, f"operation {self.op}")

    @property
    def ends(self) -> bool:
        """Whether it ends the code it stands in."""
        return self.op in (CODES["HALT"], CODES["END_BODY"])

    @property
    def plain(self) -> bool:
        """Whether it is a call, without bodies or with."""
        return not self.ends and self.op != CODES["CHARGE"]


def disassemble(code: Code) -> str:
    """The text of lowered programs: inputs, constants, instructions with bodies under their loops, outputs.

    A line is `place  slot type = operation(slot type, ...)`; `s12` is the slot at word 12, `c40` the cost kept there.
    """
    return "\n".join(_Text(code).lines()) + "\n"


class _Text:
    def __init__(self, code: Code) -> None:
        self.code = code
        self.types = {number: str(kind) for kind, number in reversed(code.types.numbers.items())}

    def lines(self) -> Iterator[str]:
        code = self.code
        counts = f"{len(code.words)} words of code, {len(code.image)} of image, {len(self.types)} types"
        yield f"version {VERSION_TEXT}: {counts}"
        for name, slot in code.inputs.items():
            yield f"input {name} s{slot}"
        for slot, kind in self.constants():
            yield f"constant {self.slot(slot, kind)} = {self.constant(slot, kind)}"
        yield from self.run(0, 0)
        for name, (slot, of) in code.outputs.items():
            yield f"output {name} s{slot} {of}"
        for name, why in code.rejected.items():
            yield f"left out {name}: {why}"

    def slot(self, place: int, kind: int) -> str:
        return f"s{place} {self.types[kind]}"

    def instructions(self, place: int) -> Iterator[_Instruction]:
        """Those from a place to the one that ends them."""
        while True:
            one = _Instruction(self.code.words, place)
            yield one
            if one.ends:
                return
            place += one.length

    def constants(self) -> list[tuple[int, int]]:
        """Slots that are read and nowhere written."""
        written, read = set(self.code.inputs.values()), dict[int, int]()
        starts = [0]
        for start in starts:
            for one in self.instructions(start):
                if not one.plain:
                    continue
                written.add(one.dst)
                read.update(one.typed_args)
                for body in one.bodies:
                    starts.append(body.code)
                    written.update(place for place, _ in body.params)
                    read[body.result] = body.type
        read.update((slot, self.code.types.number(kind)) for slot, kind in self.code.outputs.values())
        return sorted((place, kind) for place, kind in read.items() if place not in written)

    def constant(self, place: int, kind: int) -> str:
        row = self.code.types.rows[kind]
        words = [word - (1 << 32) if word >> 31 else word for word in self.code.image[place + 1 :][: row.slot_words]]
        if row.kind == K_INT:
            return str(words[0])
        return str(tuple(words)) if row.kind == K_IJ else "words " + " ".join(map(str, words))

    def run(self, place: int, depth: int) -> Iterator[str]:
        for one in self.instructions(place):
            yield f"{one.place:6}  {_INDENT * depth}{self.text(one)}"
            for number, body in enumerate(one.bodies if one.plain else ()):
                params = ", ".join(self.slot(*param) for param in body.params)
                indent = " " * 8 + _INDENT * depth
                yield f"{indent}  body {number} ({params}) gives {self.slot(body.result, body.type)}"
                yield from self.run(body.code, depth + 1)
            if one.plain:
                yield from self.columns(one, depth)

    def columns(self, one: _Instruction, depth: int) -> Iterator[str]:
        """A loop's columnar code."""
        if one.op < FIRST_LOOP or not one.extra[0] & COLUMNAR:
            return
        columns = inner_columns(one)[1]
        indent = " " * 8 + _INDENT * depth
        yield f"{indent}  columns s{columns.first} to s{columns.first + columns.rows - 1} give s{columns.result}"
        place = one.place + one.length - len(columns.code)
        for inner in self.instructions(place):
            yield f"{inner.place:6}  {_INDENT * (depth + 1)}{self.text(inner)}"
            if inner.plain:
                yield from self.columns(inner, depth + 1)

    def text(self, one: _Instruction) -> str:
        if one.ends:
            return one.name
        if not one.plain:
            charges = [f"c{one.words[4 + 2 * k]} x {one.words[5 + 2 * k]}" for k in range(one.words[3])]
            return " + ".join([f"CHARGE {one.words[2]}", *charges])
        args = ", ".join(self.slot(*arg) for arg in one.typed_args)
        return "  ".join([f"{self.slot(one.dst, one.type)} = {one.name}({args})", *self.notes(one)])

    def notes(self, one: _Instruction) -> Iterator[str]:
        flags = one.extra[0]
        if one.op == CODES["PART"]:
            yield f"from word {one.extra[2]}"
        if one.strict != one.count:
            yield f"strict {one.strict}"
        if one.times >= 0:
            yield f"times {one.times}"
        if flags & FIXED_COST:
            yield f"costs {one.extra[1]}"
        if one.cost_place:
            yield f"cost to c{one.cost_place}"
        yield from (name for flag, name in _FLAGS.items() if flags & flag)
