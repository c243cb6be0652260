"""The plain values of the language, their order, their size, and the checks every family shares."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from heapq import merge
from itertools import chain, pairwise
from operator import itemgetter
from typing import Any, Final

from arcbatt.language.failures import Fail, Reason
from arcbatt.language.limits import INT_MAX, INT_MIN, MAX_ITEMS, MAX_LEVELS, MAX_SIDE, MAX_SIZE

Value = Any
IJ = tuple[int, int]
Grid = tuple[tuple[int, ...], ...]
Cell = tuple[int, IJ]
Object = frozenset[Cell]
Indices = frozenset[IJ]
Patch = frozenset[Any]
Container = frozenset[Any] | tuple[Any, ...]
_CONTAINERS: Final = frozenset((tuple, frozenset))
_FEW_LEVELS: Final = 5
_AT_ONCE: Final = 1000
"""Values of any kind that are sorted in one call, in which no signal is heard; deep ones take long to compare."""
_NOT_FUNCTIONS: Final = _CONTAINERS | {int, bool, type(None)}
_NONE, _NUMBER, _TUPLE, _SET, _FUNCTION = range(5)
Call = Callable[..., Any]
"""How a primitive calls a function value it was given: `call(function, *arguments)`."""


def rank(value: Value) -> tuple[Any, ...]:
    """A key whose order is the language's: None, numbers, tuples, sets, functions."""
    if isinstance(value, int):
        return (_NUMBER, value)
    if isinstance(value, tuple):
        return (_TUPLE, tuple(map(rank, value)))
    if isinstance(value, frozenset):
        return (_SET, tuple(sorted(map(rank, value))))
    if value is None:
        return (_NONE,)
    return (_FUNCTION, value.name, tuple(map(rank, value.parts)))


def key_ranks(keys: Sequence[Value]) -> Sequence[Any]:
    """What keys sort by; fails unless any two of them can be compared.

    Numbers compare with numbers, sets with sets (in the language's order), and tuples with tuples by the first items
    that differ, if those compare. Keys that have the same items up to a place stand together in the language's order,
    and there by kind of what they have at it; so of keys that cannot all be compared, two neighbours cannot.
    """
    if set(map(type, keys)) <= {int, bool}:
        return keys
    ranks = list(map(rank, keys))
    if not all(_comparable(a, b) for a, b in pairwise(sorted(ranks))):
        raise Fail(Reason.TYPE, "keys that cannot be compared")
    return ranks


def _comparable(a: tuple[Any, ...], b: tuple[Any, ...]) -> bool:
    """Whether two values can be compared as keys, by their ranks."""
    if a[0] != b[0] or a[0] in (_NONE, _FUNCTION):
        return False
    if a[0] != _TUPLE:
        return True
    return next((_comparable(x, y) for x, y in zip(a[1], b[1], strict=False) if x != y), True)


def ordered(container: Container) -> tuple[Any, ...]:
    """The items as a program sees them: a tuple as it is, a set ascending."""
    if isinstance(container, tuple):
        return container
    items = set_of(container)
    if len(items) < 2:
        return tuple(items)
    if _uniform(items):
        return tuple(sorted(items))
    if set(map(type, items)) == {frozenset} and _uniform(frozenset().union(*items)):
        return tuple(sorted(items, key=sorted))  # as the sorted lists they are
    ranked = [(rank(item), item) for item in items]
    parts = [sorted(ranked[k : k + _AT_ONCE], key=itemgetter(0)) for k in range(0, len(ranked), _AT_ONCE)]
    return tuple([item for _, item in merge(*parts, key=itemgetter(0))])


def _uniform(items: frozenset[Any]) -> bool:
    """Whether the items are all ints, all IJs or all Cells, which Python's own order sorts rightly."""
    kinds = set(map(type, items))
    if kinds <= {int, bool}:
        return True
    if kinds != {tuple} or set(map(len, items)) != {2}:
        return False
    firsts, seconds = zip(*items, strict=True)
    if set(map(type, firsts)) != {int}:
        return False
    kinds = set(map(type, seconds))
    if kinds == {tuple} and set(map(len, seconds)) == {2}:
        kinds = set(map(type, chain.from_iterable(seconds)))
    return kinds == {int}


def set_of(value: Value) -> frozenset[Any]:
    """The value, if it is a set."""
    if isinstance(value, frozenset):
        return value
    raise Fail(Reason.TYPE, f"expected a set, got {kind(value)}")


def tuple_of(value: Value) -> tuple[Any, ...]:
    """The value, if it is a tuple."""
    if isinstance(value, tuple):
        return value
    raise Fail(Reason.TYPE, f"expected a tuple, got {kind(value)}")


def container_of(value: Value) -> Container:
    """The value, if it is a set or a tuple."""
    if isinstance(value, (tuple, frozenset)):
        return value
    raise Fail(Reason.TYPE, f"expected a set or tuple, got {kind(value)}")


def int_of(value: Value) -> int:
    """The value, if it is a number."""
    if isinstance(value, int):
        return value
    raise Fail(Reason.TYPE, f"expected an integer, got {kind(value)}")


