"""Bytecode as a schedule of waves: one operation, by its types, for every node that has it and every sample.

The schedule is made from bytecode in which every value has a slot of its own (`lower(..., reuse=False)`), so casts,
costs and constants are those of every other engine. A node runs once for each index of its *domain*: once in all where
it depends on nothing, once a task where it depends on S alone, else once a sample. Loops, and what depends on them,
are not scheduled yet; `Schedule.left_out` says which programs that concerns.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import Final, NamedTuple

from arcbatt.compiler.abi import CODES, FIRST_LOOP, INSTRUCTION, K_CELL, K_GRID, K_IJ, K_INT, K_OPT, K_SEQ, K_SET, K_TUP
from arcbatt.compiler.lower.instruction import Instruction
from arcbatt.compiler.lower.layout import TypeRow, TypeTable
from arcbatt.compiler.lower.lower import Code, lower
from arcbatt.compiler.lower.variants import FUNCTIONS
from arcbatt.compiler.typed import TypedGraph
from arcbatt.language.types import CELL, GRID, IJ, INT, OPT_INT, Seq, Tup, Type

_NAMES: Final = {number: name for name, number in CODES.items()}
_SINGLE: Final = {K_INT: str(INT), K_OPT: str(OPT_INT), K_IJ: str(IJ), K_CELL: str(CELL), K_GRID: str(GRID)}
_COST_PLACE: Final = INSTRUCTION.place("cost_place")
_PLACES: Final = ("dst", "cost_place")


class Domain(IntEnum):
    """What numbers the calls of a node. A node has the last of those of its arguments."""

    ONCE = 0
    TASKS = 1
    SAMPLES = 2


_INPUT_DOMAINS: Final = {"I": Domain.SAMPLES, "C": Domain.SAMPLES, "S": Domain.TASKS}
_INPUT_TYPES: Final[Mapping[str, Type]] = {"I": GRID, "C": GRID, "S": Seq(Tup((GRID, GRID)))}


class WaveKernel(NamedTuple):
    """All a kernel is compiled for: an instruction without its places, over types that are numbered from 0 on."""

    words: tuple[int, ...]
    types: tuple[TypeRow, ...]
    parts: tuple[int, ...]

    @property
    def name(self) -> str:
        """The operation and its types, for people."""
        one = Instruction(self.words)
        if one.op < len(FUNCTIONS):
            return FUNCTIONS[one.op].rule
        args = ", ".join(map(self._text, one.arg_types))
        return f"{_NAMES[one.op].lower()}: {args} -> {self._text(one.type)}"

    @property
    def operation(self) -> str:
        """The operation, whatever its types."""
        return self.name.partition(":")[0]

    def _text(self, number: int) -> str:
        """A type, as the language writes it."""
        row = self.types[number]
        if row.kind in (K_SET, K_SEQ):
            item = self._text(row.item)
            return f"{{{item}}}" if row.kind == K_SET else f"[{item}]"
        if row.kind != K_TUP:
            return _SINGLE[row.kind]
        return f"({', '.join(map(self._text, self.parts[row.flat_first : row.flat_first + row.flat_count]))})"


class WaveNode(NamedTuple):
    """One instruction of a wave by its slots."""

    result: int
    cost: int
    """Where its steps are kept, or 0."""
    args: tuple[int, ...]
    type: int
    """Of the result, in the table of types of the code."""


@dataclass
class Wave:
    """Nodes that one kernel runs at a time, over one domain."""

    kernel: WaveKernel
    domain: Domain
    level: int
    nodes: list[WaveNode] = field(default_factory=list)
    after: list[int] = field(default_factory=list)
    """The waves it takes values from, by number."""


@dataclass
class Schedule:
    """Waves in an order in which they can run: those of one level do not depend on each other."""

    code: Code
    """The bytecode, without what is not scheduled; its outputs are the programs that are."""
    waves: list[Wave]
    domains: dict[int, Domain]
    """Of each slot that is filled while running, and of each input."""
    sizes: dict[int, int]
    """Of these slots, their words."""
    left_out: dict[str, str]
    """Programs that are not scheduled, and why."""

    def slots(self) -> Iterator[tuple[int, Type]]:
        """Every slot a node fills, with its type."""
        kinds = {number: kind for kind, number in self.code.types.numbers.items()}
        for wave in self.waves:
            for node in wave.nodes:
                yield node.result, kinds[node.type]


def schedule(graph: TypedGraph) -> Schedule:
    """The waves of a typed graph."""
    return scheduled(lower(graph, columns=False, reuse=False))


def scheduled(code: Code, declared: Mapping[str, Type] | None = None) -> Schedule:
    """The waves of bytecode in which every value has a slot of its own.

    `declared` are the types of inputs beyond I, S and C, which differ by sample as I does.
    """
    return _Scheduling(code, declared or {}).run()


class _Scheduling:
    def __init__(self, code: Code, declared: Mapping[str, Type]) -> None:
        self.code = code
        kinds = {**_INPUT_TYPES, **declared}
        self.domains = {slot: _INPUT_DOMAINS.get(name, Domain.SAMPLES) for name, slot in code.inputs.items()}
        self.sizes = {slot: 1 + code.types.slot_words(kinds[name]) for name, slot in code.inputs.items()}
        self.levels: dict[int, int] = {}
        self.missing: dict[int, str] = {}
        """Of slots that no wave fills, why."""
        self.kernels = Kernels(code.types)
        self.waves: dict[tuple[int, WaveKernel, Domain], Wave] = {}
        self.kept: list[int] = []

    def run(self) -> Schedule:
        for words in _main(self.code.words):
            one = Instruction(words)
            why = _refused(one) or next((self.missing[arg] for arg in one.args if arg in self.missing), "")
            if why:
                self.missing[one.dst] = why
                continue
            self.kept += words
            self._add(one)
        code, left_out = self._without_rest()
        waves = [self.waves[key] for key in sorted(self.waves, key=lambda key: (key[0], key[1].words[0], key[2]))]
        _connect(waves)
        return Schedule(code, waves, self.domains, self.sizes, left_out)

    def _add(self, one: Instruction) -> None:
        domain = max((self.domains.get(arg, Domain.ONCE) for arg in one.args), default=Domain.ONCE)
        level = 1 + max((self.levels.get(arg, 0) for arg in one.args), default=0)
        node = WaveNode(one.dst, one.cost_place, tuple(one.args), one.type)
        self.domains[one.dst], self.levels[one.dst] = domain, level
        self.sizes[one.dst] = 1 + self.code.types.rows[one.type].slot_words
        if node.cost:
            self.domains[node.cost], self.sizes[node.cost] = domain, 1
        kernel = self.kernels.of(one)
        self.waves.setdefault((level, kernel, domain), Wave(kernel, domain, level)).nodes.append(node)

    def _without_rest(self) -> tuple[Code, dict[str, str]]:
        """The code that is scheduled, and the programs that are left out, with why."""
        left_out = dict(self.code.rejected)
        outputs = {}
        for name, (slot, kind) in self.code.outputs.items():
            if slot in self.missing:
                left_out[name] = self.missing[slot]
            else:
                outputs[name] = (slot, kind)
        return replace(self.code, words=[*self.kept, CODES["HALT"], 2], outputs=outputs, nodes=[]), left_out


def _connect(waves: list[Wave]) -> None:
    """Say of each wave which others it comes after."""
    filled = {node.result: number for number, wave in enumerate(waves) for node in wave.nodes}
    for wave in waves:
        wave.after = sorted({filled[arg] for node in wave.nodes for arg in node.args if arg in filled})


def _main(words: list[int]) -> Iterator[list[int]]:
    """The instructions outside of bodies."""
    at = 0
    while words[at] != CODES["HALT"]:
        yield words[at : at + words[at + 1]]
        at += words[at + 1]


def _refused(one: Instruction) -> str:
    if one.op >= FIRST_LOOP:
        return "a loop"
    return "a custom operation" if one.op == CODES["CUSTOM"] else ""


class Kernels:
    """The kernels of instructions, with types numbered anew, so that one kernel serves every program."""

    def __init__(self, types: TypeTable) -> None:
        self.types = types
        self._known: dict[tuple[int, ...], WaveKernel] = {}

    def of(self, one: Instruction) -> WaveKernel:
        """The kernel of an instruction."""
        key = tuple(_without_places(one, one.arg_types, one.type))
        if key not in self._known:
            self._known[key] = self._made(one)
        return self._known[key]

    def _made(self, one: Instruction) -> WaveKernel:
        rows: list[TypeRow] = []
        parts: list[int] = []
        numbers: dict[int, int] = {}

        def number(type_: int) -> int:
            if type_ not in numbers:
                row = self.types.rows[type_]
                flat = [number(part) for part in self.types.parts[row.flat_first : row.flat_first + row.flat_count]]
                item = number(row.item) if row.kind in (K_SET, K_SEQ) else 0
                first = len(parts)
                parts.extend(flat)
                numbers[type_] = len(rows)
                rows.append(row._replace(item=item, flat_first=first if flat else 0))
            return numbers[type_]

        arg_types, type_ = [number(one_type) for one_type in one.arg_types], number(one.type)
        return WaveKernel(tuple(_without_places(one, arg_types, type_)), tuple(rows), tuple(parts))


def _without_places(one: Instruction, arg_types: Sequence[int], type_: int) -> list[int]:
    """The words of an instruction with nothing where it names slots, but whether it keeps its cost, and these types."""
    head = list(one.words[: INSTRUCTION.words])
    for name in _PLACES:
        head[INSTRUCTION.place(name)] = 0
    head[_COST_PLACE] = int(bool(one.cost_place))
    head[INSTRUCTION.place("type")] = type_
    return [*head, *[0] * one.count, *arg_types, *one.extra]
