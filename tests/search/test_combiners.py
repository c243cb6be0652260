"""Combiners of grids: generated tasks of their classes are solved, by programs that give the same grids."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from arcbatt.data.tasks import Task
from arcbatt.language.reference import evaluate
from arcbatt.language.sample import Sample
from arcbatt.scoring.attempts import Question
from arcbatt.search.bank import Bank
from arcbatt.search.combine import Clock
from arcbatt.search.combiners.alike import likenesses
from arcbatt.search.combiners.find import InView, find_rules_of_images
from arcbatt.search.combiners.local import local_rules
from arcbatt.search.combiners.moves import moves
from arcbatt.search.combiners.objects import objects
from arcbatt.search.combiners.rule import TURNS, GridCombiner, Rule, turned
from arcbatt.search.combiners.stamps import stamps
from arcbatt.search.combiners.symmetry import symmetries
from arcbatt.search.features import features
from arcbatt.search.values import Block, Values
from arcbatt.search.views import inputs_of, views
from arcbatt.search.views import plain as plain_view
from arcbatt.search.work import Work
from arcbatt.search.write import Writer
from arcbatt.syntax.api import parse

SEEDS = range(4)
Cells = list[list[int]]


def canvas(tall: int, wide: int, colour: int = 0) -> Cells:
    return [[colour] * wide for _ in range(tall)]


def made(draw: random.Random, pair: Callable[[random.Random], tuple[Cells, Cells]], demos: int = 4) -> Task:
    """A task of pairs that a function draws."""

    def frozen():
        given, wanted = pair(draw)
        return tuple(map(tuple, given)), tuple(map(tuple, wanted))

    return Task("made", tuple(frozen() for _ in range(demos)), (frozen(), frozen()))


def found_by(combiner: GridCombiner, task: Task) -> list[Rule]:
    """The rules for a task, the best first; each is a program that gives what the rule says, on every sample."""
    question = Question.of(task)
    view = plain_view(question)
    rules = sorted(combiner(question, Clock(60.0)), key=lambda rule: rule.score)
    for rule in rules[:2]:
        (program,) = parse(InView(rule, view).program())
        for given, wanted in task.train:
            assert evaluate(program, Sample(given, (), None)) == wanted
        for given, expected in zip(question.inputs, rule.outputs, strict=True):
            assert expected is None or evaluate(program, Sample(given, (), None)) == expected
    return rules


def is_solved(combiner: GridCombiner, task: Task) -> bool:
    """Whether one of the two best rules is right."""
    return any(rule.outputs == tuple(wanted for _, wanted in task.test) for rule in found_by(combiner, task)[:2])


# --- local rules


def rays(draw: random.Random) -> tuple[Cells, Cells]:
    """From every cell of one colour a line of another runs to the right, until something is in its way."""
    given = canvas(draw.randint(6, 9), draw.randint(7, 10))
    wide = len(given[0])
    for row in draw.sample(range(len(given)), 3):
        given[row][draw.randrange(2)] = 2
        given[row][draw.randrange(wide - 3, wide)] = 5
    wanted = [list(row) for row in given]
    for row in wanted:
        if 2 in row:
            for place in range(row.index(2) + 1, wide):
                if row[place]:
                    break
                row[place] = 3
    return given, wanted


def floods(draw: random.Random) -> tuple[Cells, Cells]:
    """What a cell of one colour can reach by sides gets it."""
    given = [[draw.choice((0, 0, 0, 5, 5)) for _ in range(9)] for _ in range(8)]
    for row, column in ((1, 1), (6, 6)):
        given[row][column], given[row][column + 1] = 4, 0
    wanted = [list(row) for row in given]
    reached = [(i, j) for i, row in enumerate(wanted) for j, cell in enumerate(row) if cell == 4]
    for i, j in reached:
        for a, b in ((i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)):
            if 0 <= a < 8 and 0 <= b < 9 and wanted[a][b] == 0:
                wanted[a][b] = 4
                reached.append((a, b))
    return given, wanted


def between(draw: random.Random) -> tuple[Cells, Cells]:
    """Ground between a marker and a block, in any of four directions, is filled in the marker's colour."""
    given = canvas(11, 12)
    top, left = draw.randint(4, 5), draw.randint(4, 6)
    for i in range(3):
        given[top + i][left : left + 3] = [8] * 3
    wanted = [list(row) for row in given]
    inner = draw.randrange(3)
    for side in draw.sample(range(4), 2):
        if side == 0:
            line = [(i, left + inner) for i in range(draw.randint(0, 2), top)]
        elif side == 1:
            line = [(i, left + inner) for i in range(draw.randint(9, 10), top + 2, -1)]
        elif side == 2:
            line = [(top + inner, j) for j in range(draw.randint(0, 2), left)]
        else:
            line = [(top + inner, j) for j in range(draw.randint(10, 11), left + 2, -1)]
        given[line[0][0]][line[0][1]] = 1
        for i, j in line:
            wanted[i][j] = 1
    return given, wanted


