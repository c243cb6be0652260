"""The reference on a merged graph: what programs share is computed once per sample. `--backend python` is this."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from arcbatt.compiler.graph import CONST, INPUT, INVOKE, PRIMITIVE, Graph
from arcbatt.data.packing import PackedSamples
from arcbatt.engine.api import Engine, RunRequest, Stop
from arcbatt.engine.outputs import Outputs
from arcbatt.engine.packer import Packer, brief_of
from arcbatt.language.failures import UNKNOWN_OUTPUT, Fail, Failed, Outcome, Reason, first_failure
from arcbatt.language.limits import MAX_STEPS, MAX_TOTAL_STEPS
from arcbatt.language.reference import Machine, primitive, returned
from arcbatt.language.sample import Sample

_UNKNOWN: Final = object()
_CALLS_BETWEEN_LOOKS: Final = 256


class Stopped(Exception):
    """Leaves an evaluation that was told to stop."""


class WatchedMachine(Machine):
    """A machine that asks now and then whether to stop."""

    def __init__(self, max_steps: int, max_total: int, stop: Stop) -> None:
        super().__init__(max_steps, max_total)
        self._stop = stop
        self._charges = 0

    def charge(self, steps: int) -> None:
        """Count steps, and leave with Stopped where it is time to."""
        self._charges += 1
        if self._charges % _CALLS_BETWEEN_LOOKS == 0 and self._stop():
            raise Stopped
        super().charge(steps)


class MergedReference:
    """The values of a graph's nodes on one sample (or on inputs by name), computed as they are asked for."""

    def __init__(
        self,
        graph: Graph,
        sample: Sample | Mapping[str, Any],
        max_steps: int = MAX_STEPS,
        max_total: int = MAX_TOTAL_STEPS,
        stop: Stop | None = None,
    ) -> None:
        self.graph = graph
        self.machine = WatchedMachine(max_steps, max_total, stop) if stop else Machine(max_steps, max_total)
        self.max_total = max_total
        self.steps: dict[int, int] = {}
        """Of each node that is a call, the steps it took."""
        self.inputs: Mapping[str, Any] = (
            {"I": sample.I, "S": sample.S, "C": UNKNOWN_OUTPUT if sample.C is None else sample.C}
            if isinstance(sample, Sample)
            else sample
        )
        self.known: dict[int, Any] = {}

    def of(self, program: str) -> Outcome:
        """What a program of the graph gives: a limit, where all its calls together take too many steps."""
        root, before = self.graph.outputs[program], self.machine.total_steps
        outcome = self.value(root)
        if self.machine.total_steps - before > self.max_total or (
            self.machine.total_steps > self.max_total
            and sum(self.steps.get(node, 0) for node in self.graph.cone([root])) > self.max_total
        ):
            return Failed(Reason.LIMIT, detail=f"more than {self.max_total:,} steps in all calls together")
        return returned(outcome)

    def value(self, root: int) -> Outcome:
        """The outcome of a node.

        A limit comes before every other reason, so a call that has met one needs no more of its arguments.
        """
        stack, before = [root], self.machine.total_steps
        while stack:
            if self.machine.total_steps - before > self.max_total:
                return Failed(Reason.LIMIT)
            index = stack[-1]
            outcome = self._evaluated(index, stack) if index not in self.known else self.known[index]
            if outcome is not _UNKNOWN:
                self.known[index] = outcome
                stack.pop()
        return self.known[root]

    def _evaluated(self, index: int, stack: list[int]) -> Any:
        """The outcome of a node, or _UNKNOWN and the argument it waits for on the stack."""
        op, args = self.graph.nodes[index]
        if op == INPUT:
            return self.inputs[args[0]]
        if op == CONST:
            return args[1]
        if op == PRIMITIVE:
            return primitive(args[0])
        values = []
        for arg in args:
            value = self.known.get(arg, _UNKNOWN)
            if value is _UNKNOWN:
                stack.append(arg)
                return _UNKNOWN
            if isinstance(value, Failed) and value.reason is Reason.LIMIT:
                return value
            values.append(value)
        if failed := first_failure(values):
            return failed
        function, rest = (values[0], values[1:]) if op == INVOKE else (primitive(op), values)
        before = self.machine.total_steps
        self.machine.max_total = before + self.max_total
        try:
            return self.machine.call(function, *rest)
        except Fail as fail:
            return Failed(fail.reason, fail.primitive or op, self.graph.lines[index], fail.detail)
        finally:
            self.steps[index] = self.machine.total_steps - before


def sample_at(data: PackedSamples, row: int) -> Sample:
    """A packed sample as plain values."""

    def grid(number: int) -> Any:
        return tuple(map(tuple, _cells(data, number).tolist()))

    task = int(data.task[row])
    demos = range(int(data.first[task]), int(data.first[task]) + int(data.count[task]))
    pairs = tuple((grid(int(data.demo[2 * k])), grid(int(data.demo[2 * k + 1]))) for k in demos)
    expected = int(data.expected[row])
    return Sample(grid(int(data.input[row])), pairs, grid(expected) if expected >= 0 else None)


def expected_at(data: PackedSamples, row: int) -> NDArray[np.int8] | None:
    """The output that is expected of a packed sample, if it is known."""
    expected = int(data.expected[row])
    return _cells(data, expected) if expected >= 0 else None


def _cells(data: PackedSamples, number: int) -> NDArray[np.int8]:
    start, height, width = int(data.offset[number]), int(data.height[number]), int(data.width[number])
    return data.cells[start : start + height * width].view(np.int8).reshape(height, width)


class ReferenceEngine(Engine):
    """Runs everything on the reference, one sample after the other."""

    backend = "python"

    def execute(self, request: RunRequest) -> Outputs:
        """Carry a request out; nothing counts as a fallback here."""
        data = request.samples
        result = Outputs.empty(self.names, len(data), request.outputs)
        result.devices = [self.device]
        packer = Packer(result, request.largest)
        start = time.perf_counter()
        for row in range(len(data)):
            if request.stopped():
                break
            reference = MergedReference(
                self.compiled.graph, sample_at(data, row), request.max_steps, request.max_total, request.stop
            )
            wanted = expected_at(data, row)
            try:
                for column, name in enumerate(self.names):
                    packer.put(row, column, brief_of(reference.of(name), packer.hashed), wanted)
            except Stopped:
                break
            result.done[row] = True
            request.tell(row + 1)
        packer.finish()
        result.seconds["run"] = time.perf_counter() - start
        return result.trimmed(request.outputs)

    def values(
        self, sample: Sample, max_steps: int = MAX_STEPS, max_total: int = MAX_TOTAL_STEPS
    ) -> dict[str, Outcome]:
        """What every program gives on one sample."""
        reference = MergedReference(self.compiled.graph, sample, max_steps, max_total)
        return {name: reference.of(name) for name in self.names}
