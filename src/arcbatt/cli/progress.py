"""How far a long job is, and ending it early: Ctrl-C or SIGTERM asks it to stop, and ends it if it does not."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Final, TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from arcbatt.cli.terminal import Terminal, above_bar

_SECONDS_BETWEEN_LINES: Final = 5.0
_SECONDS_TO_STOP: Final = 0.5
"""From the first signal until a job that has not looked is ended."""
_SECONDS_TO_LOOK: Final = 0.2
"""That a job has to look for itself, where its time was up before it began."""
_LONGEST: Final = 1e8
"""Seconds that a timer can have."""

_T = TypeVar("_T")
Told = Callable[[int, int], None]
"""Told how much is done, and of how much."""


@contextmanager
def interruptible(until: float | None = None) -> Iterator[Callable[[], bool]]:
    """Whether the user has asked to stop. `until` is when the time is up, of the monotonic clock, for a job that looks.

    What does not look within a moment (a kernel that compiles, programs that are merged) is ended by KeyboardInterrupt,
    by either, and everything by a second Ctrl-C. That may be ignored (under `nohup`, in the background of a script) and
    then stays so; SIGTERM asks all the same.
    """
    seen = False
    ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    which = signal.SIGTERM if ignored else signal.SIGINT

    def note(_: int, __: FrameType | None) -> None:
        nonlocal seen
        seen = True
        signal.signal(which, signal.default_int_handler)
        signal.setitimer(signal.ITIMER_REAL, _SECONDS_TO_STOP)
        print("\nstopping; what is done is kept", file=sys.stderr)

    before: Any = signal.signal(which, note)
    alarm: Any = signal.signal(signal.SIGALRM, signal.default_int_handler)
    if until is not None:
        left = until - time.monotonic() + _SECONDS_TO_STOP
        signal.setitimer(signal.ITIMER_REAL, min(max(left, _SECONDS_TO_LOOK), _LONGEST))
    try:
        yield lambda: seen
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, alarm)
        signal.signal(which, before)


@contextmanager
def shown(console: Console, what: str = "evaluations") -> Iterator[Told]:
    """How far a job is: a bar on a terminal, now and then a line elsewhere, nothing if the console is quiet."""
    if console.is_terminal and not console.quiet:
        columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("left:"))
        drawn = Progress(
            *columns,
            TimeRemainingColumn(),
            console=console,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        with drawn as bars, above_bar(console):
            bar = bars.add_task(what, total=None)
            yield lambda done, total: bars.update(bar, completed=done, total=total)
        return
    yield _lines(console, what)


@contextmanager
def shown_on_stderr(what: str, *, quiet: bool = False) -> Iterator[Told]:
    """`shown` for a command whose result goes to standard output."""
    with shown(Terminal(stderr=True, quiet=quiet), what) as told:
        yield told


def tracked(items: Iterable[_T], total: int, what: str) -> Iterator[_T]:
    """The items, with a bar of how many were taken."""
    with shown_on_stderr(what) as told:
        for number, item in enumerate(items):
            told(number, total)
            yield item


def _lines(console: Console, what: str) -> Told:
    """A line every few seconds, with an estimate of what is left."""
    start = last = time.monotonic()
    first: int | None = None

    def line(done: int, total: int) -> None:
        nonlocal last, first
        first = done if first is None else first
        now = time.monotonic()
        if now - last >= _SECONDS_BETWEEN_LINES:
            last = now
            left = (total - done) * (now - start) / (done - first) if done > first else None
            about = "" if left is None else f", about {left:,.0f} s left"
            console.print(f"{done:,} of {total:,} {what} ({100 * done // max(total, 1)}%){about}", highlight=False)

    return line