@pytest.mark.parametrize("pair", [rays, floods, between])
@pytest.mark.parametrize("seed", SEEDS)
def test_local_rules(pair, seed):
    assert is_solved(local_rules, made(random.Random(seed), pair))


# --- stamps


def stamped(draw: random.Random) -> tuple[Cells, Cells]:
    """The template stands in one place, and two of its colours, turned, in another."""
    template = frozenset({(2, (0, 0)), (8, (0, 1)), (8, (1, 1)), (3, (2, 1)), (8, (2, 2))})
    given = canvas(14, 14)
    for colour, (i, j) in template:
        given[i + 1][j + 1] = colour
    wanted = [list(row) for row in given]
    for top, left in ((2, 8), (8, 2), (8, 8)):
        for colour, (i, j) in turned(template, draw.choice(TURNS)):
            wanted[top + i][left + j] = colour
            if colour != 8:
                given[top + i][left + j] = colour
    return given, wanted


def moved(draw: random.Random) -> tuple[Cells, Cells]:
    """The same, but the template itself goes."""
    given, wanted = stamped(draw)
    for i in range(1, 4):
        for j in range(1, 4):
            wanted[i][j] = 0
    return given, wanted


@pytest.mark.parametrize("pair", [stamped, moved])
@pytest.mark.parametrize("seed", SEEDS)
def test_stamps(pair, seed):
    assert is_solved(stamps, made(random.Random(seed), pair))


# --- moves

SHAPES = (((0, 0), (0, 1), (1, 0)), ((0, 0), (1, 0), (1, 1), (2, 1)), ((0, 0), (0, 1), (0, 2), (1, 1)))


def with_objects(
    draw: random.Random, colours: tuple[int, ...]
) -> tuple[Cells, list[tuple[int, list[tuple[int, int]]]]]:
    """Objects that do not touch, one to each part of a grid."""
    given, objects = canvas(15, 15), []
    for number, (top, left) in enumerate(draw.sample([(i, j) for i in (1, 6, 11) for j in (1, 6, 11)], 4)):
        colour = colours[number % len(colours)]
        cells = [(top + i, left + j) for i, j in draw.choice(SHAPES)]
        objects.append((colour, cells))
        for i, j in cells:
            given[i][j] = colour
    return given, objects


def slid(draw: random.Random) -> tuple[Cells, Cells]:
    """One colour falls until something is in its way; the other stays."""
    given, objects = with_objects(draw, (2, 4))
    wanted = canvas(15, 15)
    for colour, cells in objects:
        if colour == 4:
            for i, j in cells:
                wanted[i][j] = 4
    for _, cells in sorted((one for one in objects if one[0] == 2), key=lambda one: -max(i for i, _ in one[1])):
        down = 0
        while all(i + down + 1 < 15 and not wanted[i + down + 1][j] for i, j in cells):
            down += 1
        for i, j in cells:
            wanted[i + down][j] = 2
    return given, wanted


def shifted(draw: random.Random) -> tuple[Cells, Cells]:
    """Every object moves by a step of its colour."""
    given, objects = with_objects(draw, (3, 6))
    wanted = canvas(15, 15)
    for colour, cells in objects:
        for i, j in cells:
            a, b = (i + 1, j) if colour == 3 else (i, j - 1)
            wanted[a][b] = colour
    return given, wanted


def levelled(draw: random.Random) -> tuple[Cells, Cells]:
    """Objects go up or down until they are level with the one of colour 8."""
    given, wanted = canvas(12, 13), canvas(12, 13)
    top = draw.randint(2, 8)
    for number, column in enumerate((1, 5, 9)):
        colour = (8, 3, 3)[number]
        start = top if number == 0 else draw.randint(0, 9)
        for i, j in ((0, 0), (0, 1), (1, 0)):
            given[start + i][column + j] = colour
            wanted[top + i][column + j] = colour
    return given, wanted


@pytest.mark.parametrize("pair", [slid, shifted, levelled])
@pytest.mark.parametrize("seed", SEEDS)
def test_moves(pair, seed):
    assert is_solved(moves, made(random.Random(seed), pair))


# --- symmetry


def completed(turns: int, slanted: bool) -> Callable[[random.Random], tuple[Cells, Cells]]:
    """A quarter of a figure about a middle of colour 7; the output has all of it, by mirrors or by all of eight."""

    def pair(draw: random.Random) -> tuple[Cells, Cells]:
        given = canvas(13, 13)
        middle = draw.randint(4, 8), draw.randint(4, 8)
        given[middle[0]][middle[1]] = 7
        wanted = [list(row) for row in given]
        for a, b, colour in ((1, 0, 2), (1, 1, 3), (2, 1, draw.choice((2, 3))), (3, 2, 3)):
            given[middle[0] + a][middle[1] + b] = colour
            there = {(x * a, y * b) for x in (1, -1) for y in (1, -1)}
            there |= {(j, i) for i, j in there} if slanted else set()
            for i, j in there if turns > 1 else {(a, b), (-a, b)}:
                wanted[middle[0] + i][middle[1] + j] = colour
        return given, wanted

    return pair


