"""The CPU engine: compiled programs on many samples by threads, native code over an arena each."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from types import ModuleType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from arcbatt.compiler import abi
from arcbatt.compiler.abi import ESCAPE, OVERFLOW
from arcbatt.compiler.internal_errors import InternalError, InternalErrors, made_of_most, pinned_down
from arcbatt.compiler.lower.lower import Code
from arcbatt.compiler.lower.shapes import shape_of, typed_shape
from arcbatt.compiler.program_set import CompiledSet
from arcbatt.compiler.step_bounds import steps_too_many
from arcbatt.data.packing import PackedSamples, pack_samples
from arcbatt.engine.api import RunRequest
from arcbatt.engine.custom_build import missing
from arcbatt.engine.dynamic import DynamicTier
from arcbatt.engine.outputs import REASONS, STATUS, Outputs
from arcbatt.engine.paces import LOOK_STEPS, LOOKS, dynamic_seconds, typed_seconds
from arcbatt.engine.tiers import Columns, LowerTier, Sink, TieredEngine, run_alone
from arcbatt.language.failures import Failed, Outcome
from arcbatt.language.limits import MAX_STEPS, MAX_TOTAL_STEPS
from arcbatt.language.sample import Sample
from arcbatt.support.machine import cores

ARENA_BYTES: Final = 64 << 20
"""Of a thread, at first."""
MOST_ARENA_BYTES: Final = 1 << 30
_MOST_PARTS: Final = 64
"""Parts of the programs that are kept for later runs."""


class CpuTier(LowerTier):
    """Native code on threads, each with an arena that grows for an item that does not fit.

    Programs that do not fit together in the largest arena run in parts; what does not fit alone is left as overflow.
    """

    def __init__(
        self,
        compiled: CompiledSet,
        *,
        threads: int | None = None,
        arena_bytes: int = ARENA_BYTES,
        most_bytes: int = MOST_ARENA_BYTES,
        core: ModuleType | None = None,
    ) -> None:
        super().__init__(compiled)
        self._options: dict[str, Any] = {
            "threads": threads, "arena_bytes": arena_bytes, "most_bytes": most_bytes, "core": core,
        }  # fmt: skip
        self.core: Any = core or importlib.import_module("arcbatt._core")
        self.threads = threads or cores()
        self._sizes = arena_bytes, most_bytes
        self._parts: dict[bytes, CpuTier] = {}
        self._last: tuple[Sample, tuple[int, int], dict[str, tuple[int, Any]]] | None = None
        self._known_limits: dict[tuple[int, int], Any] = {}
        self._failed: InternalErrors = {}
        """Programs over which a run failed, which are not run again."""

    @cached_property
    def _ready(self) -> tuple[Code, Any]:
        """The bytecode of all programs but those that the core refuses, and it in the core."""
        without = missing(self.compiled.graph, self.core)
        whole = self.compiled.code(without)

        def load(names: list[str]) -> tuple[Code, Any]:
            code = whole if len(names) == len(whole.outputs) else self.compiled.subset(names).code(without)
            return code, loaded(self.core, code, tuple(code.inputs.get(name, 0) for name in ("I", "S", "C")))

        (code, there), errors = made_of_most(
            [name for name in whole.outputs if name not in self._failed], load, "the check of bytecode"
        )
        errors |= self._failed
        if errors:
            rejected = whole.rejected | {name: str(error) for name, error in errors.items()}
            code = replace(code, rejected=rejected, internal_errors=whole.internal_errors | errors)
        return code, there

    @property
    def code(self) -> Code:
        """The bytecode of the programs."""
        return self._ready[0]

    @property
    def loaded(self) -> Any:
        """The bytecode in the core, checked there."""
        return self._ready[1]

    @property
    def lowered(self) -> list[str]:
        """The programs that have bytecode."""
        return list(self.code.outputs)

    def _limits(self, max_steps: int, max_total: int = MAX_TOTAL_STEPS) -> Any:
        asked = max_steps, max_total
        if asked not in self._known_limits:
            self._known_limits[asked] = run_limits(self.core, self.code, *self._sizes, *asked)
        return self._known_limits[asked]

    @cached_property
    def _outputs(self) -> dict[str, NDArray[np.uint32]]:
        """Of the programs with bytecode their columns, the shapes of what they give, and where each shape begins."""
        shapes = [shape_of(kind) for _, kind in self.code.outputs.values()]
        column_of = {name: column for column, name in enumerate(self.names)}
        return {
            "columns": np.array([column_of[name] for name in self.lowered], np.uint32),
            "shapes": np.array([word for shape in shapes for word in shape], np.uint32),
            "starts": np.cumsum([0, *map(len, shapes)]).astype(np.uint32),
        }

    def refused(self) -> dict[str, str]:
        """Programs that have no bytecode, and why."""
        return self.code.rejected

    def internal_errors(self) -> InternalErrors:
        """Of these, those over which arcbatt itself failed."""
        return self.code.internal_errors

    def run(self, request: RunRequest, result: Outputs, sink: Sink) -> None:
        """Every program on every sample; programs over which the core fails are left out, then and in later runs."""
        packed = self._packed(request.samples)  # samples that are not as they should be are the caller's to mend
        told = np.zeros(len(request.samples), np.bool_)
        while True:
            try:
                return self._run(request, packed, result, sink, told)
            except Exception as error:
                self._leave_out(request, packed, error)

    def _leave_out(self, request: RunRequest, packed: Any, error: Exception) -> None:
        """Find the programs over which a run fails, by runs of parts of them; all, if none does by itself."""
        names = self.lowered

        def run(some: list[str]) -> None:
            part = CpuTier(self.compiled.subset(some), **self._options)
            result = Outputs.empty(some, len(request.samples), request.outputs)
            part._run(replace(request, progress=None), packed, result, Sink(), result.done.copy())

        stage = "a run on the CPU"
        self._failed |= pinned_down(names, run, stage) or dict.fromkeys(names, InternalError.of(stage, error))
        for name in ("_ready", "_outputs"):
            vars(self).pop(name, None)
        self._known_limits.clear()
        self._last = None

    def _run(self, request: RunRequest, packed: Any, result: Outputs, sink: Sink, told: NDArray[np.bool_]) -> None:
        """Every program on every sample; samples with programs that may yet fit in parts are told of last."""
        assert result.hashes is not None
        assert result.grids is not None

        def tell(rows: NDArray[np.int64]) -> None:
            told[rows] = True
            sink.finished(rows)

        if not self.lowered:
            result.done[:] = True
            return tell(np.flatnonzero(~told))

        def watch(_: int) -> bool:
            rows = np.flatnonzero(result.done & ~told)
            tell(rows[~self._unfit(result, rows)])
            sink.tell()
            return request.stopped()

        result.grown, peak, result.grids.cells = self.core.run(
            self.loaded,
            packed,
            limits=self._limits(request.max_steps, request.max_total),
            threads=max(1, min(self.threads, len(request.samples))),
            largest=request.largest,
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
        self._run_in_parts(request, result)
        tell(np.flatnonzero(result.done & ~told))

    def _packed(self, data: PackedSamples) -> Any:
        return self.core.packed({name: getattr(data, name) for name in abi.PACKED.names})

    def _unfit(self, result: Outputs, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Of samples, whether programs did not fit that may in parts."""
        unfit: NDArray[np.bool_] = np.any(result.statuses[rows] == OVERFLOW, axis=1)
        return unfit if len(self.lowered) > 1 else np.zeros_like(unfit)

    def _run_in_parts(self, request: RunRequest, result: Outputs) -> None:
        """Run programs that did not fit by themselves: in halves, where these are all there are."""
        rows = np.flatnonzero(result.done)
        rows = rows[self._unfit(result, rows)]
        if not len(rows):
            return
        left = np.flatnonzero((result.statuses[rows] == OVERFLOW).any(axis=0))
        for columns in np.array_split(left, 2) if len(left) == len(self.lowered) else [left]:
            found = run_alone(self.part(columns), request.only(rows, progress=None))
            if not found.done.all():  # stopped: these samples are not finished
                result.done[rows] = False
                return
            result.take(rows, found, columns)

    def part(self, columns: Columns) -> CpuTier:
        """The tier for some of the programs, those that were wanted last."""
        key = columns.tobytes()
        part = self._parts.get(key)
        if part is None:
            names = [self.names[column] for column in columns.tolist()]
            part = CpuTier(self.compiled.subset(names), **self._options)
            if len(self._parts) >= _MOST_PARTS:
                self._parts.clear()
            self._parts[key] = part
        return part

    def outcomes(
        self, sample: Sample, max_steps: int = MAX_STEPS, max_total: int = MAX_TOTAL_STEPS
    ) -> dict[str, tuple[int, Any]]:
        """Status and value of every program that has bytecode; those of the sample asked for last are remembered."""
        last, limits = self._last, (max_steps, max_total)
        if last is None or last[0] is not sample or last[1] != limits:
            data = self._packed(pack_samples([sample]))
            shapes = [typed_shape(kind) for _, kind in self.code.outputs.values()]
            rows = self.core.values(self.loaded, data, 0, shapes=shapes, limits=self._limits(*limits))
            self._last = last = (sample, limits, dict(zip(self.lowered, rows, strict=True)))
        return last[2]

    def values(self, sample: Sample, max_steps: int, max_total: int, dynamic: DynamicTier) -> dict[str, Outcome]:
        """What every program gives on one sample: typed values, the dynamic tier's where there is none."""
        try:
            outcomes = self.outcomes(sample, max_steps, max_total)
        except Exception:  # a defect of the core, which runs report; the values are to be had all the same
            outcomes = {}
        native = {
            name: Failed(REASONS[status]) if status else value
            for name, (status, value) in outcomes.items()
            if status not in (OVERFLOW, ESCAPE)
        }
        native |= dynamic.values(sample, [name for name in self.names if name not in native], max_steps, max_total)
        return {name: native[name] for name in self.names}

    def paces(self, samples: Sequence[Sample], dynamic: DynamicTier) -> dict[str, float]:
        """How many seconds of one core every program takes for a sample, those of the dynamic tier too."""
        data = pack_samples(samples)
        seconds = typed_seconds(self.code, [_seconds(*self.watched(data, LOOK_STEPS)) for _ in range(LOOKS)])
        found = {name: total / len(samples) for name, total in seconds.items()}
        return found | dynamic_seconds(dynamic, (name for name in self.names if name not in found), samples)

    def watched(self, data: PackedSamples, max_steps: int = MAX_STEPS) -> tuple[Any, Any, int, int]:
        """A run that looks at the clock around every instruction.

        Counters by place in the code, the start and end of every sample, and how many ticks of the counters' clock make
        how many nanoseconds.
        """
        threads = max(1, min(self.threads, len(data)))
        found: tuple[Any, Any, int, int] = self.core.profile(
            self.loaded, self._packed(data), threads=threads, limits=self._limits(max_steps)
        )
        return found


