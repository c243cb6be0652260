"""Solving tasks: views, the bank's images of them, combiners, and the attempts that come of it."""

from __future__ import annotations

import importlib
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cached_property
from itertools import accumulate, chain, islice, pairwise, zip_longest
from typing import Any, Final

from arcbatt.engine.api import Stop
from arcbatt.language.values import Grid
from arcbatt.scoring.attempts import Question, guesses
from arcbatt.search.bank import Bank, Images
from arcbatt.search.combine import IMAGE_COMBINERS, Clock, Combination, size_rules
from arcbatt.search.combiners.find import find_rules, find_rules_of_images
from arcbatt.search.features import features
from arcbatt.search.options import SolveOptions
from arcbatt.search.proposals import ProgramCombiner, Ranking, by_weight, candidates_of
from arcbatt.search.solution import Attempt, Solution
from arcbatt.search.turns import Turns
from arcbatt.search.values import Values
from arcbatt.search.views import View, inputs_of, views
from arcbatt.search.work import Found, Look, Work, add, add_prediction, ranked

_TOP: Final = 6
"""Predictions of a test that are kept of each combination."""
_SECONDS_BETWEEN_LOOKS: Final = 0.1
_GROWN_AT_ONCE: Final = 64
"""Images, over all tasks, whose images are in memory at a time."""
_FIRST, _TURNED, _GROWN = 0.4, 0.4, 0.7
"""Of the time that is left, what goes to a task as it is, to turned views, to images of images."""


