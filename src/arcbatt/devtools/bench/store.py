"""The store on a GPU, measured: objects by mode, calls a second by operation and width, calls from Python.

    python -m arcbatt.devtools.bench.store [--times 200] [--seconds 60] [--out FOLDER]

Values are training inputs and what operations make of them. `o_g` is measured from call to result there, operations by
the time of the launch.
"""

from __future__ import annotations

import argparse
import importlib
import json
import random
import statistics
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np

from arcbatt.calls.handles import Batch
from arcbatt.compiler.graph import Graph
from arcbatt.compiler.waves import Schedule
from arcbatt.data.tasks import load_tasks
from arcbatt.engine.calls import RESULT
from arcbatt.engine.waves import kernels
from arcbatt.engine.waves.plan import MANY_CALLS, Functions, Plan
from arcbatt.engine.waves.runner import load
from arcbatt.engine.waves.store import Column, Store, waves_of
from arcbatt.language.spec import Kind
from arcbatt.language.table import STANDARD
from arcbatt.language.types import BOOL, GRID, IJ, INDICES, INT, OBJECT, OBJECTS, Rule, Type

_RUNS: Final = 5
_MORE: Final = 4
"""Times as many grids for objects as calls of an operation."""
_WAYS: Final = ((1, 1 << 62), (kernels.WIDTHS[-1], 1 << 62), (kernels.WIDTHS[-1], MANY_CALLS))
"""Of waves: their width, and the calls from which on small ones are a thread's."""
_FIRST: Final = (
    "height", "shape", "ulcorner", "add", "subgrid", "crop", "shift", "replace", "ofcolor", "hconcat", "hmirror",
    "rot90", "tophalf", "fill", "paint", "toindices", "recolor", "palette", "mostcolor", "size", "first", "fgpartition",
    "upscale", "asindices", "colorcount", "objects", "o_g", "cmirror", "normalize", "underfill",
)  # fmt: skip
"""Operations that are measured before the others."""


