"""A worker process: it makes the engines it is told of and runs shards of samples, one after the other.

`supervisor.py` is the other end of the line. A worker ends when the line is closed or its parent is gone, and leaves an
interrupt from the keyboard to its parent. What it cannot go on after it reports in words, and ends.
"""

from __future__ import annotations

import importlib
import mmap
import multiprocessing
import os
import pickle
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, fields
from multiprocessing import reduction
from multiprocessing.connection import Connection, wait
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from arcbatt.data.packing import PackedSamples
from arcbatt.engine.outputs import Outputs, Wanted
from arcbatt.errors import ArcbattError

PROBLEMS: Final = (ArcbattError, ImportError, LookupError, MemoryError, OSError, RuntimeError, ValueError)
"""What making or running an engine may raise where a device, its driver, CuPy or memory fails."""
_ALIGNED: Final = 64


@dataclass(frozen=True)
class WorkerSpec:
    """A worker to have: what it is called, the class of its engine (`module:name`), and that class's options."""

    name: str
    engine: str
    options: tuple[tuple[str, Any], ...] = ()
    first_shard: int = 64
    """Samples of a shard at most, as long as no time is known."""

    def make(self, graph: Any) -> Any:
        """The engine for a graph."""
        module, _, name = self.engine.partition(":")
        return getattr(importlib.import_module(module), name)(graph, **dict(self.options))


# --- messages ---
@dataclass(frozen=True)
class MakeEngine:
    """Make the engine of a pickled graph; the answer is Made or Trouble."""

    graph: bytes


@dataclass(frozen=True)
class TakeSamples:
    """Samples in memory that is shared; the handle of that memory follows."""

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
    complete: bool


@dataclass(frozen=True)
class Ready:
    """The worker has started."""


@dataclass(frozen=True)
class Made:
    """The engine is there."""


@dataclass(frozen=True)
class Ran:
    """A shard's outcomes, without the names of programs."""

    outputs: Outputs
    seconds: float


@dataclass(frozen=True)
class Trouble:
    """Why the worker cannot go on."""

    why: str


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


# --- the process ---
def main(line: Connection, spec: WorkerSpec) -> None:
    """Serve until the line is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    engine: Any = None
    samples: PackedSamples | None = None
    stop: Callable[[], bool] | None = None
    line.send(Ready())
    while True:
        try:
            message = line.recv()
        except (EOFError, OSError):
            return
        try:
            if isinstance(message, MakeEngine):
                engine = None  # its memory goes first
                engine = spec.make(pickle.loads(message.graph))
                answer: Any = Made()
            elif isinstance(message, TakeSamples):
                samples, stop = _mapped(message, reduction.recv_handle(line))
                continue
            else:
                assert samples is not None
                answer = _ran(engine, samples, stop, message)
        except PROBLEMS as error:
            answer = Trouble(f"{type(error).__name__}: {error}")
        try:
            line.send(answer)
        except OSError:
            return
        if isinstance(answer, Trouble):
            return


def _ran(engine: Any, samples: PackedSamples, stop: Callable[[], bool] | None, shard: RunShard) -> Ran:
    start = time.perf_counter()
    some = samples.only(slice(shard.first, shard.last))
    outputs: Outputs = engine.run(some, shard.wanted, largest=shard.largest, stop=stop, complete=shard.complete)
    outputs.names = []
    return Ran(outputs, time.perf_counter() - start)


def _end_with_parent() -> None:
    """End the process when its parent has gone, whatever else it is doing."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    wait([parent.sentinel])
    os._exit(1)
