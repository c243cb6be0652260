"""Arguments drawn at random by type: mostly small and plain, now and then at the edge of what there is."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any, Final

from arcbatt.language.limits import INT_MAX, INT_MIN
from arcbatt.language.types import BOOL, CELL, GRID, IJ, INT, OPT_INT, Seq, Set, Tup, Type

_EDGES: Final = (INT_MIN, INT_MAX, -129, -128, -1, 10, 127, 128, 1 << 16)
_MOST_ITEMS: Final = 6


def random_rows(kinds: tuple[Type, ...], count: int, seed: int | str) -> Iterator[tuple[Any, ...]]:
    """So many tuples of values of these types; the same for the same seed."""
    draw = random.Random(f"{seed}: {', '.join(map(str, kinds))}")
    for number in range(count):
        yield tuple([random_value(kind, draw, odd=number % 4 == 3) for kind in kinds])


def random_value(kind: Type, draw: random.Random, *, odd: bool = False) -> Any:
    """A value of a plain type; an odd one may be empty, big or beyond what engines hold."""
    if kind == BOOL:
        return draw.random() < 0.5
    if kind == INT:
        return draw.choice(_EDGES) if odd and draw.random() < 0.5 else draw.randint(-2, 9)
    if kind == OPT_INT:
        return None if draw.random() < 0.2 else random_value(INT, draw, odd=odd)
    if kind == GRID:
        return random_grid(draw, odd=odd)
    if kind in (IJ, CELL):
        place = (draw.randint(-2, 12), draw.randint(-2, 12))
        return place if kind == IJ else (draw.randint(0, 9), place)
    if isinstance(kind, Tup):
        return tuple([random_value(part, draw, odd=odd) for part in kind.parts])
    assert isinstance(kind, Set | Seq), kind
    items = [random_value(kind.item, draw, odd=odd) for _ in range(draw.randint(0 if odd else 1, _MOST_ITEMS))]
    return frozenset(items) if isinstance(kind, Set) else tuple(items)


def random_grid(draw: random.Random, *, odd: bool = False) -> tuple[tuple[int, ...], ...]:
    """A grid of few colours; an odd one may have no rows, no columns, one row, or colours that are none."""
    h, w = draw.randint(1, 10), draw.randint(1, 10)
    colours = draw.sample(range(10), draw.randint(1, 4))
    if odd:
        h, w = draw.choice([(0, 0), (2, 0), (1, 1), (1, w), (h, 1), (30, 30), (h, w)])
        colours = draw.choice([colours, [0], [-128, -1, 127], [0, 9, 128], [INT_MIN, 0, INT_MAX]])
    return tuple([tuple([draw.choice(colours) for _ in range(w)]) for _ in range(h)])
