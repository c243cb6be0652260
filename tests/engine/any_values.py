"""Values of every kind, drawn at random: right for a primitive, nearly right, and wrong."""

from __future__ import annotations

import random
from typing import Any

from arcbatt.language.failures import Fail
from arcbatt.language.limits import INT_MAX, INT_MIN
from arcbatt.language.reference import Machine, primitive
from arcbatt.language.spec import Kind
from arcbatt.language.table import STANDARD

_EXTREMES = (INT_MIN, INT_MIN + 1, -65_537, -1_000, 1_000, 65_535, 65_536, INT_MAX - 1, INT_MAX)
_COMBINATORS = [spec for spec in STANDARD.ops.values() if spec.kind is Kind.COMBINATOR]


class AnyValues:
    """Draws values from one seed."""

    def __init__(self, seed: int | str) -> None:
        self.random = random.Random(seed)

    def number(self) -> int | bool:
        chance = self.random.random()
        if chance < 0.05:
            return self.random.choice(_EXTREMES)
        return self.random.random() < 0.5 if chance < 0.12 else self.random.randint(-3, 9)

    def place(self) -> tuple[int, int]:
        return (self.number(), self.number())

    def cell(self) -> tuple[int, tuple[int, int]]:
        return (self.random.choice((self.random.randint(0, 3), self.number())), self.place())

    def grid(self) -> tuple[Any, ...]:
        tall, wide = self.random.randint(0, 6), self.random.randint(0, 6)
        most = self.random.randint(0, 3)
        rows = [[self.random.randint(0, most) for _ in range(wide)] for _ in range(tall)]
        for row in rows:
            if self.random.random() < 0.04:
                row[len(row) // 2 :] = [self.item() for _ in range(self.random.randint(0, 3))]
        return tuple(map(tuple, rows))

    def few(self, draw: Any, most: int = 6) -> list[Any]:
        return [draw() for _ in range(self.random.randint(0, most))]

    def place_near(self) -> tuple[int, int]:
        return (self.random.randint(-1, 4), self.random.randint(-1, 4))

    def patch(self) -> frozenset[Any]:
        kinds = [self.place_near, lambda: (self.random.randint(0, 2), self.place_near())]
        items = self.few(self.random.choice(kinds), 9)
        if self.random.random() < 0.15:
            items += self.few(self.random.choice((*kinds, self.item, self.cell, self.place)), 3)
        return frozenset(items)

    def item(self) -> Any:
        """A small value of any kind."""
        return self.random.choice((self.number, self.place, self.cell, lambda: None, self.patch, self.grid))()

    def function(self, depth: int = 2) -> Any:
        """A primitive, or what a combinator makes of such and of values."""
        if not depth or self.random.random() < 0.5:
            return primitive(self.random.choice(list(STANDARD.ops)))
        spec = self.random.choice(_COMBINATORS)
        args: list[Any] = [self.function(depth - 1) for _ in range(spec.arity)]
        if spec.combinator and spec.combinator.functions < spec.arity:
            args[-1] = self.value(0)
        try:
            return Machine().call(primitive(spec.name), *args)
        except Fail:
            return primitive(spec.name)

    def value(self, depth: int = 2) -> Any:
        """Anything."""
        kinds = ((self.number, 6), (self.place, 4), (self.patch, 5), (self.grid, 5), (self.item, 2),
                 (self.container, 5 if depth else 0), (lambda: self.function(depth), 4),
                 (lambda: tuple(self.patch()), 1))  # fmt: skip
        drawn: Any = self.random.choices([kind for kind, _ in kinds], [weight for _, weight in kinds])[0]()
        return drawn

    def container(self) -> Any:
        """A set or tuple of values, mostly of one kind."""
        draw = self.random.choice((self.patch, self.grid, self.number, self.place, self.cell, self.item,
                                   lambda: self.value(1), lambda: self.value(0), lambda: self.function(1)))  # fmt: skip
        return self.random.choice((tuple, frozenset))(self.few(draw, 5))


def arguments(seed: str, name: str, count: int) -> list[tuple[Any, ...]]:
    """Arguments for a primitive: any, and such as it has a value for, with one of them drawn again."""
    draw = AnyValues(f"{seed} {name}")
    arity = STANDARD.op(name).arity
    good: list[tuple[Any, ...]] = []
    found = []
    for _ in range(count):
        if good and draw.random.random() < 0.6:
            args = list(draw.random.choice(good))
            args[draw.random.randrange(arity)] = draw.value()
        else:
            args = [draw.value() for _ in range(arity)]
        try:
            Machine(100_000).call(primitive(name), *args)
            good.append(tuple(args))
        except Fail:
            pass
        found.append(tuple(args))
    return found
