"""Cells that change by what is next to them: once, or again and again until nothing changes.

A *template* says: a cell of this colour, whose neighbours or what is seen from it have these colours, gets that
colour, or the colour of a neighbour. Templates hold in several orientations at once, so that what one demonstration
shows to the right is known for the left. They are found one after another: of those that are never wrong, neither on
the inputs nor on the outputs nor on anything in between, the one that leads furthest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arcbatt.scoring.attempts import Question
from arcbatt.search.combine import Clock
from arcbatt.search.combiners.rule import Rule, same_size
from arcbatt.search.combiners.templates import (
    INK,
    MOST_STEPS,
    PLACES,
    Cells,
    Machine,
    Stack,
    Template,
    Turn,
    Written,
    inner,
    moved_places,
)

_GROUPS: Final[tuple[tuple[float, tuple[Turn, ...]], ...]] = (
    (
        0.0,
        tuple((a, 0, 0, d) for a in (1, -1) for d in (1, -1)) + tuple((0, b, c, 0) for b in (1, -1) for c in (1, -1)),
    ),
    (0.5, ((1, 0, 0, 1), (0, 1, -1, 0), (-1, 0, 0, -1), (0, -1, 1, 0))),
    (0.5, ((1, 0, 0, 1), (1, 0, 0, -1), (-1, 0, 0, 1), (-1, 0, 0, -1))),
    (1.0, ((1, 0, 0, 1), (1, 0, 0, -1))),
    (1.0, ((1, 0, 0, 1), (-1, 0, 0, 1))),
    (1.0, ((1, 0, 0, 1), (-1, 0, 0, -1))),
    (1.0, ((1, 0, 0, 1),)),
)
"""Orientations in which templates hold, and what it costs to say so."""


_MOST_TEMPLATES: Final = 4
_LEFT: Final = (1.0, 0.85, 0.6, 0.3, 0.0)
"""Of the cells that change, how many may be left after so many templates."""
_TRIED: Final = 6
_MOST_CELLS: Final = 4000


@dataclass(frozen=True)
class _Rows:
    """Cells that may change, in every orientation: what stands at each place, the colour there and that wanted."""

    values: Cells
    centre: Cells
    wanted: Cells
    demo: Cells

    @classmethod
    def joined(cls, parts: Sequence[_Rows]) -> _Rows:
        """All of them, each once."""
        table = np.concatenate(
            [np.column_stack([one.values, one.centre, one.wanted, one.demo]).astype(np.int8) for one in parts]
        )
        seen = np.ascontiguousarray(table).view(np.dtype((np.void, table.shape[1]))).ravel()
        table = table[np.unique(seen, return_index=True)[1]]
        return cls(table[:, :-3], table[:, -3], table[:, -2], table[:, -1])


class _Learner:
    """Templates for the demonstrations of a task, in some orientations."""

    def __init__(self, question: Question, turns: Sequence[Turn], once: bool, clock: Clock) -> None:
        self.clock, self.once, self.turns = clock, once, turns
        given = Stack.of([one for one, _ in question.demonstrations])
        self.wanted = Stack.of([one for _, one in question.demonstrations]).cells
        changed = given.cells[given.cells != self.wanted]
        self.ground = int(np.bincount(changed).argmax())
        self.changeable = np.unique(changed)
        self.machine = Machine(given.cells, self.ground)
        self.demo: Cells = np.zeros(given.cells.shape, np.int8)
        for number, (top, tall, _) in enumerate(given.tops):
            self.demo[top : top + tall] = number
        self.demos = len(given.tops)
        self.moved = [moved_places(turn) for turn in turns]
        self.own = [place for place in range(PLACES) if place == min(moved[place] for moved in self.moved)]
        """One place of those that turns make of one another."""
        self.negatives = [self.rows(given.cells)] if once else [self.rows(given.cells), self.rows(self.wanted)]

    def rows(self, cells: Cells) -> _Rows:
        """The cells of a state that templates may be of."""
        colours = inner(cells)
        where = np.isin(colours, self.changeable)
        values = np.stack([self.machine.values(cells, place)[where] for place in range(PLACES)], axis=1)
        every = []
        for moved in self.moved:
            turned = np.empty_like(values)
            turned[:, :] = values[:, moved]
            every.append(turned)
        times = len(self.turns)
        return _Rows.joined(
            [
                _Rows(
                    np.concatenate(every),
                    np.tile(colours[where], times),
                    np.tile(inner(self.wanted)[where], times),
                    np.tile(inner(self.demo)[where], times),
                )
            ]
        )

    def learn(self, skip: int) -> list[Template] | None:
        """Templates that lead from every input to its output; `skip` of the best first ones are passed over."""
        chosen: list[Template] = []
        cells = self.machine.start
        while not (cells == self.wanted).all():
            if len(chosen) == _MOST_TEMPLATES or not self.clock.left():
                return None
            best: tuple[int, int, Template, Cells] | None = None
            for place, one in enumerate(self.candidates(cells)):
                came = self.reached([*chosen, one])
                if came is None:
                    continue
                right = int((came == self.wanted).sum())
                rank = (-right, place, one, came)
                if best is None or rank[:2] < best[:2]:
                    if skip and not chosen:
                        skip -= 1
                        continue
                    best = rank
            if best is None or (best[3] == cells).all():
                return None
            chosen.append(best[2])
            cells = best[3]
            if (cells != self.wanted).sum() > _LEFT[len(chosen)] * (self.machine.start != self.wanted).sum():
                return None
        return self.needed(chosen)

    def needed(self, chosen: list[Template]) -> list[Template]:
        """Those without which it does not work."""
        for one in list(chosen):
            left = [other for other in chosen if other is not one]
            if left:
                came = self.reached(left)
                if came is not None and (came == self.wanted).all():
                    chosen = left
        return chosen

    def reached(self, templates: Sequence[Template]) -> Cells | None:
        """Where templates lead; None where a cell gets a colour that is not wanted, which is remembered."""
        turned = self.turned(templates)
        cells = self.machine.start
        for _ in range(1 if self.once else MOST_STEPS):
            after, _ = self.machine.step(cells, turned)
            moved = after != cells
            if not moved.any():
                return cells
            if (after[moved] != self.wanted[moved]).any():
                if len(self.negatives) < 12 and cells is not self.machine.start:
                    self.negatives.append(self.rows(cells))
                return None
            cells = after
        return cells if self.once else None

    def turned(self, templates: Sequence[Template]) -> list[list[Template]]:
        return [list(dict.fromkeys(one.turned(turn) for turn in self.turns)) for one in templates]

    def candidates(self, cells: Cells) -> list[Template]:
        """Templates that are never wrong and change something now, the likeliest first."""
        here = self.rows(cells)
        known = _Rows.joined([*self.negatives, here])
        found: list[tuple[tuple[int, int, int], Template]] = []
        for centre in self.changeable.tolist():
            mine, all_mine = _only(here, here.centre == centre), _only(known, known.centre == centre)
            left = mine.wanted != centre
            if not left.any():
                continue
            mine = _only(mine, left)
            colours = np.unique(mine.wanted).tolist()
            copies = [-1 - place for place in self.own] if len(colours) > 1 else []
            kinds = [*np.unique(all_mine.values).tolist(), INK]
            both = self.features(mine.values, kinds), self.features(all_mine.values, kinds)
            columns = _different(*both)
            if not self.clock.left():
                break
            for outcome in [*colours, *copies]:
                found += self.safe(centre, outcome, mine, all_mine, kinds, columns, *both)
        kept: dict[Template, None] = {}
        for _, one in sorted(found, key=lambda pair: pair[0]):
            kept[min((one.turned(turn) for turn in self.turns), key=lambda t: (t.places, t.colour))] = None
            if len(kept) >= _TRIED:
                break
        return list(kept)

    def safe(
        self,
        centre: int,
        outcome: int,
        here: _Rows,
        known: _Rows,
        kinds: Sequence[int],
        columns: NDArray[np.int64],
        here_features: NDArray[np.bool_],
        known_features: NDArray[np.bool_],
    ) -> Iterator[tuple[tuple[int, int, int], Template]]:
        """Templates with an outcome, of up to three places, and how likely they are."""
        good = _outcome(here, outcome) == here.wanted
        bad = _outcome(known, outcome) != known.wanted
        ink = (-1 - outcome) * len(kinds) + len(kinds) - 1 if outcome < 0 else -1
        if outcome < 0:  # what is copied is ink
            good &= here_features[:, ink]
            bad &= known_features[:, ink]
        if not good.any():
            return
        used = columns[here_features[good][:, columns].any(axis=0)]
        wrong, demo = _packed(known_features[bad][:, used]), here.demo[good]
        fine = here_features[good][:, used]
        apart = [_packed(fine[demo == number]) for number in np.unique(demo)]
        own = np.flatnonzero(np.isin(used // len(kinds), self.own))  # one of two places can be turned to these
        against = _both(wrong, own).any(axis=2)
        shared = [_counted(_both(some, own)) for some in apart]
        together, by_demo = np.sum(shared, axis=0), np.sum([count > 0 for count in shared], axis=0)

        def made(columns: Sequence[int], demos: int, count: int) -> tuple[tuple[int, int, int], Template]:
            places = {divmod(int(used[column]), len(kinds)) for column in columns}
            places |= {divmod(ink, len(kinds))} if outcome < 0 else set()
            one = Template(centre, tuple((place, kinds[kind]) for place, kind in sorted(places)), outcome)
            return (len(places) - demos, len(places), -count), one

        first, second = np.nonzero(~against & (together > 0))
        order = np.lexsort((-together[first, second], (own[first] != second) * 1 - by_demo[first, second]))[:_TRIED]
        for a, b in zip(first[order].tolist(), second[order].tolist(), strict=True):
            yield made((own[a], b), int(by_demo[a, b]), int(together[a, b]))
        if len(order) == _TRIED and by_demo[first[order[0]], second[order[0]]] == self.demos:
            return
        first, second = np.nonzero(against & (together > 0))
        order = np.argsort(-by_demo[first, second], kind="stable")[: 4 * _PAIRS_EXTENDED]
        first, second = first[order], second[order]
        left = _counted(wrong[own[first]] & wrong[second])
        order = np.lexsort((left, -by_demo[first, second]))[:_PAIRS_EXTENDED]
        for a, b in zip(own[first[order]].tolist(), second[order].tolist(), strict=True):
            clean = ~(wrong[a] & wrong[b] & wrong).any(axis=1)
            if not clean.any():
                continue
            counts = [_counted(some[a] & some[b] & some) * clean for some in apart]
            demos, total = np.sum([count > 0 for count in counts], axis=0), np.sum(counts, axis=0)
            best = int(np.lexsort((-total, -demos))[0])
            if total[best]:
                yield made((a, b, best), int(demos[best]), int(total[best]))

    def features(self, values: Cells, kinds: Sequence[int]) -> NDArray[np.bool_]:
        """Rows by place and class: where it holds."""
        out = np.empty((len(values), PLACES, len(kinds)), np.bool_)
        for number, kind in enumerate(kinds):
            out[:, :, number] = self.machine.of_kind(values, kind)
        return out.reshape(len(values), PLACES * len(kinds))


_PAIRS_EXTENDED: Final = 16


def _different(here: NDArray[np.bool_], known: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The columns of both, one of those that are equal."""
    both = _packed(np.concatenate([here, known]))
    seen = both.view(np.dtype((np.void, both.shape[1]))).ravel()
    return np.sort(np.unique(seen, return_index=True)[1])


