"""Plain objects that get the colours of one that has their shape, turned as they are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from arcbatt.language.primitives.objects import normalize, o_g
from arcbatt.language.primitives.shapes import mostcolor, numcolors, ulcorner
from arcbatt.language.values import Grid, Object
from arcbatt.scoring.attempts import Question
from arcbatt.search.combine import Clock
from arcbatt.search.combiners.rule import TURNS, Rule, enlarged, in_order, same_size, turn_of, turned
from arcbatt.search.write import Writer

_BASE: Final = 3.5
_MODES: Final = ((3, 0.0), (1, 0.2))
_MOST_OBJECTS: Final = 30


@dataclass(frozen=True)
class _Likeness:
    """Which objects are looked at, how they may be turned, and whether those that give their colours go."""

    mode: int
    turns: tuple[str, ...]
    erased: bool

    def of(self, grid: Grid) -> Grid | None:
        """A grid with plain objects coloured; None where there are too many."""
        objects = in_order(o_g(grid, self.mode))
        coloured = [one for one in objects if numcolors(one) > 1]
        plain = [one for one in objects if numcolors(one) == 1]
        if not coloured or not plain or len(objects) > _MOST_OBJECTS:
            return None
        out = [list(row) for row in grid]
        if self.erased:
            for _, (i, j) in frozenset[tuple[int, tuple[int, int]]]().union(*coloured):
                out[i][j] = mostcolor(grid)
        shapes = [(frozenset(place for _, place in normalize(one)), ulcorner(one)) for one in plain]
        for one in coloured:
            for turn in self.turns:
                form: Object = turned(enlarged(one, 1), turn)
                places = frozenset(place for _, place in form)
                for shape, (top, left) in shapes:
                    if shape == places:
                        for colour, (i, j) in form:
                            out[top + i][left + j] = colour
        return tuple(map(tuple, out))

    def __call__(self, writer: Writer, given: str) -> str:
        """As a program: a loop over those with colours, their turns, and plain ones."""
        objects = writer.let(f"o_g({given}, {self.mode})")
        coloured = writer.let(f"sfilter({objects}, lambda t: greater(numcolors(t), 1))")
        plain = writer.let(f"sfilter({objects}, lambda t: equality(numcolors(t), 1))")
        start = writer.let(f"cover({given}, merge({coloured}))") if self.erased else given
        forms = ", ".join(f"normalize({turn_of('t', turn)})" for turn in self.turns)
        writer.lines += [
            f"out = {start}",
            f"for t in {coloured}:",
            f"    for p in ({forms},):",
            f"        for o in {plain}:",
            "            if equality(toindices(normalize(o)), toindices(p)):",
            "                out = paint(out, shift(p, ulcorner(o)))",
        ]
        return "out"


def likenesses(question: Question, clock: Clock) -> Iterator[Rule]:
    """Plain objects that get the colours of one that has their shape."""
    if not same_size(question) or all(given == wanted for given, wanted in question.demonstrations):
        return
    for mode, cost in _MODES:
        for turns in (TURNS[:1], TURNS):
            for erased in (False, True):
                one = _Likeness(mode, turns, erased)
                if not clock.left():
                    return
                if all(one.of(given) == wanted for given, wanted in question.demonstrations):
                    made = [one.of(given) for given in question.inputs]
                    outputs = tuple(
                        None if grid == given else grid for grid, given in zip(made, question.inputs, strict=True)
                    )
                    score = _BASE + cost + 0.5 * erased + (0.5 if len(turns) > 1 else 0.0)
                    yield Rule("alike", score, outputs, one)
