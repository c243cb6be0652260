"""The CPU engine on calls: one graph of declared arguments, called with plain values, once or many times."""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, Final

from arcbatt.compiler.abi import ESCAPE, NOT_OF_TYPE, NOT_RUN, OVERFLOW
from arcbatt.compiler.graph import CONST, Graph
from arcbatt.compiler.internal_errors import InternalError
from arcbatt.compiler.lower.lower import Code
from arcbatt.compiler.lower.shapes import typed_shape
from arcbatt.compiler.program_set import compile
from arcbatt.engine.api import Stop
from arcbatt.engine.cpu import loaded, run_limits
from arcbatt.engine.custom_build import missing
from arcbatt.engine.dynamic import DynamicGraph, Evaluated
from arcbatt.engine.outputs import REASONS, STATUS
from arcbatt.engine.reference import MergedReference, Stopped
from arcbatt.engine.tiers import DYNAMIC
from arcbatt.errors import UsageError
from arcbatt.language.failures import Failed, Outcome
from arcbatt.language.limits import MAX_STEPS
from arcbatt.language.types import GRID, Type
from arcbatt.support.machine import cores

RESULT: Final = "solve_result"
"""What the output of a graph that is called is named."""


@dataclass
class Called:
    """What many calls gave: outcomes in order, and where they were computed."""

    values: list[Outcome]
    done: list[bool]
    """Of each call, whether it was finished; false only after a stop."""
    misfits: list[int] = field(default_factory=list)
    """Calls whose arguments are not of the declared types; they were not run."""
    ran: Counter[str] = field(default_factory=Counter)
    """How many ran where: `cpu`, or `dynamic: ` and why."""


