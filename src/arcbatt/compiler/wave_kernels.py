"""The kernels of waves: all that one is compiled for, with types numbered anew, so that it serves every program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from arcbatt.compiler.abi import (
    CODES,
    FIRST_LOOP,
    FUNCTIONS_VALUE,
    INSTRUCTION,
    K_CELL,
    K_GRID,
    K_IJ,
    K_INT,
    K_OPT,
    K_SEQ,
    K_SET,
    K_TUP,
    LOADS,
    LOOPS,
    OVER_FUNCTIONS,
    WAVE_PHASES,
)
from arcbatt.compiler.lower.instruction import Instruction
from arcbatt.compiler.lower.layout import TypeRow, TypeTable
from arcbatt.compiler.lower.variants import FUNCTIONS
from arcbatt.language.types import CELL, GRID, IJ, INT, OPT_INT

_NAMES: Final = {number: name for name, number in CODES.items()}
_PHASE_NAMES: Final = {number: name.lower() for name, number in WAVE_PHASES.items()}
_SINGLE: Final = {K_INT: str(INT), K_OPT: str(OPT_INT), K_IJ: str(IJ), K_CELL: str(CELL), K_GRID: str(GRID)}
_MOVES: Final = (CODES["GUARD"], CODES["CHOOSE"])
"""Operations that move one of their arguments, and look at no more of the others than whether they failed or hold."""
_NEVER: Final = CODES["NEVER"]
"""An operation without a result."""
CALLS: Final = WAVE_PHASES["CALLS"]
GATHER: Final = WAVE_PHASES["GATHER"]
_OPEN, _LOAD, _ADVANCE = (WAVE_PHASES[name] for name in ("OPEN", "LOAD", "ADVANCE"))
_OUTSIDE: Final = 0xFFFFFFFF
"""In place of how often a call counts, where it is outside of loops (-1)."""
_INSIDE: Final = 1
"""And inside: how often is in the node's record."""
TAKES_ITEMS: Final = frozenset(
    CODES[name] for name in (*LOOPS["BEST"], *(f"LOOP_{one}" for one in ("SFILTER", "MFILTER", "ORDER", "EXTRACT")))
)
"""Loops whose results are made of the items they walk."""
WALKS_TWO: Final = frozenset(CODES[f"LOOP_{name}"] for name in ("PAPPLY", "MPAPPLY", "PRAPPLY", "POWER"))
"""Loops whose second argument is not one that their bodies capture."""
_OWN_OPENING: Final = frozenset(CODES[f"LOOP_{name}"] for name in ("EXTRACT", "RAPPLY", "PRAPPLY", "CHOOSE", "POWER"))


@dataclass(frozen=True)
class WaveKernel:
    """All a kernel is compiled for: an instruction without its places, over types that are numbered from 0 on."""

    words: tuple[int, ...]
    types: tuple[TypeRow, ...]
    parts: tuple[int, ...]
    phase: int = CALLS

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.words, self.types, self.parts, self.phase))  # once: waves are looked up by their kernels

    @property
    def custom(self) -> int:
        """The number of the custom operation it calls, or 0."""
        one = Instruction(self.words)
        return int(one.extra[2]) if one.op == CODES["CUSTOM"] and self.phase == CALLS else 0

    @property
    def name(self) -> str:
        """The operation and its types, for people."""
        one = Instruction(self.words)
        if self.phase == CALLS and one.op < len(FUNCTIONS):
            return FUNCTIONS[one.op].rule
        args = ", ".join(map(self._text, one.arg_types))
        return f"{self.operation}: {args} -> {self._text(one.type)}"

    @property
    def operation(self) -> str:
        """The operation, whatever its types."""
        one = Instruction(self.words)
        if self.phase == CALLS and one.op < len(FUNCTIONS):
            return FUNCTIONS[one.op].rule.partition(":")[0]
        of = _NAMES[one.op].lower() if one.op in _NAMES else ""
        return of if self.phase == CALLS else " ".join(filter(None, (_PHASE_NAMES[self.phase], of)))

    def _text(self, number: int) -> str:
        """A type, as the language writes it."""
        row = self.types[number]
        if row.kind in (K_SET, K_SEQ):
            item = self._text(row.item)
            return f"{{{item}}}" if row.kind == K_SET else f"[{item}]"
        if row.kind != K_TUP:
            return _SINGLE[row.kind]
        return f"({', '.join(map(self._text, self.parts[row.flat_first : row.flat_first + row.flat_count]))})"


class _Words(NamedTuple):
    """What the words of a kernel are made from, types by their numbers in the program's table."""

    phase: int
    op: int
    arg_types: tuple[int, ...]
    type: int
    extra: tuple[int, ...]
    types_behind: tuple[int, ...] = ()
    """Types that stand behind the extra words."""
    times: int = _OUTSIDE
    cost: int = 0
    strict: int = 0
    moved: int = 0
    """Words of a value that is only moved, whatever its type; then types are 0."""


