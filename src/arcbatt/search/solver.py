"""Solving tasks: views, the bank's images of them, combiners, and the attempts that come of it."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cached_property, partial
from itertools import accumulate, chain, islice, pairwise, zip_longest
from typing import Any, Final

from arcbatt.engine.api import Stop
from arcbatt.language.values import Grid
from arcbatt.scoring.attempts import Question, guesses
from arcbatt.search.bank import Bank, Images, bank_of
from arcbatt.search.combine import IMAGE_COMBINERS, Clock, Combination, size_rules, stepped
from arcbatt.search.combiners.find import find_rules, find_rules_in, find_rules_of_images
from arcbatt.search.options import MOST_PARENTS, MOST_STEPS, MOST_TURNS, SolveOptions
from arcbatt.search.proposals import ProgramCombiner, Ranking, by_weight, candidates_of
from arcbatt.search.solution import Attempt, Solution
from arcbatt.search.turns import Turns
from arcbatt.search.values import Block, Values
from arcbatt.search.views import View, inputs_of, plain, views
from arcbatt.search.work import Found, Work, add, add_prediction, heavier
from arcbatt.support.machine import cores

_TOP: Final = 12
"""Predictions of a test that are kept of each combination."""
_KEPT: Final = 6
"""Attempts at a test that are kept."""
_TASKS_AT_ONCE: Final = 16
_TASKS_ON_GPU: Final = 128
"""Tasks whose images are made in one run: a GPU needs many to be busy."""
_SECONDS_BETWEEN_LOOKS: Final = 0.1
_GROWN_AT_ONCE: Final = 64
"""Images, over all tasks, whose images are in memory at a time."""
_FIRST, _TIER, _TURNED, _GROWN = 0.3, 0.5, 0.4, 0.7
"""Of the time that is left, what goes to a view at first, to the next tier of features, to turned views, to images of
images."""
_STEPS, _STEPPED = 0.15, 0.3
"""Of the time that is left, what goes to finding steps, and to looking at tasks from there."""
_STEP_ROUNDS: Final = 2
_STEPPED_VIEWS: Final = 4
_STEP_COST: Final = 0.025
"""What a bit of a step's description weighs against the part of the wrong cells that it puts right."""
_AT_ONCE: Final = 0.5
"""The part of a convincing length at which a task is not even looked at with its colours numbered."""
_LEAVE_ONE_OUT: Final = 0.1
"""Of the budget, what is kept to leave one demonstration out, where nothing was found."""
_ROUNDS: Final = 4
"""How often more images are chosen to be looked at further."""
_TIER_TIMES: Final = (1.0, 2.0, 3.5)
"""How long the features of a tier take, against those of the first, about."""
_CELLS_OF_NONE: Final = 30
"""An input of no cells takes as long as this many cells."""

