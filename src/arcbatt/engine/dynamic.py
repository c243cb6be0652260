"""The dynamic tier: every program of the language in native code, over values that carry their kinds.

What the typed tiers cannot type, represent or fit runs here, on threads. It gives what the reference gives: values,
failures and steps. Of Python only custom operations run, where a program calls one.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcbatt.compiler import abi
from arcbatt.compiler.graph import CONST, INPUT, INVOKE, PRIMITIVE, Graph, Node
from arcbatt.compiler.program_set import CompiledSet
from arcbatt.engine.api import RunRequest, Stop
from arcbatt.engine.outputs import NUMBERS, REASONS, Outputs
from arcbatt.language.failures import UNKNOWN_OUTPUT, Fail, Failed, Outcome
from arcbatt.language.functions import Function
from arcbatt.language.language import Language
from arcbatt.language.limits import MAX_STEPS, MAX_TOTAL_STEPS
from arcbatt.language.reference import call
from arcbatt.language.sample import Sample
from arcbatt.language.table import STANDARD, current
from arcbatt.support.machine import cores

_SAMPLE: Final = ("I", "S", "C")
_KINDS: Final = {INPUT: 0, CONST: 1, PRIMITIVE: 2, INVOKE: 3}
_CALL: Final = 4
"""Kinds of nodes, `NodeKind` of native/dynamic/evaluate.h."""


class Evaluated(NamedTuple):
    """The outcomes of nodes on one row of inputs, and the steps of all their calls together."""

    outcomes: list[Outcome]
    steps: int


class DynamicGraph:
    """A graph of the language in use, evaluated by the compiled core."""

    def __init__(self, graph: Graph, *, threads: int | None = None) -> None:
        self.graph = graph
        self.threads = threads or cores()
        self.inputs = (*_SAMPLE, *graph.declared)

    @cached_property
    def core(self) -> Any:
        """The graph in the core, made when it is first used."""
        language = current()
        names = sorted(language.ops)
        place = {name: number for number, name in enumerate(names)}
        constants: list[Any] = []
        numbers: list[int] = []
        for node in self.graph.nodes:
            numbers.append(self._number(node, place, constants))
        taken = [node.inputs for node in self.graph.nodes]
        return importlib.import_module("arcbatt._core").DynamicGraph(
            names=names,
            custom=_custom(language),
            function=Function,
            kinds=np.array([_KINDS.get(node.op, _CALL) for node in self.graph.nodes], np.uint8),
            numbers=np.array(numbers, np.uint32),
            first=np.cumsum([0, *map(len, taken)]).astype(np.uint32),
            args=np.array([arg for args in taken for arg in args], np.uint32),
            constants=constants,
        )

    def _number(self, node: Node, place: Mapping[str, int], constants: list[Any]) -> int:
        """Which input, constant or operation a node names."""
        if node.op == INPUT:
            return self.inputs.index(node.args[0])
        if node.op == CONST:
            constants.append(node.args[1])
            return len(constants) - 1
        return 0 if node.op == INVOKE else place[node.args[0] if node.op == PRIMITIVE else node.op]

    def evaluate(
        self,
        rows: Sequence[Sample | Mapping[str, Any]],
        nodes: Iterable[int],
        max_steps: int = MAX_STEPS,
        max_total: int = MAX_TOTAL_STEPS,
        *,
        stop: Stop | None = None,
        told: Callable[[int], None] | None = None,
    ) -> list[Evaluated | None]:
        """Nodes of the graph on samples, or on declared inputs by name; None for a row that a stop left unfinished.

        `told` hears now and then how many rows are finished.
        """
        wanted = np.array(list(nodes), np.uint32)
        given = [[_input(one) for one in self._inputs_of(row)] for row in rows]

        def watch(finished: int) -> bool:
            if told:
                told(finished)
            return bool(stop and stop())

        threads = max(1, min(self.threads, len(given)))
        found = self.core.values(
            given, nodes=wanted, max_steps=max_steps, max_total=max_total, threads=threads, watch=watch
        )
        return [None if row is None else Evaluated([_outcome(*one) for one in row[0]], row[1]) for row in found]

    def _inputs_of(self, row: Sample | Mapping[str, Any]) -> list[Outcome]:
        if isinstance(row, Sample):
            return [row.I, row.S, UNKNOWN_OUTPUT if row.C is None else row.C]
        return [row.get(name) for name in self.inputs]


class DynamicTier:
    """The programs of a compiled set on threads, by default as many as there are cores."""

    def __init__(self, compiled: CompiledSet, *, threads: int | None = None) -> None:
        self.graph = DynamicGraph(compiled.graph, threads=threads)

    def run(
        self,
        request: RunRequest,
        result: Outputs,
        missing: NDArray[np.bool_],
        told: Callable[[int], None],
    ) -> None:
        """Every evaluation marked in `missing`, by sample and program, into `result`.

        `told` hears now and then how many of the samples with something missing are finished. A sample that a stop
        leaves unfinished is no longer marked as done.
        """
        rows = np.flatnonzero(missing.any(axis=1))
        if not len(rows):
            return
        assert result.hashes is not None
        assert result.grids is not None
        outputs = self.graph.graph.outputs

        def watch(finished: int) -> bool:
            told(finished)
            return request.stopped()

        core = importlib.import_module("arcbatt._core")
        grids = result.grids
        cells, finished = self.graph.core.run(
            core.packed({name: getattr(request.samples, name) for name in abi.PACKED.names}),
            nodes=np.array([outputs[name] for name in result.names], np.uint32),
            missing=np.ascontiguousarray(missing).view(np.uint8),
            results={
                "statuses": result.statuses,
                "matches": result.matches.view(np.uint8),
                "agreement": result.agreement,
                "hashes": result.hashes,
                "offset": grids.offset,
                "height": grids.height,
                "width": grids.width,
            },
            base=len(grids.cells),
            max_steps=request.max_steps,
            max_total=request.max_total,
            threads=max(1, min(self.graph.threads, len(rows))),
            largest=request.largest,
            watch=watch,
        )
        if len(cells):
            grids.cells = np.concatenate([grids.cells, cells])
        told(len(finished))
        result.done[np.setdiff1d(rows, np.array(finished, np.int64))] = False

    def values(
        self, sample: Sample, names: Iterable[str], max_steps: int = MAX_STEPS, max_total: int = MAX_TOTAL_STEPS
    ) -> dict[str, Outcome]:
        """What programs give on one sample."""
        chosen = list(names)
        if not chosen:  # a thread would be made for nothing
            return {}
        nodes = [self.graph.graph.outputs[name] for name in chosen]
        (found,) = self.graph.evaluate([sample], nodes, max_steps, max_total)
        assert found is not None
        return dict(zip(chosen, found.outcomes, strict=True))


def _custom(language: Language) -> dict[str, tuple[int, Callable[..., tuple[int, Any]]]]:
    """Of each custom operation how many arguments it takes, and a function that gives a status and a value."""
    added = language.ops.keys() - STANDARD.ops.keys()
    return {name: (language.op(name).arity, _in_python(name)) for name in added}


def _in_python(name: str) -> Callable[..., tuple[int, Any]]:
    def run(*args: Any) -> tuple[int, Any]:
        try:
            return 0, call(name, *args)
        except Fail as fail:
            return NUMBERS[fail.reason], None

    return run


def _input(outcome: Outcome) -> tuple[int, Any]:
    """An input as a status and a value."""
    return (NUMBERS[outcome.reason], None) if isinstance(outcome, Failed) else (0, outcome)


def _outcome(status: int, value: Any) -> Outcome:
    return Failed(REASONS[status]) if status else value
