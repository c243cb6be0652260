"""Bytecode as a schedule of waves: one operation, by its types, for every node that has it, every sample and item.

The schedule is made from bytecode in which every value has a slot of its own (`lower(..., reuse=False)`), so casts,
costs and constants are those of every other engine. A node runs once for each index of its *domain*: once in all where
it depends on nothing, once a task where it depends on S alone, else once a sample; and in the body of a loop once for
each item of all calls of that loop. native/waves/loops.h says how a loop becomes waves. What is further out a body
reads through a *map*, which has for each index of its domain that of a domain around it.

`Schedule.left_out` says which programs are not scheduled.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cached_property, reduce
from operator import attrgetter, or_
from typing import Final

from arcbatt.compiler.abi import CODES, FIXED_COST, MULTIPLIES
from arcbatt.compiler.lower.emitter import UNCOUNTED
from arcbatt.compiler.lower.instruction import BodyOf, Instruction
from arcbatt.compiler.lower.lower import Code, lower
from arcbatt.compiler.typed import TypedGraph
from arcbatt.compiler.wave_code import CHARGE, Reading
from arcbatt.compiler.wave_kernels import CALLS, GATHER, TAKES_ITEMS, Kernels, WaveKernel, is_loop
from arcbatt.compiler.wave_parts import Block, Part, Wave, WaveNode
from arcbatt.language.table import STANDARD
from arcbatt.language.types import GRID, Seq, Tup, Type
from arcbatt.support.collecting import collecting_later

_CHOOSE, _GUARD, _POWER, _PAIRS = (CODES[name] for name in ("CHOOSE", "GUARD", "LOOP_POWER", "LOOP_PRAPPLY"))
_CARRIES: Final = frozenset(
    CODES[f"LOOP_{name.upper()}"] for name, spec in STANDARD.ops.items() if spec.loop and spec.loop.carries
)
_SEGMENT_WORDS: Final = 3
"""Of what a call of a loop keeps (native/waves/loops.h), and then two for each body."""


class Domain(IntEnum):
    """What numbers the calls of a node outside of loops: the last of those of its arguments.

    The domains of bodies are numbers from BODIES on.
    """

    ONCE = 0
    TASKS = 1
    SAMPLES = 2
    BODIES = 3


_INPUT_DOMAINS: Final = {"I": Domain.SAMPLES, "C": Domain.SAMPLES, "S": Domain.TASKS}
_INPUT_TYPES: Final[Mapping[str, Type]] = {"I": GRID, "C": GRID, "S": Seq(Tup((GRID, GRID)))}


@dataclass
class Schedule:
    """Waves in an order in which they can run: those of one level of a stretch do not depend on each other."""

    code: Code
    """The bytecode; its outputs are the programs that are scheduled."""
    waves: list[Wave]
    first: list[Part]
    """What powers need."""
    rest: list[Part]
    """What neither is needed by powers nor needs any; it can run at the same time as `powers`."""
    powers: list[Part]
    """Powers, and what needs them."""
    domains: dict[int, int]
    """Of each slot that is filled while running, and of each input."""
    sizes: dict[int, int]
    """Of these slots, their words."""
    parents: dict[int, int]
    """Of each domain, the one around it."""
    maps: dict[tuple[int, int], int]
    """The slots of maps, by domain and the domain around it that they lead to."""
    spent: dict[int, int]
    """Of results outside of loops whose steps types alone do not bound, the slots of these."""
    left_out: dict[str, str]
    """Programs that are not scheduled, and why."""

    @property
    def parts(self) -> list[Part]:
        """All waves, in an order in which they can run."""
        return [*self.first, *self.rest, *self.powers]

    def nodes(self) -> Iterator[tuple[Wave, WaveNode]]:
        """Every node outside of loops that has a value, loops among them."""
        for wave in self.waves:
            if wave.kernel.phase in (CALLS, GATHER):
                yield from ((wave, node) for node in wave.nodes if node.domain < Domain.BODIES)

    @cached_property
    def spent_for(self) -> dict[int, int]:
        """Of each result outside of loops, which of `spent` it needs: a bit for each, in their order."""
        reading, found = Reading(self.code.words), dict[int, int]()
        bits = {slot: 1 << number for number, slot in enumerate(self.spent)}
        for one in reading.main():
            needs = reduce(or_, (found.get(slot, 0) for slot in reading.mentioned(one)), bits.get(one.dst, 0))
            found |= {one.dst: needs, one.cost_place: needs} if one.cost_place else {one.dst: needs}
        return found

    def slots(self) -> Iterator[tuple[int, Type]]:
        """Their slots, with their types."""
        kinds = {number: kind for kind, number in self.code.types.numbers.items()}
        for _, node in self.nodes():
            yield node.result, kinds[node.type]


def schedule(graph: TypedGraph) -> Schedule:
    """The waves of a typed graph."""
    return scheduled(lower(graph, columns=False, reuse=False))


def scheduled(code: Code, declared: Mapping[str, Type] | None = None) -> Schedule:
    """The waves of bytecode in which every value has a slot of its own.

    `declared` are the types of inputs beyond I, S and C, which differ by sample as I does.
    """
    return _Scheduling(code, declared or {}).run()


def part(whole: Schedule, slots: Iterable[int]) -> Schedule:
    """The waves that some slots outside of loops need, and no others."""
    return _Scheduling(whole.code, {}, wanted=set(slots)).run()


class _Scheduling:
    def __init__(self, code: Code, declared: Mapping[str, Type], wanted: set[int] | None = None) -> None:
        self.code = code
        self.reading = Reading(code.words)
        self.main = list(self.reading.main())
        if wanted is not None:
            self.main = self.reading.needed(self.main, wanted)
        kinds = {**_INPUT_TYPES, **declared}
        self.domains: dict[int, int] = {
            slot: _INPUT_DOMAINS.get(name, Domain.SAMPLES) for name, slot in code.inputs.items()
        }
        self.sizes = {slot: 1 + code.types.slot_words(kinds[name]) for name, slot in code.inputs.items()}
        self.parents: dict[int, int] = {Domain.TASKS: Domain.ONCE, Domain.SAMPLES: Domain.TASKS}
        self.next_domain: int = Domain.BODIES
        self.maps: dict[tuple[int, int], int] = {}
        self.maps[Domain.SAMPLES, Domain.TASKS] = self._slot(Domain.SAMPLES, 1)
        self.spent: dict[int, int] = {}
        self.steps: dict[int, int] = {}
        """Of the domain of a body, the slot of its items' steps."""
        self.home: dict[int, Block] = {}
        """And the block it was opened in."""
        self.inside: dict[int, list[int]] = {}
        """And what its nodes fill."""
        self.missing: dict[int, str] = {}
        """Of slots that no wave fills, why."""
        self.kernels = Kernels(code.types)

    @collecting_later()
    def run(self) -> Schedule:
        made = []
        for one in self.main:
            why = self._refused(one) if is_loop(one.op) else ""
            if self.missing and not why:
                why = next((self.missing[arg] for arg in one.args if arg in self.missing), "")
            if why:
                self.missing[one.dst] = why
            else:
                made.append(one)
        powers = self.reading.powers_and_users(made)
        needed = {one.dst for one in self.reading.needed(made, powers)} - powers
        first, rest, behind = Block(), Block(), Block()
        for one in made:
            block = behind if one.dst in powers else first if one.dst in needed else rest
            self._add(one, max([self.domains.get(arg, 0) for arg in one.args], default=0), block)
        waves: list[Wave] = []
        parts = first.flattened(waves), rest.flattened(waves), behind.flattened(waves)
        self._connect(waves)
        code, left_out = self._without_rest()
        return Schedule(code, waves, *parts, self.domains, self.sizes, self.parents, self.maps, self.spent, left_out)

    def _without_rest(self) -> tuple[Code, dict[str, str]]:
        """The code with the programs that are scheduled, and those that are left out, with why."""
        left_out = dict(self.code.rejected)
        outputs = {}
        for name, (slot, kind) in self.code.outputs.items():
            if slot in self.missing:
                left_out[name] = self.missing[slot]
            else:
                outputs[name] = (slot, kind)
        return replace(self.code, outputs=outputs), left_out

    def _refused(self, one: Instruction) -> str:
        """Why a loop cannot be run by waves, or nothing."""
        if one.op in _CARRIES:
            return "a loop that carries a state"
        if len({body.type for body in one.bodies}) > 1:
            return "a loop whose bodies give different types"
        loops = (inner for inner in self.reading.inside(one) if is_loop(inner.op))
        return next(filter(None, map(self._refused, loops)), "")

    # --- slots and nodes ---

    def _slot(self, domain: int, words: int) -> int:
        """A slot of the waves' own."""
        slot = -1 - len(self.sizes)
        self.domains[slot], self.sizes[slot] = domain, words
        return slot

    def _add(self, one: Instruction, domain: int, block: Block) -> None:
        """An instruction of a domain."""
        self.domains[one.dst] = domain
        self.sizes[one.dst] = 1 + self.code.types.rows[one.type].slot_words
        if one.cost_place:
            self.domains[one.cost_place], self.sizes[one.cost_place] = domain, 1
        if is_loop(one.op):
            return self._loop(one, domain, block)
        self._put(block, self.kernels.call(one), self._call(one, domain, one.args))

    def _call(
        self, one: Instruction, domain: int, args: Sequence[int], frames: int = -1, waits: Sequence[int] = (),
        seen_by: Sequence[int] = (),
    ) -> WaveNode:  # fmt: skip
        """A node that has an instruction's result, cost and steps; `seen_by` are the domains that see its arguments."""
        steps = 0
        if domain >= Domain.BODIES:
            steps = self.steps[domain]
        elif is_loop(one.op) or one.extra[0] & MULTIPLIES:
            steps = self.spent[one.dst] = self._slot(domain, 2)
        slots = (one.dst, one.cost_place, steps, *args)
        domains = (domain, domain, domain, *seen_by) if seen_by else ()
        return WaveNode(domain, slots, one.type, max(one.times, 0), 0, frames, tuple(waits), domains)

    def _put(self, block: Block, kernel: WaveKernel, node: WaveNode) -> None:
        """A node behind all it needs."""
        needs = self._needs(node)
        levels = block.levels
        level = 1 + max([levels.get(slot, 0) for slot in needs], default=0)
        wave = block.waves.get((level, kernel))
        if wave is None:
            wave = block.waves[level, kernel] = Wave(kernel, level)
        wave.nodes.append(node)
        wave.needs += needs
        result, cost = node.slots[:2]
        levels[result] = level
        if cost:
            levels[cost] = level
        if node.domain >= Domain.BODIES:
            self.inside[node.domain].append(result)

    def _needs(self, node: WaveNode) -> list[int]:
        """The slots that a node comes after; where it needs a map, there is one then."""
        needs = [*node.waits, *filter(None, node.slots[1:])]
        if node.domains:
            seen = [*zip(node.slots, node.domains, strict=True)]
            needs += [self.maps[one, self.parents[one]] for one in {*node.domains} if one >= Domain.BODIES]
        else:
            domain = node.domain
            if domain == Domain.ONCE:  # which has constants and its own alone
                return needs
            if domain >= Domain.BODIES:
                needs.append(self.maps[domain, self.parents[domain]])
            seen = [(slot, domain) for slot in node.slots]
        for slot, domain in seen:
            own = self.domains.get(slot, domain)
            if own not in (domain, Domain.ONCE):
                self._map(domain, own)
                needs.append(self.maps[domain, own])
        return needs

    def _connect(self, waves: list[Wave]) -> None:
        """Say of each wave which others it comes after."""
        filled: dict[int, int] = {}
        for number, wave in enumerate(waves):
            wave.nodes.sort(key=_domain_of)  # those of one domain are dealt out together
            wave.after = sorted({filled.get(slot, number) for slot in wave.needs} - {number})
            wave.needs = []
            for node in wave.nodes:
                result, cost = node.slots[:2]
                filled[result] = number
                if cost:
                    filled[cost] = number

    def _map(self, domain: int, to: int) -> None:
        """See to it that there is a map; those to the next domain around are there once a loop is opened."""
        if (domain, to) in self.maps:
            return
        parent = self.parents[domain]
        self._map(parent, to)
        slot = self.maps[domain, to] = self._slot(domain, 1)
        node = WaveNode(domain, (slot, 0, 0, self.maps[parent, to]))
        self._put(self.home[domain], self.kernels.untyped("MAPS"), node)

    # --- loops ---

    def _loop(self, one: Instruction, domain: int, block: Block) -> None:
        """A loop of a domain, with all that is in it."""
        bodies = one.bodies
        first = self.next_domain
        self.next_domain += len(bodies)
        for number in range(first, self.next_domain):
            self.parents[number] = domain
        segment = self._slot(domain, _SEGMENT_WORDS + 2 * len(bodies))
        kernel, count = self.kernels.open(one)
        least = self._least_steps(bodies[0]) if one.op not in (_POWER, CODES["LOOP_CHOOSE"]) else 0
        slots = (segment, 0, 0, *one.args[:count])
        self._put(block, kernel, WaveNode(domain, slots, which=least, frames=first))
        behind, seen_by = [segment], [domain]
        waits: list[int] = []
        for number, body in enumerate(bodies):
            inner = first + number
            self._open_body(inner, number, segment, block)
            if one.op == _POWER:
                given = self._power(one, body, inner, block, waits)
            else:
                self._load(one, body, inner, number, segment, block)
                self._add_body(body, inner, block)
                given = [body.result, self.steps[inner]]
                waits += self.inside[inner]
            behind += given
            seen_by += [inner] * len(given)
        walked = one.args[0] if one.op in TAKES_ITEMS else 0
        node = self._call(one, domain, (walked, *behind), first, waits, (domain, *seen_by))
        self._put(block, self.kernels.gather(one, bodies[0].type), node)

    def _open_body(self, inner: int, number: int, segment: int, block: Block) -> None:
        """The frame of a body's domain, its owners and its steps."""
        parent = self.parents[inner]
        self.home[inner] = block
        self.inside[inner] = []
        self.steps[inner] = self._slot(inner, 2)  # first in its frame: they are added up as 64 bits
        frame = self._slot(parent, 0)
        node = WaveNode(parent, (frame, 0, 0), which=inner, frames=0, waits=(segment,))
        self._put(block, self.kernels.untyped("FRAMES"), node)
        owner = self.maps[inner, parent] = self._slot(inner, 1)
        node = WaveNode(parent, (owner, 0, self.steps[inner], segment), which=number, frames=inner, waits=(frame,))
        self._put(block, self.kernels.untyped("OWNERS"), node._replace(domains=(inner, inner, inner, parent)))

    def _parameter(self, slot: int, type_: int, inner: int) -> None:
        self.domains[slot], self.sizes[slot] = inner, 1 + self.code.types.rows[type_].slot_words

    def _load(self, one: Instruction, body: BodyOf, inner: int, number: int, segment: int, block: Block) -> None:
        """The parameters of a body from the items of what its loop walks."""
        for place, (slot, type_) in enumerate(body.params):
            self._parameter(slot, type_, inner)
            how = ("LEFT", "RIGHT")[place] if one.op == _PAIRS else "ITEM"
            walked = [place, 1] if one.op == _PAIRS else [place]
            kernel = self.kernels.load(how, [one.arg_types[at] for at in walked], type_)
            slots = (slot, 0, 0, *[one.args[at] for at in walked], segment)
            self._put(block, kernel, WaveNode(inner, slots, type_, which=number))

    def _add_body(self, body: BodyOf, inner: int, block: Block) -> None:
        for words in self.reading.words_of(body):
            if words[0] == CHARGE:
                self._charge(words, inner, block)
            else:
                self._add(Instruction(words), inner, block)

    def _charge(self, words: Sequence[int], domain: int, block: Block) -> None:
        """Steps of an item for what was taken out of its body: a number, and costs of calls."""
        costs = list(zip(words[4::2], words[5::2], strict=True)) or [(0, 0)]
        for place, (cost, times) in enumerate(costs):
            slots = (self._slot(domain, 0), 0, self.steps[domain], cost)
            node = WaveNode(domain, slots, times=times, which=0 if place else words[2])
            self._put(block, self.kernels.untyped("CHARGES"), node)

    def _power(self, one: Instruction, body: BodyOf, inner: int, block: Block, waits: list[int]) -> list[int]:
        """A power: its body in a block that is repeated; the slots its result is made of."""
        (slot, type_), *_ = body.params
        self._parameter(slot, type_, inner)
        left, outcome = self._slot(inner, 1), self._slot(inner, 1)
        kernel = self.kernels.load("VALUE", list(one.arg_types[:2]), type_)
        self._put(block, kernel, WaveNode(inner, (slot, 0, 0, *one.args[:2], left, outcome), type_))
        block.levels[left] = block.levels[slot]
        around = self.parents[inner]
        before = [slot, self.maps[inner, around], *self.reading.mentioned(one)]
        while around != Domain.ONCE:
            self._map(inner, around)
            before.append(self.maps[inner, around])
            around = self.parents[around]
        level = block.repeat_after(before)
        turns = 0 if one.args[1] in self.domains else self.code.image[one.args[1] + 1]
        repeated, repeat = block.repeat(level, self._alike(one, turns), turns)
        repeat.left.append(left)
        self.inside[inner] = []
        self._add_body(body, inner, repeated)
        steps = self.steps[inner]
        node = WaveNode(inner, (slot, 0, steps, body.result, left, outcome), type_, waits=tuple(self.inside[inner]))
        self._put(repeated, self.kernels.advance(type_), node)
        block.levels[outcome] = level
        waits.append(outcome)
        return [slot, steps, outcome, left]

    def _alike(self, one: Instruction, turns: int) -> int:
        """The same for powers that take their turns together: about as many, or just as many with powers inside.

        Those inside take their own turns again in each turn of whatever is around them.
        """
        inside = any(map(self.reading.has_power, self.reading.inside(one)))
        return -(turns or one.dst << 32) if inside else turns.bit_length()

    def _least_steps(self, body: BodyOf) -> int:
        """Steps that an item takes at least that does not fail; 0 where parts of its body may fail without it."""
        total = 0
        for words in self.reading.words_of(body):
            if words[0] == CHARGE:
                total += words[2]
                continue
            one = Instruction(words)
            if one.op == _CHOOSE or (one.strict < one.count and one.op != _GUARD):
                return 0
            if one.op not in UNCOUNTED and one.op not in (_POWER, CODES["LOOP_CHOOSE"]):
                fixed = not is_loop(one.op) and one.extra[0] & FIXED_COST
                total += max(one.times, 0) * (one.extra[1] if fixed else 1)
        return min(total, 0xFFFFFFFF)


_domain_of: Final = attrgetter("domain")
