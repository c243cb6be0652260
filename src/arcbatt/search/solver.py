"""Solving tasks: views, the bank's images of them, combiners, and the attempts that come of it."""

from __future__ import annotations

import importlib
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import accumulate, chain, islice, pairwise, zip_longest
from typing import Any, Final

from arcbatt.engine.api import Stop
from arcbatt.language.values import Grid
from arcbatt.scoring.attempts import Question, guesses
from arcbatt.search.bank import Bank, Images
from arcbatt.search.combine import IMAGE_COMBINERS, Clock, Combination, Found, Prediction, size_rules
from arcbatt.search.features import features
from arcbatt.search.options import SolveOptions
from arcbatt.search.solution import Attempt, Solution
from arcbatt.search.values import Values
from arcbatt.search.views import View, views
from arcbatt.search.write import Writer, write_image, write_rule, write_stack

_TOP: Final = 6
"""Predictions of a test that are kept of each combination."""
_SECONDS_BETWEEN_LOOKS: Final = 0.1
_GROWN_AT_ONCE: Final = 64
"""Images, over all tasks, whose images are in memory at a time."""


@dataclass(frozen=True)
class _Candidate:
    """A prediction in the colours of the task, and what gave it."""

    grid: Grid
    weight: float
    votes: int
    best: Found
    combiners: frozenset[str]


