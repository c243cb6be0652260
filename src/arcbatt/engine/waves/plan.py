"""A schedule of waves laid out for so many samples: where every node's values are, and the launches, as one graph.

Launches are recorded once (stream capture) and replayed for every batch of samples: what differs between batches, how
many indexes a domain has and what the inputs are, is read on the device.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np

from arcbatt.compiler.abi import TYPE_DESC, WAVE_LAUNCH, WAVE_PLACE
from arcbatt.compiler.waves import Domain, Schedule, Wave, WaveKernel
from arcbatt.engine.waves.heap import Heap, Place, address, places
from arcbatt.engine.waves.kernels import THREADS

Functions = Mapping[WaveKernel, tuple[Any, int]]
"""Of each kernel its function on the device and its width."""


@dataclass(frozen=True)
class Launch:
    """One launch of a wave."""

    wave: Wave
    function: Any
    blocks: tuple[int, int]
    arguments: tuple[np.uint64, ...]
    line: int
    """Waves of one line run one after the other, those of others at the same time."""

    def __call__(self) -> None:
        """Launch it on the current stream."""
        self.function(self.blocks, (THREADS,), self.arguments)


class Plan:
    """Where a schedule's values are for at most so many samples and tasks, and its launches.

    Slots are taken from the heap; `given` says of inputs that have values already where these are.
    """

    def __init__(
        self,
        schedule: Schedule,
        heap: Heap,
        functions: Functions,
        *,
        samples: int,
        tasks: int = 0,
        max_steps: int,
        given: Mapping[int, Place] | None = None,
    ) -> None:
        self.schedule, self.heap, self.samples, self.tasks = schedule, heap, samples, tasks
        self._cupy, self._functions, self._max_steps = heap.cupy, functions, max_steps
        self._given = given or {}
        self._most = {Domain.ONCE: 1, Domain.TASKS: tasks, Domain.SAMPLES: samples}
        self.counts = self._cupy.asarray(np.array([1, tasks, samples], np.uint32))
        self.task_of = self._cupy.zeros(max(samples, 1) if tasks else 1, np.uint32)
        image = np.array(schedule.code.image, np.uint32)
        self._image = heap.take(len(image))
        self._bases = {
            slot: heap.take(schedule.sizes[slot] * self._most[domain])
            for slot, domain in schedule.domains.items()
            if slot not in self._given
        }
        self._graph: Any = None
        self.launches: list[Launch] = []
        if self.fits():
            heap.memory[self._image : self._image + len(image)] = self._cupy.asarray(image)
            self.launches += self._launches()

    def fits(self) -> bool:
        """Whether slots and constants do."""
        return self.heap.used <= self.heap.words

    def set_counts(self, task_of: Sequence[int] | np.ndarray[Any, Any], tasks: int) -> None:
        """Say how many samples and tasks there are now, and the task of each sample."""
        self.counts[...] = self._cupy.asarray(np.array([1, tasks, len(task_of)], np.uint32))
        self.task_of[: len(task_of)] = self._cupy.asarray(np.asarray(task_of, np.uint32))

    def place(self, slot: int, domain: Domain = Domain.SAMPLES) -> Place:
        """Where the values of a slot are, for calls of a domain."""
        if slot in self._given:
            return self._given[slot]
        own = self.schedule.domains.get(slot)
        if own is None:  # a constant
            return self._image + slot, 0, 0
        if own is Domain.ONCE:
            return self._bases[slot], 0, 0
        return self._bases[slot], self.schedule.sizes[slot], address(self.task_of) if own < domain else 0

    def _launches(self) -> Iterator[Launch]:
        cupy, waves = self._cupy, self.schedule.waves
        rows = [
            [self.place(node.result, wave.domain), self.place(node.cost, wave.domain) if node.cost else (0, 0, 0)]
            + [self.place(arg, wave.domain) for arg in node.args]
            for wave in waves
            for node in wave.nodes
        ]
        starts = np.cumsum([0, *map(len, rows)])
        self._places = cupy.asarray(places([row for node in rows for row in node]))
        counts = [address(self.counts) + 4 * wave.domain for wave in waves for _ in wave.nodes]
        self._node_counts = cupy.asarray(np.array(counts, np.uint64))
        codes = self._codes()
        at = 0
        for wave, line in zip(waves, lines_of(waves, self.heap.lines), strict=True):
            function, width = self._functions[wave.kernel]
            values = {
                "heap": address(self.heap.memory),
                "heap_words": self.heap.words,
                "top": address(self.heap.top),
                "arenas": self.heap.arenas(width, line),
                "max_steps": self._max_steps,
                "places": address(self._places) + WAVE_PLACE.bytes * int(starts[at]),
                "counts": address(self._node_counts) + 8 * at,
                "nodes": len(wave.nodes),
                **codes[wave.kernel],
            }
            arguments = tuple(np.uint64(values[name]) for name in WAVE_LAUNCH.names)
            yield Launch(wave, function, self._blocks(wave, width), arguments, line)
            at += len(wave.nodes)

    def _blocks(self, wave: Wave, width: int) -> tuple[int, int]:
        """Blocks beside one another: for the indexes of a node, and for nodes."""
        most = self.heap.blocks
        wide = min(most, max(1, -(-self._most[wave.domain] * width // THREADS)))
        return wide, min(len(wave.nodes), max(1, most // wide))

    def _codes(self) -> dict[WaveKernel, dict[str, int]]:
        """Of each kernel, the addresses of its instruction and types."""
        words: list[int] = []
        found: dict[WaveKernel, dict[str, int]] = {}
        for kernel in dict.fromkeys(wave.kernel for wave in self.schedule.waves):
            found[kernel] = {}
            parts = {"code": kernel.words, "types": TYPE_DESC.rows(kernel.types).tolist(), "parts": kernel.parts}
            for name, part in parts.items():
                found[kernel][name] = 4 * len(words)
                words.extend(part)
        self._code = self._cupy.asarray(np.array([*words, 0], np.uint32))
        base = address(self._code)
        return {kernel: {name: base + at for name, at in one.items()} for kernel, one in found.items()}

    def levels(self) -> Iterator[list[Launch]]:
        """The launches, level by level."""
        for _, level in groupby(self.launches, key=lambda one: one.wave.level):
            yield list(level)

    def replay(self, stream: Any) -> None:
        """All waves, once, on a stream."""
        if self._graph is None:
            self._graph = captured(self._cupy, self.launches, self.heap.lines)
        self._graph.launch(stream)


def lines_of(waves: Sequence[Wave], lines: int) -> list[int]:
    """A line for each wave: the one in which it could begin first, if all nodes took the same time."""
    free = [0] * lines
    ends: list[int] = []
    found: list[int] = []
    for wave in waves:
        ready = max((ends[number] for number in wave.after), default=0)
        line = min(range(lines), key=lambda one: (max(free[one], ready), -free[one]))
        free[line] = max(free[line], ready) + 1 + len(wave.nodes)
        ends.append(free[line])
        found.append(line)
    return found


def captured(cupy: Any, launches: Sequence[Launch], lines: int) -> Any:
    """Launches as a graph: a wave waits for those it takes values from, and for the one before it in its line."""
    streams = [cupy.cuda.Stream(non_blocking=True) for _ in range(lines)]
    main = streams[0]
    main.begin_capture()
    try:
        _join(cupy, [main], streams[1:])
        done: list[Any] = []
        seen = [[-1] * lines for _ in range(lines)]  # by line, the last wave of each other it has waited for
        for launch in launches:
            for earlier in launch.wave.after:
                line = launches[earlier].line
                if line != launch.line and seen[launch.line][line] < earlier:
                    streams[launch.line].wait_event(done[earlier])
                    seen[launch.line][line] = earlier
            done.append(_launched(cupy, streams, launch))
        _join(cupy, streams[1:], [main])
    finally:
        graph = main.end_capture()
    return graph


def _launched(cupy: Any, streams: Sequence[Any], launch: Launch) -> Any:
    """Launch a wave in its line; the event of its end."""
    event = cupy.cuda.Event(disable_timing=True)
    with streams[launch.line]:
        launch()
    event.record(streams[launch.line])
    return event


def _join(cupy: Any, first: Sequence[Any], then: Sequence[Any]) -> None:
    """Have streams wait for what others have been given so far."""
    for stream in first if then else ():
        event = cupy.cuda.Event(disable_timing=True)
        event.record(stream)
        for other in then:
            other.wait_event(event)


def calls(waves: Sequence[Wave], count: Callable[[Domain], int]) -> int:
    """How many calls waves are."""
    return sum(len(wave.nodes) * count(wave.domain) for wave in waves)
