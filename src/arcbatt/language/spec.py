"""What the table says of a primitive.

An entry is one line beside the reference function. Passes ask an entry what they need to know; none knows a primitive
by its name.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import lru_cache
from typing import Any, Final, Protocol

from arcbatt.language.failures import Reason
from arcbatt.language.types import (
    BOOL,
    GRID,
    INT,
    NEVER,
    OPT_INT,
    Closure,
    Fn,
    Rule,
    Scalar,
    Seq,
    Set,
    Tup,
    Type,
    Var,
    as_seq,
    match,
    parse_rules,
    substitute,
    variables,
)

_NUMBERS: Final = (INT, BOOL, OPT_INT, NEVER)
_REMEMBERED: Final = 200_000
"""Answers that are kept about calls of primitives, since the same is asked again and again."""


class _Fact(Enum):
    """An enumeration whose members are looked up all the time: Enum's own hash is a function in Python."""

    __hash__ = object.__hash__


class Fact(_Fact):
    """What passes may rely on."""

    COMMUTATIVE = auto()
    """Of two arguments, either order gives the same value and the same failure."""
    INVOLUTION = auto()
    """Of a grid or a truth, twice gives it back."""
    KEEPS_GRID = auto()
    """Full grids (not empty, all rows alike) give a full grid."""
    IDEMPOTENT = auto()
    """Twice gives what once gives."""
    TURN = auto()
    """On grids, one of the seven ways to turn or mirror."""
    TURN_INVARIANT = auto()
    """The same of a full grid and of the grid turned or mirrored."""
    CELLS_IN_ORDER = auto()
    """A tuple of cells in place of an Object is not just the set of them: later cells cover earlier ones."""
    FIRST_CELL = auto()
    """Of a tuple of cells only the first is looked at."""
    ANY_COLOUR = auto()
    """The second argument is compared with colours: it may be of any type, and none is equal to what is no number."""
    IJ_LATE = auto()
    """Can fail for another reason before it looks at its IJ."""
    IJ_AFTER_GRID = auto()
    """Looks at its IJ once it has seen that the grid, its first argument, is not empty."""
    SIGN = auto()
    """-1, 0 or 1 by the sign of a number; never fails."""
    TIMES = auto()
    """The product of two numbers."""
    SET_AS_GRID = auto()
    """A set in place of its grid does not fail it at once."""


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


class Does(_Fact):
    """What a primitive that takes values of any type does with them."""

    SAME = auto()
    """Gives its argument."""
    PAIR = auto()
    """The pair of its arguments."""
    CHOOSE = auto()
    """The second or the third argument, by the first."""
    COMPARE = auto()
    """Whether its arguments are equal."""
    SIZE = auto()
    """How many items there are."""
    SEARCH = auto()
    """Looks for a value among items, which may be of a type no item has."""
    NTH = auto()
    """The item at a place."""
    SINGLE = auto()
    """The set of just its argument."""
    INSERT = auto()
    """The second argument with the first as one more item."""
    JOIN = auto()
    """The items of both, in the kind of the first."""
    MERGE = auto()
    """The items of the items."""
    TUPLE = auto()
    """The items as a tuple."""
    SUBTRACT = auto()
    """The items of the first that are not in the second."""
    PRODUCT = auto()
    """Every item of the first with every item of the second."""
    OF_SIZE = auto()
    """The items that have so many items themselves."""
    ZIP = auto()
    """The items of both in step, as pairs."""
    OF_ITEMS = auto()
    """Something else of the items of every argument, which may compare them."""
    OF_NUMBERS = auto()
    """The same of a container of numbers, or of the two numbers of an IJ."""
    BY_RULE = auto()
    """Something else of arguments in just the forms its rule asks for."""


@dataclass(frozen=True, slots=True)
class GenericSpec:
    """A primitive that is an operation of the interpreter itself, since it takes values of any type."""

    does: Does
    code: str = ""
    """The operation, if it is not named like the primitive."""
    place: int | None = None
    """Of NTH, the place if it is always the same; of SEARCH, which argument is the container."""


