"""Solving tasks: views, the bank's images of them, combiners, and the attempts that come of it."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, Final

from arcbatt.engine.api import Stop
from arcbatt.language.values import Grid
from arcbatt.scoring.attempts import Question, guesses
from arcbatt.search.bank import Bank, Images
from arcbatt.search.combine import (
    IMAGE_COMBINERS,
    Clock,
    Combination,
    Found,
    Prediction,
    native_images,
    size_rules,
)
from arcbatt.search.features import features
from arcbatt.search.options import SolveOptions
from arcbatt.search.solution import Attempt, Solution
from arcbatt.search.views import View, views
from arcbatt.search.write import Writer, write_image, write_rule, write_stack

_TOP: Final = 6
"""Predictions of a test that are kept of each combination."""
_SECONDS_BETWEEN_LOOKS: Final = 0.1


@dataclass(frozen=True)
class _Candidate:
    """A prediction in the colours of the task, and the view it was made in."""

    grid: Grid
    weight: float
    votes: int
    best: Found
    view: View
    combiners: frozenset[str]


class Solver:
    """Solves many tasks with one bank."""

    def __init__(self, options: SolveOptions | None = None, bank: Bank | None = None, stop: Stop | None = None) -> None:
        """`stop` is asked now and then whether to end early; then solutions end early."""
        self.options = options or SolveOptions()
        self._asked = stop or (lambda: False)
        self.bank = bank or Bank(features(self.options.families), self.options.threads)
        self._stop: Any = importlib.import_module("arcbatt._search").StopFlag()

    def solve(self, questions: Iterable[Question], chunk: int = 16) -> Iterator[Solution]:
        """Solutions in the order of the tasks."""
        batch: list[Question] = []
        for question in questions:
            batch.append(question)
            if len(batch) == chunk:
                yield from self._solve_batch(batch)
                batch = []
        if batch:
            yield from self._solve_batch(batch)

    def _solve_batch(self, batch: Sequence[Question]) -> Iterator[Solution]:
        looked = [self._views(question) for question in batch]
        inputs = [grid for ways in looked for view in ways for grid in _inputs(view.question)]
        images = self.bank.images(inputs, self._asked)
        if images is None:
            return
        work: list[tuple[Question, list[tuple[View, Images]]]] = []
        row = 0
        for question, ways in zip(batch, looked, strict=True):
            mine = []
            for view in ways:
                count = len(_inputs(view.question))
                mine.append((view, images.rows(row, row + count)))
                row += count
            work.append((question, mine))
        with ThreadPoolExecutor(self.options.threads) as pool:
            waiting = [pool.submit(self._solve_one, *one) for one in work]
            try:
                for future in waiting:
                    if not self._wait(future):
                        return
                    yield future.result()
            finally:
                if not all(future.done() for future in waiting):  # given up: nobody waits for them
                    self._stop.set()

    def _wait(self, future: Future[Solution]) -> bool:
        """Wait for a solution; whether it is there before somebody asks to stop."""
        while not self._asked():
            try:
                future.result(_SECONDS_BETWEEN_LOOKS)
            except TimeoutError:
                continue
            return True
        return False

    def _views(self, question: Question) -> list[View]:
        ways = list(views(question))
        return ways if self.options.normalise else ways[:1]

    def _solve_one(self, question: Question, ways: Sequence[tuple[View, Images]]) -> Solution:
        clock = Clock(self.options.budget)
        given = [(view, native_images(images)) for view, images in ways]
        demos = range(len(question.demonstrations))
        found = self._candidates(given, [list(demos)], clock, 1.0)
        left_out = [not test for test in found]
        if self.options.leave_one_out and len(demos) >= 3 and not all(found):
            lists = [[demo for demo in demos if demo != left] for left in demos]
            again = self._candidates(given, lists, clock, 0.1)
            found = [first or second for first, second in zip(found, again, strict=True)]
        attempts = tuple(self._attempts(question, test, found[test], left_out[test]) for test in range(len(found)))
        return Solution(question.id, attempts, self.options.budget - clock.left())

    def _candidates(
        self, given: Sequence[tuple[View, Any]], demo_lists: Sequence[Sequence[int]], clock: Clock, weight: float
    ) -> list[list[_Candidate]]:
        """Of each test the candidates of all views, the heaviest first."""
        merged: list[dict[Grid, _Candidate]] = [{} for _ in given[0][0].question.inputs]
        runs = [(view, images, demos) for demos in demo_lists for view, images in given]
        for number, (view, images, demos) in enumerate(runs):
            mine = Clock(clock.left(1 / (len(runs) - number)))
            for predictions in self._combine(view, images, demos, mine):
                for test, ranked in enumerate(predictions):
                    for one in ranked:
                        _merge(merged[test], test, one, view, weight)
        return [sorted(test.values(), key=lambda one: -one.weight) for test in merged]

    def _combine(self, view: View, images: Any, demos: Sequence[int], clock: Clock) -> Iterator[list[list[Prediction]]]:
        hypotheses = size_rules(images, view.question, demos)[: self.options.size_hypotheses]
        for number, size in enumerate(hypotheses):
            mine = Clock(clock.left(1 / (len(hypotheses) - number)))
            combination = Combination(images, view.question, demos, size, self.options.weights, self._stop)
            for combiner in IMAGE_COMBINERS:
                combiner(combination, mine, self.options.effort)
            yield combination.predictions(_TOP)

    def _attempts(
        self, question: Question, test: int, ranked: Sequence[_Candidate], left_out: bool
    ) -> tuple[Attempt, ...]:
        made = [
            Attempt(one.grid, one.weight, one.votes, one.best.combiner, one.best.score, self.program(one), left_out)
            for one in ranked[:_TOP]
        ]
        known = {attempt.grid for attempt in made}
        return (*made, *(Attempt(grid) for grid in dict.fromkeys(guesses(question, test)) if grid not in known))

    def program(self, candidate: _Candidate) -> str:
        """A candidate as the text of a program."""
        view, found = candidate.view, candidate.best
        writer = Writer(list(view.before))
        combination = found.combination
        size = combination.size
        size_feature = self.bank.features[max(size.feature, 0)].over(view.input)
        images = []
        for column in found.columns:
            feature, way, _, _ = combination.columns[column]
            images.append(write_image(writer, self.bank.features[feature].over(view.input), way, size, size_feature))
        if found.modes:
            out = write_stack(writer, images, found.modes)
        else:
            out = write_rule(writer, images, found.role, combination.core.entries(list(found.columns), found.role))
        return writer.program("solve_found", writer.let(view.after(out)))


def _inputs(question: Question) -> list[Grid]:
    return [given for given, _ in question.demonstrations] + list(question.inputs)


def _merge(into: dict[Grid, _Candidate], test: int, one: Prediction, view: View, weight: float) -> None:
    """Add a prediction to the candidates of a test; what several found adds up."""
    grid = view.undo(test, one.grid)
    if grid is None:
        return
    best = min(one.found, key=lambda found: found.score)
    names = frozenset(found.combiner for found in one.found)
    mine = _Candidate(grid, weight * view.weight * one.weight, one.votes, best, view, names)
    known = into.get(grid)
    if known is None:
        into[grid] = mine
        return
    better = known if known.best.score <= best.score else mine
    into[grid] = replace(
        better,
        weight=known.weight + mine.weight,
        votes=known.votes + mine.votes,
        combiners=known.combiners | names,
    )
