"""Where nodes are emitted: the graph itself, or the body of a loop being built.

Both share one face, so that inlining a function does not care where it happens; top.py and body.py have the two.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from arcbatt.compiler.internal_errors import InternalError
from arcbatt.compiler.passes.fold import Folder
from arcbatt.compiler.rewrites import Rewrites
from arcbatt.compiler.typed import Body
from arcbatt.errors import ArcbattError
from arcbatt.language.encoding import encode
from arcbatt.language.types import NEVER, Seq, Set, Type, terms
from arcbatt.language.values import Value

_MOST_TERMS: Final = 128
"""More than any type has that can be lowered and is written by people."""


class UnresolvedError(ArcbattError):
    """Why something cannot be brought to first-order form; its program runs on the dynamic tier."""


class DefectError(UnresolvedError):
    """A defect of the compiler, met at a node; only the programs that need the node run elsewhere for it."""

    def __init__(self, internal: InternalError) -> None:
        super().__init__(str(internal))
        self.internal = internal


@dataclass(frozen=True, slots=True, eq=False)
class Ref:
    """A value of a context: a node of the graph, or a parameter, capture or node of a body."""

    context: Context
    index: int
    type: Type
    can_fail: bool = True
    """Whether it can fail for what it is given."""
    constant: bool = False

    @property
    def may_fail(self) -> bool:
        """Whether it can fail at all: for what it is given, or for its steps."""
        stepped = self.context.level == 0 and self.context.rewrites.every_step and not self.constant
        return self.can_fail or stepped

    @property
    def value(self) -> Value:
        """The value of a constant."""
        return self.context.constant_at(self.index)


@dataclass
class Draft:
    """A node to be emitted."""

    op: str
    args: list[Ref]
    type: Type
    strict: int
    bodies: tuple[Body, ...] = ()
    can_fail: bool = True
    foldable: bool = False

    def __post_init__(self) -> None:
        need_small(self.type)


def need_small(kind: Type) -> None:
    """Refuse a type of too many terms: with `astuple(x, x)` line after line they double with every line."""
    if terms(kind) > _MOST_TERMS:
        raise UnresolvedError(f"a value whose type has more than {_MOST_TERMS} terms")


class Context(ABC):
    """What the graph and a body have in common."""

    level = 0
    loop_level = 0

    def __init__(self, rewrites: Rewrites, folder: Folder) -> None:
        self.rewrites = rewrites
        self.folder = folder
        self.free = False
        """Whether what is emitted costs no steps, since they are counted elsewhere."""

    @contextmanager
    def uncounted(self) -> Iterator[None]:
        """While this holds, what is emitted here costs no steps."""
        before, self.free = self.free, True
        try:
            yield
        finally:
            self.free = before

    @abstractmethod
    def emit(self, draft: Draft, *, hoisted: bool = False) -> Ref:
        """The node's value here."""

    @abstractmethod
    def constant(self, value: Value, kind: Type) -> Ref:
        """A constant's value here."""

    @abstractmethod
    def constant_at(self, index: int) -> Value:
        """The value of the constant that is the node with this number."""

    @abstractmethod
    def count_steps(self, steps: int) -> None:
        """Count the steps of a call that nothing is emitted for, unless they are counted elsewhere."""

    @abstractmethod
    def count_shared(self) -> None:
        """Note that a call in a body was found to be there already."""

    def fold(self, draft: Draft) -> tuple[Ref, int] | None:
        """The draft as a constant and the steps it took, where all it takes is constant."""
        if not (self.rewrites.fold and draft.foldable and draft.args and all(arg.constant for arg in draft.args)):
            return None
        found = self.folder.folded(draft.op, tuple([arg.value for arg in draft.args]))
        return (self.constant(found[0], _narrowed(draft.type, found[0])), found[1]) if found else None


def _narrowed(kind: Type, value: Value) -> Type:
    """The type of a constant: what holds nothing may hold anything, so that a list can start as `repeat(0, 0)`."""
    return type(kind)(NEVER) if isinstance(kind, Set | Seq) and not value else kind


def const_args(value: Value, kind: Type) -> tuple[Any, ...]:
    """A constant's key and value: two are one node only if they are equal to the last bit and of one type."""
    return (str(kind), json.dumps(encode(value)), value)


def need_ref(value: Any, what: str) -> Ref:
    """The value, if it is one and not a function."""
    if isinstance(value, Ref):
        return value
    raise UnresolvedError(f"{what} takes a function where a value is expected")
