"""A run: batches of programs and tasks, each run on a backend and recorded before the next begins."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcbatt.batt.differs import standard_differs
from arcbatt.data.grids import MAX_INPUT_SIDE
from arcbatt.data.packing import PackedSamples, pack_samples
from arcbatt.data.tasks import Task
from arcbatt.data.taskset import TaskSet
from arcbatt.engine.api import Engine
from arcbatt.engine.auto import Choice
from arcbatt.engine.choose import backend_for, make_engine
from arcbatt.engine.outputs import STATUS, Outputs, combined_hashes
from arcbatt.engine.verdicts import matching
from arcbatt.errors import ArcbattError, UsageError
from arcbatt.language.program import Program, reads
from arcbatt.runs.nearness import Candidate, Differs, candidates, nearest
from arcbatt.runs.options import RunOptions
from arcbatt.runs.outcomes import solved_tasks
from arcbatt.runs.record import RunRecord
from arcbatt.runs.store.tables import Batch, PaceRow, ResultRow, TierRow
from arcbatt.runs.writer import RunWriter

STAGES: Final = ("read", "merge and compile", "pack", "run", "dynamic", "near misses", "record")
_MOST_EVALUATIONS: Final = 500_000
"""Evaluations in a batch at most, whatever the batch size: their outputs are in memory together."""

_FIRST_BATCH: Final = 32
"""Samples of the first batch; then as many as take about a second."""
_SHORT_BATCH: Final = 1.0
_TIMED: Final = 4
"""Samples that programs are timed on."""

Progress = Callable[[int, int], None]
"""Told now and then how many evaluations are done, and of how many."""


class Slice(NamedTuple):
    """A run of tasks, or of programs."""

    start: int
    stop: int


@dataclass
class Summary:
    """How a run went; evaluations and seconds are those since it was started or resumed."""

    record: RunRecord
    backend: str
    finished: bool = True
    evaluations: int = 0
    seconds: dict[str, float] = field(default_factory=lambda: dict.fromkeys(STAGES, 0.0))
    total_seconds: float = 0.0
    backends: Counter[str] = field(default_factory=Counter)
    """Evaluations by the engine that was in use."""
    recovered_errors: Counter[str] = field(default_factory=Counter)
    """Errors the run recovered from: workers that were replaced, launches that were halved."""

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Counts the time of a stage."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] += time.perf_counter() - start

    def rerouted(self) -> Counter[str]:
        """Evaluations of the whole run that another tier did than the one asked for, by `tier: why`."""
        return self.record.store.rerouted()


def run(
    options: RunOptions,
    programs: Sequence[Program],
    tasks: Sequence[Task],
    *,
    differs: Sequence[Program] = (),
    out: Path | None = None,
    resume: bool = False,
    stop: Callable[[], bool] | None = None,
    progress: Progress | None = None,
    after_batch: Callable[[], None] | None = None,
    read_seconds: float = 0.0,
) -> Summary:
    """Run programs on tasks into a directory (or into memory) until done, or until `stop` says so.

    What is done is recorded, batch by batch; a run that was stopped or killed goes on with `resume`. The result is the
    same for any backend, batch size and number of threads, and for a run in one go or in several. `after_batch` is
    called when a batch is recorded; `read_seconds` is how long it took to read programs and tasks.
    """
    if not programs:
        raise UsageError("no program to run")
    if not tasks:
        raise UsageError("no task to run on")
    _check_distinct("programs", (program.id for program in programs))
    _check_distinct("tasks", tasks.ids if isinstance(tasks, TaskSet) else (task.id for task in tasks))
    start = time.perf_counter()
    backend = backend_for(options.backend)
    if resume:
        if out is None:
            raise UsageError("--resume goes on with the run of a directory: give it with --out")
        writer = RunWriter.resume(out, options, backend)
        try:
            writer.check_same(programs, tasks)
            writer.mark_running()
        except ArcbattError:
            writer.close()
            raise
        then = writer.record.options
        options = replace(
            options, slice_size=then.slice_size, max_steps=then.max_steps, max_total_steps=then.max_total_steps
        )
    else:
        writer = RunWriter.create(out, options, backend, programs, tasks)
    summary = Summary(writer.record, backend)
    summary.seconds["read"] = read_seconds
    summary.seconds["record"] += time.perf_counter() - start
    try:
        runner = _Runner(options, programs, tasks, [*standard_differs(), *differs], writer, summary, stop, progress)
        runner.after_batch = after_batch or runner.after_batch
        _run_and_finish(runner, writer, summary)
    except BaseException:
        writer.give_up()
        raise
    summary.total_seconds = time.perf_counter() - start
    return summary


def _check_distinct(what: str, names: Iterable[str]) -> None:
    """Refuse two of one name: a record tells them apart by it."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise UsageError(f"two {what} are named {name!r}")
        seen.add(name)


