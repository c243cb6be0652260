"""Turned views: every sample of a task turned or mirrored so that something in it points one way.

A direction is a pair of numbers that a program makes of an input, such as the way from the middle of the grid to the
rarest colour. What differs between samples by their directions alone looks alike once they are turned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Final

import numpy as np

from arcbatt.language.values import Grid
from arcbatt.scoring.attempts import Question
from arcbatt.search.bank import Bank
from arcbatt.search.features import Feature, read_features
from arcbatt.search.views import View, changed_question, inputs_of
from arcbatt.search.write import Writer

_DIRECTIONS: Final = Path(__file__).parent / "turns.txt"
_WEIGHT: Final = 0.5
"""How much a vote of a turned view counts, before what its direction costs."""

Turn = tuple[bool, bool, bool]
"""Whether a grid is transposed, then its rows reversed, then its columns."""


class _Kind(Enum):
    """What of a direction counts: the longer part, for which samples are mirrored or turned, or both."""

    MIRRORED = auto()
    CORNER = auto()
    TURNED = auto()
    """What lies to the left of an arrow stays there."""


@dataclass(frozen=True)
class _Rule:
    """A direction and what is done by it."""

    direction: Feature
    kind: _Kind

    def conditions(self, way: str, let: Callable[[str], str]) -> tuple[str, str, str]:
        """When each step of a turn is done, by a direction; `let` gives what stands for an expression."""
        if self.kind is _Kind.CORNER:
            return let("F"), let(f"positive(first({way}))"), let(f"positive(last({way}))")
        squared = f"multiply({way}, {way})"
        long = let(f"greater(last({squared}), first({squared}))")
        down = let(f"positive(branch({long}, last({way}), first({way})))")
        return long, down, let("F" if self.kind is _Kind.MIRRORED else f"flip(equality({long}, {down}))")

    @property
    def cost(self) -> float:
        """Of views that are as promising otherwise, the cheapest come first; few tasks tell left from right."""
        return self.direction.cost + (self.kind is _Kind.TURNED)

    def number(self) -> str:
        """How an input is turned as one number: 4, 2 and 1 for the three steps."""
        chosen = self.conditions(self.direction.text, lambda expression: expression)
        parts = [f"branch({one}, {worth}, 0)" for one, worth in zip(chosen, (4, 2, 1), strict=True)]
        return f"canvas(add(add({parts[0]}, {parts[1]}), {parts[2]}), (1, 1))"


class Turns:
    """All directions, compiled."""

    def __init__(self, threads: int | None = None) -> None:
        self._rules = [_Rule(one, kind) for one in directions() for kind in _Kind]
        self._bank = Bank([Feature(rule.number(), rule.direction.cost, "turns") for rule in self._rules], threads)

    def views(self, seen: Sequence[Sequence[View]], most: Sequence[int]) -> list[list[View]]:
        """Of each task, of whose views some are given, at most so many turned ones.

        Those come first that are cheap and in which outputs change their inputs on the same side.
        """
        inputs = [[inputs_of(view.question) for view in views] for views in seen]
        images = self._bank.images([grid for one in inputs for grids in one for grid in grids])
        if images is None:
            return [[] for _ in seen]
        ends = [0]
        for grids in (grids for one in inputs for grids in one):
            ends.append(ends[-1] + len(grids))
        numbers = iter(
            [
                [None if start < 0 else int(images.cells[start]) for start in images.offset[first:last, rule].tolist()]
                for rule in range(len(self._rules))
            ]
            for first, last in pairwise(ends)
        )
        found = []
        for views, many in zip(seen, most, strict=True):
            mine = [one for view in views for one in self._turned(view, next(numbers))]
            mine.sort(key=lambda one: one[0] - 2 * alignment(one[1].question))
            found.append([view for _, view in mine[:many]])
        return found

    def _turned(self, view: View, numbers: Sequence[Sequence[int | None]]) -> Iterator[tuple[float, View]]:
        """The views that turn samples in different ways, each way to do so once, with what they cost."""
        order = sorted(range(len(self._rules)), key=lambda rule: self._rules[rule].cost)
        done: set[tuple[Grid, ...]] = set()
        for rule in order:
            if None in numbers[rule]:
                continue
            turns = [_turn_of(number or 0) for number in numbers[rule]]
            if len(set(turns)) == 1 or (key := _relative(turns)) in done:
                continue
            done.add(key)
            yield self._rules[rule].cost, turned(view, self._rules[rule], turns)


@cache
def directions() -> tuple[Feature, ...]:
    """The directions of turns.txt, each once."""
    found = {one.text: one for one in read_features(_DIRECTIONS.read_text(encoding="utf-8"), "turns")}
    return tuple(found.values())


def turned(view: View, rule: _Rule, turns: Sequence[Turn]) -> View:
    """A view with every sample turned its own way."""
    question = view.question
    demos = len(question.demonstrations)
    changed = changed_question(question, apply_turn, turns)
    before = list(view.before)

    def let(expression: str) -> str:
        name = f"a{len(before) + 1}"
        before.append(f"{name} = {expression}")
        return name

    steps = list(zip(rule.conditions(let(rule.direction.over(view.input)), let), _STEPS, strict=True))
    over = view.input
    for condition, step in steps:
        over = let(step.format(condition, over))

    def after(writer: Writer, name: str) -> str:
        for condition, step in reversed(steps):
            name = writer.let(step.format(condition, name))
        return view.after(writer, name)

    def undo(test: int, grid: Grid) -> Grid | None:
        return view.undo(test, undo_turn(grid, turns[demos + test]))

    weight = view.weight * _WEIGHT * 2.0**-rule.cost
    return View(changed, tuple(before), after, undo, weight, over)


_STEPS: Final = ("branch({0}, dmirror({1}), {1})", "branch({0}, hmirror({1}), {1})", "branch({0}, vmirror({1}), {1})")


def _transposed(grid: Grid) -> Grid:
    return tuple(zip(*grid, strict=True))


def _upside_down(grid: Grid) -> Grid:
    return grid[::-1]


def _mirrored(grid: Grid) -> Grid:
    return tuple(row[::-1] for row in grid)


_DONE_BY: Final[tuple[Callable[[Grid], Grid], ...]] = (_transposed, _upside_down, _mirrored)


def apply_turn(grid: Grid, turn: Turn) -> Grid:
    """A grid turned."""
    for wanted, step in zip(turn, _DONE_BY, strict=True):
        grid = step(grid) if wanted else grid
    return grid


def undo_turn(grid: Grid, turn: Turn) -> Grid:
    """A grid turned back."""
    for wanted, step in reversed(list(zip(turn, _DONE_BY, strict=True))):
        grid = step(grid) if wanted else grid
    return grid


def alignment(question: Question) -> float:
    """How much the demonstrations agree on the way from what is drawn to what changes: 0 not at all, 1 fully."""
    ways = []
    for given, wanted in question.demonstrations:
        before, after = np.array(given), np.array(wanted)
        if before.shape != after.shape or (before == after).all():
            return 0.0
        drawn = before != np.bincount(before.ravel()).argmax()
        if drawn.any():
            way = np.argwhere(before != after).mean(0) - np.argwhere(drawn).mean(0)
            ways.append(way / max(float(np.linalg.norm(way)), 1.0))
    return float(np.linalg.norm(np.mean(ways, 0))) if ways else 0.0


def _turn_of(number: int) -> Turn:
    return bool(number & 4), bool(number & 2), bool(number & 1)


_MARK: Final = ((0, 1), (2, 3))


def _relative(turns: Sequence[Turn]) -> tuple[Grid, ...]:
    """How samples are turned against the first, the same for turns that differ by turning all of them once more."""
    return tuple(apply_turn(undo_turn(_MARK, turns[0]), turn) for turn in turns)
