"""The CPU engine: a merged graph lowered once, run on many samples by threads."""

from __future__ import annotations

import importlib
import os
import time
from collections.abc import Callable, Iterable, Sequence
from types import ModuleType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from arcbatt.compiler import abi
from arcbatt.compiler.abi import ESCAPE, OVERFLOW
from arcbatt.compiler.graph import Graph, merge
from arcbatt.compiler.lower.layout import plain_form
from arcbatt.compiler.lower.lower import Code, lower
from arcbatt.compiler.lower.shapes import shape_of
from arcbatt.compiler.pipeline import compile_graph
from arcbatt.compiler.rewrites import Rewrites
from arcbatt.data.packing import PackedSamples, pack_samples
from arcbatt.engine.arenas import CPU_ARENA_BYTES
from arcbatt.engine.completion import Completion
from arcbatt.engine.custom_build import missing
from arcbatt.engine.outputs import REASONS, STATUS, Outputs, Wanted
from arcbatt.engine.reference import MergedReference, Stop
from arcbatt.engine.reference_pool import crew_of
from arcbatt.language.failures import Failed, Outcome
from arcbatt.language.limits import MAX_CELLS, MAX_STEPS
from arcbatt.language.program import Program
from arcbatt.language.sample import Sample
from arcbatt.language.types import BOOL, CELL, IJ, Seq, Set, Tup, Type

_MOST_PARTS: Final = 8
"""Engines for programs that did not fit that are kept for later runs."""


