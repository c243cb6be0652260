"""Types of the language: terms, their text, and the matching that inference rests on.

    Int Bool Grid       scalars and grids           Int?    an integer or None
    {t}  [t]  (t, u)    set, tuple of any length, tuple of known parts
    (t, u -> v)         a function

`IJ`, `Cell`, `Object` and `Indices` abbreviate (Int, Int), (Int, IJ), {Cell} and {IJ}. A rule for a primitive may also
use lower-case type variables, `<t>` for a set or a tuple (the same kind wherever `<...>` stands in one rule), `~t` for
a container of either kind, and the classes below; a class name stands for the same member throughout one rule, and a
digit behind it (`Patch1, Patch2`) makes another. `Key` is any type with an order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product


@dataclass(frozen=True)
class Type:
    """Base of every type term."""

    __slots__ = ("_hash",)

    def __hash__(self) -> int:  # kept, since a compiler looks types up all the time
        try:
            return self._hash  # type: ignore[attr-defined, no-any-return]
        except AttributeError:
            found = hash((type(self).__name__, *(getattr(self, name) for name in self.__slots__)))
            object.__setattr__(self, "_hash", found)
            return found


@dataclass(frozen=True, slots=True)
class Scalar(Type):
    """Int, Bool, Int? or Grid."""

    name: str

    __hash__ = Type.__hash__

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Var(Type):
    """A type variable of a rule."""

    name: str

    __hash__ = Type.__hash__

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Set(Type):
    """A set of items of one type."""

    item: Type

    __hash__ = Type.__hash__

    def __str__(self) -> str:
        return _SHORT.get(self) or f"{{{self.item}}}"


@dataclass(frozen=True, slots=True)
class Seq(Type):
    """A tuple of any length, of items of one type."""

    item: Type

    __hash__ = Type.__hash__

    def __str__(self) -> str:
        return f"[{self.item}]"


@dataclass(frozen=True, slots=True)
class Tup(Type):
    """A tuple whose parts are known one by one."""

    parts: tuple[Type, ...]

    __hash__ = Type.__hash__

    def __str__(self) -> str:
        return _SHORT.get(self) or f"({', '.join(map(str, self.parts))})"


@dataclass(frozen=True, slots=True)
class Fn(Type):
    """A function."""

    params: tuple[Type, ...]
    result: Type

    __hash__ = Type.__hash__

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.params))} -> {self.result})"


@dataclass(frozen=True, slots=True)
class Closure(Type):
    """One of some functions that a compiler knows, by their numbers; a value of it is such a number."""

    numbers: frozenset[int]

    __hash__ = Type.__hash__

    def __str__(self) -> str:
        return f"function {'|'.join(map(str, sorted(self.numbers)))}"


INT = Scalar("Int")
BOOL = Scalar("Bool")
OPT_INT = Scalar("Int?")
GRID = Scalar("Grid")
NEVER = Scalar("Never")
"""What a call gives that always fails: fits everything."""
IJ = Tup((INT, INT))
CELL = Tup((INT, IJ))
INDICES = Set(IJ)
OBJECT = Set(CELL)
OBJECTS = Set(OBJECT)
ROWS = Seq(Seq(INT))

_MOST_PARTS = 8
"""Numbers of a literal tuple that are known one by one; a longer one is a list of numbers."""
_SHORT: dict[Type, str] = {IJ: "IJ", CELL: "Cell", OBJECT: "Object", INDICES: "Indices"}
_NAMED: dict[str, Type] = {
    "Int": INT,
    "Bool": BOOL,
    "Grid": GRID,
    "IJ": IJ,
    "Cell": CELL,
    "Object": OBJECT,
    "Indices": INDICES,
}
CLASSES: dict[str, tuple[Type, ...]] = {
    "Num": (INT, IJ),
    "Patch": (OBJECT, INDICES),
    "Piece": (GRID, OBJECT, INDICES),
    "Element": (GRID, OBJECT),
}


@dataclass(frozen=True, slots=True)
class Rule:
    """One way to call a primitive: the types it takes and the type it gives."""

    params: tuple[Type, ...]
    result: Type

    def __str__(self) -> str:
        return f"{', '.join(map(str, self.params))} -> {self.result}"


_TOKEN = re.compile(r"\s*(->|[A-Za-z]\w*\??|[{}\[\]()<>~,|])")


class _Reader:
    """Recursive descent over the text of a rule."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = _TOKEN.findall(text)
        self.classes: dict[str, None] = {}
        self.kinds: dict[str, None] = {}

    def take(self, expected: str = "") -> str:
        token = str(self.tokens.pop(0))
        if expected and token != expected:
            raise ValueError(f"expected {expected!r}, got {token!r} in type rule {self.text!r}")
        return token

    def list_until(self, end: str) -> list[Type]:
        items = [self.term()]
        while self.tokens and self.tokens[0] == ",":
            self.take(",")
            items.append(self.term())
        if end:
            self.take(end)
        return items

    def rule(self) -> Rule:
        params = self.list_until("->")
        return Rule(tuple(params), self.term())

    def term(self) -> Type:
        token = self.take()
        match token:
            case "{":
                return Set(self.list_until("}")[0])
            case "[":
                return Seq(self.list_until("]")[0])
            case "<":
                self.kinds["<>"] = None
                return _Kind("<>", self.list_until(">")[0])
            case "~":
                inner = self.term()
                self.kinds[f"~{inner}"] = None
                return _Kind(f"~{inner}", inner)
            case "(":
                return self.parenthesis()
            case "Int?":
                return OPT_INT
        if token.rstrip("0123456789") in CLASSES:
            self.classes[token] = None
            return Var(token)
        return _NAMED.get(token) or Var(token)

    def parenthesis(self) -> Type:
        items = self.list_until("")
        if self.take() == "->":
            result = self.term()
            self.take(")")
            return Fn(tuple(items), result)
        return Tup(tuple(items))


