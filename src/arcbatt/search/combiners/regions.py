"""Cells that belong to an object: itself, what is around it, and lines that go out from it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from arcbatt.language.values import IJ
from arcbatt.search.combiners.attributes import PICTURE, Piece, Places, Scene


@dataclass(frozen=True)
class Region:
    """Cells that belong to an object."""

    cost: float
    text: str
    """Over p and {given}."""
    whole: Callable[[Piece, Scene], Places]
    under: bool = False
    """Whether only cells of the ground are meant."""

    def of(self, piece: Piece, scene: Scene) -> Places:
        """The cells, on the grid."""
        tall, wide = len(scene.grid), len(scene.grid[0])
        return frozenset(
            (i, j)
            for i, j in self.whole(piece, scene)
            if 0 <= i < tall and 0 <= j < wide and not (self.under and scene.grid[i][j] != scene.ground)
        )

    def write(self, given: str) -> str:
        """As text over p."""
        text = self.text.format(given=given)
        return f"intersection({text}, ofcolor({given}, mostcolor({given})))" if self.under else text


def _outline(piece: Piece, out: int) -> Places:
    top, left, bottom, right = piece.top - out, piece.left - out, piece.bottom + out, piece.right + out
    return frozenset(
        (i, j)
        for i in range(top, bottom + 1)
        for j in range(left, right + 1)
        if i in (top, bottom) or j in (left, right)
    )


def _ray(piece: Piece, scene: Scene, step: IJ) -> Places:
    """The piece and all that lies in a direction of it."""
    (down, across), tall, wide = step, len(scene.grid), len(scene.grid[0])
    found = set(piece.places)
    for place in piece.places:
        i, j = place[0] + down, place[1] + across
        while 0 <= i < tall and 0 <= j < wide and (i, j) not in found:
            found.add((i, j))
            i, j = i + down, j + across
    return frozenset(found)


def _rays(cost: float, steps: Sequence[IJ]) -> Region:
    rays = [f"mapply(lambda c: shoot(c, {step}), toindices(p))" for step in steps]
    text = rays[0]
    for ray in rays[1:]:
        text = f"combine({text}, {ray})"
    return Region(
        cost, text, lambda p, scene: frozenset[IJ]().union(*(_ray(p, scene, step) for step in steps)), under=True
    )


_UP, _DOWN, _LEFT, _RIGHT = (-1, 0), (1, 0), (0, -1), (0, 1)
REGIONS: Final = (
    Region(0.0, "toindices(p)", lambda p, _: p.places),
    Region(0.5, "delta(p)", lambda p, _: p.box - p.places),
    Region(0.5, f"shift(enclosed({PICTURE.format(p='p')}, 0, F), ulcorner(p))", lambda p, _: p.holes),
    Region(0.7, "backdrop(p)", lambda p, _: p.box),
    Region(0.7, "outbox(p)", lambda p, _: _outline(p, 1)),
    Region(0.8, "outbox(p)", lambda p, _: _outline(p, 1), under=True),
    Region(0.8, "box(p)", lambda p, _: _outline(p, 0)),
)
RAYS: Final = (
    *(_rays(0.8, [step]) for step in (_UP, _DOWN, _LEFT, _RIGHT)),
    _rays(0.8, [_LEFT, _RIGHT]),
    _rays(0.8, [_UP, _DOWN]),
    _rays(1.0, [_UP, _DOWN, _LEFT, _RIGHT]),
    *(_rays(1.0, [step]) for step in ((-1, -1), (-1, 1), (1, -1), (1, 1))),
    _rays(1.0, [(-1, -1), (-1, 1), (1, -1), (1, 1)]),
)


# --- lines that stop where something is in the way

_FREE: Final = "equality(size(difference(connect({start}, q), ofcolor({{given}}, mostcolor({{given}})))), 0)"


def _walk_text(start: str, step: str) -> str:
    """The cells from one on, as long as they are ground, in the language."""
    return f"sfilter(shoot({start}, {step}), lambda q: {_FREE.format(start=start)})"


def _walked(scene: Scene, starts: Iterable[tuple[IJ, IJ]]) -> Places:
    """The cells from some on, each in a direction, as long as they are ground."""
    tall, wide = len(scene.grid), len(scene.grid[0])
    found = set()
    for start, (down, across) in starts:
        i, j = start
        while 0 <= i < tall and 0 <= j < wide and scene.grid[i][j] == scene.ground:
            found.add((i, j))
            i, j = i + down, j + across
    return frozenset(found)


def _stopped(cost: float, steps: Sequence[IJ]) -> Region:
    """Lines from every cell of an object."""
    texts = [f"mapply(lambda c: {_walk_text(f'add(c, {step})', str(step))}, toindices(p))" for step in steps]

    def whole(piece: Piece, scene: Scene) -> Places:
        starts = (((i + down, j + across), (down, across)) for i, j in piece.places for down, across in steps)
        return _walked(scene, starts)

    return Region(cost, _joined(texts), whole, under=True)


def _joined(texts: Sequence[str]) -> str:
    text = texts[0]
    for one in texts[1:]:
        text = f"combine({text}, {one})"
    return text


_OUTWARD: Final = "sign(subtract(double(c), add(ulcorner(p), lrcorner(p))))"
"""The direction from the middle of an object to a corner of its box."""


def _from_corners(cost: float, kept: str, keeps: Callable[[Piece, IJ], bool]) -> Region:
    """Lines from corners of an object's box, away from its middle."""
    text = f"mapply(lambda c: {_walk_text(f'add(c, {_OUTWARD})', _OUTWARD)}, {kept})"

    def starts(piece: Piece) -> Iterator[tuple[IJ, IJ]]:
        for i, j in {(i, j) for i in (piece.top, piece.bottom) for j in (piece.left, piece.right)}:
            down, across = _sign(2 * i - piece.top - piece.bottom), _sign(2 * j - piece.left - piece.right)
            if keeps(piece, (i, j)) and (down, across) != (0, 0):
                yield (i + down, j + across), (down, across)

    return Region(cost, text, lambda piece, scene: _walked(scene, starts(piece)), under=True)


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)


