"""A worker process: it sets a service up as it is told and answers messages, one after the other.

`pool.py` is the other end of the line. A worker ends as soon as the line is closed, whatever it is doing then, so it
never outlives the process that started it.
"""

from __future__ import annotations

import importlib
import os
import queue
import signal
import sys
import threading
from abc import ABC, abstractmethod
from dataclasses import dataclass
from multiprocessing import reduction
from multiprocessing.connection import Connection
from typing import Any


@dataclass(frozen=True)
class WorkerSpec:
    """A worker to have: what it is called, its service (`module:class`), and that class's options."""

    name: str
    service: str
    options: tuple[tuple[str, Any], ...] = ()
    first_shard: int = 64
    """Samples of a shard at most, as long as no time is known."""

    def make(self) -> Service:
        """The service, in the worker."""
        module, _, name = self.service.partition(":")
        service: Service = getattr(importlib.import_module(module), name)(**dict(self.options))
        return service


class Service(ABC):
    """What a worker does with messages. What `setup` or `handle` raises ends the worker."""

    @abstractmethod
    def setup(self, payload: Any) -> Any:
        """Get ready for messages about this; the answer."""

    @abstractmethod
    def handle(self, message: Any, handle: int | None) -> Any:
        """The answer to a message, which may have come with a handle of shared memory; None for no answer."""


# --- messages ---
@dataclass(frozen=True)
class Setup:
    """Set the service up; answered by what it says."""

    payload: Any


@dataclass(frozen=True)
class WithHandle:
    """A message behind which a handle of shared memory follows."""

    message: Any


@dataclass(frozen=True)
class Ready:
    """The worker has started, or is set up."""


@dataclass(frozen=True)
class Trouble:
    """Why the worker cannot go on; it ends after this."""

    why: str


# --- the process ---
def _receive(line: Connection, inbox: queue.SimpleQueue[tuple[Any, int | None]]) -> None:
    """Read the line, in a thread of its own so that its end is seen at once."""
    try:
        while True:
            message, handle = line.recv(), None
            if isinstance(message, WithHandle):
                message, handle = message.message, reduction.recv_handle(line)
            inbox.put((message, handle))
    except (EOFError, OSError):
        os._exit(0)
    finally:
        os._exit(1)  # what cannot be read would be waited for without end


def main(handle: int, spec: WorkerSpec) -> None:
    """Serve the line with this handle until it is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the keyboard's interrupt is for the process that started this one
    sys.excepthook = lambda *_: None  # whoever sent the work does it again, and says so
    service = spec.make()
    line = Connection(handle)
    inbox: queue.SimpleQueue[tuple[Any, int | None]] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(line, inbox), daemon=True).start()
    line.send(Ready())
    while True:
        message, memory = inbox.get()
        answer = service.setup(message.payload) if isinstance(message, Setup) else service.handle(message, memory)
        if answer is not None:
            line.send(answer)
        if isinstance(answer, Trouble):
            os._exit(1)  # what a lost device holds is left to the system
