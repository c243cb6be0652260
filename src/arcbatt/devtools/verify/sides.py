"""The backends as sides of a comparison: programs and samples in, a hash for each pair out.

The hash of an outcome is of its value or of its reason of failure, so equal hashes mean equal outcomes, failures
included. Where a side has no answer of its own it says why; nothing is completed elsewhere.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from arcbatt.compiler.abi import ESCAPE, OVERFLOW
from arcbatt.compiler.program_set import CompiledSet, compile
from arcbatt.data.packing import pack_samples
from arcbatt.engine.api import Engine, RunRequest
from arcbatt.engine.choose import GPU_BACKENDS, backend_for, gpu_engine
from arcbatt.engine.dynamic import DynamicTier
from arcbatt.engine.outputs import REASONS, STATUS, Outputs, outcome_hash
from arcbatt.engine.reference import Stopped, WatchedMachine
from arcbatt.errors import DataError, UsageError
from arcbatt.language.failures import Failed, Outcome
from arcbatt.language.limits import MAX_STEPS, MAX_TOTAL_STEPS
from arcbatt.language.program import Program
from arcbatt.language.reference import Machine, evaluate
from arcbatt.language.sample import Sample

ENGINES: Final = ("cpu", "dynamic", "lanes", "cuda")
"""What can be compared with the reference; lanes is the CPU engine with 32 emulated lanes per group."""
FAULT: Final = 0xBAD
"""The hash of what an engine itself fails over; no outcome has it but by chance, so that it counts as a difference."""
NOT_LOWERED: Final = "not lowered: "
ON_ENGINE: Final = "on the engine"
REFERENCE_STEPS: Final = 2_000_000
"""Steps after which the reference leaves an evaluation to the engines, a few seconds' worth."""


class Steps(NamedTuple):
    """How many steps a call and an evaluation may take."""

    max_steps: int = MAX_STEPS
    max_total: int = MAX_TOTAL_STEPS

    @classmethod
    def asked(cls, max_steps: int | None, max_total: int | None) -> Steps:
        """Those that are asked for, else the language's own."""
        return cls(max_steps or MAX_STEPS, max_total or MAX_TOTAL_STEPS)

    def flags(self) -> str:
        """The options that ask for them, where they are not the language's own."""
        calls = "" if self.max_steps == MAX_STEPS else f" --max-steps {self.max_steps}"
        return calls + ("" if self.max_total == MAX_TOTAL_STEPS else f" --max-total-steps {self.max_total}")


@dataclass
class Answers:
    """What a side gives: a hash by sample and program, and why there is none where there is none."""

    hashes: NDArray[np.uint64]
    absent: NDArray[np.uint8]
    """0 where there is an answer, else its place in `reasons` plus 1."""
    reasons: list[str] = field(default_factory=list)

    @classmethod
    def empty(cls, samples: int, programs: int) -> Answers:
        """Every answer still to be given."""
        return cls(np.zeros((samples, programs), np.uint64), np.zeros((samples, programs), np.uint8))

    @classmethod
    def of(cls, outputs: Outputs, programs: Sequence[Program]) -> Answers:
        """The hashes of a run in the order of programs, as if there were an answer to everything."""
        found = cls.empty(len(outputs.statuses), len(programs))
        assert outputs.hashes is not None
        found.hashes = outputs.hashes[:, columns_of(outputs, programs)]
        return found

    def leave_out_unfinished(self, outputs: Outputs) -> Answers:
        """The same without samples that a stop left unfinished."""
        if not outputs.done.all():
            self.absent[~outputs.done] = self.reason("stopped")
        return self

    def reason(self, why: str) -> int:
        """The number of a reason, kept if it is new; the last one stands for all beyond it."""
        if why not in self.reasons and len(self.reasons) < 255:
            self.reasons.append(why)
        return self.reasons.index(why) + 1 if why in self.reasons else len(self.reasons)


def columns_of(outputs: Outputs, programs: Sequence[Program]) -> list[int]:
    """Where a run has what programs gave."""
    columns = {name: column for column, name in enumerate(outputs.names)}
    return [columns[program.name] for program in programs]


