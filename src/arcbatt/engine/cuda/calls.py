"""The GPU engine on calls: one graph of declared arguments, called many times in one launch.

Arguments go to the device as packed words and values come back as such; what is between stays there, so a chain of
calls that is one graph moves nothing but its ends.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import zip_longest
from typing import Any, Final

import cupy
import numpy as np
from numpy.typing import NDArray

from arcbatt.compiler.abi import (
    CALL_LAUNCH,
    CALLED_ARGUMENT,
    CALLED_PROGRAM,
    EMPTY_TUPLE,
    NOT_OF_TYPE,
    NOT_RUN,
    OK,
    OVERFLOW,
    POOL_UNIT,
    TYPE_DESC,
)
from arcbatt.compiler.custom import device_text
from arcbatt.compiler.graph import Graph
from arcbatt.compiler.lower.lower import Code
from arcbatt.compiler.lower.shapes import typed_shape
from arcbatt.engine import calls
from arcbatt.engine.cuda.compile import ARENA_BYTES, KernelOptions, cubin
from arcbatt.engine.cuda.engine import device_errors, first_line
from arcbatt.engine.cuda.launch import address
from arcbatt.engine.custom_build import graph_sources
from arcbatt.errors import UsageError
from arcbatt.language.limits import MAX_STEPS
from arcbatt.language.types import Type

HEADER: Final = "cuda/calls.h"
ENTRY: Final = "arcbatt_call"
_TIER: Final = 16
"""How many times bigger the next tier's arenas are."""
_MOST_WORDS: Final = 1 << 28
"""The biggest arena on the device."""
_LAUNCH_CALLS: Final = 1 << 16
"""Calls a launch at most, so that a stop is seen."""
_LEAST_CALLS: Final = 1 << 10
"""Where memory is short, launches get fewer calls, but not fewer than this."""
_POOL_WORDS: Final = 1 << 16

Words = NDArray[np.uint32]


@lru_cache(maxsize=64)
def _function(options: KernelOptions, device: int) -> Any:
    """The kernel for calls on a device, compiled if it is not kept yet. Call it with the device as the current one."""
    path = cubin(cupy.cuda.nvrtc, options, int(cupy.cuda.Device(device).compute_capability))
    return cupy.RawModule(path=str(path)).get_function(ENTRY)


