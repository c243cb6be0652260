"""What solving gives: ranked attempts at each test input, each with the program that made it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from arcbatt.data.grids import to_grid
from arcbatt.display.html import code, figure, group, page
from arcbatt.display.pictures import grid_image
from arcbatt.language.values import Grid
from arcbatt.scoring.submission import Submission
from arcbatt.support.shapes import is_of, row_of
from arcbatt.support.text import counted


@dataclass(frozen=True)
class Attempt:
    """An output for a test input: how much speaks for it, how it came about, and the program that gives it."""

    grid: Grid
    weight: float = 0.0
    """Of everything that gave this output, 2 to the power of -score each, halved for each departure; outputs are
    ranked by it."""
    votes: int = 0
    """How many different rules and stacks gave it."""
    combiner: str = "guess"
    """What the best of them is."""
    score: float = 0.0
    """How long the description of the best is; less is likelier."""
    program: str = ""
    """The best as a program; nothing where it is a guess."""
    left_out: bool = False
    """Whether it was found with one demonstration left out, and need not hold for that."""
    departures: str = ""
    """In what it is unlike the outputs of all demonstrations."""


@dataclass(frozen=True, repr=False)
class Solution:
    """The ranked attempts at each test input of a task; the first two count."""

    id: str
    attempts: tuple[tuple[Attempt, ...], ...]
    seconds: float = 0.0
    """Of one core."""

    @property
    def pairs(self) -> tuple[tuple[Grid, Grid], ...]:
        """The two attempts at each test input."""
        return tuple((test[0].grid, test[1].grid) for test in self.attempts)

    @property
    def found(self) -> bool:
        """Whether there is a program for every test input."""
        return all(test[0].program for test in self.attempts)

    def __repr__(self) -> str:
        found = "a program for every test" if self.found else "not every test has a program"
        return f"<Solution of {self.id}: {counted(len(self.attempts), 'test')}, {found}>"

    def _repr_html_(self) -> str:
        parts = []
        for number, ranked in enumerate(self.attempts, 1):
            two = [(f"attempt {place}", one) for place, one in enumerate(ranked[:2], 1)]
            drawn = [figure(grid_image(one.grid, name), f"{name}: {one.combiner}") for name, one in two]
            parts.append(group(f"test {number}", drawn))
            parts += [figure(code(one.program), name) for name, one in two if one.program]
        return page(self.id, *parts)

    def to_json(self) -> dict[str, Any]:
        """As JSON values."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Solution:
        """Back from JSON values; raises ValueError or DataError where they are not what `to_json` gives."""
        known = {name: data[name] for name in ("id", "attempts", "seconds") if name in data}
        solution = row_of(cls, known | {"attempts": []})
        if not is_of(known.get("attempts"), list[list[Any]]):
            raise ValueError("attempts are lists of lists")
        tests = tuple(tuple(map(_attempt, test)) for test in known["attempts"])
        if not tests or min(map(len, tests)) < 2:
            raise ValueError("there are two attempts at every test input at least")
        return replace(solution, attempts=tests)


def _attempt(data: Any) -> Attempt:
    if not isinstance(data, dict) or "grid" not in data:
        raise ValueError("an attempt has a grid")
    return replace(row_of(Attempt, data | {"grid": []}), grid=to_grid(data["grid"], "an attempt"))


def submission_of(solutions: Mapping[str, Solution]) -> Submission:
    """The first two attempts of every task, for Kaggle."""
    return {key: one.pairs for key, one in solutions.items()}