_SIDES: Final[tuple[tuple[IJ, str, Callable[[Piece, int, int], bool]], ...]] = (
    (_UP, "equality(first(c), uppermost(p))", lambda piece, i, j: i == piece.top),
    (_DOWN, "equality(first(c), lowermost(p))", lambda piece, i, j: i == piece.bottom),
    (_LEFT, "equality(last(c), leftmost(p))", lambda piece, i, j: j == piece.left),
    (_RIGHT, "equality(last(c), rightmost(p))", lambda piece, i, j: j == piece.right),
)


def _from_gaps(cost: float, inside: bool) -> Region:
    """Lines out of an object where the outline of its box has a gap; with what is inside of the box, or without."""
    texts = [
        f"mapply(lambda c: {_walk_text('c', str(step))}, sfilter(delta(p), lambda c: {side}))"
        for step, side, _ in _SIDES
    ]

    def whole(piece: Piece, scene: Scene) -> Places:
        gaps = piece.box - piece.places
        starts = [(place, step) for step, _, is_there in _SIDES for place in gaps if is_there(piece, *place)]
        return _walked(scene, starts) | (gaps if inside else frozenset())

    return Region(cost, _joined([*texts, "delta(p)"] if inside else texts), whole, under=True)


WALKS: Final = (
    *(_stopped(0.9, [step]) for step in (_UP, _DOWN, _LEFT, _RIGHT)),
    _stopped(0.9, [_LEFT, _RIGHT]),
    _stopped(0.9, [_UP, _DOWN]),
    _stopped(1.1, [_UP, _DOWN, _LEFT, _RIGHT]),
    *(_stopped(1.1, [step]) for step in ((-1, -1), (-1, 1), (1, -1), (1, 1))),
    _stopped(1.1, [(-1, -1), (-1, 1), (1, -1), (1, 1)]),
    _from_corners(1.0, "corners(p)", lambda _, __: True),
    _from_corners(1.2, "sfilter(corners(p), lambda c: contained(c, toindices(p)))", lambda p, place: place in p.places),
    _from_corners(1.2, "intersection(corners(p), delta(p))", lambda p, place: place not in p.places),
    _from_gaps(1.2, inside=False),
    _from_gaps(1.2, inside=True),
)
