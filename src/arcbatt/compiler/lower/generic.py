"""Lowering of primitives that take values of any type."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from arcbatt.compiler.abi import CODES, HIDDEN_ARG, MULTIPLIES, NEVER_EQUAL, ORIGINALS
from arcbatt.compiler.lower.layout import LowerError, plain_form
from arcbatt.language.types import CELL, GRID, IJ, INT, ROWS, Rule, Seq, Set, Tup, Type, as_seq, join

if TYPE_CHECKING:
    from arcbatt.compiler.lower.lower import Value

Lower = Callable[..., "Value"]


def _emit(code_name: str, *, multiplies: bool = False) -> Lower:
    """A primitive that is one instruction over its arguments in the forms its rule asks for."""

    def lower(self: Any, code: list[int], node: Any, args: list[Value], rule: Rule, times: int, cost: bool) -> Value:
        cast = [self.cast(code, arg, param) for arg, param in zip(args, rule.params, strict=True)]
        value: Value = self.emit(
            code, CODES[code_name], cast, node.type, times=times, cost=cost, extra=(MULTIPLIES if multiplies else 0,)
        )
        return value

    return lower


def _containers(self: Any, code: list[int], args: list[Value], places: tuple[int, ...]) -> list[Value]:
    """Arguments with grids and pairs at the given places as tuples of items."""
    out = list(args)
    for place in places:
        kind = args[place].type
        if not isinstance(kind, (Set, Seq)):
            seq = as_seq(kind)
            if seq is None:
                raise LowerError(f"{kind} is no container of one type")
            out[place] = self.cast(code, args[place], seq)
    return out


def _size(self: Any, code: list[int], node: Any, args: list[Value], rule: Rule, times: int, cost: bool) -> Value:
    kind = args[0].type
    if kind not in (GRID, CELL):
        args = _containers(self, code, args, (0,))
    value: Value = self.emit(code, CODES["SIZE"], args, INT, times=times, cost=cost)
    return value


def _branch(self: Any, code: list[int], node: Any, args: list[Value], rule: Rule, times: int, cost: bool) -> Value:
    """Of two values of one type or, by a constant, of any types: only the chosen one is given its form."""
    sides = [self.cast(code, arg, node.type) if join(arg.type, node.type) else arg for arg in args[1:]]
    value: Value = self.emit(code, CODES["BRANCH"], [args[0], *sides], node.type, times=times, cost=cost)
    return value


def _equality(self: Any, code: list[int], node: Any, args: list[Value], rule: Rule, times: int, cost: bool) -> Value:
    a, b = args
    common = join(a.type, b.type)
    if common is not None:
        cast = [self.cast(code, arg, common) for arg in args]
        value: Value = self.emit(code, CODES["EQUAL"], cast, node.type, times=times, cost=cost)
        return value
    both_sets = isinstance(a.type, Set) and isinstance(b.type, Set)
    both_tuples = isinstance(a.type, Seq) and isinstance(b.type, Seq)
    if _kind(a.type) == _kind(b.type) == "tuple" and not both_tuples:
        raise LowerError(f"equality of {a.type} and {b.type}")
    op = "EQUAL_EMPTY" if both_sets or both_tuples else "UNEQUAL"
    other: Value = self.emit(code, CODES[op], args, node.type, times=times, cost=cost)
    return other


def _kind(kind: Type) -> str:
    return "set" if isinstance(kind, Set) else "tuple" if isinstance(kind, (Seq, Tup)) or kind == GRID else "number"


def _looked_for(common: Type | None, value: Type, item: Type, what: str) -> int:
    """The flag for a value looked for among items: none where they can be equal, another where they cannot."""
    if common is None:
        if _kind(value) != _kind(item):
            return NEVER_EQUAL
        raise LowerError(f"{what} of {value} among {item}")
    if common != item and _kind(common) != "number":
        raise LowerError(f"{what} of {value} among {item}")
    return 0


def _value_and_container(code_name: str, value_at: int, container_at: int) -> Lower:
    """Primitives that look for a value among items, which may be of a type no item has."""

    def lower(self: Any, code: list[int], node: Any, args: list[Value], rule: Rule, times: int, cost: bool) -> Value:
        if code_name == "CONTAINED" and isinstance(args[1].type, Tup) and as_seq(args[1].type) is None:
            return _contained_in_pair(self, code, node, args, times, cost)
        args = _containers(self, code, args, (container_at,))
        container = args[container_at].type
        assert isinstance(container, (Set, Seq))
        common = join(args[value_at].type, container.item)
        flag = _looked_for(common, args[value_at].type, container.item, node.op)
        plain = flag or _kind(container.item) == "number"
        value = args[value_at] if plain else self.cast(code, args[value_at], container.item)
        ordered = [value, args[container_at]] if value_at == 0 else [args[container_at], value]
        result: Value = self.emit(code, CODES[code_name], ordered, node.type, times=times, cost=cost, extra=(flag,))
        return result

    return lower


def _contained_in_pair(self: Any, code: list[int], node: Any, args: list[Value], times: int, cost: bool) -> Value:
    """Whether a value is one of two parts of different types: only one of them can be meant."""
    value, pair = args
    kind = pair.type
    assert isinstance(kind, Tup)
    if value.type == CELL and kind == CELL:  # its parts are a number and a pair of numbers
        never: Value = self.emit(code, CODES["UNEQUAL"], args, node.type, times=times, cost=cost)
        return never
    near = [place for place, part in enumerate(kind.parts) if _kind(part) == _kind(value.type)]
    if len(near) != 1 or _kind(value.type) != "number":
        raise LowerError(f"contained of {value.type} in {kind}")
    part = _part(self, code, node, pair, near[0], -1, False)
    both = [value, part, value, pair]
    result: Value = self.emit(code, CODES["EQUAL"], both, node.type, times=times, cost=cost, extra=(ORIGINALS,))
    return result


def _difference(self: Any, code: list[int], node: Any, args: list[Value], rule: Rule, times: int, cost: bool) -> Value:
    args = _containers(self, code, args, (0, 1))
    a, b = args[0].type, args[1].type
    assert isinstance(a, (Set, Seq))
    assert isinstance(b, (Set, Seq))
    common = join(a.item, b.item)
    flag = _looked_for(common, b.item, a.item, node.op) or _looked_for(common, a.item, b.item, node.op)
    value: Value = self.emit(code, CODES["DIFFERENCE"], args, node.type, times=times, cost=cost, extra=(flag,))
    return value


def _merge(self: Any, code: list[int], node: Any, args: list[Value], rule: Rule, times: int, cost: bool) -> Value:
    kind = args[0].type
    if kind == Seq(GRID):
        value: Value = self.emit(code, CODES["MERGE_GRIDS"], args, node.type, times=times, cost=cost)
        return value
    args = _containers(self, code, args, (0,))
    kind = args[0].type
    assert isinstance(kind, (Set, Seq))
    if not isinstance(kind.item, (Set, Seq)):
        raise LowerError(f"merge of {kind}")
    other: Value = self.emit(code, CODES["MERGE"], args, node.type, times=times, cost=cost)
    return other


def _totuple(self: Any, code: list[int], node: Any, args: list[Value], rule: Rule, times: int, cost: bool) -> Value:
    args = _containers(self, code, args, (0,))
    value: Value = self.emit(code, CODES["COPY_COUNTED"], args, node.type, times=times, cost=cost)
    return value


def _nth(place: int | None) -> Lower:
    def lower(self: Any, code: list[int], node: Any, args: list[Value], rule: Rule, times: int, cost: bool) -> Value:
        kind = args[0].type
        if isinstance(kind, Tup) and place is not None and len(kind.parts) == 2:
            return _part(self, code, node, args[0], place, times, cost)
        args = _containers(self, code, args, (0,))
        if place is not None:
            rank = self.constant(INT, ("Int", str(place)), place)
            value: Value = self.emit(
                code, CODES["NTH"], [args[0], rank], node.type, times=times, cost=cost, extra=(HIDDEN_ARG,)
            )
            return value
        index = self.cast(code, args[1], INT)
        other: Value = self.emit(code, CODES["NTH"], [args[0], index], node.type, times=times, cost=cost)
        return other

    return lower


def _part(self: Any, code: list[int], node: Any, arg: Value, place: int, times: int, cost: bool) -> Value:
    kind = arg.type
    assert isinstance(kind, Tup)
    which = place % len(kind.parts)
    words = sum(self.types.slot_words(part) for part in kind.parts[:which])
    value: Value = self.emit(code, CODES["PART"], [arg], kind.parts[which], times=times, cost=cost, extra=(0, words))
    return value


def _unary_on_items(code_name: str) -> Lower:
    def lower(self: Any, code: list[int], node: Any, args: list[Value], rule: Rule, times: int, cost: bool) -> Value:
        if not (code_name in ("MAXIMUM", "MINIMUM") and plain_form(args[0].type) == IJ):
            args = _containers(self, code, args, (0,))
        value: Value = self.emit(code, CODES[code_name], args, node.type, times=times, cost=cost)
        return value

    return lower


def _sizefilter(self: Any, code: list[int], node: Any, args: list[Value], rule: Rule, times: int, cost: bool) -> Value:
    args = _containers(self, code, args, (0,))
    kind = args[0].type
    assert isinstance(kind, (Set, Seq))
    if not isinstance(kind.item, (Set, Seq)) or node.type != Set(kind.item):
        raise LowerError(f"sizefilter of {kind}")
    size = self.cast(code, args[1], INT)
    value: Value = self.emit(code, CODES["SIZEFILTER"], [args[0], size], node.type, times=times, cost=cost)
    return value


def _pairing(code_name: str, *, multiplies: bool = False) -> Lower:
    def lower(self: Any, code: list[int], node: Any, args: list[Value], rule: Rule, times: int, cost: bool) -> Value:
        args = _containers(self, code, args, (0, 1))
        value: Value = self.emit(
            code, CODES[code_name], args, node.type, times=times, cost=cost, extra=(MULTIPLIES if multiplies else 0,)
        )
        return value

    return lower


def _combine(self: Any, code: list[int], node: Any, args: list[Value], rule: Rule, times: int, cost: bool) -> Value:
    args = _containers(self, code, args, (0, 1))
    kind = node.type if isinstance(node.type, (Set, Seq)) else ROWS
    same_kind = [self.cast(code, arg, Set(kind.item) if isinstance(arg.type, Set) else Seq(kind.item)) for arg in args]
    if isinstance(kind, Set) and isinstance(same_kind[1].type, Seq):
        if times >= 0:
            raise LowerError("combine of a set and a tuple inside a loop")
        same_kind[1] = self.cast(code, same_kind[1], kind)
    value: Value = self.emit(code, CODES["COMBINE"], same_kind, kind, times=times, cost=cost)
    return value


GENERIC: Final[dict[str, Lower]] = {
    "equality": _equality,
    "astuple": _emit("ASTUPLE"),
    "identity": _emit("COPY_COUNTED"),
    "branch": _branch,
    "size": _size,
    "contained": _value_and_container("CONTAINED", 0, 1),
    "combine": _combine,
    "intersection": _emit("INTERSECTION"),
    "difference": _difference,
    "insert": _emit("INSERT"),
    "remove": _value_and_container("REMOVE", 0, 1),
    "initset": _emit("INITSET"),
    "repeat": _emit("REPEAT"),
    "dedupe": _unary_on_items("DEDUPE"),
    "difference_tuple": _difference,
    "merge": _merge,
    "totuple": _totuple,
    "first": _nth(0),
    "second": _nth(1),
    "last": _nth(-1),
    "other": _value_and_container("OTHER", 1, 0),
    "get_nth_t": _nth(None),
    "get_nth_f": _nth(None),
    "maximum": _unary_on_items("MAXIMUM"),
    "minimum": _unary_on_items("MINIMUM"),
    "mostcommon": _unary_on_items("MOSTCOMMON"),
    "leastcommon": _unary_on_items("LEASTCOMMON"),
    "sizefilter": _sizefilter,
    "product": _pairing("PRODUCT", multiplies=True),
    "pair": _pairing("PAIR"),
}
