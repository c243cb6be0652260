"""Objects by learned conditions: which of them get a colour or go, have their surroundings filled, or are cut out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import accumulate, islice, product
from typing import Any, Final

from arcbatt.language.primitives.grids import dmirror, hmirror, rot90, rot180, rot270, vmirror
from arcbatt.language.primitives.objects import fgpartition, o_g
from arcbatt.language.values import Grid, Object
from arcbatt.scoring.attempts import Question
from arcbatt.search.combine import Clock
from arcbatt.search.combiners.attributes import Piece, Scene
from arcbatt.search.combiners.conditions import Condition, Conditions
from arcbatt.search.combiners.regions import RAYS, REGIONS, WALKS, Region
from arcbatt.search.combiners.rule import Rule, same_size
from arcbatt.search.views import inputs_of
from arcbatt.search.write import Writer

_BASE: Final = 3.0
_MOST_OBJECTS: Final = 30
_MOST_CLASSES: Final = 4
_EACH: Final = 3
"""Conditions of each class that are tried."""
_CLASS: Final = 0.7
_SEEN_ONCE: Final = 1.5


@dataclass(frozen=True)
class _Source:
    """What the objects are."""

    cost: float
    text: str
    of: Callable[[Grid], Iterable[Object]]


def _mode(cost: float, mode: int) -> _Source:
    return _Source(cost, f"o_g({{given}}, {mode})", lambda grid: o_g(grid, mode))


_SOURCES: Final = (
    _mode(0.0, 5), _mode(0.1, 7), _mode(0.2, 3), _mode(0.3, 1), _Source(0.3, "fgpartition({given})", fgpartition),
    _mode(0.5, 4),
)  # fmt: skip


@dataclass(frozen=True)
class _Ink:
    """A colour that objects get: always the same, or that of another object."""

    cost: float
    text: str
    """Over p, {objects} and {given}."""
    of: Callable[[Scene, Piece], int | None]


def _constant(colour: int) -> _Ink:
    return _Ink(0.0, str(colour), lambda _, __: colour)


_GROUND: Final = _Ink(0.0, "mostcolor({given})", lambda scene, _: scene.ground)


def _nearest(scene: Scene, piece: Piece) -> int | None:
    others = [one for one in scene.pieces if one is not piece]
    return min(others, key=lambda one: _apart(piece, one)).colour if others else None


def _apart(one: Piece, other: Piece) -> int:
    return min(abs(i - a) + abs(j - b) for i, j in one.places for a, b in other.places)


def _alike(scene: Scene, piece: Piece) -> int | None:
    return next((one.colour for one in scene.pieces if one is not piece and one.form == piece.form), None)


def _other_inside(scene: Scene, piece: Piece) -> int | None:
    left = {colour: count for colour, count in scene.inner(piece).items() if colour not in (piece.colour, scene.ground)}
    return min(left, key=lambda colour: (-left[colour], colour)) if len(left) == 1 else None


_RELATED: Final = (
    _Ink(0.3, "mostcolor(p)", lambda _, piece: piece.colour),
    _Ink(0.7, "mostcolor(argmax({objects}, size))", lambda s, _: max(s.pieces, key=lambda one: len(one.cells)).colour),
    _Ink(0.7, "mostcolor(argmin({objects}, size))", lambda s, _: min(s.pieces, key=lambda one: len(one.cells)).colour),
    _Ink(1.0, "mostcolor(argmin(remove(p, {objects}), lambda q: manhattan(p, q)))", _nearest),
    _Ink(
        1.0,
        "mostcolor(extract(remove(p, {objects}),"
        " lambda q: equality(toindices(normalize(q)), toindices(normalize(p)))))",
        _alike,
    ),
    _Ink(
        1.0,
        "first(totuple(difference(palette(subgrid(p, {given})), insert(mostcolor({given}), palette(p)))))",
        _other_inside,
    ),
)


@dataclass(frozen=True)
class _Painting:
    """Classes of objects, each by a condition, whose regions get a colour."""

    source: _Source
    region: Region
    classes: tuple[tuple[_Ink, Condition], ...]

    def of(self, scene: Scene, first: int) -> Grid | None:
        """A scene painted, whose first object is bit `first`; None where a colour is not to be had."""
        out = [list(row) for row in scene.grid]
        for ink, condition in self.classes:
            passed = condition.passed >> first
            painted: dict[tuple[int, int], int] = {}
            for number, piece in enumerate(scene.pieces):
                if passed >> number & 1:
                    colour = ink.of(scene, piece)
                    if colour is None:
                        return None
                    for place in self.region.of(piece, scene):  # of several colours `paint` takes the greatest
                        painted[place] = max(colour, painted.get(place, colour))
            for (i, j), colour in painted.items():
                out[i][j] = colour
        return tuple(map(tuple, out))

    def __call__(self, writer: Writer, given: str) -> str:
        """As a program: each class painted."""
        found = writer.let(self.source.text.format(given=given))
        out = given
        for ink, condition in self.classes:
            colour = ink.text.format(given=given, objects=found)
            region = f"lambda p: recolor({colour}, {self.region.write(given)})"
            out = writer.let(f"paint({out}, mapply({region}, {condition.chosen(writer, found, given)}))")
        return out


@dataclass(frozen=True)
class _Cut:
    """The object for which a condition holds, as a picture."""

    source: _Source
    picture: _Picture
    condition: Condition

    def __call__(self, writer: Writer, given: str) -> str:
        """As a program."""
        found = writer.let(self.source.text.format(given=given))
        p = writer.let(f"first(totuple({self.condition.chosen(writer, found, given)}))")
        return writer.let(self.picture.text.format(p=p, given=given))


@dataclass(frozen=True)
class _Picture:
    """What an object gives as an output."""

    cost: float
    text: str
    of: Callable[[Scene, Piece], Grid]


def _subgrid(scene: Scene, piece: Piece) -> Grid:
    columns = range(piece.left, piece.right + 1)
    return tuple(tuple(scene.grid[i][j] for j in columns) for i in range(piece.top, piece.bottom + 1))


def _alone(scene: Scene, piece: Piece) -> Grid:
    colours = {place: colour for colour, place in piece.cells}
    columns = range(piece.left, piece.right + 1)
    return tuple(tuple(colours.get((i, j), scene.ground) for j in columns) for i in range(piece.top, piece.bottom + 1))


def _upscaled(times: int, grid: Grid) -> Grid:
    return tuple(tuple(cell for cell in row for _ in range(times)) for row in grid for _ in range(times))


def _turned(cost: float, text: str, turn: Callable[[Grid], Any]) -> _Picture:
    """The picture with something done to it."""
    return _Picture(cost, text.format("subgrid({p}, {given})"), lambda scene, piece: turn(_subgrid(scene, piece)))


_PICTURES: Final = (
    _Picture(0.0, "subgrid({p}, {given})", _subgrid),
    _Picture(0.3, "paint(canvas(mostcolor({given}), shape({p})), normalize({p}))", _alone),
    _Picture(
        0.5, "canvas(mostcolor({p}), shape({p}))", lambda _, piece: ((piece.colour,) * piece.width,) * piece.height
    ),
    *(_turned(0.7, f"{one.__name__}({{}})", one) for one in (vmirror, hmirror, dmirror, rot90, rot180, rot270)),
    *(_turned(0.7, f"upscale({{}}, {times})", partial(_upscaled, times)) for times in (2, 3)),
)


def _plain(shape: tuple[int, int]) -> _Picture:
    return _Picture(
        0.5, f"canvas(mostcolor({{p}}), {shape})", lambda _, piece: ((piece.colour,) * shape[1],) * shape[0]
    )


def objects(question: Question, clock: Clock) -> Iterator[Rule]:
    """Objects painted or cut out by learned conditions."""
    demos = question.demonstrations
    same = same_size(question)
    if same and any(given == wanted for given, wanted in demos):
        return
    rules: list[Rule] = []
    seen = [_Seen(question, source) for source in _SOURCES]
    for regions in (REGIONS, RAYS, WALKS) if same else ((),):
        for one in seen:
            if clock.left() and one.fits:
                rules += _painted(question, one, regions, clock) if same else _cut(question, one, clock)
    yield from sorted(rules, key=lambda rule: rule.score)


class _Seen:
    """A task with its objects of one source."""

    def __init__(self, question: Question, source: _Source) -> None:
        self.source = source
        self._question = question

    @cached_property
    def scenes(self) -> list[Scene]:
        """Of demonstrations, then of tests."""
        return [Scene(grid, self.source.of(grid)) for grid in inputs_of(self._question)]

    @property
    def fits(self) -> bool:
        """Whether there are objects in every sample, and not too many."""
        return all(0 < len(scene.pieces) <= _MOST_OBJECTS for scene in self.scenes)

    @cached_property
    def firsts(self) -> list[int]:
        """Of each scene the bit of its first object."""
        return list(accumulate((len(scene.pieces) for scene in self.scenes[:-1]), initial=0))

    @cached_property
    def conditions(self) -> Conditions:
        """What tells the objects apart."""
        demos = self._question.demonstrations
        palettes = [{cell for row in given for cell in row} for given, _ in demos]
        colours = sorted(set.intersection(*palettes) - {self.scenes[0].ground})
        return Conditions(self.scenes, len(demos), colours)


# --- painted


@dataclass(frozen=True)
class _Change:
    """An object whose region gets a colour."""

    sample: int
    scene: Scene
    piece: Piece
    bit: int
    colour: int


def _painted(question: Question, seen: _Seen, regions: Sequence[Region], clock: Clock) -> Iterator[Rule]:
    demos = question.demonstrations
    scenes, firsts = seen.scenes, seen.firsts
    on_ground = [
        old == scene.ground
        for scene, (given, wanted) in zip(scenes, demos, strict=False)
        for before, row in zip(given, wanted, strict=True)
        for old, cell in zip(before, row, strict=True)
        if old != cell
    ]
    for region in regions:
        if region.under and not all(on_ground):
            continue
        changes = _changes(region, scenes, firsts, [wanted for _, wanted in demos])
        for classes in _classes(changes) if changes else ():
            if not clock.left():
                return
            choices = [
                [(ink, one) for one in islice(seen.conditions.exactly(sum(change.bit for change in some)), _EACH)]
                for ink, some in classes
            ]
            once = sum(len({change.sample for change in some}) < 2 for _, some in classes)
            for chosen in islice(product(*choices), _EACH * _EACH):
                painting = _Painting(seen.source, region, chosen)
                made = [painting.of(scene, first) for scene, first in zip(scenes, firsts, strict=True)]
                if all(out == wanted for out, (_, wanted) in zip(made, demos, strict=False)):
                    outputs = [
                        None if out == given else out
                        for out, given in zip(made[len(demos) :], question.inputs, strict=True)
                    ]
                    score = _BASE + seen.source.cost + region.cost + _SEEN_ONCE * once
                    score += sum(ink.cost + one.cost + _CLASS for ink, one in chosen)
                    yield Rule("objects", score, tuple(outputs), painting)


def _changes(
    region: Region, scenes: Sequence[Scene], firsts: Sequence[int], outputs: Sequence[Grid]
) -> list[_Change] | None:
    """The objects whose regions get a colour; None where that does not explain all that changes."""
    found = []
    for sample, (scene, first, wanted) in enumerate(zip(scenes, firsts, outputs, strict=False)):
        changed = {
            (i, j)
            for i, (row, before) in enumerate(zip(wanted, scene.grid, strict=True))
            for j, (cell, old) in enumerate(zip(row, before, strict=True))
            if cell != old
        }
        for number, piece in enumerate(scene.pieces):
            places = region.of(piece, scene)
            colours = {wanted[i][j] for i, j in places}
            if len(colours) == 1 and not changed.isdisjoint(places):
                found.append(_Change(sample, scene, piece, 1 << first + number, colours.pop()))
        for change in found:
            if change.sample == sample:
                changed -= region.of(change.piece, scene)
        if changed:
            return None
    return found


def _classes(changes: Sequence[_Change]) -> Iterator[list[tuple[_Ink, list[_Change]]]]:
    """Ways to say which colours objects get: each colour by itself, or all that of something related."""
    by_colour: dict[int, list[_Change]] = {}
    for change in changes:
        by_colour.setdefault(-1 if change.colour == change.scene.ground else change.colour, []).append(change)
    if len(by_colour) <= _MOST_CLASSES:
        yield [(_GROUND if colour < 0 else _constant(colour), some) for colour, some in by_colour.items()]
    for ink in _RELATED:
        if all(ink.of(change.scene, change.piece) == change.colour for change in changes):
            yield [(ink, list(changes))]


# --- cut out


def _cut(question: Question, seen: _Seen, clock: Clock) -> Iterator[Rule]:
    demos = question.demonstrations
    scenes, firsts = seen.scenes, seen.firsts
    shapes = {(len(wanted), len(wanted[0])) for _, wanted in demos}
    for picture in (*_PICTURES, *map(_plain, shapes if len(shapes) == 1 else ())):
        allowed = []
        for scene, first, (_, wanted) in zip(scenes, firsts, demos, strict=False):
            right = [picture.of(scene, piece) == wanted for piece in scene.pieces]
            allowed.append((_bits([True] * len(right), first), _bits(right, first)))
        if not all(may for _, may in allowed) or all(mine == may for mine, may in allowed) or not clock.left():
            continue
        for condition in islice(seen.conditions.among(allowed), _EACH):
            outputs: list[Grid | None] = []
            for scene, first in list(zip(scenes, firsts, strict=True))[len(demos) :]:
                passed = condition.passed >> first
                made = {picture.of(scene, piece) for number, piece in enumerate(scene.pieces) if passed >> number & 1}
                outputs.append(made.pop() if len(made) == 1 else None)
            score = _BASE + seen.source.cost + picture.cost + condition.cost
            yield Rule("objects", score, tuple(outputs), _Cut(seen.source, picture, condition))


def _bits(truths: Sequence[bool], first: int) -> int:
    return sum(1 << first + number for number, one in enumerate(truths) if one)
