"""What the documents this project began with expect, point by point, beside what was measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from arcbatt.devtools.bench.result import Result, Row, number

NOT_MEASURED: Final = "not measured"
_SUITE: Final = "batt calls"
_REFERENCE, _ONE_THREAD = "reference, merged", "engine, 1 thread"
_BATT: Final = "20 programs and the differs"
_PATTERNS: Final = "the batch patterns, five times"

_BATCHES: Final = (
    (3, "0.35 ms", "0.04 ms"),
    (10, "6.53 ms", "0.65 ms"),
    (50, "74.49 ms", "2.5 ms"),
    (200, "114.33 ms", "3.3 ms"),
)
"""Samples, their CPU, and what they expect of four GPUs."""


@dataclass(frozen=True)
class Point:
    """One thing they say: a time on their CPU, on one GPU, on several; and the case that is the nearest here."""

    says: str
    cpu: str
    gpu: str
    gpus: str
    case: str


POINTS: Final = (
    Point("a batt, for each sample", "4.63 ms", "0.51 to 0.96 ms", "", _BATT),
    Point("the batch patterns five times over, a batt call", "117 ms", "12.5 ms", "3.25 ms", _PATTERNS),
    *(
        Point(f"a batch of {count} samples", cpu, "", gpus, f"the batch patterns, {count} samples at once")
        for count, cpu, gpus in _BATCHES
    ),
)
TIMES: Final = (
    ("a batt on a GPU: 4.8 to 9 times their CPU", _BATT),
    ("the batch patterns on one GPU: 9.4 times their CPU, on four 36 times", _PATTERNS),
    ("by kind of GPU: 10 to 15 times (T4, P100), 30 to 35 times (four L4)", "the batch patterns, 200 samples at once"),
)


def expectations(cpu: Result | None, gpu: Result | None) -> str:
    """Two tables: times, and how many times faster.

    The first result is a CPU's, the second that of a machine with GPUs; ratios are of figures of one machine.
    """
    lines = [
        "| they say | on their CPU | on one GPU | on four "
        "| here: Python, merged | engine, 1 thread | engine, all threads | one GPU | all GPUs |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for point in POINTS:
        sides = [_cell(row) for row in _found(cpu, gpu, point.case)]
        lines.append(f"| {point.says} | {point.cpu} | {point.gpu} | {point.gpus} | {' | '.join(sides)} |")
    lines += [
        "",
        "| they expect | engine, 1 thread, against Python | one GPU against Python | against 1 thread "
        "| against all threads |",
        "|---|---:|---:|---:|---:|",
    ]
    for says, case in TIMES:
        here, there = _sides(cpu, case), _sides(gpu, case)
        device = _one_gpu(there)
        cells = [_times(here.get(_REFERENCE), here.get(_ONE_THREAD))]
        cells += [_times(one, device) for one in (there.get(_REFERENCE), there.get(_ONE_THREAD), _all_threads(there))]
        lines.append(f"| {says} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _found(cpu: Result | None, gpu: Result | None, case: str) -> list[Row | None]:
    """The rows of a case: reference, one thread and all threads of the CPU machine, one GPU, all GPUs of the other."""
    here, there = _sides(cpu, case), _sides(gpu, case)
    every = next((row for side, row in there.items() if side.endswith(" GPUs")), None)
    return [here.get(_REFERENCE), here.get(_ONE_THREAD), _all_threads(here), _one_gpu(there), every]


def _sides(result: Result | None, case: str) -> dict[str, Row]:
    rows: Sequence[Row] = result.rows if result else ()
    return {row.side: row for row in rows if row.suite == _SUITE and row.case == case}


def _one_gpu(sides: dict[str, Row]) -> Row | None:
    return next((row for side, row in sides.items() if side.startswith("GPU ")), None)


def _all_threads(sides: dict[str, Row]) -> Row | None:
    return next((row for side, row in sides.items() if side.endswith(" threads")), sides.get(_ONE_THREAD))


def _cell(row: Row | None) -> str:
    return f"{number(row.median)} ms" if row else NOT_MEASURED


def _times(slow: Row | None, fast: Row | None) -> str:
    return f"{number(slow.median / fast.median)}" if slow and fast and fast.median else NOT_MEASURED
