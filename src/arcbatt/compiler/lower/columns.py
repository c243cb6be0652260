"""Which loops can be columnar (native/loops/columns.h), and the columnar code of their bodies.

A body can if its values are numbers, and if its loops look for the best of a container's items, one container for all
items of the loop around. Columnar code has only what computes something: values that are parts or copies of others are
read from these, and the cost of all calls is added up in advance, since every unusual case is left to the body's own
code.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from arcbatt.compiler.abi import (
    AS_PART,
    BODY,
    CODES,
    COLUMNAR,
    COLUMNS,
    FIRST_LOOP,
    FIXED_COST,
    K_CELL,
    K_GRID,
    K_IJ,
    K_INT,
    K_OPT,
    K_SEQ,
    K_SET,
    K_TUP,
    MAX_ARGS,
    MULTIPLIES,
    ORIGINALS,
    constant,
)
from arcbatt.compiler.lower.instruction import Instruction, instructions
from arcbatt.compiler.lower.layout import TypeTable
from arcbatt.compiler.lower.variants import VARIANTS
from arcbatt.language.limits import MAX_CELLS, MAX_ITEMS, MAX_SIZE
from arcbatt.language.spec import Fact, Gives, LoopSpec
from arcbatt.language.table import STANDARD

_COPIES: Final = frozenset(CODES[name] for name in ("COPY", "COPY_COUNTED", "GUARD"))
_ANY_TYPE: Final = _COPIES | {CODES[name] for name in ("PART", "ASTUPLE", "BRANCH", "CHOOSE", "EQUAL")}
_OF_PAIRS: Final = frozenset(CODES[name] for name in ("MAXIMUM", "MINIMUM"))
_BEST: Final = frozenset(
    CODES[f"LOOP_{name.upper()}"] for name, spec in STANDARD.ops.items() if spec.loop and spec.loop.best
)
_UNCOUNTED: Final = frozenset(CODES[name] for name in ("COPY", "GUARD", "CHOOSE"))
_SIGN, _MULTIPLY = (
    frozenset(number for number, one in enumerate(VARIANTS) if one.name in STANDARD.names_with(fact))
    for fact in (Fact.SIGN, Fact.TIMES)
)
_IDLE: Final = _COPIES | _SIGN | {CODES["PART"], CODES["ASTUPLE"]}
"""Operations that never fail, so that they are left out where nothing needs what they give."""
_MOST_ROWS: Final = constant("MAX_COLUMN_ROWS")
_MOST_WORDS: Final = constant("MAX_COLUMN_WORDS")

Word = tuple[int, int]
"""A word of a value: the slot that has it first, and which of its words it is."""


def _written(
    op: int, dst: int, args: Sequence[tuple[int, int]], kind: int, extra: Sequence[int], times: int = 0, strict: int = 0
) -> list[int]:
    places, types = [place for place, _ in args], [one for _, one in args]
    words = [op, 0, dst, times, 0, strict, len(args), kind, *places, *types, *extra]
    words[1] = len(words)
    return words


@dataclass(frozen=True)
class Window:
    """A body's code and where its slots lie; what is outside is the same for all items."""

    code: list[int]
    first: int
    end: int
    params: list[tuple[int, int]]
    """Slot and type of each parameter."""
    result: int
    result_type: int

    def has(self, place: int) -> bool:
        """Whether a place is one of its slots."""
        return self.first <= place < self.end