class Over(Enum):
    """What a loop walks."""

    ITEMS = auto()
    """The items of one container."""
    IN_STEP = auto()
    """Pairs of items of two containers, as long as the shorter."""
    PRODUCT = auto()
    """Every item of one container with every item of another."""
    FUNCTIONS = auto()
    """Functions, each called with one value."""
    STATES = auto()
    """What the function gave last, as long as a condition holds."""


class Gives(Enum):
    """What the function of a loop gives, and what becomes of it."""

    ITEM = auto()
    """An item of the result."""
    CONTAINER = auto()
    """Items of the result: what the calls give is merged."""
    CONDITION = auto()
    """Whether an item is wanted."""
    KEY = auto()
    """What items are compared by."""
    STATE = auto()
    """What it is called with next, and in the end the result."""


@dataclass(frozen=True, slots=True)
class LoopSpec:
    """A primitive that calls a function for items."""

    gives: Gives
    over: Over = Over.ITEMS
    best: bool = False
    """Looks for the least or greatest key; of nothing it fails, unless it calls the function with 0."""
    zero: bool = False
    """Of nothing it calls the function with 0."""
    stops: bool = False
    """Ends at the first item that is wanted; later ones are not tried."""
    columnar: bool = False
    """Engines can run its body for many items at once, one instruction after the other (native/loops/columns.h)."""

    @property
    def maps(self) -> bool:
        """Whether the result is what the function gives of each item of one container."""
        return self.over is Over.ITEMS and self.gives is Gives.ITEM

    @property
    def carries(self) -> bool:
        """Whether a state goes from call to call."""
        return self.gives is Gives.STATE


@dataclass(frozen=True, slots=True)
class CombinatorSpec:
    """A primitive that makes a function of functions and values."""

    invoke: Callable[..., Any]
    """How the made function is called: `invoke(call, parts, arguments)`, where `call` calls a part."""
    functions: int
    """How many of its arguments, the first ones, are functions."""
    binds: bool = False
    """The made function takes one argument less than the first part; else it takes one."""
    calls: int = 0
    """Primitives the made function calls beyond those of its parts."""
    repeats: bool = False
    """The second argument says how often the first is applied."""


class Kernel(Protocol):
    """The code of a custom operation for engines; compiler/custom.py has both kinds."""

    @property
    def rule(self) -> Rule:
        """The types it is for."""


@dataclass(frozen=True, slots=True, eq=False)
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
    generic: GenericSpec | None = None
    loop: LoopSpec | None = None
    combinator: CombinatorSpec | None = None
    object_mode: tuple[int, ...] = ()
    """Of a primitive that finds the objects of a grid: what each later argument counts in the mode, R0 to R7."""
    kernel: Kernel | None = None
    does: Does | None = None
    """What it does with values of any type, if it takes such."""
    late: frozenset[int] = frozenset()
    """Parameters whose kind it does not look at, or not before it can succeed or fail for another reason."""
    since: int = 1
    """The version of random programs (devtools/generate) that draws it first: older seeds keep their meaning."""

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
        return _rule_for(self, args, exact)

    def call_type(self, args: tuple[Type, ...]) -> tuple[Type, bool] | None:
        """What a plain primitive gives for arguments of these types, and whether they fit exactly."""
        return _call_type(self, args)

    @property
    def can_fail(self) -> bool:
        """Whether well-typed arguments within the limits can make it fail."""
        return bool(self.fails)


@lru_cache(maxsize=_REMEMBERED)
def _rule_for(spec: OpSpec, args: tuple[Type, ...], exact: bool) -> Rule | None:
    if len(args) != spec.arity:
        return None
    for rule in spec.rules:
        bound: dict[str, Type] = {}
        if all(
            match(param, arg, bound, exact=exact) and not _sees_grid(spec, at, param, arg)
            for at, (param, arg) in enumerate(zip(rule.params, args, strict=True))
        ):
            terms = [substitute(term, bound) for term in (*rule.params, rule.result)]
            nothing = {name: NEVER for term in terms for name in variables(term)}  # items of what holds none
            *params, result = (substitute(term, nothing) for term in terms) if nothing else terms
            return Rule(tuple(params), result)
    return None


