"""One batch of a run, computed: every program of a slice on the samples of some tasks, brought down to rows.

It knows of no record, so that it may be done anywhere: `Computed` is what travels.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcbatt.compiler.program_set import CompiledSet
from arcbatt.data.grids import MAX_INPUT_SIDE
from arcbatt.data.packing import PackedSamples, pack_samples
from arcbatt.data.tasks import Task
from arcbatt.data.taskset import TaskSet
from arcbatt.engine.api import Engine
from arcbatt.engine.auto import Choice
from arcbatt.engine.choose import make_engine
from arcbatt.engine.outputs import STATUS, Outputs, combined_hashes
from arcbatt.engine.verdicts import matching
from arcbatt.language.program import Program, reads
from arcbatt.runs.nearness import Candidate, Differs, candidates, nearest
from arcbatt.runs.store.reading import TaskSize
from arcbatt.runs.store.tables import AttemptRow, OutputRow, PaceRow, ResultRow, TierRow

_TIMED: Final = 4
"""Samples that programs are timed on."""

Known = Callable[[int], list[Candidate]]
"""The near misses of a task that are known already, in their order."""


class Slice(NamedTuple):
    """A run of tasks, or of programs."""

    start: int
    stop: int

    @property
    def size(self) -> int:
        """How many there are."""
        return self.stop - self.start


def slices(count: int, size: int) -> list[Slice]:
    """Runs of at most so many."""
    return [Slice(start, min(start + size, count)) for start in range(0, count, size)]


class NearMiss(NamedTuple):
    """A program that comes near to a task, what it gave, and what the differs say of it."""

    candidate: Candidate
    attempts: list[AttemptRow]
    scores: dict[str, int | None]


@dataclass
class Computed:
    """What a batch came to."""

    part: Slice
    """The programs."""
    tasks: Slice
    """The tasks that are finished: those of the batch, or after a stop the first of them."""
    whole: bool
    """Whether that is all of the batch."""
    backend: str
    evaluations: int
    seconds: float = 0.0
    """That the batch took where it was computed, without making the engine."""
    stages: dict[str, float] = field(default_factory=dict)
    columns: tuple[NDArray[Any], ...] = ()
    """Of the table `result`, by task and program: right on demonstrations and tests (-1: hidden), failed, the first
    failure's status, agreement, hash."""
    attempts: list[AttemptRow] = field(default_factory=list)
    """Of programs that are right on every demonstration."""
    near: dict[int, list[NearMiss]] = field(default_factory=dict)
    outputs: dict[int, OutputRow] = field(default_factory=dict)
    """The grids of attempts, by hash."""
    tiers: list[TierRow] = field(default_factory=list)
    paces: list[PaceRow] = field(default_factory=list)
    rerouted: dict[str, int] = field(default_factory=dict)
    ran_on: dict[str, int] = field(default_factory=dict)
    failures: dict[str, int] = field(default_factory=dict)
    recovered_errors: Counter[str] = field(default_factory=Counter)

    def results(self) -> Iterator[ResultRow]:
        """The rows of the table `result`, in the order of its key, by which they are written twice as fast."""
        for program in range(self.part.size):
            columns = [array[:, program].tolist() for array in self.columns]
            number = self.part.start + program
            for task, (right, tests, failed, first, agreement, key) in enumerate(
                zip(*columns, strict=True), self.tasks.start
            ):
                reason = STATUS[first] if failed else None
                yield number, task, right, tests if tests >= 0 else None, failed, reason, agreement, key


@dataclass(frozen=True)
class Plan:
    """What every batch of a run is computed from, but for the programs of its slice."""

    tasks: Sequence[Task]
    sizes: Sequence[TaskSize]
    differs: Sequence[Program]
    max_steps: int
    max_total_steps: int
    timed: bool
    """Whether the programs of a slice are timed before its first batch."""


