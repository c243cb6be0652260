"""Lowering of primitives that take values of any type: each is an operation of the interpreter itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, NamedTuple

from arcbatt.compiler.abi import CODES, HIDDEN_ARG, MULTIPLIES, NEVER_EQUAL, ORIGINALS
from arcbatt.compiler.lower.casts import costs_differ
from arcbatt.compiler.lower.emitter import Emitter, Site, Value
from arcbatt.compiler.lower.layout import LowerError, plain_form
from arcbatt.language.spec import Cost, Does, GenericSpec, OpSpec
from arcbatt.language.types import (
    BOOL,
    CELL,
    GRID,
    IJ,
    INT,
    NEVER,
    ROWS,
    Closure,
    Rule,
    Seq,
    Set,
    Tup,
    Type,
    as_seq,
    join,
)


class Call(NamedTuple):
    """A call of a primitive: what it gives, and its arguments with the rule that takes them."""

    spec: OpSpec
    type: Type
    args: list[Value]
    rule: Rule

    @property
    def generic(self) -> GenericSpec:
        """What the table says of the primitive."""
        assert self.spec.generic is not None
        return self.spec.generic

    @property
    def code(self) -> int:
        """The operation."""
        return CODES[self.generic.code or self.spec.name.upper()]


Lower = Callable[[Emitter, Site, Call], Value]


def lower_generic(out: Emitter, site: Site, call: Call) -> Value:
    """Write a call of a primitive that takes values of any type."""
    return LOWER[call.generic.does](out, site, call)


def flags_of(spec: OpSpec) -> int:
    """The flags of a primitive's instructions."""
    return MULTIPLIES if spec.cost is Cost.PRODUCT else 0


def _by_rule(out: Emitter, site: Site, call: Call) -> Value:
    cast = [out.cast(site.code, arg, param) for arg, param in zip(call.args, call.rule.params, strict=True)]
    return out.emit(site, call.code, cast, call.type)


def _containers(out: Emitter, code: list[int], args: list[Value], places: Iterable[int]) -> list[Value]:
    """Arguments with grids and pairs at the given places as tuples of items."""
    made = list(args)
    for place in places:
        kind = args[place].type
        if not isinstance(kind, (Set, Seq)):
            seq = as_seq(kind)
            if seq is None:
                raise LowerError(f"{kind} is no container of one type")
            made[place] = out.cast(code, args[place], seq)
    return made


def _items(out: Emitter, site: Site, call: Call) -> Value:
    args = _containers(out, site.code, call.args, range(len(call.args)))
    return out.emit(site, call.code, args, call.type, extra=(flags_of(call.spec),))


def _numbers(out: Emitter, site: Site, call: Call) -> Value:
    if plain_form(call.args[0].type) == IJ:
        return out.emit(site, call.code, call.args, call.type)
    return _items(out, site, call)


def _size(out: Emitter, site: Site, call: Call) -> Value:
    kind = call.args[0].type
    if isinstance(kind, Tup) and kind != CELL and as_seq(kind) is None:  # parts of different types, so it is known
        count = len(kind.parts)
        known = out.constant(IJ, ("IJ", str([count, count])), (count, count))
        return out.emit(site, CODES["PART"], [known, *call.args], INT, extra=(ORIGINALS, 0))
    args = call.args if kind in (GRID, CELL) else _containers(out, site.code, call.args, (0,))
    return out.emit(site, call.code, args, INT)


def _choose(out: Emitter, site: Site, call: Call) -> Value:
    """Of two values of one type or, by a constant, of any types: only the chosen one is given its form."""
    sides = [out.cast(site.code, arg, call.type) if join(arg.type, call.type) else arg for arg in call.args[1:]]
    condition = out.cast(site.code, call.args[0], BOOL)
    if costs_differ(call.args[0].type, BOOL):
        return out.emit(site, call.code, [condition, *sides, *call.args], call.type, extra=(ORIGINALS,))
    return out.emit(site, call.code, [condition, *sides], call.type)


def _compare(out: Emitter, site: Site, call: Call) -> Value:
    a, b = call.args
    common = join(a.type, b.type)
    if common is not None:
        cast = [out.cast(site.code, arg, common) for arg in call.args]
        return out.emit(site, CODES["EQUAL"], cast, call.type)
    both_sets = isinstance(a.type, Set) and isinstance(b.type, Set)
    both_tuples = isinstance(a.type, Seq) and isinstance(b.type, Seq)
    if _kind(a.type) == _kind(b.type) == "tuple" and not both_tuples:
        raise LowerError(f"{call.spec.name} of {a.type} and {b.type}")
    op = "EQUAL_EMPTY" if both_sets or both_tuples else "UNEQUAL"
    return out.emit(site, CODES[op], call.args, call.type)


def _kind(kind: Type) -> str:
    if isinstance(kind, Closure):
        return "function"
    return "set" if isinstance(kind, Set) else "tuple" if isinstance(kind, (Seq, Tup)) or kind == GRID else "number"


def _looked_for(common: Type | None, value: Type, item: Type, what: str) -> int:
    """The flag for a value looked for among items: none where they can be equal, another where they cannot."""
    if NEVER in (value, item):
        return NEVER_EQUAL
    if common is None:
        if _kind(value) != _kind(item):
            return NEVER_EQUAL
        raise LowerError(f"{what} of {value} among {item}")
    if common != item and _kind(common) not in ("number", "function"):
        raise LowerError(f"{what} of {value} among {item}")
    return 0