def _sees_grid(spec: OpSpec, at: int, param: Type, arg: Type) -> bool:
    """Whether a tuple of cells, meant as a patch, would be seen as a grid: the primitive takes grids there too."""
    return isinstance(param, Set) and as_seq(arg) is not None and any(r.params[at] == GRID for r in spec.rules)


@lru_cache(maxsize=_REMEMBERED)
def _call_type(spec: OpSpec, args: tuple[Type, ...]) -> tuple[Type, bool] | None:
    if NEVER in args:
        return NEVER, False
    for exact in (True, False):
        if rule := spec.rule_for(args, exact=exact):
            return rule.result, exact
    if always_fails(spec, args):
        return NEVER, False
    if Fact.ANY_COLOUR in spec.facts and args[1] not in _NUMBERS:
        return spec.call_type((args[0], INT))
    return (INT, True) if spec.does is Does.SIZE and isinstance(args[0], Tup) else None


def always_fails(spec: OpSpec, args: tuple[Type, ...]) -> bool:
    """Whether a call fails for *type*, whatever the values of these types.

    So it does where no rule takes arguments of such kinds, and the primitive looks at that before all else.
    """
    return all(
        any(
            at not in spec.late and _unfit(spec, param, arg)
            for at, (param, arg) in enumerate(zip(rule.params, args, strict=True))
        )
        for rule in spec.rules
    )


def _unfit(spec: OpSpec, param: Type, arg: Type) -> bool:
    """Whether no value of a type is of the kind a parameter needs; what is inside containers does not count."""
    is_tuple = isinstance(arg, (Seq, Tup)) or arg == GRID
    match param:
        case Tup(parts) if isinstance(arg, Tup):
            same_length = len(arg.parts) == len(parts)
            return not same_length or any(_unfit(spec, part, of) for part, of in zip(parts, arg.parts, strict=True))
        case Tup(parts):
            seq = as_seq(arg)
            return not is_tuple or (seq is not None and any(_unfit(spec, part, seq.item) for part in parts))
        case Seq():
            return not is_tuple
        case Set(item):
            return not isinstance(arg, Set) and not (is_tuple and not isinstance(item, Var))
        case Scalar("Grid"):
            return not is_tuple and not (isinstance(arg, Set) and Fact.SET_AS_GRID in spec.facts)
        case Scalar("Int"):
            return is_tuple or isinstance(arg, (Set, Closure))
    return False


def make_spec(
    family: str,
    reference: Callable[..., Any],
    signature: str,
    *facts: Fact,
    fails: str = "",
    cost: Cost = Cost.LINEAR,
    generic: GenericSpec | None = None,
    loop: LoopSpec | None = None,
    combinator: CombinatorSpec | None = None,
    object_mode: tuple[int, ...] = (),
    kernel: Kernel | None = None,
    late: tuple[int, ...] = (),
    since: int = 1,
) -> OpSpec:
    """A table entry; name, parameters and doc line come from the reference function."""
    params = tuple(inspect.signature(reference).parameters)
    if (params[0] == "call") != (loop is not None):
        raise ValueError(f"{reference.__name__}: a primitive that takes call is a loop, and says which")
    doc = inspect.getdoc(reference) or ""
    if not doc:
        raise ValueError(f"{reference.__name__} has no docstring")
    return OpSpec(
        name=reference.__name__,
        params=params[1:] if loop else params,
        signature=signature,
        rules=() if combinator else parse_rules(signature),
        doc=doc,
        family=family,
        kind=Kind.LOOP if loop else Kind.COMBINATOR if combinator else Kind.PLAIN,
        reference=reference,
        facts=frozenset(facts),
        fails=tuple(map(Reason, fails.split())),
        cost=cost,
        generic=generic,
        loop=loop,
        combinator=combinator,
        object_mode=object_mode,
        kernel=kernel,
        does=generic.does if generic else None,
        late=frozenset(late),
        since=since,
    )
