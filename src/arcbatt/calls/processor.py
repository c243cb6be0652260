"""Tasks in batches: which programs solve which task."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from arcbatt.data.tasks import Task, task_from_json
from arcbatt.engine.choose import backend_for, why_no_gpu
from arcbatt.engine.device_memory import gpu_memory_cleanup
from arcbatt.errors import DataError, UsageError
from arcbatt.language.program import Program
from arcbatt.language.values import Grid
from arcbatt.runs.options import RunOptions
from arcbatt.runs.record import RunRecord
from arcbatt.runs.runner import Progress, Summary, run
from arcbatt.solvers import library


@dataclass(frozen=True)
class TaskResult:
    """What programs make of one task."""

    task_id: str
    solved_by: tuple[str, ...] = ()
    """Programs that are right on every demonstration, by id; tests play no part."""
    tests_solved_by: tuple[str, ...] = ()
    """Those of them that are right on every test too, where the answers are known."""
    outputs: tuple[Grid | None, ...] = ()
    """What the first program that solves it gives on the tests; None where it fails there."""
    failed: int = 0
    """Evaluations that failed, over all programs and samples."""
    problem: str = ""
    """Why the task was not run: it is no task."""
    done: bool = True
    """False where a stop came first."""


class ProcessedTasks(list[TaskResult]):
    """The results of tasks, in their order, and how the run went."""

    backend = "cpu"
    note = ""
    """Why it is not the GPU, where that was asked for."""
    evaluations = 0
    seconds = 0.0
    batch_size = 0
    """Tasks in a batch at most, after memory had its say."""
    cleanups = 0
    """How often the GPU's unused memory was given back, once after each batch."""
    freed_bytes = 0
    """How much that was in all."""

    def __init__(self, results: Iterable[TaskResult] = ()) -> None:
        super().__init__(results)
        self.rerouted: Counter[str] = Counter()
        """Evaluations that ran on another tier than the one asked for, by tier and why."""

    @property
    def solved(self) -> dict[str, tuple[str, ...]]:
        """Task id to the programs that solve it, of those that are solved."""
        return {result.task_id: result.solved_by for result in self if result.solved_by}


class GPUBatchProcessor:
    """Runs programs (the library, unless given) on tasks, at most `batch_size` tasks at a time.

    With `use_gpu` the GPU is used where there is one; `use_gpu` then says whether there is. Batches grow from small
    ones and shrink when memory is short. What comes back does not depend on either. After each batch the memory that
    CuPy holds on the GPU and nobody uses is given back, for others on the same GPU.
    """

    def __init__(
        self,
        batch_size: int = 32,
        use_gpu: bool = True,
        *,
        programs: Sequence[Program] | None = None,
        threads: int | None = None,
    ) -> None:
        if batch_size < 1:
            raise UsageError(f"batch_size is a number above 0, got {batch_size}")
        self.batch_size = batch_size
        self.note = (why_no_gpu() or "") if use_gpu else ""
        self.backend = backend_for("gpu" if use_gpu else "cpu")
        self.use_gpu = self.backend == "cuda"
        self.programs = list(library() if programs is None else programs)
        self.threads = threads

    def process_tasks_batch(
        self,
        tasks: Iterable[Any],
        *,
        progress: Progress | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> ProcessedTasks:
        """A result for each task: a `Task`, an (id, ARC JSON) pair, or a mapping of such.

        What is no task is said in its result. `progress` is told how many evaluations are done, and of how many; `stop`
        is asked now and then whether to end early.
        """
        named = list(tasks.items() if isinstance(tasks, Mapping) else tasks)
        results = ProcessedTasks()
        good: dict[int, Task] = {}
        for place, one in enumerate(named):
            try:
                good[place] = _task_of(one, place)
                results.append(TaskResult(good[place].id))
            except DataError as error:
                results.append(TaskResult(_id_of(one, place), problem=str(error)))
        results.backend, results.note = self.backend, self.note
        if good:
            self._run(good, results, progress, stop)
        return results

    def cleanup(self) -> int:
        """Give the GPU's unused memory back to the system; how many bytes that was. Done after each batch by itself."""
        return gpu_memory_cleanup() if self.use_gpu else 0

    def _run(
        self,
        tasks: dict[int, Task],
        results: ProcessedTasks,
        progress: Progress | None,
        stop: Callable[[], bool] | None,
    ) -> None:
        size = self.batch_size
        numbered = [replace(task, id=str(place)) for place, task in tasks.items()]  # ids may come twice
        samples = max(len(task.train) + len(task.test) for task in numbered)

        def clean() -> None:
            results.freed_bytes += self.cleanup()
            results.cleanups += 1

        after_batch = clean if self.use_gpu else None
        while True:
            options = RunOptions(backend=self.backend, batch_size=size * samples, threads=self.threads)
            try:
                summary = run(options, self.programs, numbered, progress=progress, stop=stop, after_batch=after_batch)
                break
            except MemoryError:
                self.cleanup()
                if size == 1:
                    raise
                size = max(1, size // 2)
        with summary.record as record:
            results.batch_size, results.seconds = size, summary.total_seconds
            results.evaluations, results.rerouted = summary.evaluations, summary.rerouted()
            self._collect(record, summary, tasks, results)

    def _collect(self, record: RunRecord, summary: Summary, tasks: dict[int, Task], results: ProcessedTasks) -> None:
        solved, tests = record.solved(), record.solved_tests()
        counts = {one.task: (one.programs, one.failed) for one in record.store.task_counts()}
        for place, task in tasks.items():
            key = str(place)
            programs, failed = counts.get(key, (0, 0))
            outputs: tuple[Grid | None, ...] = ()
            if key in solved:
                outputs = tuple(
                    None if attempt.grid is None else tuple(map(tuple, attempt.grid.tolist()))
                    for attempt in record.attempts(key)
                    if attempt.program == solved[key][0] and attempt.sample >= len(task.train)
                )
            results[place] = TaskResult(
                task.id,
                tuple(solved.get(key, ())),
                tuple(tests.get(key, ())),
                outputs,
                failed,
                done=summary.finished or programs == len(self.programs),
            )


def _id_of(one: Any, place: int) -> str:
    if isinstance(one, Task):
        return one.id
    return str(one[0]) if isinstance(one, tuple) and len(one) == 2 else f"task {place}"


def _task_of(one: Any, place: int) -> Task:
    if isinstance(one, Task):
        return one
    data = one[1] if isinstance(one, tuple) and len(one) == 2 else one
    name = _id_of(one, place)
    return task_from_json(name, data, name)
