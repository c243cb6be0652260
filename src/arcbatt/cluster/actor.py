"""A worker of a cluster, as Ray starts it there.

This module travels to the node by value and needs nothing but Python, so that a node without arcbatt, or with another
one, can say so.
"""

from __future__ import annotations

import importlib
import time
from typing import Any


class Actor:
    """Holds a service, and does one piece of work after the other."""

    def __init__(self) -> None:
        self._service: Any = None

    def hello(self, build: str) -> str:
        """Why this node cannot take part in the work of a certain build of arcbatt, or nothing."""
        return node_problem(build)

    def setup(self, service: str, options: dict[str, Any]) -> str:
        """Make the service, a class by `module:class`; why that cannot be done, or nothing."""
        module, _, name = service.partition(":")
        try:
            self._service = getattr(importlib.import_module(module), name)(**options)
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        return ""

    def work(self, message: Any) -> tuple[Any, str, float]:
        """What the service makes of a message; or why it failed; and how many seconds it took."""
        began = time.perf_counter()
        try:
            return self._service.work(message), "", time.perf_counter() - began
        except Exception as error:
            return None, f"{type(error).__name__}: {error}", time.perf_counter() - began


def node_problem(build: str) -> str:
    """Why a node cannot take part in the work of a certain build of arcbatt, or nothing."""
    try:
        from arcbatt._version import __version__
    except ImportError:
        return "arcbatt is not installed there"
    try:
        from arcbatt.cluster.build import this_build

        there = this_build()
    except ImportError:
        there = f"arcbatt {__version__}"
    return "" if there == build else f"it has {there}, and this is {build}: install the same on every node"