class CallEngine(calls.CallEngine):
    """As the CPU's, on one GPU. What does not fit there runs in bigger arenas, then on the CPU engine.

    A device that fails leaves the rest of the calls, and later ones, to the CPU engine, counted with why.
    """

    backend = "cuda"

    def __init__(
        self,
        graph: Graph,
        *,
        device: int = 0,
        threads: int | None = None,
        arena_bytes: int = ARENA_BYTES,
        memory_fraction: float = 0.8,
        max_steps: int = MAX_STEPS,
        kernel: KernelOptions | None = None,
    ) -> None:
        count = int(cupy.cuda.runtime.getDeviceCount())
        if not 0 <= device < count:
            raise UsageError(f"no GPU number {device}: {count} are visible (see nvidia-smi)")
        self.device = device
        self.memory_fraction = memory_fraction
        self.kernel = replace(kernel or KernelOptions(), header=HEADER, custom=device_text(graph_sources(graph)))
        self.lost = ""
        """Why the device is not used any more."""
        self.tiers: list[int] = []
        """Of the last run, calls that went to the second tier, the third, ..."""
        self._arena_words = arena_bytes // 4
        super().__init__(graph, threads=threads, max_steps=max_steps)
        if self.problem is not None:
            return
        with cupy.cuda.Device(device) as current:
            options = self.kernel
            resident = int(current.attributes["MultiProcessorCount"]) * options.blocks
            self._groups = resident * self._a_block
            self._launched = _function(options, device)

    @property
    def _a_block(self) -> int:
        """Groups of lanes in a block."""
        return self.kernel.groups

    def _loaded(self, code: Code, used: Sequence[str], kind: Type) -> None:
        super()._loaded(code, used, kind)
        words, table = blob_of(code, [(code.inputs[name], self.graph.declared[name]) for name in used], kind)
        self._arena_words = max(self._arena_words, len(code.image) + 4096)
        with cupy.cuda.Device(self.device):
            self._blob, self._table = cupy.asarray(words), cupy.asarray(table)

    def _many(
        self, given: list[tuple[Any, ...]], watch: Callable[[int], bool]
    ) -> tuple[bytearray, list[Any], dict[str, int]]:
        """Statuses and values of the calls, and how many were computed elsewhere."""
        rows, starts, fits = self._calls.encoded(given)
        statuses = np.full(len(given), NOT_RUN, np.uint8)
        good = np.frombuffer(fits, np.uint8) == 1
        statuses[~good] = NOT_OF_TYPE
        values: list[Any] = [None] * len(given)
        elsewhere: Counter[str] = Counter()
        self.tiers = []
        places = np.flatnonzero(good)
        size, first = _LAUNCH_CALLS, 0
        with cupy.cuda.Device(self.device):
            while first < len(places) and not watch(first):
                chosen = places[first : first + size]
                found, made = np.full(len(chosen), OVERFLOW, np.uint8), [None] * len(chosen)
                why = "cpu"
                try:
                    if not self.lost:
                        found, made = self._launch_part(rows, starts, chosen)
                except MemoryError:  # the device's too
                    cupy.get_default_memory_pool().free_all_blocks()
                    if size > _LEAST_CALLS:
                        size, self._groups = size // 4, max(self._groups // 2, self._a_block)
                        continue
                except device_errors() as error:
                    self.lost = f"GPU {self.device} failed: {first_line(error)}"
                if self.lost:
                    why = f"cpu: {self.lost}"
                elsewhere[why] += self._short_on_cpu(found, made, [given[place] for place in chosen])
                statuses[chosen] = found
                for place, value in zip(chosen.tolist(), made, strict=True):
                    values[place] = value
                first += len(chosen)
        statuses[statuses == EMPTY_TUPLE] = OK
        return bytearray(statuses.tobytes()), values, elsewhere

    def _launch_part(
        self, rows: Words, starts: NDArray[np.uint64], chosen: NDArray[np.int64]
    ) -> tuple[NDArray[np.uint8], list[Any]]:
        """Some calls: launched, run again where they did not fit, and their values."""
        low, high = int(starts[chosen[0]]), int(starts[chosen[-1] + 1])
        there = cupy.asarray(rows[low:high])
        # Calls between those chosen have no words, so that each call's words end where the next chosen one's begin.
        ends = np.append(starts[chosen], np.uint64(high)) - np.uint64(low)
        begun = cupy.asarray(ends.astype(np.uint64))
        pool_words = max(_POOL_WORDS, 2 * (high - low) + 2 * POOL_UNIT * len(chosen))
        while True:
            out = _Results(len(chosen), pool_words)
            tiers = self._every_tier(there, begun, out, len(chosen))
            wanted = POOL_UNIT * int(out.pool_next[0])
            if wanted <= pool_words:
                break
            pool_words = wanted
        self.tiers = [a + b for a, b in zip_longest(self.tiers, tiers, fillvalue=0)]
        statuses = out.statuses.get()
        values = self._calls.decoded(
            statuses=statuses, pool=out.pool[:wanted].get(), place=out.place.get(), length=out.length.get()
        )
        return statuses, values

    def _every_tier(self, rows: Any, starts: Any, out: _Results, count: int) -> list[int]:
        """Run calls, in bigger arenas where they did not fit; how many went on to each further tier."""
        pending = cupy.asarray(np.arange(count, dtype=np.uint32))
        words, groups = self._arena_words, self._groups
        tiers: list[int] = []
        while True:
            pending = self._launch(rows, starts, pending, out, groups, words)
            words *= _TIER
            if not len(pending) or words > _MOST_WORDS:
                return tiers
            groups = min(groups, self._most_groups(words))
            if groups < self._a_block:
                return tiers
            tiers.append(len(pending))

    def _most_groups(self, words: int) -> int:
        """How many arenas of so many words fit."""
        cupy.get_default_memory_pool().free_all_blocks()
        free, _ = cupy.cuda.runtime.memGetInfo()
        return int(free * self.memory_fraction) // (4 * words)

    def _launch(self, rows: Any, starts: Any, pending: Any, out: _Results, groups: int, words: int) -> Any:
        """Run calls; those that did not fit."""
        blocks = min(groups // self._a_block, -(-len(pending) // self._a_block))
        arenas = cupy.empty(blocks * self._a_block * words, np.uint32)
        counters = cupy.zeros(2, np.uint32)
        again = cupy.empty(len(pending), np.uint32)
        launch = cupy.asarray(
            CALL_LAUNCH.filled(
                blob=address(self._blob),
                program=address(self._table),
                rows=address(rows),
                starts=address(starts),
                calls=address(pending),
                call_count=len(pending),
                next_call=address(counters),
                arenas=address(arenas),
                arena_words=words,
                max_steps=self.max_steps,
                statuses=address(out.statuses),
                pool=address(out.pool),
                pool_words=out.pool.size,
                pool_next=address(out.pool_next),
                place=address(out.place),
                length=address(out.length),
                again=address(again),
                again_count=address(counters) + 4,
            )
        )
        self._launched((blocks,), (self.kernel.threads,), (launch,))
        return again[: int(counters[1])]

    def _short_on_cpu(self, statuses: NDArray[np.uint8], values: list[Any], given: list[tuple[Any, ...]]) -> int:
        """Have the CPU engine do what fitted nowhere; how many that were."""
        short = np.flatnonzero(statuses == OVERFLOW).tolist()
        if not short:
            return 0
        found, made = self._calls.many([given[place] for place in short], self.threads, lambda _: False)
        for place, status, value in zip(short, found, made, strict=True):
            statuses[place], values[place] = status, value
        return len(short)


class _Results:
    """The results of calls on the device."""

    def __init__(self, count: int, pool_words: int) -> None:
        self.statuses = cupy.zeros(count, np.uint8)
        self.place = cupy.zeros(count, np.uint64)
        self.length = cupy.zeros(count, np.uint32)
        self.pool = cupy.empty(pool_words, np.uint32)
        self.pool_next = cupy.zeros(1, np.uint32)


def blob_of(code: Code, arguments: Sequence[tuple[int, Type]], kind: Type) -> tuple[Words, Words]:
    """A lowered graph's words in one array, and where they lie in it, an abi.CALLED_PROGRAM.

    `arguments` are slots and types; `kind` is the type of what comes out.
    """
    words: list[int] = []

    def place(part: Sequence[int]) -> int:
        at = len(words)
        words.extend(part)
        words.extend([0] * (-len(words) % 4))
        return at

    shape = typed_shape(kind)
    (slot,) = [slot for slot, _ in code.outputs.values()]
    slots = [(at, 1 + code.types.slot_words(of)) for at, of in arguments]
    table = CALLED_PROGRAM.filled(
        code=place(code.words),
        types=place(TYPE_DESC.rows(code.types.rows).tolist()),
        parts=place(code.types.parts),
        image=place(code.image),
        image_words=len(code.image),
        arguments=place(CALLED_ARGUMENT.rows(slots).tolist()),
        argument_count=len(arguments),
        output_slot=slot,
        shape=place(shape),
        shape_words=len(shape),
    )
    return np.array([word & 0xFFFFFFFF for word in words], np.uint32), table
