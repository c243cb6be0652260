"""Combining the images of a task: the size of its outputs, then combiners, cheapest first, until the time is up."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any, Final

import numpy as np

from arcbatt.language.values import Grid
from arcbatt.search.values import Values
from arcbatt.search.views import View
from arcbatt.search.write import SizeRule, Writer, write_cases, write_image, write_rule, write_stack

COMBINERS: Final = ("one image", "two images", "three images", "stack", "cases")
"""By the numbers of native/search/candidates.h."""
CASES: Final = COMBINERS[-1]


@dataclass(frozen=True)
class Weights:
    """What parts of a description cost, in bits: less is likelier."""

    entry: float = 0.4
    seen_once: float = 1.5
    """more for an entry of a table that a single demonstration shows"""
    image: float = 1.0
    guess: float = 1.0
    """where a test has a value that no demonstration has"""
    layer: float = 1.0

    def listed(self) -> list[float]:
        """In the order of the compiled core."""
        return [self.entry, self.seen_once, self.image, self.guess, self.layer]


@dataclass(frozen=True)
class Found:
    """How a prediction came about: columns of a combination, put together by a combiner."""

    combiner: str
    score: float
    columns: tuple[int, ...]
    role: int
    modes: tuple[int, ...]
    combination: Combination

    def program(self) -> str:
        """As the text of a program."""
        view = self.combination.values.view
        writer = Writer(list(view.before))
        return writer.program("solve_found", view.after(writer, self.write(writer)))

    def write(self, writer: Writer) -> str:
        """The variable that holds the output of the view."""
        combination = self.combination
        values, size = combination.values, combination.size

        def dims() -> str:
            return size.write(writer, "" if size.feature < 0 else values.write(writer, size.feature))

        images = []
        for column in self.columns:
            feature, way, _, _ = combination.columns[column]
            images.append(write_image(writer, values.write(writer, feature), way, dims))
        if self.combiner == CASES:
            return write_cases(writer, images, self.modes)
        if self.modes:
            return write_stack(writer, images, self.modes)
        return write_rule(writer, images, combination.table(self))


@dataclass(frozen=True)
class Prediction:
    """An output for a test, how much speaks for it, and the best of each combiner that gave it."""

    grid: Grid
    weight: float
    votes: int
    found: tuple[Found, ...]


@dataclass(frozen=True)
class Step:
    """An image with some of its wrong cells put right and none made wrong, of demonstrations, then of tests."""

    grids: tuple[Grid, ...]
    right: float
    """The part of the wrong cells that it puts right."""
    found: Found


@dataclass
class Clock:
    """The time of one task, in seconds of its thread on a core; combiners get what is left or a share of it."""

    seconds: float
    start: float | None = field(default_factory=time.thread_time)
    stop: object = None
    """Is true once nobody wants what is found: then no time is left."""

    def left(self, share: float = 1.0) -> float:
        """What is left, or a share of it."""
        if self.stop:
            return 0.0
        used = 0.0 if self.start is None else time.thread_time() - self.start
        return max(0.0, self.seconds - used) * share

    def part(self, share: float) -> Clock:
        """A clock for a share of what is left."""
        return Clock(self.left(share), stop=self.stop)

    def charge(self, seconds: float) -> None:
        """Count time that was spent elsewhere."""
        self.seconds -= seconds

    def pause(self) -> None:
        """Keep what is left, to go on in any thread."""
        self.seconds, self.start = self.left(), None

    def go_on(self) -> None:
        """Count on, in this thread."""
        self.start = time.thread_time()


@dataclass(frozen=True)
class Effort:
    """How far combiners go within their time."""

    pair_images: int = 3000
    triple_images: int = 3000
    most_rules: int = 3000
    enough_pairs: int = 200
    """where so many pairs explain a task, triples would only add noise"""


class Combination:
    """The different images of a task under one hypothesis about the size of outputs."""

    def __init__(self, values: Values, demos: Sequence[int], size: SizeRule, weights: Weights, stop: Any) -> None:
        question = values.view.question
        core: Any = importlib.import_module("arcbatt._search")
        outputs = [question.demonstrations[demo][1] for demo in demos]
        tests = range(len(question.demonstrations), len(question.demonstrations) + len(question.inputs))
        cells = np.array([cell for grid in outputs for row in grid for cell in row], np.int8)
        sizes = [*(grid_size(grid) for grid in outputs), *size.tests]
        self.values = values
        self.size = size
        self._sizes = sizes
        self.core = core.Combined(values.native, list(demos), list(tests), sizes, cells, weights.listed(), stop)

    @cached_property
    def columns(self) -> list[tuple[int, int, int, float]]:
        """Of each different image, cheapest first, the feature, how it came to its size, its kinds and its cost."""
        found: list[tuple[int, int, int, float]] = self.core.columns()
        return found

    def predictions(self, top: int) -> list[list[Prediction]]:
        """Of each test the heaviest predictions."""
        return [[self._prediction(*one) for one in test] for test in self.core.predictions(top)]

    def steps(self, seconds: float) -> list[Step]:
        """Images on the way to the output, those that lead furthest first."""
        ends = list(accumulate((tall * wide for tall, wide in self._sizes), initial=0))
        found = []
        for cells, right, columns, modes, score in self.core.steps(seconds):
            grids = [
                tuple(tuple(cells[row : row + wide]) for row in range(start, stop, wide))
                for (start, stop), (_, wide) in zip(pairwise(ends), self._sizes, strict=True)
            ]
            found.append(Step(tuple(grids), right, Found(CASES, score, tuple(columns), 0, tuple(modes), self)))
        return found

    def _prediction(
        self, height: int, width: int, cells: bytes, weight: float, votes: int, best: Sequence[Any]
    ) -> Prediction:
        grid = tuple(tuple(cells[row * width : (row + 1) * width]) for row in range(height))
        cost = self.values.view.cost
        found = tuple(
            Found(COMBINERS[combiner], score + cost, tuple(columns), role, tuple(modes), self)
            for combiner, role, columns, modes, score in best
        )
        return Prediction(grid, weight * 2.0 ** -(self.size.loss + cost), votes, found)

    def table(self, found: Found) -> list[tuple[tuple[int, ...], int]]:
        """What a rule says of all joint values of its images, in demonstrations and tests."""
        return [(tuple(values), outcome) for values, outcome in self.core.table(list(found.columns), found.role)]

    def nearest_images(self) -> list[int]:
        """Images of the inputs that are of the output's size, those with most of it right first."""
        right = self.core.agreement()
        near = [
            (share - 0.02 * cost, feature)
            for share, (feature, way, _, cost) in zip(right, self.columns, strict=True)
            if way == 0 and 0 <= share < 1 and feature and self.values.is_of_inputs(feature)
        ]
        return [feature for _, feature in sorted(near, reverse=True)]


