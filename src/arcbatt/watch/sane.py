"""Numbers of records, held to what can be: a damaged record is refused before anything is reckoned with it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from arcbatt.errors import DataError
from arcbatt.runs.store.live import BatchProgress

MOST_SECONDS: Final = 1e10
"""Beyond any time that something took, and any date."""
MOST_COUNT: Final = 1 << 53
"""Beyond what anyone counts; whole numbers below are exact as floats too."""


def check_seconds(where: Path, value: float | None) -> None:
    """Raise DataError unless a time can be one."""
    if value is not None and not 0 <= value < MOST_SECONDS:
        raise DataError(f"{where}: cannot be read: {_shown(value)} seconds")


def check_count(where: Path, value: int) -> None:
    """Raise DataError unless a number can count something."""
    if not 0 <= value < MOST_COUNT:
        raise DataError(f"{where}: cannot be read: a count of {_shown(value)}")


def check_batches(where: Path, batches: Iterable[BatchProgress]) -> None:
    """Raise DataError unless batches can have been run."""
    for batch in batches:
        for seconds in (batch.done.seconds, batch.ended):
            check_seconds(where, seconds)
        done = batch.done
        counts = (done.first_task, done.tasks, done.first_program, done.programs, done.evaluations)
        for count in (*counts, *(batch.ran_on or {}).values(), *(batch.failures or {}).values()):
            check_count(where, count)


def _shown(value: float) -> str:
    return (
        f"{value:.3g}"
        if isinstance(value, float)
        else "a number of many digits"
        if abs(value) > MOST_COUNT
        else str(value)
    )
