"""Measure batches from Python, on the reference, the CPU engine and the GPU where there is one.

    python benchmarks/batches.py                      print the tables
    python benchmarks/batches.py --page docs/gpu.md   and put them in the page, between their marks

Every figure is the median of five runs after a warm-up, results compared with the reference's on the way.
"""

from __future__ import annotations

import argparse
import importlib
import os
import random
import re
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from machine import describe

from arcbatt import documents
from arcbatt.calls.many import engine_for
from arcbatt.dsl import compose, o_g, rbind, rot90, size
from arcbatt.engine.choose import why_no_gpu

COUNTS = (10, 20, 50, 100, 1_000, 10_000)
SIDES = (10, 20, 30)
RUNS = 5
MOST_SECONDS = 20.0
OPERATIONS: dict[str, Any] = {
    "`rot90`": rot90,
    "size of `o_g(grid, 5)`": compose(size, rbind(o_g, 5)),
    "`lambda grid: grid + 1`": lambda grid: grid + 1,
}


def grids_of(count: int, side: int) -> list[tuple[tuple[int, ...], ...]]:
    """Grids of one shape, half of the cells background."""
    draw = random.Random(f"{count} {side}")
    return [
        tuple(tuple(draw.choice((0, 0, 0, 1, 2, 3)) for _ in range(side)) for _ in range(side)) for _ in range(count)
    ]


def median_seconds(run: Callable[[], Any], runs: int = RUNS) -> float:
    """The median of runs after a warm-up; fewer where they are long."""
    run()
    taken: list[float] = []
    while len(taken) < runs and (not taken or sum(taken) < MOST_SECONDS):
        start = time.perf_counter()
        run()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def batches(backends: Sequence[str], counts: Sequence[int] = COUNTS, side: int = 20) -> Iterator[str]:
    """Milliseconds of one operation on so many grids, and how many times faster than Python each engine is."""
    names = {"python": "Python", "cpu": "CPU engine", "cuda": "GPU"}
    engines = [name for name in backends if name != "python"]
    yield f"| operation, {side}x{side} | grids | {' | '.join(f'{names[name]} (ms)' for name in backends)} | " + (
        " | ".join(f"{names[name]} against Python" for name in engines) + " |"
    )
    yield "|---" * (2 + len(backends) + len(engines)) + "|"
    for label, operation in OPERATIONS.items():
        for count in counts:
            grids = grids_of(count, side)
            want = documents.batch_grid_operations(grids, operation, backend="python", vectorized=False)
            taken: dict[str, float] = {}
            for backend in backends:
                stacked = False if backend == "python" else None
                run = partial(documents.batch_grid_operations, grids, operation, backend=backend, vectorized=stacked)
                if run() != want:
                    raise SystemExit(f"{label} of {count} grids differs on {backend}")
                taken[backend] = median_seconds(run)
            times = " | ".join(f"{1e3 * taken[name]:.2f}" for name in backends)
            gains = " | ".join(f"{taken['python'] / taken[name]:.1f}x" for name in engines)
            yield f"| {label} | {count:,} | {times} | {gains} |"


def memory(backends: Sequence[str], count: int = 10_000) -> Iterator[str]:
    """What CuPy held on the GPU after a batch of grids of a size, and what was given back."""
    if "cuda" not in backends:
        yield "There is no GPU here."
        return
    pool = importlib.import_module("cupy").get_default_memory_pool()
    yield f"| `rot90` of {count:,} grids of | held after it (MiB) | held after `free_all_blocks` (MiB) |"
    yield "|---|---|---|"
    for side in SIDES:
        pool.free_all_blocks()
        documents.batch_grid_operations(grids_of(count, side), rot90, backend="cuda")
        held = pool.total_bytes()
        pool.free_all_blocks()
        yield f"| {side}x{side} | {held / 2**20:.1f} | {pool.total_bytes() / 2**20:.1f} |"


def start(backends: Sequence[str]) -> Iterator[str]:
    """Seconds until the first result: from nothing, and with the kernel kept."""
    yield "| first result of `rot90` | seconds |"
    yield "|---|---|"
    grid = grids_of(1, 20)

    def first(backend: str) -> float:
        engine_for.cache_clear()
        begun = time.perf_counter()
        documents.batch_grid_operations(grid, rot90, backend=backend)
        return time.perf_counter() - begun

    yield f"| CPU engine | {first('cpu'):.4f} |"
    if "cuda" not in backends:
        return
    before = os.environ.get("ARCBATT_CACHE")
    function = importlib.import_module("arcbatt.engine.cuda.calls")._function
    with tempfile.TemporaryDirectory() as empty:
        os.environ["ARCBATT_CACHE"] = empty
        try:
            for label in ("GPU, the kernel compiled", "GPU, the kernel kept on disk"):
                function.cache_clear()
                yield f"| {label} | {first('cuda'):.2f} |"
        finally:
            os.environ.pop("ARCBATT_CACHE")
            if before is not None:
                os.environ["ARCBATT_CACHE"] = before
    yield f"| GPU, the kernel in use already | {first('cuda'):.4f} |"


TABLES: dict[str, Callable[[Sequence[str]], Iterator[str]]] = {"batches": batches, "memory": memory, "start": start}


def filled(page: str, name: str, lines: Sequence[str]) -> str:
    """A page with a table between its marks."""
    mark = re.compile(rf"(<!-- measured: {name} -->\n).*?(<!-- end -->)", re.DOTALL)
    if not mark.search(page):
        raise SystemExit(f"the page has no place for {name}")
    return mark.sub(lambda found: found[1] + "\n".join(lines) + "\n" + found[2], page)


def main() -> None:
    """Measure, print, and write where that was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--page", type=Path)
    page: Path | None = parser.parse_args().page
    backends = ["python", "cpu", *(["cuda"] if why_no_gpu() is None else [])]
    text = page.read_text(encoding="utf-8") if page else ""
    for name, table in TABLES.items():
        lines = [f"{describe(gpu='cuda' in backends)}.", "", *table(backends)]
        print("\n".join(lines), end="\n\n", flush=True)
        if page:
            text = filled(text, name, lines)
    if page:
        page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
