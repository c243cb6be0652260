"""A run: batches of programs and tasks, each run on a backend and recorded before the next begins."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Final

import numpy as np

from arcbatt.batt.differs import standard_differs
from arcbatt.cluster.connection import Connection, connected
from arcbatt.compiler.graph import Graph, merge
from arcbatt.compiler.program_set import CompiledSet
from arcbatt.compiler.rewrites import Rewrites
from arcbatt.data.tasks import Task
from arcbatt.data.taskset import TaskSet
from arcbatt.engine.auto import Choice
from arcbatt.engine.choose import GPU_BACKENDS, backend_for
from arcbatt.engine.compilers import CompiledAhead, helpful
from arcbatt.errors import ArcbattError, UsageError
from arcbatt.language.limits import MAX_STEPS
from arcbatt.language.program import Program, reads
from arcbatt.runs.compute import Computed, Computer, Plan, Slice, slices, used
from arcbatt.runs.nearness import Candidate, nearest
from arcbatt.runs.options import RunOptions
from arcbatt.runs.outcomes import solved_tasks
from arcbatt.runs.record import RunRecord
from arcbatt.runs.shards import computed_on
from arcbatt.runs.store.tables import Batch, TierRow
from arcbatt.runs.writer import RunWriter

STAGES: Final = ("read", "merge and compile", "pack", "run", "dynamic", "near misses", "record")
_MOST_EVALUATIONS: Final = 500_000
"""Evaluations in a batch at most, whatever the batch size: their outputs are in memory together."""

_FIRST_BATCH: Final = 32
"""Samples of the first batch; then as many as take about a second."""
_SHORT_BATCH: Final = 1.0

Progress = Callable[[int, int], None]
"""Told now and then how many evaluations are done, and of how many."""


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
    with connected(options.cluster, options.backend, options.threads, stop) as cluster:
        return _run(options, programs, tasks, differs, out, resume, stop, progress, after_batch, read_seconds, cluster)


def _run(
    options: RunOptions,
    programs: Sequence[Program],
    tasks: Sequence[Task],
    differs: Sequence[Program],
    out: Path | None,
    resume: bool,
    stop: Callable[[], bool] | None,
    progress: Progress | None,
    after_batch: Callable[[], None] | None,
    read_seconds: float,
    cluster: Connection | None,
) -> Summary:
    start = time.perf_counter()
    backend = cluster.backend if cluster else backend_for(options.backend)
    if resume:
        if out is None:
            raise UsageError("--resume goes on with the run of a directory: give it with --out")
        writer = RunWriter.resume(out, options, backend)
        try:
            writer.check_same(programs, tasks)
            writer.record.know(programs)
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
        runner.cluster = cluster
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
        self.writer = writer
        self.summary = summary
        self.stop = stop or (lambda: False)
        self.progress = progress or (lambda done, total: None)
        self.after_batch: Callable[[], None] = lambda: None
        self.cluster: Connection | None = None
        self.ready: Callable[[Slice], bool] = lambda part: True
        """Waits for a slice that is compiled elsewhere; false where it is time to stop."""
        sizes = writer.record.store.task_sizes()
        self.samples = list(map(sum, sizes))
        self.plan = Plan(
            tasks, sizes, differs, options.steps, options.total_steps, timed=writer.record.directory is not None
        )
        self.allowed = min(_FIRST_BATCH, options.batch_size) if options.mega_batch else 1
        self.tiers: dict[int, TierRow] = {}
        """Of each program, the last that was recorded of its tier."""
        self.slices = slices(len(programs), options.slice_size)
        before = [0, *accumulate(self.samples)]
        """Of each task, the samples of those before it."""
        self.left = {part: self._open_tasks(part) for part in self.slices}
        self.total = before[-1] * len(programs)
        self.open_evaluations = sum(
            (before[run.stop] - before[run.start]) * part.size for part, runs in self.left.items() for run in runs
        )
        self.done = self.total - self.open_evaluations

    def _open_tasks(self, part: Slice) -> list[Slice]:
        """The tasks that a slice of programs has not been run on."""
        is_open = np.zeros(len(self.samples) + 2, np.bool_)
        is_open[1:-1] = True
        for first, count in self.writer.record.store.tasks_done(part.start, part.size):
            is_open[first + 1 : first + 1 + count] = False
        edges = np.flatnonzero(np.diff(is_open)).tolist()
        return [Slice(start, stop) for start, stop in zip(edges[::2], edges[1::2], strict=True)]

    def programs_of(self, part: Slice) -> Sequence[Program]:
        return self.programs[part.start : part.stop]

    def run(self) -> None:
        self.progress(self.done, self.total)
        with closing(self.here() if self.cluster is None else self.there(self.cluster)) as batches:
            for computed in batches:
                self.record(computed)
                if computed.whole:
                    self.after_batch()

    def here(self) -> Generator[Computed, None, None]:
        """Batches computed by this process, one after the other, until all are or it is time to stop."""
        options = self.options
        choice = Choice(self.open_evaluations)
        with self.compiled_ahead(choice) as compiled:
            computer = Computer(
                self.plan,
                options.backend,
                threads=options.threads,
                devices=options.devices,
                choice=choice,
                compiled=compiled,
            )
            yield from self.computed_by(computer)

    @contextmanager
    def compiled_ahead(self, choice: Choice) -> Iterator[Callable[[Slice], CompiledSet] | None]:
        """Slices compiled by processes while others run, where that pays."""
        options = self.options
        parts = [part for part in self.slices if self.left[part]]
        processes = options.compilers
        if processes is None:
            processes = helpful(sum(part.size for part in parts[1:]), options.threads)
        if not processes or options.backend == "python":
            yield None
            return
        number = {part: at for at, part in enumerate(parts)}
        rewrites = Rewrites() if options.steps >= MAX_STEPS else Rewrites().exact

        def merged(part: Slice) -> Graph:
            return merge(self.programs_of(part), commutative=rewrites.commutative)

        def waves() -> bool:
            return self.summary.backend in GPU_BACKENDS or choice.is_gpu()

        given = [partial(merged, part) for part in parts]
        with CompiledAhead(given, processes, rewrites=rewrites, waves=waves) as ahead:
            try:
                self.ready = lambda part: ahead.wait(number[part], self.stop)
                yield lambda part: ahead.take(number[part])
            finally:
                self.summary.recovered_errors += ahead.errors

    def computed_by(self, computer: Computer) -> Generator[Computed, None, None]:
        """The batches of all slices."""
        for part in self.slices:
            timed = True
            for batch in self.batches(part):
                if self.stop() or (timed and not self.ready(part)):
                    self.summary.finished = False
                    return
                began = time.perf_counter()
                computed = computer.compute(
                    part,
                    partial(self.programs_of, part),
                    batch,
                    timed=timed,
                    known=self.known_near if part.start else None,
                    stop=self.stop,
                    progress=lambda samples, width=part.size: self.progress(  # type: ignore[misc]
                        self.done + samples * width, self.total
                    ),
                )
                timed = False
                yield computed
                if not computed.whole:
                    self.summary.finished = False
                    return
                self.allow(time.perf_counter() - began - computed.stages["merge and compile"])

    def there(self, cluster: Connection) -> Generator[Computed, None, None]:
        """Batches computed by a cluster, in whatever order they are done."""
        plan = self.plan
        if not isinstance(plan.tasks, TaskSet):  # arrays, which workers of a node share
            plan = replace(plan, tasks=TaskSet.of(plan.tasks))
        most = self.options.batch_size if self.options.mega_batch else 1
        errors = self.summary.recovered_errors
        known = self.known_near if len(self.slices) > 1 else lambda task: []
        yield from computed_on(
            cluster, plan, self.programs, self.left, known, most, _MOST_EVALUATIONS, self.stop, errors
        )
        self.summary.finished = self.done == self.total

    def allow(self, seconds: float) -> None:
        """How large the next batch may be, so that a stop or a crash loses a second or two at most."""
        if seconds < _SHORT_BATCH:
            self.allowed = min(2 * self.allowed, self.options.batch_size if self.options.mega_batch else 1)
        elif seconds > 2 * _SHORT_BATCH:
            self.allowed = max(1, self.allowed // 2)

    def batches(self, part: Slice) -> Iterator[Slice]:
        """Runs of open tasks of so many samples in all, at most; a task is never split."""
        for run in self.left[part]:
            start, count = run.start, 0
            for task in range(run.start, run.stop):
                most = min(self.allowed, _MOST_EVALUATIONS // part.size)
                if task > start and count + self.samples[task] > most:
                    yield Slice(start, task)
                    start, count = task, 0
                count += self.samples[task]
            yield Slice(start, run.stop)

    def record(self, computed: Computed) -> None:
        """Record a batch, as far as it was finished."""
        part, tasks = computed.part, computed.tasks
        for stage, seconds in computed.stages.items():
            self.summary.seconds[stage] += seconds
        for text, count in computed.recovered_errors.items():
            if text not in self.summary.recovered_errors:
                self.writer.log(f"{text} ({count:,})")
        self.summary.recovered_errors += computed.recovered_errors
        tiers = [row for row in computed.tiers if self.tiers.get(row[0]) != row]
        if tasks.size:
            with self.summary.stage("record"):
                attempts = list(computed.attempts)
                near: list[tuple[int, int, str, int | None]] = []
                dropped: list[tuple[int, int]] = []
                for task, found in computed.near.items():
                    known = self.known_near(task) if len(self.slices) > 1 else []
                    kept = nearest(known, [one.candidate for one in found])
                    dropped += [(task, one.program) for one in known if one not in kept]
                    for one in found:
                        if one.candidate in kept:
                            attempts += one.attempts
                            near += [(task, one.candidate.program, differ, it) for differ, it in one.scores.items()]
                self.writer.add(
                    Batch(
                        first_task=tasks.start,
                        tasks=tasks.size,
                        first_program=part.start,
                        programs=part.size,
                        evaluations=computed.evaluations,
                        seconds=computed.seconds,
                        rerouted=computed.rerouted,
                        ended=time.time(),
                        ran_on=computed.ran_on,
                        failures=computed.failures,
                        results=computed.results(),
                        outputs=used(computed.outputs, attempts),
                        attempts=attempts,
                        near=near,
                        tiers=tiers,
                        paces=computed.paces,
                        dropped=dropped,
                    )
                )
            self.tiers.update({row[0]: row for row in tiers})
        self.summary.evaluations += computed.evaluations
        self.summary.backends[computed.backend] += computed.evaluations
        self.done += computed.evaluations
        self.progress(self.done, self.total)

    def known_near(self, task: int) -> list[Candidate]:
        """The near misses that other slices of programs left."""
        demos = self.plan.sizes[task].demos
        return sorted(
            Candidate(
                reads(self.programs[one.program], "S"), demos - one.demos_right, -one.agreement, one.program, one.hash
            )
            for one in self.writer.record.store.near_misses(task)
        )