class Kernels:
    """The kernels of instructions of one program's table of types."""

    def __init__(self, types: TypeTable) -> None:
        self.types = types
        self._known: dict[_Words, WaveKernel] = {}
        self._calls: dict[tuple[int, ...], WaveKernel] = {}
        """The same by the words of instructions, without their places."""
        self._made_once: dict[WaveKernel, WaveKernel] = {}

    def call(self, one: Instruction) -> WaveKernel:
        """The kernel of an instruction without bodies."""
        key = one.op, one.count, one.strict, one.type, one.times < 0, one.cost_place > 0, *one.behind_args
        if key not in self._calls:
            self._calls[key] = self._of_call(one)
        return self._calls[key]

    def _of_call(self, one: Instruction) -> WaveKernel:
        words = _Words(CALLS, one.op, tuple(one.arg_types), one.type, tuple(one.extra), strict=one.strict)
        if one.op in _MOVES:
            words = words._replace(arg_types=(0,) * one.count, type=0, moved=self.types.rows[one.type].slot_words)
        if one.op == _NEVER:
            words = words._replace(type=self.types.number(INT))
        return self._of(_counting(one, words))

    def untyped(self, phase: str) -> WaveKernel:
        """The kernel of a phase that looks at no value."""
        return self._of(_Words(WAVE_PHASES[phase], 0, (), self.types.number(INT), (0, 0)))

    def open(self, one: Instruction) -> tuple[WaveKernel, int]:
        """The kernel that opens a loop, and how many of its arguments it looks at."""
        flags = one.extra[0] & (OVER_FUNCTIONS | FUNCTIONS_VALUE)
        walked = 2 if one.op in WALKS_TWO or flags & FUNCTIONS_VALUE else 1
        count = max(walked, one.strict)
        first = tuple(one.arg_types[:walked])
        arg_types = (*first, *[first[0]] * (count - walked))  # of the rest only whether they failed matters
        words = _Words(_OPEN, _opens_as(one.op), arg_types, first[0], (flags, one.extra[1]), strict=one.strict)
        return self._of(words), count

    def load(self, how: str, containers: Sequence[int], type_: int) -> WaveKernel:
        """The kernel that loads a parameter of a type."""
        return self._of(_Words(_LOAD, 0, tuple(containers), type_, (LOADS[how], 0)))

    def advance(self, type_: int) -> WaveKernel:
        """The kernel that takes a power's value one call further."""
        return self._of(_Words(_ADVANCE, 0, (type_,), type_, (0, 0)))

    def gather(self, one: Instruction, body_type: int) -> WaveKernel:
        """The kernel that gathers what the bodies of a loop gave; its one argument is what the loop walks."""
        walked = one.arg_types[0] if one.op in TAKES_ITEMS else one.type
        words = _Words(GATHER, one.op, (walked,), one.type, (0, one.extra[1]), (body_type,))
        return self._of(_counting(one, words))

    def _of(self, words: _Words) -> WaveKernel:
        if words not in self._known:
            made = self._made(words)
            self._known[words] = self._made_once.setdefault(made, made)
        return self._known[words]

    def _made(self, words: _Words) -> WaveKernel:
        rows: list[TypeRow] = []
        parts: list[int] = []
        numbers: dict[int, int] = {}

        def number(type_: int) -> int:
            if type_ not in numbers:
                row = self.types.rows[type_]
                flat = [number(part) for part in self.types.parts[row.flat_first : row.flat_first + row.flat_count]]
                item = number(row.item) if row.kind in (K_SET, K_SEQ) else 0
                first = len(parts)
                parts.extend(flat)
                numbers[type_] = len(rows)
                rows.append(row._replace(item=item, flat_first=first if flat else 0))
            return numbers[type_]

        if words.moved:
            numbers[0] = 0
            rows.append(self.types.rows[self.types.number(INT)]._replace(slot_words=words.moved))
        arg_types, type_ = [number(one) for one in words.arg_types], number(words.type)
        behind = [number(one) for one in words.types_behind]
        head = {
            "op": words.op, "length": 0, "dst": 0, "times": words.times, "cost_place": words.cost,
            "strict": words.strict, "count": len(arg_types), "type": type_,
        }  # fmt: skip
        rest = [*[0] * len(arg_types), *arg_types, *words.extra, *behind]
        head["length"] = len(head) + len(rest)
        whole = (*(head[name] for name in INSTRUCTION.names), *rest)
        return WaveKernel(whole, tuple(rows), tuple(parts), words.phase)


def _counting(one: Instruction, words: _Words) -> _Words:
    """With whether an instruction counts steps, and whether it keeps what they are."""
    return words._replace(times=_INSIDE if one.times >= 0 else _OUTSIDE, cost=int(bool(one.cost_place)))


def _opens_as(op: int) -> int:
    """A loop whose calls have as many items, for the same steps."""
    for kind in ("BEST_VALUE", "BEST"):
        codes = [CODES[name] for name in LOOPS[kind] if kind == "BEST_VALUE" or name not in LOOPS["BEST_VALUE"]]
        if op in codes:
            return codes[0]
    if op in _OWN_OPENING:
        return op
    return CODES["LOOP_PAPPLY" if op in WALKS_TWO else "LOOP_APPLY"]


def is_loop(op: int) -> bool:
    """Whether an operation has bodies."""
    return op >= FIRST_LOOP
