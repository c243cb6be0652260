"""Conditions about objects, learned: the tests of attributes, alone or two together, that hold for some and no others.

The objects of all samples are bits of a number, so that a test is the number of the objects that pass it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from arcbatt.search.combiners.attributes import Attribute, Scene, attributes
from arcbatt.search.write import Writer

_EQUAL, _MOST, _LEAST, _ALONE, _ABOVE = "equal", "most", "least", "alone", "above"
_COSTS: Final = {_EQUAL: 0.8, _MOST: 0.3, _LEAST: 0.4, _ALONE: 0.7, _ABOVE: 1.0}
_MOST_VALUES: Final = 8
"""Values of an attribute that objects are compared with."""
_MOST_TESTS: Final = 60
"""That are put together in twos, the cheapest."""
_MOST_FILTERS: Final = 30
"""That are taken first, where the most or least of those that pass is looked for."""
_BOTH: Final = 0.5
_NOT: Final = 0.3


@dataclass(frozen=True)
class Test:
    """Whether an attribute of an object is a number, more than it, the most or least there is, or its own alone."""

    attribute: Attribute
    kind: str
    number: int
    negated: bool
    passed: int
    """Those that pass, as bits."""
    cost: float

    def write(self, writer: Writer, objects: str, given: str) -> str:
        """As text over p."""

        def over(name: str) -> str:
            return self.attribute.over(name, objects, given)

        if self.attribute.is_truth:
            text = over("p")
            return f"flip({text})" if self.negated else text
        if self.kind == _ABOVE:
            text = f"greater({over('p')}, {self.number})"
        elif self.kind == _ALONE:
            text = f"equality(size(sfilter({objects}, lambda r: equality({over('r')}, {over('p')}))), 1)"
        else:
            number = str(self.number)
            if self.kind != _EQUAL:
                value = "valmax" if self.kind == _MOST else "valmin"
                number = writer.let(f"{value}({objects}, lambda r: {over('r')})")
            text = f"equality({over('p')}, {number})"
        return f"flip({text})" if self.negated else text


@dataclass(frozen=True)
class Condition:
    """One test, or two that must both be passed; none: it always holds.

    Where the second is `last`, it is about those that pass the first: the most or least of them.
    """

    tests: tuple[Test, ...]
    last: bool = False

    @property
    def passed(self) -> int:
        """Those for which it holds, as bits."""
        found = -1
        for test in self.tests:
            found &= test.passed
        return found

    @property
    def cost(self) -> float:
        """In a description."""
        return sum(test.cost for test in self.tests) + _BOTH * (len(self.tests) == 2)

    def chosen(self, writer: Writer, objects: str, given: str) -> str:
        """The variable that holds the objects for which it holds."""
        if not self.tests:
            return objects
        if self.last:
            objects = Condition(self.tests[:1]).chosen(writer, objects, given)
            return Condition(self.tests[1:]).chosen(writer, objects, given)
        return writer.let(f"sfilter({objects}, lambda p: {self._text(writer, objects, given)})")

    def _text(self, writer: Writer, objects: str, given: str) -> str:
        """Over p."""
        texts = [test.write(writer, objects, given) for test in self.tests]
        return texts[0] if len(texts) == 1 else f"both({texts[0]}, {texts[1]})"


def _extreme(passed: int, values: Sequence[Sequence[int]], best: Callable[[list[int]], int]) -> int:
    """Of those that passed, in each sample, those with the most or least."""
    found, first = 0, 0
    for mine in values:
        some = [(value, first + place) for place, value in enumerate(mine) if passed >> first + place & 1]
        if some:
            wanted = best([value for value, _ in some])
            found |= sum(1 << bit for value, bit in some if value == wanted)
        first += len(mine)
    return found


class Conditions:
    """The tests that tell the objects of some scenes apart."""

    def __init__(self, scenes: Sequence[Scene], demos: int, colours: Sequence[int]) -> None:
        self.every = (1 << sum(len(scene.pieces) for scene in scenes)) - 1
        self.shown = (1 << sum(len(scene.pieces) for scene in scenes[:demos])) - 1
        """Those of demonstrations."""
        found: dict[int, Test] = {}
        self._values: list[tuple[Attribute, list[list[int]]]] = []
        for attribute in attributes(colours):
            for test in self._tests(attribute, scenes, demos):
                if test.passed & self.shown not in (0, self.shown):
                    known = found.get(test.passed)
                    if known is None or test.cost < known.cost:
                        found[test.passed] = test
        self.tests = sorted(found.values(), key=lambda test: test.cost)

    def _tests(self, attribute: Attribute, scenes: Sequence[Scene], demos: int) -> Iterator[Test]:
        values = [[attribute.of(scene, piece) for piece in scene.pieces] for scene in scenes]
        self._values.append((attribute, values))
        bits: dict[int, int] = {}
        """Of each value those that have it."""
        alone, bit = 0, 1
        for mine in values:
            counts = Counter(mine)
            for value in mine:
                bits[value] = bits.get(value, 0) | bit
                alone |= bit if counts[value] == 1 else 0
                bit <<= 1

        def test(kind: str, number: int, passed: int) -> Iterator[Test]:
            cost = attribute.cost + (0.0 if attribute.is_truth else _COSTS[kind])
            yield Test(attribute, kind, number, False, passed, cost)
            yield Test(attribute, kind, number, True, passed ^ self.every, cost + _NOT)

        if attribute.is_truth:
            yield from test(_EQUAL, 1, bits.get(1, 0))
            return
        yield from test(_MOST, 0, _extreme(self.every, values, max))
        yield from test(_LEAST, 0, _extreme(self.every, values, min))
        yield from test(_ALONE, 0, alone)
        seen = sorted({value for mine in values[:demos] for value in mine})
        for number in seen[:_MOST_VALUES]:
            yield from test(_EQUAL, number, bits[number])
        for number in seen[:-1][:_MOST_VALUES]:
            yield from test(_ABOVE, number, sum(some for value, some in bits.items() if value > number))

    def exactly(self, wanted: int) -> Iterator[Condition]:
        """Conditions that hold for just these of the objects of demonstrations, the cheapest first."""
        if wanted == self.shown:
            yield Condition(())
            return
        wide = [test for test in self.tests if test.passed & wanted == wanted]
        yield from self._best(wide, lambda passed: passed & self.shown == wanted)

    def among(self, allowed: Sequence[tuple[int, int]]) -> Iterator[Condition]:
        """Conditions that hold, of each sample's objects, for some that are allowed and for no others."""

        def right(passed: int) -> bool:
            return all(passed & mine & may and not passed & mine & ~may for mine, may in allowed)

        wide = [test for test in self.tests if all(test.passed & may for _, may in allowed)]
        yield from self._best(wide, right)
        yield from sorted(self._extremes(wide, right), key=lambda one: one.cost)

    def _extremes(self, wide: Sequence[Test], right: Callable[[int], bool]) -> Iterator[Condition]:
        """The most or least of those that pass a test, where that is right."""
        for test in wide[:_MOST_FILTERS]:
            for attribute, values in self._values:
                if attribute.is_truth or not attribute.is_local:
                    continue
                for kind, best in ((_MOST, max), (_LEAST, min)):
                    passed = _extreme(test.passed, values, best)
                    if right(passed):
                        cost = attribute.cost + _COSTS[kind]
                        yield Condition((test, Test(attribute, kind, 0, False, passed, cost)), last=True)

    def _best(self, wide: Sequence[Test], right: Callable[[int], bool]) -> Iterator[Condition]:
        """Of tests that may be of use those that are right, alone and by two."""
        alone = [test for test in wide if right(test.passed)]
        yield from (Condition((test,)) for test in alone)
        rest = [test for test in wide if test not in alone][:_MOST_TESTS]
        twos = [Condition(two) for two in combinations(rest, 2) if right(two[0].passed & two[1].passed)]
        yield from sorted(twos, key=lambda one: one.cost)
