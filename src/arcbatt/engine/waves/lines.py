"""Which launches of a schedule may run at the same time, and their recording as a graph.

Waves of one *line* run one after the other, those of others at the same time, once what they take values from is
there. Lines are of three kinds: a wave that makes values needs a line with memory of its own for each group of threads
(`Heap.arenas`), of which there are not many; waves that only read and write slots have lines without; and what a wave
leaves to blocks, which may take long, runs on a line of a third kind, so that only those wait for it that need it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from arcbatt.compiler.wave_parts import Stretch, Wave
from arcbatt.engine.waves.kernels import BLOCK, THREADS


@dataclass(frozen=True)
class Giants:
    """The launch of blocks for what a wave leaves to them."""

    function: Any
    blocks: int
    arguments: tuple[np.uint64, ...]
    line: int

    def __call__(self) -> None:
        """Launch it on the current stream."""
        self.function((self.blocks,), (BLOCK,), self.arguments)


@dataclass(frozen=True)
class Launch:
    """One launch of a wave."""

    wave: Wave
    function: Any
    blocks: tuple[int]
    arguments: tuple[np.uint64, ...]
    line: int
    giants: Giants | None = None

    def __call__(self) -> None:
        """Launch it on the current stream, and what it leaves to blocks."""
        self.alone()
        if self.giants:
            self.giants()

    def alone(self) -> None:
        """Launch it without what it leaves to blocks."""
        self.function(self.blocks, (THREADS,), self.arguments)

    @property
    def last_line(self) -> int:
        """The line on which it ends."""
        return self.giants.line if self.giants else self.line


class Lines:
    """Lines handed out to the waves of a schedule in their order, each the one on which it could begin first."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._free = [0] * (3 * count)
        self._ends: list[int] = []

    def take(
        self, wave: Wave, takes: int, *, makes: bool, giants: bool, among: tuple[int, int] | None = None
    ) -> tuple[int, int]:
        """The line of the next wave, and that of what it leaves to blocks; `takes` is a guess of how long it takes.

        `among` are the first and the end of the lines of each kind it may be on.
        """
        first, end = among or (0, self.count)
        begin = max((self._ends[number] for number in wave.after), default=0)
        line = self._earliest(range(first, end) if makes else range(self.count + first, self.count + end), begin)
        done = self._free[line] = max(self._free[line], begin) + takes
        behind = -1
        if giants:
            behind = self._earliest(range(2 * self.count + first, 2 * self.count + end), done)
            done = self._free[behind] = max(self._free[behind], done) + takes
        self._ends.append(done)
        return line, behind

    def _earliest(self, lines: range, ready: int) -> int:
        return min(lines, key=lambda one: (max(self._free[one], ready), -self._free[one]))


def captured(cupy: Any, launches: Sequence[Launch], part: Stretch) -> Any:
    """Launches as a graph: a wave waits for those it takes values from, and for the one before it in its line."""
    return _Capture(cupy, launches, part).graph()


class _Capture:
    def __init__(self, cupy: Any, launches: Sequence[Launch], part: Stretch) -> None:
        self.cupy, self.launches, self.part = cupy, launches, part
        mine = launches[part.first : part.end]
        lines = {one.line for one in mine} | {one.last_line for one in mine}
        self.streams = {line: cupy.cuda.Stream(non_blocking=True) for line in lines}
        self.done: dict[int, tuple[int, Any]] = {}
        """Of waves the line they end on, and the event."""
        self.waited: dict[tuple[int, int], int] = {}
        """Of two lines, the last wave of the second that the first has waited for."""

    def graph(self) -> Any:
        main, *others = self.streams.values()
        main.begin_capture()
        try:
            self._join([main], others)
            for number in range(self.part.first, self.part.end):
                self._put(number)
            self._join(others, [main])
        finally:
            graph = main.end_capture()
        return graph

    def _put(self, number: int) -> None:
        launch = self.launches[number]
        for earlier in launch.wave.after:
            if earlier in self.done:
                self._wait(launch.line, earlier)
        event = self._on(launch.line, launch.alone)
        if launch.giants:
            self.streams[launch.giants.line].wait_event(event)
            event = self._on(launch.giants.line, launch.giants)
        self.done[number] = launch.last_line, event

    def _wait(self, line: int, earlier: int) -> None:
        """Have a line wait for a wave, if it has not waited for one behind it already."""
        other, event = self.done[earlier]
        if other != line and self.waited.get((line, other), -1) < earlier:
            self.streams[line].wait_event(event)
            self.waited[line, other] = earlier

    def _on(self, line: int, work: Callable[[], None]) -> Any:
        """Do something on a line; the event of its end."""
        event = self.cupy.cuda.Event(disable_timing=True)
        with self.streams[line]:
            work()
        event.record(self.streams[line])
        return event

    def _join(self, first: Sequence[Any], then: Sequence[Any]) -> None:
        """Have streams wait for what others have been given so far."""
        for stream in first if then else ():
            event = self.cupy.cuda.Event(disable_timing=True)
            event.record(stream)
            for other in then:
                other.wait_event(event)