class CallEngine:
    """Runs a graph with an output RESULT over declared arguments. What that leaves open runs on the dynamic tier.

    `problem` says why the engine cannot run the graph at all, or is None.
    """

    backend = "cpu"

    def __init__(
        self,
        graph: Graph,
        *,
        threads: int | None = None,
        arena_bytes: int = 64 << 20,
        most_bytes: int = 1 << 30,
        max_steps: int = MAX_STEPS,
        core: ModuleType | None = None,
    ) -> None:
        self.graph = graph
        self.names = list(graph.declared)
        self.threads = threads or cores()
        self.max_steps = max_steps
        self.dynamic = DynamicGraph(graph, threads=self.threads)
        self.problem: str | None = None
        self._calls: Any = None
        self._used: list[int] = []
        if any(node.op == CONST and not _is_literal(node.args[1]) for node in graph.nodes):
            self.problem = "a function with a set or a nested tuple bound into it"
            return
        module: Any = core or importlib.import_module("arcbatt._core")
        compiled = compile(graph)
        typed, code = compiled.typed, compiled.code(missing(graph, module))
        if RESULT in code.rejected:
            self.problem = f"not lowered: {code.rejected[RESULT]}"
            return
        self._used = [place for place, name in enumerate(self.names) if name in code.inputs]
        used = [self.names[place] for place in self._used]
        if set(code.inputs) - set(used):
            raise UsageError("a graph that is called takes declared arguments, not I, S or C")
        kind = code.outputs[RESULT][1]
        if kind == GRID and "Bool" in str(typed.nodes[typed.outputs[RESULT]].type):
            self.problem = "rows of booleans, which the engine takes for a grid"
            return
        self.result_type = kind
        self._core = module
        self._limits = run_limits(module, code, arena_bytes, most_bytes, max_steps)
        try:
            self._loaded(code, used, kind)
        except ValueError as error:  # a defect: the core refuses the code
            self.problem = str(InternalError.of("the check of bytecode", error))

    def _loaded(self, code: Code, used: Sequence[str], kind: Type) -> None:
        """Put the code where it is run; `used` are the arguments it takes, `kind` what it gives."""
        declared = self.graph.declared
        arguments = [(code.inputs[name], code.types.number(declared[name])) for name in used]
        self._calls = self._core.Calls(
            loaded(self._core, code, (0, 0, 0), arguments),
            given=[typed_shape(declared[name]) for name in used],
            made=[typed_shape(kind)],
            limits=self._limits,
        )

    @property
    def forms(self) -> Any:
        """The core's `Calls`: what makes words of the arguments it takes, and values of the words it gives."""
        return self._calls

    @property
    def call(self) -> Callable[[tuple[Any, ...]], Any]:
        """One call of plain values; NotImplemented where they are not of the types, or there is no value."""
        assert self._calls is not None
        assert len(self._used) == len(self.names)
        call: Callable[[tuple[Any, ...]], Any] = self._calls.one
        return call

    def run(
        self,
        rows: Sequence[tuple[Any, ...]],
        *,
        stop: Stop | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> Called:
        """Every call; `stop` and `progress` as of the engines."""
        called = Called([None] * len(rows), [False] * len(rows))
        if self.problem is not None:
            self.on_dynamic(range(len(rows)), rows, self.problem, called, stop)
            return called
        every = len(self._used) == len(self.names)
        given = list(rows) if every else [tuple([row[place] for place in self._used]) for row in rows]

        def watch(done: int) -> bool:
            if progress:
                progress(done)
            return bool(stop and stop())

        statuses, values, elsewhere = self._many(given, watch)
        called.values = values
        open_rows: dict[int, list[int]] = {OVERFLOW: [], ESCAPE: []}
        for place, status in enumerate(statuses):
            if status == NOT_OF_TYPE:
                called.misfits.append(place)
            elif status in open_rows:
                open_rows[status].append(place)
            elif status != NOT_RUN:
                called.done[place] = True
                if status:
                    values[place] = Failed(REASONS[status])
        called.ran.update({where: count for where, count in elsewhere.items() if count})
        called.ran[self.backend] += sum(called.done) - sum(elsewhere.values())
        for status, places in open_rows.items():
            self.on_dynamic(places, rows, STATUS[status], called, stop)
        return called

    def _many(
        self, given: list[tuple[Any, ...]], watch: Callable[[int], bool]
    ) -> tuple[bytes | bytearray, list[Any], dict[str, int]]:
        """Statuses and values of the calls, and how many were computed elsewhere than by `backend`."""
        statuses, values = self._calls.many(given, self.threads, watch)
        return statuses, values, {}

    def on_dynamic(
        self, places: Sequence[int], rows: Sequence[tuple[Any, ...]], why: str, called: Called, stop: Stop | None
    ) -> None:
        """Some of the calls on the dynamic tier, counted with why."""
        call_dynamic(self.dynamic, places, rows, why, called, stop, self.max_steps)


def call_dynamic(
    dynamic: DynamicGraph,
    places: Sequence[int],
    rows: Sequence[tuple[Any, ...]],
    why: str,
    called: Called,
    stop: Stop | None,
    max_steps: int = MAX_STEPS,
) -> None:
    """Some calls of a graph's RESULT on the dynamic tier, whatever their arguments are, counted with why."""
    if not places:
        return
    given = [dict(zip(dynamic.graph.declared, rows[place], strict=True)) for place in places]
    for place, (where, one) in zip(places, _evaluated(dynamic, given, max_steps, stop), strict=True):
        if one is not None:
            called.values[place], called.done[place] = one.outcomes[0], True
            called.ran[f"{where}: {why}"] += 1


def _evaluated(
    dynamic: DynamicGraph, given: Sequence[Mapping[str, Any]], max_steps: int, stop: Stop | None
) -> list[tuple[str, Evaluated | None]]:
    """RESULT on rows of arguments, and what evaluated each; None after a stop.

    The dynamic tier takes values of the language. What comes of others, such as text, only the reference can say.
    """
    graph = dynamic.graph
    try:
        found = dynamic.evaluate(given, [graph.outputs[RESULT]], max_steps, stop=stop)
        return [(DYNAMIC, one) for one in found]
    except ValueError:
        if len(given) > 1:
            return [answer for row in given for answer in _evaluated(dynamic, [row], max_steps, stop)]
    reference = MergedReference(graph, given[0], max_steps, stop=stop)
    try:
        return [("python", Evaluated([reference.of(RESULT)], reference.machine.total_steps))]
    except Stopped:
        return [("python", None)]


def _is_literal(value: Any) -> bool:
    """Whether a value could stand in a program's text, where types of constants are known from."""
    if type(value) is tuple:
        return set(map(type, value)) <= {int}
    return type(value) in (int, bool)
