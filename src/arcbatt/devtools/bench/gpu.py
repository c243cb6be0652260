"""What only a GPU has: transfers, the kernel's own time, compiling it, and the load from which it is the faster."""

from __future__ import annotations

import importlib
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any, Final

import numpy as np

from arcbatt.compiler.graph import Graph, merge
from arcbatt.compiler.program_set import compile
from arcbatt.data.packing import PackedSamples, pack_samples
from arcbatt.devtools.bench.load import Load, spread
from arcbatt.devtools.bench.result import Row
from arcbatt.devtools.bench.sides import EngineKind
from arcbatt.devtools.bench.timing import Timing, repeated
from arcbatt.engine.api import Engine
from arcbatt.engine.stats import DeviceStats
from arcbatt.engine.waves import kernels
from arcbatt.engine.waves.ahead import kernels_of
from arcbatt.engine.waves.store import Store
from arcbatt.errors import UsageError
from arcbatt.language.program import Program
from arcbatt.language.types import GRID
from arcbatt.syntax import parse_text

TRANSFERS: Final = "transfers"
START: Final = "start"
CROSSOVER: Final = "crossover"
LATENCY: Final = "one task alone"
OVERTAKES: Final = "where it overtakes the CPU engine"
WHOLE, DEVICE, HOST = "ms a run", "ms until the GPU is done", "ms after that"
"""Units of a run on a GPU and of its parts."""
_SIZES: Final = (1 << 16, 1 << 20, 1 << 24, 1 << 28)
_STORE_BYTES: Final = 8 << 30
_DEVICE_GRIDS: Final = 687_200
"""Grids that objects are found in; those of the load over and over."""
_TASK_SAMPLES: Final = 4
"""Samples of a usual task."""
_STEP: Final = 4
"""How much bigger each load of the crossover is than the one before."""


class Watched:
    """Runs of an engine, and of each what the GPU's part of it was."""

    def __init__(self, engine: Engine, max_steps: int) -> None:
        self.engine = engine.for_steps(max_steps)
        self.max_steps = max_steps
        self.stats: list[DeviceStats | None] = []

    def run(self, data: PackedSamples) -> None:
        """One run, samples from the host's arrays to verdicts there."""
        self.engine.run(data, complete=False, max_steps=self.max_steps)
        if lost := self.engine.lost_device:
            raise UsageError(f"{lost}; the CPU engine took over, so there is nothing to measure")
        self.stats.append(self.engine.device_stats)

    def timed(self, data: PackedSamples, runs: int, most: float) -> Timing:
        """Repeated runs; the statistics of the warm-up are dropped with its time."""
        self.stats.clear()
        timing = repeated(partial(self.run, data), runs, most, settles=True)
        self.stats = self.stats[-len(timing.seconds) :]
        return timing

    def rows(self, suite: str, case: str, side: str, seconds: Sequence[float]) -> Iterator[Row]:
        """The parts of the runs timed last, where the engine tells them."""
        known = [stats for stats in self.stats if stats is not None]
        if not known or len(known) < len(self.stats):
            return
        parts: dict[str, list[float]] = {WHOLE: [], DEVICE: [], HOST: []}
        for whole, stats in zip(seconds, known, strict=True):
            parts[WHOLE].append(1e3 * whole)
            parts[DEVICE].append(stats.milliseconds)
            parts[HOST].append(max(0.0, 1e3 * whole - stats.milliseconds))
        last = known[-1]
        notes = {
            DEVICE: f"{len(last.batches)} batches of {last.waves:,} waves; {last.on_cpu:,} evaluations left to the CPU"
        }
        for unit, values in parts.items():
            yield Row.of(suite, case, side, unit, values, note=notes.get(unit, ""))


def device_memory_row(suite: str, case: str, kind: EngineKind) -> Iterator[Row]:
    """The most memory that the device's pool has held so far."""
    if len(kind.devices) != 1:
        return
    cupy = importlib.import_module("cupy")
    with cupy.cuda.Device(kind.devices[0]):
        held = int(cupy.get_default_memory_pool().total_bytes())
    yield Row.of(suite, case, kind.name, "MB of its memory", [held / 1e6], note="held by the pool after the runs")


