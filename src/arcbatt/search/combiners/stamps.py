"""Templates that are stamped wherever a part of them stands, turned and enlarged as that part is.

A template is an object of the input. Its *anchor* is the part of it that has some of its colours; wherever the grid
holds the anchor, in one of some orientations and sizes, and nothing is in the way, the whole template is painted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import takewhile
from typing import Final

from arcbatt.language.primitives.objects import backdrop, o_g, ofcolor, toobject
from arcbatt.language.primitives.shapes import leastcolor, mostcolor, numcolors, palette
from arcbatt.language.values import IJ, Cell, Grid, Object
from arcbatt.scoring.attempts import Question
from arcbatt.search.combine import Clock
from arcbatt.search.combiners.rule import TURNS, Rule, enlarged, in_order, same_size, turn_of, turned
from arcbatt.search.write import Writer

_SCALES: Final = (1, 2, 3, 4)
_BASE: Final = 3.0
_MOST_STAGES: Final = 3
_MOST_TEMPLATES: Final = 6
_LARGEST: Final = 200
"""Cells of a template."""


@dataclass(frozen=True)
class _Selector:
    """Which objects are templates."""

    text: str
    cost: float
    mode: int = 3
    kind: str = "coloured"
    colour: int = 0

    def of(self, grid: Grid) -> list[Object]:
        """The templates of a grid, in order."""
        if self.kind == "box":
            there = ofcolor(grid, self.colour)
            return [toobject(backdrop(there), grid)] if there and len(there) < _LARGEST else []
        objects = _objects(grid, self.mode)
        if self.kind == "coloured":
            return [one for one in objects if numcolors(one) > 1]
        return [max(objects, key=len)] if objects else []


def _selectors(colours: Sequence[int]) -> Iterator[_Selector]:
    for mode, cost in ((3, 0.0), (1, 0.3)):
        yield _Selector(f"sfilter(o_g(I, {mode}), lambda t: greater(numcolors(t), 1))", cost, mode)
    for mode, cost in ((3, 0.3), (1, 0.5)):
        yield _Selector(f"initset(argmax(o_g(I, {mode}), size))", cost, mode, "largest")
    for colour in colours:
        yield _Selector(f"initset(toobject(backdrop(ofcolor(I, {colour})), I))", 1.0, 0, "box", colour)


@dataclass(frozen=True)
class _Anchor:
    """Which part of a template is looked for."""

    cost: float
    colours: tuple[int, ...] = ()
    kind: str = ""
    """"most", "least", "other" than its most common colour; or by colours."""

    def of(self, template: Object) -> Object:
        """That part."""
        if self.colours:
            return frozenset(cell for cell in template if cell[0] in self.colours)
        one = leastcolor(template) if self.kind == "least" else mostcolor(template)
        return frozenset(cell for cell in template if (cell[0] == one) != (self.kind == "other"))

    @property
    def condition(self) -> str:
        """Of a cell c of the template p."""
        if self.colours:
            return f"contained(first(c), {(*self.colours, self.colours[0])})"
        same = f"equality(first(c), {'leastcolor' if self.kind == 'least' else 'mostcolor'}(p))"
        return f"flip({same})" if self.kind == "other" else same


@dataclass(frozen=True)
class _Stage:
    """One way to stamp."""

    anchor: _Anchor
    turns: tuple[str, ...]
    scales: tuple[int, ...]

    @property
    def cost(self) -> float:
        """In a description."""
        turning = 0.0 if len(self.turns) > 1 or self.turns == TURNS[:1] else 1.0
        return 1.0 + self.anchor.cost + turning + 0.5 * (len(self.scales) > 1)


Places = dict[IJ, int]


@lru_cache(maxsize=64)
def _places(grid: Grid) -> Places:
    return {(i, j): cell for i, row in enumerate(grid) for j, cell in enumerate(row)}


@lru_cache(maxsize=64)
def _objects(grid: Grid, mode: int) -> tuple[Object, ...]:
    return tuple(in_order(o_g(grid, mode)))


@lru_cache(maxsize=4096)
def _form(template: Object, turn: str, scale: int) -> Object:
    """A template turned and enlarged; nothing where it is too large."""
    return turned(enlarged(template, scale), turn) if len(template) * scale * scale <= _LARGEST else frozenset()


@lru_cache(maxsize=8192)
def _part(anchor: _Anchor, template: Object) -> Object:
    """The part of a template that is looked for; nothing where that is all of it."""
    part = anchor.of(template)
    return part if len(part) < len(template) else frozenset()


class _Sample:
    """A grid, the templates of a selector on it, and what is wanted of it."""

    def __init__(self, grid: Grid, wanted: Grid | None, selector: _Selector, erased: bool) -> None:
        self.templates = selector.of(grid)[: _MOST_TEMPLATES + 1]
        self.ground = mostcolor(grid)
        self.start = dict(_places(grid))
        self.erased = erased
        if erased:
            self.start |= {place: self.ground for one in self.templates for _, place in one}
        self.wanted = {} if wanted is None else _places(wanted)
        self.changed = {place: one for place, one in self.wanted.items() if one != self.start[place]}
        self.shape = len(grid), len(grid[0])
        self._made: dict[tuple[_Anchor, Object], list[list[Cell]]] = {}

    @cached_property
    def large(self) -> bool:
        """Whether something else may be a part of a template enlarged."""
        others = {place for place, cell in self.start.items() if cell != self.ground}
        others -= {place for one in self.templates for _, place in one}
        return any({(i, j + 1), (i + 1, j), (i + 1, j + 1)} <= others for i, j in others)

    @cached_property
    def by_colour(self) -> dict[int, list[tuple[int, int]]]:
        """The places of each colour."""
        found: dict[int, list[tuple[int, int]]] = {}
        for place, cell in self.start.items():
            found.setdefault(cell, []).append(place)
        return found

    def placements(self, anchor: _Anchor, turn: str, scale: int, number: int) -> list[list[Cell]]:
        """Where the anchor of a template stands: the rest of the template there, where that is ground."""
        part = _part(anchor, self.templates[number])
        if not part or not self.by_colour.keys() >= {c for c, _ in part}:
            return []
        whole = _form(self.templates[number], turn, scale)
        if not whole:
            return []
        if (anchor, whole) not in self._made:
            self._made[anchor, whole] = list(self._placements(anchor, whole))
        return self._made[anchor, whole]

    def _placements(self, anchor: _Anchor, whole: Object) -> Iterator[list[Cell]]:
        part = _part(anchor, whole)
        rest = whole - part
        top, left = min(i for _, (i, _) in part), min(j for _, (_, j) in part)
        tall, wide = max(i for _, (i, _) in part) + 1 - top, max(j for _, (_, j) in part) + 1 - left
        colour, (di, dj) = min(part, key=lambda cell: (len(self.by_colour[cell[0]]), cell))
        for seed in self.by_colour[colour]:
            i, j = seed[0] - di, seed[1] - dj
            if i + top < 0 or j + left < 0 or i + top + tall > self.shape[0] or j + left + wide > self.shape[1]:
                continue
            if all(self.start[i + a, j + b] == one for one, (a, b) in part):
                there = [(one, (a + i, b + j)) for one, (a, b) in rest if (a + i, b + j) in self.start]
                if all(self.start[place] == self.ground for _, place in there):
                    yield there

    def promise(self, anchor: _Anchor, turn: str, scale: int) -> tuple[int, int]:
        """How many cells such stamps would get right, and how many wrong."""
        right = wrong = 0
        for number in range(len(self.templates)):
            for there in self.placements(anchor, turn, scale, number):
                good = sum(self.wanted[place] == one for one, place in there)
                right, wrong = (right + good, wrong) if good == len(there) else (right, wrong + 1)
        return right, wrong

    def stamped(self, stages: Sequence[_Stage]) -> Places | None:
        """The cells that stages paint; None where one gets a colour that is not wanted."""
        new: Places = {}
        for stage in stages:
            for number in range(len(self.templates)):
                for scale in stage.scales:
                    for turn in stage.turns:
                        for rest in self.placements(stage.anchor, turn, scale, number):
                            if any(place in new for _, place in rest):
                                continue
                            if self.wanted and any(self.wanted[place] != one for one, place in rest):
                                return None
                            new |= {place: one for one, place in rest}
        return new

    def grid(self, new: Places) -> Grid:
        """The grid with some cells painted."""
        cells = self.start | new
        return tuple(tuple(cells[i, j] for j in range(self.shape[1])) for i in range(self.shape[0]))


def stamps(question: Question, clock: Clock) -> Iterator[Rule]:
    """Templates that are stamped wherever a part of them stands."""
    if not same_size(question):
        return
    colours = sorted({c for given, _ in question.demonstrations for row in given for c in row})
    for selector in _selectors(colours):
        for erased in (False, True):
            made = (_Sample(given, wanted, selector, erased) for given, wanted in question.demonstrations)
            samples = list(takewhile(_possible, made))
            if len(samples) < len(question.demonstrations):
                continue
            stages = _stages(samples, colours, clock)
            if not clock.left():
                return
            if stages:
                yield from _rules(question, selector, erased, samples, stages)


def _possible(sample: _Sample) -> bool:
    """Whether all that changes is ground, and gets colours of templates."""
    if not 0 < len(sample.templates) <= _MOST_TEMPLATES:
        return False
    if sample.erased and all(sample.wanted[place] == one for template in sample.templates for one, place in template):
        return False
    own = {one for template in sample.templates for one in palette(template)}
    return all(sample.start[place] == sample.ground and one in own for place, one in sample.changed.items())


def _stages(samples: Sequence[_Sample], colours: Sequence[int], clock: Clock) -> list[_Stage]:
    """Ways to stamp that lead to what is wanted."""
    own = [set().union(*map(palette, sample.templates)) for sample in samples]
    there = [colour for colour in colours if any(colour in one for one in own)]
    anchors = [_Anchor(0.5, kind="other"), _Anchor(0.8, kind="least"), _Anchor(0.8, kind="most")]
    anchors += [_Anchor(1.0, (colour,)) for colour in there]
    pairs = [_Anchor(1.5, (one, two)) for one in there for two in there if one < two]
    chosen: list[_Stage] = []
    left = _missing(samples, []) or 0
    for some in (anchors, pairs):
        options = list(_options(samples, some, clock))
        while left and len(chosen) < _MOST_STAGES:
            best: tuple[float, int, _Stage] | None = None
            for stage in options if clock.left() else ():
                missing = _missing(samples, [*chosen, stage])
                if missing is not None and missing < left:
                    rank = (missing + 0.3 * stage.cost, missing, stage)
                    best = rank if best is None or rank[0] < best[0] else best
            if best is None:
                break
            chosen.append(best[2])
            left = best[1]
    return [] if left else chosen


def _options(samples: Sequence[_Sample], anchors: Sequence[_Anchor], clock: Clock) -> Iterator[_Stage]:
    """Ways to stamp that get something right."""
    sizes = (_SCALES[:1], _SCALES) if any(sample.large for sample in samples) else (_SCALES[:1],)
    for anchor in anchors:
        for scales in sizes:
            right = False
            if not clock.left():
                return
            for turn in TURNS:
                seen = [sample.promise(anchor, turn, scale) for sample in samples for scale in scales]
                good, bad = sum(one for one, _ in seen), sum(one for _, one in seen)
                right |= good > 0
                if good and not bad:
                    yield _Stage(anchor, (turn,), scales)
            if right:
                yield _Stage(anchor, TURNS, scales)


def _missing(samples: Sequence[_Sample], stages: Sequence[_Stage]) -> int | None:
    """How many cells are still not what is wanted; None where one became wrong."""
    missing = 0
    for sample in samples:
        new = sample.stamped(stages)
        if new is None:
            return None
        missing += len(sample.changed) - sum(place in sample.changed for place in new)
    return missing


def _rules(
    question: Question, selector: _Selector, erased: bool, samples: Sequence[_Sample], stages: Sequence[_Stage]
) -> Iterator[Rule]:
    outputs: list[Grid | None] = []
    for given in question.inputs:
        sample = _Sample(given, None, selector, erased)
        new = sample.stamped(stages)
        outputs.append(sample.grid(new) if new else None)
    shown = sum(bool(sample.changed) for sample in samples)
    score = _BASE + selector.cost + 0.5 * erased + sum(one.cost for one in stages) + (1.5 if shown < 2 else 0.0)
    yield Rule("stamps", score, tuple(outputs), _Written(selector, erased, tuple(stages)))


@dataclass(frozen=True)
class _Written:
    """Stages as a program."""

    selector: _Selector
    erased: bool
    stages: tuple[_Stage, ...]

    def __call__(self, writer: Writer, given: str) -> str:
        """A loop for each stage."""
        templates = writer.let(self.selector.text.replace("(I", f"({given}").replace(" I)", f" {given})"))
        start = writer.let(f"cover({given}, merge({templates}))") if self.erased else given
        ground = writer.let(f"mostcolor({given})")
        writer.lines.append(f"out = {start}")
        for stage in self.stages:
            writer.lines.append(f"for t in {templates}:")
            forms = [
                "normalize(" + turn_of("t" if scale == 1 else f"upscale(normalize(t), {scale})", turn) + ")"
                for scale in stage.scales
                for turn in stage.turns
            ]
            writer.lines += [
                f"    for p in ({', '.join(forms)},):",
                f"        a = sfilter(p, lambda c: {stage.anchor.condition})",
                "        if 0 < size(a) < size(p):",
                f"            for q in occurrences({start}, normalize(a)):",
                "                b = shift(difference(p, a), subtract(q, ulcorner(a)))",
                f"                taken = difference(asindices(out), ofcolor(out, {ground}))",
                "                if size(intersection(toindices(b), taken)) == 0:",
                "                    out = paint(out, b)",
            ]
        return "out"
