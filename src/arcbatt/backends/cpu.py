"""The CPU engine: a merged graph lowered once, run on many samples by threads."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterable, Sequence
from types import ModuleType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from arcbatt.arc.packing import PackedSamples, pack_samples
from arcbatt.backends.outcome import Failed, Outcome
from arcbatt.backends.python import Sample, evaluate
from arcbatt.errors import Reason
from arcbatt.frontend import Program
from arcbatt.ir.compile import compile_graph
from arcbatt.ir.graph import Graph, merge
from arcbatt.ir.options import Rewrites
from arcbatt.limits import MAX_STEPS
from arcbatt.lower.layout import plain_form
from arcbatt.lower.lower import VERSION, Code, lower
from arcbatt.ops.types import BOOL, CELL, IJ, Seq, Set, Tup, Type

STATUS: Final = ("ok", "overflow", "escape", "limit", "type", "empty", "bounds", "zero-division")
OVERFLOW, ESCAPE = 1, 2
_REASONS: Final = {number: Reason(name) for number, name in enumerate(STATUS) if number > ESCAPE}
_CHUNK: Final = 64
"""Samples between two looks at whether to stop."""


class Engine:
    """Runs one merged graph on samples.

    `threads` defaults to the machine's cores. Each thread starts with an arena of `arena_bytes` and may grow it to
    `most_bytes` for an item that does not fit; what does not fit then runs on the reference.
    """

    def __init__(
        self,
        graph: Graph,
        *,
        threads: int | None = None,
        arena_bytes: int = 64 << 20,
        most_bytes: int = 1 << 30,
        max_steps: int = MAX_STEPS,
        core: ModuleType | None = None,
        rewrites: Rewrites | None = None,
    ) -> None:
        self.core: Any = core or importlib.import_module("arcbatt._core")
        self.graph = graph
        self.threads = threads or os.cpu_count() or 1
        self.max_steps = max_steps
        plain = rewrites or Rewrites(group_objects=False, group_traversals=False)
        self.code: Code = lower(compile_graph(graph, plain).graph, columns=plain.columns)
        self.names = list(self.code.outputs)
        self._program = self._loaded()
        least = 4 * len(self.code.image) + (1 << 16)
        self._words = (max(arena_bytes, least) // 4, max(most_bytes, least) // 4)
        self._written: dict[str, Program] = {}

    @classmethod
    def of(cls, programs: Iterable[Program], **options: Any) -> Engine:
        """An engine for programs, merged."""
        return cls(merge(programs), **options)

    def _loaded(self) -> Any:
        code = self.code
        outputs = [(slot, code.types.number(kind)) for slot, kind in code.outputs.values()]
        inputs = tuple(code.inputs.get(name, 0) for name in ("I", "S", "C"))
        return self.core.program(
            VERSION,
            np.array(code.words, np.uint32),
            np.array([word for row in code.types.rows for word in row], np.uint32),
            np.array(code.types.parts, np.uint32),
            np.array(code.image, np.uint32),
            np.array(outputs, np.uint32).reshape(-1),
            inputs,
        )

    def pack(self, samples: Sequence[Sample] | PackedSamples) -> PackedSamples:
        """Samples as arrays, if they are not yet."""
        return samples if isinstance(samples, PackedSamples) else pack_samples(samples)

    def _packed(self, data: PackedSamples) -> Any:
        return self.core.packed(
            data.cells, data.offset, data.height, data.width, data.input, data.expected, data.task, data.first,
            data.count, data.demo,
        )  # fmt: skip

    def run_raw(
        self, data: PackedSamples, *, hashes: bool = False
    ) -> tuple[NDArray[np.uint8], NDArray[np.bool_], NDArray[np.uint64], int, int]:
        """Statuses, match bits and hashes of the lowered programs alone; how often arenas grew; most words of one."""
        count, columns = len(data), len(self.names)
        statuses = np.zeros((count, columns), np.uint8)
        matches = np.zeros((count, columns), np.uint8)
        digests = np.zeros((count if hashes else 0, columns), np.uint64)
        packed = self._packed(data)
        grown = peak = 0
        step = max(_CHUNK * self.threads, 1)
        for begin in range(0, count, step):  # an interrupt is seen between chunks
            end = min(begin + step, count)
            more, most = self.core.run(
                self._program, packed, begin, end, self.threads, *self._words, self.max_steps,
                statuses[begin:end], matches[begin:end], digests[begin:end],
            )  # fmt: skip
            grown += more
            peak = max(peak, most)
        return statuses, matches.view(np.bool_), digests, grown, peak

    def values(self, sample: Sample) -> dict[str, Outcome]:
        """What every program gives on one sample: the engine's values, the reference's where it has none."""
        data = pack_samples([sample])
        found: dict[str, Outcome] = {}
        for name, (status, value) in zip(self.names, self.core.values(
            self._program, self._packed(data), 0, *self._words, self.max_steps), strict=True
        ):  # fmt: skip
            if status in (OVERFLOW, ESCAPE):
                found[name] = self.reference(name, sample)
            elif status:
                found[name] = Failed(_REASONS[status])
            else:
                found[name] = as_typed(value, self.code.outputs[name][1])
        for name in self.code.rejected:
            found[name] = self.reference(name, sample)
        return found

    def status_of(self, sample: Sample) -> dict[str, str]:
        """How every program fared on the engine itself: a status, or why it was not lowered."""
        data = pack_samples([sample])
        rows = self.core.values(self._program, self._packed(data), 0, *self._words, self.max_steps)
        return {name: STATUS[status] for name, (status, _) in zip(self.names, rows, strict=True)} | self.code.rejected

    def reference(self, name: str, sample: Sample) -> Outcome:
        """A program run as it was written."""
        if name not in self._written:
            self._written[name] = self.graph.to_program(self.graph.outputs[name], "solve_written")
        return evaluate(self._written[name], sample)


def as_typed(value: Any, kind: Type) -> Any:
    """A value from the engine with its booleans as booleans, and tuples nested as they were."""
    if kind == BOOL:
        return bool(value)
    if isinstance(kind, Tup):
        if plain_form(kind) in (IJ, CELL):
            return tuple(as_typed(part, of) for part, of in zip(value, kind.parts, strict=True))
        return _nested(kind, list(value))
    if isinstance(kind, Set):
        return frozenset(as_typed(item, kind.item) for item in value)
    if isinstance(kind, Seq):
        return tuple(as_typed(item, kind.item) for item in value)
    return value


def _nested(kind: Type, flat: list[Any]) -> Any:
    """The next parts of a flat tuple as the type nests them."""
    if isinstance(kind, Tup) and plain_form(kind) not in (IJ, CELL):
        return tuple(_nested(part, flat) for part in kind.parts)
    return as_typed(flat.pop(0), kind)