def _seconds(counters: NDArray[np.uint64], _: Any, ticks: int, nanoseconds: int) -> NDArray[np.float64]:
    """The seconds of each place in the code."""
    return counters[:, 3].astype(np.float64) * (nanoseconds / 1e9 / max(ticks, 1))


class CpuEngine(TieredEngine):
    """Runs compiled programs on threads, by default as many as there are cores.

    What has no bytecode, escapes, or does not fit even alone runs on the dynamic tier, by as many threads.
    """

    backend = "cpu"

    def __init__(
        self,
        compiled: CompiledSet,
        *,
        threads: int | None = None,
        arena_bytes: int = ARENA_BYTES,
        most_bytes: int = MOST_ARENA_BYTES,
        core: ModuleType | None = None,
        instead: str = "",
    ) -> None:
        self._options: dict[str, Any] = {
            "threads": threads, "arena_bytes": arena_bytes, "most_bytes": most_bytes, "core": core,
        }  # fmt: skip
        self._tier = CpuTier(compiled, **self._options)
        _ = self._tier.loaded  # what must not be run is refused now
        super().__init__(compiled, self._tier.threads, instead)

    def of_set(self, compiled: CompiledSet) -> CpuEngine:
        """An engine as this one, for other programs."""
        return CpuEngine(compiled, instead=self.instead, **self._options)

    @property
    def first(self) -> CpuTier:
        """The native code."""
        return self._tier

    @property
    def code(self) -> Code:
        """The bytecode of the programs."""
        return self._tier.code

    def paces(self, samples: Sequence[Sample]) -> dict[str, float]:
        """How many seconds of one core programs take for a sample."""
        return self._tier.paces(samples, self.dynamic)

    def _values(self, sample: Sample, max_steps: int, max_total: int) -> dict[str, Outcome]:
        return self._tier.values(sample, max_steps, max_total, self.dynamic)

    def status_of(self, sample: Sample, max_steps: int = MAX_STEPS) -> dict[str, str]:
        """How every program fares on the first tier itself: a status, or why it has no bytecode."""
        tier = self.for_steps(max_steps).first
        assert isinstance(tier, CpuTier)
        return {name: STATUS[status] for name, (status, _) in tier.outcomes(sample, max_steps).items()} | tier.refused()


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


def run_limits(
    core: Any, code: Code, arena_bytes: int, most_bytes: int, max_steps: int, max_total: int = MAX_TOTAL_STEPS
) -> Any:
    """The core's limits of a run; arenas have room for the code's slots and constants at least."""
    least = 4 * len(code.image) + (1 << 16)
    return core.Limits(
        words=max(arena_bytes, least) // 4,
        most_words=max(most_bytes, least) // 4,
        max_steps=max_steps,
        spent_end=steps_too_many(code.graph.bounds, code.outputs, max_total),
    )
