"""Schedules of waves on samples, on one GPU: inputs placed, waves replayed, values looked at.

Nothing comes back to the host while a batch runs. What did not fit in the heap is seen at its end; the batch is then
halved and done again. Of samples that do not fit alone, what is asked for is halved, so that fewer waves run at a time.
Results do not depend on how samples or what is asked for are divided.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from arcbatt.compiler.abi import OVERFLOW
from arcbatt.compiler.wave_kernels import WaveKernel
from arcbatt.compiler.waves import Schedule, part
from arcbatt.data.packing import PackedSamples
from arcbatt.engine.waves import kernels
from arcbatt.engine.waves.ends import Ends, PlacedInputs
from arcbatt.engine.waves.heap import MOST_WORDS, Heap
from arcbatt.engine.waves.plan import GIANT_ITEMS, Functions, Loaded, Plan
from arcbatt.language.limits import MAX_STEPS
from arcbatt.language.types import Type

LINES: Final = 32
"""Waves that run at the same time, at most."""


@dataclass
class Looked:
    """Statuses and hashes of values, a row for each slot that was asked for, by sample."""

    statuses: NDArray[np.uint8]
    hashes: NDArray[np.uint64]


class WaveRunner:
    """Runs the waves of a schedule on the current device.

    `cupy` is that module; `heap_bytes` what values may take; `widths` of kernels, where not those of `kernels.width`;
    calls of loops of more than `giant_items` are left to blocks. A runner of a part of a schedule runs `beside` that
    of the whole, with its memory and kernels.
    """

    heap: Heap
    functions: Functions
    stream: Any
    _ends: Ends

    def __init__(
        self,
        cupy: Any,
        schedule: Schedule,
        *,
        heap_bytes: int = 0,
        lines: int = LINES,
        max_steps: int = MAX_STEPS,
        widths: dict[WaveKernel, int] | None = None,
        giant_items: int = GIANT_ITEMS,
        beside: WaveRunner | None = None,
    ) -> None:
        self.cupy, self.schedule, self._max_steps, self._giant_items = cupy, schedule, max_steps, giant_items
        if beside:
            self.heap, self.functions, self._ends = beside.heap, beside.functions, beside._ends
            self.stream = beside.stream
        else:
            self.heap = Heap.resident(cupy, min(heap_bytes // 4, MOST_WORDS), lines)
            chosen = {wave.kernel: kernels.width(wave.kernel) for wave in schedule.waves} | (widths or {})
            self.functions = load(cupy, chosen)
            self._ends = Ends(self.heap)
            self.stream = cupy.cuda.Stream(non_blocking=True)
        self._placed: PlacedInputs | None = None
        self.plan: Plan | None = None
        self.batches: list[int] = []
        """Of the last run, how many samples each batch had."""

    def run(self, data: PackedSamples, slots: Sequence[tuple[int, Type]], *, halve: bool = True) -> Looked:
        """Every wave on every sample; what became of the values of some slots.

        A value whose waves do not fit on a sample even by themselves, or that is not tried without `halve`, has the
        status OVERFLOW: it is another engine's.
        """
        found = Looked(np.zeros((len(slots), len(data)), np.uint8), np.zeros((len(slots), len(data)), np.uint64))
        unfit = self._run(data, slots, found)
        if len(unfit) and halve and len(slots) > 1:
            middle = len(slots) // 2
            for some in (slice(0, middle), slice(middle, None)):
                half = part(self.schedule, (slot for slot, _ in slots[some]))
                runner = WaveRunner(
                    self.cupy, half, max_steps=self._max_steps, giant_items=self._giant_items, beside=self
                )
                again = runner.run(data.only(unfit), slots[some])
                found.statuses[some, unfit], found.hashes[some, unfit] = again.statuses, again.hashes
        return found

    def _run(self, data: PackedSamples, slots: Sequence[tuple[int, Type]], found: Looked) -> NDArray[np.int64]:
        """All samples by batches; those that do not fit even alone."""
        unfit: list[int] = []
        first, order = 0, by_size(data)
        known = list(self.batches) if sum(self.batches) == len(data) else []  # what fitted before is tried first
        size = len(data)
        self.batches = []
        while first < len(data):
            size = known.pop(0) if known else size
            rows = order[first : first + size]
            if not self._batch(data, rows, slots, found):
                if len(rows) > 1:
                    known, size = [], -(-len(rows) // 2)
                    continue
                found.statuses[:, rows], found.hashes[:, rows] = OVERFLOW, 0
                unfit += rows.tolist()
            self.batches.append(len(rows))
            first += len(rows)
            size = min(2 * len(rows), self.plan.samples if self.plan else 1)
        return np.array(sorted(unfit), np.int64)

    def _batch(
        self, data: PackedSamples, rows: NDArray[np.int64], slots: Sequence[tuple[int, Type]], found: Looked
    ) -> bool:
        """Some samples; whether they fitted."""
        with self.stream:
            plan = self.prepare(data.only(rows))
            if not plan.fits():
                self.plan = None
                return False
            plan.replay(self.stream)
            if self.heap.over():
                return False
            statuses, hashes = self._ends.look([(plan.place(slot), kind) for slot, kind in slots], len(rows))
            if self.heap.over():
                return False
            found.statuses[:, rows], found.hashes[:, rows] = statuses.get(), hashes.get()
        return True

    def prepare(self, data: PackedSamples) -> Plan:
        """Lay out the schedule for samples, and place their inputs; call it with the runner's stream as the current."""
        tasks, task_of = np.unique(data.task, return_inverse=True)
        mine = self.plan is not None and self.heap.user is self
        if not mine or self.plan is None or self.plan.samples < len(data) or self.plan.tasks < len(tasks):
            self.plan, self.heap.user = None, self
            self.heap.used = 0  # what constants point to counts from there
            self.plan = Plan(
                self.schedule,
                self.heap,
                self.functions,
                samples=len(data),
                tasks=len(tasks),
                max_steps=self._max_steps,
                giant_items=self._giant_items,
            )
        plan = self.plan
        if plan.fits():
            plan.set_counts(task_of, len(tasks))
            self.heap.begin()
            places = {name: plan.place(slot)[:2] for name, slot in self.schedule.code.inputs.items()}
            self._placed = self._ends.inputs(data, tasks, {name: (*two, 0) for name, two in places.items()})
            self.place_inputs()
        return plan

    def place_inputs(self) -> None:
        """Place the inputs of the samples last prepared, on the current stream."""
        assert self._placed is not None
        self._ends.place(self._placed)


def by_size(data: PackedSamples) -> NDArray[np.int64]:
    """Samples by the size of their inputs, the largest first: what takes longest is not to begin last."""
    cells = data.height[data.input].astype(np.int64) * data.width[data.input]
    return np.argsort(-cells, kind="stable")


def load(cupy: Any, widths: dict[WaveKernel, int]) -> dict[WaveKernel, Loaded]:
    """The kernels on the current device, compiled where they are not kept."""
    paths = kernels.compiled(cupy.cuda.nvrtc, kernels.all_options(widths), int(cupy.cuda.Device().compute_capability))
    functions = {one: cupy.RawModule(path=str(path)).get_function(kernels.ENTRY) for one, path in paths.items()}
    return {
        kernel: Loaded(
            functions[kernels.options(kernel, width)], width, functions.get(kernels.options(kernel, kernels.BLOCK))
        )
        for kernel, width in widths.items()
    }
