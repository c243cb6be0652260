"""Schedules of waves on samples, on one GPU: inputs placed, waves replayed, values looked at.

Nothing comes back to the host while a batch runs. What did not fit in the heap is seen at its end: where that is a few
of the values, they are run once more by themselves, with the waves that only they need; else the batch is halved. What
takes many batches even by itself is too much: it is another engine's. All of this is remembered for later runs.
Results do not depend on how samples or values are divided.
"""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from arcbatt.compiler.abi import OVERFLOW
from arcbatt.compiler.wave_kernels import WaveKernel
from arcbatt.compiler.waves import Schedule, part
from arcbatt.data.packing import PackedSamples
from arcbatt.engine.outputs import Grids, Outputs, Wanted
from arcbatt.engine.stats import Tried
from arcbatt.engine.waves import kernels
from arcbatt.engine.waves.ends import Ends, Looking, PlacedInputs
from arcbatt.engine.waves.heap import MOST_WORDS, Heap
from arcbatt.engine.waves.plan import GIANT_ITEMS, MANY_CALLS, Functions, Loaded, Plan
from arcbatt.language.limits import MAX_CELLS, MAX_STEPS
from arcbatt.language.types import Type

LINES: Final = 32
"""Waves that run at the same time, at most."""
_FEW: Final = 0.25
"""The part of the values that is run by itself where it does not fit."""
_MOST_BATCHES: Final = 4
"""Of what is run by itself, for one of all the others."""
Rows = NDArray[np.int64]
Slots = Sequence[tuple[int, Type]]
Batch = tuple[Outputs, NDArray[np.bool_], bool]
"""What samples gave, which values took too many steps, and whether the heap was full; where it was not, OVERFLOW is
what powers left behind (`Plan`)."""
_NEVER: Final = 1 << 63


@dataclass(frozen=True)
class Asked:
    """What a run is to bring back of values."""

    wanted: Wanted = "hash"
    largest: int = MAX_CELLS
    """Cells of the largest grid that is kept."""
    spent_ends: Mapping[int, int] = field(default_factory=dict)
    """Of slots, from how many steps on, of calls that types alone do not bound, a value is another engine's."""


@dataclass
class Looked:
    """Statuses and hashes of values, a row for each slot that was asked for, by sample."""

    statuses: NDArray[np.uint8]
    hashes: NDArray[np.uint64]


