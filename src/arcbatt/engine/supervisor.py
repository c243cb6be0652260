"""Several workers behind one engine: a process each, pulling shards of samples; outcomes are placed by sample.

What comes back does not depend on the number of workers, on which of them ran what, or on whether some died: a worker
that dies is replaced and its shard run again. Where no worker is left, the CPU engine of this process runs the rest.
All of it is counted and named in `Outputs.moved` and `Outputs.incidents`.
"""

from __future__ import annotations

import multiprocessing
import pickle
import signal
import sys
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from multiprocessing import reduction
from multiprocessing.connection import Connection, wait
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from arcbatt.compiler.graph import Graph
from arcbatt.data.packing import PackedSamples, pack_samples
from arcbatt.engine import cpu
from arcbatt.engine.gather import Gathered
from arcbatt.engine.outputs import Outputs, Wanted
from arcbatt.engine.reference import Stop
from arcbatt.engine.worker import Made, MakeEngine, Ran, Ready, RunShard, SharedSamples, Trouble, WorkerSpec, main
from arcbatt.errors import UsageError
from arcbatt.language.failures import Outcome
from arcbatt.language.limits import MAX_CELLS
from arcbatt.language.sample import Sample

LEAST_SECONDS: Final = 0.1
MOST_SECONDS: Final = 1.0
"""How long a shard should take."""
MOST_STARTS: Final = 3
"""How often in a row a worker may end without having finished a shard, before it is given up."""
MOST_TRIES: Final = 2
"""How many workers may end over a shard, before it is left to this process."""
_LOOKS_A_SECOND: Final = 20
_SECONDS_TO_END: Final = 2.0

_CONTEXT: Final = multiprocessing.get_context("spawn")


@dataclass
class _Shard:
    first: int
    last: int
    tries: int = 0


@dataclass
class _Slot:
    """A worker's place: the process there now, and what it knows."""

    number: int
    spec: WorkerSpec
    process: Any = None
    line: Connection | None = None
    waiting: bool = False
    """Whether it is to answer."""
    engine: object = None
    samples: object = None
    shard: _Shard | None = None
    rate: float = 0.0
    """Samples a second, of the engine it has."""
    tried: object = None
    """The engine that the next two are about."""
    ends: int = 0
    """How often in a row it ended without a finished shard."""
    given_up: str = ""
    """Why it is not used any more for that engine."""

    def __str__(self) -> str:
        return f"worker {self.number} ({self.spec.name})"

    def start(self) -> None:
        """A new process."""
        self.line, theirs = _CONTEXT.Pipe()
        self.process = _CONTEXT.Process(target=main, args=(theirs, self.spec), daemon=True, name=str(self))
        with _no_main_module():
            self.process.start()
        theirs.close()
        self.waiting, self.engine, self.samples, self.rate = True, None, None, 0.0

    def end(self) -> str:
        """Have the process end, and say how it did."""
        if self.process is None:
            return ""
        assert self.line is not None
        self.line.close()
        self.process.join(_SECONDS_TO_END)
        how = _how(self.process.exitcode)
        if self.process.exitcode is None:
            self.process.kill()
            self.process.join()
        self.process.close()
        self.process, self.line, self.waiting, self.engine = None, None, False, None
        return how


class Fleet:
    """Workers, kept as long as an engine has use for them; engines of the same workers share them."""

    def __init__(self, specs: Sequence[WorkerSpec]) -> None:
        self.slots = [_Slot(number, spec) for number, spec in enumerate(specs)]
        self.lock = threading.Lock()
        """Held by the run that the workers are on."""
        weakref.finalize(self, _end_all, self.slots)

    @property
    def processes(self) -> list[int]:
        """The numbers of the processes there are."""
        return [slot.process.pid for slot in self.slots if slot.process is not None]

    def close(self) -> None:
        """End every worker; the next run starts new ones."""
        _end_all(self.slots)


_fleets: weakref.WeakValueDictionary[tuple[WorkerSpec, ...], Fleet] = weakref.WeakValueDictionary()


def fleet_of(specs: Sequence[WorkerSpec]) -> Fleet:
    """The workers of some specs, those that are there already if an engine has them."""
    fleet = _fleets.get(tuple(specs))
    if fleet is None:
        fleet = _fleets[tuple(specs)] = Fleet(specs)
    return fleet


