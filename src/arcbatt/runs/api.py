"""A run in one call."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from arcbatt.data.tasks import Task
from arcbatt.errors import UsageError
from arcbatt.language.program import Program
from arcbatt.runs.options import RunOptions
from arcbatt.runs.runner import Progress, Summary
from arcbatt.runs.runner import run as run_options

_READING: Final = ("solvers", "batt", "count", "ids", "strict")
"""Options that say what to read, where `run` is given programs and tasks."""


def run(
    programs: Sequence[Program],
    tasks: Sequence[Task],
    *,
    out: str | Path | None = None,
    resume: bool = False,
    stop: Callable[[], bool] | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Summary:
    """Run every program on every task, in batches, and record what came of it.

    The record is in `out`, a directory that `resume` goes on with, or else in memory: `run(...).record.solved()` names
    the programs that are right on every demonstration of a task. `options` are those of `arcbatt run`: `backend`,
    `devices`, `threads`, `batch_size`, `mega_batch`, `seconds`, `dataset`, which is what the record calls the tasks,
    `max_steps` and `max_total_steps`. The result depends on none of them but the last two, the steps that a call and an
    evaluation may take. `stop` is asked now and then whether to end early; `progress` is told how many evaluations are
    done, and of how many.
    """
    if unknown := [name for name in options if name in _READING or name not in RunOptions.__dataclass_fields__]:
        raise UsageError(f"run has no option {', '.join(unknown)}: programs and tasks are given as they are")
    chosen = RunOptions(**options)
    start = time.monotonic()

    def is_over() -> bool:
        late = chosen.seconds is not None and time.monotonic() - start >= chosen.seconds
        return late or (stop is not None and stop())

    folder = None if out is None else Path(out)
    return run_options(chosen, programs, tasks, out=folder, resume=resume, stop=is_over, progress=progress)
