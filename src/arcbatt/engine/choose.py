"""Which engine runs programs: by the name of a backend, or the fastest there is."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Iterable, Sequence
from typing import Any, Final

from arcbatt.compiler.graph import Graph
from arcbatt.compiler.program_set import CompiledSet, compile
from arcbatt.engine.api import Engine
from arcbatt.engine.auto import AutoEngine, Candidate, Choice
from arcbatt.engine.cpu import CpuEngine
from arcbatt.engine.cuda.device import device_count, device_problem
from arcbatt.engine.reference import ReferenceEngine
from arcbatt.engine.worker import WorkerSpec
from arcbatt.engine.workers import WorkerEngine, engine_worker
from arcbatt.errors import UsageError
from arcbatt.language.limits import MAX_STEPS
from arcbatt.language.program import Program
from arcbatt.support.machine import cores

GPU_ENGINE: Final = "arcbatt.engine.waves.engine:WaveEngine"
"""Needs CuPy, so it is imported when it is asked for."""
GPU_BACKENDS: Final = ("cuda", "waves")
"""What it is called; `waves` is its name from the time when there was another."""
_GPU_SHARD: Final = 1024
"""Samples of a GPU worker's first shard."""


def backend_for(name: str) -> str:
    """The backend a name stands for.

    `gpu` is the GPU where there is one, else the CPU engine. `auto` stands for the CPU engine here; an engine made for
    `auto` begins with it and finds out whether a GPU is faster.
    """
    if name == "auto":
        return "cpu"
    if name == "gpu":
        return "cuda" if why_no_gpu() is None else "cpu"
    if name in GPU_BACKENDS and (problem := why_no_gpu()):
        raise UsageError(f"no GPU to run on: {problem}")
    return name


def make_engine(
    backend: str,
    programs: Iterable[Program] | Graph | CompiledSet,
    *,
    threads: int | None = None,
    devices: Sequence[int] = (),
    workers: int | None = None,
    choice: Choice | None = None,
    max_steps: int = MAX_STEPS,
) -> Engine:
    """An engine of a backend for programs, a graph of them, or a compiled set.

    Several GPUs (`devices`, by number; a number twice is two workers on one GPU) and several `workers` of the CPU
    engine are a supervised process each. `gpu` and `auto` never fail for lack of a GPU: where it cannot be used the CPU
    engine takes its place, and `Outputs.rerouted` says why. With `auto` the engine finds out while it runs which of
    those there are is the fastest; a `choice` that engines share saves finding out again. `max_steps` is what runs will
    ask for: an engine that is made for it need not compile programs anew then.
    """
    compiled = compile(programs)
    if max_steps < MAX_STEPS:
        compiled = compiled.exact
    if backend == "auto":
        return _auto_engine(compiled, threads, devices, choice)
    if backend == "gpu":
        return _gpu_engine(compiled, threads, devices)
    if specs := _workers(backend, threads, devices, workers):
        return WorkerEngine(compiled, specs, backend=backend)
    if backend == "python":
        return ReferenceEngine(compiled)
    if backend == "cpu":
        return CpuEngine(compiled, threads=threads)
    if backend not in GPU_BACKENDS:
        raise UsageError(f"no backend {backend!r}")
    made: Engine = gpu_engine()(compiled, devices=tuple(devices), threads=threads)
    return made


def gpu_engine() -> Any:
    """The class of the GPU's engine; UsageError where CuPy is not installed."""
    module, _, name = GPU_ENGINE.partition(":")
    try:
        return getattr(importlib.import_module(module), name)
    except ModuleNotFoundError as error:
        raise UsageError(f"no GPU to run on: {why_no_gpu()}") from error


def _workers(backend: str, threads: int | None, devices: Sequence[int], workers: int | None) -> list[WorkerSpec]:
    """The workers of an engine that has some."""
    if workers is not None and workers < 1:
        raise UsageError(f"workers is a number above 0, got {workers}")
    if backend == "cpu" and workers:
        each = max(1, (threads or cores()) // workers)
        return [engine_worker("CPU", "arcbatt.engine.cpu:CpuEngine", threads=each)] * workers
    if backend in GPU_BACKENDS and len(devices) > 1:
        for number in devices:
            if number >= gpu_count():
                raise UsageError(f"no GPU number {number}: {gpu_count()} are visible (see nvidia-smi)")
        each = max(1, (threads or cores()) // len(devices))
        return [
            engine_worker(f"GPU {number}", GPU_ENGINE, _GPU_SHARD, devices=(number,), keep_going=False, threads=each)
            for number in devices
        ]
    return []


def _gpu_engine(compiled: CompiledSet, threads: int | None, devices: Sequence[int]) -> Engine:
    """The GPU's engine, or the CPU's with the reason why it is not the GPU's."""
    why = why_no_gpu()
    if why is None:
        try:
            return make_engine("cuda", compiled, threads=threads, devices=devices)
        except Exception as error:
            why = f"the GPU engine could not be made: {type(error).__name__}: {error}"
    return CpuEngine(compiled, threads=threads, instead=why)


def _auto_engine(compiled: CompiledSet, threads: int | None, devices: Sequence[int], choice: Choice | None) -> Engine:
    """The CPU's engine, or where there is a GPU one that finds out."""
    if not gpu_possible():
        return CpuEngine(compiled, threads=threads)

    def make_cuda(numbers: tuple[int, ...]) -> Engine:
        backend_for("cuda")  # says why there is none
        return make_engine("cuda", compiled, threads=threads, devices=numbers)

    def gpus(numbers: tuple[int, ...]) -> Candidate:
        name = "cuda" if len(numbers) == 1 else f"cuda on {len(numbers)} GPUs"
        return Candidate(name, lambda: make_cuda(numbers))

    def several() -> list[Candidate]:
        numbers = tuple(devices) or tuple(range(gpu_count()))
        return [gpus(numbers)] if len(numbers) > 1 else []

    candidates = [Candidate("cpu", lambda: CpuEngine(compiled, threads=threads)), gpus((*devices, 0)[:1])]
    return AutoEngine(compiled, candidates, choice, several)


def gpu_possible() -> bool:
    """Whether there may be a GPU to use, without the time that it takes to know."""
    return "cupy" in sys.modules or importlib.util.find_spec("cupy") is not None


def gpu_count() -> int:
    """How many GPUs can be used."""
    return 0 if why_no_gpu() else device_count()


def why_no_gpu() -> str | None:
    """Why the GPU cannot be used, and what to do about it; None if it can."""
    try:
        problem = device_problem()
    except ModuleNotFoundError as error:
        return f"{error.name} is not installed; pip install 'arcbatt[cuda]', or use --backend cpu"
    except (ImportError, OSError) as error:
        return f"{error}; use --backend cpu"
    return problem and f"{problem}; or use --backend cpu"