class Computer:
    """Computes batches, one after the other, with the engine of one slice of programs at a time.

    `compiled` gives slices that were compiled elsewhere.
    """

    def __init__(
        self,
        plan: Plan,
        backend: str,
        *,
        threads: int | None = None,
        devices: Sequence[int] = (),
        choice: Choice | None = None,
        compiled: Callable[[Slice], CompiledSet] | None = None,
    ) -> None:
        self.plan, self._compiled = plan, compiled
        self._backend, self._threads, self._devices, self._choice = backend, threads, devices, choice
        self._differs = Differs(plan.differs, backend if backend == "python" else "cpu")
        self._part: Slice | None = None
        self._engine: Engine
        self._reads_samples: NDArray[np.bool_]

    def compute(
        self,
        part: Slice,
        programs: Callable[[], Sequence[Program]],
        batch: Slice,
        *,
        timed: bool = False,
        known: Known | None = None,
        stop: Callable[[], bool] | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> Computed:
        """Run the programs of a slice on some tasks.

        `timed` says that this is the slice's first batch. Near misses that are no nearer than those that are `known`
        are left out. `progress` is told how many samples are done.
        """
        stages: dict[str, float] = {}
        paces, errors = self._load(part, programs, timed and self.plan.timed, stages)
        began = time.perf_counter()
        sizes = self.plan.sizes[batch.start : batch.stop]
        data, answers = self._packed(batch, sizes)
        stages["pack"] = time.perf_counter() - began
        outputs = self._engine.run(
            data,
            "grid",
            largest=MAX_INPUT_SIDE**2,
            max_steps=self.plan.max_steps,
            max_total=self.plan.max_total_steps,
            stop=stop,
            progress=progress,
        )
        stages.update(outputs.seconds)
        tasks = _finished(batch, sizes, outputs)
        samples = sum(map(sum, sizes[: tasks.size]))
        result = Computed(
            part,
            tasks,
            tasks == batch,
            self._engine.backend,
            samples * part.size,
            tiers=list(_tier_rows(self._engine, part, outputs)),
            paces=paces,
            rerouted={str(route): count for route, count in outputs.rerouted(slice(0, samples)).items()},
            ran_on=dict(outputs.ran_on(slice(0, samples))),
            failures=_failures(outputs, samples),
            recovered_errors=outputs.recovered_errors + errors,
        )
        computed = time.perf_counter()
        _Rows(self, result, data, answers, outputs, known).collect(sizes)
        stages["near misses"] = time.perf_counter() - computed
        result.seconds, result.stages = time.perf_counter() - began, stages
        return result

    def scores(self, task: int, grids: Sequence[NDArray[np.int8] | None]) -> dict[str, int | None]:
        """What the differs say of outputs for the demonstrations of a task."""
        return self._differs.scores(self.plan.tasks[task], grids)

    @property
    def reads_samples(self) -> NDArray[np.bool_]:
        """Of each program of the slice, whether it reads S."""
        return self._reads_samples

    def _load(
        self, part: Slice, programs: Callable[[], Sequence[Program]], timed: bool, stages: dict[str, float]
    ) -> tuple[list[PaceRow], Counter[str]]:
        """See to it that the engine is that of a slice; how long its programs take, and what went wrong in timing."""
        paces: list[PaceRow] = []
        errors = Counter[str]()
        began = time.perf_counter()
        if part != self._part:
            self._part = None
            given = programs()
            self._engine = make_engine(
                self._backend,
                self._compiled(part) if self._compiled else given,
                threads=self._threads,
                devices=self._devices,
                choice=self._choice,
                max_steps=self.plan.max_steps,
            )
            self._reads_samples = np.array([reads(program, "S") for program in given], np.bool_)
            self._part = part
        if timed:
            try:
                paces = self._paces(part)
            except Exception as error:  # what nobody had foreseen here is met again where it counts, in the run itself
                errors[f"programs were not timed: {type(error).__name__}: {error}"] += 1
        stages["merge and compile"] = time.perf_counter() - began
        return paces, errors

    def _paces(self, part: Slice) -> list[PaceRow]:
        """How long programs take on a few samples, spread over the tasks, as rows of the table `pace`."""
        tasks = self.plan.tasks
        count = min(_TIMED, len(tasks))
        places = [(2 * number + 1) * len(tasks) // (2 * count) for number in range(count)]
        samples = [sample for place in places for sample in tasks[place].samples[:1]]
        if not samples:
            return []
        number = {name: place for place, name in enumerate(self._engine.names, part.start)}
        return [(number[name], seconds, len(samples)) for name, seconds in self._engine.paces(samples).items()]

    def _packed(self, batch: Slice, sizes: Sequence[TaskSize]) -> tuple[PackedSamples, NDArray[np.int32]]:
        """The samples of a batch without the expected outputs of tests, and the numbers of those grids."""
        tasks = self.plan.tasks
        if isinstance(tasks, TaskSet):
            data = tasks.packed(slice(batch.start, batch.stop))
        else:
            data = pack_samples([sample for task in tasks[batch.start : batch.stop] for sample in task.samples])
        shown = np.concatenate([np.arange(demos + tests) < demos for demos, tests in sizes])
        return replace(data, expected=np.where(shown, data.expected, -1).astype(np.int32)), data.expected


def _finished(batch: Slice, sizes: Sequence[TaskSize], outputs: Outputs) -> Slice:
    """The tasks from the first on whose samples are all done."""
    row = 0
    for task, (demos, tests) in enumerate(sizes, batch.start):
        if not outputs.done[row : row + demos + tests].all():
            return Slice(batch.start, task)
        row += demos + tests
    return batch


def _failures(outputs: Outputs, samples: int) -> dict[str, int]:
    """How many evaluations of the first samples failed, by reason."""
    counts = np.bincount(outputs.statuses[:samples].reshape(-1), minlength=1)
    return {STATUS[status]: int(counts[status]) for status in np.flatnonzero(counts).tolist() if status}


def _tier_rows(engine: Engine, part: Slice, outputs: Outputs) -> Iterator[TierRow]:
    """What ran each program of a slice, as rows of the table `tier`."""
    for program, name in enumerate(outputs.names, part.start):
        tier, why = outputs.program_routes.get(name, (engine.backend, None))
        error = outputs.internal_errors.get(name)
        yield program, tier, why, json.dumps(asdict(error)) if error else None


class _Rows:
    """Brings the outputs of a batch down to what is recorded of them."""

    def __init__(
        self,
        computer: Computer,
        result: Computed,
        data: PackedSamples,
        answers: NDArray[np.int32],
        outputs: Outputs,
        known: Known | None,
    ) -> None:
        self.computer = computer
        self.result = result
        self.data = data
        self.answers = answers
        self.of = outputs
        self.known = known

    def collect(self, sizes: Sequence[TaskSize]) -> None:
        """Go through the tasks that are finished."""
        row, found = 0, []
        for place in range(self.result.tasks.size):
            demos, tests = sizes[place]
            rows = slice(row, row + demos + tests)
            found.append(self._task(self.result.tasks.start + place, slice(row, row + demos), rows))
            row = rows.stop
        self.result.columns = tuple(np.array(column) for column in zip(*found, strict=True))

    def _task(self, task: int, demos: slice, rows: slice) -> tuple[NDArray[Any], ...]:
        outputs, data = self.of, self.data
        assert outputs.hashes is not None
        wanted = data.expected[demos]
        cells = data.height[wanted] * data.width[wanted]
        right = outputs.matches[demos].sum(axis=0)
        agreement = (outputs.agreement[demos] / cells[:, None]).mean(axis=0)
        hashes = combined_hashes(outputs.hashes[rows]).view(np.int64)
        failed = outputs.statuses[rows] != 0
        first = np.take_along_axis(outputs.statuses[rows], failed.argmax(axis=0)[None], axis=0)[0]
        count = demos.stop - demos.start
        for column in np.flatnonzero(right == count).tolist():
            self.result.attempts += self._kept(task, rows, column)
        part = self.result.part
        near = candidates(count, right, agreement, hashes, self.computer.reads_samples, part.start)
        self._near(task, demos, rows, near)
        tests = self._tests_right(slice(demos.stop, rows.stop))
        small = [one.astype(np.int32) for one in (right, tests, failed.sum(axis=0))]
        return (*small, first, agreement, hashes)

    def _tests_right(self, tests: slice) -> NDArray[Any]:
        """How many tests each program gets right; -1 where an answer is hidden."""
        total = np.zeros(len(self.of.names), np.int64)
        for row in range(tests.start, tests.stop):
            number = int(self.answers[row])
            if number < 0:
                return np.full(len(self.of.names), -1)
            total += matching(self.of, row, self.data, number)
        return total

    def _kept(self, task: int, rows: slice, column: int) -> Iterator[AttemptRow]:
        """Keep what a program gave on every sample."""
        assert self.of.hashes is not None
        outputs = self.result.outputs
        for sample, row in enumerate(range(rows.start, rows.stop)):
            grid = self.of.grid(row, column)
            key = None
            if grid is not None:
                key = int(self.of.hashes[row, column].view(np.int64))
                if key not in outputs:
                    outputs[key] = (key, *grid.shape, grid.tobytes())
            yield task, sample, self.result.part.start + column, key

    def _near(self, task: int, demos: slice, rows: slice, new: list[Candidate]) -> None:
        known = self.known(task) if self.known else []
        found = []
        for one in nearest(known, new):
            if one not in known:
                column = one.program - self.result.part.start
                grids = [self.of.grid(row, column) for row in range(demos.start, demos.stop)]
                found.append(NearMiss(one, list(self._kept(task, rows, column)), self.computer.scores(task, grids)))
        if found:
            self.result.near[task] = found


def used(outputs: Mapping[int, OutputRow], attempts: Sequence[AttemptRow]) -> list[OutputRow]:
    """The grids that attempts refer to."""
    return [outputs[key] for key in dict.fromkeys(key for *_, key in attempts) if key is not None]
