"""Supervised worker processes: started when there is work for them, kept while somebody has use for them.

They are children of this process and end with it, however it ends. What they do is a `Service` (worker.py); who uses a
pool hands out messages, hears answers, and is told when a worker has ended.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
import weakref
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import reduction
from multiprocessing.connection import Connection, Pipe, wait
from typing import Any, Final

from arcbatt.engine.worker import Setup, WithHandle, WorkerSpec
from arcbatt.support.collecting import collecting_later

MOST_FAILED_STARTS: Final = 3
"""How often in a row a worker may end without having finished anything, before it is given up."""
_ONE_THREAD: Final = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
_SECONDS_TO_END: Final = 2.0
"""How long a process whose line is closed may take to be gone, before it is killed."""


@dataclass(frozen=True)
class Ended:
    """Comes in place of an answer from a worker that has ended, and says how."""

    how: str


class Worker:
    """A worker's place in a pool: the process there now, if there is one, and what it was told."""

    def __init__(self, number: int, spec: WorkerSpec) -> None:
        self.number = number
        self.spec = spec
        self.process: subprocess.Popen[bytes] | None = None
        self.line: Connection | None = None
        self.waiting = False
        """Whether it is to answer."""
        self.setup: object = None
        """What stands for what it is set up for."""
        self.task: Any = None
        """What it is at."""
        self.memory: dict[str, Any] = {}
        """What whoever hands out work knows of it; forgotten with the process."""
        self.failures = 0
        """How often in a row it ended without having finished anything."""
        self.given_up = ""
        """Why no process is started here any more."""
        self.tried: object = None
        """What these two are about, where somebody else may try again."""

    def __str__(self) -> str:
        return f"worker {self.number} ({self.spec.name})"

    def start(self) -> None:
        """A new process."""
        self.line, theirs = Pipe()
        code = (
            f"import pickle, sys; sys.path[:] = {sys.path!r}; from arcbatt.engine.worker import main; "
            f"main({theirs.fileno()}, pickle.loads({pickle.dumps(self.spec)!r}))"
        )
        self.process = subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            env={**os.environ, **_ONE_THREAD},
            pass_fds=(theirs.fileno(),),
            process_group=0,  # an interrupt from the keyboard is for this process alone
        )
        theirs.close()
        self.waiting = True
        self.setup, self.task, self.memory = None, None, {}

    def send(self, message: Any) -> bool:
        """Send a message that will be answered, or one that is pickled already; false if the process is gone."""
        assert self.line is not None
        try:
            self.line.send_bytes(message) if isinstance(message, bytes) else self.line.send(message)
        except OSError:
            return False
        self.waiting = True
        return True

    def send_with_handle(self, message: Any, handle: int) -> bool:
        """Send a message that needs no answer, with a handle of shared memory."""
        assert self.line is not None
        assert self.process is not None
        try:
            self.line.send(WithHandle(message))
            reduction.send_handle(self.line, handle, self.process.pid)
        except OSError:
            return False
        return True

    def end(self) -> Ended:
        """End the process, and say how it had ended before, if it had."""
        assert self.process is not None
        assert self.line is not None
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(_SECONDS_TO_END)
        code = self.process.poll()
        self.process.kill()
        self.process.wait()
        self.line.close()
        self.process, self.line, self.waiting = None, None, False
        how = "did not answer" if code is None else f"ended with code {code}"
        if code is not None and code < 0:
            how = f"was killed by {signal.Signals(-code).name}"
        return Ended(how)


class WorkerPool:
    """Places for workers, at work for one run at a time (`lock`)."""

    def __init__(self, specs: Sequence[WorkerSpec]) -> None:
        self.workers = [Worker(number, spec) for number, spec in enumerate(specs)]
        self.lock = threading.Lock()
        weakref.finalize(self, _end_all, self.workers)

    @property
    def running(self) -> list[Worker]:
        """The workers that have a process."""
        return [worker for worker in self.workers if worker.process is not None]

    @property
    def processes(self) -> list[int]:
        """The numbers of the processes there are."""
        return [worker.process.pid for worker in self.workers if worker.process is not None]

    def close(self) -> None:
        """End every process at once; new ones are started when there is work again."""
        _end_all(self.workers)

    def hear(self, seconds: float) -> list[tuple[Worker, Any]]:
        """What workers answer within some time; in place of an answer, `Ended` of those that have ended."""
        by_line = {worker.line: worker for worker in self.running if worker.waiting and worker.line is not None}
        heard: list[Any] = wait(list(by_line), seconds)
        return [(by_line[line], self._answer(by_line[line])) for line in heard]

    def _answer(self, worker: Worker) -> Any:
        assert worker.line is not None
        try:
            with collecting_later():  # what is compiled is very many objects, all of which stay
                answer = worker.line.recv()
        except (EOFError, OSError, pickle.UnpicklingError):
            return self.dismiss(worker)
        worker.waiting = False
        return answer

    def dismiss(self, worker: Worker) -> Ended:
        """Have done with a process that does not answer any more; its place is given up after too many of them."""
        ended = worker.end()
        worker.failures += 1
        if worker.failures >= MOST_FAILED_STARTS:
            worker.given_up = ended.how
        return ended


_pools: weakref.WeakValueDictionary[tuple[WorkerSpec, ...], WorkerPool] = weakref.WeakValueDictionary()


def pool_of(specs: Sequence[WorkerSpec]) -> WorkerPool:
    """The pool for some specs; the one that is there already, if somebody has it."""
    pool = _pools.get(tuple(specs))
    if pool is None:
        pool = _pools[tuple(specs)] = WorkerPool(specs)
    return pool


def pickled(payload: Any) -> bytes:
    """A Setup message as bytes, to be sent to several workers."""
    return bytes(reduction.ForkingPickler.dumps(Setup(payload)))


def _end_all(workers: Sequence[Worker]) -> None:
    for worker in workers:
        if worker.process is not None:
            worker.process.kill()
    for worker in workers:
        if worker.process is not None:
            worker.end()
        worker.task = None