@dataclass(frozen=True, slots=True)
class _Kind(Type):
    """A container whose kind is still open; gone once a rule is expanded."""

    kind: str
    item: Type


_KINDS: tuple[type[Set] | type[Seq], ...] = (Set, Seq)


def parse_rules(text: str) -> tuple[Rule, ...]:
    """The rules of a primitive, classes and open container kinds spelled out, in the order to try them."""
    rules: dict[Rule, None] = {}
    for part in text.split("|"):
        reader = _Reader(part)
        rule = reader.rule()
        class_members = [CLASSES[name.rstrip("0123456789")] for name in reader.classes]
        for members in product(*class_members):
            bound: dict[str, Type] = dict(zip(reader.classes, members, strict=True))
            for kinds in product(_KINDS, repeat=len(reader.kinds)):
                chosen = dict(zip(reader.kinds, kinds, strict=True))
                expanded = Rule(
                    tuple(_expand(param, bound, chosen) for param in rule.params),
                    _expand(rule.result, bound, chosen),
                )
                rules[expanded] = None
    return tuple(rules)


def _expand(term: Type, bound: Mapping[str, Type], kinds: Mapping[str, type[Set] | type[Seq]]) -> Type:
    match term:
        case _Kind(kind, item):
            return kinds[kind](_expand(item, bound, kinds))
        case Set(item):
            return Set(_expand(item, bound, kinds))
        case Seq(item):
            return Seq(_expand(item, bound, kinds))
        case Tup(parts):
            return Tup(tuple(_expand(part, bound, kinds) for part in parts))
        case Fn(params, result):
            return Fn(tuple(_expand(param, bound, kinds) for param in params), _expand(result, bound, kinds))
        case Var(name):
            return bound.get(name, term)
    return term


def parse_type(text: str) -> Type:
    """A single type from its text."""
    return _Reader(text).term()


@cache
def join(a: Type, b: Type) -> Type | None:
    """The least type that holds the values of both, or None."""
    if b in (a, NEVER):
        return a
    if a == NEVER:
        return b
    pair = {a, b}
    if pair <= {INT, BOOL, OPT_INT}:
        return OPT_INT if OPT_INT in pair else INT
    if isinstance(a, Closure) and isinstance(b, Closure):
        return Closure(a.numbers | b.numbers)
    if isinstance(a, Set) and isinstance(b, Set):
        item = join(a.item, b.item)
        return Set(item) if item else None
    if isinstance(a, Tup) and isinstance(b, Tup) and len(a.parts) == len(b.parts):
        parts = [join(x, y) for x, y in zip(a.parts, b.parts, strict=True)]
        known = tuple(part for part in parts if part)
        return Tup(known) if len(known) == len(parts) else None
    one, two = as_seq(a), as_seq(b)
    if one and two:
        item = join(one.item, two.item)
        return Seq(item) if item else None
    return None


