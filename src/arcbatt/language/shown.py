"""Values on their way between Python and the language: lists and arrays made plain, grids that show themselves."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Any, Final

from arcbatt.errors import DataError
from arcbatt.support.text import counted

_PLAIN: Final = frozenset((int, bool, type(None), frozenset))
"""Types of values that are as the language has them: what is in a set can be no list and no array."""
_SHOWN_LENGTH: Final = 70


class Grid(tuple[tuple[int, ...], ...]):
    """A grid that a notebook shows as a picture: a tuple of rows, equal to the same tuple, made of lists or arrays too.

    `arcbatt.Grid([[0, 7], [7, 0]])`. `print` writes its rows; `numpy.array` makes an array of it.
    """

    __slots__ = ()

    def __new__(cls, rows: Iterable[Iterable[int]]) -> Grid:
        """A grid of rows; raises DataError where they are none."""
        made = plain(rows if hasattr(rows, "tolist") else tuple(rows))
        check_grid(made, "grid")
        return shown_grid(made)

    def __getnewargs__(self) -> tuple[tuple[tuple[int, ...], ...]]:
        return (tuple(self),)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self), len(self[0]) if self else 0

    def __str__(self) -> str:
        width = max((len(str(cell)) for cell in chain.from_iterable(self)), default=1)
        return "\n".join(" ".join([f"{cell:>{width}}" for cell in row]) for row in self)

    def __repr__(self) -> str:
        from arcbatt.display.colours import digits

        rows = " ".join(digits(self))
        cut = rows if len(rows) <= _SHOWN_LENGTH else f"{rows[:_SHOWN_LENGTH]}..."
        return f"<Grid {self.shape[0]} x {self.shape[1]}: {cut}>"

    def svg(self) -> str:
        """The grid as a picture, the text of an SVG file."""
        from arcbatt.display.pictures import grid_svg

        return grid_svg(self)

    def _repr_html_(self) -> str:
        from arcbatt.display.html import figure
        from arcbatt.display.pictures import grid_image

        return figure(grid_image(self, "grid", side=180), "{} x {}".format(*self.shape))

    def __rich__(self) -> Any:
        from arcbatt.display.terminal import Panel, Panels

        return Panels([Panel("Grid", self)])


def shown_grid(rows: tuple[tuple[int, ...], ...]) -> Grid:
    """A grid that shows itself, of rows that are known to be in order."""
    return tuple.__new__(Grid, rows)


def shown(value: Any) -> Any:
    """A value as people get it: a grid as one that shows itself, anything else as it is."""
    return shown_grid(value) if is_grid(value) else value


def plain(value: Any) -> Any:
    """A value as the language has it: tuples of lists, arrays and shown grids, frozensets of sets.

    Anything else is as it is, arrays that are no grid among them.
    """
    kind = type(value)
    if kind is tuple:
        if _PLAIN.issuperset(map(type, value)):
            return value
        items = list(map(plain, value))
        return value if all(map(_same, items, value)) else tuple(items)
    if kind in _PLAIN:
        return value
    if isinstance(value, list | tuple):
        return tuple(map(plain, value))
    if isinstance(value, set | frozenset):
        return frozenset(map(plain, value))
    return plain(value.tolist()) if _is_array(value) else value


def quickly_plain(value: Any) -> Any:
    """As `plain`, for what there is very much of: whether it is plain already is judged by the first of its parts."""
    first = value
    while type(first) is tuple and first:
        first = first[0]
    return value if type(first) in _PLAIN or type(first) is tuple else plain(value)


def is_grid(value: Any) -> bool:
    """Whether a value is a grid: rows of equally many integers, at least one cell."""
    return (
        isinstance(value, tuple)
        and bool(value)
        and all(issubclass(kind, tuple) for kind in set(map(type, value)))
        and len(set(map(len, value))) == 1
        and set(map(type, chain.from_iterable(value))) == {int}
    )


def _is_array(value: Any) -> bool:
    """Whether a value is an array that the language has values for: a number, a row or a grid of whole numbers."""
    kind = getattr(getattr(value, "dtype", None), "kind", "i")
    return hasattr(value, "tolist") and getattr(value, "ndim", 3) <= 2 and kind in "iub"


def _same(one: Any, other: Any) -> bool:
    return one is other


def check_grid(made: Any, where: str) -> None:
    """Raise DataError that says what is wrong, where a plain value is no grid."""
    if problem := _problem(made):
        raise DataError(f"{where}: a grid is a list of equally long rows of whole numbers, {problem}")


def _problem(made: Any) -> str:
    """What keeps a plain value from being a grid, or nothing."""
    if not isinstance(made, tuple) or not made:
        return f"got {made!r:.40}"
    for number, row in enumerate(made):
        if not isinstance(row, tuple) or not row:
            return f"row {number} is {row!r:.40}"
        if len(row) != len(made[0]):
            return f"row {number} has {counted(len(row), 'cell')} where row 0 has {len(made[0])}"
        for column, cell in enumerate(row):
            if type(cell) is not int:
                return f"cell ({number}, {column}) is {cell!r:.40}"
    return ""
