"""Schedules of waves on samples, on one GPU: inputs placed, waves replayed, values looked at.

Nothing comes back to the host while a batch runs. What did not fit in the heap is seen at its end; the batch is then
halved and done again, so results do not depend on how samples are divided.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from arcbatt.compiler.abi import OVERFLOW, PACKED, WAVE_INPUTS, WAVE_LOOK
from arcbatt.compiler.lower.shapes import shape_of
from arcbatt.compiler.waves import Schedule, WaveKernel
from arcbatt.data.packing import PackedSamples
from arcbatt.engine.cuda.compile import LANES
from arcbatt.engine.waves import kernels
from arcbatt.engine.waves.heap import MOST_WORDS, Heap, address
from arcbatt.engine.waves.plan import Functions, Plan, resident_blocks
from arcbatt.language.limits import MAX_STEPS
from arcbatt.language.types import Type

LINES: Final = 16
"""Waves that may run at the same time."""


@dataclass
class Looked:
    """Statuses and hashes of values, a row for each slot that was asked for, by sample."""

    statuses: NDArray[np.uint8]
    hashes: NDArray[np.uint64]


class WaveRunner:
    """Runs the waves of a schedule on the current device.

    `cupy` is that module; `heap_bytes` what values may take; `widths` of kernels, where not as measured.
    """

    def __init__(
        self,
        cupy: Any,
        schedule: Schedule,
        *,
        heap_bytes: int,
        lines: int = LINES,
        max_steps: int = MAX_STEPS,
        widths: dict[WaveKernel, int] | None = None,
    ) -> None:
        self.cupy, self.schedule, self._max_steps = cupy, schedule, max_steps
        self.heap, self._lines = Heap(cupy, min(heap_bytes // 4, MOST_WORDS)), lines
        chosen = {wave.kernel: kernels.width(wave.kernel) for wave in schedule.waves} | (widths or {})
        self.functions: Functions = load(cupy, chosen)
        self._inputs, self._look = load_ends(cupy)
        self.stream = cupy.cuda.Stream(non_blocking=True)
        self.plan: Plan | None = None
        self.batches: list[int] = []
        """Of the last run, how many samples each batch had that was done."""

    def run(self, data: PackedSamples, slots: Sequence[tuple[int, Type]]) -> Looked:
        """Every wave on every sample; what became of the values of some slots."""
        found = Looked(np.zeros((len(slots), len(data)), np.uint8), np.zeros((len(slots), len(data)), np.uint64))
        first, size, order = 0, len(data), by_size(data)
        self.batches = []
        while first < len(data):
            rows = order[first : first + size]
            if not self._batch(data, rows, slots, found):
                if size == 1:
                    self._give_up(rows, slots, found)
                else:
                    size = -(-size // 2)
                    self.plan = None
                    continue
            self.batches.append(len(rows))
            first += len(rows)
        return found

    def _give_up(self, rows: NDArray[np.int64], slots: Sequence[tuple[int, Type]], found: Looked) -> None:
        """A sample that does not fit alone: overflow, for another engine."""
        found.statuses[:, rows] = OVERFLOW
        found.hashes[:, rows] = 0
        self.plan = None
        _ = slots

    def _batch(
        self, data: PackedSamples, rows: NDArray[np.int64], slots: Sequence[tuple[int, Type]], found: Looked
    ) -> bool:
        """Some samples; whether they fitted."""
        with self.stream:
            plan = self.prepare(data.only(rows))
            if not plan.fits():
                return False
            plan.replay(self.stream)
            looked = [self.look(plan, slot, kind, len(rows)) for slot, kind in slots]
            if self.heap.over():
                return False
            for row, (statuses, hashes) in enumerate(looked):
                found.statuses[row, rows] = statuses.get()
                found.hashes[row, rows] = hashes.get()
        return True

    def prepare(self, data: PackedSamples) -> Plan:
        """Lay out the schedule for samples, and place their inputs; call it with the runner's stream as the current."""
        tasks, task_of = np.unique(data.task, return_inverse=True)
        if self.plan is None or self.plan.samples < len(data) or self.plan.tasks < len(tasks):
            self.plan = None
            self.plan = Plan(
                self.schedule,
                self.heap,
                self.functions,
                samples=len(data),
                tasks=len(tasks),
                lines=self._lines,
                max_steps=self._max_steps,
            )
        plan = self.plan
        if plan.fits():
            plan.set_counts(task_of, len(tasks))
            self.heap.begin()
            self._place_inputs(plan, data, tasks)
        return plan

    def _place_inputs(self, plan: Plan, data: PackedSamples, tasks: NDArray[np.int32]) -> None:
        inputs = self.schedule.code.inputs
        arrays = {name: getattr(data, name) for name in PACKED.names}
        arrays["first"], arrays["count"] = data.first[tasks], data.count[tasks]
        self._packed = {name: self.cupy.asarray(np.ascontiguousarray(array)) for name, array in arrays.items()}

        def place(name: str) -> dict[str, int]:
            base, stride, _ = plan.place(inputs[name]) if name in inputs else (0, 0, 0)
            return {"base": base, "stride": stride, "map": 0}

        self._launch_inputs = self.cupy.asarray(
            WAVE_INPUTS.filled(
                heap=address(self.heap.memory),
                heap_words=self.heap.words,
                top=address(self.heap.top),
                arenas=self.heap.arenas(LANES),
                samples=len(data),
                tasks=len(tasks),
                input=place("I"),
                expected=place("C"),
                demonstrations=place("S"),
                packed={name: address(array) for name, array in self._packed.items()},
            )
        )
        self._input_blocks = self._blocks(len(data) + len(tasks))
        self.place_inputs_again()

    def place_inputs_again(self) -> None:
        """Place the inputs of the samples last prepared, on the current stream."""
        self._inputs((self._input_blocks,), (kernels.THREADS,), (self._launch_inputs,))

    def _blocks(self, groups: int) -> int:
        return max(1, min(resident_blocks(self.cupy), -(-groups * LANES // kernels.THREADS)))

    def look(self, plan: Plan, slot: int, kind: Type, count: int) -> tuple[Any, Any]:
        """Statuses and hashes of the values of a slot by sample, on the device."""
        statuses, hashes = self.cupy.zeros(count, np.uint8), self.cupy.zeros(count, np.uint64)
        shape = self.cupy.asarray(np.array(shape_of(kind), np.uint32))
        base, stride, map_ = plan.place(slot)
        launch = self.cupy.asarray(
            WAVE_LOOK.filled(
                heap=address(self.heap.memory),
                heap_words=self.heap.words,
                top=address(self.heap.top),
                arenas=self.heap.arenas(LANES),
                place={"base": base, "stride": stride, "map": map_},
                count=count,
                shape=address(shape),
                shape_words=len(shape),
                statuses=address(statuses),
                hashes=address(hashes),
            )
        )
        self._look((self._blocks(count),), (kernels.THREADS,), (launch,))
        return statuses, hashes


def by_size(data: PackedSamples) -> NDArray[np.int64]:
    """Samples by the size of their inputs, the largest first: what takes longest is not to begin last."""
    cells = data.height[data.input].astype(np.int64) * data.width[data.input]
    return np.argsort(-cells, kind="stable")


def load(cupy: Any, widths: dict[WaveKernel, int]) -> Functions:
    """The kernels on the current device, compiled where they are not kept."""
    wanted = {kernel: kernels.options(kernel, width) for kernel, width in widths.items()}
    paths = kernels.compiled(cupy.cuda.nvrtc, wanted.values(), _architecture(cupy))
    return {
        kernel: (cupy.RawModule(path=str(paths[one])).get_function(kernels.ENTRY), widths[kernel])
        for kernel, one in wanted.items()
    }


def load_ends(cupy: Any) -> tuple[Any, Any]:
    """The kernels that place inputs and look at values."""
    paths = kernels.compiled(cupy.cuda.nvrtc, [kernels.ENDS], _architecture(cupy))
    module = cupy.RawModule(path=str(paths[kernels.ENDS]))
    return module.get_function(kernels.INPUTS_ENTRY), module.get_function(kernels.LOOK_ENTRY)


def _architecture(cupy: Any) -> int:
    return int(cupy.cuda.Device().compute_capability)