class StoreBench:
    """What is measured, and where it goes."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.cupy: Any = importlib.import_module("cupy")
        self.heap_bytes, self.times = int(options.heap_gb * 1e9), options.times
        self.until = time.perf_counter() + options.seconds
        self.inputs = [sample.I for task in load_tasks("arcagi") for sample in task.samples]
        self.store = Store(self.cupy, heap_bytes=self.heap_bytes)
        self.results: dict[str, Any] = {}

    def many(self, column: Column, more: int = 1) -> Column:
        """A column over and over."""
        return column.at(self.cupy.asarray(np.tile(np.arange(len(column)), self.times * more)))

    def objects(self) -> None:
        """Objects by mode."""
        for mode in range(8):
            rates = list(self._rates(mode))
            self.results[f"o_g {mode}"] = rates
            told = f"{statistics.median(rates):.0f} ({min(rates):.0f} to {max(rates):.0f})"
            print(f"o_g mode {mode}: {told} million grids/s", flush=True)

    def _rates(self, mode: int) -> Iterator[float]:
        """Millions of grids a second, of several calls."""
        store = self.store
        for run in range(_RUNS + 1):
            store.clear()
            many = self.many(store.put(GRID, self.inputs), _MORE)
            self.cupy.cuda.Device().synchronize()
            start = time.perf_counter()
            found = store.apply("o_g", many, mode)
            self.cupy.cuda.Device().synchronize()
            seconds = time.perf_counter() - start
            assert not store.full
            if run:
                yield len(found) / seconds / 1e6

    # --- operations ---

    def columns(self) -> dict[Type, Column]:
        """A column of each type that arguments are taken from."""
        store, draw = self.store, random.Random(1)
        store.clear()
        grids = store.put(GRID, self.inputs)
        found = {GRID: grids, OBJECTS: store.apply("o_g", grids, 5)}
        found[OBJECT] = store.apply("first", found[OBJECTS])
        found[INDICES] = store.apply("toindices", found[OBJECT])
        count = len(grids)
        found[INT] = store.put(INT, [draw.randint(0, 4) for _ in range(count)])
        found[BOOL] = store.put(BOOL, [draw.random() < 0.5 for _ in range(count)])
        found[IJ] = store.put(IJ, [(draw.randint(0, 4), draw.randint(0, 4)) for _ in range(count)])
        return {kind: self.many(column) for kind, column in found.items()}

    def schedules(self) -> dict[str, tuple[Rule, Schedule]]:
        """Of each primitive over such columns the waves of its first rule, those of most interest first."""
        kinds = {GRID, OBJECTS, OBJECT, INDICES, INT, BOOL, IJ}
        found = {}
        for name in dict.fromkeys([*_FIRST, *STANDARD.ops]):
            spec = STANDARD.ops.get(name)
            rules = [rule for rule in spec.rules if set(rule.params) <= kinds] if spec else []
            if spec is None or spec.kind is not Kind.PLAIN or not rules:
                continue
            graph = Graph()
            nodes = [graph.declare(f"A{place}", kind) for place, kind in enumerate(rules[0].params)]
            graph.outputs[RESULT] = graph.add(name, tuple(nodes))
            plan = waves_of(graph)
            if RESULT not in plan.left_out and len(plan.waves) == 1:
                found[name] = rules[0], plan
        return found

    def operations(self, most: int) -> None:
        """Calls a second in both widths."""
        chosen = dict(list(self.schedules().items())[:most])
        every = [wave.kernel for _, plan in chosen.values() for wave in plan.waves]
        start = time.perf_counter()
        loaded = {width: load(self.cupy, dict.fromkeys(every, width)) for width in kernels.WIDTHS}
        print(f"{2 * len(every)} kernels in {time.perf_counter() - start:.1f} s", flush=True)
        print(f"{'million calls/s':50} {'calls':>9}   thread     warp  by size  chosen")
        for name, (rule, plan) in chosen.items():
            if time.perf_counter() > self.until:
                print("out of time", flush=True)
                return
            columns = self.columns()
            given = [columns[kind] for kind in rule.params]
            rates = [len(given[0]) / seconds / 1e6 for seconds in self._widths(plan, given, loaded)]
            width = kernels.width(plan.waves[0].kernel)
            self.results[f"operation {name}"] = [str(rule), len(given[0]), *rates, width]
            text = f"{name}: {rule}"[:50]
            over = "  did not fit" if self.store.full else ""
            numbers = " ".join(f"{rate:8.1f}" for rate in rates) + " " * 9 * (len(_WAYS) - len(rates))
            print(f"{text:50} {len(given[0]):9} {numbers}  {width:6}{over}", flush=True)

    def _widths(self, plan: Schedule, given: list[Column], loaded: Mapping[int, Functions]) -> Iterator[float]:
        """Seconds of a wave by the device's clock: in each width, and with small calls left to threads."""
        cupy, heap = self.cupy, self.store.heap
        inputs = plan.code.inputs
        places = {inputs[f"A{at}"]: column.place for at, column in enumerate(given) if f"A{at}" in inputs}
        few = any(kernels.has_few(wave.kernel) for wave in plan.waves)
        for width, many_calls in _WAYS if few else _WAYS[:-1]:
            times = []
            for _ in range(3):
                begin = -(-int(heap.top[0]) // 64) * 64
                laid = Plan(
                    plan,
                    heap,
                    loaded[width],
                    samples=len(given[0]),
                    max_steps=1 << 62,
                    given=places,
                    begin=begin,
                    many_calls=many_calls,
                )
                heap.top[0] = -(-laid.used // 64) * 64
                before, after = cupy.cuda.Event(), cupy.cuda.Event()
                before.record()
                laid.launch()
                after.record()
                after.synchronize()
                times.append(1e-3 * cupy.cuda.get_elapsed_time(before, after))
            yield min(times[1:])

    # --- calls from Python ---

    def calls(self) -> None:
        """Calls from Python values to Python values, on the GPU and on the CPU engine; they are compared."""
        grids = self.inputs * 8
        found = {}
        for backend in ("cuda", "cpu"):
            times = []
            for _ in range(3):
                start = time.perf_counter()
                found[backend] = Batch(grids, backend=backend).o_g(5).size().values()
                times.append(time.perf_counter() - start)
            rate = len(grids) / min(times) / 1e3
            self.results[f"calls {backend}"] = rate
            print(
                f"size of o_g of {len(grids)} grids, {backend}: {rate:.0f} thousand/s, {found[backend].ran}", flush=True
            )
        print(f"the same: {list(found['cuda']) == list(found['cpu'])}", flush=True)

    def save(self, out: Path) -> None:
        """Tables as JSON."""
        out.mkdir(parents=True, exist_ok=True)
        (out / "store.json").write_text(json.dumps(self.results, indent=1, default=str), encoding="utf-8")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=200, help="how often the training inputs are taken")
    parser.add_argument("--seconds", type=float, default=60, help="after which no further operation is measured")
    parser.add_argument("--operations", type=int, default=1000, help="at most")
    parser.add_argument("--heap-gb", type=float, default=17.0)
    parser.add_argument("--out", type=Path, default=Path("build/store-bench"))
    options = parser.parse_args()
    bench = StoreBench(options)
    try:
        bench.objects()
        bench.calls()
        bench.operations(options.operations)
    finally:
        bench.save(options.out)


if __name__ == "__main__":
    main()