class Engine:
    """Runs one merged graph on samples. `names` are the programs, in the order of the columns of what comes back.

    `threads` defaults to the machine's cores. At most so many processes complete on the reference what the engine
    leaves open; with one thread no process is started. Each thread starts with an arena of `arena_bytes` and may grow
    it to `most_bytes` for an item that does not fit. Programs that do not fit together then run in parts, and a program
    that does not fit alone on the reference.
    """

    backend = "cpu"

    def __init__(
        self,
        graph: Graph,
        *,
        threads: int | None = None,
        arena_bytes: int = CPU_ARENA_BYTES,
        most_bytes: int = 1 << 30,
        max_steps: int = MAX_STEPS,
        core: ModuleType | None = None,
        rewrites: Rewrites | None = None,
    ) -> None:
        self._options: dict[str, Any] = {
            "threads": threads, "arena_bytes": arena_bytes, "most_bytes": most_bytes, "max_steps": max_steps,
            "core": core, "rewrites": rewrites,
        }  # fmt: skip
        self.core: Any = core or importlib.import_module("arcbatt._core")
        self.graph = graph
        self.threads = threads or os.cpu_count() or 1
        self.max_steps = max_steps
        plain = rewrites or Rewrites.lowered()
        typed = compile_graph(graph, plain).graph
        self.code: Code = lower(typed, columns=plain.columns, without=missing(graph, self.core))
        self.names = list(graph.outputs)
        self.lowered = list(self.code.outputs)
        shapes = [shape_of(kind) for _, kind in self.code.outputs.values()]
        self._column_of = {name: column for column, name in enumerate(self.names)}
        self._outputs = {
            "columns": np.array([self._column_of[name] for name in self.lowered], np.uint32),
            "shapes": np.array([word for shape in shapes for word in shape], np.uint32),
            "starts": np.cumsum([0, *map(len, shapes)]).astype(np.uint32),
        }
        self._rejected = {self._column_of[name]: why for name, why in self.code.rejected.items()}
        self._program = loaded(self.core, self.code, tuple(self.code.inputs.get(name, 0) for name in ("I", "S", "C")))
        self._last: tuple[Sample, list[tuple[int, Any]]] | None = None
        self._limits = run_limits(self.core, self.code, arena_bytes, most_bytes, max_steps)
        self._parts: dict[bytes, Engine] = {}
        """Of programs that did not fit with all others, the last that were wanted."""
        self.crew = crew_of(self.threads)
        self._key = object()

    @classmethod
    def of(cls, programs: Iterable[Program], **options: Any) -> Engine:
        """An engine for programs, merged."""
        return cls(merge(programs), **options)

    def pack(self, samples: Sequence[Sample] | PackedSamples) -> PackedSamples:
        """Samples as arrays, if they are not yet."""
        return samples if isinstance(samples, PackedSamples) else pack_samples(samples)

    def _packed(self, data: PackedSamples) -> Any:
        return self.core.packed({name: getattr(data, name) for name in abi.PACKED.names})

    def run(
        self,
        samples: Sequence[Sample] | PackedSamples,
        outputs: Wanted = "match",
        *,
        largest: int = MAX_CELLS,
        stop: Stop | None = None,
        progress: Callable[[int], None] | None = None,
        complete: bool = True,
    ) -> Outputs:
        """Every program on every sample; what the engine leaves open is completed on the reference and counted.

        `outputs` says what to bring back beside statuses, matches and agreement; grids of more than `largest` cells are
        not kept. An interrupt is seen within a sample's time. `stop` is asked some twenty times a second whether to end
        early: then `Outputs.done` says which samples are finished. `progress` is told how many samples are. Without
        `complete` what is open stays so: overflow, escape, and nothing of programs that were not lowered.
        """
        data = self.pack(samples)
        result = Outputs.empty(self.names, len(data), outputs)
        assert result.hashes is not None
        assert result.grids is not None
        taken = np.zeros(len(data), np.bool_)
        start = time.perf_counter()
        completion = Completion(
            result,
            data,
            self.graph,
            largest=largest,
            max_steps=self.max_steps,
            stop=stop,
            crew=self.crew,
            key=self._key,
        )

        def watch(done: int) -> bool:
            if complete:
                self._offer(result, taken, completion)
                done = int(taken.sum()) - completion.pending
            if progress:
                progress(done)
            return bool(stop and stop())

        with completion:
            result.grown, peak, result.grids.cells = self.core.run(
                self._program,
                self._packed(data),
                limits=self._limits,
                threads=max(1, min(self.threads, len(data))),
                largest=largest,
                outputs=self._outputs,
                results={
                    "statuses": result.statuses,
                    "matches": result.matches.view(np.uint8),
                    "agreement": result.agreement,
                    "hashes": result.hashes,
                    "offset": result.grids.offset,
                    "height": result.grids.height,
                    "width": result.grids.width,
                    "done": result.done.view(np.uint8),
                },
                watch=watch,
            )
            result.peak_bytes = 4 * peak
            self._run_in_parts(data, result, outputs, largest, stop)
            result.seconds["run"] = time.perf_counter() - start
            if complete:
                self._offer(result, taken, completion, everything=True)
            ran = int(result.done.sum())
            completion.finish((lambda pending: progress(ran - pending)) if progress else None)
        result.seconds["reference"] = time.perf_counter() - start - result.seconds["run"]
        return result.trimmed(outputs)

    def _unfit(self, result: Outputs, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Of samples, whether programs did not fit that may in parts."""
        unfit: NDArray[np.bool_] = np.any(result.statuses[rows] == OVERFLOW, axis=1)
        return unfit if len(self.lowered) > 1 else np.zeros_like(unfit)

    def _run_in_parts(
        self, data: PackedSamples, result: Outputs, wanted: Wanted, largest: int, stop: Stop | None
    ) -> None:
        """Run programs that did not fit by themselves: in halves, where these are all there are."""
        rows = np.flatnonzero(result.done)
        rows = rows[self._unfit(result, rows)]
        if not len(rows):
            return
        left = np.flatnonzero((result.statuses[rows] == OVERFLOW).any(axis=0))
        for columns in np.array_split(left, 2) if len(left) == len(self.lowered) else [left]:
            part = self._part(columns)
            if not part.names:
                continue
            found = part.run(data.only(rows), wanted, largest=largest, stop=stop, complete=False)
            if not found.done.all():  # stopped: these samples are not finished
                result.done[rows] = False
                return
            result.take(rows, found, np.array([self._column_of[name] for name in part.names], np.int64))
            result.grown += found.grown
            result.peak_bytes = max(result.peak_bytes, found.peak_bytes)

    def _part(self, columns: NDArray[np.int64]) -> Engine:
        """An engine for some of the programs, as far as they can be lowered without the others."""
        key = columns.tobytes()
        if key not in self._parts:
            part = Engine.of(self.graph.programs(self.names[column] for column in columns), **self._options)
            if part.code.rejected:
                part = self._part(np.array([c for c in columns if self.names[c] in part.code.outputs], np.int64))
            if len(self._parts) == _MOST_PARTS:
                self._parts.clear()
            self._parts[key] = part
        return self._parts[key]

    def _offer(
        self, result: Outputs, taken: NDArray[np.bool_], completion: Completion, *, everything: bool = False
    ) -> None:
        """Hand samples that are done since the last look to the reference, what is open in them marked with why.

        Those with programs that may yet fit wait for that, unless it is `everything`.
        """
        rows = np.flatnonzero(result.done & ~taken)
        if not everything:
            rows = rows[~self._unfit(result, rows)]
        taken[rows] = True
        result.mark_open(rows, self._rejected)
        completion.offer(rows[result.origin[rows].any(axis=1)].tolist())

    def values(self, sample: Sample) -> dict[str, Outcome]:
        """What every program gives on one sample: the engine's values, the reference's where it has none."""
        rows = dict(zip(self.lowered, self._ran(sample), strict=True))
        reference = MergedReference(self.graph, sample, self.max_steps)
        found: dict[str, Outcome] = {}
        for name in self.names:
            status, value = rows.get(name, (ESCAPE, None))
            if status in (OVERFLOW, ESCAPE):
                found[name] = reference.of(name)
            elif status:
                found[name] = Failed(REASONS[status])
            else:
                found[name] = as_typed(value, self.code.outputs[name][1])
        return found

    def status_of(self, sample: Sample) -> dict[str, str]:
        """How every program fares on the engine itself: a status, or why it was not lowered."""
        rows = zip(self.lowered, self._ran(sample), strict=True)
        return {name: STATUS[status] for name, (status, _) in rows} | self.code.rejected

    def _ran(self, sample: Sample) -> list[tuple[int, Any]]:
        """Status and value of the lowered programs; remembered for the sample that was asked for last."""
        last = self._last
        if last is None or last[0] is not sample:
            data = self._packed(pack_samples([sample]))
            rows = self.core.values(self._program, data, 0, limits=self._limits)
            self._last = last = (sample, rows)
        return last[1]


def loaded(core: Any, code: Code, inputs: tuple[int, ...], arguments: Sequence[tuple[int, int]] = ()) -> Any:
    """Bytecode in the core, checked there.

    `inputs` are the slots of I, S and C, `arguments` the slot and type of each further one.
    """
    return core.program(
        version=abi.VERSION,
        code=np.array(code.words, np.uint32),
        types=abi.TYPE_DESC.rows(code.types.rows),
        parts=np.array(code.types.parts, np.uint32),
        image=np.array(code.image, np.uint32),
        outputs=abi.TYPED_SLOT.rows([(slot, code.types.number(kind)) for slot, kind in code.outputs.values()]),
        inputs=inputs,
        arguments=abi.TYPED_SLOT.rows(arguments),
    )


def run_limits(core: Any, code: Code, arena_bytes: int, most_bytes: int, max_steps: int) -> Any:
    """The core's limits of a run; arenas have room for the code's slots and constants at least."""
    least = 4 * len(code.image) + (1 << 16)
    return core.Limits(words=max(arena_bytes, least) // 4, most_words=max(most_bytes, least) // 4, max_steps=max_steps)


def as_typed(value: Any, kind: Type) -> Any:
    """A value from the engine with its booleans as booleans, and tuples nested as they were."""
    if kind == BOOL:
        return bool(value)
    if isinstance(kind, Tup):
        if plain_form(kind) in (IJ, CELL):  # or the corner of nothing
            return value and tuple(as_typed(part, of) for part, of in zip(value, kind.parts, strict=True))
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
