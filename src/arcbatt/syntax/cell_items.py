"""Programs whose cells are tuples of other items than ours: what takes a cell apart is written for our cells.

Ours are (colour, (i, j)). Where a dialect's are (i, j, colour), `get_nth_f(x, L1)` is the colour if x is a cell, and
else the last item of x. Which it is follows from the types of the program's values: the inputs are grids, the table
says what each primitive gives, and functions are followed to where they are called. A cell where a place is wanted is
its place. An item of something whose type is not known, or that is a cell on one way and something else on another,
stays as it is written.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from arcbatt.language.functions import Function as Equality
from arcbatt.language.program import Assign, Call, Const, Expr, Name
from arcbatt.language.spec import Does, LoopSpec, OpSpec, Over
from arcbatt.language.types import (
    BOOL,
    CELL,
    GRID,
    IJ,
    INT,
    NEVER,
    Fn,
    Seq,
    Set,
    Tup,
    Type,
    join,
    match,
    substitute,
    type_of_constant,
    variables,
)
from arcbatt.syntax.dialect import Vocabulary
from arcbatt.syntax.expressions import Expressions
from arcbatt.syntax.functions import Foreign, Value

_INPUTS: Final[Mapping[str, Type]] = {"I": GRID, "S": Seq(Tup((GRID, GRID))), "C": GRID}
_LIKE_CELLS: Final = (CELL, Seq(CELL), Set(CELL))
"""Types of pairs that a file makes of a number and a place, which are no cells there."""
_MOST_CALLS: Final = 20_000
"""Calls that are followed in one program."""


@dataclass(frozen=True)
class Site:
    """A place in the text where a primitive stands: an argument of a call, or what is called."""

    call: int
    place: int


_CALLED: Final = -1
"""The place of what is called."""


@dataclass(frozen=True)
class _Fun:
    """A function: a primitive, or what a combinator made of parts."""

    name: str
    site: Site
    foreign: bool = False
    """Whether a file named it, so that it sees the file's cells (`Foreign`)."""
    parts: tuple[_Value, ...] | None = None


_Value = Type | _Fun | None
"""What is known of a value: its type, the function it is, or nothing."""


class _TooMuchError(Exception):
    """More calls than are followed."""


class CellTypes:
    """The types of a program's values, as far as they show where cells are taken apart."""

    def __init__(self, words: Vocabulary) -> None:
        self.language = words.language
        self.fix_last = words.combinators["fix_last"]
        self.lines: dict[str, tuple[Foreign, Sequence[Expr]]] = {}
        """Lines that are nothing but a function that takes an item: each use of one is a place of its own."""
        self.known: dict[str, _Value] = dict(_INPUTS)
        self.items: defaultdict[Site, set[bool]] = defaultdict(set)
        """Of what takes an item: whether it was a cell's, over all calls."""
        self.places: defaultdict[Site, set[tuple[int, ...]]] = defaultdict(set)
        """Of any primitive: which of its arguments are cells where it wants places, over all calls."""
        self._calls = 0
        self._found: dict[int, _Value] = {}

    def line(self, line: Assign) -> None:
        """Follow one line."""
        match line.value:
            case Foreign() as primitive if self._takes_item(primitive):
                self.lines[line.target] = primitive, ()
            case Call(Name(self.fix_last), (Foreign() as primitive, rank)) if self._takes_item(primitive):
                self.lines[line.target] = primitive, (rank,)
        self.known[line.target] = self.value(line.value)

    def _takes_item(self, primitive: Foreign) -> bool:
        return self.language.ops[primitive.id].does is Does.NTH

    def value(self, expr: Expr) -> _Value:
        """What is known of an expression."""
        try:
            return self._of(expr, Site(0, 0))
        except _TooMuchError:
            self.items.clear()
            self.places.clear()
            return None

    def _of(self, expr: Expr, site: Site) -> _Value:
        match expr:
            case Const(value):
                return type_of_constant(value)
            case Name(name) if name in self.lines:
                primitive, rank = self.lines[name]
                takes = _Fun(primitive.id, site, foreign=True)
                return _Fun(self.fix_last, site, parts=(takes, self._of(rank[0], site))) if rank else takes
            case Name(name) if name in self.known:
                return self.known[name]
            case Name(name) if name in self.language.constants:
                return type_of_constant(self.language.constants[name])
            case Name(name):
                return _Fun(name, site, isinstance(expr, Foreign)) if name in self.language.ops else None
        here = id(expr)
        if here not in self._found:
            args = [self._of(arg, Site(here, place)) for place, arg in enumerate(expr.args)]
            self._found[here] = self.call(self._of(expr.function, Site(here, _CALLED)), *args)
        return self._found[here]

    def call(self, function: _Value | Equality, *args: _Value) -> _Value:
        """What a call gives."""
        self._calls += 1
        if self._calls > _MOST_CALLS:
            raise _TooMuchError
        if isinstance(function, Equality):
            return BOOL
        if not isinstance(function, _Fun):
            return None
        spec = self.language.ops[function.name]
        if spec.does is Does.CHOOSE and function.parts is not None:
            left, right = [self.call(part, *args) for part in function.parts]
            return join(left, right) if isinstance(left, Type) and isinstance(right, Type) else None
        if spec.combinator is not None:
            if function.parts is None:
                return _Fun(function.name, function.site, parts=args)
            if spec.combinator.repeats:
                once = self.call(function.parts[0], *args)
                return once if once == args[0] else None
            made: _Value = spec.combinator.invoke(self.call, function.parts, args)
            return made
        if len(args) != spec.arity:
            return None
        if spec.loop is not None:
            return self._loop(spec, spec.loop, args)
        return self._plain(function, spec, args)

    def _plain(self, function: _Fun, spec: OpSpec, args: Sequence[_Value]) -> _Value:
        if spec.does is Does.SAME:
            return args[0]
        if spec.does is Does.CHOOSE and isinstance(args[1], _Fun):
            return _Fun(function.name, function.site, parts=tuple(args[1:]))
        if function.foreign and spec.does is Does.NTH:
            self.items[function.site].add(args[0] == CELL)
            if args[0] == CELL:
                return INT
        types = tuple(arg for arg in args if isinstance(arg, Type))
        if len(types) != len(args):
            self.places[function.site].add(())
            return None
        found = spec.call_type(types)
        cells: tuple[int, ...] = ()
        if (found is None or found[0] == NEVER) and CELL in types:
            cells = tuple(
                at for at, arg in enumerate(types) if arg == CELL and any(rule.params[at] == IJ for rule in spec.rules)
            )
            meant = spec.call_type(tuple(IJ if at in cells else arg for at, arg in enumerate(types)))
            if meant is None or meant[0] == NEVER:
                cells = ()
            else:
                found = meant
        self.places[function.site].add(cells)
        if found is None or (function.foreign and spec.does is not Does.NTH and found[0] in _LIKE_CELLS):
            return None
        return found[0]

    def _loop(self, spec: OpSpec, loop: LoopSpec, args: Sequence[_Value]) -> _Value:
        """What a loop gives, by the first rule that takes its containers and what its function gives of their items."""
        if loop.over in (Over.FUNCTIONS, Over.STATES) or loop.carries:
            return None
        function = args[spec.function_place]
        containers = [arg for at, arg in enumerate(args) if at != spec.function_place]
        for rule in spec.rules:
            bound: dict[str, Type] = {}
            patterns = [param for at, param in enumerate(rule.params) if at != spec.function_place]
            wanted = rule.params[spec.function_place]
            assert isinstance(wanted, Fn)
            if not all(
                isinstance(arg, Type) and match(param, arg, bound)
                for param, arg in zip(patterns, containers, strict=True)
            ):
                continue
            result = self.call(function, *(substitute(param, bound) for param in wanted.params))
            if isinstance(result, Type) and match(wanted.result, result, bound):
                kind = substitute(rule.result, bound)
                return kind if not any(variables(kind)) else None
        return None


