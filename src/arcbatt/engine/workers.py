"""Several workers behind one engine: a process each, pulling shards of samples; outcomes are placed by sample.

What comes back does not depend on the number of workers, on which of them ran what, or on whether some died: a worker
that dies is replaced and its shard run again. Where no worker is left, the CPU engine of this process runs the rest.
All of it is counted and named in `Outputs.routes` and `Outputs.recovered_errors`.
"""

from __future__ import annotations

import importlib
import mmap
import os
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from arcbatt.compiler.program_set import CompiledSet
from arcbatt.data.packing import PackedSamples
from arcbatt.engine.api import Engine, RunRequest
from arcbatt.engine.cpu import CpuEngine
from arcbatt.engine.gather import Gathered
from arcbatt.engine.outputs import Outputs, Route, Wanted
from arcbatt.engine.pool import Ended, Worker, pickled, pool_of
from arcbatt.engine.tiers import CPU
from arcbatt.engine.worker import Ready, Service, Trouble, WorkerSpec
from arcbatt.errors import UsageError
from arcbatt.language.failures import Outcome
from arcbatt.language.limits import MAX_STEPS, MAX_TOTAL_STEPS
from arcbatt.language.sample import Sample

LEAST_SECONDS: Final = 0.1
MOST_SECONDS: Final = 1.0
"""How long a shard should take."""
MOST_TRIES: Final = 2
"""How many workers may end over a shard, before it is left to this process."""
_LOOK_SECONDS: Final = 0.05
_ALIGNED: Final = 64


# --- in a worker ---
@dataclass(frozen=True)
class TakeSamples:
    """Samples in memory that is shared, whose handle comes with this."""

    size: int
    arrays: tuple[tuple[str, str, int, int], ...]
    """Of each array of PackedSamples its name, type, place and length."""


@dataclass(frozen=True)
class RunShard:
    """Run the engine on some of the samples; the answer is Ran or Trouble."""

    first: int
    last: int
    wanted: Wanted
    largest: int
    max_steps: int
    max_total: int
    complete: bool
    exact: bool


@dataclass(frozen=True)
class Ran:
    """A shard's outcomes, without the names of programs."""

    outputs: Outputs
    seconds: float


class EngineService(Service):
    """Makes the engine of a compiled set and runs shards of samples. What goes wrong is told in words."""

    def __init__(self, engine: str, **options: Any) -> None:
        self._engine_class, self._options = engine, options
        self._engine: Engine | None = None
        self._samples: PackedSamples | None = None
        self._stop: Callable[[], bool] | None = None

    def setup(self, payload: CompiledSet) -> Ready | Trouble:
        """Make the engine."""
        self._engine = None  # its memory goes first
        module, _, name = self._engine_class.partition(":")
        try:
            self._engine = getattr(importlib.import_module(module), name)(payload, **self._options)
        except Exception as error:
            return Trouble(f"{type(error).__name__}: {error}")
        return Ready()

    def handle(self, message: TakeSamples | RunShard, handle: int | None) -> Ran | Trouble | None:
        """Take samples, or run a shard of them."""
        if isinstance(message, TakeSamples):
            assert handle is not None
            self._samples, self._stop = _mapped(message, handle)
            return None
        assert self._samples is not None
        assert self._engine is not None
        start = time.perf_counter()
        some = self._samples.only(slice(message.first, message.last))
        request = RunRequest(
            some, message.wanted, message.largest, message.max_steps, message.max_total, message.complete,
            self._stop, exact=message.exact,
        )  # fmt: skip
        try:
            outputs = self._engine.execute(request)
        except Exception as error:
            return Trouble(f"{type(error).__name__}: {error}")
        outputs.names = []
        return Ran(outputs, time.perf_counter() - start)


def engine_worker(name: str, engine: str, first_shard: int = 64, **options: Any) -> WorkerSpec:
    """A worker that runs an engine, `module:class`, made with these options."""
    given = (("engine", engine), *sorted(options.items()))
    return WorkerSpec(name, f"{__name__}:EngineService", given, first_shard)


