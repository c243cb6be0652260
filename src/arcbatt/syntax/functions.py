"""Functions written in a solver file, and how one becomes a value of the language: combinators, no parameters."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from arcbatt.language.program import Expr, Name


@dataclass(eq=False)
class Env:
    """Names and what they stand for, inside a function or a program; what is not here is looked up outside."""

    values: dict[str, Value]
    outer: Env | None
    find: Callable[[str], Value | None]
    """Names of the file and of the language."""
    later: frozenset[str] = frozenset()
    """Names that lines to come assign."""
    captured: set[str] = field(default_factory=set)
    """Names that functions made into values have used."""
    kinds: dict[str, str] = field(default_factory=dict)
    """Of names whether the text shows them to be lists or sets."""
    changed: frozenset[str] = frozenset()
    """Names of lists and sets that lines change in place."""


@dataclass(frozen=True, eq=False)
class Function:
    """A function of the text: a lambda, a `def` without branches, or an entry of a dialect."""

    name: str
    """Of a lambda, nothing."""
    params: tuple[str, ...]
    body: ast.expr | list[ast.stmt]
    env: Env
    defaults: Mapping[str, Value] = field(default_factory=dict)
    constant: bool = False
    """A constant of the file: no function, but written out like one."""
    own: bool = False
    """Whether its text is that of the program being read, so that errors can point into it."""

    @cached_property
    def uses(self) -> Mapping[str, int]:
        """How often the text of the function reads each parameter."""
        counts = dict.fromkeys(self.params, 0)
        for part in [self.body] if isinstance(self.body, ast.expr) else self.body:
            for node in ast.walk(part):
                if isinstance(node, ast.Name) and node.id in counts:
                    counts[node.id] += 1
        return counts


@dataclass(frozen=True, eq=False)
class Items:
    """A tuple written in the text: it is unpacked without ever being made."""

    items: tuple[Value, ...]
    name: str = ""


@dataclass(frozen=True, eq=False)
class Dict:
    """A dictionary, known to be one while the text is read; the language sees a tuple of its pairs."""

    pairs: Expr | Items
    """(key, value), a key once, in the order in which keys were first assigned."""
    default: Expr | None = None
    """What a key gives that is not there, if it does not fail: of defaultdict and Counter."""
    holds: str = ""
    """Whether the text shows its values to be lists or sets."""

    def of(self, pairs: Value, holds: str = "") -> Dict:
        """The same kind of dictionary with these pairs."""
        assert not isinstance(pairs, Function | Dict)
        return Dict(pairs, self.default, holds or self.holds)


class Foreign(Name):
    """A primitive that takes or makes tuples, as a file names it whose cells are not ours (`cell_items`)."""

    __slots__ = ()


Value = Expr | Function | Items | Dict


def variable(number: int) -> Name:
    """What stands for a parameter while a function is made into a value; no text can hold such a name."""
    return Name(f"<{number}>")


def is_variable(name: str) -> bool:
    """Whether a name is such a parameter."""
    return name.startswith("<")


def number_of(name: str) -> int:
    """The number of a parameter: that of an inner function is greater."""
    return int(name[1:-1])
