"""Any function of the language over a batch of arguments, as one engine run; results in the order of the calls.

A function is a primitive (by name or from `arcbatt.dsl`), what a combinator makes of primitives, or a program. Each
call means exactly what the function means of its arguments; a call that fails is a `Failed` in its place.
"""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import compress
from typing import Any, Final

from arcbatt.api.values import common_types, with_items
from arcbatt.backends.calls import RESULT, Called, CallEngine
from arcbatt.backends.choose import backend_for, why_no_gpu
from arcbatt.backends.merged import MergedReference, Stop, Stopped
from arcbatt.backends.outcome import Failed, Outcome, first_failure
from arcbatt.errors import UsageError
from arcbatt.frontend import Program
from arcbatt.ir.graph import CONST, INVOKE, PRIMITIVE, Graph
from arcbatt.ops import OPS
from arcbatt.ops.types import CELL, INT, NEVER, OBJECT, Type
from arcbatt.reference.functions import Function
from arcbatt.reference.machine import primitive

Language = str | Function | Program
"""A function of the language: a primitive's name, a function value, or a program."""

Row = tuple[Any, ...]
_MOST_GROUPS: Final = 16
"""Groups of calls with arguments of like types; calls beyond them run on the reference."""
_NO_TYPE: Final = "arguments without a type"
_MANY_TYPES: Final = "arguments of too many types"


class Results(list[Outcome]):
    """What a batch gave, in order: a value or Failed for each item."""

    def __init__(self, values: Iterable[Outcome] = (), *, backend: str = "cpu", note: str = "") -> None:
        super().__init__(values)
        self.backend = backend
        """The engine that was used."""
        self.note = note
        """Why it is not the GPU, where that was asked for."""
        self.ran: Counter[str] = Counter()
        """How many items ran where: an engine's name, `python`, or `reference: ` and why."""
        self.done: list[bool] = [True] * len(self)
        """Of each item, whether it was finished; false only after a stop, and its value is None then."""

    @property
    def failed(self) -> dict[int, Failed]:
        """The items that failed, by place."""
        return {place: value for place, value in enumerate(self) if isinstance(value, Failed)}

    @property
    def finished(self) -> bool:
        """Whether every item was finished."""
        return all(self.done)


def new_results(count: int, backend: str = "auto") -> Results:
    """Results to be filled, with what the backend comes to."""
    results = Results([None] * count, backend="cpu" if backend == "gpu" else backend)
    if backend in ("gpu", "auto"):
        results.backend = backend_for("auto")
        results.note = "" if results.backend == "cuda" else why_no_gpu() or ""
    else:
        results.backend = backend_for(backend)
    results.done = [False] * count
    return results


def function_of(function: Any) -> Function | Program | None:
    """The function of the language something stands for, or None where it is something else."""
    if isinstance(function, Function | Program):
        return function
    if isinstance(function, str):
        if function not in OPS:
            raise UsageError(f"no primitive {function!r}; docs/ops.md lists them")
        return primitive(function)
    return None


def call_many(
    function: Language,
    calls: Sequence[tuple[Any, ...]],
    *,
    backend: str = "auto",
    threads: int | None = None,
    stop: Stop | None = None,
    progress: Callable[[int], None] | None = None,
) -> Results:
    """The function of each tuple of arguments; arguments may be function values too.

    `backend` is auto, cpu, cuda or python (the reference). `stop` is asked now and then whether to end early;
    `progress` is told how many calls are done.
    """
    known = function_of(function)
    if known is None:
        raise UsageError(f"{function!r} is no primitive, function value or program")
    results = new_results(len(calls), backend)
    groups: dict[tuple[Any, ...], list[int]] = {}
    for place, args in enumerate(calls):
        if failed := first_failure(args):
            results[place], results.done[place] = failed, True
            results.ran["not run: an argument has failed"] += 1
            continue
        functions = tuple([arg if isinstance(arg, Function) else None for arg in args])
        groups.setdefault((functions, repr(functions) if any(functions) else ""), []).append(place)
    state = _Batch(results, threads, stop, progress)
    for (functions, _), places in groups.items():
        state.group(known, functions, calls, places)
    return results


