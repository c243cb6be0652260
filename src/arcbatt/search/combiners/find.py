"""The combiners of grids, cheapest first, on a task while it is being solved."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from itertools import islice
from typing import Final

from arcbatt.data.grids import is_arc_grid
from arcbatt.search.combine import Clock
from arcbatt.search.combiners.local import local_rules
from arcbatt.search.combiners.rule import GridCombiner, Rule
from arcbatt.search.combiners.stamps import stamps
from arcbatt.search.views import View
from arcbatt.search.work import LONGEST, Candidate, Work, add
from arcbatt.search.write import Writer

GRID_COMBINERS: Final[tuple[tuple[GridCombiner, float], ...]] = ((stamps, 0.15), (local_rules, 0.2))
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
        return self.rule.score

    def program(self) -> str:
        """As the text of a program."""
        writer = Writer(list(self.view.before))
        out = self.rule.write(writer, self.view.input)
        return writer.program("solve_found", self.view.after(writer, out))


def find_rules(work: Work, without: Collection[str]) -> None:
    """Add what combiners of grids find to the candidates of a task, in each view of it."""
    views = [look.values.view for look in work.looks]
    for combiner, share in GRID_COMBINERS:
        if combiner.__name__ in without:
            continue
        clock = Clock(work.clock.left(share))
        for place, view in enumerate(views):
            mine = Clock(clock.left(1 / (len(views) - place)))
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
