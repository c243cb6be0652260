"""What takes the time, in parts: measured as a suite, and read from other suites as a line for each case.

A line says how the time of a case divides, never why; it is made from rows alone, so that it is as good as they are.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from arcbatt.devtools.bench.gpu import CROSSOVER, DEVICE, HOST, OVERTAKES, WHOLE
from arcbatt.devtools.bench.load import Load, spread
from arcbatt.devtools.bench.result import Result, Row, number
from arcbatt.devtools.bench.sides import ONE_THREAD
from arcbatt.devtools.profile import profile

SHARES: Final = "shares"
PERCENT: Final = "% of the time"
_SAMPLES: Final = 160
_TOP: Final = 3
_PARTS: Final = {DEVICE: "until the GPU is done", HOST: "after that"}


def shares(load: Load) -> Iterator[Row]:
    """Which primitives and programs take the time of one thread."""
    if ONE_THREAD not in load.sides:
        return
    samples = spread(load.samples, min(len(load.samples), _SAMPLES))
    found = profile(load.programs, samples, complete=False, gpus=False, max_steps=load.max_steps)
    note = f"{len(load.programs):,} programs x {len(samples):,} samples"
    total = max(found.run_seconds, 1e-12)
    parts = [(f"primitive {name}", tally.seconds) for name, tally in found.by_primitive().items()][:_TOP]
    parts += [(f"program {name}", share.fair) for name, share in found.by_program().items()][:_TOP]
    for case, seconds in parts:
        yield Row.of(SHARES, case, "engine, 1 thread", PERCENT, [100 * seconds / total], note=note)


class Limit(NamedTuple):
    """How the time of a case on one side divides."""

    case: str
    side: str
    line: str


def limits(result: Result) -> list[Limit]:
    """A line for each case and side of a result of which there is something to say."""
    return [*_gpu_parts(result.rows), *_threads(result.rows), *_top_shares(result.rows), *_stages(result.rows),
            *_starting(result.rows), *_overtakes(result.rows)]  # fmt: skip


def limits_table(found: Sequence[Limit]) -> str:
    """As Markdown."""
    lines = ["| case | side | how the time divides |", "|---|---|---|"]
    return "\n".join([*lines, *(f"| {one.case} | {one.side} | {one.line} |" for one in found)])


def _gpu_parts(rows: Sequence[Row]) -> Iterator[Limit]:
    """The parts of a run on a GPU."""
    parts: dict[tuple[str, str, str], dict[str, float]] = defaultdict(dict)
    for row in rows:
        if row.unit in (*_PARTS, WHOLE):
            parts[row.suite, row.case, row.side][row.unit] = row.median
    for (_, case, side), by_unit in parts.items():
        whole = by_unit.pop(WHOLE, 0.0)
        if whole and by_unit:
            texts = [f"{_PARTS[unit]} {ms / whole:.0%}" for unit, ms in sorted(by_unit.items(), key=lambda x: -x[1])]
            yield Limit(case, side, f"{', '.join(texts)} of {number(whole)} ms")


def _threads(rows: Sequence[Row]) -> Iterator[Limit]:
    """What more threads give."""
    known = {row.key: row for row in rows}
    for row in rows:
        count = row.side.removeprefix("engine, ").removesuffix(" threads")
        one = known.get((row.suite, row.case, "engine, 1 thread", row.unit))
        if row.unit == "evaluations/s" and one and count.isdecimal():
            gain = row.median / one.median
            yield Limit(row.case, row.side, f"{gain:.2f} times one thread, {gain / int(count):.0%} of {count}")


def _top_shares(rows: Sequence[Row]) -> Iterator[Limit]:
    by_side: dict[tuple[str, str], list[str]] = defaultdict(list)
    for row in rows:
        if row.suite == SHARES and row.unit == PERCENT:
            by_side[row.note, row.side].append(f"{row.case} {row.median:.0f}%")
    for (case, side), texts in by_side.items():
        yield Limit(case, side, ", ".join(texts))


def _stages(rows: Sequence[Row]) -> Iterator[Limit]:
    """The stages of a run from programs to what is solved."""
    by_case: dict[tuple[str, str], list[tuple[float, str]]] = defaultdict(list)
    for row in rows:
        if row.unit.startswith(f"{PERCENT}: "):
            by_case[row.case, row.side].append((row.median, row.unit.removeprefix(f"{PERCENT}: ")))
    for (case, side), parts in by_case.items():
        texts = [f"{stage} {share:.0f}%" for share, stage in sorted(parts, reverse=True) if share >= 1]
        yield Limit(f"end to end, {case}", side, ", ".join(texts))


def _starting(rows: Sequence[Row]) -> Iterator[Limit]:
    """What a run costs however small it is: the smallest load against the greatest."""
    by_side: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        if row.suite == CROSSOVER and row.x is not None:
            by_side[row.side].append(row)
    for side, some in by_side.items():
        least, most = min(some, key=lambda row: row.x or 0), max(some, key=lambda row: row.x or 0)
        if least is not most:
            part = f"{100 * least.median / most.median:.2g}%"
            line = (
                f"{number(least.median)} ms however little there is to do, {part} of the {number(most.median)} ms that "
                f"{most.case} take"
            )
            yield Limit("small loads", side, line)


def _overtakes(rows: Sequence[Row]) -> Iterator[Limit]:
    for row in rows:
        if row.case == OVERTAKES:
            yield Limit(row.case, row.side, f"{number(row.median)} evaluations; {row.note}")
