"""The reference on a merged graph: what programs share is computed once a sample.

It completes what an engine leaves open, and is a backend of its own: `Engine` here runs everything on it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from arcbatt.arc.packing import PackedSamples, pack_samples
from arcbatt.backends.outcome import UNKNOWN_OUTPUT, Failed, Outcome, first_failure
from arcbatt.backends.outputs import NUMBERS, Outputs, Wanted, grid_hash, grid_of, outcome_hash
from arcbatt.backends.python import Sample
from arcbatt.errors import Fail, Reason
from arcbatt.frontend import Program
from arcbatt.ir.graph import CONST, INPUT, INVOKE, PRIMITIVE, Graph, merge
from arcbatt.limits import MAX_CELLS, MAX_STEPS
from arcbatt.reference.machine import Machine, primitive

Stop = Callable[[], bool]
"""Asked now and then whether to end early."""

_UNKNOWN: Final = object()
_CALLS_BETWEEN_LOOKS: Final = 256


class Stopped(Exception):
    """Leaves an evaluation that was told to stop."""


class _Watched(Machine):
    """A machine that asks now and then whether to stop."""

    def __init__(self, max_steps: int, stop: Stop) -> None:
        super().__init__(max_steps)
        self._stop = stop
        self._charges = 0

    def charge(self, steps: int) -> None:
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
        stop: Stop | None = None,
    ) -> None:
        self.graph = graph
        self.machine = _Watched(max_steps, stop) if stop else Machine(max_steps)
        self.inputs: Mapping[str, Any] = (
            {"I": sample.I, "S": sample.S, "C": UNKNOWN_OUTPUT if sample.C is None else sample.C}
            if isinstance(sample, Sample)
            else sample
        )
        self.known: dict[int, Any] = {}

    def of(self, program: str) -> Outcome:
        """What a program of the graph gives."""
        return self.value(self.graph.outputs[program])

    def value(self, root: int) -> Outcome:
        """The outcome of a node.

        A limit comes before every other reason, so a call that has met one needs no more of its arguments.
        """
        stack = [root]
        while stack:
            index = stack[-1]
            outcome = self._settled(index, stack) if index not in self.known else self.known[index]
            if outcome is not _UNKNOWN:
                self.known[index] = outcome
                stack.pop()
        return self.known[root]

    def _settled(self, index: int, stack: list[int]) -> Any:
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
        try:
            return self.machine.call(function, *rest)
        except Fail as fail:
            return Failed(fail.reason, fail.primitive or op, self.graph.lines[index], fail.detail)


def sample_at(data: PackedSamples, row: int) -> Sample:
    """A packed sample as plain values."""

    def grid(number: int) -> Any:
        return tuple(map(tuple, _cells(data, number).tolist()))

    task = int(data.task[row])
    demos = range(int(data.first[task]), int(data.first[task]) + int(data.count[task]))
    pairs = tuple((grid(int(data.demo[2 * k])), grid(int(data.demo[2 * k + 1]))) for k in demos)
    expected = int(data.expected[row])
    return Sample(grid(int(data.input[row])), pairs, grid(expected) if expected >= 0 else None)


def _cells(data: PackedSamples, number: int) -> NDArray[np.int8]:
    start, height, width = int(data.offset[number]), int(data.height[number]), int(data.width[number])
    return data.cells[start : start + height * width].view(np.int8).reshape(height, width)


class Completion:
    """Fills in what an engine leaves open (what `Outputs.origin` marks), as rows are offered to it.

    Offered rows are worked on by a thread, so that the engine may go on. A row that a stop leaves unfinished is no
    longer marked as done.
    """

    def __init__(
        self,
        outputs: Outputs,
        data: PackedSamples,
        graph: Graph,
        *,
        largest: int = MAX_CELLS,
        max_steps: int = MAX_STEPS,
        stop: Stop | None = None,
    ) -> None:
        self.outputs = outputs
        self.data = data
        self.graph = graph
        self.max_steps = max_steps
        self._stop = stop
        self._cancelled = False
        self._packer = _Packer(outputs, largest)
        self._rows: SimpleQueue[int | None] = SimpleQueue()
        self._pool: ThreadPoolExecutor | None = None
        self._work: Future[None] | None = None

    def offer(self, rows: Iterable[int]) -> None:
        """Have rows worked on by the thread."""
        for row in rows:
            self._rows.put(row)
            if self._work is None:
                self._pool = ThreadPoolExecutor(1)
                self._work = self._pool.submit(self.fill, iter(self._rows.get, None))

    def finish(self) -> None:
        """Wait for the thread, and put the grids beside the engine's."""
        if self._work is not None and self._pool is not None:
            self._rows.put(None)
            try:
                self._work.result()
            finally:
                self._end()
        self._packer.finish()

    def cancel(self) -> None:
        """Leave the rest as it is."""
        self._end()

    def _end(self) -> None:
        self._cancelled = True
        if self._pool is not None:
            self._rows.put(None)
            self._pool.shutdown()
            self._pool = None

    def stopped(self) -> bool:
        """Whether to end early."""
        return self._cancelled or bool(self._stop and self._stop())

    def fill(self, rows: Iterable[int | None], progress: Callable[[int], None] | None = None) -> None:
        """Work on rows, here and now."""
        outputs = self.outputs
        ended = False
        for place, row in enumerate(rows, 1):
            assert row is not None
            ended = ended or self.stopped()
            if not ended:
                try:
                    self._fill_row(row)
                except Stopped:
                    ended = True
            if ended:
                outputs.done[row] = False
            elif progress:
                progress(place)

    def _fill_row(self, row: int) -> None:
        reference = MergedReference(self.graph, sample_at(self.data, row), self.max_steps, self.stopped)
        expected = int(self.data.expected[row])
        wanted = _cells(self.data, expected) if expected >= 0 else None
        for column in np.flatnonzero(self.outputs.origin[row]).tolist():
            self._packer.put(row, column, reference.of(self.outputs.names[column]), wanted)


