"""Waves on a GPU, measured: calls a second by operation and width, and of a whole schedule; values compared.

    python -m arcbatt.devtools.bench.waves --solvers FILE [--times 1 8] [--out FOLDER]

Every value of every wave is compared with the CPU engine's, by status and hash. `--out` gets the tables as JSON.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import statistics
import time
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from arcbatt.compiler import abi
from arcbatt.compiler.lower.shapes import shape_of
from arcbatt.compiler.program_set import compile
from arcbatt.compiler.wave_kernels import WaveKernel
from arcbatt.compiler.waves import Schedule, schedule
from arcbatt.data.packing import PackedSamples, pack_samples
from arcbatt.data.tasks import load_tasks
from arcbatt.devtools.bench.wave_profile import profile
from arcbatt.engine.cpu import ARENA_BYTES, MOST_ARENA_BYTES, loaded, run_limits
from arcbatt.engine.cuda.compile import LANES
from arcbatt.engine.waves import kernels
from arcbatt.engine.waves.plan import calls
from arcbatt.engine.waves.runner import Looked, WaveRunner, by_size
from arcbatt.engine.waves.store import Store
from arcbatt.language.limits import MAX_STEPS
from arcbatt.language.types import GRID
from arcbatt.solvers import library
from arcbatt.syntax.parser import parse_file

_RUNS: Final = 15


def cpu_values(
    plan: Schedule, data: PackedSamples, *, threads: int, max_steps: int = MAX_STEPS, core: Any = None
) -> Looked:
    """Statuses and hashes of every slot of a schedule, in the order of `Schedule.slots`, by the CPU engine."""
    core = core or importlib.import_module("arcbatt._core")
    slots = list(plan.slots())
    code = replace(plan.code, outputs={str(slot): (slot, kind) for slot, kind in slots})
    shapes = [shape_of(kind) for _, kind in slots]
    rows, columns = len(data), len(slots)
    found = Looked(np.zeros((rows, columns), np.uint8), np.zeros((rows, columns), np.uint64))
    core.run(
        loaded(core, code, tuple(code.inputs.get(name, 0) for name in ("I", "S", "C"))),
        core.packed({name: getattr(data, name) for name in abi.PACKED.names}),
        limits=run_limits(core, code, ARENA_BYTES, MOST_ARENA_BYTES, max_steps),
        threads=threads,
        largest=0,
        outputs={
            "columns": np.arange(columns, dtype=np.uint32),
            "shapes": np.array([word for shape in shapes for word in shape], np.uint32),
            "starts": np.cumsum([0, *map(len, shapes)]).astype(np.uint32),
        },
        results={
            "statuses": found.statuses,
            "matches": np.zeros((rows, columns), np.uint8),
            "agreement": np.zeros((rows, columns), np.uint16),
            "hashes": found.hashes,
            "offset": np.zeros((0, columns), np.int64),
            "height": np.zeros((0, columns), np.int32),
            "width": np.zeros((0, columns), np.int32),
            "done": np.zeros(rows, np.uint8),
        },
        watch=lambda _: False,
    )
    return Looked(found.statuses.T, found.hashes.T)


def differences(a: Looked, b: Looked) -> NDArray[np.int64]:
    """Rows and columns of values that differ by status or hash."""
    return np.argwhere((a.statuses != b.statuses) | (a.hashes != b.hashes))


def replayed(runner: WaveRunner, data: PackedSamples) -> dict[str, float]:
    """The whole schedule as a graph, several times: medians in milliseconds."""
    cupy, times, whole = runner.cupy, [], []
    with runner.stream:
        plan = runner.prepare(data)
        start = time.perf_counter()
        plan.replay(runner.stream)
        runner.stream.synchronize()
        first = time.perf_counter() - start
        for _ in range(_RUNS):
            begun = time.perf_counter()
            runner.heap.begin()
            runner.place_inputs()
            before, after = cupy.cuda.Event(), cupy.cuda.Event()
            before.record()
            plan.replay(runner.stream)
            after.record()
            runner.stream.synchronize()
            whole.append(1e3 * (time.perf_counter() - begun))
            times.append(cupy.cuda.get_elapsed_time(before, after))
        over, used = runner.heap.over(), int(runner.heap.top[0])
        number = calls(runner.schedule.waves, plan.counts())
    middle = statistics.median(times)
    return {
        "calls": number, "waves": len(runner.schedule.waves), "first_ms": 1e3 * first, "ms": middle,
        "least_ms": min(times), "most_ms": max(times), "with_inputs_ms": statistics.median(whole),
        "million_calls_a_second": number / middle / 1e3, "us_a_wave": 1e3 * middle / len(runner.schedule.waves),
        "heap_gb": 4e-9 * used, "over": over,
    }  # fmt: skip


class Bench:
    """What is measured, and where it goes."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.cupy: Any = importlib.import_module("cupy")
        self.out: Path = arguments.out
        self.heap_bytes = int(arguments.heap_gb * 1e9)
        programs = parse_file(arguments.solvers).programs if arguments.solvers else library()
        self.schedule = schedule(compile(programs).typed)
        self.samples = [sample for task in load_tasks("arcagi") for sample in task.samples]
        if arguments.samples:
            self.samples = self.samples[: arguments.samples]
        self.kernels = list(dict.fromkeys(wave.kernel for wave in self.schedule.waves))
        self.chosen = {kernel: kernels.width(kernel) for kernel in self.kernels}
        self.results: dict[str, Any] = {}

    def runner(self, widths: dict[WaveKernel, int], lines: int, beside: int = 1) -> WaveRunner:
        """A runner of the schedule, one of so many."""
        size = self.heap_bytes // beside
        return WaveRunner(self.cupy, self.schedule, heap_bytes=size, lines=lines, widths=widths)

    def _data(self, times: int) -> PackedSamples:
        data = pack_samples(self.samples * times)
        return data.only(by_size(data))

    def compile(self) -> None:
        """Both widths of every kernel."""
        wanted = [kernels.options(kernel, width) for kernel in self.kernels for width in kernels.WIDTHS]
        start = time.perf_counter()
        arch = int(self.cupy.cuda.Device().compute_capability)
        paths = kernels.compiled(self.cupy.cuda.nvrtc, wanted, arch)
        took = time.perf_counter() - start
        size = sum(path.stat().st_size for path in paths.values())
        print(f"{len(wanted)} kernels in {took:.1f} s on {os.cpu_count()} cores, {size / 1e6:.1f} MB", flush=True)
        self.results["compile"] = {"kernels": len(wanted), "seconds": took, "bytes": size}

    def widths(self, times: int) -> None:
        """Calls a second by kernel in both widths."""
        data = self._data(times)
        found = {}
        for width in kernels.WIDTHS:
            runner = self.runner(dict.fromkeys(self.kernels, width), 1)
            timed = profile(runner, data)
            found[width] = timed.kernels
            if width == LANES:
                print("\n".join(timed.lines(12)), flush=True)
            del runner
            self.cupy.get_default_memory_pool().free_all_blocks()
        rows = []
        for kernel in self.kernels:
            thread, warp = found[1][kernel], found[LANES][kernel]
            rows.append((kernel.name, thread.calls, thread.launches, thread.rate, warp.rate))
        rows.sort(key=lambda row: -row[1] / max(row[3], row[4]))
        self.results[f"kernels x{times}"] = rows
        print(f"{'million calls/s on ' + str(len(data)):60} {'calls':>9} launches   thread     warp")
        for name, number, launches, thread_rate, warp_rate in rows[:60]:
            print(f"{name[:60]:60} {number:9} {launches:8} {thread_rate:8.1f} {warp_rate:8.1f}", flush=True)
        for width in kernels.WIDTHS:
            total = sum(one.milliseconds for one in found[width].values())
            print(f"all with width {width}: {total:.2f} ms")
        best = sum(min(found[width][kernel].milliseconds for width in kernels.WIDTHS) for kernel in self.kernels)
        chosen = sum(found[width][kernel].milliseconds for kernel, width in self.chosen.items())
        print(f"all, each in its better width: {best:.2f} ms, as chosen {chosen:.2f} ms", flush=True)

    def mix(self, times: int, lines: int) -> None:
        """The whole schedule as a graph."""
        data = self._data(times)
        runner = self.runner(self.chosen, lines)
        found = replayed(runner, data)
        self.results[f"mix x{times} lines {lines}"] = found
        print(
            f"mix on {len(data)}, {lines} at a time: {found['million_calls_a_second']:.0f} million calls/s, "
            f"{found['calls']} calls in {found['ms']:.2f} ms ({found['least_ms']:.2f} to {found['most_ms']:.2f}), "
            f"{found['us_a_wave']:.2f} us a wave of {found['waves']}, with inputs {found['with_inputs_ms']:.2f} ms, "
            f"first {found['first_ms']:.0f} ms, heap {found['heap_gb']:.2f} GB, over {found['over']}",
            flush=True,
        )
        del runner
        self.cupy.get_default_memory_pool().free_all_blocks()

    def in_flight(self, times: int, batches: int, lines: int) -> None:
        """Several batches at a time, each with memory of its own."""
        data = self._data(times)
        runners = [self.runner(self.chosen, lines, batches) for _ in range(batches)]
        took = []
        for _ in range(_RUNS):
            for runner in runners:
                with runner.stream:
                    runner.prepare(data)
            self._synchronize()
            start = time.perf_counter()
            for runner in runners:
                assert runner.plan is not None
                runner.plan.replay(runner.stream)
            self._synchronize()
            took.append(1e3 * (time.perf_counter() - start))
        first = runners[0].plan
        assert first is not None
        number = batches * calls(self.schedule.waves, first.counts())
        middle = statistics.median(took[1:])
        over = any(runner.heap.over() for runner in runners)
        rate = number / middle / 1e3
        self.results[f"in flight x{times} batches {batches}"] = {"ms": middle, "million_calls_a_second": rate}
        print(
            f"{batches} batches of {len(data)} in flight: {rate:.0f} million calls/s, {middle:.2f} ms "
            f"({min(took[1:]):.2f} to {max(took[1:]):.2f}), over {over}",
            flush=True,
        )
        del runners
        self.cupy.get_default_memory_pool().free_all_blocks()

    def equal(self, times: int) -> None:
        """Every value against the CPU engine's, in the chosen widths and each in the other."""
        slots = list(self.schedule.slots())
        start = time.perf_counter()
        expected = cpu_values(self.schedule, pack_samples(self.samples), threads=os.cpu_count() or 1)
        print(f"CPU: {expected.statuses.size} values in {time.perf_counter() - start:.2f} s", flush=True)
        expected = Looked(np.tile(expected.statuses, times), np.tile(expected.hashes, times))
        data = pack_samples(self.samples * times)
        other = {kernel: LANES + 1 - width for kernel, width in self.chosen.items()}
        for what, widths in (("chosen", self.chosen), ("other", other)):
            found = self.runner(widths, 16).run(data, slots)
            wrong = differences(found, expected)
            print(f"equality, {what} widths: {len(wrong)} of {found.statuses.size} values differ", flush=True)
            self.results[f"equality {what} x{times}"] = [len(wrong), int(found.statuses.size)]
            self._show(wrong, found, expected)
            self.cupy.get_default_memory_pool().free_all_blocks()

    def store(self, times: int) -> None:
        """Operations over a column of the training inputs, taken so many times, from call to result there."""
        store = Store(self.cupy, heap_bytes=self.heap_bytes)
        grids = store.put(GRID, [sample.I for sample in self.samples])
        many = grids.at(self.cupy.asarray(np.tile(np.arange(len(grids)), times)))
        steps: list[tuple[str, tuple[Any, ...]]] = [("o_g", (mode,)) for mode in range(8)]
        steps += [("hmirror", ()), ("replace", (0, 3)), ("height", ()), ("ofcolor", (1,))]
        for op, rest in steps:
            store.apply(op, grids, *rest)
            self._synchronize()
            start = time.perf_counter()
            found = store.apply(op, many, *rest)
            self._synchronize()
            took = time.perf_counter() - start
            rate = len(many) / took / 1e6
            self.results[f"store {op} {rest}"] = rate
            print(f"store: {op}{rest} of {len(many)}: {rate:.0f} million calls/s", flush=True)
        store.distinct(grids)  # CuPy compiles what it needs for that
        for column, what in ((found, "the last"), (many, "the grids")):
            start = time.perf_counter()
            kept = store.distinct(column)
            self._synchronize()
            took = time.perf_counter() - start
            print(f"store: distinct of {what}: {len(kept)} of {len(column)} in {1e3 * took:.1f} ms", flush=True)
        print(f"store: {4e-9 * int(store.heap.top[0]):.1f} GB, full {store.full}", flush=True)

    def _synchronize(self) -> None:
        self.cupy.cuda.Device().synchronize()

    def _show(self, wrong: NDArray[np.int64], found: Looked, expected: Looked) -> None:
        nodes = list(self.schedule.nodes())
        for row in list(dict.fromkeys(wrong[:, 0].tolist()))[:12]:
            columns = wrong[wrong[:, 0] == row][:, 1]
            at = int(columns[0])
            wave, node = nodes[row]
            place = f"{wave.kernel.name} slot {node.result} level {wave.level}"
            statuses = f"status {found.statuses[row, at]} for {expected.statuses[row, at]}"
            print(f"  {place}: {len(columns)} differ, first at {at}: {statuses}", flush=True)

    def save(self) -> None:
        """Tables as JSON."""
        self.out.mkdir(parents=True, exist_ok=True)
        (self.out / "waves.json").write_text(json.dumps(self.results, indent=1, default=str), encoding="utf-8")


def main() -> None:
    """Measure, compare, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--solvers", type=Path)
    parser.add_argument("--times", type=int, nargs="+", default=[1, 8], help="how often the training inputs are taken")
    parser.add_argument("--lines", type=int, nargs="+", default=[1, 8, 16, 32], help="waves at the same time")
    parser.add_argument("--samples", type=int, default=0, help="of the training inputs; 0 for all")
    parser.add_argument("--store-times", type=int, default=800, help="the same for the store")
    parser.add_argument("--heap-gb", type=float, default=17.0)
    parser.add_argument("--out", type=Path, default=Path("build/waves-bench"))
    options = parser.parse_args()
    bench = Bench(options)
    steps: list[tuple[Any, ...]] = [(bench.compile,), (bench.widths, max(options.times))]
    steps += [(bench.mix, times, lines) for times in options.times for lines in options.lines]
    steps += [(bench.in_flight, min(options.times), batches, 16) for batches in (2, 4)]
    steps += [(bench.equal, max(options.times)), (bench.widths, min(options.times)), (bench.store, options.store_times)]
    try:
        for step, *given in steps:
            step(*given)
    finally:
        bench.save()


if __name__ == "__main__":
    main()
