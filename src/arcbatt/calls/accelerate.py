"""Existing code in arc-dsl's style on the engine, call by call: functions replaced in place, and put back.

A function of a module is replaced where it is named like a plain primitive, and the engine was measured to be faster on
examples and gave the same. What the engine has no value for (an error, a value it has no form for) goes to the function
that was there. Functions that take functions stay as they are.
"""

from __future__ import annotations

import functools
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FunctionType, ModuleType
from typing import Any, Final

from arcbatt.calls.many import engine_for
from arcbatt.calls.measured import Kept, Measured
from arcbatt.calls.operations import OPERATION_ERRORS
from arcbatt.language.primitives.objects import o_g
from arcbatt.language.reference import primitive
from arcbatt.language.spec import Kind
from arcbatt.language.table import current
from arcbatt.language.types import BOOL, GRID, IJ, INDICES, INT, OBJECT, OBJECTS, Rule, Type, variables

_LOCK: Final = threading.RLock()
_MARGIN: Final = 0.9
"""The engine must take less than this share of a function's time to replace it."""
_MOST_ARGUMENTS: Final = 4
_ROUNDS: Final = 3
_LEAST_SECONDS: Final = 0.0005


@dataclass
class Acceleration:
    """What `accelerate` did: what was measured, and how many calls were served since, in every thread."""

    measured: dict[str, Measured] = field(default_factory=dict)
    _patches: list[_Patch] = field(default_factory=list)
    _before: dict[str, tuple[int, int]] = field(default_factory=dict)
    _after: dict[str, tuple[int, int]] | None = None

    @property
    def replaced(self) -> list[str]:
        """The primitives that the engine serves."""
        return sorted({patch.name for patch in self._patches})

    @property
    def served(self) -> Counter[str]:
        """Calls the engine answered."""
        return self._counts(0)

    @property
    def passed_on(self) -> Counter[str]:
        """Calls of replaced functions that went to the function that was there."""
        return self._counts(1)

    def _counts(self, which: int) -> Counter[str]:
        now = self._after or {patch.name: patch.counts() for patch in self._patches}
        return Counter({name: now[name][which] - self._before[name][which] for name in now})


class _Patch:
    """One function and what stands in its place while anybody wants it to."""

    def __init__(self, original: FunctionType, measured: Measured) -> None:
        self.original = original
        self.name = measured.name
        self.users: set[int] = set()
        self.given: list[ModuleType] = []
        self._tallies: list[list[int]] = []
        calls = [
            engine_for(primitive(self.name), (None,) * len(rule.params), rule.params).call for rule in measured.rules
        ]
        mine = threading.local()

        def answer(args: tuple[Any, ...]) -> Any:
            try:
                tally: list[int] = mine.tally
            except AttributeError:
                tally = mine.tally = [0, 0]
                self._tallies.append(tally)
            for call in calls:
                value = call(args)
                if value is not NotImplemented:
                    tally[0] += 1
                    return value
            tally[1] += 1
            return original(*args)

        self.serve = _like(original, answer)

    def counts(self) -> tuple[int, int]:
        return sum(tally[0] for tally in self._tallies), sum(tally[1] for tally in self._tallies)

    def put(self, old: Any, new: Any) -> None:
        """Put one function for another in every module that has it, imported or given."""
        for module in [*sys.modules.values(), *self.given]:
            names = vars(module) if isinstance(module, ModuleType) else {}
            for name in [name for name, value in list(names.items()) if value is old]:
                names[name] = new


def _like(original: FunctionType, answer: Callable[[tuple[Any, ...]], Any]) -> FunctionType:
    """A function that takes what another takes, by the same names: arc-dsl asks functions how many arguments they have.

    It answers with one function of the tuple of its arguments.
    """

    def one(a: Any) -> Any:
        return answer((a,))

    def two(a: Any, b: Any) -> Any:
        return answer((a, b))

    def three(a: Any, b: Any, c: Any) -> Any:
        return answer((a, b, c))

    def four(a: Any, b: Any, c: Any, d: Any) -> Any:
        return answer((a, b, c, d))

    made: Any = (one, two, three, four)[original.__code__.co_argcount - 1]
    names = original.__code__.co_varnames[: original.__code__.co_argcount]
    made.__code__ = made.__code__.replace(co_varnames=names)
    made.__defaults__ = original.__defaults__
    functools.update_wrapper(made, original)
    function: FunctionType = made
    return function


_MEASURED: dict[FunctionType, Measured] = {}
_PATCHES: dict[FunctionType, _Patch] = {}
_SERVING: dict[Any, _Patch] = {}


@contextmanager
def accelerate(modules: ModuleType | Iterable[ModuleType]) -> Iterator[Acceleration]:
    """While it lasts, functions of the modules (also where others have them by `from ... import *`) use the engine.

    Modules are imported ones with functions in arc-dsl's style. Which functions gain is measured once and remembered,
    also on disk, by machine, version and the module's file.
    Several may be open at once, in one another or in different threads; functions come back when the last one ends.
    """
    given = [modules] if isinstance(modules, ModuleType) else list(modules)
    state = Acceleration()
    try:
        with _LOCK:
            _begin(state, given)
        yield state
    finally:
        try:
            _end(state)
        except KeyboardInterrupt:
            _end(state)  # an interrupt leaves no function replaced
            raise


