"""Which backend runs programs: by name, or the fastest there is.

A backend is a class `Engine(graph, **options)` that does what `AnyEngine` says; all of them give the same.
`arcbatt.engine.cuda.engine` also has `device_count()` and `device_problem()`.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, Protocol

from arcbatt.compiler.graph import Graph, merge
from arcbatt.data.packing import PackedSamples
from arcbatt.engine.outputs import Outputs, Wanted
from arcbatt.engine.worker import PROBLEMS, WorkerSpec
from arcbatt.errors import UsageError
from arcbatt.language.failures import Outcome
from arcbatt.language.limits import MAX_CELLS
from arcbatt.language.program import Program
from arcbatt.language.sample import Sample

if TYPE_CHECKING:
    from arcbatt.engine.auto import Choice

_GPU_SHARD: Final = 1024
"""Samples of a GPU worker's first shard: by those it cuts its slices."""


class AnyEngine(Protocol):
    """What every engine can do."""

    names: list[str]
    backend: str
    """What runs programs there."""

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

    `gpu` is the GPU where there is one, else the CPU engine. `auto` stands for the CPU engine here; an engine made for
    `auto` begins with it and finds out whether a GPU is faster.
    """
    if name == "auto":
        return "cpu"
    if name == "gpu":
        return "cuda" if why_no_gpu() is None else "cpu"
    if name == "cuda" and (problem := why_no_gpu()):
        raise UsageError(f"no GPU to run on: {problem}")
    return name


def make_engine(
    backend: str,
    programs: Sequence[Program] | Graph,
    *,
    threads: int | None = None,
    devices: Sequence[int] = (),
    workers: int | None = None,
    choice: Choice | None = None,
) -> AnyEngine:
    """An engine of a backend for programs or a graph.

    Several GPUs (`devices`, by number; a number twice is two workers on one GPU) and several `workers` of the CPU
    engine are a supervised process each. `gpu` and `auto` never fail for lack of a GPU: where it cannot be used the CPU
    engine takes its place, and `Outputs.moved` says why. With `auto` the engine finds out while it runs which of those
    there are is the fastest; a `choice` that engines share saves finding out again.
    """
    graph = programs if isinstance(programs, Graph) else merge(programs)
    if backend == "auto":
        return _auto_engine(graph, threads, devices, choice)
    if backend == "gpu":
        return _gpu_engine(graph, threads, devices)
    if specs := _workers(backend, threads, devices, workers):
        supervisor = importlib.import_module("arcbatt.engine.supervisor")
        several: AnyEngine = supervisor.Engine(graph, specs, backend=backend)
        return several
    modules = {"python": "reference", "cpu": "cpu", "cuda": "cuda.engine"}
    kind: Any = importlib.import_module(f"arcbatt.engine.{modules[backend]}").Engine
    options: dict[str, dict[str, Any]] = {
        "cpu": {"threads": threads},
        "cuda": {"devices": tuple(devices), "threads": threads},
    }
    engine: AnyEngine = kind(graph, **options.get(backend, {}))
    return engine


def _workers(backend: str, threads: int | None, devices: Sequence[int], workers: int | None) -> list[WorkerSpec]:
    """The workers of an engine that has some."""
    if workers is not None and workers < 1:
        raise UsageError(f"workers is a number above 0, got {workers}")
    if backend == "cpu" and workers:
        each = max(1, (threads or os.cpu_count() or 1) // workers)
        return [WorkerSpec("CPU", "arcbatt.engine.cpu:Engine", (("threads", each),))] * workers
    if backend == "cuda" and len(devices) > 1:
        for number in devices:
            if number >= gpu_count():
                raise UsageError(f"no GPU number {number}: {gpu_count()} are visible (see nvidia-smi)")
        each = max(1, (threads or os.cpu_count() or 1) // len(devices))
        engine = "arcbatt.engine.cuda.engine:Engine"
        return [
            WorkerSpec(
                f"GPU {number}", engine, (("devices", (number,)), ("keep_going", False), ("threads", each)), _GPU_SHARD
            )
            for number in devices
        ]
    return []


def _gpu_engine(graph: Graph, threads: int | None, devices: Sequence[int]) -> AnyEngine:
    """The GPU's engine, or the CPU's with the reason why it is not the GPU's."""
    why = why_no_gpu()
    if why is None:
        try:
            return make_engine("cuda", graph, threads=threads, devices=devices)
        except PROBLEMS as error:
            why = f"the GPU engine could not be made: {type(error).__name__}: {error}"
    fallback = importlib.import_module("arcbatt.engine.fallback")
    engine: AnyEngine = fallback.Engine(graph, why, threads=threads)
    return engine


def _auto_engine(graph: Graph, threads: int | None, devices: Sequence[int], choice: Choice | None) -> AnyEngine:
    """The CPU's engine, or where there is a GPU one that finds out."""
    if not gpu_possible():
        return make_engine("cpu", graph, threads=threads)
    auto = importlib.import_module("arcbatt.engine.auto")

    def gpus(numbers: tuple[int, ...]) -> Any:
        return auto.Candidate(
            "cuda" if len(numbers) == 1 else f"cuda on {len(numbers)} GPUs",
            lambda: (backend_for("cuda"), make_engine("cuda", graph, threads=threads, devices=numbers))[1],
        )

    def several() -> list[Any]:
        numbers = tuple(devices) or tuple(range(gpu_count()))
        return [gpus(numbers)] if len(numbers) > 1 else []

    candidates = [auto.Candidate("cpu", lambda: make_engine("cpu", graph, threads=threads)), gpus((*devices, 0)[:1])]
    engine: AnyEngine = auto.Engine(list(graph.outputs), candidates, choice, several)
    return engine


def gpu_possible() -> bool:
    """Whether there may be a GPU to use, without the time that it takes to know."""
    return "cupy" in sys.modules or importlib.util.find_spec("cupy") is not None


def gpu_count() -> int:
    """How many GPUs can be used."""
    return 0 if why_no_gpu() else int(importlib.import_module("arcbatt.engine.cuda.engine").device_count())


def why_no_gpu() -> str | None:
    """Why the GPU cannot be used, and what to do about it; None if it can."""
    try:
        cuda = importlib.import_module("arcbatt.engine.cuda.engine")
    except ModuleNotFoundError as error:
        if error.name == "arcbatt.engine.cuda.engine":
            return "this arcbatt has no GPU backend; use --backend cpu"
        return f"{error.name} is not installed; pip install 'arcbatt[cuda]', or use --backend cpu"
    except (ImportError, OSError) as error:
        return f"{error}; use --backend cpu"
    return None if cuda.device_count() else f"{cuda.device_problem()}; or use --backend cpu"
