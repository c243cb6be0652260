"""The combiners of grids, cheapest first, on a task while it is being solved."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

from arcbatt.data.grids import is_arc_grid
from arcbatt.search.combine import Clock
from arcbatt.search.combiners.alike import likenesses
from arcbatt.search.combiners.local import local_rules
from arcbatt.search.combiners.moves import moves
from arcbatt.search.combiners.objects import objects
from arcbatt.search.combiners.rule import GridCombiner, Rule, same_size
from arcbatt.search.combiners.stamps import stamps
from arcbatt.search.combiners.symmetry import symmetries
from arcbatt.search.views import View
from arcbatt.search.work import LONGEST, Candidate, Look, Work, add
from arcbatt.search.write import Writer

GRID_COMBINERS: Final[tuple[tuple[GridCombiner, float], ...]] = (
    (symmetries, 0.05),
    (likenesses, 0.05),
    (moves, 0.1),
    (objects, 0.1),
    (stamps, 0.15),
    (local_rules, 0.2),
)
"""Each with the share it may take of the time that is left, in all views together."""
_MOST_RULES: Final = 8


@dataclass(frozen=True)
class InView:
    """A rule that was found in a view of a task."""

    rule: Rule
    view: View
    more: float = 0.0
    """What the view itself adds to the description."""

    @property
    def combiner(self) -> str:
        """What found it."""
        return self.rule.combiner

    @property
    def score(self) -> float:
        """How long its description is."""
        return self.rule.score + self.more

    def program(self) -> str:
        """As the text of a program."""
        writer = Writer(list(self.view.before))
        out = self.rule.write(writer, self.view.input)
        return writer.program("solve_found", self.view.after(writer, out))


def find_rules(work: Work, without: Collection[str]) -> None:
    """Add what combiners of grids find to the candidates of a task, in each view of it."""
    views = [(look.values.view, 0.0) for look in work.looks]
    for combiner, share in GRID_COMBINERS:
        if combiner.__name__ not in without:
            _find(work, combiner, views, work.clock.part(share))


def find_rules_of_images(work: Work, images: Iterable[tuple[Look, Sequence[int]]], without: Collection[str]) -> None:
    """The same for promising images of views in place of the input, those that are as large as the output."""
    views = [one for look, mine in images for one in islice(_views_of_images(look, mine), _MOST_IMAGES)]
    clock = work.clock.part(_IMAGES)
    for place, view in enumerate(views):
        mine = clock.part(1 / (len(views) - place))
        for combiner, share in GRID_COMBINERS:
            if combiner.__name__ not in without:
                _find(work, combiner, [view], mine.part(2 * share))


_IMAGES: Final = 0.25
"""Of the time that is left, what goes to rules about images."""
_MOST_IMAGES: Final = 4
"""Of each view."""


def _views_of_images(look: Look, images: Sequence[int]) -> Iterator[tuple[View, float]]:
    """Views with an image in place of the input, and what they add to a description."""
    view, values = look.values.view, look.values
    demos = view.question.demonstrations
    for parent in images:
        grids = values.grids(parent)
        pairs = tuple((grid, wanted) for grid, (_, wanted) in zip(grids, demos, strict=False))
        question = replace(view.question, demonstrations=pairs, inputs=tuple(grids[len(demos) :]))
        if same_size(question) and pairs != demos:
            before = (*view.before, f"a0 = {values.write(Writer(), parent)}")
            block, column = values.place(parent)
            more = float(block.images.cost[column]) + _IMAGE_COST
            yield replace(view, question=question, before=before, input="a0"), more


_IMAGE_COST: Final = 0.5
_FIRST: Final = 0.7
"""Of the time of a combiner, what the first view may take."""


def _find(work: Work, combiner: GridCombiner, views: Sequence[tuple[View, float]], clock: Clock) -> None:
    """Add what a combiner finds in some views."""
    for place, (view, more) in enumerate(views):
        mine = clock.part(1.0 if place == len(views) - 1 else _FIRST)
        for rule in islice(combiner(view.question, mine) if mine.left() else (), _MOST_RULES):
            _collect(work, InView(rule, view, more))


def _collect(work: Work, origin: InView) -> None:
    """Add what a rule gives for each test."""
    if origin.score > LONGEST:
        return
    for test, grid in enumerate(origin.rule.outputs):
        back = None if grid is None else origin.view.undo(test, grid)
        if back is not None and is_arc_grid(back):
            weight = origin.view.weight * 2.0**-origin.score
            add(work.proposed[test], Candidate(back, weight, 1, origin, frozenset({origin.combiner})))