# --- samples in shared memory ---
class SharedSamples:
    """Samples in memory that workers map; it has no name, so nothing is left of it when all of them are gone."""

    def __init__(self, data: PackedSamples) -> None:
        self.data = data
        arrays, place = [], _ALIGNED  # a flag lies before them
        for one in fields(data):
            array = getattr(data, one.name)
            arrays.append((one.name, array.dtype.str, place, len(array)))
            place = -(-(place + array.nbytes) // _ALIGNED) * _ALIGNED
        self.layout = TakeSamples(place, tuple(arrays))
        self.handle = _unnamed_memory()
        os.ftruncate(self.handle, place)
        self._map = mmap.mmap(self.handle, place)
        for name, kind, start, length in arrays:
            np.frombuffer(self._map, kind, length, start)[:] = getattr(data, name)

    def stop(self, wish: bool) -> None:
        """Say whether workers should stop."""
        self._map[0] = int(wish)

    def close(self) -> None:
        """Give the memory back; workers that have it keep it until they are told of other samples."""
        self._map.close()
        os.close(self.handle)


def _unnamed_memory() -> int:
    """A handle of memory to share. On Linux it does not count as a file of /dev/shm, which is small in containers."""
    if sys.platform == "linux":
        return os.memfd_create("arcbatt")
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


def _mapped(layout: TakeSamples, handle: int) -> tuple[PackedSamples, Callable[[], bool]]:
    """The samples, and how to ask whether to stop."""
    memory = mmap.mmap(handle, layout.size, access=mmap.ACCESS_READ)
    os.close(handle)
    arrays: dict[str, NDArray[Any]] = {
        name: np.frombuffer(memory, kind, length, start) for name, kind, start, length in layout.arrays
    }
    return PackedSamples(**arrays), lambda: memory[0] != 0


# --- here ---
@dataclass
class _Shard:
    first: int
    last: int
    tries: int = 0


class WorkerEngine(Engine):
    """Runs compiled programs on samples by several workers."""

    def __init__(self, compiled: CompiledSet, specs: Sequence[WorkerSpec], *, backend: str) -> None:
        if not specs:
            raise UsageError("no worker to run on")
        super().__init__(compiled)
        self._backend = backend
        self.pool = pool_of(specs)
        self.key = object()
        """What workers know it by; it refers to nothing, so that workers keep no engine alive."""

    @property
    def backend(self) -> str:
        """What the workers run on."""
        return self._backend

    @cached_property
    def setup(self) -> bytes:
        """The compiled programs, to be sent."""
        _ = self.compiled.typed  # compiled here, once
        return pickled(self.compiled)

    @cached_property
    def _cpu(self) -> CpuEngine:
        return CpuEngine(self.compiled)

    def execute(self, request: RunRequest) -> Outputs:
        """Carry a request out; after an interrupt the workers are gone, and start anew if needed."""
        job = _Job(self, request, Gathered(self.names, len(request.samples), request.outputs))
        start = time.perf_counter()
        with self.pool.lock:
            shared = SharedSamples(request.samples)
            try:
                _Supervision(job, shared).run()
            except BaseException:
                self.pool.close()
                raise
            finally:
                shared.close()
        job.finish_here(self._cpu if job.rest() else None)
        return job.gathered.finished(time.perf_counter() - start)

    def paces(self, samples: Sequence[Sample]) -> dict[str, float]:
        """How long programs take, by the CPU engine of this process."""
        return self._cpu.paces(samples)

    def values(
        self, sample: Sample, max_steps: int = MAX_STEPS, max_total: int = MAX_TOTAL_STEPS
    ) -> dict[str, Outcome]:
        """What every program gives on one sample, by the CPU engine of this process."""
        return self._cpu.values(sample, max_steps, max_total)


@dataclass
class _Job:
    """A run: the shards still to be handed out, and where outcomes go."""

    engine: WorkerEngine
    request: RunRequest
    gathered: Gathered
    next: int = 0
    """The first sample that was not handed out yet."""
    again: deque[_Shard] = field(default_factory=deque)
    aside: list[_Shard] = field(default_factory=list)
    """Shards over which workers ended."""
    stopped: bool = False

    def look(self) -> bool:
        """Whether to stop."""
        self.stopped = self.stopped or self.request.stopped()
        return self.stopped

    @property
    def size(self) -> int:
        """How many samples there are."""
        return len(self.request.samples)

    @property
    def left(self) -> bool:
        """Whether there are shards that nobody has."""
        return bool(self.again) or self.next < self.size

    def shard(self, rate: float, first: int, workers: int) -> _Shard | None:
        """The next shard for a worker of that many samples a second; of at most `first` if that is not known."""
        if self.again:
            return self.again.popleft()
        left = self.size - self.next
        if not left:
            return None
        share = -(-left // (2 * workers))  # the last shards are short, so that workers end together
        size = max(min(share, int(MOST_SECONDS * rate)), int(LEAST_SECONDS * rate)) if rate else min(share, first)
        start, self.next = self.next, self.next + min(max(size, 1), left)
        return _Shard(start, self.next)

    def put(self, rows: NDArray[np.int64], part: Outputs) -> None:
        """Place the outcomes of some samples."""
        self.gathered.put(rows, part)
        self.request.tell(self.gathered.done)

    def rest(self) -> list[tuple[NDArray[np.int64], str]]:
        """What no worker ran, and why."""
        if self.stopped:
            return []
        left = [np.arange(shard.first, shard.last) for shard in self.again]
        left.append(np.arange(self.next, self.size))
        groups = [(np.concatenate(left), "no worker is left")]
        groups += [(np.arange(one.first, one.last), "workers ended over these samples") for one in self.aside]
        return [(rows, why) for rows, why in groups if len(rows)]

    def finish_here(self, engine: CpuEngine | None) -> None:
        """Run what is left in this process."""
        for rows, why in self.rest():
            if engine is None or self.look():
                break
            before = self.gathered.done

            def further(done: int, before: int = before) -> None:
                self.request.tell(before + done)

            part = engine.execute(self.request.only(rows, stop=self.look, progress=further))
            part.route[part.route == 0] = part.route_number(Route(CPU, why))
            self.put(rows, part)


class _Supervision:
    """Workers at a job: hands out shards, takes outcomes in, replaces who ends."""

    def __init__(self, job: _Job, shared: SharedSamples) -> None:
        self.job = job
        self.pool = job.engine.pool
        self.shared = shared

    def run(self) -> None:
        """Until all is done, the job is stopped, or no worker is left."""
        key = self.job.engine.key
        for worker in self.pool.workers:
            if worker.tried is not key:
                worker.tried, worker.failures, worker.given_up = key, 0, ""
        while True:
            if self.job.look():
                self.shared.stop(True)
            for worker in self.pool.workers:
                self.feed(worker)
            waiting = any(worker.waiting for worker in self.pool.workers)
            at_work = any(worker.task for worker in self.pool.workers)
            if not waiting or self.done or (self.job.stopped and not at_work):
                return
            for worker, answer in self.pool.hear(_LOOK_SECONDS):
                self.heard(worker, answer)

    @property
    def done(self) -> bool:
        """Whether every shard that a worker may run is done."""
        return not self.job.left and not any(worker.task for worker in self.pool.workers)

    def feed(self, worker: Worker) -> None:
        """Have a worker do what comes next."""
        job = self.job
        if worker.waiting or worker.given_up or job.stopped:
            return
        if worker.process is None:
            if job.left:
                worker.start()
            return
        if worker.setup is not job.engine.key:
            worker.setup = job.engine.key
            worker.memory.pop("rate", None)
            sent = worker.send(job.engine.setup)
        else:
            usable = sum(not one.given_up for one in self.pool.workers)
            shard = worker.task = job.shard(worker.memory.get("rate", 0.0), worker.spec.first_shard, usable)
            if shard is None:
                return
            sent = True
            if worker.memory.get("samples") is not self.shared.layout:
                worker.memory["samples"] = self.shared.layout
                sent = worker.send_with_handle(self.shared.layout, self.shared.handle)
            request = job.request
            message = RunShard(
                shard.first,
                shard.last,
                request.outputs,
                request.largest,
                request.max_steps,
                request.max_total,
                request.complete,
                request.exact,
            )
            sent = sent and worker.send(message)
        if not sent:
            self.ended(worker, self.pool.dismiss(worker))

    def heard(self, worker: Worker, answer: Any) -> None:
        """Take a worker's answer."""
        if isinstance(answer, Ended):
            self.ended(worker, answer)
        elif isinstance(answer, Trouble):
            self.ended(worker, self.pool.dismiss(worker), answer.why)
        elif isinstance(answer, Ran):
            shard, worker.task, worker.failures = worker.task, None, 0
            self.job.put(np.arange(shard.first, shard.last), answer.outputs)
            worker.memory["rate"] = (shard.last - shard.first) / max(answer.seconds, 1e-6)

    def ended(self, worker: Worker, ended: Ended, why: str = "") -> None:
        """A worker has ended: its shard is to be run again, and the worker to be replaced if that may help."""
        shard, worker.task = worker.task, None
        if why and shard is None:  # an engine that cannot be made will not be made next time
            worker.given_up = why
        text = f"{worker} {'failed: ' + why if why else ended.how}; {'given up' if worker.given_up else 'replaced'}"
        if shard is not None:
            shard.tries += 1
            text += f", {shard.last - shard.first} samples run again"
            (self.job.aside if shard.tries >= MOST_TRIES else self.job.again).append(shard)
        self.job.gathered.result.recovered_errors[text] += 1
