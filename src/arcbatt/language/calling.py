"""Functions of the language called from Python: with plain values, lists, arrays and grids; the reference runs them."""

from __future__ import annotations

from inspect import Parameter, Signature
from typing import Any

from arcbatt.errors import UsageError
from arcbatt.language.expressions import Body
from arcbatt.language.failures import Fail, Failed, Outcome, first_failure
from arcbatt.language.functions import Function
from arcbatt.language.reference import Machine, evaluate
from arcbatt.language.sample import Sample
from arcbatt.language.shown import check_grid, plain, shown
from arcbatt.language.spec import OpSpec
from arcbatt.language.table import current
from arcbatt.language.values import Value


def invoke(function: Value, *args: Any) -> Outcome:
    """A function value of the arguments, or Failed; anything else in its place fails too.

    A grid comes back as one that shows itself.
    """
    given = [plain(arg) for arg in args]
    if failed := first_failure((function, *given)):
        return failed
    try:
        value = Machine().call(function, *given)
    except Fail as fail:
        return Failed(fail.reason, fail.primitive or str(function), 0, fail.detail)
    return _for_people(value)


def call_program(program: Body, args: tuple[Any, ...], named: dict[str, Any]) -> Outcome:
    """A program of its parameters' values in their order, or of a sample: its value, or Failed."""
    if len(args) == 1 and not named and isinstance(args[0], Sample):
        return _for_people(evaluate(program, args[0]))
    kinds = [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in program.params]
    try:
        bound = Signature(kinds).bind(*args, **named).arguments
    except TypeError as error:
        takes = f"{program.name}({', '.join(program.params)})"
        raise UsageError(f"{takes} is called with these values, or with one of a task's samples: {error}") from None
    given = {name: plain(value) for name, value in bound.items()}
    check_grid(given["I"], f"{program.name}: I")
    return _for_people(evaluate(program, Sample(given["I"], given.get("S", ()), given.get("C"))))


def _for_people(value: Outcome) -> Outcome:
    """A value as Python gets it: a function that can be called, a grid that shows itself."""
    if type(value) is Function:
        return PythonFunction(value.name, value.parts, value.arity, value.depth, value.calls, value.levels, value.size)
    return shown(value)


class PythonFunction(Function):
    """A function value that can also be called from Python; in every other way the function value it is."""

    def __call__(self, *args: Any) -> Outcome:
        """The function of the arguments, or Failed."""
        return invoke(self, *args)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Function) and (self.name, self.parts) == (other.name, other.parts)

    __hash__ = Function.__hash__


class Primitive(PythonFunction):
    """A primitive that can be called, with its signature and its help."""

    def __init__(self, spec: OpSpec) -> None:
        super().__init__(spec.name, (), spec.arity)
        parameters = [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in spec.params]
        types = "\n".join(f"    {one}" for one in spec.signature.split(" | "))
        fails = f"\n\nFails for: {', '.join(spec.fails)}." if spec.fails else ""
        own = {
            "__name__": spec.name,
            "__qualname__": spec.name,
            "__module__": "arcbatt.dsl",
            "__doc__": f"{spec.doc}\n\n{types}{fails}",
            "__signature__": Signature(parameters),
        }
        vars(self).update(own)

    def __call__(self, *args: Any, **named: Any) -> Outcome:
        """The primitive of the arguments, or Failed."""
        if named:
            signature: Signature = vars(self)["__signature__"]
            args = signature.bind(*args, **named).args
        return invoke(self, *args)

    def __get__(self, instance: object, owner: type | None = None) -> Primitive:
        """Itself: it is no method. With this, `help` takes it for the function it is."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _primitive_named, (self.name,)


def _primitive_named(name: str) -> Primitive:
    return Primitive(current().op(name))