class _Packer:
    """Puts outcomes of the reference into the arrays, as the engine would."""

    def __init__(self, outputs: Outputs, largest: int) -> None:
        self.outputs = outputs
        self.largest = largest
        self.hashed = outputs.hashes is not None and len(outputs.hashes) > 0
        self.grids = outputs.grids if outputs.grids is not None and len(outputs.grids.offset) else None
        self.chunks: list[NDArray[np.int8]] = []
        self.total = 0
        self.known: dict[tuple[int, int], int] = {}
        self.places: list[tuple[int, int, int]] = []

    def put(self, row: int, column: int, outcome: Outcome, wanted: NDArray[np.int8] | None) -> None:
        outputs = self.outputs
        outputs.statuses[row, column] = NUMBERS[outcome.reason] if isinstance(outcome, Failed) else 0
        grid = grid_of(outcome)
        digest = 0
        if self.hashed or (self.grids and grid is not None):
            digest = outcome_hash(outcome) if grid is None else grid_hash(grid)
        if self.hashed:
            assert outputs.hashes is not None
            outputs.hashes[row, column] = digest
        if grid is None:
            return
        if wanted is not None and grid.shape == wanted.shape:
            same = int((grid == wanted).sum())
            outputs.agreement[row, column] = min(same, 65535)
            outputs.matches[row, column] = same == grid.size
        if self.grids and grid.size <= self.largest:
            if (row, digest) not in self.known:
                self.known[row, digest] = self.total
                self.chunks.append(grid.reshape(-1))
                self.total += grid.size
            self.places.append((row, column, self.known[row, digest]))
            self.grids.height[row, column], self.grids.width[row, column] = grid.shape

    def finish(self) -> None:
        """Put the cells behind those of the engine, which had to be all there first."""
        if self.grids and self.chunks:
            base = len(self.grids.cells)
            for row, column, place in self.places:
                self.grids.offset[row, column] = base + place
            self.grids.cells = np.concatenate([self.grids.cells, *self.chunks])


class Engine:
    """Runs everything on the reference, with the interface of the engines."""

    backend = "python"

    def __init__(self, graph: Graph, *, max_steps: int = MAX_STEPS, **_: Any) -> None:
        self.graph = graph
        self.max_steps = max_steps
        self.names = list(graph.outputs)

    @classmethod
    def of(cls, programs: Iterable[Program], **options: Any) -> Engine:
        """An engine for programs, merged."""
        return cls(merge(programs), **options)

    def run(
        self,
        samples: Sequence[Sample] | PackedSamples,
        outputs: Wanted = "match",
        *,
        largest: int = MAX_CELLS,
        stop: Stop | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> Outputs:
        """As `arcbatt.backends.cpu.Engine.run`; nothing counts as a fallback here."""
        data = samples if isinstance(samples, PackedSamples) else pack_samples(samples)
        result = Outputs.empty(self.names, len(data), outputs)
        result.done[:] = True
        result.origin[:] = 1
        start = time.perf_counter()
        completion = Completion(result, data, self.graph, largest=largest, max_steps=self.max_steps, stop=stop)
        completion.fill(range(len(data)), progress)
        completion.finish()
        result.origin[:] = 0
        result.seconds["run"] = time.perf_counter() - start
        return result.trimmed(outputs)

    def values(self, sample: Sample) -> dict[str, Outcome]:
        """What every program gives on one sample."""
        reference = MergedReference(self.graph, sample, self.max_steps)
        return {name: reference.of(name) for name in self.names}
