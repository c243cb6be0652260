"""Programs drawn without regard to types: calls that fail, functions as values, truths of anything."""

from __future__ import annotations

import random

from arcbatt.language.constants import CONSTANTS
from arcbatt.language.program import Assign, Call, Const, Expr, Name, Program
from arcbatt.language.spec import Kind
from arcbatt.language.table import STANDARD

_KINDS = {kind: [name for name, spec in STANDARD.ops.items() if spec.kind is kind] for kind in Kind}
_GENERIC = [name for name, spec in STANDARD.ops.items() if spec.generic]


class WildGenerator:
    """Draws lines from the table at random; what a seed gives stays the same."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(f"wild {seed}")
        self.lines: list[Assign] = []

    def program(self, name: str, lines: int) -> Program:
        """A program of so many lines that returns its last."""
        self.lines = []
        while len(self.lines) < lines:
            self.lines.append(Assign(f"x{len(self.lines)}", self.call()))
        return Program(name, ("I",), tuple(self.lines), Name(self.lines[-1].target))

    def call(self, depth: int = 0) -> Expr:
        """A call of a primitive or of some value."""
        draw = self.random.random()
        if draw < 0.08:
            called = self.argument(depth, function=True)
            if not isinstance(called, Name) or called.id not in STANDARD.ops:  # of a name, the parser counts arguments
                return Call(called, tuple(self.argument(depth) for _ in range(self.few())))
        kinds = (Kind.PLAIN, Kind.PLAIN, Kind.LOOP, Kind.COMBINATOR)
        names = _GENERIC if draw < 0.4 else _KINDS[self.random.choice(kinds)]
        name = self.random.choice(names)
        spec = STANDARD.op(name)
        wanted = spec.combinator.functions if spec.combinator else 0
        args = []
        for place in range(spec.arity):
            function = place < wanted or (spec.loop is not None and place == spec.function_place)
            args.append(self.argument(depth, function=function and self.random.random() < 0.9))
        return Call(Name(name), tuple(args))

    def few(self) -> int:
        """How many arguments a call of a value has."""
        return self.random.choice((1, 1, 1, 2, 2, 3))

    def argument(self, depth: int, *, function: bool = False) -> Expr:
        """Anything: a function where that is wanted, an earlier line, a constant, the input, a call."""
        draw = self.random.random()
        if function and draw < 0.6:
            return self.function(depth)
        if draw < 0.5 and self.lines:
            return Name(self.random.choice(self.lines[-4:]).target)
        if draw < 0.6:
            return Name("I")
        if draw < 0.75:
            return Name(self.random.choice([*CONSTANTS]))
        if draw < 0.8:
            return Const(self.random.randint(-2, 4))
        if draw < 0.9 or depth > 2:
            return Name(self.random.choice([*STANDARD.ops]))
        return self.call(depth + 1)

    def function(self, depth: int) -> Expr:
        """A primitive by its name, or what a combinator gives."""
        if depth > 2 or self.random.random() < 0.6:
            return Name(self.random.choice([*STANDARD.ops]))
        name = self.random.choice(_KINDS[Kind.COMBINATOR])
        spec = STANDARD.op(name)
        assert spec.combinator is not None
        count = spec.combinator.functions
        return Call(Name(name), tuple(self.argument(depth + 1, function=place < count) for place in range(spec.arity)))


def wild_programs(seed: int, count: int = 8) -> list[Program]:
    """So many programs of one seed."""
    generator = WildGenerator(seed)
    return [generator.program(f"solve_w{k}", generator.random.randint(1, 7)) for k in range(count)]
