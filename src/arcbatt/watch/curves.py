"""A run's batches as curves over time."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import numpy as np

from arcbatt.runs.store.live import BatchProgress, FirstSolver
from arcbatt.watch.model import Line, Node

BUCKETS: Final = 96
"""Stretches of time that a curve of rates is made of."""
RECENT: Final = 20.0
"""Seconds of work that the current rate is taken over."""


class Span(NamedTuple):
    """A batch in time: when it began and ended, in seconds since the start."""

    began: float
    ended: float
    batch: BatchProgress


def spans_of(batches: Sequence[BatchProgress], started: float) -> list[Span]:
    """Batches in time; of records that do not say when a batch ended, one right after the other."""
    found = []
    now = 0.0
    for batch in batches:
        now = max(now, batch.ended - started) if batch.ended is not None else now + batch.done.seconds
        found.append(Span(max(0.0, now - batch.done.seconds), now, batch))
    return found


def solved_lines(spans: Sequence[Span], solvers: Iterable[FirstSolver]) -> tuple[Line, Line]:
    """Tasks with a program that is right on every demonstration, and on tests too, over time."""
    demos, tests = Counter[int](), Counter[int]()
    order = sorted(
        (span.batch.done.first_program, span.batch.done.first_task, place) for place, span in enumerate(spans)
    )
    programs = sorted({first for first, _, _ in order})
    for one in solvers:
        for program, counter in ((one.program, demos), (one.tests_too, tests)):
            if program is not None and order:
                slice_start = programs[max(0, bisect_right(programs, program) - 1)]
                found = order[max(0, bisect_right(order, (slice_start, one.task, len(spans))) - 1)]
                counter[found[2]] += 1
    return _steps("demonstrations", spans, demos), _steps("tests too", spans, tests)


def _steps(name: str, spans: Sequence[Span], counts: Counter[int]) -> Line:
    points, total = [(0.0, 0.0)], 0
    for place, span in enumerate(spans):
        if counts[place] or place == len(spans) - 1:
            total += counts[place]
            points.append((span.ended, float(total)))
    return Line(name, tuple(points))


def evaluations_by_device(batches: Iterable[BatchProgress], unknown: str) -> dict[str, int]:
    """Evaluations by device or tier, the most first; those of records that do not say count as `unknown`."""
    found = Counter[str]()
    for batch in batches:
        for name, count in (batch.ran_on or {unknown: batch.done.evaluations}).items():
            found[_device(name)] += count
    return dict(found.most_common())


def _device(name: str) -> str:
    """A device or tier without the node of a cluster that it is of: `cpu` for `cpu@node-3`."""
    return name.partition("@")[0]


def nodes_of(done: Sequence[tuple[float, str, int]]) -> tuple[Node, ...]:
    """Nodes of a cluster, the most first, by what was done when on which, in order of time; none is called nothing."""
    total, recent = Counter[str](), Counter[str]()
    end = done[-1][0] if done else 0.0
    start = max(end - RECENT, 0.0)
    for when, node, count in done:
        total[node] += count
        recent[node] += count if when > start else 0
    return tuple(
        Node(node, count, recent[node] / max(end - start, 1e-9)) for node, count in total.most_common() if node
    )


def done_on_nodes(spans: Iterable[Span]) -> list[tuple[float, str, int]]:
    """What the batches of a run did when on which node."""
    return [
        (span.ended, name.partition("@")[2], count)
        for span in spans
        for name, count in (span.batch.ran_on or {}).items()
    ]


def rate_lines(spans: Sequence[Span], names: Sequence[str], unknown: str) -> tuple[Line, ...]:
    """Evaluations a second of each device or tier over time, in stretches of equal length."""
    if not spans or spans[-1].ended <= 0:
        return ()
    width = spans[-1].ended / BUCKETS
    totals = {name: np.zeros(BUCKETS) for name in names}
    edges = np.arange(BUCKETS + 1) * width
    for span in spans:
        first = min(int(span.began / width), BUCKETS - 1)
        last = min(int(span.ended / width), BUCKETS - 1)
        ends = np.minimum(edges[first + 1 : last + 2], span.ended)
        ends[-1] = span.ended
        share = np.diff(np.concatenate([[span.began], ends]))
        share[-1] += 1e-9  # where a batch took no time
        share /= share.sum()
        for name, count in (span.batch.ran_on or {unknown: span.batch.done.evaluations}).items():
            totals[_device(name)][first : last + 1] += share * count
    middles = (edges[:-1] + edges[1:]) / 2
    return tuple(
        Line(name, tuple(zip(middles.tolist(), (totals[name] / width).tolist(), strict=True))) for name in names
    )


def current_rate(spans: Sequence[Span]) -> float | None:
    """Evaluations a second of the last batches; None before the first."""
    count, seconds = 0, 0.0
    for span in reversed(spans):
        count += span.batch.done.evaluations
        seconds = spans[-1].ended - span.began
        if seconds >= RECENT:
            break
    return count / seconds if seconds > 0 else None
