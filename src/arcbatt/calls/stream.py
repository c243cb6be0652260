"""A batt on samples as they come, for asyncio: several batches on their way, results in order."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcbatt.batt.card import Card
from arcbatt.batt.results import as_sample, card_of
from arcbatt.engine.api import Engine
from arcbatt.engine.choose import backend_for, make_engine, why_no_gpu
from arcbatt.engine.outputs import REASONS, Outputs, Wanted
from arcbatt.errors import UsageError
from arcbatt.language.failures import Reason
from arcbatt.language.program import Program
from arcbatt.language.sample import Sample


@dataclass(frozen=True)
class SampleResult:
    """What every program of a batt gave on one sample."""

    index: int
    """Which sample, counted from 0 as they came."""
    outputs: Outputs = field(repr=False)
    row: int = field(repr=False)

    @property
    def matches(self) -> list[str]:
        """The programs whose output is the expected one."""
        return [self.outputs.names[column] for column in np.flatnonzero(self.outputs.matches[self.row])]

    @property
    def failed(self) -> dict[str, Reason]:
        """The programs that failed, and why."""
        row = self.outputs.statuses[self.row]
        return {self.outputs.names[column]: REASONS[int(row[column])] for column in np.flatnonzero(row)}

    def grid(self, program: str) -> NDArray[np.int8] | None:
        """What a program gave, where it is a grid; needs an engine with outputs="grid"."""
        return self.outputs.grid(self.row, self.outputs.names.index(program))


class AsyncEngine:
    """Streams samples through a batt: `async for result in engine.stream(batt, samples)`.

    Samples are taken as results are, at most `in_flight` batches of `batch_size` ahead; the loop is never blocked.
    Leaving it early, or being cancelled, ends the batches on their way within a sample's time.
    """

    def __init__(
        self, *, backend: str = "gpu", batch_size: int = 64, in_flight: int = 2, outputs: Wanted = "match"
    ) -> None:
        if batch_size < 1 or in_flight < 1:
            raise UsageError(f"batch_size and in_flight are numbers above 0, got {batch_size} and {in_flight}")
        self.backend = backend_for(backend)
        self.note = (why_no_gpu() or "") if backend == "gpu" else ""
        """Why it is not the GPU, where that would have been taken."""
        self.batch_size = batch_size
        self.in_flight = in_flight
        self.outputs: Wanted = outputs

    async def stream(
        self, batt: Card | str | Path | Sequence[Program], samples: Iterable[Any] | AsyncIterable[Any]
    ) -> AsyncIterator[SampleResult]:
        """The result of each sample, in order. `samples` may be an async iterable; each is what a batt takes."""
        loop = asyncio.get_running_loop()
        stop = threading.Event()
        pool = ThreadPoolExecutor(self.in_flight, "arcbatt-stream")
        flying: deque[asyncio.Future[Outputs]] = deque()
        try:
            engine = await loop.run_in_executor(pool, self._engine, batt)
            source = _batches(samples, self.batch_size)
            ended, index = False, 0
            while flying or not ended:
                while not ended and len(flying) < self.in_flight:
                    batch = await anext(source, None)
                    if batch is None:
                        ended = True
                    else:
                        flying.append(loop.run_in_executor(pool, self._run, engine, batch, stop))
                if flying:
                    outputs = await flying[0]
                    flying.popleft()
                    for row in range(len(outputs.statuses)):
                        yield SampleResult(index, outputs, row)
                        index += 1
        finally:
            stop.set()
            for one in flying:
                one.cancel()
            pool.shutdown(wait=False, cancel_futures=True)

    def _engine(self, batt: Card | str | Path | Sequence[Program]) -> Engine:
        return make_engine(self.backend, card_of(batt).graph)

    def _run(self, engine: Engine, batch: list[Any], stop: threading.Event) -> Outputs:
        samples: list[Sample] = [as_sample(one) for one in batch]
        return engine.run(samples, self.outputs, stop=stop.is_set)


async def _batches(samples: Iterable[Any] | AsyncIterable[Any], size: int) -> AsyncIterator[list[Any]]:
    batch: list[Any] = []
    if isinstance(samples, AsyncIterable):
        async for one in samples:
            batch.append(one)
            if len(batch) == size:
                yield batch
                batch = []
    else:
        for one in samples:
            batch.append(one)
            if len(batch) == size:
                yield batch
                batch = []
    if batch:
        yield batch