class WaveRunner:
    """Runs the waves of a schedule on the current device.

    `cupy` is that module; `heap_bytes` what values may take, or `heap` where they are; `widths` of kernels, where not
    those of `kernels.width`; calls of loops of more than `giant_items` are left to blocks; of waves of `many_calls` or
    more small ones are left to threads. A runner of a part of a schedule runs `beside` that of the whole, with its
    memory and kernels.
    """

    heap: Heap
    functions: Functions
    stream: Any
    tried: list[Tried]
    """What was run, by runners of parts too, since it was last cleared."""
    _ends: Ends

    def __init__(
        self,
        cupy: Any,
        schedule: Schedule,
        *,
        heap_bytes: int = 0,
        heap: Heap | None = None,
        lines: int = LINES,
        max_steps: int = MAX_STEPS,
        widths: dict[WaveKernel, int] | None = None,
        giant_items: int = GIANT_ITEMS,
        many_calls: int = MANY_CALLS,
        beside: WaveRunner | None = None,
    ) -> None:
        self.cupy, self.schedule, self._max_steps = cupy, schedule, max_steps
        self._giant_items, self._many_calls = giant_items, many_calls
        if beside:
            self.heap, self.functions, self._ends = beside.heap, beside.functions, beside._ends
            self.stream, self.tried = beside.stream, beside.tried
        else:
            self.tried = []
            self.heap = heap or Heap.resident(cupy, min(heap_bytes // 4, MOST_WORDS), lines)
            chosen = {wave.kernel: kernels.width(wave.kernel) for wave in schedule.waves} | (widths or {})
            self.functions = load(cupy, chosen)
            self._ends = Ends(self.heap)
            self.stream = cupy.cuda.Stream(non_blocking=True)
        self._placed: PlacedInputs | None = None
        self._placed_for: tuple[Plan, PackedSamples] | None = None
        self._chosen: tuple[Callable[[], PackedSamples | None], Rows, PackedSamples] | None = None
        """Samples, which of them were chosen last, and these."""
        self._looked: tuple[Plan, Slots, Looking] | None = None
        self._needing: tuple[Slots, Rows, Rows] | None = None
        self.plan: Plan | None = None
        self._parts: dict[tuple[int, ...], WaveRunner] = {}
        """Runners of some of the slots."""
        self._apart: set[int] = set()
        """Slots that did not fit together with the others."""
        self.too_much: set[int] = set()
        """Slots that took too many batches."""
        self.batches: list[int] = []
        """Of the last run, how many samples each batch had."""

    def run(self, data: PackedSamples, slots: Slots, *, halve: bool = True) -> Looked:
        """Every wave on every sample; what became of the values of some slots.

        A value whose waves do not fit on a sample even by themselves, or that is not tried without `halve`, has the
        status OVERFLOW: it is another engine's.
        """
        found = Outputs.empty([str(slot) for slot, _ in slots], len(data), "hash")
        for rows, some in self.outputs(data, slots, Asked(), halve=halve):
            found.take(rows, some)
        assert found.hashes is not None
        return Looked(found.statuses.T, found.hashes.T)

    def outputs(
        self,
        data: PackedSamples,
        slots: Slots,
        asked: Asked,
        *,
        stopped: Callable[[], bool] = lambda: False,
        halve: bool = True,
        most: int = 0,
        begin: int = 1,
    ) -> Iterator[tuple[Rows, Outputs]]:
        """The same by batches: samples, and what became of the values on them, a column for each slot.

        A batch is cut by cells, since larger samples need more memory; the first is one of `begin` parts of them. What
        does not fit with one of `most` parts of all cells, if that is given, is OVERFLOW.
        """
        first, order = 0, by_size(data)
        cells = np.cumsum(np.maximum(_cells(data)[order], 1))
        known = list(self.batches) if sum(self.batches) == len(data) else []  # what fitted before is tried first
        until = cells[-1:].sum() // begin
        self.batches = []
        while first < len(data) and not stopped():
            if most and self.too_much.issuperset(slot for slot, _ in slots):  # on these samples it would be, too
                yield order[first:], self._nothing(order[first:], slots, asked)[0]
                return
            end = first + known.pop(0) if known else max(first + 1, int(np.searchsorted(cells, until, "right")))
            rows, before = order[first:end], cells[first - 1] if first else 0
            mine = cells[end - 1] - before
            fewer = len(rows) > 1 and (not most or mine > cells[-1] // most)
            found = self._fitting(data, rows, slots, asked, halve, fewer=fewer, nested=most > 0)
            if found is None:
                known, until = [], before + mine // 2
                continue
            yield rows, found
            self.batches.append(len(rows))
            first, until = end, cells[end - 1] + 2 * mine

    def _fitting(
        self, data: PackedSamples, rows: Rows, slots: Slots, asked: Asked, halve: bool, *, fewer: bool, nested: bool
    ) -> Outputs | None:
        """Some samples, those slots apart that do not fit with the others; nothing if it is to be fewer samples."""
        if halve and 0 < sum(slot in self._apart for slot, _ in slots) < len(slots):
            return self._in_parts(data, rows, slots, asked, nested=nested)
        found, overspent, full = self._batch(data, rows, slots, asked)
        columns: NDArray[np.bool_] = (found.statuses == OVERFLOW).any(axis=0) & full
        if columns.any() and halve and len(slots) > 1 and (columns.mean() <= _FEW or not fewer):
            if columns.all():
                columns[len(columns) // 2 :] = False
            self._apart |= {slots[column][0] for column in np.flatnonzero(columns).tolist()}
            return self._in_parts(data, rows, slots, asked, nested=nested)
        if columns.any() and fewer:
            return None
        self.too_much |= {slots[column][0] for column in np.flatnonzero(columns).tolist()}
        found.statuses[overspent] = OVERFLOW
        return found

    def _in_parts(self, data: PackedSamples, rows: Rows, slots: Slots, asked: Asked, *, nested: bool) -> Outputs:
        """Slots that do not fit together, by themselves; those that did not fit beside a few only begin with a part."""
        whole = Outputs.empty([str(slot) for slot, _ in slots], len(rows), asked.wanted)
        apart = np.array([slot in self._apart for slot, _ in slots])
        for columns, begin in ((np.flatnonzero(~apart), 1), (np.flatnonzero(apart), _MOST_BATCHES if nested else 1)):
            mine = [slots[column] for column in columns.tolist()]
            runner = self.only(mine)
            for some, found in runner.outputs(data.only(rows), mine, asked, most=_MOST_BATCHES, begin=begin):
                whole.take(some, found, columns)
            self.too_much |= runner.too_much
        return whole

    def only(self, slots: Slots) -> WaveRunner:
        """The runner of some of the slots, with the waves that these need."""
        key = tuple(slot for slot, _ in slots)
        if key not in self._parts:
            self._parts[key] = WaveRunner(
                self.cupy,
                part(self.schedule, key),
                max_steps=self._max_steps,
                giant_items=self._giant_items,
                many_calls=self._many_calls,
                beside=self,
            )
        return self._parts[key]

    def _batch(self, data: PackedSamples, rows: Rows, slots: Slots, asked: Asked) -> Batch:
        """Some samples; OVERFLOW where the device has no memory for them."""
        start = time.perf_counter()
        try:
            found = self._run_batch(data, rows, slots, asked)
        except MemoryError:
            self._give_up_plan()
            self.cupy.get_default_memory_pool().free_all_blocks()
            found = self._nothing(rows, slots, asked)
        self.tried.append(Tried(len(rows), len(slots), 1e3 * (time.perf_counter() - start), fitted=not found[2]))
        return found

    @staticmethod
    def _nothing(rows: Rows, slots: Slots, asked: Asked) -> Batch:
        nothing = Outputs.empty([str(slot) for slot, _ in slots], len(rows), asked.wanted)
        nothing.statuses[...] = OVERFLOW
        return nothing, np.zeros_like(nothing.matches), True

    def _run_batch(self, data: PackedSamples, rows: Rows, slots: Slots, asked: Asked) -> Batch:
        some, names = self._some(data, rows), [str(slot) for slot, _ in slots]
        with self.stream:
            plan = self.prepare(some)
            if not plan.fits():  # slots and constants alone
                self._give_up_plan()
                return self._nothing(rows, slots, asked)
            plan.replay(self.stream)
            found, used = self._ends.look(
                self._looking(plan, slots), len(rows), asked.wanted, self._placed, asked.largest
            )
            grids = found.pool[:used].get(), found.offset.get(), found.height.get(), found.width.get()
            outputs = Outputs(
                names=names,
                statuses=found.statuses.get(),
                matches=found.matches.get().view(np.bool_),
                agreement=found.agreement.get(),
                hashes=found.hashes.get() if asked.wanted != "match" else None,
                grids=Grids(*grids) if asked.wanted == "grid" else None,
                done=np.ones(len(rows), np.bool_),
                route=np.zeros((len(rows), len(slots)), np.uint8),
            )
            overspent = self._overspent(plan, slots, asked, np.unique(some.task, return_inverse=True)[1])
            plan.settle()
            full = self.heap.over()
        return outputs, overspent, full

    def _overspent(self, plan: Plan, slots: Slots, asked: Asked, task_of: Rows) -> NDArray[np.bool_]:
        """Which values took too many steps, for all that is known without counting every call."""
        found = np.zeros((len(task_of), len(slots)), np.bool_)
        ends = np.array([asked.spent_ends.get(slot, _NEVER) for slot, _ in slots], np.uint64)
        rows = np.flatnonzero(plan.spent(task_of) >= ends.min(initial=_NEVER))
        if len(rows):  # all calls together; now those that each value needs
            calls, ends_at = self._needed_calls(slots)
            spent = np.zeros((1 + len(calls), len(rows)), np.uint64)
            np.cumsum(plan.spent_by_call(rows, task_of)[calls], axis=0, out=spent[1:])
            totals = spent[ends_at[1:]] - spent[ends_at[:-1]]
            found[rows] = ends <= totals.T
        return found

    def _needed_calls(self, slots: Slots) -> tuple[Rows, Rows]:
        """The calls that values need of those whose steps are counted, value by value; and where those of each end."""
        if self._needing is None or self._needing[0] != slots:
            needs = [list(_bits(self.schedule.spent_for.get(slot, 0))) for slot, _ in slots]
            calls = np.array([call for some in needs for call in some], np.int64)
            self._needing = list(slots), calls, np.cumsum([0, *map(len, needs)])
        return self._needing[1:]

    def _some(self, data: PackedSamples, rows: Rows) -> PackedSamples:
        """Some samples; the same as before if they are, so that they stay on the device."""
        if self._chosen is None or self._chosen[0]() is not data or not np.array_equal(self._chosen[1], rows):
            self._chosen = weakref.ref(data), rows, data.only(rows)
        return self._chosen[2]

    def _looking(self, plan: Plan, slots: Slots) -> Looking:
        """What looks at slots, the same as before for the same slots of a plan."""
        if self._looked is None or self._looked[0] is not plan or self._looked[1] != slots:
            self._looked = plan, list(slots), self._ends.looking([(plan.place(slot), kind) for slot, kind in slots])
        return self._looked[2]

    def prepare(self, data: PackedSamples) -> Plan:
        """Lay out the schedule for samples, and place their inputs; call it with the runner's stream as the current."""
        tasks, task_of = np.unique(data.task, return_inverse=True)
        if self.plan is None or self.plan.samples < len(data) or self.plan.tasks < len(tasks):
            self._give_up_plan()
            self.plan = Plan(
                self.schedule,
                self.heap,
                self.functions,
                samples=len(data),
                tasks=len(tasks),
                max_steps=self._max_steps,
                giant_items=self._giant_items,
                many_calls=self._many_calls,
            )
        plan = self.plan
        if plan.fits():
            plan.begin()
            plan.set_counts(task_of, len(tasks))
            self.heap.begin()
            if self._placed_for is None or self._placed_for[0] is not plan or self._placed_for[1] is not data:
                places = {name: plan.place(slot)[:2] for name, slot in self.schedule.code.inputs.items()}
                self._placed = self._ends.inputs(data, tasks, {name: (*two, 0) for name, two in places.items()})
                self._placed_for = plan, data
            self.place_inputs()
        return plan

    def _give_up_plan(self) -> None:
        """Let go of the plan, and of all that is kept for it: its memory is needed for another."""
        self.plan = self._placed = self._placed_for = self._looked = None

    def place_inputs(self) -> None:
        """Place the inputs of the samples last prepared, on the current stream."""
        assert self._placed is not None
        self._ends.place(self._placed)


def by_size(data: PackedSamples) -> NDArray[np.int64]:
    """Samples by the size of their inputs, the largest first: what takes longest is not to begin last."""
    return np.argsort(-_cells(data), kind="stable")


def _cells(data: PackedSamples) -> Rows:
    """How many cells the input of each sample has."""
    cells: Rows = data.height[data.input].astype(np.int64) * data.width[data.input]
    return cells


def load(cupy: Any, widths: Mapping[WaveKernel, int]) -> dict[WaveKernel, Loaded]:
    """The kernels on the current device, compiled where they are not kept."""
    modules = kernels.modules(cupy, kernels.all_options(widths))
    functions = {one: module.get_function(kernels.ENTRY) for one, module in modules.items()}

    def loaded(kernel: WaveKernel, width: int) -> Loaded:
        own, block, few = (functions.get(kernels.options(kernel, one)) for one in (width, kernels.BLOCK, 1))
        return Loaded(own, width, block, few if width != 1 else None)

    return {kernel: loaded(kernel, width) for kernel, width in widths.items()}


def _bits(number: int) -> Iterator[int]:
    """The places of the bits of a number that are 1."""
    while number:
        lowest = number & -number
        yield lowest.bit_length() - 1
        number ^= lowest
