"""Writing instructions: slots, constants, casts, and what calls cost where that is known beforehand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from arcbatt.compiler.abi import CODES, FIRST_LOOP, FIXED_COST, HIDDEN_ARG, MULTIPLIES, ORIGINALS
from arcbatt.compiler.lower.casts import castable, different
from arcbatt.compiler.lower.layout import LowerError, Pool, TypeTable, plain_form
from arcbatt.language.types import BOOL, GRID, IJ, INT, NEVER, OPT_INT, Seq, Set, Tup, Type, as_seq

OUTERMOST: Final = -1
"""In place of how often a call counts: it is outside of loops."""
UNCOUNTED: Final = frozenset(
    CODES[name] for name in ("GUARD", "CHOOSE", "CAST", "COPY", "POWER_COUNT", "NEVER", "AS_EMPTY", "PAIRED")
)
"""Operations that cost no steps."""
_PAIR: Final = 2


@dataclass
class Value:
    """Where a value is while code is written."""

    slot: int
    type: Type
    cost: int = 0


class Site(NamedTuple):
    """Where a call is written."""

    code: list[int]
    times: int = OUTERMOST
    """How often it counts towards the steps of the loop it is in."""
    cost: bool = False
    """Whether its steps are kept, since a body is charged for them."""


class Slots:
    """Slot places; a freed place serves again for a slot of the same length, where places are to be reused."""

    def __init__(self, *, reuse: bool = True) -> None:
        self.reuse = reuse
        self.top = 1  # word 0 is no place
        self.free: dict[int, list[int]] = {}
        self.together = False
        """Whether slots are taken one behind the other."""
        self.depths: dict[int, int] = {}
        """Of each place, the bodies around what fills it, where there are any."""
        self.depth = 0
        """Bodies around what is being lowered."""

    def take(self, words: int, *, fresh: bool = False) -> int:
        """A place for so many words."""
        if self.free.get(words) and not fresh and not self.together:
            place = self.free[words].pop()
        else:
            place = self.top
            self.top += words
        if self.depth:
            self.depths[place] = self.depth
        return place

    def release(self, place: int, words: int) -> None:
        """Let a place serve again."""
        if self.reuse:
            self.free.setdefault(words, []).append(place)


class Emitter:
    """What all of lowering writes with."""

    def __init__(self, without: Mapping[str, str], *, reuse: bool = True) -> None:
        self.types = TypeTable()
        self.slots = Slots(reuse=reuse)
        self.constant_values: list[tuple[int, Type, Any]] = []
        self.without = without
        """Custom operations whose functions are not to be had, and why."""
        self.custom: set[str] = set()
        """Custom operations in the code that are functions of the kernel."""
        self._constants: dict[tuple[Any, ...], Value] = {}

    def new_slot(self, kind: Type, *, fresh: bool = False) -> int:
        """A slot; a fresh one where its value is there before the code runs."""
        return self.slots.take(1 + self.types.slot_words(kind), fresh=fresh)

    def release(self, value: Value) -> None:
        """Let a value's slot serve again."""
        self.slots.release(value.slot, 1 + self.types.slot_words(value.type))

    def emit(
        self,
        site: Site,
        op: int,
        args: list[Value],
        kind: Type,
        *,
        strict: int | None = None,
        extra: tuple[int, ...] = (0,),
    ) -> Value:
        """One instruction; its result."""
        place = self.new_slot(kind)
        numbers = [self.types.number(arg.type) for arg in args]
        number = self.types.number(kind)
        if op == CODES["EQUAL"] and not self.types.is_narrow(numbers[0]):
            raise LowerError(f"values of too many parts compared: {args[0].type}")
        extra = self._with_fixed_cost(op, numbers, number, extra, never=kind == NEVER)
        cost_place = self.slots.take(1) if site.cost else 0
        words = [
            op, 0, place, site.times & 0xFFFFFFFF, cost_place, len(args) if strict is None else strict, len(args),
            number, *(arg.slot for arg in args), *numbers, *extra,
        ]  # fmt: skip
        words[1] = len(words)
        site.code.extend(words)
        return Value(place, kind, cost_place)

    def _with_fixed_cost(
        self, op: int, args: list[int], result: int, extra: tuple[int, ...], *, never: bool
    ) -> tuple[int, ...]:
        """The extra words of an instruction, with its cost where that follows from the types, given by number."""
        if op >= FIRST_LOOP or op in UNCOUNTED:
            return extra
        rest = extra[1:] or (0,)
        first = len(args) // 2 if extra[0] & ORIGINALS else 0
        written = args[first : len(args) - (extra[0] & HIDDEN_ARG) // HIDDEN_ARG]
        leaves = [self.types.rows[number][4] for number in (*written, result)]
        if not all(leaves) or extra[0] & MULTIPLIES or never:
            return (extra[0], 0, *rest)
        return (extra[0] | FIXED_COST, 1 + sum(leaves), *rest)

    def cast(self, code: list[int], value: Value, to: Type) -> Value:
        """The value in the form of another type; as a truth, where that is asked for."""
        if to == BOOL and value.type not in (BOOL, NEVER):
            return self._truth(code, value)
        if value.type == to or not different(value.type, to):
            return Value(value.slot, to, value.cost)
        if value.type == NEVER:
            return self.emit(Site(code), CODES["NEVER"], [value], to)
        if isinstance(value.type, (Set, Seq)) and value.type.item == NEVER and isinstance(to, (Set, Seq)):
            return self.emit(Site(code), CODES["AS_EMPTY"], [value], to)  # nothing has the form of any items
        if isinstance(to, Set) and isinstance(value.type, Tup):
            seq = as_seq(value.type)
            if seq is not None and castable(value.type, seq) and castable(seq, to):
                return self.cast(code, self.cast(code, value, seq), to)
        if not castable(value.type, to):
            if isinstance(to, Seq) and isinstance(value.type, Tup) and len(value.type.parts) == _PAIR:
                return self.cast(code, self._pair_of(code, value, to.item), to)
            if isinstance(to, Tup) and isinstance(value.type, Tup) and len(value.type.parts) == len(to.parts) == _PAIR:
                return self._part_by_part(code, value, to)
            raise LowerError(f"no way from {value.type} to {to}")
        return self.emit(Site(code), CODES["CAST"], [value], to)

    def _pair_of(self, code: list[int], value: Value, item: Type) -> Value:
        """A pair with both parts in the form of one type."""
        free = Site(code, 0)
        parts = [self.cast(code, self.part(free, value, place), item) for place in range(_PAIR)]
        return self.emit(free, CODES["ASTUPLE"], parts, Tup((item, item)))

    def _part_by_part(self, code: list[int], value: Value, to: Tup) -> Value:
        """A pair, each part in the form of another type."""
        parts = [self.cast(code, self.part(Site(code, 0), value, place), to.parts[place]) for place in range(_PAIR)]
        return self.emit(Site(code), CODES["PAIRED"], parts, to)

    def _truth(self, code: list[int], value: Value) -> Value:
        """Whether a value is neither zero nor None nor empty; that costs nothing."""
        site, kind = Site(code, 0), value.type
        equal = CODES["EQUAL"]
        zero = self.constant(INT, ("Int", "0"), 0)
        if kind == OPT_INT:
            none = self.constant(OPT_INT, ("Int?", "null"), None)
            is_zero, is_none = (self.emit(site, equal, [value, one], BOOL) for one in (zero, none))
            return self.emit(site, equal, [is_zero, is_none], BOOL)  # they cannot both hold
        if isinstance(kind, (Set, Seq)):
            nothing = self.constant(kind, (str(kind), "nothing"), frozenset() if isinstance(kind, Set) else ())
            value = self.emit(site, CODES["EQUAL_EMPTY"], [value, nothing], BOOL)
            return self.emit(site, equal, [value, zero], BOOL)
        if isinstance(kind, Tup) and plain_form(kind) != IJ:
            ones = self.constant(IJ, ("IJ", "[1, 1]"), (1, 1))
            return self.emit(site, CODES["PART"], [ones, value], BOOL, extra=(ORIGINALS, 0))
        if kind == GRID:
            value = self.emit(site, CODES["SIZE"], [value], INT)
        elif kind != INT:  # an IJ, which may be () when it runs, or a function
            return self.emit(site, equal, [value, value], BOOL)
        is_zero = self.emit(site, equal, [value, zero], BOOL)
        return self.emit(site, equal, [is_zero, zero], BOOL)

    def constant(self, kind: Type, key: tuple[Any, ...], value: Any) -> Value:
        """A constant; two with one key are one."""
        if key not in self._constants:
            Pool().slot(kind, value)  # refuses what has no form
            slot = self.new_slot(kind, fresh=True)
            self.slots.depths.pop(slot, None)
            self._constants[key] = Value(slot, kind)
            self.constant_values.append((slot, kind, value))
        return self._constants[key]

    def part(self, site: Site, arg: Value, place: int) -> Value:
        """One part of a tuple whose parts are known, from the end where negative."""
        kind = arg.type
        assert isinstance(kind, Tup)
        which = place % len(kind.parts)
        words = sum(self.types.slot_words(part) for part in kind.parts[:which])
        return self.emit(site, CODES["PART"], [arg], kind.parts[which], extra=(0, words))
