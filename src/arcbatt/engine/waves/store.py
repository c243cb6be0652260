"""A store of values on a GPU: columns of values of one type, and operations applied to whole columns.

    store = Store(cupy, heap_bytes=8 << 30)
    grids = store.put(GRID, inputs)
    found = store.apply("o_g", grids, 5)              # a column: one call for each grid
    first = store.apply("first", found)
    kept = first.at(store.distinct(first))            # a view: the values that differ, by number
    store.fetch(store.apply("ulcorner", kept), range(10))

A column is a handle: nothing comes back to the host but what is asked for (`statuses`, `hashes`, `fetch`). Columns of
a call must be equally long; a single value (`int`, `bool`, a pair of `int`) stands for as many as there are. A failure
is a value with a status; a call given one fails as the language says. `run` is the same for a whole graph of calls,
loops and custom operations among them, which is how calls from Python run on a GPU (`waves/calls.py`).

Memory is taken and not given back but with the store, or all at once (`clear`). A value that found no room has the
status OVERFLOW; `full` says whether there are any. A full store takes no more columns: MemoryError.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from arcbatt.compiler.abi import EMPTY_TUPLE, OK
from arcbatt.compiler.graph import Graph
from arcbatt.compiler.lower.layout import TypeTable
from arcbatt.compiler.lower.lower import lower
from arcbatt.compiler.program_set import compile
from arcbatt.compiler.wave_kernels import WaveKernel
from arcbatt.compiler.waves import Schedule, scheduled
from arcbatt.engine.calls import RESULT, CallEngine
from arcbatt.engine.outputs import REASONS
from arcbatt.engine.waves import kernels
from arcbatt.engine.waves.ends import Ends, Taken
from arcbatt.engine.waves.heap import MOST_WORDS, Heap, Place, address
from arcbatt.engine.waves.plan import Functions, Loaded, Plan
from arcbatt.engine.waves.runner import load
from arcbatt.errors import UsageError
from arcbatt.language.failures import Failed, Outcome
from arcbatt.language.limits import MAX_STEPS
from arcbatt.language.spec import OpSpec
from arcbatt.language.table import current
from arcbatt.language.types import Type

_ALIGNED: Final = 64
"""Words that memory is taken by, as the kernels do."""
_MOST_PLANS: Final = 256
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


class StoreFullError(MemoryError):
    """A column does not fit."""


class Store:
    """Values on the current device. `cupy` is that module, `heap_bytes` what all values may take (16 GiB at most)."""

    def __init__(self, cupy: Any, *, heap_bytes: int, max_steps: int = MAX_STEPS) -> None:
        self.cupy, self._max_steps = cupy, max_steps
        self.heap = Heap.resident(cupy, min(heap_bytes // 4, MOST_WORDS))
        self._types = TypeTable()
        self._functions: dict[WaveKernel, Loaded] = {}
        self._plans: dict[tuple[int, int], Plan] = {}
        """By schedule and how many values, those that ran last."""
        self._ends = Ends(self.heap)
        self.heap.begin()

    @property
    def full(self) -> bool:
        """Whether there are values that found no room."""
        return self.heap.over()

    def clear(self) -> None:
        """Forget all values; handles that are left name nothing any more."""
        self.heap.used = 0
        self.heap.begin()

    # --- values in ---

    def put(self, kind: Type, values: Iterable[Any]) -> Column:
        """Values from the host as a column; UsageError where one is not of the type, or has no form on the device."""
        given = [(value,) for value in values]
        (column,), fits = self.put_calls(_forms(kind), [kind], given)
        if not fits.all():
            number = int(np.flatnonzero(~fits)[0])
            raise UsageError(f"value {number} has no form of {kind}: {given[number][0]!r:.60}")
        return column

    def put_calls(
        self, forms: Any, kinds: Sequence[Type], rows: list[tuple[Any, ...]]
    ) -> tuple[list[Column], NDArray[np.bool_]]:
        """The arguments of calls as a column each, and of each call whether it is among them.

        `forms` is a `Calls` of the core that takes these types. Calls whose arguments are not of them are left out.
        """
        begin = int(self.heap.top[0])
        slots, pool, told = forms.columns(rows, begin)
        fits: NDArray[np.bool_] = np.frombuffer(told, np.bool_)
        words = np.concatenate([pool, *slots])
        self._took(begin + len(words))
        self.heap.memory[begin : begin + len(words)] = self.cupy.asarray(words)
        columns, at = [], begin + len(pool)
        for kind, some in zip(kinds, slots, strict=True):
            columns.append(Column(kind, int(fits.sum()), at, 1 + self._types.slot_words(kind)))
            at += len(some)
        return columns, fits

    # --- calls ---

    def apply(self, op: str, *args: Column | Single) -> Column:
        """A primitive over columns: a call for each of their values. A column of what it gives."""
        columns = {f"A{place}": arg for place, arg in enumerate(args) if isinstance(arg, Column)}
        if len({len(column) for column in columns.values()}) != 1:
            counts = sorted(len(column) for column in columns.values())
            raise UsageError(f"{op}: columns of {counts} values; they must be equally many")
        given = [arg.type if isinstance(arg, Column) else (type(arg), arg) for arg in args]
        return self.run(_schedule(current().op(op), tuple(given)), columns, len(next(iter(columns.values()))))

    def run(self, plan: Schedule, columns: Mapping[str, Column], count: int) -> Column:
        """A schedule over columns of so many values, by the names of its inputs: a column of its RESULT."""
        inputs = plan.code.inputs
        given = {inputs[name]: column.place for name, column in columns.items() if name in inputs}
        laid = self._laid(plan, count, given)
        self._took(laid.used)
        laid.launch()
        slot, kind = plan.code.outputs[RESULT]
        base, stride, map_ = laid.place(slot)
        same = (column.numbers for column in columns.values() if map_ and column.place == (base, stride, map_))
        return Column(kind, laid.samples, base, stride, next(same, None))

    def _laid(self, plan: Schedule, count: int, given: Mapping[int, Place]) -> Plan:
        """The plan of a schedule behind all that is there; the one for so many values is kept, and moved."""
        begin, key = int(self.heap.top[0]), (id(plan), count)
        found = self._plans.get(key)
        if found and found.schedule is plan:
            found.move(begin, given)
            return found
        found = Plan(
            plan, self.heap, self._loaded(plan), samples=count, max_steps=self._max_steps, given=given, begin=begin
        )
        if found.fits():
            if len(self._plans) >= _MOST_PLANS:
                self._plans.clear()
            self._plans[key] = found
        return found

    def _took(self, top: int) -> None:
        """The heap is now taken up to here."""
        if top > self.heap.words:
            raise StoreFullError(f"the store is full: {4 * self.heap.words:,} bytes; give it more, or make another")
        self.heap.top[0] = -(-top // _ALIGNED) * _ALIGNED

    def _loaded(self, plan: Schedule) -> Functions:
        every = {wave.kernel: kernels.width(wave.kernel) for wave in plan.waves}
        missing = {kernel: width for kernel, width in every.items() if kernel not in self._functions}
        self._functions |= load(self.cupy, missing) if missing else {}
        return self._functions

    # --- values out ---

    def looked(self, column: Column) -> tuple[Any, Any]:
        """Statuses and 64-bit hashes of a column's values, on the device. Equal values have equal hashes."""
        found, _ = self._ends.look([(column.place, column.type)], len(column))
        return found.statuses[:, 0], found.hashes[:, 0]

    def distinct(self, column: Column) -> Any:
        """Of values that are equal the first one's number, in order, on the device; failures are left out."""
        statuses, hashes = self.looked(column)
        good = self.cupy.flatnonzero(statuses == OK)
        return self.cupy.sort(good[self.cupy.unique(hashes[good], return_index=True)[1]])

    def taken(self, column: Column) -> Taken:
        """The values as words on the host."""
        return self._ends.take(column.place, column.type, len(column))

    def fetch(self, column: Column, rows: Iterable[int] | None = None) -> list[Outcome]:
        """Values on the host, all or some by number.

        A failure is `Failed`, with its reason; NotImplemented stands for what found no room, or has no form on the
        device and is the reference's to compute.
        """
        chosen = column if rows is None else column.at(self.cupy.asarray(np.fromiter(rows, np.int64)))
        taken = self.taken(chosen)
        found: list[Outcome] = taken.values(_forms(column.type))
        for row in np.flatnonzero((taken.statuses != OK) & (taken.statuses != EMPTY_TUPLE)).tolist():
            reason = REASONS.get(int(taken.statuses[row]))
            found[row] = NotImplemented if reason is None else Failed(reason)
        return found


def waves_of(graph: Graph) -> Schedule:
    """The schedule of a graph of declared arguments; its `left_out` says why it has none of RESULT."""
    return scheduled(lower(compile(graph).typed, columns=False, reuse=False), graph.declared)


@lru_cache(maxsize=4096)
def _schedule(op: OpSpec, given: tuple[Any, ...]) -> Schedule:
    """The waves of a call: of the primitive, and of the casts its arguments need."""
    graph = Graph()
    nodes = [
        graph.declare(f"A{place}", kind) if isinstance(kind, Type) else graph.const(kind[1])
        for place, kind in enumerate(given)
    ]
    graph.outputs[RESULT] = graph.add(op.name, tuple(nodes))
    plan = waves_of(graph)
    if RESULT in plan.left_out:
        raise UsageError(f"{op.name}: not in a store: {plan.left_out[RESULT]}")
    return plan


@lru_cache(maxsize=4096)
def _forms(kind: Type) -> Any:
    """What makes words of values of a type, and values of words."""
    graph = Graph()
    graph.outputs[RESULT] = graph.declare("A0", kind)
    engine = CallEngine(graph, threads=1)
    if engine.problem is not None:
        raise UsageError(f"{kind} has no form on a device: {engine.problem}")
    return engine.forms
