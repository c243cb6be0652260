"""What demonstrations have in common, and answers that depart from it."""

from __future__ import annotations

import random

import pytest

from arcbatt.language.reference import evaluate
from arcbatt.language.sample import Sample
from arcbatt.scoring.attempts import Question
from arcbatt.search.combine import Clock
from arcbatt.search.traits import Traits
from arcbatt.search.work import Candidate, Work
from arcbatt.syntax.api import parse

RULES = {
    "recoloured": "replace(I, 1, 4)",
    "turned": "rot180(I)",
    "made symmetric": "hconcat(I, vmirror(I))",
    "cut": "crop(I, ORIGIN, (2, 2))",
    "filled": "fill(I, 5, ofcolor(I, 0))",
    "moved": "hconcat(crop(I, (0, 1), (height(I), decrement(width(I)))), crop(I, ORIGIN, (height(I), 1)))",
}


def grid_of(draw: random.Random, colours: int = 3):
    """A random grid that has every colour."""
    tall, wide = draw.randint(3, 7), draw.randint(3, 7)
    cells = [*range(colours), *(draw.randrange(colours) for _ in range(tall * wide - colours))]
    draw.shuffle(cells)
    return tuple(tuple(cells[row * wide : (row + 1) * wide]) for row in range(tall))


def question_of(rule: str, seed: int, demos: int = 4) -> tuple[Question, tuple]:
    """A task made by a rule, and its answer."""
    (program,) = parse(f"def solve_it(I):\n    return {RULES[rule]}\n")
    draw = random.Random(f"{rule} {seed}")
    grids = [grid_of(draw) for _ in range(demos + 1)]
    made = [evaluate(program, Sample(grid, (), None)) for grid in grids]
    pairs = list(zip(grids, made, strict=True))
    return Question("made", tuple(pairs[:-1]), (grids[-1],)), made[-1]


@pytest.mark.parametrize("rule", RULES)
def test_answers_depart_less_than_others(rule):
    """Over many tasks of a kind; a single one may differ by chance in what its demonstrations had alike by chance."""
    right = wrong = 0
    for seed in range(30):
        question, answer = question_of(rule, seed)
        traits = Traits(question)
        draw = random.Random(seed)
        cells = [cell for row in answer for cell in row]
        for place in range(len(cells)):
            cells[place] = draw.randrange(10) if draw.random() < 0.5 else cells[place]
        wide = len(answer[0])
        other = tuple(tuple(cells[start : start + wide]) for start in range(0, len(cells), wide))
        right += len(traits.departures(0, answer))
        wrong += len(traits.departures(0, other))
    assert right * 3 < wrong


@pytest.mark.parametrize("rule", RULES)
def test_what_one_demonstration_lacks_is_no_common_trait(rule):
    """An output that a demonstration has departs from nothing, where all are of that demonstration's input."""
    question, _ = question_of(rule, 1)
    for given, wanted in question.demonstrations:
        asked = Question("made", question.demonstrations, (given,))
        assert Traits(asked).departures(0, wanted) == ()


def test_departures_have_names():
    pairs = tuple((((0, 0), (n, n)), ((0, 0), (n, 4))) for n in (1, 2, 3))
    traits = Traits(Question("made", pairs, (((0, 0), (5, 5)),)))
    assert traits.departures(0, ((0, 0), (5, 4))) == ()
    assert "colours that come" in traits.departures(0, ((0, 0), (5, 6)))
    assert "colours that change" not in traits.departures(0, ((4, 0), (5, 5)))  # no two demonstrations have them alike
    assert "any change" in traits.departures(0, ((0, 0), (5, 5)))


class _Origin:
    combiner, score = "one image", 3.0

    def program(self) -> str:
        """Nothing that is looked at."""
        return ""


def test_a_candidate_that_departs_weighs_less_and_is_no_short_description():
    question, answer = question_of("recoloured", 2)
    other = tuple(tuple(9 for _ in row) for row in answer)

    def found(compares: bool) -> Work:
        work = Work.on(question, Clock(1.0, None), compares=compares)
        for grid, weight in ((other, 0.3), (answer, 0.2)):
            work.proposed[0][grid] = Candidate(grid, weight, 1, _Origin(), frozenset({"one image"}))
        return work

    assert [one.grid for one in found(True).found()[0]] == [answer, other]
    assert [one.grid for one in found(False).found()[0]] == [other, answer]
    work = Work.on(question, Clock(1.0, None))
    work.proposed[0][other] = Candidate(other, 0.3, 1, _Origin(), frozenset({"one image"}))
    assert work.shortest() > 3.0
    assert work.clock.left() < 1.0  # comparing takes time, too


def test_answers_that_are_as_short_disagree():
    question, answer = question_of("recoloured", 2)
    work = Work.on(question, Clock(1.0, None), compares=False)
    for colour, more in ((9, False), (8, True)):
        grid = tuple(tuple(colour for _ in row) for row in answer)
        work.proposed[0][grid] = Candidate(grid, 0.3, 1, _Origin(), frozenset({"one image"}))
        assert work.disagree(4.0) == more
        assert not work.disagree(2.0)