class Engine:
    """Runs one merged graph on samples by several workers. `names` are the programs, in the order of the columns."""

    def __init__(self, graph: Graph, specs: Sequence[WorkerSpec], *, backend: str) -> None:
        if not specs:
            raise UsageError("no worker to run on")
        self.backend = backend
        self.graph = graph
        self.names = list(graph.outputs)
        self.fleet = fleet_of(specs)
        self.key = object()
        """What workers know it by; it refers to nothing, so that workers keep no engine alive."""
        self.pickled = pickle.dumps(graph)

    @cached_property
    def _cpu(self) -> cpu.Engine:
        return cpu.Engine(self.graph)

    def run(
        self,
        samples: Sequence[Sample] | PackedSamples,
        outputs: Wanted = "match",
        *,
        largest: int = MAX_CELLS,
        stop: Stop | None = None,
        progress: Callable[[int], None] | None = None,
        complete: bool = True,
    ) -> Outputs:
        """As `arcbatt.engine.cpu.Engine.run`; after an interrupt the workers are gone, and start anew if needed."""
        data = samples if isinstance(samples, PackedSamples) else pack_samples(samples)
        job = _Job(self, data, outputs, largest, complete, stop, progress, Gathered(self.names, len(data), outputs))
        start = time.perf_counter()
        with self.fleet.lock:
            shared = SharedSamples(data)
            try:
                _Watch(self.fleet.slots, job, shared).run()
            except BaseException:
                self.fleet.close()
                raise
            finally:
                shared.close()
        job.finish_here(self._cpu if job.rest() else None)
        return job.gathered.finished(time.perf_counter() - start)

    def values(self, sample: Sample) -> dict[str, Outcome]:
        """What every program gives on one sample, by the CPU engine of this process."""
        return self._cpu.values(sample)