def _search(out: Emitter, site: Site, call: Call) -> Value:
    container_at = call.generic.place
    assert container_at is not None
    value_at = 1 - container_at
    if isinstance(call.args[container_at].type, Tup) and as_seq(call.args[container_at].type) is None:
        return _search_pair(out, site, call)
    args = _containers(out, site.code, call.args, (container_at,))
    container = args[container_at].type
    assert isinstance(container, (Set, Seq))
    common = join(args[value_at].type, container.item)
    flag = _looked_for(common, args[value_at].type, container.item, call.spec.name)
    if not flag and _kind(container.item) != "number":
        args[value_at] = out.cast(site.code, args[value_at], container.item)
    return out.emit(site, call.code, args, call.type, extra=(flag,))


def _search_pair(out: Emitter, site: Site, call: Call) -> Value:
    """Whether a value is one of two parts of different types: only one of them can be meant."""
    value, pair = call.args
    kind = pair.type
    assert isinstance(kind, Tup)
    if value.type == CELL and kind == CELL:  # its parts are a number and a pair of numbers
        return out.emit(site, CODES["UNEQUAL"], call.args, call.type)
    near = [place for place, part in enumerate(kind.parts) if _kind(part) == _kind(value.type)]
    if len(near) != 1 or _kind(value.type) != "number":
        raise LowerError(f"{call.spec.name} of {value.type} in {kind}")
    part = out.part(Site(site.code, 0), pair, near[0])
    return out.emit(site, CODES["EQUAL"], [value, part, value, pair], call.type, extra=(ORIGINALS,))


def _subtract(out: Emitter, site: Site, call: Call) -> Value:
    args = _containers(out, site.code, call.args, (0, 1))
    a, b = args[0].type, args[1].type
    assert isinstance(a, (Set, Seq))
    assert isinstance(b, (Set, Seq))
    common, what = join(a.item, b.item), call.spec.name
    flag = _looked_for(common, b.item, a.item, what) or _looked_for(common, a.item, b.item, what)
    return out.emit(site, call.code, args, call.type, extra=(flag,))


def _merge(out: Emitter, site: Site, call: Call) -> Value:
    if call.args[0].type == Seq(GRID):
        return out.emit(site, CODES["MERGE_GRIDS"], call.args, call.type)
    args = _containers(out, site.code, call.args, (0,))
    kind = args[0].type
    assert isinstance(kind, (Set, Seq))
    if not isinstance(kind.item, (Set, Seq)):
        raise LowerError(f"{call.spec.name} of {kind}")
    return out.emit(site, call.code, args, call.type)


def _nth(out: Emitter, site: Site, call: Call) -> Value:
    kind, place = call.args[0].type, call.generic.place
    if isinstance(kind, Tup) and place is not None and len(kind.parts) == 2:
        return out.part(site, call.args[0], place)
    args = _containers(out, site.code, call.args, (0,))
    if place is not None:
        rank = out.constant(INT, ("Int", str(place)), place)
        return out.emit(site, CODES["NTH"], [args[0], rank], call.type, extra=(HIDDEN_ARG,))
    return out.emit(site, CODES["NTH"], [args[0], out.cast(site.code, args[1], INT)], call.type)


def _of_size(out: Emitter, site: Site, call: Call) -> Value:
    args = _containers(out, site.code, call.args, (0,))
    kind = args[0].type
    assert isinstance(kind, (Set, Seq))
    if not isinstance(kind.item, (Set, Seq)) or call.type != Set(kind.item):
        raise LowerError(f"{call.spec.name} of {kind}")
    return out.emit(site, call.code, [args[0], out.cast(site.code, args[1], INT)], call.type)


def _join(out: Emitter, site: Site, call: Call) -> Value:
    args = _containers(out, site.code, call.args, (0, 1))
    kind = call.type if isinstance(call.type, (Set, Seq)) else ROWS
    same_kind = [
        out.cast(site.code, arg, Set(kind.item) if isinstance(arg.type, Set) else Seq(kind.item)) for arg in args
    ]
    if isinstance(kind, Set) and isinstance(same_kind[1].type, Seq):
        if site.times >= 0:
            raise LowerError(f"{call.spec.name} of a set and a tuple inside a loop")
        same_kind[1] = out.cast(site.code, same_kind[1], kind)
    return out.emit(site, call.code, same_kind, kind)


LOWER: Final[dict[Does, Lower]] = {
    Does.SAME: _by_rule,
    Does.PAIR: _by_rule,
    Does.SINGLE: _by_rule,
    Does.INSERT: _by_rule,
    Does.BY_RULE: _by_rule,
    Does.TUPLE: _items,
    Does.PRODUCT: _items,
    Does.ZIP: _items,
    Does.OF_ITEMS: _items,
    Does.OF_NUMBERS: _numbers,
    Does.OF_SIZE: _of_size,
    Does.CHOOSE: _choose,
    Does.COMPARE: _compare,
    Does.SIZE: _size,
    Does.SEARCH: _search,
    Does.NTH: _nth,
    Does.JOIN: _join,
    Does.MERGE: _merge,
    Does.SUBTRACT: _subtract,
}