class _Batch:
    def __init__(
        self, results: Results, threads: int | None, stop: Stop | None, progress: Callable[[int], None] | None
    ) -> None:
        self.results = results
        self.threads = threads
        self.stop = stop
        self.progress = progress
        self.finished = sum(results.done)

    def group(
        self,
        function: Function | Program,
        functions: tuple[Function | None, ...],
        calls: Sequence[tuple[Any, ...]],
        places: list[int],
    ) -> None:
        """Calls that have the same functions among their arguments."""
        plain = [place for place, one in enumerate(functions) if one is None]
        if len(plain) == len(functions):
            rows = [calls[place] for place in places]
        else:
            rows = [tuple([calls[place][at] for at in plain]) for place in places]
        if self.results.backend == "python":
            self.reference(function, functions, rows, places, "asked for")
            return
        for _ in range(_MOST_GROUPS):
            if not rows or (self.stop and self.stop()):
                return
            types = common_types(rows)
            if types is None:
                self.reference(function, functions, rows[:1], places[:1], _NO_TYPE)
                rows, places = rows[1:], places[1:]
                continue
            engine = self.engine(function, functions, types)
            if engine.problem is not None:
                alike = [common_types([row]) == types for row in rows]
                alike[0] = True
                self.reference(function, functions, *_chosen(rows, places, alike), engine.problem)
                rows, places = _chosen(rows, places, [not one for one in alike])
                continue
            called = engine.run(rows, stop=self.stop, progress=self._progress)
            self.put(called, places)
            if called.misfits[:1] == [0]:  # of no type after all: a list in a tuple, a cell beyond a byte
                self.reference(function, functions, rows[:1], places[:1], _NO_TYPE)
                called.misfits = called.misfits[1:]
            rows, places = [rows[at] for at in called.misfits], [places[at] for at in called.misfits]
        self.reference(function, functions, rows, places, _MANY_TYPES)

    def engine(
        self, function: Function | Program, functions: tuple[Function | None, ...], types: tuple[Type, ...]
    ) -> CallEngine:
        """The engine for arguments of these types; where they say nothing of items, there are none: any will do."""
        for item in (INT, CELL, OBJECT):
            given = tuple([with_items(kind, item) for kind in types])
            engine = engine_for(function, functions, given, self.results.backend, self.threads)
            if engine.problem is None or given == types:
                break
        return engine

    def _progress(self, done: int) -> None:
        if self.progress:
            self.progress(self.finished + done)

    def put(self, called: Called, places: list[int]) -> None:
        results = self.results
        for place, value, done in zip(places, called.values, called.done, strict=True):
            if done:
                results[place], results.done[place] = value, True
        results.ran.update(called.ran)
        self.finished += sum(called.done)
        if self.progress:
            self.progress(self.finished)

    def reference(
        self,
        function: Function | Program,
        functions: tuple[Function | None, ...],
        rows: list[Row],
        places: list[int],
        why: str,
    ) -> None:
        """Calls on the reference, whatever their arguments are."""
        if not rows:
            return
        graph = call_graph(function, functions, (NEVER,) * len(rows[0]))
        called = Called([None] * len(rows), [False] * len(rows))
        for at, row in enumerate(rows):
            try:
                called.values[at] = MergedReference(
                    graph, dict(zip(graph.declared, row, strict=True)), stop=self.stop
                ).of(RESULT)
            except Stopped:
                break
            called.done[at] = True
            called.ran[f"reference: {why}"] += 1
        self.put(called, places)


def _chosen(rows: list[Row], places: list[int], wanted: list[bool]) -> tuple[list[Row], list[int]]:
    return list(compress(rows, wanted)), list(compress(places, wanted))


def engine_for(
    function: Function | Program,
    functions: tuple[Function | None, ...],
    types: tuple[Type, ...],
    backend: str = "cpu",
    threads: int | None = None,
) -> CallEngine:
    """The engine that calls a function with arguments of these types; `functions` are those among the arguments."""
    return _engine(function, functions, types, backend, threads, repr((function, functions)))


@lru_cache(maxsize=512)
def _engine(
    function: Function | Program,
    functions: tuple[Function | None, ...],
    types: tuple[Type, ...],
    backend: str,
    threads: int | None,
    _: str,  # what the functions look like: 1 and True bound into them are equal, and not the same
) -> CallEngine:
    graph = call_graph(function, functions, types)
    if backend == "cuda":
        on_gpu: Any = getattr(importlib.import_module("arcbatt.backends.cuda"), "CallEngine", None)
        if on_gpu is not None:
            engine: CallEngine = on_gpu(graph)
            return engine
    return CallEngine(graph, threads=threads)


def call_graph(function: Function | Program, functions: tuple[Function | None, ...], types: tuple[Type, ...]) -> Graph:
    """A graph of one call, its arguments declared in order."""
    graph = Graph()
    kinds = iter(types)
    args = [
        graph.declare(f"A{place}", next(kinds)) if one is None else function_node(graph, one)
        for place, one in enumerate(functions)
    ]
    graph.outputs[RESULT] = call_node(graph, function, args)
    return graph


def call_node(graph: Graph, function: Function | Program, args: Sequence[int]) -> int:
    """The node of a call; raises UsageError where the number of arguments is wrong."""
    name = function.name
    arity = len(function.params) if isinstance(function, Program) else function.arity
    if len(args) != arity:
        raise UsageError(f"{name} takes {arity} arguments, got {len(args)}")
    if isinstance(function, Program):
        return graph.build(function, dict(zip(function.params, args, strict=True)))
    if not function.parts:
        return graph.add(name, tuple(args))
    return graph.add(INVOKE, (function_node(graph, function), *args))


def function_node(graph: Graph, value: Any) -> int:
    """The node of a function value, or of a value bound into one."""
    if not isinstance(value, Function):
        return graph.add(CONST, (type(value).__name__, value))
    if not value.parts:
        return graph.add(PRIMITIVE, (value.name,))
    return graph.add(value.name, tuple([function_node(graph, part) for part in value.parts]))