@dataclass
class _Job:
    """A run: the shards still to be handed out, and where outcomes go."""

    engine: Engine
    data: PackedSamples
    wanted: Wanted
    largest: int
    complete: bool
    stop: Stop | None
    progress: Callable[[int], None] | None
    gathered: Gathered
    next: int = 0
    """The first sample that was not handed out yet."""
    again: deque[_Shard] = field(default_factory=deque)
    aside: list[_Shard] = field(default_factory=list)
    """Shards over which workers ended."""
    stopped: bool = False

    def look(self) -> bool:
        """Whether to stop."""
        self.stopped = self.stopped or bool(self.stop and self.stop())
        return self.stopped

    def shard(self, rate: float, first: int, workers: int) -> _Shard | None:
        """The next shard for a worker of that many samples a second; of at most `first` if that is not known."""
        if self.again:
            return self.again.popleft()
        left = len(self.data) - self.next
        if not left:
            return None
        share = -(-left // (2 * workers))  # the last shards are short, so that workers end together
        size = max(min(share, int(MOST_SECONDS * rate)), int(LEAST_SECONDS * rate)) if rate else min(share, first)
        start, self.next = self.next, self.next + min(max(size, 1), left)
        return _Shard(start, self.next)

    def put(self, rows: NDArray[np.int64], part: Outputs) -> None:
        """Place the outcomes of some samples."""
        self.gathered.put(rows, part)
        if self.progress:
            self.progress(self.gathered.done)

    def further(self) -> Callable[[int], None]:
        """What counts samples beside those that are done now."""
        before = self.gathered.done

        def count(done: int) -> None:
            if self.progress:
                self.progress(before + done)

        return count

    def rest(self) -> list[tuple[NDArray[np.int64], str]]:
        """What no worker ran, and why."""
        if self.stopped:
            return []
        left = [np.arange(shard.first, shard.last) for shard in self.again]
        left.append(np.arange(self.next, len(self.data)))
        groups = [(np.concatenate(left), "no worker is left")]
        groups += [(np.arange(one.first, one.last), "workers ended over these samples") for one in self.aside]
        return [(rows, why) for rows, why in groups if len(rows)]

    def finish_here(self, engine: cpu.Engine | None) -> None:
        """Run what is left in this process."""
        for rows, why in self.rest():
            if engine is None or self.look():
                break
            part = engine.run(
                self.data.only(rows), self.wanted, largest=self.largest, stop=self.look, progress=self.further(),
                complete=self.complete,
            )  # fmt: skip
            part.moved[why] += int(part.done.sum()) * len(self.engine.names)
            self.put(rows, part)


class _Watch:
    """Workers at a job: hands out shards, takes outcomes in, replaces who ends."""

    def __init__(self, slots: list[_Slot], job: _Job, shared: SharedSamples) -> None:
        self.slots = slots
        self.job = job
        self.shared = shared

    def run(self) -> None:
        """Until all is done, the job is stopped, or no worker is left."""
        for slot in self.slots:
            if slot.tried is not self.job.engine.key:
                slot.tried, slot.ends, slot.given_up = self.job.engine.key, 0, ""
        while True:
            if self.job.look():
                self.shared.stop(True)
            for slot in self.slots:
                self.feed(slot)
            asked = [slot for slot in self.slots if slot.waiting]
            at_work = any(slot.shard for slot in self.slots)
            if not asked or self.done or (self.job.stopped and not at_work):
                return
            heard = wait([slot.line for slot in asked if slot.line], 1 / _LOOKS_A_SECOND)
            for slot in asked:
                if slot.line in heard:
                    self.hear(slot)

    @property
    def done(self) -> bool:
        """Whether every shard that a worker may run is done."""
        job = self.job
        return not job.again and job.next == len(job.data) and not any(slot.shard for slot in self.slots)

    def feed(self, slot: _Slot) -> None:
        """Have a worker do what comes next."""
        job = self.job
        if slot.waiting or slot.given_up or job.stopped:
            return
        if slot.process is None:
            if not self.done and (job.again or job.next < len(job.data)):
                slot.start()
            return
        assert slot.line is not None
        try:
            if slot.engine is not job.engine.key:
                slot.line.send(MakeEngine(job.engine.pickled))
                slot.engine, slot.rate, slot.waiting = job.engine.key, 0.0, True
                return
            slot.shard = job.shard(slot.rate, slot.spec.first_shard, sum(not one.given_up for one in self.slots))
            if slot.shard is None:
                return
            if slot.samples is not self.shared.layout:
                slot.line.send(self.shared.layout)
                reduction.send_handle(slot.line, self.shared.handle, slot.process.pid)
                slot.samples = self.shared.layout
            shard = slot.shard
            slot.line.send(RunShard(shard.first, shard.last, job.wanted, job.largest, job.complete))
            slot.waiting = True
        except OSError:
            self.ended(slot)

    def hear(self, slot: _Slot) -> None:
        """Take a worker's answer."""
        assert slot.line is not None
        try:
            answer = slot.line.recv()
        except (EOFError, OSError, pickle.UnpicklingError):
            self.ended(slot)
            return
        slot.waiting = False
        if isinstance(answer, Trouble):
            self.ended(slot, answer.why)
        elif isinstance(answer, Ran):
            shard, slot.shard, slot.ends = slot.shard, None, 0
            assert shard is not None
            self.job.put(np.arange(shard.first, shard.last), answer.outputs)
            slot.rate = (shard.last - shard.first) / max(answer.seconds, 1e-6)
        else:
            assert isinstance(answer, Ready | Made)

    def ended(self, slot: _Slot, why: str = "") -> None:
        """A worker has ended: its shard is to be run again, and the worker to be replaced if that may help."""
        made = slot.rate > 0 or slot.shard is not None
        how = slot.end()
        slot.ends += 1
        shard, slot.shard = slot.shard, None
        if (why and not made) or slot.ends >= MOST_STARTS:  # an engine that cannot be made will not be made next time
            slot.given_up = why or how
        text = f"{slot} {'failed: ' + why if why else how}; {'given up' if slot.given_up else 'replaced'}"
        if shard is not None:
            shard.tries += 1
            text += f", {shard.last - shard.first} samples run again"
            (self.job.aside if shard.tries >= MOST_TRIES else self.job.again).append(shard)
        self.job.gathered.result.incidents[text] += 1


def _how(code: int | None) -> str:
    """How a process ended, in words."""
    if code is None:
        return "did not answer"
    return f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"


def _end_all(slots: Sequence[_Slot]) -> None:
    for slot in slots:
        if slot.process is not None:
            with suppress(OSError):
                slot.process.terminate()
    for slot in slots:
        slot.end()
        slot.shard = None


@contextmanager
def _no_main_module() -> Iterator[None]:
    """Keeps a new process from importing the script that runs here: a worker needs nothing of it."""
    module = sys.modules["__main__"]
    kept: dict[str, Any] = {name: vars(module)[name] for name in ("__spec__", "__file__") if name in vars(module)}
    module.__spec__ = None
    module.__dict__.pop("__file__", None)
    try:
        yield
    finally:
        module.__dict__.update(kept)