def with_our_cells(
    lines: Sequence[Assign], results: Sequence[Expr], reader: Expressions
) -> tuple[list[Assign], list[Expr]]:
    """The lines and results that a reader read, with cells taken apart as ours are."""
    types = CellTypes(reader.words)
    for line in lines:
        types.line(line)
    for result in results:
        types.value(result)
    writer = _Writer(types, reader)
    made = [Assign(line.target, writer.of(line.value), line.line) for line in lines]
    return made, [writer.of(result) for result in results]


class _Writer:
    """Writes expressions anew."""

    def __init__(self, types: CellTypes, reader: Expressions) -> None:
        assert reader.words.cells is not None
        self.parts = reader.words.cells
        self.ops = types.language.ops
        self.lines = types.lines
        self.items = {site for site, cells in types.items.items() if cells == {True}}
        self.places = {site: places for site, (places, *more) in types.places.items() if not more and places}
        self.reader = reader
        self._made: dict[int, Expr] = {}

    def of(self, expr: Expr) -> Expr:
        """An expression as it is for our cells."""
        if not isinstance(expr, Call):
            return Name(expr.id) if isinstance(expr, Foreign) else expr
        if id(expr) not in self._made:
            self._made[id(expr)] = self._call(expr, id(expr))
        return self._made[id(expr)]

    def _call(self, expr: Call, here: int) -> Expr:
        args = [self._argument(arg, Site(here, place)) for place, arg in enumerate(expr.args)]
        if Site(here, _CALLED) in self.items:
            taken = self._taken(expr.function, expr.args[1:], args[0])
        elif Site(here, 0) in self.items and expr.function == Name(self.reader.words.combinators["fix_last"]):
            taken = self._taken(expr.args[0], expr.args[1:], None)
        else:
            taken = None
        if taken is not None:
            return taken
        for place in self.places.get(Site(here, _CALLED), ()):
            args[place] = self._part(self.parts.place, args[place])
        return Call(self.of(expr.function), tuple(args), expr.line)

    def _argument(self, expr: Expr, site: Site) -> Expr:
        """A primitive that is passed on, or anything else."""
        taken = self._taken(expr, (), None) if site in self.items else None
        if taken is not None:
            return taken
        made = self.of(expr)
        if self.places.get(site) == (0,) and isinstance(expr, Name) and self.ops[expr.id].arity == 1:
            after = Name(self.reader.words.combinators["after"])
            return Call(after, (made, self._part(self.parts.place, None)))
        return made

    def _taken(self, primitive: Expr, rank: Sequence[Expr], cell: Expr | None) -> Expr | None:
        """The item that a primitive takes of a cell, or a function that does; None if the text does not show which."""
        assert isinstance(primitive, Name)
        if primitive.id in self.lines:
            primitive, rank = self.lines[primitive.id]
        generic = self.ops[primitive.id].generic
        assert generic is not None
        place = generic.place if generic.place is not None else self.reader.constant(rank[0]) if rank else None
        items = self.parts.items
        if type(place) is not int or not -len(items) <= place < len(items):
            return None
        return self._part(items[place], cell)

    def _part(self, part: Value, cell: Expr | None) -> Expr:
        """A part of a cell, or the function that gives it."""
        node = ast.Constant(0)
        value = part if cell is None else self.reader.applied(part, [cell], {}, node, 0)
        return self.reader.as_value(value, node, 0)
