"""A connection to a Ray cluster: found or started, its nodes looked at, and left again."""

from __future__ import annotations

import importlib
import os
import signal
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from types import ModuleType
from typing import Any, Final

from arcbatt.cluster import actor
from arcbatt.cluster.build import this_build
from arcbatt.engine.choose import GPU_BACKENDS
from arcbatt.errors import ClusterError, ClusterLostError, UsageError
from arcbatt.support.aside import begun_aside

LOCAL: Final = "local"
STORE_BYTES: Final = 256 << 20
"""Memory for objects of a cluster that is started here: what is in flight is some megabytes a worker."""
SHARE: Final = 8
"""CPUs of a worker without a GPU, unless `--threads` says otherwise."""
_REACH_SECONDS: Final = 5.0
_CHECK_SECONDS: Final = 15.0
_HEAD_SECONDS: Final = 5.0
"""How long the head may be gone; after a minute Ray would end the process."""
_LEAVE_SECONDS: Final = 0.3
_LOST_SECONDS: Final = 2.0
_LOOK_SECONDS: Final = 0.05
_leaving: list[threading.Thread] = []
"""Who takes leave of clusters still."""


@dataclass(frozen=True)
class Place:
    """Where a worker is or will be: a GPU of a node, or a share of its CPUs."""

    node: str
    """Ray's id."""
    name: str
    """What people call the node."""
    kind: str
    """`gpu` or `cpu`."""
    number: int
    cpus: int

    def __str__(self) -> str:
        return f"{self.kind}:{self.number}@{self.name}"