def ij_of(value: Value) -> IJ:
    """The value, if it is a pair of numbers."""
    i, j = pair_of(value)
    return int_of(i), int_of(j)


def pair_of(value: Value) -> tuple[Any, Any]:
    """The value, if it is a tuple of two."""
    if isinstance(value, tuple) and len(value) == 2:
        return value
    raise Fail(Reason.TYPE, f"expected a pair, got {kind(value)}")


def like(container: Container, items: Iterable[Any]) -> Container:
    """The items in a container of the same kind."""
    return frozenset(items) if isinstance(container, frozenset) else tuple(items)


def first_item(container: Container) -> Value:
    """The first item of a container that is not empty, of a set the least."""
    return container[0] if isinstance(container, tuple) else min(container, key=rank)


def number(value: int) -> int:
    """The value, if it fits the language's 32-bit integers."""
    if INT_MIN <= value <= INT_MAX:
        return value
    raise Fail(Reason.LIMIT, f"{value} does not fit 32 bits")


def need_room(items: int) -> None:
    """Fail before making a set or tuple of more items than the language allows."""
    if items > MAX_ITEMS:
        raise Fail(Reason.LIMIT, f"{items} items, at most {MAX_ITEMS}")


def need_side(height: int, width: int) -> None:
    """Fail before making a grid longer or wider than the language allows."""
    if height > MAX_SIDE or width > MAX_SIDE:
        raise Fail(Reason.LIMIT, f"a grid of {height} x {width}, sides at most {MAX_SIDE}")


Sizes = dict[int, tuple[Value, int]]
"""Containers that were measured, by their ids, and their sizes; holding a container keeps its id its own."""


def size_of(value: Value, known: Sizes | None = None) -> int:
    """How much the value holds: of a set or tuple the sizes of its items, each at least 1; of anything else 1.

    A container that it holds many times is measured once, and not at all if its size is known.
    """
    if type(value) not in _CONTAINERS:
        return 1
    flat = _size_by_levels(value)
    return _size_by_parts(value, {} if known is None else known) if flat is None else flat


def _size_by_levels(value: Container) -> int | None:
    """The size of what is not deep and within the limits, which is quick; None of anything else."""
    total, items = 0, value
    for _ in range(_FEW_LEVELS):
        kinds = set(map(type, items))
        if kinds.isdisjoint(_CONTAINERS):
            return total + len(items)
        nested = items if kinds <= _CONTAINERS else [item for item in items if type(item) in _CONTAINERS]
        lengths = list(map(len, nested))
        if sum(lengths) > MAX_SIZE:
            return None
        total += len(items) - len(nested) + lengths.count(0)
        items = tuple(chain.from_iterable(nested))
    return None


def _size_by_parts(value: Container, known: Sizes) -> int:
    """The size of any container."""
    waiting = [value]
    while waiting:
        now = waiting.pop()
        if id(now) in known:
            continue
        inside = not _CONTAINERS.isdisjoint(map(type, now))
        nested = [item for item in now if type(item) in _CONTAINERS] if inside else []
        unknown = {id(item): item for item in nested if id(item) not in known}
        if unknown:
            waiting += [now, *unknown.values()]
        else:
            known[id(now)] = now, len(now) - len(nested) + sum(max(1, known[id(item)][1]) for item in nested)
    return known[id(value)][1]


def with_functions(size: int, functions: Iterable[Any]) -> int:
    """The size of what holds functions, with all that they are made of; in `size` they count for 1."""
    beyond: int = sum(function.size - 1 for function in functions)
    return size + beyond


def levels_of(value: Value) -> int:
    """How many sets, tuples and functions stand inside one another, up to one more than is allowed."""
    return nesting_of(value)[0]


def nesting_of(value: Value) -> tuple[int, list[Any]]:
    """The levels of a value, as `levels_of` has them, and the functions it is or holds, each as often as it does.

    What a function holds itself is not looked at: it says so.
    """
    levels, deepest = 0, 0
    functions: list[Any] = []
    items: tuple[Any, ...] = (value,)
    while levels <= MAX_LEVELS:
        kinds = set(map(type, items))
        if not kinds <= _NOT_FUNCTIONS:
            found = [item for item in items if type(item) not in _NOT_FUNCTIONS]
            deepest = max(deepest, *(levels + item.levels for item in found))
            functions += found
        if kinds.isdisjoint(_CONTAINERS):
            break
        levels += 1
        nested = items if kinds <= _CONTAINERS else [item for item in items if type(item) in _CONTAINERS]
        items = tuple(chain.from_iterable(nested))
    return max(levels, deepest), functions


def kind(value: Value) -> str:
    """What a value is, for messages."""
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, int):
        return "an integer"
    if value is None:
        return "None"
    if isinstance(value, frozenset):
        return f"a set of {len(value)}"
    if isinstance(value, tuple):
        return f"a tuple of {len(value)}"
    if hasattr(value, "dtype"):
        return f"an array of shape {value.shape} and type {value.dtype}"
    return "a function" if hasattr(value, "parts") else f"a {type(value).__name__}"
