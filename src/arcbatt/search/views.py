"""Views of a task: the same task with its grids changed in a way that a program can do and undo."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeVar

from arcbatt.data.grids import COLOURS
from arcbatt.language.failures import Fail
from arcbatt.language.primitives.lattices import panecount, panefill, panes, seam, torows
from arcbatt.language.values import Grid
from arcbatt.scoring.attempts import Question
from arcbatt.search.write import Writer

_Way = TypeVar("_Way")

Colours = tuple[int, ...]


@dataclass(frozen=True)
class View:
    """A task as it is looked at: what programs do to the input first, and to what they found last."""

    question: Question
    """The task with its grids changed."""
    before: tuple[str, ...]
    """Lines of a program over I; the last one names the input of the view."""
    after: Callable[[Writer, str], str]
    """Writes what brings the value of a variable back; the name of what holds it."""
    undo: Callable[[int, Grid], Grid | None]
    """An output for a test brought back, or None where it cannot be."""
    weight: float = 1.0
    """How much a vote counts."""
    input: str = "I"
    """The variable that holds the input of the view."""
    cost: float = 0.0
    """What the view adds to a description, in bits."""

    def of_images(self, grids: Sequence[Grid], before: Sequence[str], name: str, cost: float) -> View:
        """The same view with an image in place of the input, of demonstrations, then of tests.

        More lines of the program hold it in a variable; what it costs comes to what the view costs.
        """
        demos = self.question.demonstrations
        pairs = tuple((grid, wanted) for grid, (_, wanted) in zip(grids, demos, strict=False))
        question = replace(self.question, demonstrations=pairs, inputs=tuple(grids[len(demos) :]))
        return replace(self, question=question, before=(*self.before, *before), input=name, cost=self.cost + cost)


def inputs_of(question: Question) -> list[Grid]:
    """The inputs of demonstrations, then those of tests."""
    return [given for given, _ in question.demonstrations] + list(question.inputs)


def changed_question(question: Question, change: Callable[[Grid, _Way], Grid], ways: Sequence[_Way]) -> Question:
    """A question with every sample, tests last, changed in its own way."""
    demos = len(question.demonstrations)
    return Question(
        question.id,
        tuple(
            (change(given, way), change(wanted, way))
            for (given, wanted), way in zip(question.demonstrations, ways[:demos], strict=True)
        ),
        tuple(change(given, way) for given, way in zip(question.inputs, ways[demos:], strict=True)),
    )


def plain(question: Question) -> View:
    """A task as it is."""
    return View(question, (), lambda _, name: name, lambda _, grid: grid)


def views(question: Question, without: Collection[str] = ()) -> list[View]:
    """The ways to look at a task beside the plain one, but for those of some names."""
    found = [look(question) for look in VIEWS if look.__name__ not in without]
    return [one for one in found if one is not None]


_NUMBERED_WEIGHT: Final = 0.7


def numbered_colours(question: Question) -> View | None:
    """Colours numbered by how common they are in each input; None where that changes nothing.

    Colours that mean something by themselves stay: those of every output that no input has, and so on.
    """
    free = free_colours(question)
    if not free:
        return None
    maps = [_numbering(grid, free) for grid in inputs_of(question)]
    if all(colour == number for one in maps for colour, number in one.items()):
        return None
    for (_, wanted), one in zip(question.demonstrations, maps, strict=False):
        if not _palette(wanted) & set(free) <= set(one):
            return None  # an output with a colour that its input does not number
    demos = len(question.demonstrations)
    changed = changed_question(question, _recoloured, maps)
    back = [{number: colour for colour, number in one.items()} for one in maps[demos:]]

    def undo(test: int, grid: Grid) -> Grid | None:
        lost = {cell for row in grid for cell in row if cell in free and cell not in back[test]}
        return None if lost else _recoloured(grid, back[test])

    slots = f"({', '.join(map(str, free))}{',' if len(free) == 1 else ''})"
    before = (
        f"a1 = sfilter(order(palette(I), compose(invert, lbind(colorcount, I))), rbind(contained, {slots}))",
        f"a2 = paint(I, mpapply(recolor, {slots}, apply(lbind(ofcolor, I), a1)))",
    )

    def after(writer: Writer, name: str) -> str:
        return writer.let(f"paint({name}, mpapply(recolor, a1, apply(lbind(ofcolor, {name}), {slots})))")

    return View(changed, before, after, undo, _NUMBERED_WEIGHT, "a2")


_FEWEST_PANES: Final = 4


def panes_as_cells(question: Question) -> View | None:
    """A cell for each pane of a lattice, where panes have one colour each in inputs and outputs; None where not."""
    given = [_panes(grid, None) for grid in inputs_of(question)]
    seams = [None if one is None else one[0] for one in given]
    wanted = [_panes(grid, seam) for (_, grid), seam in zip(question.demonstrations, seams, strict=False)]
    demos = len(wanted)
    inputs = [one[1] for one in given if one is not None]
    outputs = [one[1] for one in wanted if one is not None]
    if len(inputs) < len(given) or len(outputs) < demos:
        return None
    if any(len(a) != len(b) or len(a[0]) != len(b[0]) for a, b in zip(inputs, outputs, strict=False)):
        return None

    def undo(test: int, grid: Grid) -> Grid | None:
        seam, cells = seams[demos + test], inputs[demos + test]
        if seam is None or (len(grid), len(grid[0])) != (len(cells), len(cells[0])):
            return None
        return panefill(question.inputs[test], seam, tuple(cell for row in grid for cell in row))

    small = Question(question.id, tuple(zip(inputs, outputs, strict=False)), tuple(inputs[demos:]))
    before = ("a1 = seam(I, 0)", "a2 = torows(apply(mostcolor, panes(I, a1)), last(panecount(I, a1)))")
    return View(small, before, lambda writer, name: writer.let(f"panefill(I, a1, merge({name}))"), undo, 1.0, "a2")


VIEWS: Final[tuple[Callable[[Question], View | None], ...]] = (numbered_colours, panes_as_cells)


def _panes(grid: Grid, colour: int | None) -> tuple[int, Grid] | None:
    """The colour of a grid's lattice, or one that is known, and a cell for each pane; None where there is none."""
    try:
        colour = seam(grid, 0) if colour is None else colour
        parts = panes(grid, colour)
    except Fail:
        return None
    if len(parts) < _FEWEST_PANES or any(len(_palette(part)) > 1 for part in parts):
        return None
    return colour, torows(tuple(part[0][0] for part in parts), panecount(grid, colour)[1])


def free_colours(question: Question) -> Colours:
    """The colours whose names do not matter, as far as the demonstrations show; never 0."""
    given = [_palette(grid) for grid, _ in question.demonstrations]
    wanted = [_palette(grid) for _, grid in question.demonstrations]
    any_given, every_given = set.union(*given), set.intersection(*given)
    any_wanted, every_wanted = set.union(*wanted), set.intersection(*wanted)
    fixed = {0} | (any_wanted - any_given) | (every_given - any_wanted)
    if any_wanted == every_wanted:
        fixed |= every_wanted
    return tuple(colour for colour in range(COLOURS) if colour not in fixed)


def _palette(grid: Grid) -> set[int]:
    return {cell for row in grid for cell in row}


def _numbering(grid: Grid, free: Colours) -> dict[int, int]:
    """The free colours of a grid and what they become: the most common one the first free one, and so on."""
    count = Counter(cell for row in grid for cell in row)
    there = sorted((colour for colour in free if count[colour]), key=lambda colour: (-count[colour], colour))
    return dict(zip(there, free, strict=False))


def _recoloured(grid: Grid, colours: Mapping[int, int]) -> Grid:
    return tuple(tuple(colours.get(cell, cell) for cell in row) for row in grid)
