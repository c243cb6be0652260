"""The combiners of grids, cheapest first, on a task while it is being solved."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
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

    @property
    def combiner(self) -> str:
        """What found it."""
        return self.rule.combiner

    @property
    def score(self) -> float:
        """How long its description is."""
        return self.rule.score + self.view.cost

    def program(self) -> str:
        """As the text of a program."""
        writer = Writer(list(self.view.before))
        out = self.rule.write(writer, self.view.input)
        return writer.program("solve_found", self.view.after(writer, out))


def find_rules(work: Work, without: Collection[str]) -> None:
    """Add what combiners of grids find to the candidates of a task, in each view of it."""
    views = [look.values.view for look in work.looks]
    for combiner, share in GRID_COMBINERS:
        if combiner.__name__ not in without:
            _find(work, combiner, views, work.clock.part(share))


def find_rules_of_images(work: Work, images: Iterable[tuple[Look, Sequence[int]]], without: Collection[str]) -> None:
    """The same for promising images of views in place of the input, those that are as large as the output."""
    views = [one for look, mine in images for one in islice(_views_of_images(look, mine), _MOST_IMAGES)]
    find_rules_in(work, views, work.clock.part(_IMAGES), without)


def find_rules_in(work: Work, views: Sequence[View], clock: Clock, without: Collection[str]) -> None:
    """The same in some views, one after the other."""
    for place, view in enumerate(views):
        mine = clock.part(1 / (len(views) - place))
        for combiner, share in GRID_COMBINERS:
            if combiner.__name__ not in without:
                _find(work, combiner, [view], mine.part(2 * share))


_IMAGES: Final = 0.25
"""Of the time that is left, what goes to rules about images."""
_MOST_IMAGES: Final = 4
"""Of each view."""


def _views_of_images(look: Look, images: Sequence[int]) -> Iterator[View]:
    """Views with an image in place of the input."""
    values = look.values
    for parent in images:
        block, column = values.place(parent)
        cost = float(block.images.cost[column]) + _IMAGE_COST
        line = f"a0 = {values.write(Writer(), parent)}"
        view = values.view.of_images(values.grids(parent), [line], "a0", cost)
        if same_size(view.question) and view.question.demonstrations != values.view.question.demonstrations:
            yield view


_IMAGE_COST: Final = 0.5
_FIRST: Final = 0.7
"""Of the time of a combiner, what the first view may take."""


def _find(work: Work, combiner: GridCombiner, views: Sequence[View], clock: Clock) -> None:
    """Add what a combiner finds in some views."""
    for place, view in enumerate(views):
        mine = clock.part(1.0 if place == len(views) - 1 else _FIRST)
        for rule in islice(combiner(view.question, mine) if mine.left() else (), _MOST_RULES):
            _collect(work, InView(rule, view))


def _collect(work: Work, origin: InView) -> None:
    """Add what a rule gives for each test."""
    if origin.score > LONGEST:
        return
    for test, grid in enumerate(origin.rule.outputs):
        back = None if grid is None else origin.view.undo(test, grid)
        if back is not None and is_arc_grid(back):
            weight = origin.view.weight * 2.0**-origin.score
            add(work.proposed[test], Candidate(back, weight, 1, origin, frozenset({origin.combiner})))
