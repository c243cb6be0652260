"""Containers: sets and tuples, their items, and choosing among them by a function."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from itertools import chain
from typing import Any

from arcbatt.language.failures import Fail, Reason
from arcbatt.language.spec import Cost, Does, Fact, GenericSpec, Gives, LoopSpec, make_spec
from arcbatt.language.values import (
    Call,
    Container,
    Value,
    container_of,
    int_of,
    key_ranks,
    like,
    need_room,
    ordered,
    set_of,
    tuple_of,
)


def size(container: Container) -> int:
    """How many items there are."""
    return len(container_of(container))


def contained(value: Value, container: Container) -> bool:
    """Whether the value is among the items."""
    return value in container_of(container)


def combine(a: Container, b: Container) -> Container:
    """Tuples joined end to end, sets united; the kind of a."""
    return like(container_of(a), chain(a, ordered(container_of(b))))


def intersection(a: frozenset[Any], b: frozenset[Any]) -> frozenset[Any]:
    """Items in both sets."""
    return set_of(a) & set_of(b)


def difference(a: frozenset[Any], b: frozenset[Any]) -> frozenset[Any]:
    """Items of a that are not in b."""
    return set_of(a) - set_of(b)


def insert(value: Value, container: frozenset[Any]) -> frozenset[Any]:
    """The set with one more item."""
    return set_of(container) | {value}


def remove(value: Value, container: Container) -> Container:
    """The container without any item equal to the value."""
    return like(container, (item for item in container_of(container) if item != value))


def initset(value: Value) -> frozenset[Any]:
    """The set of just this value."""
    return frozenset({value})


def repeat(item: Value, n: int) -> tuple[Any, ...]:
    """A tuple of the item, n times."""
    need_room(int_of(n))
    return (item,) * n


def dedupe(container: tuple[Any, ...]) -> tuple[Any, ...]:
    """The tuple with only the first of equal items."""
    return tuple(dict.fromkeys(tuple_of(container)))


def difference_tuple(a: tuple[Any, ...], b: tuple[Any, ...]) -> tuple[Any, ...]:
    """Items of a that are not in b, in their order."""
    without = set(container_of(b))
    return tuple(item for item in tuple_of(a) if item not in without)


def merge(containers: Container) -> Container:
    """The items of the items: one level flatter, in the kind of the outer container."""
    inner = [ordered(container_of(items)) for items in ordered(container_of(containers))]
    return like(containers, chain.from_iterable(inner))


def totuple(container: Container) -> tuple[Any, ...]:
    """The items as a tuple, a set's ascending."""
    return ordered(container_of(container))


def _nth(container: Container, rank: int) -> Value:
    items = ordered(container)
    if not -len(items) <= rank < len(items):
        raise Fail(Reason.BOUNDS if items else Reason.EMPTY, f"item {rank} of {len(items)}")
    return items[rank]


def first(container: Container) -> Value:
    """The first item."""
    return _nth(container_of(container), 0)


def second(container: Container) -> Value:
    """The second item."""
    return _nth(container_of(container), 1)


def last(container: Container) -> Value:
    """The last item."""
    return _nth(container_of(container), -1)


def other(container: Container, value: Value) -> Value:
    """The first item that is not the value."""
    return first(remove(value, container))


def itemcount(container: Container, value: Value) -> int:
    """How many items are equal to the value."""
    return ordered(container_of(container)).count(value)


def get_nth_t(container: tuple[Any, ...], rank: int) -> Value:
    """The item of a tuple at a place, from the end where negative."""
    return _nth(tuple_of(container), int_of(rank))


def get_nth_f(container: frozenset[Any], rank: int) -> Value:
    """The item of a set at a place in its order, from the end where negative."""
    return _nth(container_of(container), int_of(rank))


def _best_place(keys: Sequence[Value], choose: Any) -> int:
    """Where the greatest or least of keys is, the first of several."""
    place: int = choose(range(len(keys)), key=key_ranks(keys).__getitem__)
    return place


def _best_item(container: Container, choose: Any) -> int:
    items = ordered(container_of(container))
    best: int = items[_best_place(items, choose)] if items else 0
    return best


