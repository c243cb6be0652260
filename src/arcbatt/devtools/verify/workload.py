"""What backends are compared on: batches of programs and samples, each with the command that runs it again."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Final

from arcbatt.compiler.program_set import CompiledSet, compile
from arcbatt.data.tasks import Task, load_tasks
from arcbatt.devtools.generate import VERSION, Generator, mutants
from arcbatt.language.program import Program
from arcbatt.language.sample import Sample
from arcbatt.language.values import Grid
from arcbatt.solvers import library

BATCH: Final = 500
"""Random programs that are merged and compared at a time."""
_SAMPLES: Final = 4
_MOST_CELLS: Final = 100
"""Cells of a demonstration that random programs run on: they are many and the reference is slow."""


@dataclass(frozen=True)
class Batch:
    """Programs and samples, every one with every other, and the arguments of `arcbatt verify` that give them."""

    programs: list[Program]
    samples: list[Sample]
    again: str

    @cached_property
    def compiled(self) -> CompiledSet:
        """The programs, compiled once for all sides."""
        return compile(self.programs)


def random_batches(count: int, seed: int, version: int = VERSION) -> Iterator[Batch]:
    """So many programs in batches: half drawn from the op table, half mutants of the library.

    A batch is named by its own seed, that of batch k is the given one plus k, and by the version of the generator.
    """
    for start in range(0, count, BATCH):
        yield random_batch(min(BATCH, count - start), seed + start // BATCH, version)


def random_batch(
    count: int, seed: int, version: int = VERSION, *, parents: list[Program] | None = None, samples: int = _SAMPLES
) -> Batch:
    """The batch of one seed; mutants are of the library, or of other parents."""
    draw, generator = random.Random(f"programs {seed}"), Generator(f"lines {seed}", version)
    fresh = [
        generator.program(f"solve_r{k}", lines=draw.randint(1, 12), samples=draw.random() < 0.3)
        for k in range(count // 2)
    ]
    changed = mutants(parents or library(), count - len(fresh), seed, version)
    programs = fresh + [replace(program, name=f"solve_m{k}") for k, program in enumerate(changed)]
    return Batch(programs, _random_samples(seed, samples), f"--random {count} --seed {seed} --generator {version}")


def _random_samples(seed: int, count: int) -> list[Sample]:
    """Half of them of random grids, half of real tasks."""
    draw = random.Random(f"samples {seed}")

    def grid() -> Grid:
        height, width = draw.randint(1, 9), draw.randint(1, 9)
        colours = [0, 0, *draw.sample(range(10), 3)]
        return tuple(tuple(draw.choice(colours) for _ in range(width)) for _ in range(height))

    made = [
        Sample(grid(), ((grid(), grid()), (grid(), grid())), grid() if draw.random() < 0.9 else None)
        for _ in range(count // 2)
    ]
    return made + draw.sample(_small_samples(), count - len(made))


@cache
def _small_samples() -> list[Sample]:
    return [
        sample
        for task in load_tasks("arcagi")
        for sample in task.samples
        if len(sample.I) * len(sample.I[0]) <= _MOST_CELLS
    ]


def file_batches(programs: Sequence[Program], tasks: Sequence[Task], again: str, most: int = 40) -> Iterator[Batch]:
    """Programs with the samples of tasks, so many samples at a time."""
    programs = list(programs)
    samples = [sample for task in tasks for sample in task.samples]
    for start in range(0, len(samples), most):
        yield Batch(programs, samples[start : start + most], again)


def spread_tasks(dataset: str, limit: int | None) -> list[Task]:
    """So many tasks of a data set, evenly over it; all without a limit."""
    tasks = load_tasks(dataset)
    if limit is None or limit >= len(tasks):
        return tasks
    return [tasks[k * len(tasks) // limit] for k in range(limit)]
