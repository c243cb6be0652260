"""What a run gives: arrays by sample and program, and how outputs are compared and hashed.

Outputs are compared by value: a tuple of equally long tuples of integers from -128 to 127 is a grid, however a program
came by it. `native/core/digest.h` says the same of the engine's values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcbatt.compiler.abi import EMPTY_TUPLE, ESCAPE, OVERFLOW, STATUSES, TOKENS, constant
from arcbatt.compiler.internal_errors import InternalError, InternalErrors
from arcbatt.display.html import figure, page, table
from arcbatt.display.pictures import grid_image
from arcbatt.language.failures import Failed, Outcome, Reason
from arcbatt.language.functions import Function
from arcbatt.language.values import ordered
from arcbatt.support.text import counted

Wanted = Literal["match", "hash", "grid"]
"""What to bring back of outputs: verdicts; hashes too; grids too."""

_OF_TIERS: Final = tuple(
    name.strip("_").replace("_", "-").lower() for name, number in STATUSES.items() if number != EMPTY_TUPLE
)
STATUS: Final = (*_OF_TIERS, "internal")
"""Names of statuses, by number."""
REASONS: Final = {number: Reason(name) for number, name in enumerate(_OF_TIERS) if number > ESCAPE}
INTERNAL: Final = len(_OF_TIERS)
"""The status where even the last tier failed over a program: there is no outcome, and its hash is 0."""
_MAPPED: Final = 400
"""Samples and programs up to which a notebook shows a picture of all outcomes."""
MOST_ROUTES: Final = 255
"""Routes that are told apart; those beyond are counted as the last."""
NUMBERS: Final = {reason: number for number, reason in REASONS.items()}

_MASK: Final = (1 << 64) - 1
_GOLDEN, _MIX_1, _MIX_2 = map(constant, ("GOLDEN", "MIX_1", "MIX_2"))
_GRID_SEED, _VALUE_SEED, _FAILED_SEED, _MANY_SEED = map(
    constant, ("GRID_SEED", "VALUE_SEED", "FAILED_SEED", "MANY_SEED")
)
_NUMBER, _NONE, _TUPLE, _SET, _FUNCTION = (
    TOKENS[f"T_{name}"] for name in ("NUMBER", "NONE", "TUPLE", "SET", "FUNCTION")
)


@dataclass
class Grids:
    """Grid outputs, packed; equal outputs of a sample lie in one place."""

    cells: NDArray[np.int8]
    offset: NDArray[np.int64]
    """By sample and program; -1 where the output is no grid."""
    height: NDArray[np.int32]
    width: NDArray[np.int32]

    def grid(self, sample: int, program: int) -> NDArray[np.int8] | None:
        """One output as an array, or None where the program failed or gave something else."""
        start = int(self.offset[sample, program])
        if start < 0:
            return None
        height, width = int(self.height[sample, program]), int(self.width[sample, program])
        return self.cells[start : start + height * width].reshape(height, width)


class Route(NamedTuple):
    """Where an evaluation ran that did not run on the tier that was asked for, and why."""

    tier: str
    """`cpu` or `dynamic`."""
    why: str

    def __str__(self) -> str:
        return f"{self.tier}: {self.why}"


@dataclass(repr=False)
class Outputs:
    """The outcome of every program (a column each, in the order of `names`) on every sample (a row each)."""

    names: list[str]
    statuses: NDArray[np.uint8]
    """0 where there is a value, else the reason of failure as a place in STATUS."""
    matches: NDArray[np.bool_]
    """Whether the output is the expected grid; never where that is not known or the output is no grid."""
    agreement: NDArray[np.uint16]
    """Cells that are as expected, where the output has the expected shape; 0 elsewhere."""
    hashes: NDArray[np.uint64] | None
    grids: Grids | None
    done: NDArray[np.bool_]
    """Of each sample, whether it was finished; false only after a stop."""
    route: NDArray[np.uint8]
    """0 where the tier that was asked for gave the outcome, else the place of its route in `routes` plus 1."""
    routes: list[Route] = field(default_factory=list)
    """Every way that evaluations went to another tier."""
    device: NDArray[np.uint8] = field(default_factory=lambda: np.zeros(0, np.uint8))
    """Of each sample, the place in `devices` of what ran it first."""
    devices: list[str] = field(default_factory=list)
    """What ran samples first: `cpu`, `cuda:0`, `cuda:1`, ..., or `python`."""
    grown: int = 0
    """How often a thread's arena was made bigger."""
    peak_bytes: int = 0
    """The most one arena held."""
    seconds: dict[str, float] = field(default_factory=dict)
    """Time by stage: `run`, and `dynamic`, how much longer the dynamic tier took."""
    recovered_errors: Counter[str] = field(default_factory=Counter)
    """Errors the run recovered from, and how often; no outcome depends on it."""
    program_routes: dict[str, Route] = field(default_factory=dict)
    """Programs that ran nowhere on the tier that was asked for: where they ran, and why."""
    internal_errors: InternalErrors = field(default_factory=dict)
    """Programs that arcbatt itself failed over somewhere; the tiers below that did not have their outcomes."""

    def __repr__(self) -> str:
        counts = ", ".join(f"{count:,} {name}" for name, count in self._counts() if count)
        programs = counted(len(self.names), "program")
        return f"<Outputs of {programs} on {counted(len(self.done), 'sample')}: {counts or 'nothing done'}>"

    def _counts(self) -> list[tuple[str, int]]:
        """Finished evaluations by what came of them: values as expected, other values, then failures by reason."""
        statuses, right = self.statuses[self.done], int(np.count_nonzero(self.matches[self.done]))
        counts = np.bincount(statuses.reshape(-1), minlength=len(STATUS)).tolist()
        failed = [(f"failed: {name}", count) for name, count in zip(STATUS[1:], counts[1:], strict=True)]
        return [("right", right), ("other values", counts[0] - right), *failed]

    def _repr_html_(self) -> str:
        rows = [(name, f"{count:,}") for name, count in self._counts() if count]
        rows += [(f"rerouted to {route}", f"{count:,}") for route, count in self.rerouted().items()]
        title = f"{counted(len(self.names), 'program')} on {counted(len(self.done), 'sample')}"
        return page(title, table(rows, ("outcome", "evaluations")), self._map())

    def _map(self) -> str:
        """Every evaluation as a cell, samples down and programs across: green is right, red failed."""
        if not 0 < max(self.statuses.shape) <= _MAPPED or not min(self.statuses.shape):
            return ""
        cells = np.where(self.matches, 3, np.where(self.statuses > 0, 2, 5))
        picture = grid_image(tuple(map(tuple, cells.tolist())), "outcomes", side=320)
        return figure(picture, "samples down, programs across; green: right, grey: another value, red: failed")

    def rerouted(self, samples: slice = slice(None)) -> Counter[Route]:
        """How many evaluations of samples went which way."""
        counts = np.bincount(self.route[samples][self.done[samples]].reshape(-1), minlength=1)[1:]
        return Counter({self.routes[place]: int(counts[place]) for place in np.flatnonzero(counts)})

    def ran_on(self, samples: slice = slice(None)) -> Counter[str]:
        """How many evaluations of samples which device or tier gave the outcome of."""
        found = Counter[str]()
        for route, count in self.rerouted(samples).items():
            found[route.tier] += count
        first = np.sum(self.route[samples] == 0, axis=1) * self.done[samples]
        for place, name in enumerate(self.devices):
            found[name] += int(first[self.device[samples] == place].sum())
        return +found

    def device_number(self, name: str) -> int:
        """What `device` holds for what ran a sample first, kept if it is new; the last stands for all beyond it."""
        if name not in self.devices and len(self.devices) < MOST_ROUTES:
            self.devices.append(name)
        return self.devices.index(name) if name in self.devices else len(self.devices) - 1

    def grid(self, sample: int, program: int) -> NDArray[np.int8] | None:
        """One output as an array, or None where it is no grid; needs a run with outputs="grid"."""
        assert self.grids is not None, 'grids are kept by run(..., outputs="grid")'
        return self.grids.grid(sample, program)

    def put(
        self, rows: NDArray[np.int64], part: Outputs, base: int = 0, columns: NDArray[np.int64] | None = None
    ) -> None:
        """Put the outcomes of another run in the places of its samples here; `columns` are its programs, if not all.

        Grids are where the other run has them, `base` cells further on: the cells are the caller's to bring.
        """
        names = ["statuses", "matches", "agreement", "hashes"]
        pairs = [(getattr(self, name), getattr(part, name)) for name in names]
        if self.grids is not None and part.grids is not None:
            offset = np.where(part.grids.offset >= 0, part.grids.offset + base, -1)
            pairs += [
                (self.grids.offset, offset),
                (self.grids.height, part.grids.height),
                (self.grids.width, part.grids.width),
            ]
        stretches = _stretches(np.arange(len(self.names)) if columns is None else columns)
        for target, given in pairs:
            if target is not None and given is not None and len(target):
                for there, here in stretches:
                    target[rows, there] = given[:, here]

    def take(self, rows: NDArray[np.int64], part: Outputs, columns: NDArray[np.int64] | None = None) -> None:
        """Put the outcomes of another run among these, the cells of its grids too."""
        base = 0
        if self.grids is not None and part.grids is not None:
            base = len(self.grids.cells)
            self.grids.cells = np.concatenate([self.grids.cells, part.grids.cells])
        self.put(rows, part, base, columns)
        self.grown += part.grown
        self.peak_bytes = max(self.peak_bytes, part.peak_bytes)

    def route_number(self, route: Route) -> int:
        """What `route` holds for a way, kept if it is new; the last one stands for all beyond it."""
        if route not in self.routes and len(self.routes) < MOST_ROUTES:
            self.routes.append(route)
        return self.routes.index(route) + 1 if route in self.routes else len(self.routes)

    def needs_fallback(self, rows: NDArray[np.int64], refused: Collection[int]) -> NDArray[np.bool_]:
        """Which evaluations of samples have no outcome yet: what did not fit, escaped, or was refused by column."""
        statuses = self.statuses[rows]
        missing: NDArray[np.bool_] = (statuses == OVERFLOW) | (statuses == ESCAPE)
        missing[:, list(refused)] = True
        return missing

    def fail(self, rows: NDArray[np.bool_], program: str, error: InternalError) -> None:
        """Mark evaluations of a program as those over which even the last tier failed."""
        column = self.names.index(program)
        self.statuses[rows, column] = INTERNAL
        for array in (self.matches, self.agreement, self.hashes):
            if array is not None and len(array):
                array[rows, column] = 0
        self.internal_errors[program] = error

    @classmethod
    def empty(cls, names: list[str], samples: int, wanted: Wanted) -> Outputs:
        """Arrays to be filled; what is wanted of outputs decides which."""
        shape = (samples, len(names))
        kept = shape if wanted == "grid" else (0, len(names))
        hashed = (0, len(names)) if wanted == "match" else shape
        return cls(
            names=names,
            statuses=np.zeros(shape, np.uint8),
            matches=np.zeros(shape, np.bool_),
            agreement=np.zeros(shape, np.uint16),
            hashes=np.zeros(hashed, np.uint64),
            grids=Grids(np.zeros(0, np.int8), np.full(kept, -1, np.int64), np.zeros(kept, np.int32),
                        np.zeros(kept, np.int32)),
            done=np.zeros(samples, np.bool_),
            route=np.zeros(shape, np.uint8),
            device=np.zeros(samples, np.uint8),
        )  # fmt: skip

    def trimmed(self, wanted: Wanted) -> Outputs:
        """The same without the arrays that nobody asked for."""
        self.hashes = self.hashes if wanted != "match" else None
        self.grids = self.grids if wanted == "grid" else None
        return self


