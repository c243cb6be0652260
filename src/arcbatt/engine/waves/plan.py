"""A schedule of waves laid out for so many samples: where every node's values are, and the launches, as one graph.

Launches are recorded once (stream capture) and replayed for every batch of samples: what differs between batches, how
many indexes a domain has and what the inputs are, is read on the device.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcbatt.compiler.abi import (
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
from arcbatt.compiler.wave_parts import Part, Repeat, Stretch, Wave
from arcbatt.compiler.waves import Domain, Schedule
from arcbatt.engine.waves.heap import Heap, Place, address
from arcbatt.engine.waves.kernels import BLOCK, THREADS, makes_values
from arcbatt.engine.waves.layout import Layout, Nodes, records
from arcbatt.engine.waves.lines import Launch, Start, Turn, Work, captured, turns
from arcbatt.support.collecting import collecting_later


class Loaded(NamedTuple):
    """A kernel on the device."""

    function: Any
    width: int
    block: Any
    """The same for calls of very many items, or None."""
    few: Any
    """The same for threads, which take calls of few words, or None."""


Functions = Mapping[WaveKernel, Loaded]
GIANT_ITEMS: Final = 2048
"""Items of a call of a loop beyond which a block takes it."""
FEW_WORDS: Final = 16
"""Words of a call's arguments up to which a thread takes it, where threads take such."""
MANY_CALLS: Final = 1 << 15
"""Calls of a wave from which on threads take those of few words: another launch is to be worth it."""
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
_MOST_EXPECTED: Final = 1 << 24
_FRAMES: Final = WAVE_PHASES["FRAMES"]
_ARENAS: Final = WAVE_LAUNCH.names.index("arenas")
_FEW_WORDS: Final = WAVE_LAUNCH.names.index("few_words")


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
        many_calls: int = MANY_CALLS,
    ) -> None:
        self.schedule, self.heap, self.samples, self.tasks = schedule, heap, samples, tasks
        self._cupy, self._max_steps = heap.cupy, max_steps
        self._giant_items, self._many_calls = giant_items, many_calls
        self._nodes_of = Nodes.of(schedule)
        heap.used = begin
        self._layout = Layout(schedule, heap, samples=samples, tasks=tasks, given=given)
        self.used = heap.used
        """What is taken of the heap before a run."""
        self._kernels = [functions[wave.kernel] for wave in schedule.waves]
        self._makes = np.array(
            [makes_values(wave.kernel, one.width) for wave, one in zip(schedule.waves, self._kernels, strict=True)],
            np.bool_,
        )
        self._graphs: dict[int, Any] = {}
        self._beside: Any = None
        self._counted: NDArray[np.int64] | None = None
        """Of each domain, the most indexes it had in runs that launches were made for."""
        self._timed: list[tuple[int, Any, Any, Any]] = []
        """Launches of the last run, if they were timed: before, before what was left to blocks, after."""
        self._took: NDArray[np.float64] | None = None
        """Milliseconds of each wave and of what it left to blocks, once that was measured."""
        self._launches: list[Launch] | None = None
        if self.fits():
            self._constants = self._cupy.asarray(np.array(schedule.code.image, np.uint32))
            self._make_tables()
            self._set_counts(samples, tasks)
            self.begin()

    def move(self, begin: int, given: Mapping[int, Place]) -> None:
        """Have slots elsewhere, for as many samples of other inputs; where the last ones were their values stay."""
        self.heap.used = begin
        self._layout.move(given)
        self.used = self.heap.used
        if self.fits():
            self._places.set(self._layout.place_table(self._nodes_of))
            self.begin()

    def fits(self) -> bool:
        """Whether slots and constants do."""
        return self.used <= self.heap.words

    def begin(self) -> None:
        """Make the heap ready for a run: plans of the same heap take turns."""
        self._make_launches()
        layout = self._layout
        self.heap.used = self.used
        self.heap.memory[layout.image : layout.image + len(self._constants)] = self._constants
        self.heap.memory[layout.spent_first : layout.spent_end] = 0

    def spent(self, task_of: NDArray[np.int64]) -> NDArray[np.uint64]:
        """Of each sample, the steps of all calls that types alone do not bound."""
        total = np.zeros(len(task_of), np.uint64)
        for domain, _, table in self._layout.spent_tables():
            total += table.sum(axis=0).get()[_indexes(domain, np.arange(len(task_of)), task_of)]
        return total

    def spent_by_call(self, samples: NDArray[np.int64], task_of: NDArray[np.int64]) -> NDArray[np.uint64]:
        """The same of each call by itself, in the order of `Schedule.spent`, for some samples."""
        found = np.zeros((len(self.schedule.spent), len(samples)), np.uint64)
        for domain, numbers, table in self._layout.spent_tables():
            index = self._cupy.asarray(_indexes(domain, samples, task_of))
            found[numbers] = table[:, index].get()
        return found

    def set_counts(self, task_of: Sequence[int] | np.ndarray[Any, Any], tasks: int) -> None:
        """Say how many samples and tasks there are now, and the task of each sample."""
        self._set_counts(len(task_of), tasks)
        first = self._layout.base(self.schedule.maps[Domain.SAMPLES, Domain.TASKS])
        self.heap.memory[first : first + len(task_of)] = self._cupy.asarray(np.asarray(task_of, np.uint32))

    def _set_counts(self, samples: int, tasks: int) -> None:
        self._counts[: Domain.BODIES] = self._cupy.asarray(np.array([1, tasks, samples], np.uint32))

    def counts(self) -> list[int]:
        """Of each domain, how many indexes it had last."""
        return [int(count) for count in self._counts.get()]

    def place(self, slot: int, domain: int = Domain.SAMPLES) -> Place:
        """Where the values of a slot are, for calls of a domain; of what lies in frames as far as that is known."""
        return self._layout.place(slot, domain)

    def _make_tables(self) -> None:
        """What launches look at on the device: of nodes, their places, frames and domains; of kernels, their code."""
        asarray, nodes = self._cupy.asarray, self._nodes_of
        self._places = asarray(self._layout.place_table(nodes))
        self._make_frames(nodes)
        frames = np.where(nodes.frames >= 0, self._frame(nodes.frames), 0)
        rows = self._count(nodes.domain), frames, nodes.times, nodes.which
        self._nodes = asarray(records(WAVE_NODE.dtype, rows))
        ends = np.cumsum(nodes.of_wave)
        firsts = ends - nodes.of_wave
        wave_of = np.repeat(np.arange(len(ends)), nodes.of_wave)
        first = np.flatnonzero(np.diff(nodes.domain, prepend=-1) | np.diff(wave_of, prepend=-1))
        runs = np.diff(first, append=len(wave_of))
        self._runs = asarray(
            records(WAVE_RUN.dtype, (self._count(nodes.domain[first]), first - firsts[wave_of[first]], runs))
        )
        self._domains, self._firsts = nodes.domain, firsts
        self._has_blocks = np.array([one.block is not None for one in self._kernels], np.bool_)
        self._list_of: NDArray[np.int64] = np.cumsum(self._has_blocks) - self._has_blocks
        """Of each wave that may leave calls to blocks, the number of their list."""
        with_giants = int(self._has_blocks.sum())
        self._giants = self._cupy.zeros((with_giants, WAVE_GIANTS.words + 2 * constant("MOST_GIANTS")), np.uint32)
        self._blocks_left_to = np.full(with_giants, self.heap.groups(BLOCK))
        runs_of = np.bincount(wave_of[first], minlength=len(ends))
        places_of = nodes.of_wave * nodes.places_of_node
        whole = np.array([wave.kernel.phase == _FRAMES for wave in self.schedule.waves], np.bool_)
        """Waves that change places of any others."""
        first_places = np.where(whole, 0, np.cumsum(places_of) - places_of)
        table = np.zeros((len(ends), len(WAVE_LAUNCH.names)), np.uint64)
        columns: dict[str, int | NDArray[np.int64]] = {
            "heap": address(self.heap.memory),
            "heap_words": self.heap.words,
            "top": address(self.heap.top),
            "max_steps": self._max_steps,
            "places": address(self._places) + WAVE_PLACE.bytes * first_places,
            "node_places": nodes.places_of_node,
            "nodes": address(self._nodes) + WAVE_NODE.bytes * firsts,
            "node_count": nodes.of_wave,
            "runs": address(self._runs) + WAVE_RUN.bytes * (np.cumsum(runs_of) - runs_of),
            "run_count": runs_of,
            "phase": np.array([wave.kernel.phase for wave in self.schedule.waves], np.int64),
            "giants": np.where(self._has_blocks, address(self._giants) + 4 * self._giants.shape[1] * self._list_of, 0),
            "giant_items": self._giant_items,
            **self._make_codes(),
        }
        for name, column in columns.items():
            table[:, WAVE_LAUNCH.names.index(name)] = column
        self._arguments = table
        """Of each launch; which arenas it has depends on its line."""
        self._whole = whole

    @property
    def launches(self) -> list[Launch]:
        """All launches, for as many calls as are expected."""
        return self._make_launches()

    def _make_launches(self) -> list[Launch]:
        """The launches, made if others were expected before; on the current stream."""
        if self._launches is None:
            with collecting_later():
                self._launches = list(self._made_launches())
        return self._launches

    def _made_launches(self) -> Iterator[Launch]:
        waves, arenas = self.schedule.waves, cache(self.heap.arenas)
        rooms = np.where(self._blocks_left_to, constant("MOST_GIANTS"), 0).astype(np.uint32)
        if len(rooms):
            self._giants[:, WAVE_GIANTS.place("room")] = self._cupy.asarray(rooms)
        left_to = np.zeros(len(waves), np.int64)
        left_to[self._has_blocks] = self._blocks_left_to
        turns = self._turns_of_waves(left_to > 0)
        calls = self._calls()
        rows = zip(waves, self._kernels, self._makes.tolist(), calls.tolist(), left_to.tolist(), strict=True)
        blocks = self._blocks(calls)
        for number, (wave, one, makes, mine, left) in enumerate(rows):
            turn, arguments, giants, few = turns[number], self._arguments[number], None, None
            if left:
                arguments[_ARENAS] = arenas(BLOCK, turn.behind % self.heap.lines)
                giants = Start(one.block, left, BLOCK, tuple(arguments))
            arguments[_FEW_WORDS] = FEW_WORDS if one.few and mine >= self._many_calls else 0
            if arguments[_FEW_WORDS]:
                arguments[_ARENAS] = arenas(1, turn.line) if makes_values(wave.kernel, 1) else 0
                few = Start(one.few, min(-(-mine // THREADS), self.heap.blocks), THREADS, tuple(arguments))
            arguments[_ARENAS] = arenas(one.width, turn.line) if makes else 0
            yield Launch(wave, Start(one.function, blocks[number], THREADS, tuple(arguments)), turn, giants, few)

    def settle(self) -> None:
        """Make launches as large as the last run was, if it was larger than any before; call it when that is done.

        Launches are right in any size. One that is too large keeps others from the device: above all blocks for calls
        of loops with very many items, each of which needs a multiprocessor for itself.
        """
        counts = np.array([max(frame) for frame in zip(self.counts(), self._most_counts.get().tolist(), strict=True)])
        heads = self._giants[:, : WAVE_GIANTS.words].get()
        left = np.maximum(heads[:, WAVE_GIANTS.place("most")], heads[:, WAVE_GIANTS.place("count")]).astype(np.int64)
        blocks = np.minimum(left, self.heap.groups(BLOCK))
        if self._counted is not None:
            grown = (counts > _MUCH * self._counted + self.heap.blocks).any()
            if not (grown or (blocks > _MUCH * self._blocks_left_to).any() or self._timed):
                return
            counts, blocks = np.maximum(counts, self._counted), np.maximum(blocks, self._blocks_left_to)
        self._took = self._times() if self._timed else None  # those of smaller runs say little
        self._timed = []
        self._expect(counts, blocks)

    def _expect(self, counts: NDArray[np.int64], blocks: NDArray[np.int64]) -> None:
        """Have launches made for so many indexes and calls left to blocks, once there is another run."""
        self._counted, self._blocks_left_to = counts, blocks
        if len(blocks):
            self._giants[:, : WAVE_GIANTS.place("most")] = 0  # what was counted without blocks
        self._graphs.clear()
        self._launches = None

    def _times(self) -> NDArray[np.float64]:
        """Milliseconds of each wave and of what it left to blocks, in the run that was timed."""
        took = np.zeros((len(self.launches), 2))
        for number, start, middle, end in self._timed:
            between = self._cupy.cuda.get_elapsed_time
            took[number] += between(start, middle), between(middle, end)
        found: NDArray[np.float64] = np.maximum(took, _LEAST_MS)
        return found

    def _at_once(self) -> bool:
        """Whether powers run at the same time as what has nothing to do with them."""
        return bool(self.schedule.powers) and bool(self.schedule.rest) and self.heap.lines > 1

    def _turns_of_waves(self, leaves: NDArray[np.bool_]) -> dict[int, Turn]:
        """Of each wave, its lines and when it begins; some leave calls to blocks."""
        count = self.heap.lines
        for_powers = -(-count // _FOR_POWERS) if self._at_once() else count
        from_powers_on = for_powers % count
        works = self._works(leaves)
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

    def _works(self, leaves: NDArray[np.bool_]) -> list[Work]:
        """How long each wave takes, as measured or guessed: items of loops are more than calls of these."""
        took = self._took
        if took is None:
            guess = _LEAST_MS * (1 + self._by_wave(1 << _DEEPER * self._depths()))
            took = np.stack([guess, guess], axis=1)
        by_blocks = np.where(leaves, took[:, 1], 0.0)
        rows = zip(self.schedule.waves, took[:, 0].tolist(), self._makes.tolist(), by_blocks.tolist(), strict=True)
        return [Work(*row) for row in rows]

    def _by_wave(self, of_domains: NDArray[np.int64]) -> NDArray[np.int64]:
        """Numbers of domains added up for the nodes of each wave."""
        found: NDArray[np.int64] = np.add.reduceat(of_domains[self._domains], self._firsts)
        return found

    def _depths(self) -> NDArray[np.int64]:
        """Of each domain, the loops it is in."""
        found = np.zeros(len(self._counts), np.int64)
        for domain, parent in self.schedule.parents.items():
            found[domain] = found[parent] + 1 if domain >= Domain.BODIES else 0
        return found

    def _expected(self) -> NDArray[np.int64]:
        """Of each domain, the indexes it may have, before that is known."""
        found = np.zeros(len(self._counts), np.int64)
        found[: Domain.BODIES] = [self._layout.most[domain] for domain in range(Domain.BODIES)]
        for domain, parent in self.schedule.parents.items():
            if domain >= Domain.BODIES:
                found[domain] = min(_ITEMS * found[parent], _MOST_EXPECTED)
        return found

    def _frame(self, domains: NDArray[np.int64]) -> NDArray[np.int64]:
        """The addresses of the frames of domains."""
        return address(self._frames) + WAVE_FRAME.bytes * domains

    def _count(self, domains: NDArray[np.int64]) -> NDArray[np.int64]:
        """The addresses of how many indexes domains have."""
        return self._frame(domains) + WAVE_FRAME.offsets["count"]

    def _make_frames(self, nodes: Nodes) -> None:
        """The table of frames, and what each changes once it is there."""
        patches, counts = self._layout.patches(nodes)
        self._patches = self._cupy.asarray(patches)
        starts = address(self._patches) + WAVE_PATCH.bytes * (np.cumsum(counts) - counts)
        none = np.zeros_like(counts)
        table = records(WAVE_FRAME.dtype, (none, none, none, self._layout.frame_words, none, starts, counts))
        self._frames = self._cupy.asarray(table)
        rows = self._frames.reshape(len(counts), WAVE_FRAME.words)
        self._counts, self._most_counts = rows[:, WAVE_FRAME.place("count")], rows[:, WAVE_FRAME.place("most")]

    def _calls(self) -> NDArray[np.int64]:
        """Of each wave, the calls there were at most or may be."""
        return self._by_wave(self._expected() if self._counted is None else self._counted)

    def _blocks(self, calls: NDArray[np.int64]) -> list[int]:
        """Of each wave, blocks beside one another for so many calls."""
        threads = calls * np.array([one.width for one in self._kernels], np.int64)
        nodes = np.diff(self._firsts, append=len(self._domains))
        found: list[int] = np.clip(np.where(self._whole, nodes, -(-threads // THREADS)), 1, self.heap.blocks).tolist()
        return found

    def _make_codes(self) -> dict[str, NDArray[np.int64]]:
        """Of each wave, the addresses of the instruction and types of its kernel."""
        words: list[int] = []
        found: dict[WaveKernel, tuple[int, int, int]] = {}
        for kernel in dict.fromkeys(wave.kernel for wave in self.schedule.waves):
            code, types = len(words), len(words) + len(kernel.words)
            words += kernel.words
            words += TYPE_DESC.rows(kernel.types).tolist()
            found[kernel] = code, types, len(words)
            words += kernel.parts
        self._code = self._cupy.asarray(np.array([*words, 0], np.uint32))
        at = np.array([found[wave.kernel] for wave in self.schedule.waves], np.int64).reshape(-1, 3)
        return {name: address(self._code) + 4 * at[:, column] for column, name in enumerate(("code", "types", "parts"))}

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

        Powers take many short waves one after the other: all that has nothing to do with them runs beside them. The
        first run, and one after runs have grown, is launched wave by wave, and each is timed: the next has its graph.
        """
        if self._took is None:
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
            first = int(frame[WAVE_FRAME.place("base")]) + self._layout.offset(slot) * count
            if count:
                yield self.heap.memory[first : first + count].get()


def _indexes(domain: int, samples: NDArray[np.int64], task_of: NDArray[np.int64]) -> NDArray[np.int64]:
    """The indexes of samples in a domain outside of loops."""
    if domain == Domain.ONCE:
        return np.zeros_like(samples)
    return task_of[samples] if domain == Domain.TASKS else samples


def stretches(parts: Sequence[Part]) -> Iterator[Stretch]:
    """All stretches of some parts, each once."""
    for one in parts:
        yield from (one,) if isinstance(one, Stretch) else stretches(one.parts)


def calls(waves: Sequence[Wave], counts: Sequence[int]) -> int:
    """How many calls waves are, given of each domain how many indexes it has; steps of loops are none."""
    return sum(counts[node.domain] for wave in waves if wave.kernel.phase in (CALLS, GATHER) for node in wave.nodes)
