"""Turned views: every direction compiles, turns are undone, and tasks that differ by direction are solved."""

from __future__ import annotations

import random
from itertools import product

import pytest
from test_solving import FAMILIES, check_programs

from arcbatt.compiler.program_set import compile
from arcbatt.data.tasks import Task
from arcbatt.scoring.attempts import Question
from arcbatt.search.bank import Bank
from arcbatt.search.features import as_programs, features
from arcbatt.search.options import SolveOptions
from arcbatt.search.solver import Solver
from arcbatt.search.turns import Turns, apply_turn, directions, undo_turn
from arcbatt.search.views import plain, views

ALL_TURNS = list(product((False, True), repeat=3))


def test_every_direction_compiles():
    assert compile(as_programs(directions())).code().rejected == {}


@pytest.mark.parametrize("turn", ALL_TURNS)
def test_a_turn_is_undone(turn):
    draw = random.Random(1)
    grid = tuple(tuple(draw.randrange(10) for _ in range(3)) for _ in range(5))
    assert undo_turn(apply_turn(grid, turn), turn) == grid
    assert (apply_turn(grid, turn) == grid) == (not any(turn))


def turned_task(seed: int) -> Task:
    """A cell of colour 2 at the edge, from which a ray of colour 3 runs across the grid, whichever edge it is."""
    draw = random.Random(seed)

    def pair():
        tall, wide = draw.randint(5, 8), draw.randint(5, 8)
        grid = [[0] * wide for _ in range(tall)]
        place = draw.randrange(1, wide - 1)
        grid[0][place] = 2
        out = [row[:] for row in grid]
        for row in out[1:]:
            row[place] = 3
        turn = draw.choice(ALL_TURNS)
        return tuple(apply_turn(tuple(map(tuple, one)), turn) for one in (grid, out))

    return Task(f"turned-{seed}", tuple(pair() for _ in range(4)), (pair(),))


@pytest.mark.parametrize("seed", range(5))
def test_what_differs_by_direction_alone_is_solved_and_written(seed):
    task = turned_task(seed)
    bank = Bank(features(FAMILIES), threads=1)
    (solution,) = Solver(SolveOptions(budget=2.0, families=FAMILIES, threads=1), bank).solve([Question.of(task)])
    assert task.test[0][1] in solution.pairs[0]
    check_programs(task, solution)


def test_turned_views_can_be_undone():
    task = turned_task(7)
    question = Question.of(task)
    (found,) = Turns(threads=1).views([[plain(question), *views(question)]], most=[20])
    assert found
    for view in found:
        for number, grid in enumerate(view.question.inputs):
            assert view.undo(number, grid) == question.inputs[number]


ROTATIONS = [turn for turn in ALL_TURNS if turn[0] == (turn[1] != turn[2])]


@pytest.mark.parametrize("seed", range(3))
def test_what_has_a_left_and_a_right_is_turned_and_not_mirrored(seed):
    """From a cell at the edge a ray runs across the grid, and all that lies to the left of it is filled."""
    draw = random.Random(seed)

    def pair(turn):
        tall, wide = draw.randint(5, 8), draw.randint(5, 8)
        grid = [[0] * wide for _ in range(tall)]
        place = draw.randrange(1, wide - 1)
        grid[0][place] = 2
        out = [[*[4] * place, 3, *[0] * (wide - place - 1)] for _ in range(tall)]
        out[0] = [*[4] * place, 2, *[0] * (wide - place - 1)]
        return tuple(apply_turn(tuple(map(tuple, one)), turn) for one in (grid, out))

    task = Task("handed", tuple(pair(turn) for turn in ROTATIONS), (pair(draw.choice(ROTATIONS)),))
    bank = Bank(features(FAMILIES), threads=1)
    (solution,) = Solver(SolveOptions(budget=2.0, families=FAMILIES, threads=1), bank).solve([Question.of(task)])
    assert task.test[0][1] in solution.pairs[0]
    check_programs(task, solution)
