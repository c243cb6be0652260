"""Whether this process was asked to stop, for waits that nobody can hand a `stop` to (compiling a kernel)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

_asked: list[Callable[[], bool]] = []


@contextmanager
def stopped_by(asked: Callable[[], bool]) -> Iterator[None]:
    """Meanwhile `asked` says whether to stop."""
    _asked.append(asked)
    try:
        yield
    finally:
        _asked.pop()


def asked_to_stop() -> bool:
    """Whether the process was asked to stop."""
    return any(asked() for asked in _asked)
