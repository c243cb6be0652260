"""Near misses: which programs come nearest to a task without solving it, and what the differs say of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcbatt.data.tasks import Task
from arcbatt.engine.api import Engine
from arcbatt.engine.choose import GPU_BACKENDS, make_engine
from arcbatt.language.failures import Failed
from arcbatt.language.program import Program, reads
from arcbatt.language.sample import Sample

KEPT: Final = 3
"""Near misses kept of each task: so many of programs that do not read S, and of those that do.

One that looks its input up in S is right on demonstrations without having understood anything, so it takes no other
program's place.
"""


class Candidate(NamedTuple):
    """A program that does not solve a task; nearer ones come first in this order, which knows of no test output."""

    reads_samples: bool
    wrong: int
    disagreement: float
    program: int
    hash: int

    @property
    def key(self) -> tuple[int, int]:
        """What tells it apart from others."""
        return self.program, self.hash


def candidates(
    demos: int,
    demos_right: NDArray[Any],
    agreement: NDArray[Any],
    hashes: NDArray[Any],
    reads_samples: NDArray[np.bool_],
    first_program: int,
) -> list[Candidate]:
    """The nearest of one batch's programs, each with outputs of its own among those of its kind."""
    open_columns = np.flatnonzero((demos_right < demos) & ((demos_right > 0) | (agreement > 0)))
    order = np.lexsort(
        (open_columns, -agreement[open_columns], -demos_right[open_columns], reads_samples[open_columns])
    )
    found: dict[tuple[bool, int], Candidate] = {}
    count = [0, 0]
    for column in open_columns[order].tolist():
        kind, value = bool(reads_samples[column]), int(hashes[column])
        if count[kind] < KEPT and (kind, value) not in found:
            count[kind] += 1
            wrong = demos - int(demos_right[column])
            found[kind, value] = Candidate(kind, wrong, -float(agreement[column]), first_program + column, value)
        if count[True] == KEPT:
            break
    return list(found.values())


def nearest(known: Iterable[Candidate], new: Iterable[Candidate]) -> list[Candidate]:
    """The nearest of both, each with outputs of its own among those of its kind.

    Of three batches the same are left whichever two come first.
    """
    found: dict[tuple[bool, int], Candidate] = {}
    for one in sorted((*known, *new)):
        found.setdefault((one.reads_samples, one.hash), one)
    from_samples = [one for one in found.values() if one.reads_samples]
    return [one for one in found.values() if not one.reads_samples][:KEPT] + from_samples[:KEPT]


class Differs:
    """Scores what programs gave by how it differs from what was expected."""

    def __init__(self, programs: Sequence[Program], backend: str) -> None:
        self.names = [program.id for program in programs]
        self._programs = programs
        self._reads_samples = any(reads(program, "S") for program in programs)
        self._backend = "cpu" if backend in GPU_BACKENDS else backend  # too little work to start a GPU for
        self._engine: Engine | None = None

    def scores(self, task: Task, grids: Sequence[NDArray[np.int8] | None]) -> dict[str, int | None]:
        """Of each differ, its values over the demonstrations added up: a number as it is, of a container its size."""
        totals: dict[str, int | None] = dict.fromkeys(self.names)
        for (_, wanted), grid in zip(task.train, grids, strict=False):
            if grid is None:
                continue
            given = tuple(map(tuple, grid.tolist()))
            values = self._made().values(Sample(given, task.train if self._reads_samples else (), wanted))
            for name, program in zip(self.names, self._programs, strict=True):
                value = values[program.name]
                if isinstance(value, Failed) or value is None:
                    continue
                size = len(value) if isinstance(value, tuple | frozenset) else int(value)
                totals[name] = (totals[name] or 0) + size
        return totals

    def _made(self) -> Engine:
        if self._engine is None:
            self._engine = make_engine(self._backend, self._programs, threads=1)
        return self._engine