def maximum(container: Container) -> int:
    """The greatest number; 0 of nothing."""
    return _best_item(container, max)


def minimum(container: Container) -> int:
    """The least number; 0 of nothing."""
    return _best_item(container, min)


def _counted(container: Container) -> list[tuple[Any, int]]:
    """Each distinct item with its count, items ascending."""
    if not container_of(container):
        raise Fail(Reason.EMPTY, "nothing to count")
    counts = Counter(container)
    return [(item, counts[item]) for item in ordered(frozenset(counts))]


def mostcommon(container: Container) -> Value:
    """The item that occurs most; the least of several."""
    return max(_counted(container), key=lambda counted: counted[1])[0]


def leastcommon(container: Container) -> Value:
    """The item that occurs least; the least of several."""
    return min(_counted(container), key=lambda counted: counted[1])[0]


def _keyed(call: Call, container: Container, key: Value) -> tuple[list[Any], tuple[Any, ...]]:
    """The keys of the items, and the items."""
    items = ordered(container_of(container))
    return [call(key, item) for item in items], items


def order(call: Call, container: Container, key: Value) -> tuple[Any, ...]:
    """The items as a tuple, by ascending key; items of one key keep their order."""
    keys, items = _keyed(call, container, key)
    return tuple(items[place] for place in sorted(range(len(items)), key=key_ranks(keys).__getitem__))


def _best(call: Call, container: Container, key: Value, choose: Any) -> tuple[Any, Any]:
    """The greatest or least key, and its item."""
    keys, items = _keyed(call, container, key)
    if not items:
        raise Fail(Reason.EMPTY, "nothing to choose from")
    place = _best_place(keys, choose)
    return keys[place], items[place]


def argmax(call: Call, container: Container, key: Value) -> Value:
    """The item with the greatest key; the first of several."""
    return _best(call, container, key, max)[1]


def argmin(call: Call, container: Container, key: Value) -> Value:
    """The item with the least key; the first of several."""
    return _best(call, container, key, min)[1]


def valmax(call: Call, container: Container, key: Value) -> Value:
    """The greatest key; of nothing, key(0)."""
    return _best(call, container, key, max)[0] if container else call(key, 0)


def valmin(call: Call, container: Container, key: Value) -> Value:
    """The least key; of nothing, key(0)."""
    return _best(call, container, key, min)[0] if container else call(key, 0)


def sfilter(call: Call, container: Container, condition: Value) -> Container:
    """The items for which the condition holds."""
    return like(container, [item for item in ordered(container_of(container)) if call(condition, item)])


def mfilter(call: Call, container: Container, condition: Value) -> Container:
    """The items for which the condition holds, merged."""
    return merge(sfilter(call, container, condition))


def extract(call: Call, container: Container, condition: Value) -> Value:
    """The first item for which the condition holds; later items are not tried."""
    for item in ordered(container_of(container)):
        if call(condition, item):
            return item
    raise Fail(Reason.EMPTY, "no item for which the condition holds")


def sizefilter(container: Container, n: int) -> frozenset[Any]:
    """The set of items of size n."""
    return frozenset(item for item in container_of(container) if len(container_of(item)) == int_of(n))


def product(a: Container, b: Container) -> frozenset[tuple[Any, Any]]:
    """The set of pairs of an item of a with an item of b."""
    need_room(len(container_of(a)) * len(container_of(b)))
    return frozenset((x, y) for x in a for y in b)


def pair(a: tuple[Any, ...], b: tuple[Any, ...]) -> tuple[tuple[Any, Any], ...]:
    """Tuple of pairs, item by item, as long as the shorter."""
    return tuple(zip(ordered(container_of(a)), ordered(container_of(b)), strict=False))


_op = partial(make_spec, "containers")