@dataclass
class _Work:
    """A task while it is being solved."""

    question: Question
    values: list[Values]
    clock: Clock
    found: list[list[_Candidate]] = field(default_factory=list)
    """Of each test the candidates, the heaviest first."""
    left_out: list[bool] = field(default_factory=list)
    parents: list[list[int]] = field(default_factory=list)
    """Of each view the images that are to be looked at further."""

    def release(self) -> None:
        """Let go of the images."""
        self.values, self.found = [], []


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
        left = iter(questions)
        with ThreadPoolExecutor(self.options.threads or os.cpu_count()) as pool:
            while batch := list(islice(left, chunk)):
                done = self._solve_batch(batch, pool)
                if done is None:
                    return
                yield from done

    def _solve_batch(self, batch: Sequence[Question], pool: ThreadPoolExecutor) -> list[Solution] | None:
        """Solutions of some tasks, or None where somebody asked to stop."""
        works = self._looked_at(batch)
        if works is None or not self._all(pool, self._combine, works):
            return None
        done: dict[int, Solution] = {}
        plain = [work for work in works if not any(work.parents)]
        grown = [work for work in works if any(work.parents)]
        each = max(1, _GROWN_AT_ONCE // max(1, self.options.parents))
        for some in [plain, *(grown[start : start + each] for start in range(0, len(grown), each))]:
            further = bool(some) and any(some[0].parents)
            if further and not (self._grow(some) and self._all(pool, self._combine_grown, some)):
                return None
            if not self._all(pool, self._leave_one_out, some):
                return None
            done |= {id(work): self._solution(work) for work in some}
            for work in some:
                work.release()
        return [done[id(work)] for work in works]

    def _all(self, pool: ThreadPoolExecutor, step: Callable[[_Work], None], works: Sequence[_Work]) -> bool:
        """Do a step for every task; whether nobody asked to stop meanwhile."""
        waiting: list[Future[None]] = [pool.submit(step, work) for work in works]
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

    def _looked_at(self, batch: Sequence[Question]) -> list[_Work] | None:
        """Tasks with the images of all their views, made in one run."""
        looked = [list(views(question))[: None if self.options.normalise else 1] for question in batch]
        made = self._images([_inputs(view.question) for ways in looked for view in ways])
        if made is None:
            return None
        blocks = iter(made)
        works = []
        for question, ways in zip(batch, looked, strict=True):
            mine = [next(blocks) for _ in ways]
            values = [Values(view, self.bank.features, (images,)) for view, (images, _) in zip(ways, mine, strict=True)]
            works.append(
                _Work(question, values, Clock(self.options.budget - sum(seconds for _, seconds in mine), None))
            )
        return works

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

    def _grow(self, works: Sequence[_Work]) -> bool:
        """Make images of images, those of all tasks in one run; whether nobody asked to stop."""
        wanted = [
            (values, parent)
            for work in works
            for values, parents in zip(work.values, work.parents, strict=True)
            for parent in parents
        ]
        made = self._images([values.grids(parent) for values, parent in wanted])
        if made is None:
            return False
        blocks = iter(made)
        for work in works:
            for number, parents in enumerate(work.parents):
                mine = [next(blocks) for _ in parents]
                work.values[number] = work.values[number].grown(parents, [images for images, _ in mine])
                work.clock.charge(sum(seconds for _, seconds in mine))
        return True

    # --- combining

    def _combine(self, work: _Work) -> None:
        """Combine the images of the inputs, and choose what to look at further where that is not convincing."""
        work.clock.go_on()
        demos = list(range(len(work.question.demonstrations)))
        work.parents = [[] for _ in work.values]
        grow = self.options.parents
        work.found = self._candidates(work, [demos], Clock(work.clock.left(0.4 if grow else 0.8)), 1.0, grow)
        if all(test and test[0].best.score <= self.options.convincing for test in work.found):
            work.parents = [[] for _ in work.values]
        work.left_out = [False for _ in work.found]
        work.clock.pause()

    def _combine_grown(self, work: _Work) -> None:
        work.clock.go_on()
        demos = list(range(len(work.question.demonstrations)))
        found = self._candidates(work, [demos], Clock(work.clock.left(0.7)), 1.0, 0)
        work.found = [new or old for new, old in zip(found, work.found, strict=True)]
        work.clock.pause()

    def _leave_one_out(self, work: _Work) -> None:
        """Where nothing was found for a test, try again with one demonstration left out."""
        demos = range(len(work.question.demonstrations))
        if not self.options.leave_one_out or len(demos) < 3 or all(work.found) or not work.clock.left():
            return
        work.clock.go_on()
        lists = [[demo for demo in demos if demo != left] for left in demos]
        again = self._candidates(work, lists, work.clock, 0.1, 0)
        work.left_out = [not test for test in work.found]
        work.found = [first or second for first, second in zip(work.found, again, strict=True)]
        work.clock.pause()

    def _candidates(
        self, work: _Work, demo_lists: Sequence[Sequence[int]], clock: Clock, weight: float, grow: int
    ) -> list[list[_Candidate]]:
        """Of each test the candidates of all views, the heaviest first."""
        merged: list[dict[Grid, _Candidate]] = [{} for _ in work.question.inputs]
        runs = [(number, demos) for demos in demo_lists for number in range(len(work.values))]
        for place, (number, demos) in enumerate(runs):
            values = work.values[number]
            mine = Clock(clock.left(1 / (len(runs) - place)))
            if place and not mine.left():
                break
            for combination in self._combined(values, demos, mine):
                if grow and not work.parents[number]:
                    work.parents[number] = self._promising(values, combination, grow)
                for test, ranked in enumerate(combination.predictions(_TOP)):
                    for one in ranked:
                        _merge(merged[test], test, one, values.view, weight)
        return [sorted(test.values(), key=lambda one: -one.weight) for test in merged]

    def _combined(self, values: Values, demos: Sequence[int], clock: Clock) -> Iterator[Combination]:
        hypotheses = size_rules(values, demos)[: self.options.size_hypotheses]
        for number, size in enumerate(hypotheses):
            mine = Clock(clock.left(1 / (len(hypotheses) - number)))
            if number and not mine.left():
                return
            combination = Combination(values, demos, size, self.options.weights, self._stop)
            for combiner in IMAGE_COMBINERS:
                combiner(combination, mine, self.options.effort)
            yield combination

    def _promising(self, values: Values, combination: Combination, count: int) -> list[int]:
        """Images to look at further: in turn one with much of the output right, and one that is cheap."""
        near = (feature for feature in combination.nearest_images() if values.is_of_colours(feature))
        cheap = values.cheap_images(self.options.dearest_parent)
        both = chain.from_iterable(zip_longest(islice(near, count), islice(cheap, count)))
        return list(islice(dict.fromkeys(one for one in both if one is not None), count))

    # --- what came of it

    def _solution(self, work: _Work) -> Solution:
        attempts = tuple(self._attempts(work, test) for test in range(len(work.found)))
        return Solution(work.question.id, attempts, round(self.options.budget - work.clock.left(), 4))

    def _attempts(self, work: _Work, test: int) -> tuple[Attempt, ...]:
        made = [
            Attempt(
                one.grid,
                one.weight,
                one.votes,
                one.best.combiner,
                one.best.score,
                program_of(one.best),
                work.left_out[test],
            )
            for one in work.found[test][:_TOP]
        ]
        known = {attempt.grid for attempt in made}
        left = dict.fromkeys(grid for grid in guesses(work.question, test) if grid not in known)
        return (*made, *map(Attempt, left))


def program_of(found: Found) -> str:
    """What was found as the text of a program."""
    combination = found.combination
    values, size = combination.values, combination.size
    writer = Writer(list(values.view.before))

    def dims() -> str:
        return size.write(writer, "" if size.feature < 0 else values.write(writer, size.feature))

    images = []
    for column in found.columns:
        feature, way, _, _ = combination.columns[column]
        images.append(write_image(writer, values.write(writer, feature), way, dims))
    if found.modes:
        out = write_stack(writer, images, found.modes)
    else:
        out = write_rule(writer, images, combination.table(found))
    return writer.program("solve_found", writer.let(values.view.after(out)))


def _inputs(question: Question) -> list[Grid]:
    return [given for given, _ in question.demonstrations] + list(question.inputs)


def _merge(into: dict[Grid, _Candidate], test: int, one: Prediction, view: View, weight: float) -> None:
    """Add a prediction to the candidates of a test; what several found adds up."""
    grid = view.undo(test, one.grid)
    if grid is None:
        return
    best = min(one.found, key=lambda found: found.score)
    names = frozenset(found.combiner for found in one.found)
    mine = _Candidate(grid, weight * view.weight * one.weight, one.votes, best, names)
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