def column_words(
    loop: LoopSpec, window: Window, types: TypeTable, depth_of: Callable[[int], int], containers: list[int], depth: int
) -> list[int] | None:
    """What a columnar loop says behind its bodies; None where it cannot be columnar.

    `depth` is how many bodies there are around the loop, `depth_of` around what fills a place outside. What depends on
    only the containers' items is kept where the containers stay the same while the loop runs again.
    """
    scope = max(map(depth_of, containers))
    keeps = scope < depth
    rows = window.end - window.first
    if not loop.columnar or rows > _MOST_ROWS or not _plain_result(loop, types.rows[window.result_type][0]):
        return None
    if not all(_measurable(types, kind) for _, kind in window.params):
        return None
    body = _Body(loop, window, types)
    if not body.read():
        return None
    code, result = body.code()
    kept = body.kept(code, lambda place: depth_of(place) <= scope) if keeps else {}
    bits = [0] * ((rows + 31) // 32)
    for slot, words in kept.items():
        for row in range(slot - window.first, slot - window.first + 1 + words):
            bits[row // 32] |= 1 << row % 32
    lean = [word for one in code for word in one]
    return [window.first, rows, scope if keeps else 0, result, len(lean), *bits, *lean]


class _Body:
    """A body whose columnar code is being written."""

    def __init__(self, loop: LoopSpec, window: Window, types: TypeTable) -> None:
        self.loop, self.window, self.types = loop, window, types
        self.calls: list[Instruction] = []
        self.origin: dict[int, list[Word]] = {}
        """Of each value in the window, the words it consists of."""
        self.steps = 0
        """What all calls together cost for an item, as far as that follows from the types."""
        self.charges: list[Sequence[int]] = []
        """What it is charged for values from outside, as instructions."""
        self.sizes: Counter[tuple[Word, int, int]] = Counter()
        """Containers by the first of their words, their type and flags, and how often their sizes count."""
        self.products: Counter[tuple[Word, int, Word, int]] = Counter()
        self.outside: dict[int, int] = {}
        """Values from outside, by their slots, and their types."""
        self.needed: set[int] = set()

    def read(self) -> bool:
        """Go through the body's own code; false where it cannot be columnar."""
        for slot, kind in self.window.params:
            self.origin[slot] = self.own(slot, kind)
        for words in instructions(self.window.code):
            if words[0] == CODES["CHARGE"]:
                if any(map(self.window.has, words[4::2])):
                    return False
                if words[3]:
                    self.charges.append(words)
                else:
                    self.steps += words[2]
                continue
            one = Instruction(words)
            if not (self.loop_fits(one) if one.op >= FIRST_LOOP else self.call_fits(one)):
                return False
            for slot, kind in one.typed_args[: one.strict] if one.op >= FIRST_LOOP else one.typed_args:
                if not self.window.has(slot):
                    self.outside.setdefault(slot, kind)
            self.origin[one.dst] = self.words_of(one)
            self.calls.append(one)
        counted = [*(word for word, _, _ in self.sizes), *(word for a, _, b, _ in self.products for word in (a, b))]
        if any(word and not self.window.has(slot) for slot, word in counted):  # the inside of a slot is no place
            return False
        return self.window.result in self.origin

    def own(self, slot: int, kind: int) -> list[Word]:
        return [(slot, word) for word in range(self.types.rows[kind][2])]

    def words_at(self, slot: int, kind: int) -> list[Word]:
        """The words a value consists of."""
        return self.origin[slot] if self.window.has(slot) else self.own(slot, kind)

    def words_of(self, one: Instruction) -> list[Word]:
        """The words of a call's result: those of an argument, or its own."""
        parts = [self.words_at(slot, kind) for slot, kind in one.typed_args[:2]] if one.op in _IDLE - _SIGN else []
        if one.op in _COPIES and one.arg_types[0] == one.type:  # a set's items may be copied to a tuple
            return parts[0]
        if one.op == CODES["ASTUPLE"]:
            return parts[0] + parts[1]
        if one.op == CODES["PART"]:
            return parts[0][one.extra[2] : one.extra[2] + self.types.rows[one.type][2]]
        return self.own(one.dst, one.type)

    # --- what is allowed, and what it costs ---
    def call_fits(self, one: Instruction) -> bool:
        window, rows, kinds = self.window, self.types.rows, one.arg_types
        if one.cost_place or len(one.args) > MAX_ARGS or not window.has(one.dst) or one.dst in self.origin:
            return False
        if any(window.has(arg) and arg not in self.origin for arg in one.args):
            return False
        if not all(_measurable(self.types, kind) for kind in (*kinds, one.type)):
            return False
        flags = one.extra[0]
        containers = not any(rows[kind][0] in (K_GRID, K_TUP) for kind in kinds[:2])
        if flags & ORIGINALS or (flags & MULTIPLIES and not containers):
            return False
        if one.op == CODES["INITSET"]:
            fits = rows[kinds[0]][0] <= K_CELL and not self.loop.stops
        elif one.op == CODES["EQUAL"]:
            fits = all(_flat(self.types, kind) for kind in kinds)
        else:
            pair = one.op in _OF_PAIRS and rows[kinds[0]][0] == K_IJ
            fits = one.op in _ANY_TYPE or pair or (one.op < len(VARIANTS) and bool(rows[one.type][7]))
        if not fits or (self.loop.stops and one.op not in _UNCOUNTED and not flags & FIXED_COST):
            return False
        if one.op not in _UNCOUNTED and one.times > 0:
            self.charge(one)
        return True

    def charge(self, one: Instruction) -> None:
        """Note what a call costs."""
        if one.extra[0] & FIXED_COST:
            self.steps += one.times * one.extra[1]
            return
        self.steps += one.times
        for slot, kind in one.typed_args:
            self.count(self.words_at(slot, kind), kind, one.times)
        result = self.words_of(one)
        self.count(result, one.type, one.times)
        if one.extra[0] & MULTIPLIES:
            (a, a_kind), (b, b_kind) = one.typed_args[:2]
            self.products[self.words_at(a, a_kind)[0], a_kind, self.words_at(b, b_kind)[0], b_kind] += one.times

    def count(self, words: list[Word], kind: int, times: int, flags: int = 0) -> None:
        """Note that the size of a value counts, with a flag where it is a part of a tuple."""
        code, _, _, _, leaves, first, length, _ = self.types.rows[kind]
        if leaves:
            self.steps += times * leaves
        elif code == K_TUP:
            for part in self.types.parts[first : first + length]:
                size = self.types.rows[part][2]
                self.count(words[:size], part, times, AS_PART)
                words = words[size:]
        else:
            self.sizes[words[0], kind, flags] += times

    def loop_fits(self, one: Instruction) -> bool:
        """Whether a loop in the body can run for many items of it at once."""
        if one.op not in _BEST or self.loop.stops or not one.extra[0] & COLUMNAR:
            return False
        if one.cost_place or one.times < 1 or not self.window.has(one.dst) or self.window.has(one.args[0]):
            return False
        _, columns = inner_columns(one)
        if not _measurable(self.types, one.type) or not columns.inside(columns.result):
            return False
        code = list(instructions(columns.code))
        if any(words[0] >= FIRST_LOOP for words in code):
            return False
        charges = (words for words in code if words[0] == CODES["CHARGE"])
        return not any(self.window.has(place) for words in charges for place in words[4::2])

    # --- writing it ---
    def code(self) -> tuple[list[list[int]], int]:
        """The columnar code, instruction by instruction, and where the result is."""
        result = self.place(self.window.result, self.window.result_type)
        if not self.window.has(result):
            self.needed.add(self.window.result)
            result = self.window.result
        counts = [
            _written(CODES["COUNT"], 0, [(self.word(word), kind)], kind, [flags], times)
            for (word, kind, flags), times in self.sizes.items()
        ] + [
            _written(CODES["COUNT"], 0, [(self.word(a), a_kind), (self.word(b), b_kind)], a_kind, [0], times)
            for (a, a_kind, b, b_kind), times in self.products.items()
        ]
        signs = {
            one.dst: one.args[0] for one in self.calls if one.op in _SIGN and self.types.rows[one.type][0] == K_INT
        }
        backwards: list[list[int]] = []
        for one in reversed(self.calls):
            if one.op >= FIRST_LOOP:
                backwards.append(self.embedded(one))
            elif one.op not in _IDLE or one.dst in self.needed:
                backwards.append(self.rewritten(one, signs))
        head = [_written(CODES["GUARD"], 0, list(self.outside.items()), 0, [0])] if self.outside else []
        head += [[CODES["CHARGE"], 4, self.steps, 0]] if self.steps else []
        charges = [list(words) for words in self.charges]
        return [*head, *charges, *reversed(backwards), *counts, [CODES["END_BODY"], 2]], result

    def word(self, word: Word) -> int:
        """Where a container lies whose first word this is."""
        self.needed.add(word[0])
        return word[0] + word[1]

    def place(self, slot: int, kind: int) -> int:
        """Where to take a value from: what it is a part or a copy of, if its words lie together there."""
        words = self.words_at(slot, kind)
        base, first = words[0]
        together = words == [(base, first + k) for k in range(len(words))]
        if together and (self.window.has(base) or (first == 0 and self.outside.get(base) == kind)):
            self.needed.add(base)
            return base + first
        self.needed.add(slot)
        return slot

    def rewritten(self, one: Instruction, signs: dict[int, int]) -> list[int]:
        """A call with its arguments taken from where they come from; sign(x) * x of a number is its absolute value."""
        if one.op in _MULTIPLY and all(self.types.rows[kind][0] == K_INT for kind in (*one.arg_types, one.type)):
            for a, b in (one.args, reversed(one.args)):
                sign = self.words_at(a, one.arg_types[0])[0][0]
                if sign in signs and self.words_at(signs[sign], one.type) == self.words_at(b, one.type):
                    return _written(CODES["ABSOLUTE"], one.dst, [(self.place(b, one.type), one.type)], one.type, [0])
        if one.op == CODES["GUARD"]:  # where something it looks at fails, so does the whole loop
            slot, kind = one.typed_args[0]
            return _written(CODES["COPY"], one.dst, [(self.place(slot, kind), kind)], one.type, [0], strict=1)
        args = [(self.place(slot, kind), kind) for slot, kind in one.typed_args]
        return _written(one.op, one.dst, args, one.type, one.extra, strict=one.strict)

    def embedded(self, one: Instruction) -> list[int]:
        """A loop in the body, with its own columnar code, whose values from outside are this body's."""
        body, columns = inner_columns(one)
        lean: list[int] = []
        for words in instructions(columns.code):
            if words[0] == CODES["CHARGE"]:
                lean += words
                continue
            inner = Instruction(words)
            args = inner.typed_args
            if inner.op == CODES["GUARD"]:
                args = [(slot, kind) for slot, kind in args if not self.window.has(slot)]
                if not args:
                    continue
            else:
                args = [(slot if columns.inside(slot) else self.taken(slot, kind), kind) for slot, kind in args]
            lean += _written(inner.op, inner.dst, args, inner.type, inner.extra, inner.times, inner.strict)
        lean += [CODES["END_BODY"], 2]
        head = [columns.first, columns.rows, columns.scope, columns.result, len(lean)]
        return _written(
            one.op, one.dst, one.typed_args[:1], one.type, [COLUMNAR, 1, 0, *body[1:], *head, *columns.bits, *lean],
            one.times, 1,
        )  # fmt: skip

    def taken(self, slot: int, kind: int) -> int:
        """Where the code of a loop in the body takes a value from that is outside that loop."""
        return self.place(slot, kind) if self.window.has(slot) else slot

    # --- what is kept ---
    def kept(self, code: list[list[int]], stands_still: Callable[[int], bool]) -> dict[int, int]:
        """The values that depend only on the items, and how many words they have."""
        found = {slot: self.types.rows[kind][2] for slot, kind in self.window.params}
        own = found | {one.dst: self.types.rows[one.type][2] for one in self.calls}
        base = {slot + word: slot for slot, words in own.items() for word in range(words)}

        def still(place: int) -> bool:
            return base.get(place, place) in found if self.window.has(place) else stands_still(place)

        for words in code:
            if words[0] in (CODES["CHARGE"], CODES["GUARD"], CODES["COUNT"], CODES["END_BODY"], CODES["INITSET"]):
                continue
            one = Instruction(words)
            sources = list(one.args)
            if one.op >= FIRST_LOOP:
                columns = inner_columns(one)[1]
                for inner in instructions(columns.code):
                    charge = inner[0] == CODES["CHARGE"]
                    sources += [
                        place
                        for place in (inner[4::2] if charge else Instruction(inner).args)
                        if not columns.inside(place)
                    ]
            if all(map(still, sources)):
                found[one.dst] = self.types.rows[one.type][2]
        return found


@dataclass(frozen=True)
class InnerColumns:
    """What a columnar loop in a body says behind its bodies."""

    first: int
    rows: int
    scope: int
    result: int
    bits: Sequence[int]
    code: Sequence[int]

    def inside(self, place: int) -> bool:
        """Whether a place is one of its slots."""
        return self.first <= place < self.first + self.rows


def inner_columns(one: Instruction) -> tuple[Sequence[int], InnerColumns]:
    """The first body of a loop, as it is named, and its columns."""
    at = 2
    for _ in range(one.extra[1]):
        at += BODY.words + 2 * one.extra[at + BODY.place("params")]
    first, rows, scope, result, _ = one.extra[at : at + COLUMNS.words]
    code = at + COLUMNS.words + (rows + 31) // 32
    body = one.extra[2 : 6 + 2 * one.extra[5]]
    return body, InnerColumns(first, rows, scope, result, one.extra[at + COLUMNS.words : code], one.extra[code:])


def _plain_result(loop: LoopSpec, kind: int) -> bool:
    by_number = loop.gives in (Gives.CONDITION, Gives.KEY)
    return kind == K_INT if by_number else kind <= K_CELL and kind != K_OPT


def _flat(types: TypeTable, kind: int) -> bool:
    """Whether a value is numbers, or a set or tuple of numbers."""
    code, item, *_, scalar = types.rows[kind]
    return bool(scalar) or (code in (K_SET, K_SEQ) and bool(types.rows[item][7]))


def _measurable(types: TypeTable, kind: int) -> bool:
    """Whether a value is a few words whose size follows from them."""
    code, item, words, _, leaves, first, count, _ = types.rows[kind]
    if words > _MOST_WORDS:
        return False
    if leaves or code == K_GRID:
        return True
    if code == K_TUP:
        parts = types.parts[first : first + count]
        if not all(types.rows[part][0] != K_TUP and _measurable(types, part) for part in parts):
            return False
        return sum(_largest(types, part) for part in parts) <= MAX_SIZE
    return code in (K_SET, K_SEQ) and bool(types.rows[item][4])


def _largest(types: TypeTable, kind: int) -> int:
    """The greatest size a value can have that is a few words."""
    code, item, _, _, leaves, *_ = types.rows[kind]
    return leaves or (MAX_CELLS if code == K_GRID else MAX_ITEMS * types.rows[item][4])