def as_seq(term: Type) -> Seq | None:
    """A tuple type seen as a tuple of any length, where its parts allow it."""
    if isinstance(term, Seq):
        return term
    if term == GRID:
        return ROWS
    if isinstance(term, Tup) and term.parts:
        item: Type | None = term.parts[0]
        for part in term.parts[1:]:
            item = join(item, part) if item else None
        return Seq(item) if item else None
    return None


@cache
def terms(term: Type) -> int:
    """How many terms a type is written with."""
    match term:
        case Set(item) | Seq(item):
            return 1 + terms(item)
        case Tup(parts):
            return 1 + sum(map(terms, parts))
        case Fn(params, result):
            return 1 + sum(map(terms, (*params, result)))
    return 1


def has_order(term: Type) -> bool:
    """Whether values of the type can serve as keys."""
    if isinstance(term, Seq):
        return has_order(term.item)
    if isinstance(term, Tup):
        return all(map(has_order, term.parts))
    if isinstance(term, Set):  # any two sets compare; functions in them do not as their numbers do
        return not any(closures(term))
    return term in (INT, BOOL, OPT_INT, GRID, NEVER)


def match(pattern: Type, term: Type, bound: dict[str, Type], *, exact: bool = False) -> bool:
    """Whether a value of a type may be passed where a rule has a pattern; binds the rule's variables.

    Unless `exact`, a tuple of cells or places may serve as a patch, a tuple of integers as an IJ and a tuple of rows
    as a grid: whether such a value has the right form is seen when it is used. Any value may serve as a truth.
    """
    if term == NEVER:
        return True
    match pattern:
        case Var(name):
            if name.startswith("Key") and not has_order(term):
                return False
            merged = join(bound[name], term) if name in bound else term
            if merged is None:
                return False
            bound[name] = merged
            return True
        case Set(item):
            items: Set | Seq | None = term if isinstance(term, Set) else None
            if items is None and not exact and pattern in (OBJECT, INDICES) and term != GRID:
                items = as_seq(term)
            return items is not None and match(item, items.item, bound, exact=exact)
        case Seq(item):
            seq = as_seq(term)
            return seq is not None and match(item, seq.item, bound, exact=exact)
        case Tup(parts):
            if isinstance(term, Tup) and len(term.parts) == len(parts):
                return all(match(p, t, bound, exact=exact) for p, t in zip(parts, term.parts, strict=True))
            return not exact and isinstance(term, Seq) and all(match(part, term.item, bound) for part in parts)
        case Scalar("Int"):
            return term in (INT, BOOL, OPT_INT)
        case Scalar("Bool"):
            return term == BOOL or not exact
        case Scalar("Grid"):
            seq = as_seq(term)
            row = as_seq(seq.item) if seq else None
            return term == GRID or (not exact and row is not None and row.item in (INT, BOOL, OPT_INT))
    return pattern == term


def type_of_constant(value: int | tuple[int, ...]) -> Type:
    """The type of a literal."""
    if isinstance(value, bool):
        return BOOL
    if isinstance(value, int):
        return INT
    return Tup((INT,) * len(value)) if len(value) <= _MOST_PARTS else Seq(INT)


def substitute(term: Type, bound: Mapping[str, Type]) -> Type:
    """The term with its variables replaced."""
    return _expand(term, bound, {})


def closures(term: Type) -> Iterator[frozenset[int]]:
    """The numbers of the functions at each place of a type where one stands."""
    match term:
        case Closure(numbers):
            yield numbers
        case Set(item) | Seq(item):
            yield from closures(item)
        case Tup(parts):
            for part in parts:
                yield from closures(part)


def variables(term: Type) -> Iterator[str]:
    """The names of the variables in a term."""
    match term:
        case Var(name):
            yield name
        case Set(item) | Seq(item):
            yield from variables(item)
        case Tup(parts):
            for part in parts:
                yield from variables(part)
        case Fn(params, result):
            for part in (*params, result):
                yield from variables(part)
