"""Any function of the language over a batch of arguments, as one engine run; results in the order of the calls.

A function is a primitive (by name or from `arcbatt.dsl`), what a combinator makes of primitives, or a program. Each
call means exactly what the function means of its arguments; a call that fails is a `Failed` in its place.
"""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import compress
from typing import Any, Final

from arcbatt.calls.values import common_types, with_items
from arcbatt.compiler.graph import INVOKE, PRIMITIVE, Graph
from arcbatt.display.html import page
from arcbatt.engine.api import Stop
from arcbatt.engine.calls import RESULT, Called, CallEngine, call_dynamic
from arcbatt.engine.choose import backend_for, why_no_gpu
from arcbatt.engine.dynamic import DynamicGraph
from arcbatt.engine.reference import MergedReference, Stopped
from arcbatt.errors import UsageError
from arcbatt.language.drawing import values_html
from arcbatt.language.failures import Failed, Outcome, first_failure
from arcbatt.language.functions import Function
from arcbatt.language.program import Program
from arcbatt.language.reference import primitive
from arcbatt.language.shown import quickly_plain
from arcbatt.language.table import current
from arcbatt.language.types import CELL, INT, NEVER, OBJECT, Type
from arcbatt.support.text import counted

Language = str | Function | Program
"""A function of the language: a primitive's name, a function value, or a program."""

Row = tuple[Any, ...]
_MOST_GROUPS: Final = 16
"""Groups of calls with arguments of like types; calls beyond them run on the dynamic tier."""
_SHOWN_LENGTH: Final = 300
"""Letters up to which results are written out in a terminal."""
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
        """How many items ran where: an engine's name, `python`, or `dynamic: ` and why."""
        self.done: list[bool] = [True] * len(self)
        """Of each item, whether it was finished; false only after a stop, and its value is None then."""

    def __repr__(self) -> str:
        words = super().__repr__()
        return words if len(words) <= _SHOWN_LENGTH else f"<Results: {self._says()}>"

    def _says(self) -> str:
        failed = f", {len(self.failed):,} failed" if self.failed else ""
        return f"{counted(len(self), 'item')}{failed}, on {self.backend}"

    def _repr_html_(self) -> str:
        return page(self._says(), values_html(self))

    @property
    def failed(self) -> dict[int, Failed]:
        """The items that failed, by place."""
        return {place: value for place, value in enumerate(self) if isinstance(value, Failed)}

    @property
    def finished(self) -> bool:
        """Whether every item was finished."""
        return all(self.done)


def new_results(count: int, backend: str = "gpu") -> Results:
    """Results to be filled, with what the backend comes to."""
    results = Results([None] * count, backend=backend)
    if backend == "gpu":
        results.backend = backend_for("gpu")
        results.note = "" if results.backend == "cuda" else why_no_gpu() or ""
    else:
        results.backend = backend_for(backend)
    results.done = [False] * count
    return results


def language_function(function: Any) -> Function | Program:
    """The function of the language something stands for; raises UsageError where it is something else."""
    known = function_of(function)
    if known is None:
        raise UsageError(f"{function!r} is no primitive, function value or program")
    return known


def function_of(function: Any) -> Function | Program | None:
    """The function of the language something stands for, or None where it is something else."""
    if isinstance(function, Function | Program):
        return function
    if isinstance(function, str):
        if function not in current().ops:
            raise UsageError(f"no primitive {function!r}; docs/ops.md lists them")
        return primitive(function)
    return None


def call_many(
    function: Language,
    calls: Sequence[Row],
    *,
    backend: str = "gpu",
    threads: int | None = None,
    stop: Stop | None = None,
    progress: Callable[[int], None] | None = None,
    device: int = 0,
) -> Results:
    """The function of each tuple of arguments; arguments may be function values too.

    `backend` is auto, gpu, cpu, cuda or python (the reference); `device` is which GPU. `stop` is asked now and then
    whether to end early; `progress` is told how many calls are done.
    """
    known = language_function(function)
    batch = _Batch(new_results(len(calls), backend), threads, stop, progress, device)
    return batch.run([known] * len(calls), calls)


