"""The GPU engine: slices of a merged graph on many samples in one launch, data and results on the device.

Needs CuPy (`pip install 'arcbatt[cuda]'`) to be imported, and an NVIDIA GPU to make an engine.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import fields, replace
from functools import cached_property, partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from arcbatt.compiler.abi import OVERFLOW, POOL_UNIT
from arcbatt.compiler.custom import device_text
from arcbatt.compiler.internal_errors import InternalErrors
from arcbatt.compiler.lower.slices import Sliced
from arcbatt.compiler.program_set import CompiledSet
from arcbatt.compiler.step_bounds import steps_too_many
from arcbatt.data.packing import PackedSamples
from arcbatt.engine.api import RunRequest
from arcbatt.engine.cpu import CpuTier
from arcbatt.engine.cuda import device as cuda_device
from arcbatt.engine.cuda.compile import ARENA_BYTES, ENTRY, OBJECTS_KERNEL, KernelOptions, cubin, to_stderr
from arcbatt.engine.cuda.cpu_spill import CpuSpill
from arcbatt.engine.cuda.device import device_count, device_problem, first_line
from arcbatt.engine.cuda.launch import NO_OBJECTS, Launcher, UnfinishedError, Work, tasks_of
from arcbatt.engine.cuda.memory import DeviceMemory
from arcbatt.engine.cuda.objects import OBJECTS_ENTRY, KnownObjects, ObjectFinder, modes_wanted
from arcbatt.engine.cuda.results import Ran, Results
from arcbatt.engine.cuda.staging import Beside, Staging
from arcbatt.engine.custom_build import graph_sources
from arcbatt.engine.gpu import GpuEngine, GpuTier, one_device
from arcbatt.engine.outputs import Outputs, Wanted
from arcbatt.engine.stats import KernelStats
from arcbatt.engine.tiers import Columns, Rows, Sink, run_alone

cupy = cuda_device.cupy_module()

__all__ = ["CudaEngine", "CudaTier", "device_count", "device_errors", "device_problem"]

_ITEMS_PER_GROUP: Final = 320
"""Work items a resident group should find, so that long ones even out."""
_MOST_SLICES: Final = 2048
_BIGGER: Final = 16
"""How many times bigger arenas are for what did not fit."""
_MOST_WORDS: Final = 1 << 28
"""The biggest arena on the device."""
_POOL_BYTES: Final = 1 << 24
"""Room for the grids of a launch at first."""
_BATCH_ARENA: Final = 4
"""How many times smaller the arenas of a batch are: it has many, and what does not fit runs by itself."""
_LAUNCH_SAMPLES: Final = 1 << 14, 1 << 20
_LAUNCH_EVALUATIONS: Final = 1 << 23
"""Samples a launch, so that a stop is seen: at least, at most, and between these by evaluations."""


def device_errors() -> tuple[type[Exception], ...]:
    """What is raised where a device cannot go on; its memory being short is another matter."""
    return (*cuda_device.device_errors(), UnfinishedError)


class CudaTier(GpuTier):
    """Slices of the programs on one GPU, data and results there.

    The programs are cut into about `slices` parts, by default so many that every resident group of lanes finds several
    work items. Each group has an arena of `arena_bytes`; what does not fit runs again in fewer, bigger arenas, and then
    on the tier below. All memory comes from CuPy's pool and stays within the pool's limit, where one is set
    (`arcbatt.engine.device_memory.configure_gpu_memory`), else within `memory_fraction` of what is free. Where memory
    is short there are fewer arenas, then fewer samples per launch.

    A device that fails in the middle of a run leaves the rest of it, and later runs, to the tier below; without
    `keep_going` that is an error. A GPU checks no bytecode, so programs that the CPU's check refuses do not run here.
    """

    def __init__(
        self,
        compiled: CompiledSet,
        device: int,
        cpu: Callable[[], CpuTier],
        *,
        slices: int | None,
        arena_bytes: int,
        memory_fraction: float,
        keep_going: bool,
        threads: int,
        kernel: KernelOptions | None,
    ) -> None:
        super().__init__(compiled, device)
        self.kernel = replace(kernel or KernelOptions(), custom=device_text(graph_sources(compiled.graph)))
        self.keep_going = keep_going
        self._cpu = cpu
        self._turn = threading.Lock()
        """Held by the thread whose run is on the device."""
        self._not_here: dict[str, str] = {}
        """Programs that only this tier cannot run, and why."""
        low, high = _LAUNCH_SAMPLES
        self._most_samples = min(max(_LAUNCH_EVALUATIONS // max(1, len(self.names)), low), high)
        self.last = KernelStats()
        """Of the last run."""
        self.batch = 32
        """Samples a block takes at a time of slices without loops, where there are twice as many."""
        self.time_slice = 30_000_000
        """Clock cycles an item may take a program before its loops are shared out; 0 for any number."""
        self.few = 64 * threads
        """How many items that do not fit are for the CPU at once: a launch for so few would take longer."""
        self.together = True
        """Whether the groups of a block begin their items at the same time."""
        self.timed = False
        """Whether to take the time of every task."""
        self._slices = slices
        self._arena_bytes = arena_bytes
        self._sliced: Sliced | None = None
        self._resident: tuple[PackedSamples, dict[str, Any]] | None = None
        self._modes = modes_wanted(compiled.typed)
        self._known: tuple[PackedSamples, KnownObjects] | None = None
        self._inward, self._outward = Staging(cupy, self.device), Staging(cupy, self.device)
        with cupy.cuda.Device(self.device) as current:
            self._multiprocessors = int(current.attributes["MultiProcessorCount"])
            self._function = self._main_kernel(int(current.compute_capability))
        self._memory = DeviceMemory(cupy, memory_fraction, self.kernel.groups, self.groups)

    def _main_kernel(self, arch: int) -> Any:
        """The kernel with the custom operations of the programs, or without where it does not compile with them."""
        try:
            return self._compiled(self.kernel, ENTRY, arch)
        except Exception as error:
            sources = graph_sources(self.compiled.graph)
            if not sources:
                raise
            self.kernel = replace(self.kernel, custom="")
            why = f"its custom operation does not compile for the GPU: {first_line(error)}"
            names = self.compiled.graph.programs_using({kernel.name for kernel in sources})
            self._not_here = dict.fromkeys(names, why)
            return self._compiled(self.kernel, ENTRY, arch)

    @staticmethod
    def _compiled(options: KernelOptions, entry: str, arch: int, say: Callable[[str], None] = to_stderr) -> Any:
        return cupy.RawModule(path=str(cubin(cupy.cuda.nvrtc, options, arch, say=say))).get_function(entry)

    @cached_property
    def _objects(self) -> Any:
        with cupy.cuda.Device(self.device) as current:
            arch = int(current.compute_capability)
            return self._compiled(OBJECTS_KERNEL, OBJECTS_ENTRY, arch, lambda _: None)  # it takes no time

    @cached_property
    def _column_of(self) -> dict[str, int]:
        return {name: column for column, name in enumerate(self.names)}

    @cached_property
    def _columns(self) -> list[NDArray[np.int64]]:
        """Of each slice, the columns of its programs."""
        return [np.array([self._column_of[name] for name in code.outputs], np.int64) for code in self.sliced(0).codes]

    def refused(self) -> dict[str, str]:
        """Programs that have no bytecode, and why."""
        unchecked = {name: str(error) for name, error in self.internal_errors().items()}
        return (self._sliced or self.compiled.code()).rejected | unchecked | self._not_here

    def internal_errors(self) -> InternalErrors:
        """Of these, those over which arcbatt itself failed."""
        here = self._sliced.internal_errors if self._sliced else {}
        return self._cpu().internal_errors() | here

    def _runnable(self) -> CompiledSet:
        """The programs without those that must not run here."""
        without = self._cpu().internal_errors().keys() | self._not_here.keys()
        return self.compiled.subset([name for name in self.names if name not in without]) if without else self.compiled

    def unfit_reason(self) -> str:
        """Why evaluations that do not fit go to the tier below."""
        return f"too big for an arena on GPU {self.device}"

    def column_groups(self) -> Sequence[Columns]:
        """The programs by slice."""
        return self._columns

    @property
    def groups(self) -> int:
        """How many groups of lanes are resident."""
        return self._multiprocessors * self.kernel.blocks * self.kernel.groups

    def sliced(self, samples: int) -> Sliced:
        """The slices, cut once, by the number of samples seen first."""
        if self._sliced is None:
            wanted = self._slices or min(_MOST_SLICES, -(-_ITEMS_PER_GROUP * self.groups // max(samples, 1)))
            with self.last.traffic.stage("slice"):
                self._sliced = self._runnable().sliced(max(1, wanted))
                words, table = self._sliced.blob(self._column_of)
            self._blob, self._table = self.last.traffic.upload(words), self.last.traffic.upload(table)
        return self._sliced

    def resident(self, data: PackedSamples) -> dict[str, Any]:
        """The packed samples on the device; those of the last run stay there."""
        if self._resident is None or self._resident[0] is not data:
            before, there = self._resident or (None, {})
            self._resident = (data, {
                one.name: there[one.name]
                if getattr(before, one.name, None) is getattr(data, one.name)
                else self._to_device("samples", getattr(data, one.name))
                for one in fields(PackedSamples)
            })  # fmt: skip
        return self._resident[1]

    def known_objects(self, data: PackedSamples) -> KnownObjects | None:
        """The objects of the inputs in the modes programs ask for, found once for samples that stay on the device."""
        if not self._modes:
            return None
        if self._known is None or self._known[0] is not data:
            self._known = None
            with suppress(cupy.cuda.memory.OutOfMemoryError):  # then programs find them themselves
                found = self.find_objects(data, np.unique(data.input).astype(np.uint32))
                self.last.objects_ms = found.milliseconds
                self._known = (data, found)
        return self._known[1] if self._known else None

    def find_objects(self, data: PackedSamples, numbers: NDArray[np.uint32]) -> KnownObjects:
        """The objects of the grids with these numbers, in the modes programs ask for."""
        finder = ObjectFinder(
            cupy, self._objects, self._multiprocessors, self._modes, self.resident(data), self.last
        )  # fmt: skip
        return finder.find(numbers, data.height[numbers].astype(np.int64) * data.width[numbers])

    def forget_samples(self) -> None:
        """Drop the samples that are on the device, so that the next run copies its own."""
        self._resident = self._known = None

    def run(self, request: RunRequest, result: Outputs, sink: Sink) -> None:
        """Every program on every sample; `stop` is asked between launches."""
        with self._turn:
            self.last = KernelStats()
            if not self.lost:  # by the run before, while this one waited
                with self._until_lost():
                    self._run_parts(request, result, sink)
            if self.lost and not request.stopped():
                result.recovered_errors[self.lost] += 1
                sink.pass_on(np.flatnonzero(~result.done), self.lost)

    # --- launches ---
    @contextmanager
    def _until_lost(self) -> Iterator[None]:
        """Work on the device; where the device fails that ends, and `lost` says why, or it is raised."""
        try:
            with cupy.cuda.Device(self.device):
                yield
        except Exception as error:  # also what nobody had foreseen: the tier below does not depend on it
            if not self.keep_going:
                raise
            self.lost = f"GPU {self.device} failed: {first_line(error)}"

    def _run_parts(self, request: RunRequest, result: Outputs, sink: Sink) -> None:
        """All samples, one launch after the other; fewer samples per launch as long as memory is short.

        While a part runs, the results of the one before are fetched.
        """
        data = request.samples
        self.sliced(len(data))
        self.resident(data)
        self.known_objects(data)
        first = 0
        fetched: Future[None] | None = None

        def landed() -> None:
            if fetched is not None:
                fetched.result()
                sink.tell()

        with Beside(len(data) > self._most_samples) as beside:
            while first < len(data) and not request.stopped():
                part = self._part(data, first)
                ran: Ran | None = None
                with suppress(cupy.cuda.memory.OutOfMemoryError):  # what the launch had allocated goes with it
                    ran = self._run_part(request, part)
                landed()
                fetched = None
                if ran is not None:
                    fetched = beside.do(self._fetch, ran, part, result, request.outputs, sink)
                elif self._smaller(part, result):
                    continue
                else:
                    why = f"a sample did not fit in the memory of GPU {self.device}"
                    sink.pass_on(np.arange(part.start, part.stop), why)
                first = part.stop
            landed()

    def _part(self, data: PackedSamples, first: int) -> slice:
        """The samples of the launch that begins with one."""
        return slice(first, min(first + self._most_samples, len(data)))

    def _smaller(self, part: slice, result: Outputs) -> bool:
        """Have launches be half of a part that did not fit; false if that is one sample already."""
        cupy.get_default_memory_pool().free_all_blocks()
        result.recovered_errors[f"GPU {self.device} ran out of memory: launches were halved"] += 1
        count = part.stop - part.start
        self._most_samples = max(1, count // 2)
        return bool(count > 1)

    @staticmethod
    def _order(data: PackedSamples, part: slice) -> NDArray[np.int32]:
        """The order in which samples of a part are taken: those with most cells first."""
        grids = data.input[part]
        cells = data.height[grids].astype(np.int64) * data.width[grids]
        return np.argsort(-cells, kind="stable").astype(np.int32)

    def _to_device(self, name: str, array: NDArray[Any]) -> Any:
        with self.last.traffic.sending(array.nbytes):
            return self._inward.to_device(name, array)

    def _to_host(self, name: str, array: Any) -> NDArray[Any]:
        with self.last.traffic.fetching(array.nbytes):
            return self._outward.to_host(name, array)

    def _run_part(self, request: RunRequest, part: slice, pool_bytes: int = 0) -> Ran:
        """Some samples: launched, and run again where they did not fit."""
        data, wanted, largest = request.samples, request.outputs, request.largest
        sliced = self.sliced(len(data))
        order = self._order(data, part)
        there = {**self.resident(data)}
        for name in ("input", "expected", "task"):
            there[name] = there[name][part]
        pool_bytes = pool_bytes or min(_POOL_BYTES, self._memory.room() // 4)
        out = Results.make(cupy, part.stop - part.start, len(self.names), wanted, pool_bytes)
        pool_next = cupy.zeros(1, np.uint32)
        known = self.known_objects(data)
        spent_end = steps_too_many(self.compiled.typed.bounds, self.names, request.max_total)
        launcher = Launcher(
            cupy, self._function, self.kernel, self._blob, self._table, len(self.names), request.max_steps, spent_end,
            there, out, largest, pool_next, self.last, self.timed, self.together,
            known.fields() if known else NO_OBJECTS,
        )  # fmt: skip
        slices = len(sliced.codes)
        least = max((len(code.image) for code in sliced.codes), default=0) + 4096
        straight = self._in_batches(launcher, order, sliced.straight, least)
        rest = np.arange(0 if straight is None else sliced.straight, slices, dtype=np.int32)
        items = np.stack([np.repeat(rest, len(order)), np.tile(order, len(rest))], axis=1)
        if straight is not None:
            items = np.concatenate([straight, items])
        spill = CpuSpill(partial(self._slice_on_cpu, request.only(part, progress=None, stop=None)), self.few)
        words, size = max(self._arena_bytes // 4, least), 0
        if len(items) and not self._memory.groups_for(words, len(items)):
            words = least
            if not self._memory.groups_for(words, len(items)):
                raise cupy.cuda.memory.OutOfMemoryError(4 * words, 0)
        while len(items) and not (size and len(items) <= self.few):
            groups = min(self.groups, self._memory.groups_for(words, len(items)))
            if not groups or words > _MOST_WORDS:
                break
            if size:
                self.last.ran_again(size, len(items))
            memory = self._memory.for_shares(words, groups, len(items))
            programs = max(1, len(sliced.names) // max(1, slices))  # that an item runs
            time_slice = self.time_slice * programs if memory else 0
            items = launcher.tasks(tasks_of(items), groups, words, time_slice, memory, spill.begin)
            words, size = words * _BIGGER, size + 1
            if len(items) > self.few:
                spill.drop()  # they go to bigger arenas
        used = POOL_UNIT * int(self.last.traffic.download(pool_next)[0])
        if used > pool_bytes and wanted == "grid":
            spill.drop()
            return self._run_part(request, part, used)
        self.last.items += slices * len(order)
        return Ran(out, used, size, 4 * words // _BIGGER, spill)

    def _in_batches(
        self, launcher: Launcher, order: NDArray[np.int32], slices: int, least: int
    ) -> NDArray[np.int32] | None:
        """Run the first slices on all samples by batches; the items that are left. None if there are no batches."""
        blocks = self._multiprocessors * self.kernel.blocks
        words = max(self._arena_bytes // 4 // _BATCH_ARENA, least)
        batch = min(self.batch, self._memory.groups_for(words, 2 * slices * len(order)) // blocks)
        if not slices or batch < self.kernel.groups or len(order) < 2 * batch:
            return None
        work = Work.in_batches(self._to_device("order", order), slices, batch)
        return launcher.batches(work, blocks, words)

    def _fetch(self, ran: Ran, part: slice, result: Outputs, wanted: Wanted, sink: Sink) -> None:
        """The results of a part to where those of the run are, with those of the CPU for what fitted nowhere."""
        out, host = ran.out, self._to_host
        result.statuses[part] = host("statuses", out.statuses)
        result.matches[part] = host("matches", out.matches).view(np.bool_)
        result.agreement[part] = host("agreement", out.agreement)
        if wanted != "match":
            assert result.hashes is not None
            result.hashes[part] = host("hashes", out.hashes)
        if wanted == "grid":
            assert result.grids is not None
            offset = host("offset", out.offset)
            offset[offset >= 0] += len(result.grids.cells)
            result.grids.offset[part] = offset
            result.grids.height[part], result.grids.width[part] = host("height", out.height), host("width", out.width)
            result.grids.cells = np.concatenate([result.grids.cells, host("cells", out.pool[: ran.pool_used])])
        result.grown += ran.sizes - 1
        result.peak_bytes = max(result.peak_bytes, ran.arena_bytes)
        result.done[part] = True
        self.last.on_cpu += int((result.statuses[part] == OVERFLOW).sum())
        for number, rows, found in ran.spill.results():
            sink.answered(part.start + rows, self._columns[number], found, self.unfit_reason())
        sink.finished(np.arange(part.start, part.stop))

    def _slice_on_cpu(self, request: RunRequest, number: int, rows: Rows) -> Outputs:
        """What a slice's programs give on some samples on the CPU."""
        return run_alone(self._cpu().part(self._columns[number]), request.only(rows))