@pytest.mark.parametrize("pair", [completed(1, False), completed(4, False), completed(8, True)])
@pytest.mark.parametrize("seed", SEEDS)
def test_symmetries(pair, seed):
    assert is_solved(symmetries, made(random.Random(seed), pair))


# --- likenesses


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("erased", [False, True])
def test_likenesses(seed, erased):
    """Two figures in colours, and grey ones of their shapes, turned; the coloured ones stay or go."""
    figures = (
        frozenset({(1, (0, 0)), (2, (0, 1)), (3, (1, 0)), (1, (2, 0))}),
        frozenset({(4, (0, 0)), (4, (1, 0)), (6, (1, 1)), (7, (1, 2)), (4, (2, 0))}),
    )

    def pair(draw: random.Random) -> tuple[Cells, Cells]:
        given, wanted = canvas(17, 17), canvas(17, 17)
        places = draw.sample([(i, j) for i in (1, 6, 11) for j in (1, 6, 11)], 6)
        for number, (top, left) in enumerate(places):
            figure = figures[number % 2]
            for colour, (i, j) in turned(figure, draw.choice(TURNS)) if number > 1 else figure:
                given[top + i][left + j] = 5 if number > 1 else colour
                wanted[top + i][left + j] = 0 if erased and number < 2 else colour
        return given, wanted

    assert is_solved(likenesses, made(random.Random(seed), pair))


# --- all of them


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("combiner", [local_rules, stamps, moves, objects, symmetries, likenesses])
def test_what_holds_for_noise_is_a_program_too(combiner, seed):
    """Random small tasks: mostly nothing is found, and nothing fails."""
    draw = random.Random(seed)

    def noise(draw: random.Random) -> tuple[Cells, Cells]:
        tall, wide = draw.randint(1, 4), draw.randint(1, 4)
        given = [[draw.choice((0, 0, 1, 2)) for _ in range(wide)] for _ in range(tall)]
        wanted = [list(row) for row in given]
        for _ in range(draw.randrange(3)):
            wanted[draw.randrange(tall)][draw.randrange(wide)] = draw.randrange(3)
        return given, wanted

    found_by(combiner, made(draw, noise, draw.randint(1, 3)))


def test_rules_hold_for_images_too():
    """Rays, in a mirrored input: the rule is found for that image, and its program makes it first."""
    bank = Bank(features(("whole",)), threads=1)
    plain = made(random.Random(5), rays)
    task = Task(
        "mirrored", *(tuple((given[::-1], wanted) for given, wanted in some) for some in (plain.train, plain.test))
    )
    question = Question.of(task)
    work = Work.on(question, Clock(60.0, None))
    work.clock.go_on()
    images = bank.images(inputs_of(question))
    work.look(Values(plain_view(question), bank.features, (Block(images),)))
    find_rules_of_images(work, [(work.looks[0], [[one.text for one in bank.features].index("hmirror(I)")])], ())
    for (given, wanted), (best, *_) in zip(task.test, work.found(), strict=True):
        (program,) = parse(best.best.program())
        assert best.grid == wanted == evaluate(program, Sample(given, (), None))


# --- a cell for each pane


def in_panes(cells: Cells, tall: int, wide: int) -> Cells:
    """Cells as panes of a lattice of colour 5."""
    rows = []
    for number, row in enumerate(cells):
        line = [colour for cell in row for colour in (*[cell] * wide, 5)][:-1]
        rows += ([[5] * len(line)] if number else []) + [line] * tall
    return rows


@pytest.mark.parametrize("seed", SEEDS)
def test_a_view_with_a_cell_for_each_pane(seed):
    """What is made of the cells comes back as panes, by the view and by its program."""
    draw = random.Random(seed)

    def pair(draw: random.Random) -> tuple[Cells, Cells]:
        size = draw.randint(2, 3), draw.randint(1, 3)
        cells = [[draw.choice((0, 1, 2)) for _ in range(draw.randint(3, 4))]]
        cells += [[draw.choice((0, 1, 2)) for _ in cells[0]] for _ in range(draw.randint(2, 3))]
        return in_panes(cells, *size), in_panes(cells[::-1], *size)

    task = made(draw, pair)
    (view,) = [one for one in views(Question.of(task)) if one.input == "a2" and "panes" in one.before[1]]
    assert all(wanted == given[::-1] for given, wanted in view.question.demonstrations)
    writer = Writer(list(view.before))
    (program,) = parse(writer.program("solve_it", view.after(writer, writer.let(f"hmirror({view.input})"))))
    for test, (given, wanted) in enumerate(task.test):
        assert view.undo(test, view.question.inputs[test][::-1]) == wanted
        assert evaluate(program, Sample(given, (), None)) == wanted