def _begin(state: Acceleration, given: list[ModuleType]) -> None:
    functions = _functions(given)
    wanted = [original for original in functions if original not in _MEASURED]
    kept = Kept(wanted)
    for original in wanted:  # before any is replaced: they call one another
        found = kept.of(original)
        _MEASURED[original] = found or measure(original)
        if found is None:
            kept.add(original, _MEASURED[original])
    kept.write()
    for original in functions:
        state.measured[original.__name__] = _MEASURED[original]
        if _MEASURED[original].rules:
            patch = _patch_of(original)
            state._before[patch.name] = patch.counts()
            state._patches.append(patch)
            patch.users.add(id(state))
            patch.given += given
            patch.put(original, patch.serve)


def _end(state: Acceleration) -> None:
    """Put back what nobody else has replaced; may be done twice."""
    with _LOCK:
        state._after = {patch.name: patch.counts() for patch in state._patches}
        for patch in state._patches:
            patch.users.discard(id(state))
            if not patch.users:
                patch.put(patch.serve, patch.original)
                patch.given.clear()


def _functions(modules: Iterable[ModuleType]) -> list[FunctionType]:
    """The functions of modules that are named like plain primitives; what stands for one counts as that one."""
    found: dict[FunctionType, None] = {}
    for module in modules:
        for value in vars(module).values():
            original = _SERVING[value].original if isinstance(value, FunctionType) and value in _SERVING else value
            spec = current().ops.get(getattr(original, "__name__", ""))
            if not isinstance(original, FunctionType) or spec is None or spec.kind is not Kind.PLAIN:
                continue
            if original.__code__.co_argcount == spec.arity <= _MOST_ARGUMENTS:
                found[original] = None
    return list(found)


def _patch_of(original: FunctionType) -> _Patch:
    patch = _PATCHES.get(original)
    if patch is None:
        patch = _PATCHES[original] = _Patch(original, _MEASURED[original])
        _SERVING[patch.serve] = patch
    return patch


def measure(function: FunctionType) -> Measured:
    """How long a function and the engine take on examples, and for which types the engine is faster and the same."""
    name = function.__name__
    seconds = engine_seconds = 0.0
    rules: list[Rule] = []
    for rule in current().op(name).rules:
        if any(True for param in rule.params for _ in variables(param)):
            continue
        engine = engine_for(primitive(name), (None,) * len(rule.params), rule.params)
        if engine.problem is not None or not (examples := list(_examples(rule))):
            continue
        try:
            same = all(function(*args) == engine.call(args) for args in examples)
        except OPERATION_ERRORS:
            same = False
        if not same:
            continue
        taken = _time(lambda args: function(*args), examples)
        engine_taken = _time(engine.call, examples)
        seconds += taken
        engine_seconds += engine_taken
        if engine_taken < _MARGIN * taken:
            rules.append(rule)
    return Measured(name, seconds, engine_seconds, tuple(rules))


def _time(function: Callable[[tuple[Any, ...]], Any], examples: list[tuple[Any, ...]]) -> float:
    """Seconds of a call, the best of a few rounds."""
    best = float("inf")
    for _ in range(_ROUNDS):
        count = 0
        start = time.perf_counter()
        passed = 0.0
        while passed < _LEAST_SECONDS:
            for args in examples:
                function(args)
            count += len(examples)
            passed = time.perf_counter() - start
        best = min(best, passed / count)
    return best


def _grid(side: int) -> Any:
    return tuple(
        [tuple([(i * j * 7 + i // 3) % 5 if (i + 2 * j) % 4 else 0 for j in range(side)]) for i in range(side)]
    )


def _examples(rule: Rule) -> Iterator[tuple[Any, ...]]:
    """Arguments of a small, a middling and a large grid for which the primitive has a value."""
    for side in (4, 10, 18):
        args = tuple([_example(param, side, place) for place, param in enumerate(rule.params)])
        if not any(arg is None for arg in args):
            yield args


def _example(kind: Type, side: int, place: int) -> Any:
    grid = _grid(side)
    colours = {(i, j) for i in range(side) for j in range(side) if grid[i][j] == 1 + place}
    known: dict[Type, Callable[[], Any]] = {
        GRID: lambda: grid,
        INT: lambda: 2,
        BOOL: lambda: place == 1,
        IJ: lambda: (1 + place, 2),
        INDICES: lambda: frozenset(colours) or frozenset({(place, 0), (place, 1)}),
        OBJECT: lambda: frozenset((1 + place, at) for at in colours) or frozenset({(1, (place, 0))}),
        OBJECTS: lambda: o_g(grid, 5),
    }
    return known[kind]() if kind in known else None