def transfers(load: Load) -> Iterator[Row]:
    """Bytes to each GPU and back, from memory of either kind, and the samples of the load."""
    for kind in load.kinds():
        if len(kind.devices) != 1:
            continue
        cupy = importlib.import_module("cupy")
        with cupy.cuda.Device(kind.devices[0]) as device:
            for size in _SIZES:
                there = cupy.empty(size, np.uint8)
                for memory, host in (("pageable", np.zeros(size, np.uint8)), ("pinned", _pinned(cupy, size))):
                    for way, move in (("to the device", _to), ("from the device", _from)):
                        timing = repeated(partial(move, there, host, device), 2 * load.runs + 1, load.most_seconds)
                        case = f"{_bytes(size)} {way}, {memory} memory"
                        rates = [size / seconds / 1e9 for seconds in timing.seconds]
                        yield Row.of(TRANSFERS, case, kind.name, "GB/s", rates, x=size)
            data = pack_samples(load.samples)
            timing = repeated(partial(_samples_to, cupy, data, device), 2 * load.runs + 1, load.most_seconds)
            case = f"{len(data):,} samples, {_bytes(data.nbytes)}"
            yield Row.of(TRANSFERS, case, kind.name, "ms", [1e3 * seconds for seconds in timing.seconds])


def _pinned(cupy: Any, size: int) -> Any:
    return np.frombuffer(cupy.cuda.alloc_pinned_memory(size), np.uint8, size)


def _to(there: Any, host: Any, device: Any) -> None:
    there.set(host)
    device.synchronize()


def _from(there: Any, host: Any, device: Any) -> None:
    there.get(out=host)
    device.synchronize()


def _samples_to(cupy: Any, data: PackedSamples, device: Any) -> None:
    for array in vars(data).values():
        cupy.asarray(array)
    device.synchronize()


def _bytes(size: int) -> str:
    for unit, name in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= unit:
            return f"{size / unit:.4g} {name}"
    return f"{size} bytes"


def start(load: Load) -> Iterator[Row]:
    """Until an engine can run: the kernel compiled from nothing (once per machine), and an engine made and run once."""
    graph = merge(load.programs)
    case = f"{len(load.programs):,} programs"
    data = pack_samples(load.samples[:1])
    for kind in load.kinds():
        if len(kind.devices) == 1:
            yield from _compile_row(load, case, kind)
        made: list[Any] = []
        ready = repeated(partial(_make, kind, graph, made), load.runs, load.most_seconds)
        yield Row.of(START, case, kind.name, "s to be ready", ready.seconds, note=f"the first time {ready.first:.2f} s")
        firsts = [_seconds(partial(engine.run, data, complete=False, max_steps=load.max_steps)) for engine in made[1:]]
        yield Row.of(START, case, kind.name, "s of the first run", firsts, note="on one sample")


def _make(kind: EngineKind, graph: Graph, made: list[Any]) -> None:
    made.append(kind.make(graph))


def _compile_row(load: Load, case: str, kind: EngineKind) -> Iterator[Row]:
    """Compiling all kernels of the programs from nothing."""
    cupy = importlib.import_module("cupy")
    wanted = list(kernels_of(load.programs))
    with cupy.cuda.Device(kind.devices[0]) as device, tempfile.TemporaryDirectory() as folder:
        arch = int(device.compute_capability)
        with environment_of(ARCBATT_CACHE=folder, ARCBATT_CUBINS=""):
            seconds = _seconds(lambda: kernels.compiled(cupy.cuda.nvrtc, wanted, arch))
    version = ".".join(map(str, cupy.cuda.nvrtc.getVersion()))
    note = f"{len(wanted):,} kernels for sm_{arch}, NVRTC {version}; once, then kept on disk"
    yield Row.of(START, case, kind.name, "s to compile the kernels", [seconds], note=note)