class Connection:
    """A cluster to work on. `backend` is what its workers run programs on first."""

    def __init__(self, ray: ModuleType, backend: str, threads: int | None) -> None:
        self.ray: Any = ray
        self.asked = backend
        self._threads = threads
        self._names: dict[str, str] = {}
        self._last: list[Place] = []
        self._head: str = self.ray.get_runtime_context().gcs_address
        self._gone_since: float | None = None
        self._started: dict[Place, tuple[Any, Any]] = {}
        self.backend = "cpu"
        places = self.places()
        if any(place.kind == "gpu" for place in places):
            self.backend = backend if backend in GPU_BACKENDS else "cuda"
        elif backend in GPU_BACKENDS:
            raise ClusterError(f"--backend {backend}: no node of the cluster has a GPU that Ray knows of")
        elif backend == "python":
            self.backend = backend

    def places(self) -> list[Place]:
        """A place for every GPU and every share of CPUs of the nodes there are now.

        Where the head does not answer those of last time, and after some time an error: Ray ends the process then.
        """
        if not self._head_answers():
            return self._last
        try:
            nodes = [node for node in self.ray.nodes() if node["Alive"]]
        except Exception as error:  # Ray raises its own and gRPC's errors, and plain ones
            raise gone(error) from error
        same = Counter(node["NodeManagerHostname"] for node in nodes)
        found = []
        for node in nodes:
            host, key = node["NodeManagerHostname"], node["NodeID"]
            name = self._names.setdefault(key, host if same[host] == 1 else f"{host}-{key[:6]}")
            found += self._places_of(key, name, node["Resources"])
        with_gpu = [place for place in found if place.kind == "gpu"]
        self._last = with_gpu if with_gpu and self.asked in ("gpu", *GPU_BACKENDS) else found
        return self._last

    def _head_answers(self) -> bool:
        """Whether somebody listens where the head is."""
        host, _, port = self._head.rpartition(":")
        try:
            socket.create_connection((host, int(port)), _HEAD_SECONDS).close()
        except OSError as error:
            now = time.monotonic()
            self._gone_since = self._gone_since or now
            if now - self._gone_since < _HEAD_SECONDS:
                return False
            raise ClusterLostError(
                f"the head of the cluster at {self._head} is gone ({error.strerror or error}); what was done is kept"
            ) from error
        self._gone_since = None
        return True

    def _places_of(self, key: str, name: str, resources: Mapping[str, float]) -> list[Place]:
        cpus, gpus = int(resources.get("CPU", 0)), int(resources.get("GPU", 0))
        if self.asked in ("cpu", "python"):
            gpus = 0
        found = [Place(key, name, "gpu", number, 1 if number < cpus else 0) for number in range(gpus)]
        left = max(0, cpus - gpus)
        share = min(self._threads or SHARE, max(left, 1))
        sizes = [share] * (left // share) + [left % share] * bool(left % share)
        return found + [Place(key, name, "cpu", number, size) for number, size in enumerate(sizes)]

    def backend_at(self, place: Place) -> str:
        """What runs programs at a place."""
        if place.kind == "cpu":
            return "python" if self.asked == "python" else "cpu"
        return self.asked if self.asked in GPU_BACKENDS else "gpu"

    def check(self, stop: Callable[[], bool] | None = None) -> None:
        """Start workers, and refuse a cluster with a node that has no arcbatt or another one.

        Nodes that take long to answer, since others use them, are asked when they do; nobody waits after `stop`.
        """
        for place in self.places():
            self._started[place] = self._start(place)
        if not self._started:
            raise ClusterError("the cluster has no node with a CPU or a GPU to work on")
        refs = {ref: place for place, (_, ref) in self._started.items()}
        until = time.monotonic() + _CHECK_SECONDS
        ready: list[Any] = []
        while len(ready) < len(refs) and time.monotonic() < until and not (stop and stop()):
            ready, _ = self.ray.wait(list(refs), num_returns=len(refs), timeout=_LOOK_SECONDS)
        for ref in ready:
            try:
                problem = self.ray.get(ref)
            except self.ray.exceptions.RayError:  # a node that goes as it is asked
                continue
            if problem:
                raise ClusterError(f"node {refs[ref].name} cannot take part: {problem}")

    def worker_at(self, place: Place) -> tuple[Any, Any]:
        """The actor at a place, started now if it is not yet, and its answer to come: what is wrong, or nothing."""
        return self._started.pop(place, None) or self._start(place)

    def _start(self, place: Place) -> tuple[Any, Any]:
        on = self.ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(place.node, soft=False)
        options = {"num_cpus": place.cpus, "num_gpus": int(place.kind == "gpu"), "scheduling_strategy": on}
        handle = self._actor.options(**options).remote()
        return handle, handle.hello.remote(this_build())

    @cached_property
    def _actor(self) -> Any:
        return self.ray.remote(max_restarts=0, max_task_retries=0)(actor.Actor)


@contextmanager
def connected(
    address: str | None, backend: str, threads: int | None, stop: Callable[[], bool] | None = None
) -> Iterator[Connection | None]:
    """The cluster at an address, `local` for one that is started here and ends with the work; None for none.

    Where `stop` says that somebody wants to end, or the work has failed, the cluster is left without waiting for it.
    """
    if address is None:
        yield None
        return
    ray = _ray()
    wait_until_left()
    stay = None
    if not ray.is_initialized():
        _reach(address)
        stay = _Stay(ray, address)
    in_haste, lost = True, False
    try:
        connection = Connection(ray, backend, threads)
        connection.check(stop)
        yield connection
        in_haste = bool(stop and stop())
    except ClusterLostError:
        lost = True
        raise
    except ClusterError:
        in_haste = False
        raise
    finally:
        if stay is not None:
            stay.leave(in_haste=in_haste, lost=lost)


def wait_until_left() -> None:
    """Wait until clusters that were left in haste are left: a process that uses one ends with it."""
    for thread in _leaving:
        thread.join()
    _leaving.clear()


def _ray() -> Any:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    try:
        ray = importlib.import_module("ray")
        importlib.import_module("ray.util.scheduling_strategies")
    except ModuleNotFoundError as error:
        raise UsageError("Ray is not installed; pip install 'arcbatt[ray]'") from error
    ray.cloudpickle.register_pickle_by_value(actor)
    # Ray prints what befalls nodes to standard output, in the middle of --json; it is told in the record. And it has
    # its own ideas of SIGTERM, which are not those of whoever runs a command.
    for module, name in (("ray._private.worker", "print_to_stdstream"), ("ray._private.utils", "set_sigterm_handler")):
        inside = importlib.import_module(module)
        if hasattr(inside, name):
            setattr(inside, name, lambda *_, **__: None)
    return ray


class _Stay:
    """Ray while it is used. It takes seconds to start, during which somebody may want to end.

    One thread starts and ends it, and is there all the while, since what Ray starts ends with the thread that did.
    """

    def __init__(self, ray: Any, address: str) -> None:
        self._ray = ray
        self._options: dict[str, Any] = {"address": address, "log_to_driver": False, "logging_level": "critical"}
        if address == LOCAL:
            self._options |= {"include_dashboard": False, "object_store_memory": STORE_BYTES}
        self._failed: Exception | None = None
        self._lost = False
        self._started, self._leave = threading.Event(), threading.Event()
        self._thread = begun_aside(self._stay)
        try:
            while not self._started.wait(_LOOK_SECONDS):
                _take_signals_back()
            _take_signals_back()
        except BaseException:
            self.leave(in_haste=True)
            raise
        if self._failed is not None:
            self.leave(in_haste=True)
            raise ClusterError(f"no Ray cluster at {address!r}: {_first_line(self._failed)}") from self._failed

    def _stay(self) -> None:
        try:
            self._ray.init(**self._options)
        except Exception as error:  # Ray raises its own and gRPC's errors, and plain ones
            self._failed = error
        self._started.set()
        self._leave.wait()
        if self._lost:  # then it may end the process: whoever has something to say says it first
            time.sleep(_LOST_SECONDS)
        self._ray.shutdown()

    def leave(self, *, in_haste: bool, lost: bool = False) -> None:
        """End it. `lost`: its parts that were elsewhere are gone."""
        self._lost = lost
        self._leave.set()
        _leaving.append(self._thread)
        self._thread.join(0 if lost else _LEAVE_SECONDS if in_haste else None)


def _reach(address: str) -> None:
    """Fail at once where nobody listens: Ray would try for minutes."""
    host, colon, port = address.rpartition(":")
    if address in (LOCAL, "auto") or "://" in address:
        return
    if not (colon and host and port.isdecimal()):
        raise UsageError(f"--ray is HOST:PORT, auto or local, got {address!r}")
    try:
        socket.create_connection((host, int(port)), _REACH_SECONDS).close()
    except (OSError, OverflowError) as error:
        raise ClusterError(f"no Ray cluster at {address!r}: {error}") from error


def _take_signals_back() -> None:
    """Have Python's handlers called again: the part of Ray that is not Python puts its own in their place."""
    if threading.current_thread() is threading.main_thread():
        for one in (signal.SIGINT, signal.SIGTERM):
            if (handler := signal.getsignal(one)) is not None:
                signal.signal(one, handler)


def gone(error: Exception) -> ClusterLostError:
    """The cluster is not there any more."""
    return ClusterLostError(f"the cluster does not answer any more ({_first_line(error)}); what was done is kept")


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]
