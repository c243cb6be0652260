"""How far a long job is, and ending it early: the first Ctrl-C or SIGTERM asks it to stop, the second ends it."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Final

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from arcbatt.cli.terminal import Terminal
from arcbatt.support.stopping import stopped_by

_SECONDS_BETWEEN_LINES: Final = 5.0

Told = Callable[[int, int], None]
"""Told how much is done, and of how much."""


@contextmanager
def interruptible() -> Iterator[Callable[[], bool]]:
    """Whether the user has asked to stop; a second time ends the program at once.

    Ctrl-C may be ignored (under `nohup`, in the background of a script) and then stays so; SIGTERM asks all the same.
    """
    seen = False
    ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    which = signal.SIGTERM if ignored else signal.SIGINT

    def note(_: int, __: FrameType | None) -> None:
        nonlocal seen
        seen = True
        signal.signal(which, signal.default_int_handler)
        print("\nstopping; what is done is kept", file=sys.stderr)

    before: Any = signal.signal(which, note)
    try:
        with stopped_by(lambda: seen):
            yield lambda: seen
    finally:
        signal.signal(which, before)


@contextmanager
def shown(console: Console, what: str = "evaluations") -> Iterator[Told]:
    """How far a job is: a bar on a terminal, now and then a line elsewhere, nothing if the console is quiet."""
    if console.is_terminal and not console.quiet:
        columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("left:"))
        with Progress(*columns, TimeRemainingColumn(), console=console, transient=True) as bars:
            bar = bars.add_task(what, total=None)
            yield lambda done, total: bars.update(bar, completed=done, total=total)
        return
    yield _lines(console, what)


@contextmanager
def shown_on_stderr(what: str, *, quiet: bool = False) -> Iterator[Told]:
    """`shown` for a command whose result goes to standard output."""
    with shown(Terminal(stderr=True, quiet=quiet), what) as told:
        yield told


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
