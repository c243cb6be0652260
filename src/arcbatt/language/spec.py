"""What the table says of a primitive."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any

from arcbatt.language.failures import Reason
from arcbatt.language.types import GRID, Fn, Rule, Set, Type, as_seq, match, parse_rules, substitute


class Fact(Enum):
    """What passes may rely on."""

    COMMUTATIVE = auto()
    """Of two arguments, either order gives the same value and the same failure."""
    INVOLUTION = auto()
    """On grids, twice gives the grid back."""
    KEEPS_GRID = auto()
    """Full grids (not empty, all rows alike) give a full grid."""
    IDEMPOTENT = auto()
    """Twice gives what once gives."""
    TURN_INVARIANT = auto()
    """The same of a full grid and of the grid turned or mirrored."""


class Kind(Enum):
    """How a primitive takes part in a program."""

    PLAIN = auto()
    """Takes values, gives a value."""
    LOOP = auto()
    """Calls a function it was given for items of a container."""
    COMBINATOR = auto()
    """Takes functions and gives a function."""


class Cost(Enum):
    """What a call costs in steps beyond 1 + sizes of arguments and result."""

    LINEAR = auto()
    PRODUCT = auto()
    """The sizes of its two arguments, multiplied."""


@dataclass(frozen=True, slots=True)
class OpSpec:
    """One primitive: everything the rest of the system knows about it."""

    name: str
    params: tuple[str, ...]
    signature: str
    rules: tuple[Rule, ...]
    doc: str
    family: str
    kind: Kind
    reference: Callable[..., Any]
    facts: frozenset[Fact] = field(default_factory=frozenset)
    fails: tuple[Reason, ...] = ()
    cost: Cost = Cost.LINEAR
    takes_call: bool = False
    _found: dict[tuple[tuple[Type, ...], bool], Rule | None] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    """Answers of `rule_for`, which is asked the same again and again."""

    @property
    def arity(self) -> int:
        """How many arguments a call takes."""
        return len(self.params)

    @property
    def function_place(self) -> int:
        """Of a loop, which parameter is the function."""
        return next((at for at, param in enumerate(self.rules[0].params) if isinstance(param, Fn)), 0)

    def rule_for(self, args: tuple[Type, ...], *, exact: bool) -> Rule | None:
        """The first rule that takes arguments of these types, its variables filled in."""
        key = (args, exact)
        if key not in self._found:
            self._found[key] = self._rule_for(args, exact)
        return self._found[key]

    def _rule_for(self, args: tuple[Type, ...], exact: bool) -> Rule | None:
        if len(args) != self.arity:
            return None
        for rule in self.rules:
            bound: dict[str, Type] = {}
            if all(
                match(param, arg, bound, exact=exact) and not self._sees_grid(at, param, arg)
                for at, (param, arg) in enumerate(zip(rule.params, args, strict=True))
            ):
                return Rule(tuple(substitute(param, bound) for param in rule.params), substitute(rule.result, bound))
        return None

    def _sees_grid(self, at: int, param: Type, arg: Type) -> bool:
        """Whether a tuple of cells, meant as a patch, would be seen as a grid: the primitive takes grids there too."""
        return isinstance(param, Set) and as_seq(arg) is not None and any(r.params[at] == GRID for r in self.rules)

    @property
    def can_fail(self) -> bool:
        """Whether well-typed arguments within the limits can make it fail."""
        return bool(self.fails)


def make_spec(
    family: str,
    reference: Callable[..., Any],
    signature: str,
    *facts: Fact,
    fails: str = "",
    cost: Cost = Cost.LINEAR,
    kind: Kind = Kind.PLAIN,
) -> OpSpec:
    """A table entry; name, parameters and doc line come from the reference function."""
    params = tuple(inspect.signature(reference).parameters)
    takes_call = params[0] == "call"
    doc = inspect.getdoc(reference) or ""
    if not doc:
        raise ValueError(f"{reference.__name__} has no docstring")
    return OpSpec(
        name=reference.__name__,
        params=params[1:] if takes_call else params,
        signature=signature,
        rules=() if kind is Kind.COMBINATOR else parse_rules(signature),
        doc=doc,
        family=family,
        kind=Kind.LOOP if takes_call else kind,
        reference=reference,
        facts=frozenset(facts),
        fails=tuple(map(Reason, fails.split())),
        cost=cost,
        takes_call=takes_call,
    )