def _run_and_finish(runner: _Runner, writer: RunWriter, summary: Summary) -> None:
    start = time.perf_counter()
    state = "stopped"
    try:
        done, total = runner.done, runner.total
        writer.log(f"{'resumed' if done else 'started'}: {total - done:,} of {total:,} evaluations, {summary.backend}")
        runner.run()
        state = "done" if summary.finished else "stopped"
    finally:
        writer.log(f"{state}: {summary.evaluations:,} evaluations in {time.perf_counter() - start:.1f} s")
        info = writer.record.info
        earlier = info.get("stages", {})
        info["stages"] = {name: round(earlier.get(name, 0.0) + seconds, 6) for name, seconds in summary.seconds.items()}
        info["tiers"] = Counter(one.tier for one in writer.record.store.tiers())
        info["tasks"], info["solved"] = len(runner.samples), len(solved_tasks(writer.record))
        for name in ("backends", "recovered_errors"):
            info[name] = dict(Counter(info.get(name, {})) + getattr(summary, name))
        with summary.stage("record"):
            writer.finish(state)


class _Runner:
    def __init__(
        self,
        options: RunOptions,
        programs: Sequence[Program],
        tasks: Sequence[Task],
        differs: Sequence[Program],
        writer: RunWriter,
        summary: Summary,
        stop: Callable[[], bool] | None,
        progress: Progress | None,
    ) -> None:
        self.options = options
        self.programs = programs
        self.tasks = tasks
        self.writer = writer
        self.summary = summary
        self.differs = Differs(differs, summary.backend)
        self.reads_samples = np.array([reads(program, "S") for program in programs], np.bool_)
        self.stop = stop or (lambda: False)
        self.progress = progress or (lambda done, total: None)
        self.after_batch: Callable[[], None] = lambda: None
        sizes = writer.record.store.task_sizes()
        self.demos = [one.demos for one in sizes]
        self.samples = [one.demos + one.tests for one in sizes]
        self.choice = Choice()
        self.allowed = min(_FIRST_BATCH, options.batch_size) if options.mega_batch else 1
        self.tiers: dict[int, TierRow] = {}
        """Of each program, the last that was recorded of its tier."""
        self.paces: list[PaceRow] = []
        """How long programs take, still to be recorded."""
        self.slices = slices(len(programs), options.slice_size)
        self.left = {part: self._open_tasks(part) for part in self.slices}
        self.total = sum(self.samples) * len(programs)
        open_evaluations = sum(
            sum(self.samples[task] for task in tasks) * (part.stop - part.start) for part, tasks in self.left.items()
        )
        self.done = self.total - open_evaluations
        self.choice.evaluations = open_evaluations

    def _open_tasks(self, part: Slice) -> list[int]:
        """The tasks that a slice of programs has not been run on."""
        is_open = np.ones(len(self.samples), np.bool_)
        for first, count in self.writer.record.store.tasks_done(part.start, part.stop - part.start):
            is_open[first : first + count] = False
        return [int(task) for task in np.flatnonzero(is_open)]

    def run(self) -> None:
        self.progress(self.done, self.total)
        for part in self.slices:
            if not self.left[part]:
                continue
            if self.stop():
                self.summary.finished = False
                return
            with self.summary.stage("merge and compile"):
                engine = make_engine(
                    self.options.backend,
                    self.programs[part.start : part.stop],
                    threads=self.options.threads,
                    devices=self.options.devices,
                    choice=self.choice,
                    max_steps=self.options.steps,
                )
            self.paces = self.timed(engine, part) if self.writer.record.directory else []
            for batch in self.batches(part):
                began = time.perf_counter()
                if self.stop() or not self.run_batch(engine, part, batch):
                    self.summary.finished = False
                    return
                self.after_batch()
                self.allow(time.perf_counter() - began)

    def timed(self, engine: Engine, part: Slice) -> list[PaceRow]:
        """How long programs take on a few samples, spread over the tasks, as rows of the table `pace`."""
        count = min(_TIMED, len(self.tasks))
        places = [(2 * number + 1) * len(self.tasks) // (2 * count) for number in range(count)]
        samples = [sample for place in places for sample in self.tasks[place].samples[:1]]
        if not samples:
            return []
        number = {name: place for place, name in enumerate(engine.names, part.start)}
        try:
            with self.summary.stage("merge and compile"):
                found = engine.paces(samples)
        except Exception as error:  # what nobody had foreseen here is met again where it counts, in the run itself
            self.writer.log(f"programs were not timed: {type(error).__name__}: {error}")
            return []
        return [(number[name], seconds, len(samples)) for name, seconds in found.items()]

    def allow(self, seconds: float) -> None:
        """How large the next batch may be, so that a stop or a crash loses a second or two at most."""
        if seconds < _SHORT_BATCH:
            self.allowed = min(2 * self.allowed, self.options.batch_size if self.options.mega_batch else 1)
        elif seconds > 2 * _SHORT_BATCH:
            self.allowed = max(1, self.allowed // 2)

    def batches(self, part: Slice) -> Iterator[Slice]:
        """Runs of open tasks of so many samples in all, at most; a task is never split."""
        start: int | None = None
        count = end = 0
        for task in self.left[part]:
            most = min(self.allowed, _MOST_EVALUATIONS // (part.stop - part.start))
            if start is not None and (task != end or count + self.samples[task] > most):
                yield Slice(start, end)
                start = None
            if start is None:
                start, count = task, 0
            count += self.samples[task]
            end = task + 1
        if start is not None:
            yield Slice(start, end)

    def run_batch(self, engine: Engine, part: Slice, batch: Slice) -> bool:
        """Run and record one batch; false if it was stopped, with the tasks before the stop recorded."""
        began = time.perf_counter()
        width = part.stop - part.start
        seconds = self.summary.seconds
        with self.summary.stage("pack"):
            data, answers = self.packed(batch)
        outputs = engine.run(
            data,
            "grid",
            largest=MAX_INPUT_SIDE**2,
            max_steps=self.options.steps,
            max_total=self.options.total_steps,
            stop=self.stop,
            progress=lambda samples: self.progress(self.done + samples * width, self.total),
        )
        for stage in ("run", "dynamic"):
            seconds[stage] += outputs.seconds.get(stage, 0.0)
        for text, count in outputs.recovered_errors.items():
            if text not in self.summary.recovered_errors:
                self.writer.log(f"{text} ({count:,})")
        self.summary.recovered_errors += outputs.recovered_errors
        finished = self.finished_part(batch, outputs)
        tiers = [row for row in _tier_rows(engine, part, outputs) if self.tiers.get(row[0]) != row]
        rows = _BatchRows(self, part, finished, data, answers, outputs)
        with self.summary.stage("near misses"):
            rows.collect()
        evaluations = width * sum(self.samples[finished.start : finished.stop])
        if finished.stop > finished.start:
            with self.summary.stage("record"):
                self.writer.add(
                    Batch(
                        first_task=finished.start,
                        tasks=finished.stop - finished.start,
                        first_program=part.start,
                        programs=width,
                        evaluations=evaluations,
                        seconds=time.perf_counter() - began,
                        rerouted={
                            str(route): count
                            for route, count in outputs.rerouted(slice(0, evaluations // width)).items()
                        },
                        ended=time.time(),
                        ran_on=outputs.ran_on(slice(0, evaluations // width)),
                        failures=_failures(outputs, evaluations // width),
                        results=rows.results(),
                        outputs=list(rows.outputs.values()),
                        attempts=rows.attempts,
                        near=rows.near,
                        tiers=tiers,
                        paces=self.paces,
                        dropped=rows.dropped,
                    )
                )
            self.paces = []
            self.tiers.update({row[0]: row for row in tiers})
        self.summary.evaluations += evaluations
        self.summary.backends[engine.backend] += evaluations
        self.done += evaluations
        self.progress(self.done, self.total)
        return finished == batch

    def packed(self, batch: Slice) -> tuple[PackedSamples, NDArray[np.int32]]:
        """The samples of a batch without the expected outputs of tests, and the numbers of those grids."""
        if isinstance(self.tasks, TaskSet):
            data = self.tasks.packed(slice(batch.start, batch.stop))
        else:
            data = pack_samples([sample for task in self.tasks[batch.start : batch.stop] for sample in task.samples])
        shown = np.concatenate(
            [np.arange(self.samples[task]) < self.demos[task] for task in range(batch.start, batch.stop)]
        )
        return replace(data, expected=np.where(shown, data.expected, -1).astype(np.int32)), data.expected

    def finished_part(self, batch: Slice, outputs: Outputs) -> Slice:
        """The tasks from the first on whose samples are all done."""
        row = 0
        for task in range(batch.start, batch.stop):
            if not outputs.done[row : row + self.samples[task]].all():
                return Slice(batch.start, task)
            row += self.samples[task]
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


class _BatchRows:
    """What the outputs of a batch come to, as rows of the record."""

    def __init__(
        self,
        runner: _Runner,
        part: Slice,
        tasks: Slice,
        data: PackedSamples,
        answers: NDArray[np.int32],
        outputs: Outputs,
    ) -> None:
        self.runner = runner
        self.part = part
        self.tasks = tasks
        self.data = data
        self.answers = answers
        self.of = outputs
        self.outputs: dict[int, tuple[int, int, int, bytes]] = {}
        self.attempts: list[tuple[int, int, int, int | None]] = []
        self.near: list[tuple[int, int, str, int | None]] = []
        self.dropped: list[tuple[int, int]] = []
        self._results: list[tuple[NDArray[Any], ...]] = []
        self._tests: list[int | None] = []

    def collect(self) -> None:
        """Go through the tasks."""
        row = 0
        for task in range(self.tasks.start, self.tasks.stop):
            count = self.runner.samples[task]
            self._task(task, slice(row, row + self.runner.demos[task]), slice(row, row + count))
            row += count

    def _task(self, task: int, demos: slice, rows: slice) -> None:
        outputs, data = self.of, self.data
        assert outputs.hashes is not None
        wanted = data.expected[demos]
        cells = data.height[wanted] * data.width[wanted]
        right = outputs.matches[demos].sum(axis=0)
        agreement = (outputs.agreement[demos] / cells[:, None]).mean(axis=0)
        hashes = combined_hashes(outputs.hashes[rows]).view(np.int64)
        failed = outputs.statuses[rows] != 0
        first = np.take_along_axis(outputs.statuses[rows], failed.argmax(axis=0)[None], axis=0)[0]
        self._results.append((right, self._tests_right(slice(demos.stop, rows.stop)), failed.sum(axis=0), first,
                              agreement, hashes))  # fmt: skip
        count = demos.stop - demos.start
        for column in np.flatnonzero(right == count).tolist():
            self._keep(task, rows, column)
        reads_samples = self.runner.reads_samples[self.part.start : self.part.stop]
        self._near(task, demos, rows, candidates(count, right, agreement, hashes, reads_samples, self.part.start))

    def _tests_right(self, tests: slice) -> NDArray[Any]:
        """How many tests each program gets right; -1 where an answer is hidden."""
        total = np.zeros(len(self.of.names), np.int64)
        for row in range(tests.start, tests.stop):
            number = int(self.answers[row])
            if number < 0:
                return np.full(len(self.of.names), -1)
            total += matching(self.of, row, self.data, number)
        return total

    def _keep(self, task: int, rows: slice, column: int) -> None:
        """Keep what a program gave on every sample."""
        assert self.of.hashes is not None
        for sample, row in enumerate(range(rows.start, rows.stop)):
            grid = self.of.grid(row, column)
            key = None
            if grid is not None:
                key = int(self.of.hashes[row, column].view(np.int64))
                if key not in self.outputs:
                    self.outputs[key] = (key, *grid.shape, grid.tobytes())
            self.attempts.append((task, sample, self.part.start + column, key))

    def _near(self, task: int, demos: slice, rows: slice, new: list[Candidate]) -> None:
        known = self._known_near(task) if self.part.start else []
        kept = nearest(known, new)
        self.dropped += [(task, one.program) for one in known if one not in kept]
        added = [one for one in kept if one not in known]
        if not added:
            return
        plain = self.runner.tasks[task]
        for one in added:
            column = one.program - self.part.start
            self._keep(task, rows, column)
            grids = [self.of.grid(row, column) for row in range(demos.start, demos.stop)]
            scores = self.runner.differs.scores(plain, grids)
            self.near += [(task, one.program, differ, score) for differ, score in scores.items()]

    def _known_near(self, task: int) -> list[Candidate]:
        """The near misses that earlier slices of programs left."""
        known = self.runner.writer.record.store.near_misses(task)
        demos, reads_samples = self.runner.demos[task], self.runner.reads_samples
        return sorted(
            Candidate(bool(reads_samples[one.program]), demos - one.demos_right, -one.agreement, one.program, one.hash)
            for one in known
        )

    def results(self) -> Iterator[ResultRow]:
        """The rows of the table `result`."""
        for task, arrays in enumerate(self._results, self.tasks.start):
            columns = [array.tolist() for array in arrays]
            for program, (right, tests, failed, first, agreement, key) in enumerate(
                zip(*columns, strict=True), self.part.start
            ):
                reason = STATUS[first] if failed else None
                yield program, task, right, tests if tests >= 0 else None, failed, reason, agreement, key


def slices(count: int, size: int) -> list[Slice]:
    """Runs of at most so many."""
    return [Slice(start, min(start + size, count)) for start in range(0, count, size)]
