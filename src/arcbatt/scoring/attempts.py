"""Choosing two attempts for each test input from what programs gave.

The choice sees demonstrations and test inputs only: a `Question` is a task without the answers. Outputs are ranked by
the best program that gives them: demonstrations solved, then programs that do not read S before those that do, then
(between near misses) the share of cells right on the demonstrations, then the shorter program, then how many programs
as good give the same output. Remaining ties are broken by the program's name, so that the order never depends on
anything else.

S holds the very demonstration a program is judged on, so one that looks its input up there is right on demonstrations
without having understood anything; being right says less of such a program.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from arcbatt.data.grids import is_arc_grid
from arcbatt.data.tasks import Task
from arcbatt.language.values import Grid


@dataclass(frozen=True)
class Question:
    """A task without its answers."""

    id: str
    demonstrations: tuple[tuple[Grid, Grid], ...]
    inputs: tuple[Grid, ...]

    @classmethod
    def of(cls, task: Task) -> Question:
        """A task with what is to be guessed taken out."""
        train = tuple([(tuple(given), tuple(wanted)) for given, wanted in task.train])
        return cls(task.id, train, tuple([tuple(given) for given, _ in task.test]))


@dataclass(frozen=True)
class Candidate:
    """What a program did on a question: how well on the demonstrations, and its output on each test input."""

    program: str
    lines: int
    demos_right: int
    agreement: float
    """mean over demonstrations of the share of cells right"""
    outputs: tuple[Grid | None, ...]
    """None, or a value that is no grid of ARC, is no attempt"""
    reads_samples: bool = False
    """whether its result depends on S"""


@dataclass(frozen=True)
class Pick:
    """One attempt, and the program it came from; None where it is a guess."""

    grid: Grid
    program: str | None = None
    solves: bool = False
    """whether the program is right on every demonstration"""


def choose_attempts(question: Question, candidates: Sequence[Candidate]) -> tuple[tuple[Pick, Pick], ...]:
    """Two different attempts for each test input: programs' outputs, best first, then guesses."""
    return tuple(_two(question, number, candidates) for number in range(len(question.inputs)))


def rank_outputs(candidates: Iterable[Candidate], number: int) -> list[tuple[Grid, Candidate]]:
    """The different outputs for a test input with the best program of each, best first."""
    given = [(output, one) for one in candidates if is_arc_grid(output := one.outputs[number])]
    votes = Counter((output, _standing(one)) for output, one in given)

    def order(pair: tuple[Grid, Candidate]) -> tuple[int, bool, float, int, int, str]:
        output, one = pair
        return *_standing(one), one.lines, -votes[output, _standing(one)], one.program

    ranked = sorted(given, key=order)
    best: dict[Grid, Candidate] = {}
    for output, one in ranked:
        best.setdefault(output, one)
    return list(best.items())


def guesses(question: Question, number: int) -> Iterator[Grid]:
    """Guesses that need no program: the input itself, outputs of demonstrations, a single cell."""
    yield question.inputs[number]
    yield from (wanted for _, wanted in question.demonstrations)
    yield from (((0,),), ((1,),))


def _standing(candidate: Candidate) -> tuple[int, bool, float]:
    """How good a program is on the demonstrations; less is better."""
    return -candidate.demos_right, candidate.reads_samples, -candidate.agreement


def _two(question: Question, number: int, candidates: Sequence[Candidate]) -> tuple[Pick, Pick]:
    demos = len(question.demonstrations)
    ranked = rank_outputs(candidates, number)[:2]
    picks = [Pick(grid, one.program, one.demos_right == demos) for grid, one in ranked]
    for grid in guesses(question, number):
        if all(grid != pick.grid for pick in picks):
            picks.append(Pick(grid))
    return picks[0], picks[1]