class Side(Protocol):
    """A backend that is compared."""

    @property
    def name(self) -> str:
        """What it is called."""

    def answers(
        self,
        programs: Sequence[Program],
        samples: Sequence[Sample],
        stop: Callable[[], bool],
        compiled: CompiledSet | None = None,
    ) -> Answers:
        """Every program on every sample; names of programs differ from one another.

        `compiled` are the same programs, where sides that need it should not each compile them.
        """

    def value(self, program: Program, sample: Sample) -> Outcome:
        """What one program gives on one sample."""


class _TooLong(Exception):
    """Leaves an evaluation of the reference that takes too many steps."""


class _Cut(WatchedMachine):
    def __init__(self, most: int, max_steps: int, max_total: int, stop: Callable[[], bool]) -> None:
        super().__init__(max_steps, max_total, stop)
        self._most = most

    def charge(self, steps: int) -> None:
        if self._most < self.max_steps and self.steps + steps > self._most:
            raise _TooLong
        super().charge(steps)


@dataclass(frozen=True)
class ReferenceSide:
    """The definition: each program alone, line by line."""

    most_steps: int = REFERENCE_STEPS
    name: str = "python"
    max_steps: int = MAX_STEPS
    max_total: int = MAX_TOTAL_STEPS

    def answers(
        self,
        programs: Sequence[Program],
        samples: Sequence[Sample],
        stop: Callable[[], bool],
        compiled: CompiledSet | None = None,
    ) -> Answers:
        """Every program on every sample, but those that take too long."""
        found = Answers.empty(len(samples), len(programs))
        for column, program in enumerate(programs):
            for row, sample in enumerate(samples):
                try:
                    if stop():
                        raise Stopped
                    machine = _Cut(self.most_steps, self.max_steps, self.max_total, stop)
                    found.hashes[row, column] = outcome_hash(evaluate(program, sample, machine))
                except Stopped:
                    found.absent[row:, column] = found.absent[:, column + 1 :] = found.reason("stopped")
                    return found
                except _TooLong:
                    found.absent[row, column] = found.reason(f"more than {self.most_steps:,} steps in one call")
        return found

    def value(self, program: Program, sample: Sample) -> Outcome:
        """What one program gives on one sample."""
        return evaluate(program, sample, Machine(self.max_steps, self.max_total))


@dataclass(frozen=True)
class EngineSide:
    """An engine that runs all programs merged."""

    name: str
    kind: type[Engine]
    options: dict[str, Any]
    max_steps: int = MAX_STEPS
    max_total: int = MAX_TOTAL_STEPS

    def answers(
        self,
        programs: Sequence[Program],
        samples: Sequence[Sample],
        stop: Callable[[], bool],
        compiled: CompiledSet | None = None,
    ) -> Answers:
        """Every program on every sample; absent what the engine would leave to the dynamic tier."""
        engine = self.kind.of(compiled or programs, **self.options)
        outputs = engine.run(
            samples, outputs="hash", max_steps=self.max_steps, max_total=self.max_total, complete=False, stop=stop
        )
        return self.read(programs, outputs)

    def read(self, programs: Sequence[Program], outputs: Outputs) -> Answers:
        """The answers in what a run of an engine gave, without those that need a fallback."""
        found, statuses = Answers.of(outputs, programs), outputs.statuses[:, columns_of(outputs, programs)]
        for status in (OVERFLOW, ESCAPE):
            if (statuses == status).any():
                found.absent[statuses == status] = found.reason(STATUS[status])
        rejected = outputs.program_routes
        for column, program in enumerate(programs):
            if program.name in outputs.internal_errors:
                found.hashes[:, column], found.absent[:, column] = FAULT, 0
            elif program.name in rejected:
                found.absent[:, column] = found.reason(f"{NOT_LOWERED}{rejected[program.name].why}")
        return found.leave_out_unfinished(outputs)

    def value(self, program: Program, sample: Sample) -> Outcome:
        """What one program gives on one sample."""
        engine = self.kind.of([program], **self.options)
        if error := engine.internal_errors().get(program.name):
            raise DataError(str(error))
        return engine.values(sample, self.max_steps, self.max_total)[program.name]


