"""Timing: runs repeated with the warm-up apart, and single evaluations in Python sampled by program."""

from __future__ import annotations

import random
import signal
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from types import FrameType
from typing import Any, Final

from arcbatt.language.program import Program
from arcbatt.language.sample import Sample

CUT_OFF: Final = 10.0
"""Seconds after which an evaluation in Python is given up and counted as so many."""
_MOST_WARM: Final = 6
_SETTLED: Final = 0.8
"""Of the time of the run before: a run that takes more than that was none of warming up."""
_RAISED: Final = (
    ArithmeticError, AssertionError, AttributeError, LookupError, MemoryError, NameError, RuntimeError, StopIteration,
    TypeError, ValueError,
)  # fmt: skip
"""What a program written as a Python function may raise on an input it is not for; its time counts all the same."""


@dataclass(frozen=True)
class Timing:
    """Seconds of the first run, which warms up, and of those that count."""

    first: float
    seconds: list[float]


def repeated(run: Callable[[], Any], times: int = 3, most: float = 60.0, *, settles: bool = False) -> Timing:
    """Seconds of runs; where they are long, fewer than asked for, but one at least after the warm-up.

    What `settles` is warmed up for as long as each run takes much less than the one before: a GPU finds out how large
    launches are to be, and records them.
    """

    def one() -> float:
        start = time.perf_counter()
        run()
        return time.perf_counter() - start

    warm = [one()]
    while settles and len(warm) < _MOST_WARM and sum(warm) < most:
        warm.append(one())
        if warm[-1] > _SETTLED * warm[-2]:
            break
    taken: list[float] = []
    while len(taken) < times and (not taken or sum(warm) + sum(taken) < most):
        taken.append(one())
    return Timing(warm[0], taken)


@dataclass(frozen=True)
class Sampled:
    """Evaluations drawn from all of (program, sample): the same number of each program.

    Costs have a heavy tail, a few programs taking most of the time. Drawing by program keeps the share of each program
    what it is in the whole; `error` is the standard error of the mean that is left.
    """

    mean: float
    error: float
    median: float
    evaluations: int
    cut: int
    slowest: float
    """The part of all time that the slowest hundredth of evaluations took."""


class _CutOff(BaseException):
    """An evaluation took too long. No Exception, so that no program catches it."""


@contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    def stop(_: int, __: FrameType | None) -> None:
        raise _CutOff

    before: Any = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def seconds_of(run: Callable[[], Any], cut_off: float = CUT_OFF) -> tuple[float, bool]:
    """How long one evaluation takes, and whether it was cut off."""
    start = time.perf_counter()
    try:
        with _alarm(cut_off):
            run()
    except _CutOff:
        return cut_off, True
    except _RAISED:
        pass
    return time.perf_counter() - start, False


def sampled(
    run: Callable[[Program, Sample], Any],
    programs: Sequence[Program],
    samples: Sequence[Sample],
    each: int = 2,
    most: float = 60.0,
    cut_off: float = CUT_OFF,
) -> Sampled:
    """So many evaluations of each program, in rounds over all programs; no new round after `most` seconds."""
    draw = random.Random(1)
    by_program: list[list[float]] = [[] for _ in programs]
    cut, spent = 0, 0.0
    for _ in range(each):
        if spent > most:
            break
        for seconds, program in zip(by_program, programs, strict=True):
            sample = draw.choice(samples)
            one, was_cut = seconds_of(partial(run, program, sample), cut_off)
            seconds.append(one)
            cut += was_cut
            spent += one
    every = sorted(second for seconds in by_program for second in seconds)
    count = len(by_program[0])
    spread = sum(statistics.variance(seconds) / count for seconds in by_program) if count > 1 else float("nan")
    tail = every[-max(1, len(every) // 100) :]
    return Sampled(
        mean=statistics.fmean(every),
        error=spread**0.5 / len(programs),
        median=statistics.median(every),
        evaluations=len(every),
        cut=cut,
        slowest=sum(tail) / sum(every),
    )
