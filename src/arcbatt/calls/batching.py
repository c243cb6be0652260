"""Calls that are collected and run as batches when a value is needed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any, Final

from arcbatt.calls.many import call_each
from arcbatt.errors import UsageError
from arcbatt.language.calling import invoke
from arcbatt.language.failures import Failed, Outcome, Reason, first_failure
from arcbatt.language.functions import Function
from arcbatt.language.reference import primitive
from arcbatt.language.shown import plain
from arcbatt.language.spec import Kind
from arcbatt.language.table import current
from arcbatt.support.text import counted

_PENDING: Final = object()


class Deferred:
    """A value that will be there when it is looked at: by `value`, or by being used as a container, number or key.

    What a combinator makes can be called, and passed on, before it is there.
    """

    __slots__ = ("args", "batching", "function", "level", "outcome")

    def __init__(self, batching: Batching, function: Any, args: tuple[Any, ...]) -> None:
        self.batching = batching
        self.function = function
        self.args = args
        self.outcome: Any = _PENDING
        waits: list[int] = [one.level for one in (function, *args) if isinstance(one, Deferred)]
        self.level: int = 1 + max(waits, default=0)

    @property
    def value(self) -> Outcome:
        """The value, or Failed; everything collected so far is run if it is not there yet."""
        if self.outcome is _PENDING:
            self.batching.flush()
        return self.outcome

    def __call__(self, *args: Any) -> Deferred:
        """A call of the function it will be."""
        return self.batching.collect(self, args)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.value)

    def __len__(self) -> int:
        return len(self.value)

    def __getitem__(self, place: Any) -> Any:
        return self.value[place]

    def __contains__(self, item: Any) -> bool:
        return item in self.value

    def __bool__(self) -> bool:
        return bool(self.value)

    def __int__(self) -> int:
        return int(self.value)

    __index__ = __int__

    def __eq__(self, other: object) -> bool:
        return bool(self.value == (other.value if isinstance(other, Deferred) else other))

    def __hash__(self) -> int:
        return hash(self.value)

    def __repr__(self) -> str:
        return f"<{self.function}, not run yet>" if self.outcome is _PENDING else repr(self.outcome)

    def known(self) -> tuple[Any, tuple[Any, ...]]:
        """The function and its arguments, when all they wait for is there."""
        function, *args = [one.outcome if isinstance(one, Deferred) else one for one in (self.function, *self.args)]
        return function, tuple(args)

    def immediate(self) -> Outcome | None:
        """The outcome where it takes no engine: a combinator's, or a failure; None where there is a call to run."""
        function, args = self.known()
        if failed := first_failure((function, *args)):
            return failed
        if not isinstance(function, Function):
            return Failed(Reason.TYPE, "", 0, "a call of what is no function")
        if len(args) != function.arity:
            return Failed(
                Reason.TYPE, str(function), 0, f"takes {counted(function.arity, 'argument')}, got {len(args)}"
            )
        if not function.parts and current().op(function.name).kind is Kind.COMBINATOR:
            return invoke(function, *args)
        return None


class Batching:
    """Collects calls of primitives, made as its methods, and runs them as batches: made by `arcbatt.batching()`.

    Calls that wait for one another are run one after the other; of those that can run, like ones run at once.
    """

    def __init__(self, backend: str = "gpu") -> None:
        self.backend = backend
        self.ran: Counter[str] = Counter()
        """How many calls ran where."""
        self.runs = 0
        """How often calls that did not wait for one another were run."""
        self._waiting: list[Deferred] = []

    def __getattr__(self, name: str) -> Callable[..., Deferred]:
        if name not in current().ops:
            raise AttributeError(f"no primitive {name!r}; docs/ops.md lists them")
        return Collected(self, name)

    def collect(self, function: Any, args: tuple[Any, ...]) -> Deferred:
        """A call to be run later."""
        made = Deferred(self, _plain(function), tuple(map(_plain, args)))
        self._waiting.append(made)
        return made

    def flush(self) -> None:
        """Run what was collected."""
        waiting, self._waiting = self._waiting, []
        levels: dict[int, list[Deferred]] = {}
        for one in waiting:
            levels.setdefault(one.level, []).append(one)
        try:
            for level in sorted(levels):
                self._run(levels[level])
        finally:
            self._waiting = [one for one in waiting if one.outcome is _PENDING] + self._waiting

    def _run(self, calls: list[Deferred]) -> None:
        left: list[Deferred] = []
        for one in calls:
            outcome = one.immediate()
            if outcome is None:
                left.append(one)
            else:
                one.outcome = outcome
        if not left:
            return
        results = call_each([one.known() for one in left], backend=self.backend)
        for one, outcome in zip(left, results, strict=True):
            one.outcome = outcome
        self.ran.update(results.ran)
        self.runs += 1


class Collected:
    """A primitive whose calls are collected; as an argument it is the primitive."""

    def __init__(self, batching: Batching, name: str) -> None:
        self.batching = batching
        self.function = primitive(name)

    def __call__(self, *args: Any) -> Deferred:
        """A call to be run later."""
        if len(args) != self.function.arity:
            raise UsageError(f"{self.function} takes {counted(self.function.arity, 'argument')}, got {len(args)}")
        return self.batching.collect(self.function, args)


def _plain(arg: Any) -> Any:
    """An argument as the language has it."""
    if isinstance(arg, Collected):
        return arg.function
    return arg if isinstance(arg, Deferred | Function) else plain(arg)


@contextmanager
def batching(*modules: ModuleType, backend: str = "gpu") -> Iterator[Batching]:
    """Collect calls of primitives, made as methods of what it gives; what is left of them runs at the end.

    Functions of the given modules that are named like primitives are replaced by collecting ones while it lasts, so
    that straight-line code runs unchanged: call it for many grids, then look at what it gave. One thread at a time.
    """
    made = Batching(backend)
    replaced = [
        (module, name, value)
        for module in modules
        for name, value in list(vars(module).items())
        if name in current().ops and callable(value)
    ]
    for module, name, _ in replaced:
        setattr(module, name, Collected(made, name))
    try:
        yield made
        made.flush()
    finally:
        for module, name, value in replaced:
            setattr(module, name, value)
