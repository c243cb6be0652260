"""Calls from Python on a GPU: a graph of declared arguments by waves, over columns of a store.

Arguments go to the device as columns and values come back as words; what is between stays there, so a chain of calls
that is one graph moves nothing but its ends.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from arcbatt.compiler.abi import EMPTY_TUPLE, NOT_OF_TYPE, NOT_RUN, OK, OVERFLOW
from arcbatt.compiler.graph import Graph
from arcbatt.compiler.waves import Schedule
from arcbatt.engine import calls
from arcbatt.engine.cuda.compile import CompileError
from arcbatt.engine.cuda.device import cupy_module, device_count, device_errors, first_line
from arcbatt.engine.waves.heap import MOST_WORDS
from arcbatt.engine.waves.store import Store, StoreFullError, waves_of
from arcbatt.errors import UsageError
from arcbatt.language.limits import MAX_STEPS

HEAP_BYTES: Final = 1 << 30
"""Of the heap of a launch, at first; no more than a fraction of what is free."""
_BIGGER: Final = 4
"""How many times bigger the next heap is, for what did not fit."""
_LAUNCH_CALLS: Final = 1 << 16
"""Calls at a time at most, so that a stop is seen."""
_LEAST_CALLS: Final = 1 << 10
"""Where memory is short there are fewer at a time, but not fewer than this."""
_ROUNDS: Final = 8
"""How often calls that do not fit together are tried by fewer, before they are left to the CPU."""

Statuses = NDArray[np.uint8]
Row = tuple[Any, ...]


class CallEngine(calls.CallEngine):
    """As the CPU's, on one GPU. What does not fit there runs in a bigger heap, then on the CPU engine.

    A device that fails leaves the rest of the calls, and later ones, to the CPU engine, counted with why; so does a
    graph that has no schedule.
    """

    backend = "cuda"

    def __init__(
        self,
        graph: Graph,
        *,
        device: int = 0,
        threads: int | None = None,
        heap_bytes: int = HEAP_BYTES,
        memory_fraction: float = 0.8,
        max_steps: int = MAX_STEPS,
    ) -> None:
        count = device_count()
        if not 0 <= device < count:
            raise UsageError(f"no GPU number {device}: {count} are visible (see nvidia-smi)")
        self.device = device
        self.lost = ""
        """Why the device is not used any more."""
        self.heaps: list[int] = []
        """Of the last run, the bytes of each heap it had."""
        self._heap_bytes, self._fraction = heap_bytes, memory_fraction
        super().__init__(graph, threads=threads, max_steps=max_steps)
        self.waves: Schedule | None = None
        if self.problem is None:
            self.waves = waves_of(graph)
            self.lost = self.waves.left_out.get(calls.RESULT, "")

    def _many(self, given: list[Row], watch: Callable[[int], bool]) -> tuple[bytearray, list[Any], dict[str, int]]:
        """Statuses and values of the calls, and how many were computed elsewhere."""
        statuses = np.full(len(given), NOT_RUN, np.uint8)
        values: list[Any] = [None] * len(given)
        elsewhere: Counter[str] = Counter()
        self.heaps = []
        size, first = _LAUNCH_CALLS, 0
        cupy = cupy_module()
        failures: tuple[type[Exception], ...] = (CompileError, *device_errors())
        with cupy.cuda.Device(self.device):
            while first < len(given) and not watch(first):
                rows = given[first : first + size]
                found, made = np.full(len(rows), OVERFLOW, np.uint8), [None] * len(rows)
                try:
                    if not self.lost:
                        found, made = self._on_device(cupy, rows)
                except MemoryError:  # the device's too
                    cupy.get_default_memory_pool().free_all_blocks()
                    if size > _LEAST_CALLS:
                        size = max(size // 4, _LEAST_CALLS)
                        continue
                except failures as error:
                    self.lost = f"GPU {self.device} failed: {first_line(error)}"
                why = f"cpu: {self.lost}" if self.lost else "cpu"
                elsewhere[why] += self._short_on_cpu(found, made, rows)
                statuses[first : first + len(rows)] = found
                values[first : first + len(rows)] = made
                first += len(rows)
        statuses[statuses == EMPTY_TUPLE] = OK
        return bytearray(statuses.tobytes()), values, elsewhere

    def _on_device(self, cupy: Any, rows: list[Row]) -> tuple[Statuses, list[Any]]:
        """Statuses and values of some calls; OVERFLOW where they fit neither together nor by fewer."""
        statuses = np.full(len(rows), OVERFLOW, np.uint8)
        values: list[Any] = [None] * len(rows)
        left, size, rounds = np.arange(len(rows)), len(rows), 0
        while len(left) and rounds < _ROUNDS:
            most = min(self._free(cupy), 4 * MOST_WORDS)
            heap_bytes = min(self._heap_bytes, most)
            self.heaps.append(heap_bytes)
            some = left[:size]
            found, made = self._called(cupy, heap_bytes, [rows[place] for place in some])
            statuses[some] = found
            for place, value in zip(some.tolist(), made, strict=True):
                values[place] = value
            short = some[found == OVERFLOW]
            left = np.concatenate([short, left[size:]])
            if not len(short):
                continue
            if heap_bytes < most:
                self._heap_bytes = _BIGGER * heap_bytes
            else:
                rounds += 1
                size = max(1, len(short) // 4) if len(short) == len(some) else len(short)
        return statuses, values

    def _called(self, cupy: Any, heap_bytes: int, rows: list[Row]) -> tuple[Statuses, list[Any]]:
        """Some calls in a heap of their own."""
        assert self.waves is not None
        store = Store(cupy, heap_bytes=heap_bytes, max_steps=self.max_steps)
        names = [self.names[place] for place in self._used]
        statuses = np.full(len(rows), OVERFLOW, np.uint8)
        values: list[Any] = [None] * len(rows)
        try:
            columns, fits = store.put_calls(self.forms, [self.graph.declared[name] for name in names], rows)
            statuses[~fits] = NOT_OF_TYPE
            if fits.any():
                found = store.run(self.waves, dict(zip(names, columns, strict=True)), int(fits.sum()))
                taken = store.taken(found)
                statuses[fits] = taken.statuses
                for place, value in zip(np.flatnonzero(fits).tolist(), taken.values(self.forms), strict=True):
                    values[place] = value
        except StoreFullError:
            statuses[statuses == OK] = OVERFLOW
        return statuses, values

    def _free(self, cupy: Any) -> int:
        """Bytes that a heap may take."""
        pool = cupy.get_default_memory_pool()
        free = int(cupy.cuda.runtime.memGetInfo()[0]) + int(pool.free_bytes())
        limit = int(pool.get_limit())
        return int(self._fraction * (min(free, limit - int(pool.used_bytes())) if limit else free))

    def _short_on_cpu(self, statuses: Statuses, values: list[Any], rows: list[Row]) -> int:
        """Have the CPU engine do what fitted nowhere; how many that were."""
        short = np.flatnonzero(statuses == OVERFLOW).tolist()
        if not short:
            return 0
        found, made = self.forms.many([rows[place] for place in short], self.threads, lambda _: False)
        for place, status, value in zip(short, found, made, strict=True):
            statuses[place], values[place] = status, value
        return len(short)