class Solver:
    """Solves many tasks with one bank."""

    def __init__(
        self,
        options: SolveOptions | None = None,
        bank: Bank | None = None,
        stop: Stop | None = None,
        *,
        combiners: Sequence[ProgramCombiner] = (),
        ranking: Ranking = by_weight,
    ) -> None:
        """`stop` is asked now and then whether to end early; then solutions end early."""
        self.options = options or SolveOptions()
        self._combiners = tuple(combiners)
        self._ranking = ranking
        self._asked = stop or (lambda: False)
        self.bank = bank or Bank(features(self.options.families), self.options.threads)
        self._stop: Any = importlib.import_module("arcbatt._search").StopFlag()

    def solve(self, questions: Iterable[Question], chunk: int = 16) -> Iterator[Solution]:
        """Solutions in the order of the tasks."""
        left = iter(questions)
        with ThreadPoolExecutor(self.options.threads or os.cpu_count()) as pool:
            while batch := list(islice(left, chunk)):
                done = self._solve_batch(batch, pool)
                if done is None:
                    return
                yield from done

    def _solve_batch(self, batch: Sequence[Question], pool: ThreadPoolExecutor) -> list[Solution] | None:
        """Solutions of some tasks, or None where somebody asked to stop."""
        works = [Work.on(question, self.options.budget) for question in batch]
        seen = [list(views(question))[: None if self.options.normalise else 1] for question in batch]
        if not (self._look(works, seen) and self._all(pool, self._combine, works)):
            return None
        hard = [work for work in works if work.shortest() > self.options.convincing and work.clock.left()]
        if (
            hard
            and self.options.turned_views
            and not (self._turn(hard) and self._all(pool, self._combine_turned, hard))
        ):
            return None
        grown = [work for work in hard if work.shortest() > self.options.convincing and work.clock.left()]
        each = max(1, _GROWN_AT_ONCE // max(1, self.options.parents))
        done = {id(work): self._solution(work) for work in works if not any(work is other for other in grown)}
        for some in (grown[start : start + each] for start in range(0, len(grown), each)):
            if not (self._grow(some) and self._all(pool, self._combine_grown, some)):
                return None
            if not self._all(pool, self._leave_one_out, some):
                return None
            done |= {id(work): self._solution(work) for work in some}
            for work in some:
                work.release()
        return [done[id(work)] for work in works]

    def _all(self, pool: ThreadPoolExecutor, step: Callable[[Work], None], works: Sequence[Work]) -> bool:
        """Do a step for every task; whether nobody asked to stop meanwhile."""

        def timed(work: Work) -> None:
            work.clock.go_on()
            step(work)
            work.clock.pause()

        waiting: list[Future[None]] = [pool.submit(timed, work) for work in works]
        for future in waiting:
            while not future.done():
                if self._asked():
                    self._stop.set()
                try:
                    future.result(_SECONDS_BETWEEN_LOOKS)
                except TimeoutError:
                    continue
            future.result()
        return not self._stop and not self._asked()

    # --- images

    @cached_property
    def _turns(self) -> Turns:
        return Turns(self.options.threads)

    def _look(self, works: Sequence[Work], seen: Sequence[Sequence[View]]) -> bool:
        """Add views of tasks, with the images of all of them made in one run; whether nobody asked to stop."""
        made = self._images([inputs_of(view.question) for mine in seen for view in mine])
        if made is None:
            return False
        blocks = iter(made)
        for work, mine in zip(works, seen, strict=True):
            for view in mine:
                images, seconds = next(blocks)
                work.look(Values(view, self.bank.features, (images,)))
                work.clock.charge(seconds)
        return True

    def _turn(self, works: Sequence[Work]) -> bool:
        """Add turned views of tasks."""
        seen = [[look.values.view for look in work.looks] for work in works]
        return self._look(works, self._turns.views(seen, self.options.turned_views))

    def _images(self, inputs: Sequence[Sequence[Grid]]) -> list[tuple[Images, float]] | None:
        """The images of some lists of inputs, and how long a core took to make them; None where somebody asked to stop.

        Nothing else runs meanwhile, so that the time of the process is that of the engine; it is shared out by inputs.
        """
        before = time.process_time()
        images = self.bank.images(list(chain.from_iterable(inputs)), self._asked)
        if images is None:
            return None
        each = (time.process_time() - before) / max(1, sum(map(len, inputs)))
        ends = list(accumulate(map(len, inputs), initial=0))
        return [(images.rows(start, stop), each * (stop - start)) for start, stop in pairwise(ends)]

    def _grow(self, works: Sequence[Work]) -> bool:
        """Make images of images, those of all tasks in one run; whether nobody asked to stop."""
        wanted = [(look, parent) for work in works for look in work.looks for parent in look.parents]
        made = self._images([look.values.grids(parent) for look, parent in wanted])
        if made is None:
            return False
        blocks = iter(made)
        for work in works:
            for look in work.looks:
                mine = [next(blocks) for _ in look.parents]
                look.values = look.values.grown(look.parents, [images for images, _ in mine])
                work.clock.charge(sum(seconds for _, seconds in mine))
        return True

    # --- combining

    def _combine(self, work: Work) -> None:
        """Combine the images of the inputs, and choose what to look at further."""
        share = _FIRST if self.options.parents or self.options.turned_views else 0.8
        self._combine_looks(work, work.looks, Clock(work.clock.left(share)), self.options.parents)
        if work.shortest() > self.options.convincing:
            find_rules(work, self.options.without)
        for combiner in self._combiners:
            for found, candidates in zip(
                work.proposed, candidates_of(combiner, work.question, work.clock), strict=True
            ):
                for one in candidates:
                    add(found, one)

    def _combine_turned(self, work: Work) -> None:
        fresh = [look for look in work.looks if not any(look.found) and not look.parents]
        self._combine_looks(work, fresh, Clock(work.clock.left(_TURNED)), 0)

    def _combine_grown(self, work: Work) -> None:
        fresh = [look for look in work.looks if look.parents]
        self._combine_looks(work, fresh, Clock(work.clock.left(_GROWN)), 0)
        if work.shortest() > self.options.convincing:
            find_rules_of_images(work, self.options.without)

    def _combine_looks(self, work: Work, looks: Sequence[Look], clock: Clock, grow: int) -> None:
        demos = list(range(len(work.question.demonstrations)))
        for place, look in enumerate(looks):
            mine = Clock(clock.left(1 / (len(looks) - place)))
            if place and not mine.left():
                break
            found: list[Found] = [{} for _ in work.question.inputs]
            for combination in self._combined(look.values, demos, mine):
                if grow and not look.parents:
                    look.parents = self._promising(look.values, combination, grow)
                _collect(found, combination, 1.0)
            look.found = [new or old for new, old in zip(found, look.found, strict=True)]

    def _leave_one_out(self, work: Work) -> None:
        """Where nothing was found for a test, try again with one demonstration left out."""
        demos = range(len(work.question.demonstrations))
        if not self.options.leave_one_out or len(demos) < 3 or all(work.found()):
            return
        work.again = [{} for _ in work.question.inputs]
        runs = [(look, left) for left in demos for look in work.looks[:2]]
        for place, (look, left) in enumerate(runs):
            mine = Clock(work.clock.left(1 / (len(runs) - place)))
            if not mine.left():
                break
            for combination in self._combined(look.values, [demo for demo in demos if demo != left], mine):
                _collect(work.again, combination, 0.1)

    def _combined(self, values: Values, demos: Sequence[int], clock: Clock) -> Iterator[Combination]:
        hypotheses = size_rules(values, demos)[: self.options.size_hypotheses]
        for number, size in enumerate(hypotheses):
            mine = Clock(clock.left(1 / (len(hypotheses) - number)))
            if number and not mine.left():
                return
            combination = Combination(values, demos, size, self.options.weights, self._stop)
            for combiner in IMAGE_COMBINERS:
                if combiner.__name__ not in self.options.without:
                    combiner(combination, mine, self.options.effort)
            yield combination

    def _promising(self, values: Values, combination: Combination, count: int) -> list[int]:
        """Images to look at further: in turn one with much of the output right, and one that is cheap."""
        near = (feature for feature in combination.nearest_images() if values.is_of_colours(feature))
        cheap = values.cheap_images(self.options.dearest_parent)
        both = chain.from_iterable(zip_longest(islice(near, count), islice(cheap, count)))
        return list(islice(dict.fromkeys(one for one in both if one is not None), count))

    # --- what came of it

    def _solution(self, work: Work) -> Solution:
        attempts = []
        for test, found in enumerate(work.found()):
            left_out = not found and bool(work.again)
            best = self._ranking(work.question, test, ranked(work.again[test]) if left_out else found)
            made = [
                Attempt(
                    one.grid, one.weight, one.votes, one.best.combiner, one.best.score, one.best.program(), left_out
                )
                for one in best[:_TOP]
            ]
            known = {attempt.grid for attempt in made}
            left = dict.fromkeys(grid for grid in guesses(work.question, test) if grid not in known)
            attempts.append((*made, *map(Attempt, left)))
        return Solution(work.question.id, tuple(attempts), round(self.options.budget - work.clock.left(), 4))


def _collect(found: Sequence[Found], combination: Combination, weight: float) -> None:
    """Add what a combination predicts to the candidates of each test."""
    for test, predictions in enumerate(combination.predictions(_TOP)):
        for one in predictions:
            add_prediction(found[test], test, one, combination.values.view, weight)