Bits = NDArray[np.uint8]
_ONES: Final = np.array([number.bit_count() for number in range(256)], np.uint8)


def _packed(rows: NDArray[np.bool_]) -> Bits:
    """Columns as bits, a row each."""
    return np.ascontiguousarray(np.packbits(rows, axis=0).T)


def _both(bits: Bits, own: NDArray[np.int64]) -> Bits:
    """Of pairs of columns, the first among some, the rows that have both."""
    return np.asarray(bits[own][:, None, :] & bits[None, :, :])


def _counted(bits: Bits) -> NDArray[np.int32]:
    """How many bits there are along the last axis."""
    return np.asarray(_ONES[bits].sum(axis=-1, dtype=np.int32))


def _only(rows: _Rows, where: NDArray[np.bool_]) -> _Rows:
    return _Rows(rows.values[where], rows.centre[where], rows.wanted[where], rows.demo[where])


def _outcome(rows: _Rows, outcome: int) -> Cells:
    """What each row would become."""
    return np.full(len(rows.centre), outcome, np.int8) if outcome >= 0 else rows.values[:, -1 - outcome]


def local_rules(question: Question, clock: Clock) -> Iterator[Rule]:
    """Cells that change by what is next to them."""
    if not same_size(question):
        return
    changed = [
        sum(a != b for x, y in zip(g, w, strict=True) for a, b in zip(x, y, strict=True))
        for g, w in question.demonstrations
    ]
    area = sum(len(given) * len(given[0]) for given, _ in question.demonstrations)
    if sum(map(bool, changed)) < min(2, len(changed)) or area > _MOST_CELLS or sum(changed) > 0.8 * area:
        return
    found: set[frozenset[frozenset[Template]]] = set()
    for cost, turns in _GROUPS:
        for once in (False, True):
            for skip in range(2):
                if not clock.left() or len(found) == _ENOUGH:
                    return
                learner = _Learner(question, turns, once, clock)
                chosen = learner.learn(skip)
                if chosen is None:
                    break
                turned = learner.turned(chosen)
                rule = _rule(question, learner, turned, cost)
                if rule is not None and (same := frozenset(map(frozenset, turned))) not in found:
                    found.add(same)
                    yield rule


_ENOUGH: Final = 4


def _rule(question: Question, learner: _Learner, turned: Sequence[Sequence[Template]], cost: float) -> Rule | None:
    tests = Stack.of(question.inputs)
    came = Machine(tests.cells, learner.ground).run(turned, learner.once)
    if came is None:
        return None
    score = _BASE + cost + sum(_cost(learner, one) for one in turned)
    outputs = tuple(
        None if grid == given else grid for grid, given in zip(tests.grids(came), question.inputs, strict=True)
    )
    return Rule("local", score, outputs, Written(tuple(map(tuple, turned)), learner.ground, learner.once))


_BASE: Final = 3.0


def _cost(learner: _Learner, turned: Sequence[Template]) -> float:
    """What a template adds to a description: what it looks at, and more where one demonstration alone shows it."""
    _, (fired,) = learner.machine.step(learner.machine.start, [turned])
    demos = len(np.unique(inner(learner.demo)[fired]))
    return 1.0 + 0.7 * len(turned[0].places) + (1.5 if demos < 2 else 0.0)
