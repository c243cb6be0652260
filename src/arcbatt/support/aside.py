"""Work that cannot be told to stop, in a thread of its own, so that Ctrl-C ends the wait for it at once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Final, TypeVar

_T = TypeVar("_T")
_NAME: Final = "arcbatt aside"
_SECONDS_BETWEEN_LOOKS: Final = 0.1


def aside(work: Callable[[], _T]) -> _T:
    """What `work` gives. Where the wait is interrupted the work goes on unheeded, and ends with the process."""
    done: list[_T] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            done.append(work())
        except BaseException as error:  # for whoever waits
            failed.append(error)

    thread = threading.Thread(target=run, name=_NAME, daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(_SECONDS_BETWEEN_LOOKS)
    if failed:
        raise failed[0]
    return done[0]


def begun_aside(work: Callable[[], object]) -> threading.Thread:
    """Work that has begun, for whoever may not want to wait until it is done."""
    thread = threading.Thread(target=work, name=_NAME, daemon=True)
    thread.start()
    return thread


def left_running() -> bool:
    """Whether any such work goes on."""
    return any(thread.name == _NAME for thread in threading.enumerate())