# --- values ---
def grid_of(value: Outcome) -> NDArray[np.int8] | None:
    """A value as an array, if it is a grid with cells."""
    if not isinstance(value, tuple) or not value or not isinstance(value[0], tuple) or not value[0]:
        return None
    width = len(value[0])
    for row in value:
        if not isinstance(row, tuple) or len(row) != width:
            return None
        if not all(isinstance(cell, int) and -128 <= cell <= 127 for cell in row):
            return None
    return np.array(value, np.int8)


def outcome_hash(outcome: Outcome) -> int:
    """The hash of any outcome; equal outcomes (True is 1) have one hash, whichever backend they come from."""
    if isinstance(outcome, Failed):
        return _mixed(_FAILED_SEED + NUMBERS[outcome.reason])
    grid = grid_of(outcome)
    if grid is not None:
        return grid_hash(grid)
    tokens = np.fromiter(_tokens(outcome), np.uint64)
    return _sum_of(tokens, _mixed(_VALUE_SEED))


def grid_hash(grid: NDArray[np.int8] | NDArray[np.uint8]) -> int:
    """The hash of a grid."""
    height, width = grid.shape
    data = np.ascontiguousarray(grid).tobytes()
    words = np.frombuffer(data + bytes(-len(data) % 8), "<u8")
    return _sum_of(words, _mixed(_GRID_SEED + (height << 32 | width)))