class CudaEngine(GpuEngine):
    """Runs compiled programs on samples on one GPU; `CudaTier` says what the options are.

    What does not fit there runs on the CPU, which has `threads`, by default as many as cores; what has no bytecode runs
    on the dynamic tier. Threads may share an engine; their runs come one after the other, but for packing and what the
    dynamic tier does.
    """

    backend = "cuda"

    def __init__(
        self,
        compiled: CompiledSet,
        *,
        devices: Sequence[int] = (),
        slices: int | None = None,
        arena_bytes: int = ARENA_BYTES,
        memory_fraction: float = 0.8,
        keep_going: bool = True,
        threads: int | None = None,
        kernel: KernelOptions | None = None,
    ) -> None:
        device = one_device(devices, device_count())
        super().__init__(compiled, threads or os.cpu_count() or 1)
        self._options: dict[str, Any] = {
            "slices": slices, "arena_bytes": arena_bytes, "memory_fraction": memory_fraction, "keep_going": keep_going,
            "kernel": kernel,
        }  # fmt: skip
        self.cuda = CudaTier(compiled, device, lambda: self._cpu, threads=self.threads, **self._options)

    def of_set(self, compiled: CompiledSet) -> CudaEngine:
        """An engine as this one, for other programs."""
        return CudaEngine(compiled, devices=(self.cuda.device,), threads=self.threads, **self._options)

    @property
    def gpu(self) -> CudaTier:
        """The tier on the GPU."""
        return self.cuda

    def forget_samples(self) -> None:
        """Drop the samples that are on the device, so that the next run copies its own."""
        self.cuda.forget_samples()