def call_each(
    calls: Sequence[tuple[Any, Row]],
    *,
    backend: str = "gpu",
    threads: int | None = None,
    stop: Stop | None = None,
    progress: Callable[[int], None] | None = None,
) -> Results:
    """As `call_many`, for calls that each name their function: (function, arguments) pairs."""
    functions = [language_function(function) for function, _ in calls]
    batch = _Batch(new_results(len(calls), backend), threads, stop, progress)
    return batch.run(functions, [args for _, args in calls])


class _Hole:
    """Stands in a function for a value bound into it, which becomes one more argument."""

    def __repr__(self) -> str:
        return "_"


HOLE: Final = _Hole()


def _lifted(function: Function, values: list[Any]) -> Function:
    """The function with values bound into it moved to the list; how often `power` applies stays."""
    if not function.parts:
        return function
    made = current().op(function.name).combinator
    parts: list[Any] = []
    for part in function.parts:
        if isinstance(part, Function):
            parts.append(_lifted(part, values))
        elif made and made.repeats:
            parts.append(part)
        else:
            values.append(part)
            parts.append(HOLE)
    return Function(function.name, tuple(parts), function.arity, function.depth, function.calls)


Template = tuple[Function | Program, tuple[Function | None, ...]]
"""A function, and of each argument the function it is or None; values bound into functions are holes."""


class _Batch:
    def __init__(
        self,
        results: Results,
        threads: int | None,
        stop: Stop | None,
        progress: Callable[[int], None] | None,
        device: int = 0,
    ) -> None:
        self.results = results
        self.device = device
        self.threads = threads
        self.stop = stop
        self.progress = progress
        self.finished = 0

    def run(self, functions: Sequence[Function | Program], calls: Sequence[Row]) -> Results:
        """The calls, in groups of like functions."""
        results = self.results
        groups: dict[Template, tuple[list[int], list[Row]]] = {}
        for place, (function, args) in enumerate(zip(functions, calls, strict=True)):
            if not isinstance(args, tuple):
                raise UsageError(f"call {place}: a call is a tuple of arguments, (grid,) for one, got {args!r:.40}")
            if failed := first_failure(args):
                results[place], results.done[place] = failed, True
                results.ran["not run: an argument has failed"] += 1
                self.finished += 1
                continue
            template, row = _split(function, tuple([quickly_plain(arg) for arg in args]))
            places, rows = groups.setdefault(template, ([], []))
            places.append(place)
            rows.append(row)
        for template, (places, rows) in groups.items():
            self.group(template, rows, places)
        return results

    def group(self, template: Template, rows: list[Row], places: list[int]) -> None:
        """Calls of one template."""
        if self.results.backend == "python":
            self.reference(template, rows, places)
            return
        for _ in range(_MOST_GROUPS):
            if not rows or (self.stop and self.stop()):
                return
            types = common_types(rows)
            if types is None:
                self.dynamic(template, rows[:1], places[:1], _NO_TYPE)
                rows, places = rows[1:], places[1:]
                continue
            engine = self.engine(template, types)
            if engine.problem is not None:
                alike = [common_types([row]) == types for row in rows]
                alike[0] = True
                self.dynamic(template, *_chosen(rows, places, alike), engine.problem)
                rows, places = _chosen(rows, places, [not one for one in alike])
                continue
            called = engine.run(rows, stop=self.stop, progress=self._progress)
            self.put(called, places)
            if called.misfits[:1] == [0]:  # of no type after all: a list in a tuple, a cell beyond a byte
                self.dynamic(template, rows[:1], places[:1], _NO_TYPE)
                called.misfits = called.misfits[1:]
            rows, places = [rows[at] for at in called.misfits], [places[at] for at in called.misfits]
        self.dynamic(template, rows, places, _MANY_TYPES)

    def engine(self, template: Template, types: tuple[Type, ...]) -> CallEngine:
        """The engine for arguments of these types; where they say nothing of items, there are none: any will do."""
        for item in (INT, CELL, OBJECT):
            given = tuple([with_items(kind, item) for kind in types])
            engine = engine_for(*template, given, self.results.backend, self.threads, self.device)
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

    def dynamic(self, template: Template, rows: list[Row], places: list[int], why: str) -> None:
        """Calls on the dynamic tier, whatever their arguments are."""
        if not rows:
            return
        called = Called([None] * len(rows), [False] * len(rows))
        graph = call_graph(*template, (NEVER,) * len(rows[0]))
        call_dynamic(DynamicGraph(graph, threads=self.threads), range(len(rows)), rows, why, called, self.stop)
        self.put(called, places)

    def reference(self, template: Template, rows: list[Row], places: list[int]) -> None:
        """Calls on the reference, which was asked for."""
        graph = call_graph(*template, (NEVER,) * len(rows[0]))
        called = Called([None] * len(rows), [False] * len(rows))
        for at, row in enumerate(rows):
            try:
                inputs = dict(zip(graph.declared, row, strict=True))
                called.values[at] = MergedReference(graph, inputs, stop=self.stop).of(RESULT)
            except Stopped:
                break
            called.done[at] = True
            called.ran["python"] += 1
        self.put(called, places)


