"""Version 6 of the generator: calls in which much fails, each part for a reason of its own.

The function, what is bound into it, its arguments and what it calls may fail; what a call gives may be a value, one of
two values of different types, or a function.
"""

from __future__ import annotations

import random
import re

from arcbatt.language.primitives.containers import combine
from arcbatt.language.primitives.functions import compose, lbind
from arcbatt.language.primitives.numbers import add, astuple, equality, identity, multiply
from arcbatt.language.primitives.objects import dneighbors, ineighbors
from arcbatt.language.program import Program
from arcbatt.syntax import parse_program

_REASONS = (
    "multiply(multiply(size(I), 65536), 65536)",  # limit
    "increment(index(I, (9, 9)))",  # type
    "first(first(ofcolor(I, 9)))",  # empty
    "first(get_nth_t(I, 7))",  # bounds
    "divide(3, size(ofcolor(I, 9)))",  # zero-division
    *("size(I)",) * 5,
)
"""Numbers that fail, each for another reason, and as many that do not."""
_USES = (
    "size({value})", "height({value})", "palette({value})", "merge({value})", "totuple({value})", "first({value})",
    "initset({value})", "combine({value}, {value})", "astuple(I, {value})", "astuple({value}, {failing})",
    "add({value}, {number})", "contained({place}, {value})", "equality({value}, {failing})",
    "branch({condition}, {value}, {value})", "branch({condition}, {value}, I)",
    "{value}({place})", "rapply({value}, {place})", "compose({value}, {changed})({place})",
    "apply({function}, {value})", "apply({value}, repeat({place}, 2))", "{function}({value})",
    "both({value}, {failing})", "either({failing}, {value})", "both(I, {value})", "flip({value})",
    "branch({value}, {place}, {number})",
)  # fmt: skip
_CALLS = (
    "{function}({place})", "{function}({place})", "{maker}({place})({place})",
    "rapply(astuple({function}, {function}), {place})", "apply({function}, astuple({place}, {place}))",
    "mapply({function}, repeat({place}, 2))", "{function}(branch({condition}, {place}, {number}))",
    "{function}({function}({place}))", "{function}(branch({condition}, {function}, {function})({place}))",
)  # fmt: skip
_SIMPLE = (
    dneighbors.__name__, ineighbors.__name__, "lbind(canvas, {number})", "lbind(add, {place})",
    "rbind(multiply, {number})",
)  # fmt: skip
_FUNCTIONS = (
    *_SIMPLE, "branch({condition}, {function}, {function})", "get_nth_t(astuple({function}, {function}), {number})",
    "compose({function}, {changed})", "fork({pairing}, {function}, {function})", "first(initset({function}))",
    "{maker}",
)  # fmt: skip
"""Functions of a place."""
_CHANGED = (
    identity.__name__, "rbind(multiply, {number})", "lbind(add, {place})", "branch({condition}, double, identity)",
    "power(double, {number})", "compose(double, rbind(multiply, 65536))",
)  # fmt: skip
"""Functions of a place that give one."""
_MAKERS = (
    "compose(lbind(lbind, {pairing}), {changed})", "compose(rbind(rbind, {place}), {function})",
    "lbind(rbind, {pairing})", "branch({condition}, lbind, rbind)(rbind, add)",
    "compose(lbind(compose, {function}), lbind(lbind, add))",
    "branch({condition}, lbind(lbind, add), lbind(rbind, multiply))",
)  # fmt: skip
"""Functions of a place that give a function of a place."""
_PLACES = ("shape(I)", "multiply(shape(I), 65536)", "multiply(multiply(shape(I), 65536), 65536)")
_PAIRING = tuple(one.__name__ for one in (add, astuple, multiply, combine, equality, compose, lbind))
_MOST_NESTED = 3
_PLACE = re.compile(r"{(\w+)}")


class FailingCalls:
    """Draws programs of such calls."""

    def __init__(self, seed: int | str) -> None:
        self._random = random.Random(seed)
        self._nested = 0

    def program(self, name: str = "solve_random", lines: int = 8, samples: bool = False) -> Program:
        """A call, and up to three uses of what it gives: a program of one line, of I, whatever is asked for."""
        text = self._drawn(_CALLS)
        for _ in range(self._random.randrange(4)):
            text = self._filled(self._random.choice(_USES), text)
        return parse_program(f"def {name}(I):\n    return {text}\n")

    def _drawn(self, forms: tuple[str, ...]) -> str:
        return self._filled(self._random.choice(forms))

    def _filled(self, form: str, value: str = "") -> str:
        """A form with each of its places drawn anew."""
        return _PLACE.sub(lambda found: value if found[1] == "value" else self._part(found[1]), form)

    def _part(self, kind: str) -> str:
        match kind:
            case "failing":
                return self._failing("I")
            case "number":
                number = self._random.choice(("0", "3", "65536", "height(I)", "F"))
                return self._failing(number) if self._random.random() < 0.6 else number
            case "condition":
                return self._failing(self._random.choice(("T", "F", "portrait(I)"))) if self._even() else "second(I)"
            case "place":
                return self._failing("(1, 2)") if self._even() else self._drawn(_PLACES)
            case "pairing":
                return self._random.choice(_PAIRING)
        self._nested += 1
        try:
            forms = {"function": _FUNCTIONS, "changed": _CHANGED, "maker": _MAKERS}[kind]
            return self._drawn(_SIMPLE if kind == "function" and self._nested > _MOST_NESTED else forms)
        finally:
            self._nested -= 1

    def _failing(self, value: str) -> str:
        """A value, or a failure."""
        return f"first(astuple({value}, {self._random.choice(_REASONS)}))"

    def _even(self) -> bool:
        return self._random.random() < 0.5
