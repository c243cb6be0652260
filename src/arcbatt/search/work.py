"""A task while it is being solved: the ways it is looked at, and the candidates for its tests."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final, Protocol

from arcbatt.language.values import Grid
from arcbatt.scoring.attempts import Question
from arcbatt.search.combine import Clock, Combination, Prediction
from arcbatt.search.traits import DEPARTURE, Traits
from arcbatt.search.values import Block, Values
from arcbatt.search.views import View

LONGEST: Final = 60.0
"""A description longer than this says what was there cell by cell."""
AGREEMENT: Final = 1.0
"""What each further combiner that gives an answer adds to what speaks for it, in bits."""
_WEIGHED: Final = 16
"""Candidates for a test, the heaviest, that are compared with what the demonstrations have in common."""


class Origin(Protocol):
    """How a candidate came about."""

    @property
    def combiner(self) -> str:
        """What found it."""

    @property
    def score(self) -> float:
        """How long its description is; less is likelier."""

    def program(self) -> str:
        """As the text of a program."""


@dataclass(frozen=True)
class Candidate:
    """An output for a test in the colours of the task, how much speaks for it, and the best that gave it."""

    grid: Grid
    weight: float
    votes: int
    best: Origin
    combiners: frozenset[str]
    departures: tuple[str, ...] = ()
    """In what it is unlike the outputs of all demonstrations; its weight is the less for each."""

    @property
    def length(self) -> float:
        """How long the best description is, departures included."""
        return self.best.score + DEPARTURE * len(self.departures)


Found = dict[Grid, Candidate]
"""The candidates for a test."""


@dataclass
class Look:
    """A task in one view: its images and what they gave."""

    values: Values
    found: list[Found]
    """Of each test."""
    fresh: bool = True
    """Whether there are images that were not combined yet."""
    combination: Combination | None = None
    """Of the images of the inputs, with the likeliest size."""
    promising: Iterator[int] | None = None
    """Images that may be looked at further, the best first; those that were are gone."""
    stepped: bool = False
    """Whether steps were looked for."""
    parents: list[int] = field(default_factory=list)
    """The images that are to be looked at further."""
    grown: tuple[Block, ...] = ()
    """What was made of them."""


@dataclass
class Work:
    """A task while it is being solved."""

    question: Question
    clock: Clock
    proposed: list[Found]
    """What combiners of programs found for each test."""
    looks: list[Look] = field(default_factory=list)
    again: list[Found] = field(default_factory=list)
    """What was found for each test with a demonstration left out."""
    steps: Sequence[View] = ()
    """Views with some of what changes already done."""
    image_seconds: float = 0.0
    """How long the images of a view took."""
    look_seconds: float = 0.0
    """How long a view took in all."""
    compares: bool = True
    """Whether candidates are compared with what the demonstrations have in common."""
    _departures: dict[tuple[int, Grid], tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def on(cls, question: Question, clock: Clock, *, compares: bool = True) -> Work:
        """A task that nothing is known of yet, its clock standing."""
        return cls(question, clock, [{} for _ in question.inputs], compares=compares)

    def look(self, values: Values) -> None:
        """Add a view that nothing was found in yet."""
        self.looks.append(Look(values, [{} for _ in self.question.inputs]))

    def found(self) -> list[list[Candidate]]:
        """Of each test the candidates of all views, the heaviest first."""
        return [
            self._weighed(test, _ranked([proposed, *(look.found[test] for look in self.looks)]))
            for test, proposed in enumerate(self.proposed)
        ]

    def found_again(self, test: int) -> list[Candidate]:
        """The candidates for a test that were found with a demonstration left out."""
        return self._weighed(test, _ranked(self.again[test : test + 1]))

    def shortest(self) -> float:
        """How long the description of the best candidate is, of the test that has the longest."""
        return max(min((one.length for one in test), default=float("inf")) for test in self.found())

    def disagree(self, length: float) -> bool:
        """Whether a test has several answers with descriptions at most so long."""
        return any(sum(one.length <= length for one in test) > 1 for test in self.found())

    @cached_property
    def _traits(self) -> Traits:
        return Traits(self.question)

    def _weighed(self, test: int, candidates: list[Candidate]) -> list[Candidate]:
        """The heaviest candidates once more, the less heavy the more they depart from the demonstrations."""
        if not self.compares:
            return candidates
        before = time.thread_time()
        made = []
        for one in candidates[:_WEIGHED]:
            if (test, one.grid) not in self._departures:
                self._departures[test, one.grid] = self._traits.departures(test, one.grid)
            names = self._departures[test, one.grid]
            made.append(replace(one, weight=one.weight * 2.0 ** (-DEPARTURE * len(names)), departures=names))
        if self.clock.start is None:  # it stands, and this takes time as well
            self.clock.charge(time.thread_time() - before)
        return sorted(made, key=lambda one: -one.weight)


def _ranked(found: Iterable[Found]) -> list[Candidate]:
    merged: Found = {}
    for one in found:
        for candidate in one.values():
            add(merged, candidate)
    return sorted(map(_agreed, merged.values()), key=lambda one: -one.weight)


def _agreed(one: Candidate) -> Candidate:
    """A candidate, the heavier the more combiners gave it."""
    return replace(one, weight=one.weight * 2.0 ** (AGREEMENT * (len(one.combiners) - 1)))


def add(into: Found, mine: Candidate) -> None:
    """Add a candidate; what several found adds up."""
    known = into.get(mine.grid)
    if known is None:
        into[mine.grid] = mine
        return
    better = known if known.best.score <= mine.best.score else mine
    into[mine.grid] = replace(
        better,
        weight=known.weight + mine.weight,
        votes=known.votes + mine.votes,
        combiners=known.combiners | mine.combiners,
    )


def heavier(old: Found, new: Found) -> Found:
    """The candidates of two searches of which the second repeats the first and goes further."""
    both = dict(new)
    for grid, one in old.items():
        if grid not in both or both[grid].weight < one.weight:
            both[grid] = one
    return both


def add_prediction(into: Found, test: int, one: Prediction, view: View, weight: float) -> None:
    """Add a prediction made in a view, unless it cannot be brought back or its description is too long to tell."""
    grid = view.undo(test, one.grid)
    best = min(one.found, key=lambda found: found.score)
    if grid is not None and best.score <= LONGEST:
        names = frozenset(found.combiner for found in one.found)
        add(into, Candidate(grid, weight * view.weight * one.weight, one.votes, best, names))