def _chosen(rows: list[Row], places: list[int], wanted: list[bool]) -> tuple[list[Row], list[int]]:
    return list(compress(rows, wanted)), list(compress(places, wanted))


@lru_cache(maxsize=4096)
def engine_for(
    function: Function | Program,
    functions: tuple[Function | None, ...],
    types: tuple[Type, ...],
    backend: str = "cpu",
    threads: int | None = None,
    device: int = 0,
) -> CallEngine:
    """The engine that calls a function with arguments of these types; `functions` are those among the arguments.

    `device` is which GPU, where that is the backend.
    """
    graph = call_graph(function, functions, types)
    if backend == "cuda":
        engine: CallEngine = importlib.import_module("arcbatt.engine.waves.calls").CallEngine(
            graph, device=device, threads=threads
        )
        return engine
    return CallEngine(graph, threads=threads)


def _split(function: Function | Program, args: Row) -> tuple[Template, Row]:
    """A call as a template, and the values it takes: plain arguments, then those bound into functions, in order."""
    functions = tuple([arg if isinstance(arg, Function) else None for arg in args])
    plain = not any(functions)
    if plain and (isinstance(function, Program) or not function.parts):
        return (function, functions), args
    values = [arg for arg in args if not isinstance(arg, Function)]
    lifted = tuple([None if one is None else _lifted(one, values) for one in functions])
    main = function if isinstance(function, Program) else _lifted(function, values)
    return (main, lifted), tuple(values)


def call_graph(function: Function | Program, functions: tuple[Function | None, ...], types: tuple[Type, ...]) -> Graph:
    """A graph of one call, its values declared in the order of `_split`."""
    graph = Graph()
    plain = functions.count(None)
    declared = iter([graph.declare(f"A{place}", kind) for place, kind in enumerate(types[:plain])])
    holes = iter([graph.declare(f"H{place}", kind) for place, kind in enumerate(types[plain:])])
    args = [next(declared) if one is None else function_node(graph, one, holes) for one in functions]
    graph.outputs[RESULT] = call_node(graph, function, args, holes)
    return graph


def call_node(graph: Graph, function: Function | Program, args: Sequence[int], holes: Iterator[int]) -> int:
    """The node of a call; raises UsageError where the number of arguments is wrong."""
    arity = len(function.params) if isinstance(function, Program) else function.arity
    if len(args) != arity:
        raise UsageError(f"{function.name} takes {counted(arity, 'argument')}, got {len(args)}")
    if isinstance(function, Program):
        return graph.build(function, dict(zip(function.params, args, strict=True)))
    if not function.parts:
        return graph.add(function.name, tuple(args))
    return graph.add(INVOKE, (function_node(graph, function, holes), *args))


def function_node(graph: Graph, value: Any, holes: Iterator[int]) -> int:
    """The node of a function value, or of a value bound into one."""
    if value is HOLE:
        return next(holes)
    if not isinstance(value, Function):
        return graph.const(value)
    if not value.parts:
        return graph.add(PRIMITIVE, (value.name,))
    return graph.add(value.name, tuple([function_node(graph, part, holes) for part in value.parts]))