Combiner = Callable[[Combination, Clock, Effort], None]
"""Adds to the predictions of a combination, within the time that is left."""


def single_images(combination: Combination, clock: Clock, effort: Effort) -> None:
    """The output itself, or its colours by a table."""
    combination.core.singles(clock.left())


def stacks(combination: Combination, clock: Clock, effort: Effort) -> None:
    """Images laid over one another."""
    combination.core.stacks(clock.left(0.5))


def cases(combination: Combination, clock: Clock, effort: Effort) -> None:
    """One image, but for some cells that have a reason."""
    combination.core.cases(clock.left(0.5))


def pairs_and_triples(combination: Combination, clock: Clock, effort: Effort) -> None:
    """Rules over two images, and over three where two explain little."""
    found = combination.core.pairs(effort.pair_images, effort.most_rules, clock.left(0.8))
    if found <= effort.enough_pairs:
        combination.core.triples(effort.triple_images, effort.most_rules, clock.left(0.5))


IMAGE_COMBINERS: Final[tuple[Combiner, ...]] = (single_images, stacks, pairs_and_triples, cases)


def grid_size(grid: Grid) -> tuple[int, int]:
    """Height and width."""
    return len(grid), len(grid[0])


def size_rules(values: Values, demos: Sequence[int]) -> list[SizeRule]:
    """Hypotheses about the size of test outputs, the best first."""
    core: Any = importlib.import_module("arcbatt._search")
    question = values.view.question
    tests = range(len(question.demonstrations), len(question.demonstrations) + len(question.inputs))
    outputs = [grid_size(question.demonstrations[demo][1]) for demo in demos]
    found = core.size_rules(values.native, list(demos), list(tests), outputs)
    return [SizeRule(loss, feature, times, plus, tuple(sizes)) for loss, feature, times, plus, sizes in found]


def stepped(view: View, step: Step) -> View:
    """A view from a step on."""
    writer = Writer(letter="s")
    out = step.found.write(writer)
    return view.of_images(step.grids, [*writer.lines, f"a0 = {out}"], "a0", step.found.score)
