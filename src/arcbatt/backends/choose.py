"""Which backend runs programs: by name, or the fastest there is.

A backend is a class `Engine(graph, **options)` that does what `AnyEngine` says; all of them give the same.
`arcbatt.backends.cuda` also has `device_count()`.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from arcbatt.arc.packing import PackedSamples
from arcbatt.backends.outcome import Outcome
from arcbatt.backends.outputs import Outputs, Wanted
from arcbatt.backends.python import Sample
from arcbatt.backends.worker import WorkerSpec
from arcbatt.errors import UsageError
from arcbatt.frontend import Program
from arcbatt.ir.graph import Graph, merge
from arcbatt.limits import MAX_CELLS


class AnyEngine(Protocol):
    """What every engine can do."""

    names: list[str]

    def run(
        self,
        samples: Sequence[Sample] | PackedSamples,
        outputs: Wanted = "match",
        *,
        largest: int = MAX_CELLS,
        stop: Callable[[], bool] | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> Outputs:
        """Every program on every sample."""

    def values(self, sample: Sample) -> dict[str, Outcome]:
        """What every program gives on one sample."""


def backend_for(name: str) -> str:
    """The backend a name stands for.

    `auto` is the CPU engine, which is the faster one so far (design/gpu.md); `gpu` is the GPU where there is one, else
    the CPU engine.
    """
    if name == "auto":
        return "cpu"
    if name == "gpu":
        return "cuda" if _cuda_problem() is None else "cpu"
    if name == "cuda" and (problem := _cuda_problem()):
        raise UsageError(f"no GPU to run on: {problem}")
    return name


def make_engine(
    backend: str,
    programs: Sequence[Program] | Graph,
    *,
    threads: int | None = None,
    devices: Sequence[int] = (),
    workers: int | None = None,
) -> AnyEngine:
    """An engine of a backend for programs or a graph.

    Several GPUs (`devices`, by number; a number twice is two workers on one GPU) and several `workers` of the CPU
    engine are a supervised process each.
    """
    graph = programs if isinstance(programs, Graph) else merge(programs)
    if specs := _workers(backend, threads, devices, workers):
        supervisor = importlib.import_module("arcbatt.backends.supervisor")
        several: AnyEngine = supervisor.Engine(graph, specs, backend=backend)
        return several
    modules = {"python": "merged", "cpu": "cpu", "cuda": "cuda"}
    kind: Any = importlib.import_module(f"arcbatt.backends.{modules[backend]}").Engine
    options: dict[str, dict[str, Any]] = {"cpu": {"threads": threads}, "cuda": {"devices": tuple(devices)}}
    engine: AnyEngine = kind(graph, **options.get(backend, {}))
    return engine


def _workers(backend: str, threads: int | None, devices: Sequence[int], workers: int | None) -> list[WorkerSpec]:
    """The workers of an engine that has some."""
    if workers is not None and workers < 1:
        raise UsageError(f"workers is a number above 0, got {workers}")
    if backend == "cpu" and workers:
        each = max(1, (threads or os.cpu_count() or 1) // workers)
        return [WorkerSpec("CPU", "arcbatt.backends.cpu:Engine", (("threads", each),))] * workers
    if backend == "cuda" and len(devices) > 1:
        return [
            WorkerSpec(f"GPU {number}", "arcbatt.backends.cuda:Engine", (("devices", (number,)),)) for number in devices
        ]
    return []


def why_no_gpu() -> str | None:
    """Why the GPU cannot be used, and what to do about it; None if it can."""
    return _cuda_problem()


def _cuda_problem() -> str | None:
    try:
        cuda = importlib.import_module("arcbatt.backends.cuda")
    except ModuleNotFoundError as error:
        if error.name == "arcbatt.backends.cuda":
            return "this arcbatt has no GPU backend; use --backend cpu"
        return f"{error.name} is not installed; pip install 'arcbatt[cuda]', or use --backend cpu"
    except (ImportError, OSError) as error:
        return f"{error}; use --backend cpu"
    if not cuda.device_count():
        return "no NVIDIA device was found; check nvidia-smi, or use --backend cpu"
    return None