OPS = (
    _op(size, "~a -> Int", generic=GenericSpec(Does.SIZE)),
    _op(contained, "a, ~b -> Bool | a, (b, c) -> Bool", generic=GenericSpec(Does.SEARCH, place=1)),
    _op(combine, "<a>, ~a -> <a>", generic=GenericSpec(Does.JOIN), fails="limit"),
    _op(intersection, "{a}, {a} -> {a}", Fact.COMMUTATIVE, generic=GenericSpec(Does.BY_RULE)),
    _op(difference, "{a}, {b} -> {a}", generic=GenericSpec(Does.SUBTRACT)),
    _op(insert, "a, {a} -> {a}", generic=GenericSpec(Does.INSERT), fails="limit"),
    _op(remove, "b, <a> -> <a>", generic=GenericSpec(Does.SEARCH, place=1)),
    _op(initset, "a -> {a}", generic=GenericSpec(Does.SINGLE)),
    _op(repeat, "a, Int -> [a]", generic=GenericSpec(Does.BY_RULE), fails="limit"),
    _op(dedupe, "[a] -> [a]", Fact.IDEMPOTENT, generic=GenericSpec(Does.OF_ITEMS)),
    _op(difference_tuple, "[a], ~b -> [a]", generic=GenericSpec(Does.SUBTRACT, code="DIFFERENCE")),
    _op(merge, "<~a> -> <a>", generic=GenericSpec(Does.MERGE), fails="limit"),
    _op(totuple, "~a -> [a]", Fact.IDEMPOTENT, generic=GenericSpec(Does.TUPLE, code="COPY_COUNTED")),
    _op(first, "(a, b) -> a | ~a -> a", generic=GenericSpec(Does.NTH, code="NTH", place=0), fails="empty"),
    _op(second, "(a, b) -> b | ~a -> a", generic=GenericSpec(Does.NTH, code="NTH", place=1), fails="empty bounds"),
    _op(last, "(a, b) -> b | ~a -> a", generic=GenericSpec(Does.NTH, code="NTH", place=-1), fails="empty"),
    _op(other, "~a, b -> a", generic=GenericSpec(Does.SEARCH, place=0), fails="empty"),
    _op(itemcount, "~a, b -> Int", generic=GenericSpec(Does.SEARCH, place=0), since=3),
    _op(get_nth_t, "[a], Int -> a", generic=GenericSpec(Does.NTH, code="NTH"), fails="empty bounds"),
    _op(get_nth_f, "~a, Int -> a", generic=GenericSpec(Does.NTH, code="NTH"), fails="empty bounds"),
    _op(maximum, "~Int -> Int", generic=GenericSpec(Does.OF_NUMBERS)),
    _op(minimum, "~Int -> Int", generic=GenericSpec(Does.OF_NUMBERS)),
    _op(mostcommon, "~a -> a", generic=GenericSpec(Does.OF_ITEMS), fails="empty"),
    _op(leastcommon, "~a -> a", generic=GenericSpec(Does.OF_ITEMS), fails="empty"),
    _op(order, "~a, (a -> Key) -> [a]", loop=LoopSpec(Gives.KEY, columnar=True)),
    _op(argmax, "~a, (a -> Key) -> a", loop=LoopSpec(Gives.KEY, best=True, columnar=True), fails="empty"),
    _op(argmin, "~a, (a -> Key) -> a", loop=LoopSpec(Gives.KEY, best=True, columnar=True), fails="empty"),
    _op(valmax, "~a, (a -> Key) -> Key", loop=LoopSpec(Gives.KEY, best=True, zero=True, columnar=True)),
    _op(valmin, "~a, (a -> Key) -> Key", loop=LoopSpec(Gives.KEY, best=True, zero=True, columnar=True)),
    _op(sfilter, "<a>, (a -> Bool) -> <a>", loop=LoopSpec(Gives.CONDITION, columnar=True)),
    _op(mfilter, "<~a>, (~a -> Bool) -> <a>", loop=LoopSpec(Gives.CONDITION, columnar=True), fails="limit"),
    _op(extract, "~a, (a -> Bool) -> a", loop=LoopSpec(Gives.CONDITION, stops=True, columnar=True), fails="empty"),
    _op(sizefilter, "~{a}, Int -> {{a}} | ~[a], Int -> {[a]}", generic=GenericSpec(Does.OF_SIZE), late=(1,)),
    _op(product, "~a, ~b -> {(a, b)}", cost=Cost.PRODUCT, generic=GenericSpec(Does.PRODUCT), fails="limit"),
    _op(pair, "~a, ~b -> [(a, b)]", generic=GenericSpec(Does.ZIP)),
)
