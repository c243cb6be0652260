"""Combiners of your own: they look at a task and propose programs, which are run and kept where they are right."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from arcbatt.data.grids import is_arc_grid
from arcbatt.errors import ArcbattError, UsageError
from arcbatt.language.values import Grid
from arcbatt.scoring.attempts import Question
from arcbatt.search.bank import Bank
from arcbatt.search.combine import Clock
from arcbatt.search.features import Feature
from arcbatt.search.views import inputs_of
from arcbatt.search.work import Candidate


@dataclass(frozen=True)
class Proposal:
    """A program that may solve a task."""

    expression: str
    """Over I, in the language."""
    score: float
    """How long its description is, in bits: a feature costs 1 to 3, an entry of a table 0.4; less is likelier."""


ProgramCombiner = Callable[[Question, Clock], Iterable[Proposal]]
"""Proposes programs for a task within the time that its clock has left; it is known by its name."""

Ranking = Callable[[Question, int, Sequence[Candidate]], Sequence[Candidate]]
"""Puts the candidates for a test, which it is told by number, in another order; the first two are the attempts."""


def by_weight(_: Question, __: int, candidates: Sequence[Candidate]) -> Sequence[Candidate]:
    """The ranking unless there is another: the heaviest first, as they come."""
    return candidates


@dataclass(frozen=True)
class Proposed:
    """A proposal that holds for every demonstration."""

    combiner: str
    score: float
    expression: str

    def program(self) -> str:
        """As the text of a program."""
        return f"def solve_found(I):\n    return {self.expression}\n"


def candidates_of(combiner: ProgramCombiner, question: Question, clock: Clock) -> list[list[Candidate]]:
    """Of each test what the proposals give that are right on every demonstration."""
    name = getattr(combiner, "__name__", type(combiner).__name__)
    proposals = list({one.expression: one for one in combiner(question, clock)}.values())
    found: list[list[Candidate]] = [[] for _ in question.inputs]
    for proposal, grids in zip(proposals, _outputs(name, proposals, inputs_of(question)), strict=True):
        demos = len(question.demonstrations)
        right = all(grid == wanted for grid, (_, wanted) in zip(grids, question.demonstrations, strict=False))
        if right:
            origin = Proposed(name, proposal.score, proposal.expression)
            for test, grid in enumerate(grids[demos:]):
                if grid is not None and is_arc_grid(grid):
                    found[test].append(Candidate(grid, 2.0**-proposal.score, 1, origin, frozenset({name})))
    return found


def _outputs(name: str, proposals: Sequence[Proposal], inputs: Sequence[Grid]) -> list[list[Grid | None]]:
    """Of each proposal its outputs, None where it failed."""
    if not proposals:
        return []
    try:
        bank = Bank([Feature(one.expression, one.score, name) for one in proposals], threads=1)
    except ArcbattError as error:
        raise UsageError(f"the combiner {name} proposes what is no program: {error}") from error
    images = bank.images(inputs)
    return [[] for _ in proposals] if images is None else [images.grids(number) for number in range(len(proposals))]