@contextmanager
def environment_of(**variables: str) -> Iterator[None]:
    """With other values of environment variables."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name)
            if value is not None:
                os.environ[name] = value


def _seconds(run: Callable[[], Any]) -> float:
    begun = time.perf_counter()
    run()
    return time.perf_counter() - begun


def device_objects(load: Load, kind: EngineKind) -> Iterator[Row]:
    """Finding objects on a GPU, by mode: a store's grids to a store's objects, and host to host by a program."""
    data = pack_samples(load.samples)
    places = np.arange(_DEVICE_GRIDS) % len(data)
    many = replace(data, input=data.input[places], expected=data.expected[places], task=data.task[places])
    cupy = importlib.import_module("cupy")
    with cupy.cuda.Device(kind.devices[0]) as device:
        store = Store(cupy, heap_bytes=min(_STORE_BYTES, int(0.8 * cupy.cuda.runtime.memGetInfo()[0])))
        for mode in range(8):
            case = f"R{mode}, {len(data):,} inputs, {len(many):,} grids"
            rates = []
            for _ in range(load.runs + 1):
                store.clear()
                grids = store.put(GRID, [sample.I for sample in load.samples]).at(cupy.asarray(places))
                device.synchronize()
                begun = time.perf_counter()
                store.apply("o_g", grids, mode)
                device.synchronize()
                rates.append(len(many) / (time.perf_counter() - begun))
            note = "from a store's grids to a store's objects"
            yield Row.of("o_g", case, kind.name, "grids/s", rates[1:], note=note)
        del store
    for mode in range(8):
        case = f"R{mode}, {len(data):,} inputs, {len(many):,} grids"
        program = parse_text(f"def solve_a(I):\n    return size(o_g(I, R{mode}))\n").check()
        timing = Watched(kind.make(merge(program)), load.max_steps).timed(many, load.runs, load.most_seconds)
        whole = [len(many) / seconds for seconds in timing.seconds]
        yield Row.of("o_g", case, f"{kind.name}, host to host", "grids/s", whole, note="a program that counts them")


def crossover(load: Load) -> Iterator[Row]:
    """Ever bigger loads on every engine, where a GPU overtakes the CPU, and the latency of one task alone."""
    kinds = load.kinds()
    yield from _one_task(load, kinds)
    medians: dict[str, dict[int, float]] = {kind.name: {} for kind in kinds}
    for programs, samples in _loads(load):
        compiled, data = compile(programs), pack_samples(samples)
        count = len(programs) * len(samples)
        case = f"{len(programs):,} programs x {len(samples):,} samples"
        for kind in kinds:
            watched = Watched(kind.make(compiled), load.max_steps)
            timing = watched.timed(data, 2 * load.runs + 1, load.most_seconds)
            medians[kind.name][count] = statistics.median(timing.seconds)
            yield Row.of(CROSSOVER, case, kind.name, WHOLE, [1e3 * one for one in timing.seconds], x=count)
    slow = [medians[kind.name] for kind in kinds if not kind.devices]
    for kind in kinds:
        if kind.devices and slow:
            yield _overtaken(kind, medians[kind.name], slow)


def _overtaken(kind: EngineKind, own: dict[int, float], others: Sequence[dict[int, float]]) -> Row:
    """The load from which on a GPU is never slower than the best of the CPU's sides."""
    since: int | None = None
    for count in sorted(own, reverse=True):
        if own[count] > min(other[count] for other in others):
            break
        since = count
    if since is None:
        note = "nowhere: the CPU engine is faster on the greatest load, too"
        return Row.of(CROSSOVER, OVERTAKES, kind.name, "evaluations", [float(max(own))], note=note)
    return Row.of(CROSSOVER, OVERTAKES, kind.name, "evaluations", [float(since)], note="and on every greater load")


def _loads(load: Load) -> Iterator[tuple[list[Program], list[Any]]]:
    """From one program on one sample to everything."""
    whole, count = len(load.programs) * len(load.samples), 1
    while count < whole:
        programs = min(len(load.programs), count)
        yield spread(load.programs, programs), spread(load.samples, max(1, min(count // programs, len(load.samples))))
        count *= _STEP
    yield load.programs, load.samples


def _one_task(load: Load, kinds: Sequence[EngineKind]) -> Iterator[Row]:
    task = next((task for task in load.tasks if len(task.samples) == _TASK_SAMPLES), load.tasks[0])
    data, compiled = pack_samples(task.samples), compile(load.programs)
    case = f"{len(load.programs):,} programs x {len(data)} samples of task {task.id}"
    for kind in kinds:
        watched = Watched(kind.make(compiled), load.max_steps)
        timing = watched.timed(data, 2 * load.runs + 1, load.most_seconds)
        parts = list(watched.rows(LATENCY, case, kind.name, timing.seconds)) if kind.devices else []
        yield from parts or [Row.of(LATENCY, case, kind.name, WHOLE, [1e3 * seconds for seconds in timing.seconds])]
