"""Which launches of a schedule may run at the same time, and their recording as a graph.

Waves of one *line* run one after the other, those of others at the same time, once what they take values from is
there. Lines are of three kinds: a wave that makes values needs a line with memory of its own for each group of threads
(`Heap.arenas`), of which there are not many; waves that only read and write slots have lines without; and what a wave
leaves to blocks, which may take long, runs on a line of a third kind, so that only those wait for it that need it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any

import numpy as np

from arcbatt.compiler.wave_parts import Stretch, Wave


@dataclass(frozen=True)
class Work:
    """A wave to find a line for: about how long it takes, and what it leaves to blocks, 0 for nothing."""

    wave: Wave
    takes: float
    makes: bool
    """Whether it needs memory of its own for each group."""
    blocks_take: float = 0.0


@dataclass(frozen=True)
class Turn:
    """Where a wave runs: its line, that of what it leaves to blocks or -1, and when it would begin."""

    line: int
    behind: int
    begin: float


@dataclass(frozen=True)
class Start:
    """A kernel on so many blocks of so many threads."""

    function: Any
    blocks: int
    threads: int
    arguments: tuple[np.uint64, ...]

    def __call__(self) -> None:
        """Launch it on the current stream."""
        self.function((self.blocks,), (self.threads,), self.arguments)


@dataclass(frozen=True)
class Launch:
    """One launch of a wave: threads for calls of few words, if it has any, its own, and blocks for what it leaves."""

    wave: Wave
    own: Start
    turn: Turn
    giants: Start | None = None
    few: Start | None = None

    def __call__(self) -> None:
        """Launch it on the current stream, and what it leaves to blocks."""
        self.alone()
        if self.giants:
            self.giants()

    def alone(self) -> None:
        """Launch it without what it leaves to blocks."""
        if self.few:
            self.few()
        self.own()

    def timed(self, cupy: Any) -> tuple[Any, Any, Any]:
        """Launch it on the current stream between events; the second is before what it leaves to blocks."""
        start, middle, end = (cupy.cuda.Event() for _ in range(3))
        start.record()
        self.alone()
        middle.record()
        if self.giants:
            self.giants()
        end.record()
        return start, middle, end

    @property
    def last_line(self) -> int:
        """The line on which it ends."""
        return self.turn.behind if self.giants else self.turn.line


def turns(works: Sequence[Work], first: int, lines: range, count: int) -> list[Turn]:
    """Lines for the waves of a stretch, whose first is number `first`; `lines` are those of each kind it may be on.

    There are `count` of each kind. Of the waves that could begin, the one comes first behind which most is left to do.
    """
    return _Dealing(works, first, lines, count).turns()


class _Dealing:
    """Waves dealt out to lines as time goes on."""

    def __init__(self, works: Sequence[Work], first: int, lines: range, count: int) -> None:
        self.works = works
        numbers = range(first, first + len(works))
        needs = [[one - first for one in work.wave.after if one in numbers] for work in works]
        self.waits_for = [len(before) for before in needs]
        """Of each wave, how many of those it needs have no turn yet."""
        self.has_all = [0.0] * len(works)
        """And when the last of the others is done."""
        self.needed_by: list[list[int]] = [[] for _ in works]
        for number, before in enumerate(needs):
            for one in before:
                self.needed_by[one].append(number)
        self.left = [0.0] * len(works)
        """How long it takes from the beginning of a wave to the end of all that need it."""
        for number in reversed(range(len(works))):
            after = max((self.left[one] for one in self.needed_by[number]), default=0.0)
            self.left[number] = works[number].takes + works[number].blocks_take + after
        self.coming = [(0.0, number) for number, waits in enumerate(self.waits_for) if not waits]
        """When a wave has what it needs, and its number: heaps, as all that follow."""
        self.ready: dict[bool, list[tuple[float, int]]] = {True: [], False: []}
        """Waves that have it, by whether they make values; most left to do first."""
        self.free = {makes: [(0.0, line + (0 if makes else count)) for line in lines] for makes in (True, False)}
        """When a line is free, and which."""
        self.behind = [(0.0, line + 2 * count) for line in lines]
        self.found = [Turn(0, -1, 0.0)] * len(works)

    def turns(self) -> list[Turn]:
        now = 0.0
        while self.coming or any(self.ready.values()):
            while self.coming and self.coming[0][0] <= now:
                number = heappop(self.coming)[1]
                heappush(self.ready[self.works[number].makes], (-self.left[number], number))
            for makes, some in self.ready.items():
                while some and self.free[makes][0][0] <= now:
                    self._begin(heappop(some)[1], now)
            begins = [self.free[makes][0][0] for makes, some in self.ready.items() if some]
            begins += [self.coming[0][0]] if self.coming else []
            now = max(now, min(begins, default=now))
        return self.found

    def _begin(self, number: int, now: float) -> None:
        """A wave on the line that is free; what needs it can begin when it and its blocks are done."""
        work = self.works[number]
        _, line = heappop(self.free[work.makes])
        done, block_line = now + work.takes, -1
        heappush(self.free[work.makes], (done, line))
        if work.blocks_take:
            since, block_line = heappop(self.behind)
            done = max(done, since) + work.blocks_take
            heappush(self.behind, (done, block_line))
        self.found[number] = Turn(line, block_line, now)
        for one in self.needed_by[number]:
            self.waits_for[one] -= 1
            self.has_all[one] = max(self.has_all[one], done)
            if not self.waits_for[one]:
                heappush(self.coming, (self.has_all[one], one))


def captured(cupy: Any, launches: Sequence[Launch], part: Stretch) -> Any:
    """Launches as a graph: a wave waits for those it takes values from, and for the one before it in its line."""
    return _Capture(cupy, launches, part).graph()


class _Capture:
    def __init__(self, cupy: Any, launches: Sequence[Launch], part: Stretch) -> None:
        self.cupy, self.launches, self.part = cupy, launches, part
        mine = launches[part.first : part.end]
        lines = {one.turn.line for one in mine} | {one.last_line for one in mine}
        self.streams = {line: cupy.cuda.Stream(non_blocking=True) for line in lines}
        self.done: dict[int, tuple[int, int, Any]] = {}
        """Of waves the line they end on, how many were there before, and the event."""
        self.waited: dict[tuple[int, int], int] = {}
        """Of two lines, how many waves were there before the last of the second that the first has waited for."""

    def graph(self) -> Any:
        main, *others = self.streams.values()
        main.begin_capture()
        try:
            self._join([main], others)
            numbers = range(self.part.first, self.part.end)
            for number in sorted(numbers, key=lambda one: (self.launches[one].turn.begin, one)):
                self._put(number)
            self._join(others, [main])
        finally:
            graph = main.end_capture()
        return graph

    def _put(self, number: int) -> None:
        launch = self.launches[number]
        for earlier in launch.wave.after:
            if earlier in self.done:
                self._wait(launch.turn.line, earlier)
        event = self._on(launch.turn.line, launch.alone)
        if launch.giants:
            self.streams[launch.turn.behind].wait_event(event)
            event = self._on(launch.turn.behind, launch.giants)
        self.done[number] = launch.last_line, len(self.done), event

    def _wait(self, line: int, earlier: int) -> None:
        """Have a line wait for a wave, if it has not waited for one behind it already."""
        other, before, event = self.done[earlier]
        if other != line and self.waited.get((line, other), -1) < before:
            self.streams[line].wait_event(event)
            self.waited[line, other] = before

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
