"""Python's search for reference cycles, put off while very many objects are made that all stay."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collecting_later() -> Iterator[None]:
    """While this holds no cycles are searched for, unless somebody turns that on; also a decorator.

    The search looks at all objects each time these have become a quarter more: a third of the time of reading or
    compiling thousands of programs, for nothing.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def collect_new() -> None:
    """Search those objects alone that were made since the last search: what leaves cycles behind calls it meanwhile."""
    gc.collect(1)
