"""Objects completed by symmetry: what they lack is painted on the ground, about the middle of them or of a part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from arcbatt.language.primitives.objects import o_g
from arcbatt.language.primitives.shapes import leastcolor, mostcolor
from arcbatt.language.values import IJ, Grid, Object
from arcbatt.scoring.attempts import Question
from arcbatt.search.combine import Clock
from arcbatt.search.combiners.rule import Rule, in_order, same_size
from arcbatt.search.write import Writer

_BASE: Final = 3.0
_TURNS: Final = {
    "rows": ("s0 - i", "j"),
    "columns": ("i", "s1 - j"),
    "half": ("s0 - i", "s1 - j"),
    "transposed": ("j + d", "i - d"),
    "across": ("h - j", "h - i"),
    "quarter": ("j + d", "h - i"),
    "back": ("h - j", "i - d"),
}
"""Where a cell (i, j) comes to lie: twice the middle is (s0, s1), h half of their sum, d half of their difference."""
_GROUPS: Final[tuple[tuple[float, tuple[str, ...]], ...]] = (
    (0.3, ("rows", "columns", "half", "transposed", "across", "quarter", "back")),
    (0.5, ("rows", "columns", "half")),
    (0.5, ("quarter", "half", "back")),
    (0.7, ("rows",)),
    (0.7, ("columns",)),
    (0.7, ("half",)),
    (1.0, ("transposed",)),
    (1.0, ("across",)),
    (1.0, ("transposed", "across", "half")),
)
_PIECES: Final = ((3, 0.0), (1, 0.2), (-1, 0.2))
"""Modes of objects; -1 is all that is not ground as one."""
_MOST_OBJECTS: Final = 12
_CENTRES: Final = ("whole", "most", "least")


def _middle(piece: Object, centre: str) -> tuple[int, int]:
    """Twice the middle of a piece, or of the part that has a colour."""
    colour = (
        mostcolor(piece)
        if centre == "most"
        else leastcolor(piece)
        if centre == "least"
        else int(centre, 10)
        if centre.isdigit()
        else -1
    )
    places = [place for one, place in piece if colour in (-1, one)] or [place for _, place in piece]
    rows, columns = [i for i, _ in places], [j for _, j in places]
    return min(rows) + max(rows), min(columns) + max(columns)


def _turned(place: IJ, turn: str, middle: tuple[int, int]) -> IJ:
    (i, j), (s0, s1) = place, middle
    h, d = (s0 + s1) // 2, (s0 - s1) // 2
    places = {
        "rows": (s0 - i, j), "columns": (i, s1 - j), "half": (s0 - i, s1 - j), "transposed": (j + d, i - d),
        "across": (h - j, h - i), "quarter": (j + d, h - i), "back": (h - j, i - d),
    }  # fmt: skip
    return places[turn]


def _pieces(grid: Grid, mode: int, ground: int) -> list[Object]:
    if mode >= 0:
        return in_order(o_g(grid, mode))
    whole = frozenset((c, (i, j)) for i, row in enumerate(grid) for j, c in enumerate(row) if c != ground)
    return [whole] if whole else []


def _completed(grid: Grid, pieces: Sequence[Object], ground: int, turns: Sequence[str], centre: str) -> Grid | None:
    """A grid with its pieces completed; None where the middle of one is between places."""
    out = {(i, j): cell for i, row in enumerate(grid) for j, cell in enumerate(row)}
    slanted = any(turn not in ("rows", "columns", "half") for turn in turns)
    for piece in pieces:
        middle = _middle(piece, centre)
        if slanted and sum(middle) % 2:
            return None
        for turn in turns:
            there = [(colour, _turned(place, turn, middle)) for colour, place in sorted(piece)]
            out |= {place: colour for colour, place in there if out.get(place) == ground}
    return tuple(tuple(out[i, j] for j in range(len(grid[0]))) for i in range(len(grid)))


def symmetries(question: Question, clock: Clock) -> Iterator[Rule]:
    """Objects completed by symmetry."""
    demos = question.demonstrations
    if not same_size(question) or all(given == wanted for given, wanted in demos):
        return
    grounds = [mostcolor(given) for given, _ in demos]
    for (given, wanted), ground in zip(demos, grounds, strict=True):
        pairs = [(a, b) for x, y in zip(given, wanted, strict=True) for a, b in zip(x, y, strict=True)]
        if any(a not in (b, ground) for a, b in pairs) or {b for a, b in pairs if a != b} - {a for a, _ in pairs}:
            return
    colours = set.intersection(*({cell for row in given for cell in row} for given, _ in demos)) - set(grounds)
    for mode, cost in _PIECES:
        pieces = [_pieces(given, mode, ground) for (given, _), ground in zip(demos, grounds, strict=True)]
        if not all(0 < len(some) <= _MOST_OBJECTS for some in pieces):
            continue
        for centre in (*_CENTRES, *map(str, sorted(colours))):
            if not clock.left():
                return
            for group, turns in _GROUPS:
                if all(
                    _completed(given, some, ground, turns, centre) == wanted
                    for (given, wanted), some, ground in zip(demos, pieces, grounds, strict=True)
                ):
                    yield _rule(question, mode, centre, turns, _BASE + cost + group + _cost(centre))


def _cost(centre: str) -> float:
    return 0.0 if centre == "whole" else 0.7 if centre in _CENTRES else 1.0


def _rule(question: Question, mode: int, centre: str, turns: tuple[str, ...], score: float) -> Rule:
    outputs: list[Grid | None] = []
    for given in question.inputs:
        ground = mostcolor(given)
        out = _completed(given, _pieces(given, mode, ground), ground, turns, centre)
        outputs.append(None if out == given else out)
    return Rule("symmetry", score, tuple(outputs), _Written(mode, centre, turns))


@dataclass(frozen=True)
class _Written:
    """A symmetry as a program."""

    mode: int
    centre: str
    turns: tuple[str, ...]

    def __call__(self, writer: Writer, given: str) -> str:
        """A loop over pieces."""
        ground = writer.let(f"mostcolor({given})")
        if self.mode >= 0:
            pieces = writer.let(f"o_g({given}, {self.mode})")
        else:
            ink = f"difference(asindices({given}), ofcolor({given}, {ground}))"
            pieces = writer.let(f"initset(toobject({ink}, {given}))")
        colour = {"most": "mostcolor(p)", "least": "leastcolor(p)"}.get(self.centre, self.centre)
        writer.lines += [f"out = {given}", f"for p in {pieces}:", "    part = p"]
        if self.centre != "whole":
            writer.lines += [
                f"    if contained({colour}, palette(p)):",
                f"        part = sfilter(p, matcher(first, {colour}))",
            ]
        writer.lines += [
            "    s = add(ulcorner(part), lrcorner(part))",
            "    s0 = first(s)",
            "    s1 = last(s)",
            "    h = halve(s0 + s1)",
            "    d = halve(s0 - s1)",
        ]
        for turn in self.turns:
            row, column = (text.replace("i", "first(last(c))").replace("j", "last(last(c))") for text in _TURNS[turn])
            moved = f"apply(lambda c: astuple(first(c), astuple({row}, {column})), p)"
            writer.lines += [
                f"    free = ofcolor(out, {ground})",
                f"    out = paint(out, sfilter({moved}, lambda c: contained(last(c), free)))",
            ]
        return "out"
