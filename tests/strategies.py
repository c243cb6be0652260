"""Hypothesis strategies: grids, values of any type of the language, random programs."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from arcbatt.devtools.generate import Generator
from arcbatt.language.types import BOOL, GRID, INT, OPT_INT, Seq, Set, Tup, Type, Var

colours = st.integers(0, 9)


@st.composite
def grids(draw: st.DrawFn, max_side: int = 8, most: int = 9) -> tuple[tuple[int, ...], ...]:
    height, width = draw(st.integers(1, max_side)), draw(st.integers(1, max_side))
    few = draw(st.integers(1, most))
    row = st.lists(st.integers(0, few), min_size=width, max_size=width).map(tuple)
    return tuple(draw(st.lists(row, min_size=height, max_size=height)))


def values(kind: Type) -> st.SearchStrategy[Any]:
    """Values of a type; a type variable is an integer."""
    if kind == BOOL:
        return st.booleans()
    if kind in (INT, OPT_INT) or isinstance(kind, Var):
        return st.integers(-3, 12)
    if kind == GRID:
        return grids(5)
    if isinstance(kind, Tup):
        return st.tuples(*map(values, kind.parts))
    if isinstance(kind, Set):
        return st.frozensets(values(kind.item), max_size=6)
    assert isinstance(kind, Seq)
    return st.lists(values(kind.item), max_size=5).map(tuple)


programs = st.builds(
    lambda seed, lines, samples: Generator(seed).program(lines=lines, samples=samples),
    st.integers(0, 2**32),
    st.integers(1, 12),
    st.booleans(),
)
