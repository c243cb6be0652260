"""Objects that move: by so much, until something is in the way, by their own size, or to a target.

Objects are parted into classes: by their colour, by whether they are the largest, and so on, or not at all. Each class
has one way to move, or stays. Which ways may be a class's own is seen from where its objects stand in outputs; what is
left is tried. Where no such parting holds, a condition is learned for those that do not stay, which all move one way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, product
from typing import Final

from arcbatt.language.primitives.objects import o_g, ofcolor
from arcbatt.language.primitives.shapes import bordering, gravitate, mostcolor, position, ulcorner
from arcbatt.language.values import IJ, Grid, Object
from arcbatt.scoring.attempts import Question
from arcbatt.search.combine import Clock
from arcbatt.search.combiners.attributes import Scene
from arcbatt.search.combiners.conditions import Condition, Conditions
from arcbatt.search.combiners.rule import Rule, in_order, same_size
from arcbatt.search.write import Writer

_SIDES: Final[tuple[IJ, ...]] = ((1, 0), (0, 1), (-1, 0), (0, -1))
_SLANTED: Final[tuple[IJ, ...]] = ((1, 1), (1, -1), (-1, 1), (-1, -1))
_MODES: Final = ((5, 0.0), (7, 0.2), (3, 0.2), (1, 0.4))
_BASE: Final = 3.0
_MOST_OBJECTS: Final = 40
_MOST_TRIED: Final = 40
_MOST_CONDITIONS: Final = 3

Places = dict[IJ, int]


_CLASSES: Final = {
    "any": (0.0, "T"),
    "colour": (0.5, "color(p)"),
    "single": (0.7, "equality(size(p), 1)"),
    "largest": (0.7, "equality(p, argmax({objects}, size))"),
    "edge": (0.7, "bordering(p, {given})"),
}
"""How objects are parted: what that costs, and the class of an object p in the language."""


@dataclass(frozen=True)
class _Way:
    """How objects move.

    They "stay", go "by" a step, by their "own" height and width times a step, "slide", go "to" a colour until they meet
    it, go a step "towards" it, or until they are "level" with it: as far from the top or the left.
    """

    kind: str
    step: IJ = (0, 0)
    colour: int = -1

    @property
    def cost(self) -> float:
        """In a description."""
        costs = {"stay": 0.3, "slide": 1.0, "by": 1.2, "own": 1.5, "to": 1.5, "towards": 1.7, "level": 1.7}
        return costs[self.kind]


class _Sample:
    """A grid, its objects by class, and what is wanted of it."""

    def __init__(self, grid: Grid, wanted: Grid | None, mode: int, key: str = "any") -> None:
        self.grid, self.shape = grid, (len(grid), len(grid[0]))
        self.ground = mostcolor(grid)
        self.wanted: Places = {} if wanted is None else _places(wanted)
        self.objects = in_order(o_g(grid, mode))
        self.classes: dict[int, list[Object]] = {}
        for one in self.objects:
            self.classes.setdefault(self._class(one, key), []).append(one)

    def _class(self, one: Object, key: str) -> int:
        if key == "colour":
            return min(one)[0]
        if key == "single":
            return int(len(one) == 1)
        if key == "largest":
            return int(one == max(self.objects, key=len))
        return int(key == "any" or bordering(one, self.grid))

    @cached_property
    def start(self) -> Places:
        """The colour at each place."""
        return _places(self.grid)

    def could(self, one: Object, way: _Way) -> bool:
        """Whether an output agrees with an object that moved in a way."""
        if way.kind == "slide":
            return any(
                self._stands(one, step) and (step == (0, 0) or not self._free(one, step, way.step))
                for step in _along(way.step, max(self.shape))
            )
        return self._stands(one, self.step(one, way, self.start))

    def _stands(self, one: Object, step: IJ) -> bool:
        return all(self.wanted.get((i + step[0], j + step[1])) == colour for colour, (i, j) in one)

    def _free(self, one: Object, step: IJ, further: IJ) -> bool:
        """Whether an object that stands somewhere in the output could go on."""
        there = {(i + step[0], j + step[1]) for _, (i, j) in one}
        ahead = {(i + further[0], j + further[1]) for i, j in there} - there
        return all(self.wanted.get(place) == self.ground for place in ahead)

    def step(self, one: Object, way: _Way, out: Mapping[IJ, int]) -> IJ:
        """How far an object moves, over what is there."""
        if way.kind == "own":
            tall = max(i for _, (i, _) in one) - min(i for _, (i, _) in one) + 1
            wide = max(j for _, (_, j) in one) - min(j for _, (_, j) in one) + 1
            return way.step[0] * tall, way.step[1] * wide
        if way.kind in ("to", "towards", "level"):
            target = ofcolor(self.grid, way.colour)
            if not target:
                return (0, 0)
            if way.kind == "to":
                return gravitate(one, target)
            if way.kind == "towards":
                return position(one, target)
            i, j = ulcorner(target)
            a, b = ulcorner(one)
            return (i - a) * way.step[0], (j - b) * way.step[1]
        if way.kind == "slide":
            moved = (0, 0)
            for step in islice(_along(way.step, max(self.shape)), 1, None):
                if any(out.get((i + step[0], j + step[1])) != self.ground for _, (i, j) in one):
                    break
                moved = step
            return moved
        return way.step

    def moved(self, ways: Sequence[tuple[int, _Way]]) -> Grid:
        """The grid with the objects of some classes moved."""
        out = dict(self.start)
        moving = [(way, one) for value, way in ways for one in _front_first(self.classes.get(value, []), way.step)]
        out |= {place: self.ground for _, one in moving for _, place in one}
        for way, one in moving:
            i, j = self.step(one, way, out)
            there = {(a + i, b + j): colour for colour, (a, b) in sorted(one)}
            out |= {place: colour for place, colour in there.items() if place in out}
        return tuple(tuple(out[i, j] for j in range(self.shape[1])) for i in range(self.shape[0]))


def _places(grid: Grid) -> Places:
    return {(i, j): cell for i, row in enumerate(grid) for j, cell in enumerate(row)}


def _along(step: IJ, length: int) -> Iterator[IJ]:
    return ((step[0] * times, step[1] * times) for times in range(length))


def _front_first(objects: Sequence[Object], step: IJ) -> list[Object]:
    """Those that are furthest in a direction first."""
    return sorted(objects, key=lambda one: -max(i * step[0] + j * step[1] for _, (i, j) in one))


def moves(question: Question, clock: Clock) -> Iterator[Rule]:
    """Objects that move."""
    if not same_size(question) or not all(given != wanted for given, wanted in question.demonstrations):
        return
    counts = [_uncounted(given, wanted) for given, wanted in question.demonstrations]
    if sum(counts) > len(counts):
        return
    for mode, cost in _MODES:
        for key in _CLASSES:
            samples = [_Sample(given, wanted, mode, key) for given, wanted in question.demonstrations]
            if all(0 < len(one.objects) <= _MOST_OBJECTS for one in samples):
                yield from _rules(question, samples, mode, key, cost, clock)
            if not clock.left():
                return
        yield from _learned(question, mode, cost, clock)


def _uncounted(given: Grid, wanted: Grid) -> int:
    """How many cells more or less of any colour there are."""
    before, after = Counter(c for row in given for c in row), Counter(c for row in wanted for c in row)
    return sum((before - after).values())


def _rules(
    question: Question, samples: Sequence[_Sample], mode: int, key: str, cost: float, clock: Clock
) -> Iterator[Rule]:
    values = sorted({value for sample in samples for value in sample.classes})
    if key != "any" and len(values) < 2:
        return
    colours = sorted(set.intersection(*({colour for one in s.objects for colour, _ in one} for s in samples)))
    options = []
    for value in values:
        mine = [(sample, one) for sample in samples for one in sample.classes.get(value, [])]
        ways = [way for way in _ways(mine, colours) if all(sample.could(one, way) for sample, one in mine)]
        if not ways or not clock.left():
            return
        options.append(ways[:4])
    for chosen in islice(product(*options), _MOST_TRIED):
        moving = [(value, way) for value, way in zip(values, chosen, strict=True) if way.kind != "stay"]
        if not clock.left():
            return
        pairs = zip(samples, question.demonstrations, strict=True)
        if moving and all(sample.moved(moving) == wanted for sample, (_, wanted) in pairs):
            outputs = []
            for given in question.inputs:
                out = _Sample(given, None, mode, key).moved(moving)
                outputs.append(None if out == given else out)
            score = _BASE + cost + _CLASSES[key][0] + sum(way.cost for way in chosen)
            score += 1.5 * sum(sum(value in one.classes for one in samples) < 2 for value, _ in moving)
            yield Rule("moves", score, tuple(outputs), _Written(mode, key, tuple(moving)))


def _learned(question: Question, mode: int, cost: float, clock: Clock) -> Iterator[Rule]:
    """Those that cannot stay move one way; a condition tells them apart."""
    demos = question.demonstrations
    samples = [_Sample(given, wanted, mode) for given, wanted in demos]
    samples += [_Sample(given, None, mode) for given in question.inputs]
    if not all(0 < len(one.objects) <= _MOST_OBJECTS for one in samples):
        return
    shown = [(sample, one) for sample in samples[: len(demos)] for one in sample.objects]
    moving = [not sample.could(one, _Way("stay")) for sample, one in shown]
    movers = [pair for pair, moves in zip(shown, moving, strict=True) if moves]
    if not 0 < len(movers) < len(shown):
        return
    colours = sorted(set.intersection(*({colour for one in s.objects for colour, _ in one} for s in samples)))
    ways = [way for way in _ways(movers, colours) if all(sample.could(one, way) for sample, one in movers)]
    if not ways or not clock.left():
        return
    told_apart = Conditions([Scene(one.grid, one.objects) for one in samples], len(demos), colours)
    for condition in islice(
        told_apart.exactly(sum(moves << bit for bit, moves in enumerate(moving))), _MOST_CONDITIONS
    ):
        passed = condition.passed
        for sample in samples:
            sample.classes = {1: [one for bit, one in enumerate(sample.objects) if passed >> bit & 1]}
            passed >>= len(sample.objects)
        for way in ways[:4]:
            if all(one.moved([(1, way)]) == wanted for one, (_, wanted) in zip(samples, demos, strict=False)):
                made = [(one.moved([(1, way)]), one.grid) for one in samples[len(demos) :]]
                outputs = tuple(None if out == given else out for out, given in made)
                score = _BASE + cost + condition.cost + way.cost
                yield Rule("moves", score, outputs, _Written(mode, "learned", ((1, way),), condition))


def _ways(objects: Sequence[tuple[_Sample, Object]], colours: Sequence[int]) -> Iterator[_Way]:
    """Ways that objects may all move."""
    yield _Way("stay")
    for step in (*_SIDES, *_SLANTED):
        yield _Way("slide", step)
    sample, one = min(objects, key=lambda pair: -len(pair[1]))
    colour, (i, j) = min(one)
    steps = [(a - i, b - j) for (a, b), there in sample.wanted.items() if there == colour]
    for step in sorted(steps, key=lambda step: abs(step[0]) + abs(step[1])):
        if step != (0, 0) and sample.could(one, _Way("by", step)):
            yield _Way("by", step)
    for step in _SIDES:
        yield _Way("own", step)
    for target in colours:
        yield _Way("to", colour=target)
        yield _Way("towards", colour=target)
        yield _Way("level", (1, 0), target)
        yield _Way("level", (0, 1), target)


@dataclass(frozen=True)
class _Written:
    """Classes and how they move, as a program."""

    mode: int
    key: str
    ways: tuple[tuple[int, _Way], ...]
    condition: Condition | None = None

    def __call__(self, writer: Writer, given: str) -> str:
        """A loop for each class."""
        objects = writer.let(f"o_g({given}, {self.mode})")
        ground = writer.let(f"mostcolor({given})")
        some = {value: self._class(writer, given, objects, value) for value, _ in self.ways}
        out = given
        for name in some.values():
            out = writer.let(f"fill({out}, {ground}, merge({name}))")
        writer.lines.append(f"out = {out}")
        for value, way in self.ways:
            step = self._step(given, way)
            front = f"multiply({-way.step[0]}, first(c)) + multiply({-way.step[1]}, last(c))"
            key = f"lambda p: minimum(apply(lambda c: {front}, toindices(p)))"
            writer.lines.append(f"for p in order({some[value]}, {key}):")
            if way.kind == "slide":
                free = f"size(intersection(toindices(shift(p, {way.step})), ofcolor(out, {ground}))) == size(p)"
                writer.lines += [f"    while {free}:", f"        p = shift(p, {way.step})", "    out = paint(out, p)"]
                continue
            writer.lines.append(f"    out = paint(out, shift(p, {step}))")
        return "out"

    def _class(self, writer: Writer, given: str, objects: str, value: int) -> str:
        """The objects of a class."""
        if self.key == "any":
            return objects
        if self.condition is not None:
            return self.condition.chosen(writer, objects, given)
        text = _CLASSES[self.key][1].format(objects=objects, given=given)
        if self.key == "colour":
            text = f"equality({text}, {value})"
        return writer.let(f"sfilter({objects}, lambda p: {text if self.key == 'colour' or value else f'flip({text})'})")

    @staticmethod
    def _step(given: str, way: _Way) -> str:
        """How far an object p moves, unless it slides."""
        target = f"ofcolor({given}, {way.colour})"
        return {
            "own": f"multiply(shape(p), {way.step})",
            "to": f"gravitate(p, {target})",
            "towards": f"position(p, {target})",
            "level": f"multiply(subtract(ulcorner({target}), ulcorner(p)), {way.step})",
        }.get(way.kind, str(way.step))
