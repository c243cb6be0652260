"""What did not fit on a GPU, run by the CPU engine while the GPU goes on with the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arcbatt.engine.outputs import Outputs
from arcbatt.engine.tiers import Rows

_AT_ONCE: Final = 4
"""Slices that run at the same time; each has the engine's threads."""


class CpuSpill:
    """Work items for the CPU, begun as they become known; those beyond the `most` are left alone.

    `run` gives the results of a slice's programs on samples.
    """

    def __init__(self, run: Callable[[int, Rows], Outputs], most: int) -> None:
        self._run = run
        self._room = most
        self._pool: ThreadPoolExecutor | None = None
        self._begun: list[tuple[int, Rows, Future[Outputs]]] = []

    def begin(self, items: NDArray[np.int32]) -> None:
        """Have items run, a row each: slice and sample."""
        if not len(items) or len(items) > self._room:
            return
        self._room -= len(items)
        self._pool = self._pool or ThreadPoolExecutor(_AT_ONCE)
        for number in np.unique(items[:, 0]).tolist():
            rows = np.unique(items[items[:, 0] == number, 1]).astype(np.int64)
            self._begun.append((number, rows, self._pool.submit(self._run, number, rows)))

    def results(self) -> Iterator[tuple[int, Rows, Outputs]]:
        """Slices, samples and results of all that was begun, once they are there."""
        for number, rows, found in self._begun:
            yield number, rows, found.result()
        self.drop()

    def drop(self) -> None:
        """Forget what was begun; what has not started does not."""
        self._begun = []
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None
