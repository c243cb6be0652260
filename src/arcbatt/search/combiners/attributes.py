"""What is said of an object: numbers and truths, each as a function and as text over p, the objects and the grid."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from arcbatt.language.primitives.measures import enclosed
from arcbatt.language.primitives.shapes import mostcolor
from arcbatt.language.values import IJ, Grid, Object
from arcbatt.search.combiners.rule import in_order

Places = frozenset[IJ]


class Piece:
    """An object of a scene."""

    def __init__(self, cells: Object) -> None:
        self.cells = cells
        self.places: Places = frozenset(place for _, place in cells)
        rows, columns = [i for i, _ in self.places], [j for _, j in self.places]
        self.top, self.left, self.bottom, self.right = min(rows), min(columns), max(rows), max(columns)
        self.height, self.width = self.bottom - self.top + 1, self.right - self.left + 1

    @cached_property
    def colours(self) -> Counter[int]:
        """How many cells it has of each colour."""
        return Counter(colour for colour, _ in self.cells)

    @cached_property
    def colour(self) -> int:
        """The most common colour, the least of several, as `mostcolor` has it."""
        return mostcolor(self.cells)

    @cached_property
    def form(self) -> Places:
        """Its places with the box at the origin."""
        return frozenset((i - self.top, j - self.left) for i, j in self.places)

    @cached_property
    def box(self) -> Places:
        """All places of its box."""
        return frozenset((i, j) for i in range(self.top, self.bottom + 1) for j in range(self.left, self.right + 1))

    @cached_property
    def beside(self) -> Places:
        """The places above, below and beside its cells, its own among them where they touch."""
        return frozenset(one for i, j in self.places for one in ((i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)))

    @cached_property
    def holes(self) -> Places:
        """The places that it encloses."""
        return frozenset((self.top + i, self.left + j) for i, j in enclosed(self.picture, 0, False))

    @cached_property
    def picture(self) -> Grid:
        """Its form as ones on zeros."""
        return tuple(tuple(int((i, j) in self.form) for j in range(self.width)) for i in range(self.height))


class Scene:
    """A grid and its objects in the order of the language."""

    def __init__(self, grid: Grid, found: Iterable[Object]) -> None:
        self.grid = grid
        self.ground = mostcolor(grid)
        self.pieces = [Piece(one) for one in in_order(found)]

    def is_at_edge(self, piece: Piece) -> bool:
        """Whether a piece touches the edge of the grid."""
        return (
            piece.top == 0
            or piece.left == 0
            or piece.bottom == len(self.grid) - 1
            or piece.right == len(self.grid[0]) - 1
        )

    def inner(self, piece: Piece) -> Counter[int]:
        """How many cells of each colour the box of a piece has."""
        return Counter(self.grid[i][j] for i, j in piece.box)


@dataclass(frozen=True)
class Attribute:
    """A number, or a truth as 0 and 1, of an object."""

    cost: float
    """In a description."""
    text: str
    """In the language, over p, {objects} and {given}."""
    of: Callable[[Scene, Piece], int]
    is_truth: bool = False

    @property
    def is_local(self) -> bool:
        """Whether it does not depend on which other objects there are."""
        return "{objects}" not in self.text

    def over(self, name: str, objects: str, given: str) -> str:
        """The text for a variable."""
        return self.text.format(p=name, objects=objects, given=given)


def _forms(scene: Scene, piece: Piece) -> int:
    return sum(other.form == piece.form for other in scene.pieces)


def _beside(piece: Piece, place: IJ) -> tuple[int, int]:
    """How many cells of a piece are above or below a place, and how many beside it."""
    i, j = place
    down = ((i - 1, j) in piece.places) + ((i + 1, j) in piece.places)
    return down, ((i, j - 1) in piece.places) + ((i, j + 1) in piece.places)


def _ends(_: Scene, piece: Piece) -> int:
    return sum(sum(_beside(piece, place)) == 1 for place in piece.places)


def _forks(_: Scene, piece: Piece) -> int:
    return sum(sum(_beside(piece, place)) == 3 for place in piece.places)


def _bends(_: Scene, piece: Piece) -> int:
    return sum(_beside(piece, place) == (1, 1) for place in piece.places)


def _mirrored(piece: Piece, rows: bool, columns: bool) -> bool:
    """Whether a piece is the same with its rows or columns reversed."""
    down, across = piece.top + piece.bottom, piece.left + piece.right
    return piece.cells == frozenset(
        (colour, (down - i if rows else i, across - j if columns else j)) for colour, (i, j) in piece.cells
    )


PICTURE: Final = "fill(canvas(0, shape({p})), 1, toindices(normalize({p})))"

_CELLS: Final = "size(sfilter(toindices({p}), lambda c: "
_NEXT: Final = "size(intersection(dneighbors(c), toindices({p})))"
_ABOVE: Final = "size(intersection(insert(add(c, UP), initset(add(c, DOWN))), toindices({p})))"
_BESIDE: Final = "size(intersection(insert(add(c, LEFT), initset(add(c, RIGHT))), toindices({p})))"

PLAIN: Final = (
    Attribute(0.3, "mostcolor({p})", lambda _, p: p.colour),
    Attribute(0.3, "size({p})", lambda _, p: len(p.cells)),
    Attribute(0.5, "height({p})", lambda _, p: p.height),
    Attribute(0.5, "width({p})", lambda _, p: p.width),
    Attribute(0.5, "numcolors({p})", lambda _, p: len(p.colours)),
    Attribute(0.6, "size(delta({p}))", lambda _, p: len(p.box) - len(p.places)),
    Attribute(0.5, "bordering({p}, {given})", lambda s, p: int(s.is_at_edge(p)), True),
    Attribute(0.7, "uppermost({p})", lambda _, p: p.top),
    Attribute(0.7, "leftmost({p})", lambda _, p: p.left),
    Attribute(0.7, "lowermost({p})", lambda _, p: p.bottom),
    Attribute(0.7, "rightmost({p})", lambda _, p: p.right),
    Attribute(0.8, "equality({p}, vmirror({p}))", lambda _, p: int(_mirrored(p, False, True)), True),
    Attribute(0.8, "equality({p}, hmirror({p}))", lambda _, p: int(_mirrored(p, True, False)), True),
    Attribute(0.6, "equality(height({p}), width({p}))", lambda _, p: int(p.height == p.width), True),
    Attribute(0.6, "greater(height({p}), width({p}))", lambda _, p: int(p.height > p.width), True),
    Attribute(0.8, "numcolors(subgrid({p}, {given}))", lambda s, p: len(s.inner(p))),
    Attribute(0.8, f"size(enclosed({PICTURE}, 0, F))", lambda _, p: len(p.holes)),
    Attribute(1.0, f"{_CELLS}equality({_NEXT}, 1)))", _ends),
    Attribute(1.0, f"{_CELLS}equality({_NEXT}, 3)))", _forks),
    Attribute(1.0, f"{_CELLS}both(equality({_ABOVE}, 1), equality({_BESIDE}, 1))))", _bends),
    Attribute(
        1.0,
        "size(sfilter({objects}, lambda q: equality(toindices(normalize(q)), toindices(normalize({p})))))",
        _forms,
    ),
    Attribute(
        1.0,
        "size(sfilter({objects}, lambda q: equality(mostcolor(q), mostcolor({p}))))",
        lambda s, p: sum(other.colour == p.colour for other in s.pieces),
    ),
    Attribute(
        1.0,
        "size(sfilter({objects}, lambda q: contained(ulcorner({p}), backdrop(q))))",
        lambda s, p: sum((p.top, p.left) in other.box for other in s.pieces),
    ),
)


def _about(colour: int) -> Iterator[Attribute]:
    """What has to do with a colour."""
    yield Attribute(1.0, f"colorcount(subgrid({{p}}, {{given}}), {colour})", lambda s, p: s.inner(p)[colour])
    yield Attribute(
        1.0,
        f"positive(size(intersection(mapply(dneighbors, toindices({{p}})), ofcolor({{given}}, {colour}))))",
        lambda s, p: int(
            any(s.grid[i][j] == colour for i, j in p.beside if 0 <= i < len(s.grid) and 0 <= j < len(s.grid[0]))
        ),
        True,
    )


def attributes(colours: Iterable[int]) -> list[Attribute]:
    """All attributes, with those about some colours."""
    return [*PLAIN, *(one for colour in colours for one in _about(colour))]
