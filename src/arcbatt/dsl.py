"""The vocabulary as Python names: `from arcbatt.dsl import objects, fill, T`.

A primitive takes plain values and gives a plain value, or `Failed`; it never raises for what a program does, and fails
when given something that has failed. Primitives and what combinators make are function values, to be passed on;
`invoke` calls any of them.
"""

from __future__ import annotations

import functools
from typing import Any

from arcbatt.language.failures import Fail, Failed, Outcome, first_failure
from arcbatt.language.functions import Function
from arcbatt.language.reference import Machine
from arcbatt.language.spec import OpSpec
from arcbatt.language.table import current as _current
from arcbatt.language.values import Value


def invoke(function: Value, *args: Value) -> Outcome:
    """A function value of the arguments, or Failed; anything else in its place fails too."""
    if failed := first_failure((function, *args)):
        return failed
    try:
        return Machine().call(function, *args)
    except Fail as fail:
        return Failed(fail.reason, fail.primitive or str(function), 0, fail.detail)


class Primitive(Function):
    """A primitive that can also be called from Python; in every other way the function value it is."""

    def __call__(self, *args: Value) -> Outcome:
        """The primitive of the arguments, or Failed."""
        return invoke(self, *args)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Function) and (self.name, self.parts) == (other.name, other.parts)

    __hash__ = Function.__hash__


@functools.cache
def _primitive(spec: OpSpec) -> Primitive:
    """The function value of a primitive, always the same one."""
    return Primitive(spec.name, (), spec.arity)


def __getattr__(name: str) -> Any:
    language = _current()
    if name in language.ops:
        return _primitive(language.op(name))
    if name in language.constants:
        return language.constants[name]
    raise AttributeError(f"arcbatt.dsl has no {name!r}; docs/ops.md lists every primitive and constant")


def __dir__() -> list[str]:
    language = _current()
    return sorted([*language.ops, *language.constants, "invoke"])
