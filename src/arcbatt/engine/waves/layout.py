"""Where the values of a schedule's slots are in a heap, for so many samples and tasks: arrays, since slots are many."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcbatt.compiler.abi import NOWHERE, WAVE_PATCH, WAVE_PLACE
from arcbatt.compiler.waves import Domain, Schedule
from arcbatt.engine.waves.heap import Heap, Place, address

Numbers = NDArray[np.int64]
_CONSTANT: Final = -1
"""In place of the domain of a slot that is filled before any run."""


class Nodes(NamedTuple):
    """The nodes of all waves one behind the other, and the slots they name."""

    domain: Numbers
    frames: Numbers
    times: Numbers
    which: Numbers
    slots: Numbers
    seen_by: Numbers
    """Of each slot, the domain that sees it."""
    of_wave: Numbers
    """How many nodes a wave has."""
    places_of_node: Numbers
    """And each of its nodes slots."""

    @classmethod
    def of(cls, schedule: Schedule) -> Nodes:
        """The nodes of a schedule."""
        nodes = [node for wave in schedule.waves for node in wave.nodes]
        domain, frames, times, which = (
            numbers(column)
            for column in (
                [node.domain for node in nodes],
                [node.frames for node in nodes],
                [node.times for node in nodes],
                [node.which for node in nodes],
            )
        )
        counts = numbers([len(node.slots) for node in nodes])
        seen_by = np.repeat(domain, counts)
        others = [(number, node.domains) for number, node in enumerate(nodes) if node.domains]
        if others:
            ends = np.cumsum(counts)
            at = [np.arange(ends[number] - len(domains), ends[number]) for number, domains in others]
            seen_by[np.concatenate(at)] = numbers(chain.from_iterable(domains for _, domains in others))
        return cls(
            domain, frames, times, which, numbers(chain.from_iterable(node.slots for node in nodes)), seen_by,
            numbers([len(wave.nodes) for wave in schedule.waves]),
            numbers([len(wave.nodes[0].slots) for wave in schedule.waves]),
        )  # fmt: skip


class Layout:
    """Where slots are; those of bodies lie in frames, which are made while running.

    Slots are taken from the heap; `given` says of inputs that have values already where these are.
    """

    def __init__(
        self, schedule: Schedule, heap: Heap, *, samples: int, tasks: int, given: Mapping[int, Place] | None = None
    ) -> None:
        self.schedule, self.heap, self._given = schedule, heap, given or {}
        self.most: dict[int, int] = {Domain.ONCE: 1, Domain.TASKS: tasks, Domain.SAMPLES: samples}
        slots = numbers(schedule.domains)
        domains, sizes = (
            numbers(schedule.domains.values()),
            numbers([schedule.sizes[slot] for slot in schedule.domains]),
        )
        self._domain_count = max(schedule.parents) + 1
        keys = numbers([domain * self._domain_count + to for domain, to in schedule.maps])
        order = np.argsort(keys)
        self._map_keys, self._map_slots = keys[order], numbers(schedule.maps.values())[order]
        """Maps by their domains, as one number in order, and their slots."""
        self.image = heap.take(len(schedule.code.image))
        self._lowest = int(slots.min(initial=0))
        span = max(int(slots.max(initial=0)) + 1, len(schedule.code.image)) - self._lowest
        self._own = np.full(span, _CONSTANT, np.int64)
        self._own[slots - self._lowest] = domains
        self._sizes = np.zeros(span, np.int64)
        self._sizes[slots - self._lowest] = sizes
        self._bases = np.full(span, NOWHERE, np.int64)
        """Of each slot outside of bodies, where it begins."""
        self._offsets = np.full(span, NOWHERE, np.int64)
        """Of each slot of a body, the words before it in a frame of one index."""
        self.spent_first = heap.take(0)
        self._spent = self._take_spent()
        self.spent_end = heap.used
        outside = (domains < Domain.BODIES) & (self._bases[slots - self._lowest] == NOWHERE)
        outside &= ~np.isin(slots, numbers(self._given))
        self._take(slots[outside])
        self._words = heap.used - self.image
        self.frame_words = self._lay_out_frames(slots[domains >= Domain.BODIES])

    def move(self, given: Mapping[int, Place]) -> None:
        """Have all slots as far from one another as they were, from where the heap is taken up to; and other inputs."""
        image = self.heap.take(self._words)
        by = image - self.image
        self.image, self.spent_first, self.spent_end = image, self.spent_first + by, self.spent_end + by
        self._bases[self._bases != NOWHERE] += by
        self._spent = [(domain, calls, first + by, end + by) for domain, calls, first, end in self._spent]
        self._given = given

    def _take(self, slots: Numbers) -> None:
        """Room for slots outside of bodies, one behind the other."""
        most = numbers([self.most[domain] for domain in (Domain.ONCE, Domain.TASKS, Domain.SAMPLES)])
        at = slots - self._lowest
        self._bases[at] = self.heap.take_all(self._sizes[at] * most[self._own[at]])

    def _take_spent(self) -> list[tuple[int, Numbers, int, int]]:
        """Room for the steps of calls, those of a domain together: which, from where to where."""
        slots, found = numbers(self.schedule.spent.values()), []
        for domain in (Domain.ONCE, Domain.TASKS, Domain.SAMPLES):
            calls = np.flatnonzero(self._own[slots - self._lowest] == domain)
            calls = calls[np.argsort(slots[calls], kind="stable")]
            first = self.heap.take(0)
            self._take(slots[calls])
            if len(calls):
                found.append((int(domain), calls, first, self.heap.used))
        return found

    def spent_tables(self) -> Iterator[tuple[int, Numbers, Any]]:
        """Of domains outside of loops, which of `Schedule.spent` each has, and their steps by index, on the device."""
        for domain, calls, first, end in self._spent:
            yield domain, calls, self.heap.memory[first:end].view(np.uint64).reshape(len(calls), -1)

    def _lay_out_frames(self, slots: Numbers) -> Numbers:
        """Slots of bodies one behind the other in their frames; of each domain, the words of an index."""
        at = slots - self._lowest
        at = at[np.argsort(self._own[at], kind="stable")]
        domains, sizes = self._own[at], self._sizes[at]
        words = np.bincount(domains, sizes, self._domain_count).astype(np.int64)
        before = np.cumsum(words) - words
        self._offsets[at] = np.cumsum(sizes) - sizes - before[domains]
        return words

    def fits(self) -> bool:
        """Whether what was taken does."""
        return self.heap.used <= self.heap.words

    def base(self, slot: int) -> int:
        """Where a slot outside of bodies begins."""
        return int(self._bases[slot - self._lowest])

    def offset(self, slot: int) -> int:
        """Of a slot of a body, the words before it in a frame of one index."""
        return int(self._offsets[slot - self._lowest])

    def place(self, slot: int, domain: int = Domain.SAMPLES) -> Place:
        """Where the values of a slot are, for calls of a domain; of what lies in frames as far as that is known."""
        if slot in self._given:
            return self._given[slot]
        own = self.schedule.domains.get(slot)
        if own is None:  # a constant
            return self.image + slot, 0, 0
        base = self.base(slot)
        if own == Domain.ONCE:
            return base, 0, 0
        map_ = self.schedule.maps.get((domain, own), 0)
        known = self.base(map_) if map_ else NOWHERE
        there = 0 if known == NOWHERE else address(self.heap.memory) + 4 * known
        return 0 if base == NOWHERE else base, self.schedule.sizes[slot], there

    def places(self, slots: Numbers, seen_by: Numbers) -> tuple[Numbers, Numbers, Numbers]:
        """The same of many: bases, strides and maps."""
        at = slots - self._lowest
        own = self._own[at]
        bases = np.where(own == _CONSTANT, self.image + slots, self._bases[at])
        bases[(bases == NOWHERE) | (slots == 0)] = 0
        by_index = own > Domain.ONCE
        strides = np.where(by_index, self._sizes[at], 0)
        maps = self._maps(own, seen_by)
        known = self._bases[maps - self._lowest]
        there = by_index & (maps != 0) & (known != NOWHERE)
        addresses = np.where(there, address(self.heap.memory) + 4 * known, 0)
        for slot, (base, stride, map_) in self._given.items():
            bases[slots == slot], strides[slots == slot], addresses[slots == slot] = base, stride, map_
        return bases, strides, addresses

    def _maps(self, own: Numbers, seen_by: Numbers) -> Numbers:
        """The slots of the maps from domains to those of slots, 0 where there is none."""
        wanted = seen_by * self._domain_count + np.maximum(own, Domain.ONCE)
        at = np.minimum(np.searchsorted(self._map_keys, wanted), len(self._map_keys) - 1)
        found: Numbers = np.where(self._map_keys[at] == wanted, self._map_slots[at], 0)
        return found

    def patches(self, nodes: Nodes) -> tuple[NDArray[np.uint32], Numbers]:
        """What the frame of each domain changes in places once it is there (abi.WAVE_PATCH), and how many of each."""
        number = np.flatnonzero((nodes.seen_by >= Domain.BODIES) & (nodes.slots != 0))
        slots, seen_by = nodes.slots[number], nodes.seen_by[number]
        own, offset = self._own[slots - self._lowest], self._offsets[slots - self._lowest]
        maps = self._offsets[self._maps(own, seen_by) - self._lowest]
        in_frame = own >= Domain.BODIES
        chosen = np.flatnonzero(in_frame | (maps != NOWHERE))
        chosen = chosen[np.argsort(seen_by[chosen], kind="stable")]
        rows = number, np.where(in_frame, own, NOWHERE), np.where(in_frame, offset, 0), maps
        table = records(WAVE_PATCH.dtype, [column[chosen] for column in rows])
        return table, np.bincount(seen_by[chosen], minlength=self._domain_count)

    def place_table(self, nodes: Nodes) -> NDArray[np.uint32]:
        """The places of all slots that nodes name, as words."""
        return records(WAVE_PLACE.dtype, self.places(nodes.slots, nodes.seen_by))


def numbers(values: Iterable[int]) -> Numbers:
    """Numbers as an array."""
    return np.fromiter(values, np.int64)


def records(kind: np.dtype[np.void], columns: Iterable[NDArray[np.integer]]) -> NDArray[np.uint32]:
    """Records as words, given column by column; at least one, since a device has no empty arrays."""
    given = list(columns)
    table = np.zeros(max(1, len(given[0])), kind)
    assert kind.names is not None
    for name, column in zip(kind.names, given, strict=True):
        table[name][: len(column)] = column
    return table.view(np.uint32)
