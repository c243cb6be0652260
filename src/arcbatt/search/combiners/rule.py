"""What combiners of grids find: a description of a task that holds for every demonstration."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from arcbatt.language.values import Grid, Object
from arcbatt.scoring.attempts import Question
from arcbatt.search.combine import Clock
from arcbatt.search.write import Writer


@dataclass(frozen=True)
class Rule:
    """A description that holds for every demonstration."""

    combiner: str
    score: float
    """How long it is, in bits; less is likelier."""
    outputs: tuple[Grid | None, ...]
    """What it gives for each test; None where it gives nothing."""
    write: Callable[[Writer, str], str]
    """Writes the lines of a program over the variable that holds the input; the variable that holds the result."""


GridCombiner = Callable[[Question, Clock], Iterable[Rule]]
"""Finds rules for a task, the likeliest first, within the time that is left."""


def same_size(question: Question) -> bool:
    """Whether every output is as large as its input."""
    return all(
        (len(given), len(given[0])) == (len(wanted), len(wanted[0])) for given, wanted in question.demonstrations
    )


TURNS: Final = ("identity", "rot90", "rot180", "rot270", "hmirror", "vmirror", "dmirror", "cmirror")
"""The orientations of an object in its box, by their names in the language."""


def turned(patch: Object, turn: str) -> Object:
    """An object whose box starts at the origin in another orientation, its box there again."""
    bottom, right = max(i for _, (i, _) in patch), max(j for _, (_, j) in patch)
    moves: dict[str, Callable[[int, int], tuple[int, int]]] = {
        "identity": lambda i, j: (i, j),
        "rot90": lambda i, j: (j, bottom - i),
        "rot180": lambda i, j: (bottom - i, right - j),
        "rot270": lambda i, j: (right - j, i),
        "hmirror": lambda i, j: (bottom - i, j),
        "vmirror": lambda i, j: (i, right - j),
        "dmirror": lambda i, j: (j, i),
        "cmirror": lambda i, j: (right - j, bottom - i),
    }
    move = moves[turn]
    return frozenset((colour, move(i, j)) for colour, (i, j) in patch)


def in_order(objects: Iterable[Object]) -> list[Object]:
    """Objects as the language orders them."""
    return sorted(objects, key=sorted)


def enlarged(patch: Object, scale: int) -> Object:
    """An object with every cell so many times as large, its box at the origin."""
    top, left = min(i for _, (i, _) in patch), min(j for _, (_, j) in patch)
    return frozenset(
        (colour, ((i - top) * scale + a, (j - left) * scale + b))
        for colour, (i, j) in patch
        for a in range(scale)
        for b in range(scale)
    )


_CALLS: Final = {
    "identity": "{}", "rot90": "vmirror(dmirror({}))", "rot180": "hmirror(vmirror({}))",
    "rot270": "hmirror(dmirror({}))", "hmirror": "hmirror({})", "vmirror": "vmirror({})", "dmirror": "dmirror({})",
    "cmirror": "cmirror({})",
}  # fmt: skip
"""The turns of an object in the language, where only mirrors are of objects."""


def turn_of(patch: str, turn: str) -> str:
    """An object in another orientation, in the language."""
    return _CALLS[turn].format(patch)
