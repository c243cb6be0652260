"""Solving a task in one call."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from arcbatt.data.tasks import Task
from arcbatt.scoring.attempts import Question
from arcbatt.search.bank import Bank
from arcbatt.search.features import Feature
from arcbatt.search.features import features as known_features
from arcbatt.search.options import SolveOptions
from arcbatt.search.proposals import ProgramCombiner, Ranking, by_weight
from arcbatt.search.solution import Solution
from arcbatt.search.solver import Solver


def solve(
    task: Task,
    options: SolveOptions | None = None,
    *,
    features: Sequence[Feature] = (),
    combiners: Sequence[ProgramCombiner] = (),
    ranking: Ranking = by_weight,
) -> Solution:
    """Ranked attempts at each test input of a task, each with a program; the expected test outputs are not looked at.

    Features, combiners and a ranking of your own come in beside those that are there (docs/search.md). The features are
    compiled in the first call and kept.
    """
    options = options or SolveOptions()
    bank = _bank(options.families, options.threads, tuple(features))
    (solution,) = Solver(options, bank, combiners=combiners, ranking=ranking).solve([Question.of(task)])
    return solution


@lru_cache(maxsize=2)
def _bank(families: tuple[str, ...], threads: int | None, more: tuple[Feature, ...]) -> Bank:
    return Bank([*known_features(families), *more], threads)
