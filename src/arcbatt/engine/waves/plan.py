"""A schedule of waves laid out for so many samples: where every node's values are, and the launches, as one graph.

Launches are recorded once (stream capture) and replayed for every batch of samples: what differs between batches, how
many indexes a domain has and what the inputs are, is read on the device.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcbatt.compiler.abi import (
    NOWHERE,
    TYPE_DESC,
    WAVE_FRAME,
    WAVE_GIANTS,
    WAVE_LAUNCH,
    WAVE_NODE,
    WAVE_PATCH,
    WAVE_PHASES,
    WAVE_PLACE,
    WAVE_RUN,
    constant,
)
from arcbatt.compiler.wave_kernels import CALLS, GATHER, WaveKernel
from arcbatt.compiler.wave_parts import Part, Repeat, Seen, Stretch, Wave, WaveNode
from arcbatt.compiler.waves import Domain, Schedule
from arcbatt.engine.waves.heap import Heap, Place, address, places
from arcbatt.engine.waves.kernels import BLOCK, THREADS, makes_values
from arcbatt.engine.waves.lines import Giants, Launch, Turn, Work, captured, turns


class Loaded(NamedTuple):
    """A kernel on the device."""

    function: Any
    width: int
    block: Any
    """The same for calls of very many items, or None."""


Functions = Mapping[WaveKernel, Loaded]
GIANT_ITEMS: Final = 2048
"""Items of a call of a loop beyond which a block takes it."""
_FOR_POWERS: Final = 4
"""Of so many lines one is for powers, where there are any."""
_DEEPER: Final = 2
"""How much longer waves are guessed to take for each loop they are in, a power of two."""
_MUCH: Final = 2
"""How many times larger than launches were made for a run may be before they are made anew."""
_MANY_TURNS: Final = 32
"""Of a power; beyond these a few calls that take more than the others are left behind."""
_FEW_LEFT: Final = 64
"""One of so many calls is a few."""
_LEAST_MS: Final = 1e-3
"""Milliseconds that any wave takes."""
_ITEMS: Final = 64
"""Items of a call of a loop that launches are made large enough for; they take as many as there are."""


class Plan:
    """Where a schedule's values are for at most so many samples and tasks, and its launches.

    Slots are taken from the heap, from `begin` on, those of bodies while running (*frames*); `given` says of inputs
    that have values already where these are.
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
        begin: int = 0,
        giant_items: int = GIANT_ITEMS,
    ) -> None:
        self.schedule, self.heap, self.samples, self.tasks = schedule, heap, samples, tasks
        self._cupy, self._functions, self._max_steps = heap.cupy, functions, max_steps
        self._given, self._giant_items = given or {}, giant_items
        self._most: dict[int, int] = {Domain.ONCE: 1, Domain.TASKS: tasks, Domain.SAMPLES: samples}
        image = np.array(schedule.code.image, np.uint32)
        heap.used = begin
        self._image = heap.take(len(image))
        self._words: dict[int, int] = defaultdict(int)
        """Of each domain of a body, the words of an index."""
        self._offsets: dict[int, int] = {}
        """Of each slot of such a domain, the words before it."""
        self._bases: dict[int, int] = {}
        """Of each other slot, where it begins."""
        spent = [(schedule.domains[slot], slot) for slot in schedule.spent.values()]
        self._spent_first = heap.take(0)
        for domain, slot in sorted(spent):  # side by side, those of a domain together
            self._bases[slot] = heap.take(schedule.sizes[slot] * self._most[domain])
        self._spent_end = heap.used
        for slot, domain in schedule.domains.items():
            if domain >= Domain.BODIES:
                self._offsets[slot] = self._words[domain]
                self._words[domain] += schedule.sizes[slot]
            elif slot not in self._given and slot not in self._bases:
                self._bases[slot] = heap.take(schedule.sizes[slot] * self._most[domain])
        self._graphs: dict[int, Any] = {}
        self._beside: Any = None
        self._counted: NDArray[np.int64] | None = None
        """Of each domain, the most indexes it had in runs that launches were made for."""
        self._timed: list[tuple[int, Any, Any, Any]] = []
        """Launches of the last run, if they were timed: before, before what was left to blocks, after."""
        self._took: list[tuple[float, float]] = []
        """Milliseconds of each wave and of what it left to blocks, once that was measured."""
        self.launches: list[Launch] = []
        self.used = heap.used
        """What is taken of the heap before a run."""
        if self.fits():
            self._constants = self._cupy.asarray(image)
            self._make_tables()
            self.launches += self._launches()
            self._set_counts(samples, tasks)
            self.begin()

    def fits(self) -> bool:
        """Whether slots and constants do."""
        return self.used <= self.heap.words

    def begin(self) -> None:
        """Make the heap ready for a run: plans of the same heap take turns."""
        self.heap.used = self.used
        self.heap.memory[self._image : self._image + len(self._constants)] = self._constants
        self.heap.memory[self._spent_first : self._spent_end] = 0

    def spent(self, task_of: NDArray[np.int64]) -> NDArray[np.uint64]:
        """Of each sample, the steps of all calls that types alone do not bound."""
        total = np.zeros(len(task_of), np.uint64)
        for domain, _, table in self._spent_tables():
            total += table.sum(axis=0).get()[_indexes(domain, np.arange(len(task_of)), task_of)]
        return total

    def spent_by_call(self, samples: NDArray[np.int64], task_of: NDArray[np.int64]) -> NDArray[np.uint64]:
        """The same of each call by itself, in the order of `Schedule.spent`, for some samples."""
        found = np.zeros((len(self.schedule.spent), len(samples)), np.uint64)
        for domain, numbers, table in self._spent_tables():
            index = self._cupy.asarray(_indexes(domain, samples, task_of))
            found[numbers] = table[:, index].get()
        return found

    def _spent_tables(self) -> Iterator[tuple[int, list[int], Any]]:
        """Of each domain outside of loops, which of `Schedule.spent` it has, and their steps by index."""
        first, slots = self._spent_first, list(self.schedule.spent.values())
        for domain in (Domain.ONCE, Domain.TASKS, Domain.SAMPLES):
            numbers = [number for number, slot in enumerate(slots) if self.schedule.domains[slot] == domain]
            numbers.sort(key=lambda number: self._bases[slots[number]])
            end = first + 2 * self._most[domain] * len(numbers)
            if numbers:
                yield domain, numbers, self.heap.memory[first:end].view(np.uint64).reshape(len(numbers), -1)
            first = end

    def set_counts(self, task_of: Sequence[int] | np.ndarray[Any, Any], tasks: int) -> None:
        """Say how many samples and tasks there are now, and the task of each sample."""
        self._set_counts(len(task_of), tasks)
        first = self._bases[self.schedule.maps[Domain.SAMPLES, Domain.TASKS]]
        self.heap.memory[first : first + len(task_of)] = self._cupy.asarray(np.asarray(task_of, np.uint32))

    def _set_counts(self, samples: int, tasks: int) -> None:
        self._counts[: Domain.BODIES] = self._cupy.asarray(np.array([1, tasks, samples], np.uint32))

    def counts(self) -> list[int]:
        """Of each domain, how many indexes it had last."""
        return [int(count) for count in self._counts.get()]

    def place(self, slot: int, domain: int = Domain.SAMPLES) -> Place:
        """Where the values of a slot are, for calls of a domain; of what lies in frames as far as that is known."""
        if slot in self._given:
            return self._given[slot]
        own = self.schedule.domains.get(slot)
        if own is None:  # a constant
            return self._image + slot, 0, 0
        if own == Domain.ONCE:
            return self._bases[slot], 0, 0
        map_ = self.schedule.maps.get((domain, own), 0)
        known = address(self.heap.memory) + 4 * self._bases[map_] if map_ in self._bases else 0
        return self._bases.get(slot, 0), self.schedule.sizes[slot], known

    def _patch(self, seen: Seen, number: int) -> tuple[int, int, int, int] | None:
        """What the frame of a domain changes in a place of that number, an abi.WAVE_PATCH."""
        own = self.schedule.domains.get(seen.slot, Domain.ONCE)
        map_ = self.schedule.maps.get((seen.domain, own), 0)
        frame, offset = (own, self._offsets[seen.slot]) if own >= Domain.BODIES else (NOWHERE, 0)
        if frame == NOWHERE and map_ not in self._offsets:
            return None
        return number, frame, offset, self._offsets.get(map_, NOWHERE)

    def _make_tables(self) -> None:
        """What launches look at on the device: of nodes, their places, frames and domains; of kernels, their code."""
        cupy, waves = self._cupy, self.schedule.waves
        rows = [self._seen(seen) for wave in waves for node in wave.nodes for seen in node.places]
        self._places = cupy.asarray(places(rows))
        self._make_frames()
        self._nodes = cupy.asarray(WAVE_NODE.rows([self._node(node) for wave in waves for node in wave.nodes]))
        runs = [(self._count(domain), *run) for wave in waves for domain, *run in _runs(wave)]
        self._runs = cupy.asarray(WAVE_RUN.rows(runs or [(0, 0, 0)]))
        with_giants = sum(bool(self._functions[wave.kernel].block) for wave in waves)
        self._giants = cupy.zeros((with_giants, WAVE_GIANTS.words + 2 * constant("MOST_GIANTS")), np.uint32)
        self._blocks_left_to = np.full(with_giants, self.heap.groups(BLOCK))
        self._codes = self._make_codes()

    def _launches(self) -> Iterator[Launch]:
        waves = self._turns_of_waves()
        rooms = np.where(self._blocks_left_to, constant("MOST_GIANTS"), 0).astype(np.uint32)
        if len(rooms):
            self._giants[:, WAVE_GIANTS.place("room")] = self._cupy.asarray(rooms)
        first_place = first_node = first_run = with_giants = 0
        for number, wave in enumerate(self.schedule.waves):
            function, width, block = self._functions[wave.kernel]
            makes, runs = makes_values(wave.kernel, width), len(list(_runs(wave)))
            blocks = int(self._blocks_left_to[with_giants]) if block else 0
            turn = waves[number]
            whole = wave.kernel.phase == WAVE_PHASES["FRAMES"]  # which changes places of any waves
            values = {
                "heap": address(self.heap.memory),
                "heap_words": self.heap.words,
                "top": address(self.heap.top),
                "arenas": self.heap.arenas(width, turn.line) if makes else 0,
                "max_steps": self._max_steps,
                "places": address(self._places) + (0 if whole else WAVE_PLACE.bytes * first_place),
                "node_places": len(wave.nodes[0].places),
                "nodes": address(self._nodes) + WAVE_NODE.bytes * first_node,
                "node_count": len(wave.nodes),
                "runs": address(self._runs) + WAVE_RUN.bytes * first_run,
                "run_count": runs,
                "phase": wave.kernel.phase,
                **self._codes[wave.kernel],
                "giants": address(self._giants[with_giants]) if block else 0,
                "giant_items": self._giant_items,
            }
            left = None
            if blocks:
                there = values | {"arenas": self.heap.arenas(BLOCK, turn.behind % self.heap.lines)}
                left = Giants(block, blocks, _arguments(there), turn.behind)
            yield Launch(wave, function, (self._blocks(wave, width),), _arguments(values), turn, left)
            first_place += sum(len(node.places) for node in wave.nodes)
            first_node += len(wave.nodes)
            first_run += runs
            with_giants += bool(block)

    def settle(self) -> None:
        """Make launches as large as the last run was, if it was larger than any before; call it when that is done.

        Launches are right in any size. One that is too large keeps others from the device: above all blocks for calls
        of loops with very many items, each of which needs a multiprocessor for itself.
        """
        counts = np.array([max(frame) for frame in zip(self.counts(), self._most_counts.get().tolist(), strict=True)])
        heads = self._giants[:, : WAVE_GIANTS.words].get()
        left = np.maximum(heads[:, WAVE_GIANTS.place("most")], heads[:, WAVE_GIANTS.place("count")]).astype(np.int64)
        blocks = np.minimum(left, self.heap.groups(BLOCK))
        if self._counted is None:
            self._make_launches(counts, blocks)
        elif (counts > _MUCH * self._counted + self.heap.blocks).any() or (blocks > _MUCH * self._blocks_left_to).any():
            self._took = []
            self._make_launches(np.maximum(counts, self._counted), np.maximum(blocks, self._blocks_left_to))
        elif self._timed:
            self._took = self._times()
            self._make_launches(self._counted, self._blocks_left_to)
        self._timed = []

    def _make_launches(self, counts: NDArray[np.int64], blocks: NDArray[np.int64]) -> None:
        self._counted, self._blocks_left_to = counts, blocks
        if len(blocks):
            self._giants[:, : WAVE_GIANTS.place("most")] = 0  # what was counted without blocks
        self.launches[:] = self._launches()
        self._graphs.clear()

    def _times(self) -> list[tuple[float, float]]:
        """Milliseconds of each wave and of what it left to blocks, in the run that was timed."""
        took = np.zeros((len(self.launches), 2))
        for number, start, middle, end in self._timed:
            between = self._cupy.cuda.get_elapsed_time
            took[number] += between(start, middle), between(middle, end)
        return [(float(one), float(blocks)) for one, blocks in np.maximum(took, _LEAST_MS)]

    def _at_once(self) -> bool:
        """Whether powers run at the same time as what has nothing to do with them."""
        return bool(self.schedule.powers) and bool(self.schedule.rest) and self.heap.lines > 1

    def _turns_of_waves(self) -> dict[int, Turn]:
        """Of each wave, its lines and when it begins."""
        count = self.heap.lines
        for_powers = -(-count // _FOR_POWERS) if self._at_once() else count
        from_powers_on = for_powers % count
        works = self._works()
        found: dict[int, Turn] = {}
        for parts, lines in (
            (self.schedule.first, range(count)),
            (self.schedule.powers, range(for_powers)),
            (self.schedule.rest, range(from_powers_on, count)),
        ):
            for one in stretches(parts):
                some = range(one.first, one.end)
                found |= zip(some, turns(works[one.first : one.end], one.first, lines, count), strict=True)
        return found

    def _works(self) -> list[Work]:
        """How long each wave takes, as measured or guessed."""
        works, with_giants = [], 0
        for number, wave in enumerate(self.schedule.waves):
            _, width, block = self._functions[wave.kernel]
            guess = _LEAST_MS * self._guess(wave)
            takes, by_blocks = self._took[number] if self._took else (guess, guess)
            blocks = block and self._blocks_left_to[with_giants]
            works.append(Work(wave, takes, makes_values(wave.kernel, width), by_blocks if blocks else 0.0))
            with_giants += bool(block)
        return works

    def _guess(self, wave: Wave) -> int:
        """How long a wave takes, for all that is known before: items of loops are more than calls of these."""
        return 1 + sum(1 << _DEEPER * self._depth(node.domain) for node in wave.nodes)

    def _depth(self, domain: int) -> int:
        return 1 + self._depth(self.schedule.parents[domain]) if domain >= Domain.BODIES else 0

    def _seen(self, seen: Seen) -> Place:
        return self.place(*seen) if seen.slot else (0, 0, 0)

    def _node(self, node: WaveNode) -> tuple[int, int, int, int]:
        """The record of a node, an abi.WAVE_NODE."""
        frames = self._frame(node.frames) if node.frames >= 0 else 0
        return self._count(node.domain), frames, node.times, node.which

    def _count(self, domain: int) -> int:
        """The address of how many indexes a domain has."""
        return self._frame(domain) + WAVE_FRAME.offsets["count"]

    def _frame(self, domain: int) -> int:
        return address(self._frames) + WAVE_FRAME.bytes * domain

    def _make_frames(self) -> None:
        """The table of frames, and what each changes once it is there."""
        patches: dict[int, list[tuple[int, int, int, int]]] = defaultdict(list)
        seen = (seen for wave in self.schedule.waves for node in wave.nodes for seen in node.places)
        for number, one in enumerate(seen):
            if one.domain >= Domain.BODIES and (patch := self._patch(one, number)):
                patches[one.domain].append(patch)
        domains = range(max(self.schedule.parents) + 1)
        flat = [patch for domain in domains for patch in patches[domain]]
        self._patches = self._cupy.asarray(WAVE_PATCH.rows(flat or [(0, 0, 0, 0)]))
        starts = np.cumsum([0, *(len(patches[domain]) for domain in domains)])
        base = address(self._patches)
        rows = [
            (0, 0, 0, self._words[domain], 0, base + WAVE_PATCH.bytes * int(starts[domain]), len(patches[domain]))
            for domain in domains
        ]
        self._frames = self._cupy.asarray(WAVE_FRAME.rows(rows))
        table = self._frames.reshape(len(rows), WAVE_FRAME.words)
        self._counts, self._most_counts = table[:, WAVE_FRAME.place("count")], table[:, WAVE_FRAME.place("most")]

    def _blocks(self, wave: Wave, width: int) -> int:
        """Blocks beside one another, for the calls there were at most or, before that is known, may be."""
        if wave.kernel.phase == WAVE_PHASES["FRAMES"]:
            return min(self.heap.blocks, len(wave.nodes))
        known = self._counted
        expected = sum(self._expected(node.domain) if known is None else int(known[node.domain]) for node in wave.nodes)
        return min(self.heap.blocks, max(1, -(-expected * width // THREADS)))

    def _expected(self, domain: int) -> int:
        if domain < Domain.BODIES:
            return self._most[domain]
        return min(_ITEMS * self._expected(self.schedule.parents[domain]), 1 << 24)

    def _make_codes(self) -> dict[WaveKernel, dict[str, int]]:
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

    def stretches(self) -> Iterator[tuple[int, int]]:
        """Waves that can be launched one after the other; whoever asks for the next ones has launched those before."""
        yield from self._stretches(self.schedule.parts)

    def _stretches(self, parts: Sequence[Part]) -> Iterator[tuple[int, int]]:
        for part in parts:
            if isinstance(part, Stretch):
                yield part.first, part.end
                continue
            for _ in range(self._turns(part)):
                yield from self._stretches(part.parts)

    def replay(self, stream: Any) -> None:
        """All waves, once, on a stream; the host waits for the device only where a power's number is computed.

        Powers take many short waves one after the other: all that has nothing to do with them runs beside them. Once
        launches are as large as runs are, one of these is launched wave by wave, and each is timed.
        """
        if self._counted is not None and not self._took:
            self._timed = [(number, *self.launches[number].timed(self._cupy)) for number in self._in_order()]
            return
        self._run(self.schedule.first, stream)
        if not self._at_once():
            self._run([*self.schedule.rest, *self.schedule.powers], stream)
            return
        beside = self._beside = self._beside or self._cupy.cuda.Stream(non_blocking=True)
        beside.wait_event(stream.record())
        self._run(self.schedule.rest, beside)
        self._run(self.schedule.powers, stream)
        stream.wait_event(beside.record())

    def _run(self, parts: Sequence[Part], stream: Any) -> None:
        for part in parts:
            if isinstance(part, Repeat):
                for _ in range(self._turns(part)):
                    self._run(part.parts, stream)
                continue
            if part.first not in self._graphs:
                self._graphs[part.first] = captured(self._cupy, self.launches, part)
            self._graphs[part.first].launch(stream)

    def launch(self) -> None:
        """The same on the current stream, one wave after the other without graphs: for what runs once."""
        for number in self._in_order():
            self.launches[number]()

    def _in_order(self) -> Iterator[int]:
        for first, end in self.stretches():
            yield from range(first, end)

    def _turns(self, repeat: Repeat) -> int:
        """How often bodies are to be repeated; where that is not known before or often, read from the device.

        A few calls that take far longer than all others are left behind, as if they did not fit: each turn is as many
        waves for one call as for a million.
        """
        if 0 < repeat.turns <= _MANY_TURNS:
            return repeat.turns
        left = np.concatenate([np.zeros(1, np.uint32), *self._left(repeat)])
        few = len(left) // _FEW_LEFT
        most_of_them = int(np.partition(left, -1 - few)[-1 - few])
        return min(int(left.max()), max(most_of_them, _MANY_TURNS))

    def _left(self, repeat: Repeat) -> Iterator[NDArray[np.uint32]]:
        """Of each power, how often its calls are to be repeated."""
        frames = self._frames.get().reshape(-1, WAVE_FRAME.words)
        for slot in repeat.left:
            frame = frames[self.schedule.domains[slot]]
            count = int(frame[WAVE_FRAME.place("count")])
            first = int(frame[WAVE_FRAME.place("base")]) + self._offsets[slot] * count
            if count:
                yield self.heap.memory[first : first + count].get()


def _indexes(domain: int, samples: NDArray[np.int64], task_of: NDArray[np.int64]) -> NDArray[np.int64]:
    """The indexes of samples in a domain outside of loops."""
    if domain == Domain.ONCE:
        return np.zeros_like(samples)
    return task_of[samples] if domain == Domain.TASKS else samples


def _arguments(values: Mapping[str, int]) -> tuple[np.uint64, ...]:
    return tuple(np.uint64(values[name]) for name in WAVE_LAUNCH.names)


def _runs(wave: Wave) -> Iterator[tuple[int, int, int]]:
    """Nodes of one domain one behind the other: the domain, the number of the first, and how many."""
    first = 0
    for domain, some in groupby(wave.nodes, key=lambda node: node.domain):
        count = len(list(some))
        yield domain, first, count
        first += count


def stretches(parts: Sequence[Part]) -> Iterator[Stretch]:
    """All stretches of some parts, each once."""
    for one in parts:
        yield from (one,) if isinstance(one, Stretch) else stretches(one.parts)


def calls(waves: Sequence[Wave], counts: Sequence[int]) -> int:
    """How many calls waves are, given of each domain how many indexes it has; steps of loops are none."""
    return sum(counts[node.domain] for wave in waves if wave.kernel.phase in (CALLS, GATHER) for node in wave.nodes)
