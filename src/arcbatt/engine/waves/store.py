"""A store of values on a GPU: columns of values of one type, and operations applied to whole columns.

    store = Store(cupy, heap_bytes=8 << 30)
    grids = store.put(GRID, inputs)
    found = store.apply("o_g", grids, 5)              # a column: one call for each grid
    first = store.apply("first", found)
    kept = first.at(store.distinct(first))            # a view: the values that differ, by number
    store.fetch(store.apply("ulcorner", kept), range(10))

A column is a handle: nothing comes back to the host but what is asked for (`statuses`, `hashes`, `fetch`). Columns of
a call must be equally long; a single value (`int`, `bool`, a pair of `int`) stands for as many as there are. A failure
is a value with a status; a call given one fails as the language says. What no wave can do yet (functions as arguments)
raises UsageError.

Memory is taken and not given back but with the store. A value that found no room has the status OVERFLOW; `full` says
whether there are any. A full store takes no more columns: MemoryError.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from arcbatt.compiler.abi import EMPTY_TUPLE, OK
from arcbatt.compiler.graph import Graph
from arcbatt.compiler.lower.layout import Pool, TypeTable
from arcbatt.compiler.lower.lower import lower
from arcbatt.compiler.lower.words import Words
from arcbatt.compiler.program_set import compile
from arcbatt.compiler.wave_kernels import WaveKernel
from arcbatt.compiler.waves import Domain, Schedule, scheduled
from arcbatt.engine.outputs import REASONS
from arcbatt.engine.waves import kernels
from arcbatt.engine.waves.ends import Ends
from arcbatt.engine.waves.heap import MOST_WORDS, Heap, Place, address
from arcbatt.engine.waves.plan import Functions, Loaded, Plan
from arcbatt.engine.waves.runner import load
from arcbatt.errors import UsageError
from arcbatt.language.failures import Failed, Outcome
from arcbatt.language.limits import MAX_STEPS
from arcbatt.language.types import Type

_RESULT: Final = "solve_result"
Single = int | bool | tuple[int, int]
"""A value that stands for a column of it."""


@dataclass(frozen=True)
class Column:
    """Values of one type in a store. Equal handles are the same values."""

    type: Type
    count: int
    base: int
    stride: int
    numbers: Any = None
    """On the device, which values of the column they are; all, in order, where there are none."""

    def __len__(self) -> int:
        return self.count

    @property
    def place(self) -> Place:
        """Where they are, for launches."""
        return self.base, self.stride, 0 if self.numbers is None else address(self.numbers)

    def at(self, numbers: Any) -> Column:
        """Some of the values, by number, as often and in the order they are named; `numbers` is on the device."""
        chosen = numbers.astype(np.uint32)
        return replace(self, count=len(chosen), numbers=chosen if self.numbers is None else self.numbers[chosen])


class Store:
    """Values on the current device. `cupy` is that module, `heap_bytes` what all values may take (16 GiB at most)."""

    def __init__(self, cupy: Any, *, heap_bytes: int, max_steps: int = MAX_STEPS) -> None:
        self.cupy, self._max_steps = cupy, max_steps
        self.heap = Heap.resident(cupy, min(heap_bytes // 4, MOST_WORDS))
        self._types = TypeTable()
        self._functions: dict[WaveKernel, Loaded] = {}
        self._schedules: dict[tuple[Any, ...], Schedule] = {}
        self._ends = Ends(self.heap)
        self.heap.begin()

    @property
    def full(self) -> bool:
        """Whether there are values that found no room."""
        return self.heap.over()

    def put(self, kind: Type, values: Iterable[Any]) -> Column:
        """Values from the host as a column; LowerError where one has no form on the device."""
        given = list(values)
        stride = 1 + self._types.slot_words(kind)
        base = int(self.heap.top[0])
        pool = Pool(base + stride * len(given))
        slots = [word for value in given for word in (OK, *pool.slot(kind, value))]
        words = np.array([*slots, *pool.words], np.uint32)
        self._took(base + len(words))
        self.heap.memory[base : base + len(words)] = self.cupy.asarray(words)
        return Column(kind, len(given), base, stride)

    def apply(self, op: str, *args: Column | Single) -> Column:
        """A primitive over columns: a call for each of their values. A column of what it gives."""
        columns = [arg for arg in args if isinstance(arg, Column)]
        counts = {len(column) for column in columns}
        if len(counts) != 1:
            raise UsageError(f"{op}: columns of {sorted(counts)} values; they must be equally many")
        plan = self._schedule(op, args)
        names = [f"A{place}" for place, arg in enumerate(args) if isinstance(arg, Column)]
        inputs = plan.code.inputs
        given = {inputs[name]: column.place for name, column in zip(names, columns, strict=True) if name in inputs}
        laid = Plan(
            plan,
            self.heap,
            self._loaded(plan),
            samples=counts.pop(),
            max_steps=self._max_steps,
            given=given,
            begin=int(self.heap.top[0]),
        )
        self._took(laid.used)
        for launch in laid.launches:
            launch()
        slot, kind = plan.code.outputs[_RESULT]
        base, stride, map_ = laid.place(slot)
        numbers = next((column.numbers for column in columns if map_ and column.place == (base, stride, map_)), None)
        return Column(kind, laid.samples, base, stride, numbers)

    def _took(self, top: int) -> None:
        """The heap is now taken up to here."""
        if top > self.heap.words:
            raise MemoryError(f"the store is full: {4 * self.heap.words:,} bytes; give it more, or make another")
        self.heap.top[0] = top

    def _schedule(self, op: str, args: Sequence[Column | Single]) -> Schedule:
        """The waves of a call: of the primitive, and of the casts its arguments need."""
        key = (op, *(arg.type if isinstance(arg, Column) else (type(arg), arg) for arg in args))
        if key not in self._schedules:
            graph = Graph()
            nodes = [
                graph.declare(f"A{place}", arg.type) if isinstance(arg, Column) else graph.const(arg)
                for place, arg in enumerate(args)
            ]
            graph.outputs[_RESULT] = graph.add(op, tuple(nodes))
            typed = compile(graph).typed
            plan = scheduled(lower(typed, columns=False, reuse=False), graph.declared)
            if _RESULT in plan.left_out:
                raise UsageError(f"{op}: not in a store: {plan.left_out[_RESULT]}")
            if max(plan.parents) >= Domain.BODIES:
                raise UsageError(f"{op}: not in a store: a loop")
            self._schedules[key] = plan
        return self._schedules[key]

    def _loaded(self, plan: Schedule) -> Functions:
        missing = {wave.kernel: kernels.width(wave.kernel) for wave in plan.waves if wave.kernel not in self._functions}
        if missing:
            self._functions |= load(self.cupy, missing)
        return self._functions

    def looked(self, column: Column) -> tuple[Any, Any]:
        """Statuses and 64-bit hashes of a column's values, on the device. Equal values have equal hashes."""
        found, _ = self._ends.look([(column.place, column.type)], len(column))
        return found.statuses[:, 0], found.hashes[:, 0]

    def distinct(self, column: Column) -> Any:
        """Of values that are equal the first one's number, in order, on the device; failures are left out."""
        statuses, hashes = self.looked(column)
        good = self.cupy.flatnonzero(statuses == OK)
        return self.cupy.sort(good[self.cupy.unique(hashes[good], return_index=True)[1]])

    def fetch(self, column: Column, rows: Iterable[int] | None = None) -> list[Outcome]:
        """Values on the host, all or some by number.

        A failure is `Failed`, with its reason; NotImplemented stands for what found no room, or has no form on the
        device and is the reference's to compute.
        """
        words = Words(lambda offset, count: self.heap.memory[offset : offset + count].get().tolist())
        chosen = np.arange(len(column)) if rows is None else np.fromiter(rows, np.int64)
        statuses = self.looked(column)[0].get()
        numbers = chosen if column.numbers is None else column.numbers.get()[chosen]
        found: list[Outcome] = []
        for row, number in zip(chosen.tolist(), numbers.tolist(), strict=True):
            if statuses[row] != OK:
                reason = REASONS.get(int(statuses[row]))
                found.append(NotImplemented if reason is None else Failed(reason))
                continue
            at = column.base + column.stride * number
            slot = self.heap.memory[at : at + 1 + self._types.slot_words(column.type)].get().tolist()
            found.append(() if slot[0] == EMPTY_TUPLE else words.slot(column.type, slot[1:]))
        return found
