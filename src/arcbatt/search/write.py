"""What was found as the text of a program: features, rules and stacks in the words of the language."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

Table = Sequence[tuple[tuple[int, ...], int]]
"""A rule: for joint values of the images the colour, or -1, -2, -3 for that of the first, second, third image."""
_MOST_IMAGES: Final = 3


@dataclass
class Writer:
    """Lines of a program, each value once."""

    lines: list[str] = field(default_factory=list)
    letter: str = "x"
    """What the names of variables start with."""
    _names: dict[str, str] = field(default_factory=dict)
    _functions: int = 0

    def let(self, expression: str) -> str:
        """The name of the variable that holds an expression."""
        if expression.isidentifier():
            return expression
        if expression not in self._names:
            self._names[expression] = f"{self.letter}{len(self._names) + 1}"
            self.lines.append(f"{self._names[expression]} = {expression}")
        return self._names[expression]

    def define(self, parameter: str, body: Writer, result: str) -> str:
        """The name of a function with lines of its own."""
        self._functions += 1
        name = f"f{self._functions}"
        self.lines += [f"def {name}({parameter}):", *(f"    {line}" for line in [*body.lines, f"return {result}"])]
        return name

    def program(self, name: str, result: str) -> str:
        """The program that returns a variable."""
        body = "\n".join(f"    {line}" for line in [*self.lines, f"return {result}"])
        return f"def {name}(I):\n{body}\n"


@dataclass(frozen=True)
class SizeRule:
    """A hypothesis about the size of outputs: a feature's size times something plus something, or always `plus`."""

    loss: float
    feature: int
    times: tuple[int, int]
    plus: tuple[int, int]
    tests: tuple[tuple[int, int], ...]

    def write(self, writer: Writer, feature: str) -> str:
        """The size as a variable; `feature` is the expression of the feature."""
        if self.feature < 0:
            return str(self.plus)
        size = writer.let(f"shape({writer.let(feature)})")
        if self.times != (1, 1):
            size = writer.let(f"multiply({size}, {self.times})")
        return size if self.plus == (0, 0) else writer.let(f"add({size}, {self.plus})")


def write_image(writer: Writer, feature: str, way: int, dims: Callable[[], str]) -> str:
    """An image brought to the size of the output, which `dims` writes, in a way of native/search/images.h."""
    image = writer.let(feature)
    return _WAYS[way](writer, image, dims()) if way else image


def _tiled(writer: Writer, image: str, dims: str) -> str:
    return writer.let(f"tilegrid({image}, {dims})")


def _mirror_tiled(writer: Writer, image: str, dims: str) -> str:
    return writer.let(f"mirrortile({image}, {dims})")


def _enlarged(writer: Writer, image: str, dims: str) -> str:
    return writer.let(f"rescale({image}, {dims})")


def _shrunk(writer: Writer, image: str, dims: str, common: str) -> str:
    cut = f"rbind(hsplit, last({dims}))"
    rows = f"vsplit({image}, first({dims}))"
    return writer.let(f"apply(compose(lbind(apply, {common}), {cut}), {rows})")


def _most_common(writer: Writer, image: str, dims: str) -> str:
    return _shrunk(writer, image, dims, "compose(mostcolor, identity)")


def _most_common_ink(writer: Writer, image: str, dims: str) -> str:
    # each cell that is not 0 counts twice and a 0 once, so that 0 is the most common only where nothing else is
    ink = "compose(lbind(remove, 0), merge)"
    common = f"chain(mostcommon, rbind(order, identity), compose(lbind(combine, (0,)), fork(combine, {ink}, {ink})))"
    return _shrunk(writer, image, dims, common)


def _at_corner(writer: Writer, image: str, dims: str) -> str:
    return writer.let(f"window({image}, ORIGIN, {dims}, 0)")


def _centred(writer: Writer, image: str, dims: str) -> str:
    return writer.let(f"window({image}, invert(divide(subtract({dims}, shape({image})), 2)), {dims}, 0)")


_WAYS: Final[dict[int, Callable[[Writer, str, str], str]]] = {
    1: _tiled, 2: _mirror_tiled, 3: _enlarged, 4: _most_common, 5: _most_common_ink, 6: _at_corner, 7: _centred,
}  # fmt: skip


def write_rule(writer: Writer, images: Sequence[str], table: Table) -> str:
    """A rule over images: the variable that holds its output."""
    if len(images) == 1 and all(outcome in (-1, *values) for values, outcome in table):
        return images[0]
    numbers = [number for values, outcome in sorted(table) for number in (*values, outcome)]
    rows = f"torows(({', '.join(map(str, numbers))}), {len(images) + 1})"
    looked_at = [*images, *[images[0]] * (_MOST_IMAGES - len(images))]
    return writer.let(f"decide({rows}, {', '.join(looked_at)})")


_INK, _ZEROS, _ALL, _LAID = range(4)


def write_stack(writer: Writer, images: Sequence[str], modes: Sequence[int]) -> str:
    """Images laid over one another, the first on top."""
    out = writer.let(f"canvas(0, shape({images[-1]}))")
    for image, mode in reversed(list(zip(images, modes, strict=True))):
        if mode == _ZEROS:
            out = writer.let(f"fill({out}, 0, ofcolor({image}, 0))")
        elif mode >= _LAID:
            out = writer.let(f"fill({out}, {mode - _LAID}, ofcolor({image}, 1))")
        else:
            inked = f"sfilter(asobject({image}), compose(rbind(greater, {0 if mode == _INK else -1}), first))"
            out = writer.let(f"paint({out}, {inked})")
    return out


_COPIED: Final = 10


def write_cases(writer: Writer, images: Sequence[str], modes: Sequence[int]) -> str:
    """The first image, but for cells where others have some values: those get a colour, or the cell of another image.

    `modes` are those of native/search/cases.h.
    """
    left, numbers = iter(images), iter(modes)
    out = next(left)
    for outcome in numbers:
        copied = next(left) if outcome == _COPIED else None
        places = ""
        for _ in range(next(numbers)):
            image = next(left)
            values = [next(numbers) for _ in range(next(numbers))]
            mine = ""
            for value in values:
                cells = f"ofcolor({image}, {value if value < 128 else value - 256})"
                mine = f"combine({mine}, {cells})" if mine else cells
            places = f"intersection({places}, {writer.let(mine)})" if places else writer.let(mine)
        if copied is None:
            out = writer.let(f"fill({out}, {outcome}, {places})")
        else:
            out = writer.let(f"paint({out}, toobject({places}, {copied}))")
    return out