_Wants = Callable[[Work], bool]
"""Whether a task is to go through a stage."""


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
        self.bank = bank or bank_of(self.options.families, self.options.threads, (), self.options.backend)
        self._stop: Any = importlib.import_module("arcbatt._search").StopFlag()

    def prepare(self) -> None:
        """Compile what would be compiled when it is first needed."""
        _ = self._turns

    def solve(self, questions: Iterable[Question], chunk: int | None = None) -> Iterator[Solution]:
        """Solutions in the order of the tasks, of which so many are looked at together."""
        left = iter(questions)
        chunk = chunk or (_TASKS_AT_ONCE if self.options.backend == "cpu" else _TASKS_ON_GPU)
        with ThreadPoolExecutor(self.options.threads or cores()) as pool:
            try:
                while batch := list(islice(left, chunk)):
                    done = self._solve_batch(batch, pool)
                    if done is None:
                        return
                    yield from done
            except BaseException:
                self._stop.set()  # what the threads do is not wanted any more, and the pool waits for them
                raise

    def _solve_batch(self, batch: Sequence[Question], pool: ThreadPoolExecutor) -> list[Solution] | None:
        """Solutions of some tasks, or None where somebody asked to stop.

        Whoever has no short description yet goes on to what takes longer.
        """
        compares = "traits" not in self.options.without
        works = [
            Work.on(question, Clock(self.options.budget, None, self._stop), compares=compares) for question in batch
        ]
        tiers = range(1, min(self.bank.tiers, self.options.tiers))
        stages: list[tuple[_Wants, Callable[[Sequence[Work]], bool], Callable[[Work], None]]] = [
            (self._goes_on, self._look_plainly, self._combine_plain),
            (partial(self._goes_on, part=_AT_ONCE), self._number_colours, self._combine_numbered),
            *(
                (self._is_in_doubt, partial(self._look_longer, tier), partial(self._combine_looks, share=_TIER))
                for tier in tiers
            ),
            (self._goes_on, self._turn, partial(self._combine_looks, share=_TURNED)),
        ]
        for wants, look, combine in stages:
            hard = [work for work in works if wants(work)]
            if not (look(hard) and self._all(pool, combine, hard)):
                return None
        if not (self._step_on(works, pool) and self._grow_on(works, pool)):
            return None
        empty = [work for work in works if work.clock.left() and not all(work.found())]
        if not self._all(pool, self._leave_one_out, empty):
            return None
        return [self._solution(work) for work in works]

    def _goes_on(self, work: Work, part: float = 1.0) -> bool:
        return work.clock.left() > 0 and work.shortest() > part * self.options.convincing

    def _is_in_doubt(self, work: Work) -> bool:
        """Whether more features are wanted: short descriptions that disagree do not convince either."""
        return self._goes_on(work) or (work.clock.left() > 0 and work.disagree(self.options.convincing))

    def _all(self, pool: ThreadPoolExecutor, step: Callable[[Work], None], works: Sequence[Work]) -> bool:
        """Do a step for every task; whether nobody asked to stop meanwhile."""

        def timed(work: Work) -> None:
            if self._stop:
                return
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

    def _look_plainly(self, works: Sequence[Work]) -> bool:
        """Look at tasks as they are; whether nobody asked to stop."""
        return self._look(works, [[plain(work.question)] for work in works])

    def _number_colours(self, works: Sequence[Work]) -> bool:
        """Look at tasks with their colours numbered, where that makes a difference."""
        return self._look(works, [views(work.question, self.options.without) for work in works])

    def _turn(self, works: Sequence[Work]) -> bool:
        """Add turned views of tasks, as many as there is time for."""
        wanted = [work for work in works if self._turned_views(work)]
        if not wanted:
            return True
        seen = [[look.values.view for look in work.looks] for work in wanted]
        return self._look(wanted, self._turns.views(seen, [self._turned_views(work) for work in wanted]))

    def _turned_views(self, work: Work) -> int:
        if self.options.turns is not None:
            return self.options.turns
        return min(MOST_TURNS, int(work.clock.left(_TURNED) / max(work.look_seconds, 1e-3)))

    def _look(self, works: Sequence[Work], seen: Sequence[Sequence[View]]) -> bool:
        """Add views of tasks, with the images of all of them made in one run; whether nobody asked to stop."""
        made = self._images([inputs_of(view.question) for mine in seen for view in mine])
        if made is None:
            return False
        blocks = iter(made)
        for work, mine in zip(works, seen, strict=True):
            for view in mine:
                images, seconds = next(blocks)
                work.look(Values(view, self.bank.features, (Block(images),)))
                work.image_seconds = seconds
                work.clock.charge(seconds)
        return True

    def _look_longer(self, tier: int, works: Sequence[Work]) -> bool:
        """Add the images of another tier of features to views for which there is time."""
        wanted = []
        for work in works:
            left = work.clock.left(_TIER)
            for look in work.looks:
                left -= _TIER_TIMES[tier] * work.image_seconds
                if left > 0:
                    wanted.append((work, look))
        made = self._images([inputs_of(look.values.view.question) for _, look in wanted], tier)
        if made is None:
            return False
        for (work, look), (images, seconds) in zip(wanted, made, strict=True):
            look.values = look.values.with_blocks([Block(images, self.bank.firsts[tier])])
            look.fresh = True
            work.clock.charge(seconds)
        return True

    def _images(self, inputs: Sequence[Sequence[Grid]], tier: int = 0) -> list[tuple[Images, float]] | None:
        """The images of some lists of inputs, and how long a core took to make them; None where somebody asked to stop.

        Nothing else runs meanwhile, so that the time of the process is that of the engine; it is shared out by cells.
        """
        if not inputs:
            return []
        before = time.process_time()
        images = self.bank.images(list(chain.from_iterable(inputs)), self._asked, tier)
        if images is None:
            return None
        cells = [sum(len(grid) * len(grid[0]) + _CELLS_OF_NONE for grid in grids) for grids in inputs]
        each = (time.process_time() - before) / sum(cells)
        ends = list(accumulate(map(len, inputs), initial=0))
        return [
            (images.rows(start, stop), each * many) for (start, stop), many in zip(pairwise(ends), cells, strict=True)
        ]

    def _step_on(self, works: Sequence[Work], pool: ThreadPoolExecutor) -> bool:
        """Look at tasks with some of what changes already done, and again from there; whether nobody asked to stop."""
        if "steps" in self.options.without:
            return True
        hard = list(works)
        for _ in range(_STEP_ROUNDS):
            hard = [work for work in hard if self._goes_on(work)]
            if not self._all(pool, self._choose_steps, hard):
                return False
            hard = [work for work in hard if work.steps]
            if not (self._look(hard, [work.steps for work in hard]) and self._all(pool, self._combine_steps, hard)):
                return False
        return True

    def _choose_steps(self, work: Work) -> None:
        """Choose views with an image that is on the way to the output as their input, as many as there is time for."""
        clock = work.clock.part(_STEPS)
        looks = [look for look in work.looks if look.combination is not None and not look.stepped][:_STEPPED_VIEWS]
        found: dict[tuple[Grid, ...], tuple[float, View]] = {}
        for place, look in enumerate(looks):
            look.stepped = True
            if look.combination is not None:
                for step in look.combination.steps(clock.part(1 / (len(looks) - place)).left()):
                    view = stepped(look.values.view, step)
                    found.setdefault(step.grids, (step.right - _STEP_COST * view.cost, view))
        many = min(MOST_STEPS, int(work.clock.left(_STEPPED) / max(work.look_seconds, 1e-3)))
        work.steps = [view for _, view in sorted(found.values(), key=lambda one: -one[0])[:many]]

    def _grow_on(self, works: Sequence[Work], pool: ThreadPoolExecutor) -> bool:
        """Look at images further, some after the other, while there is time; whether nobody asked to stop."""
        for number in range(_ROUNDS):
            hard = [work for work in works if self._goes_on(work) and not self._is_to_leave_one_out(work)]
            if not self._all(pool, self._choose_parents, hard):
                return False
            for some in _portions(hard):
                combine = partial(self._combine_looks, share=_GROWN) if number else self._combine_grown
                if not (self._grow(some) and self._all(pool, combine, some)):
                    return False
        return True

    def _is_to_leave_one_out(self, work: Work) -> bool:
        """Whether nothing was found, and no more time is left than leaving a demonstration out is to have."""
        return work.clock.left() < _LEAVE_ONE_OUT * self.options.budget and not all(work.found())

    def _choose_parents(self, work: Work) -> None:
        """Choose the images to look at further, as many as there is time for."""
        looks = [look for look in work.looks if look.combination is not None][: self.options.grown_views]
        many = self.options.grow
        if many is None:
            seconds = max(1e-3, work.image_seconds)
            affordable = int(work.clock.left(_GROWN / 2) / seconds)
            looks = looks[: max(1, affordable)]
            many = min(MOST_PARENTS, affordable // max(1, len(looks)))
        for look in looks:
            if look.promising is None and look.combination:
                look.promising = self._promising(look.values, look.combination)
            look.parents = list(islice(look.promising or (), many))

    def _grow(self, works: Sequence[Work]) -> bool:
        """Make images of images, those of all tasks in one run; whether nobody asked to stop."""
        wanted = [(look, parent) for work in works for look in work.looks for parent in look.parents]
        made = self._images([look.values.grids(parent) for look, parent in wanted])
        if made is None:
            return False
        blocks = iter(made)
        for work in works:
            for look in work.looks:
                mine = [(parent, *next(blocks)) for parent in look.parents]
                look.grown = tuple(Block(images, parent=parent) for parent, images, _ in mine)
                look.parents = []
                look.fresh = bool(mine)
                work.clock.charge(sum(seconds for _, _, seconds in mine))
        return True

    # --- combining

    def _combine_plain(self, work: Work) -> None:
        """Combine the images of the inputs as they are, and ask combiners of programs."""
        before = work.clock.left()
        self._combine_looks(work, _FIRST)
        work.look_seconds = before - work.clock.left() + work.image_seconds
        for combiner in self._combiners:
            for found, candidates in zip(
                work.proposed, candidates_of(combiner, work.question, work.clock), strict=True
            ):
                for one in candidates:
                    add(found, one)

    def _combine_numbered(self, work: Work) -> None:
        self._combine_looks(work, _FIRST)
        if self._goes_on(work):
            find_rules(work, self.options.without)

    def _combine_steps(self, work: Work) -> None:
        self._combine_looks(work, _STEPPED)
        if self._goes_on(work):
            find_rules_in(work, work.steps, work.clock.part(_STEPPED), self.options.without)

    def _combine_grown(self, work: Work) -> None:
        """The first images of images; and rules about those that they are of."""
        parents = [(look, [block.parent for block in look.grown if block.parent is not None]) for look in work.looks]
        self._combine_looks(work, _GROWN)
        if self._goes_on(work):
            find_rules_of_images(work, parents, self.options.without)

    def _combine_looks(self, work: Work, share: float) -> None:
        """Combine the images of the views that have new ones, within a share of the time that is left."""
        clock = work.clock.part(share)
        demos = list(range(len(work.question.demonstrations)))
        looks = [look for look in work.looks if look.fresh]
        for place, look in enumerate(looks):
            mine = clock.part(1 / (len(looks) - place))
            if not mine.left():
                break
            look.fresh = False
            found: list[Found] = [{} for _ in work.question.inputs]
            for number, combination in enumerate(self._combined(look.values.with_blocks(look.grown), demos, mine)):
                if not number and not look.grown:
                    look.combination = combination
                _collect(found, combination, 1.0)
            look.grown = ()
            look.found = [heavier(old, new) for old, new in zip(look.found, found, strict=True)]

    def _leave_one_out(self, work: Work) -> None:
        """Where nothing was found for a test, try again with one demonstration left out."""
        demos = range(len(work.question.demonstrations))
        if not self.options.leave_one_out or len(demos) < 3 or all(work.found()):
            return
        work.again = [{} for _ in work.question.inputs]
        runs = [(look, left) for left in demos for look in work.looks[:2]]
        for place, (look, left) in enumerate(runs):
            mine = work.clock.part(1 / (len(runs) - place))
            if not mine.left():
                break
            for combination in self._combined(look.values, [demo for demo in demos if demo != left], mine):
                _collect(work.again, combination, 0.1)

    def _combined(self, values: Values, demos: Sequence[int], clock: Clock) -> Iterator[Combination]:
        hypotheses = size_rules(values, demos)[: self.options.size_hypotheses]
        for number, size in enumerate(hypotheses):
            mine = clock.part(1 / (len(hypotheses) - number))
            if number and not mine.left():
                return
            combination = Combination(values, demos, size, self.options.weights, self._stop)
            for combiner in IMAGE_COMBINERS:
                if combiner.__name__ not in self.options.without:
                    combiner(combination, mine, self.options.effort)
            yield combination

    def _promising(self, values: Values, combination: Combination) -> Iterator[int]:
        """Images to look at further: in turn one with much of the output right, and one that is cheap."""
        near = (column for column in combination.nearest_images() if values.is_of_colours(column))
        cheap = values.cheap_images(self.options.dearest_parent)
        seen: set[int] = set()
        for one in chain.from_iterable(zip_longest(near, cheap)):
            if one is not None and one not in seen:
                seen.add(one)
                yield one

    # --- what came of it

    def _solution(self, work: Work) -> Solution:
        attempts = []
        for test, found in enumerate(work.found()):
            left_out = not found and bool(work.again)
            best = self._ranking(work.question, test, work.found_again(test) if left_out else found)
            made = [
                Attempt(
                    one.grid,
                    one.weight,
                    one.votes,
                    one.best.combiner,
                    one.best.score,
                    one.best.program(),
                    left_out,
                    ", ".join(one.departures),
                )
                for one in best[:_KEPT]
            ]
            known = {attempt.grid for attempt in made}
            left = dict.fromkeys(grid for grid in guesses(work.question, test) if grid not in known)
            attempts.append((*made, *map(Attempt, left)))
        return Solution(work.question.id, tuple(attempts), round(self.options.budget - work.clock.left(), 4))


def _portions(works: Sequence[Work]) -> Iterator[list[Work]]:
    """Tasks that are to look at images further, so many that their images fit into memory."""
    some: list[Work] = []
    images = 0
    for work in works:
        mine = sum(len(look.parents) for look in work.looks)
        if some and images + mine > _GROWN_AT_ONCE:
            yield some
            some, images = [], 0
        some.append(work)
        images += mine
    if some:
        yield some


def _collect(found: Sequence[Found], combination: Combination, weight: float) -> None:
    """Add what a combination predicts to the candidates of each test."""
    for test, predictions in enumerate(combination.predictions(_TOP)):
        for one in predictions:
            add_prediction(found[test], test, one, combination.values.view, weight)