@dataclass(frozen=True)
class DynamicSide:
    """The tier that every engine falls back on, here for every evaluation."""

    name: str = "dynamic"
    max_steps: int = MAX_STEPS
    max_total: int = MAX_TOTAL_STEPS

    def answers(
        self,
        programs: Sequence[Program],
        samples: Sequence[Sample],
        stop: Callable[[], bool],
        compiled: CompiledSet | None = None,
    ) -> Answers:
        """Every program on every sample."""
        compiled = compiled or compile(programs)
        request = RunRequest(
            pack_samples(samples), "hash", max_steps=self.max_steps, max_total=self.max_total, stop=stop
        )
        outputs = Outputs.empty(compiled.names, len(samples), "hash")
        outputs.done[:] = True
        DynamicTier(compiled, threads=1).run(request, outputs, np.ones_like(outputs.matches), request.tell)
        return Answers.of(outputs, programs).leave_out_unfinished(outputs)

    def value(self, program: Program, sample: Sample) -> Outcome:
        """What one program gives on one sample."""
        compiled = compile([program])
        tier, names = DynamicTier(compiled, threads=1), [program.name]
        return tier.values(sample, names, self.max_steps, self.max_total)[program.name]


class GpuSide(EngineSide):
    """The GPU's engine, whose own `values` come from the CPU."""

    def value(self, program: Program, sample: Sample) -> Outcome:
        """A grid or a failure as the GPU gives it; any other value is the CPU's if their hashes are equal."""
        engine = self.kind.of([program], **self.options)
        outputs = engine.run(
            [sample], outputs="grid", max_steps=self.max_steps, max_total=self.max_total, complete=False
        )
        left = bool(self.read([program], outputs).absent.any())
        return gpu_outcome(
            outputs, 0, 0, left, lambda: engine.values(sample, self.max_steps, self.max_total)[program.name]
        )


def gpu_outcome(outputs: Outputs, row: int, column: int, left: bool, elsewhere: Callable[[], Outcome]) -> Outcome:
    """What the GPU gives: grids and failures its own, other values from elsewhere if their hashes are equal."""
    status, grid = int(outputs.statuses[row, column]), outputs.grid(row, column)
    if not left and status in REASONS:
        return Failed(REASONS[status])
    if not left and grid is not None:
        return tuple(map(tuple, grid.tolist()))
    value = elsewhere()
    assert outputs.hashes is not None
    hashed = int(outputs.hashes[row, column])
    if left or outcome_hash(value) == hashed:
        return value
    raise DataError(f"the GPU gives a value that is no grid, with the hash {hashed:#x}")


def side_named(name: str, max_steps: int = MAX_STEPS, max_total: int = MAX_TOTAL_STEPS) -> Side:
    """The side of a backend's name; UsageError where there is none such here."""
    if name == "python":
        return ReferenceSide(max_steps=max_steps, max_total=max_total)
    if name not in ENGINES:
        raise UsageError(f"no backend {name!r}; there are: python, {', '.join(ENGINES)}")
    if name in GPU_BACKENDS:
        backend_for(name)
        return GpuSide(name, gpu_engine(), {}, max_steps, max_total)
    if name == "dynamic":
        return DynamicSide(max_steps=max_steps, max_total=max_total)
    core: ModuleType | None = None
    if name == "lanes":
        try:
            core = importlib.import_module("arcbatt._core_lanes")
        except ModuleNotFoundError as error:
            raise UsageError(
                "the backend lanes is for developers, and this install has no emulated lanes; "
                "`make .venv/installed` in a checkout builds them"
            ) from error
    engine = importlib.import_module("arcbatt.engine.cpu").CpuEngine
    return EngineSide(name, engine, {"core": core, "threads": 1, "arena_bytes": 1 << 20}, max_steps, max_total)


def engines_here() -> list[str]:
    """The engines that can run on this machine."""
    found = []
    for name in ENGINES:
        try:
            side_named(name)
        except UsageError:
            continue
        found.append(name)
    return found