def combined_hashes(hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """One hash of each column of hashes, in which their order counts."""
    places = np.arange(1, len(hashes) + 1, dtype=np.uint64)[:, None] * np.uint64(_GOLDEN)
    total = _mixed_all(hashes + places).sum(axis=0, dtype=np.uint64) + np.uint64(_mixed(_MANY_SEED + len(hashes)))
    return _mixed_all(total)


def _sum_of(words: NDArray[np.uint64], seed: int) -> int:
    places = np.arange(1, len(words) + 1, dtype=np.uint64) * np.uint64(_GOLDEN)
    return _mixed((int(_mixed_all(words + places).sum(dtype=np.uint64)) + seed) & _MASK)


def _mixed(x: int) -> int:
    x = (x ^ (x >> 30)) * _MIX_1 & _MASK
    x = (x ^ (x >> 27)) * _MIX_2 & _MASK
    return x ^ (x >> 31)


def _mixed_all(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    x = (x ^ (x >> np.uint64(30))) * np.uint64(_MIX_1)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(_MIX_2)
    return x ^ (x >> np.uint64(31))


def _tokens(value: Any) -> Iterator[int]:
    """A value in reading order, a set's items ascending."""
    if isinstance(value, int):
        yield _NUMBER << 32 | (value & 0xFFFFFFFF)
    elif value is None:
        yield _NONE << 32
    elif isinstance(value, tuple | frozenset):
        yield (_TUPLE if isinstance(value, tuple) else _SET) << 32 | len(value)
        for item in ordered(value):
            yield from _tokens(item)
    else:
        assert isinstance(value, Function)
        yield _FUNCTION << 32 | len(value.name)
        yield from value.name.encode()
        yield from _tokens(value.parts)


def _stretches(columns: NDArray[np.int64]) -> list[tuple[slice, slice]]:
    """Columns one behind the other, there and here: whole stretches are copied much faster than column by column."""
    ends = [0, *(np.flatnonzero(np.diff(columns) != 1) + 1).tolist(), len(columns)]
    return [
        (slice(int(columns[first]), int(columns[end - 1]) + 1), slice(first, end))
        for first, end in pairwise(ends)
        if end > first
    ]
