"""A process that evaluates on the reference what it is sent; `crew.py` is the other end of the line.

It ends as soon as the line is closed, whatever it is doing then, and by itself when it has had nothing to do for a
while. What the reference raises ends it too, without a word: whoever sent the work does it again.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
import time
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, Final

from arcbatt.backends.merged import MergedReference
from arcbatt.backends.packer import Brief, brief_of
from arcbatt.backends.python import Sample
from arcbatt.ir.graph import Graph

IDLE_SECONDS: Final = 60.0
"""How long a process waits for work before it ends."""
_SECONDS_AN_ANSWER: Final = 0.02
"""After so long it answers with what it has, the rest undone."""


@dataclass(frozen=True)
class TakeGraph:
    """The graph that is meant from now on; answered by Ready."""

    graph: Graph
    max_steps: int
    hashed: bool


@dataclass(frozen=True)
class Evaluate:
    """Evaluate nodes of the graph on a sample, None for the sample of the message before; answered by Evaluated."""

    sample: Sample | None
    nodes: tuple[int, ...]


@dataclass(frozen=True)
class Ready:
    """The process has started, or has the graph."""


@dataclass(frozen=True)
class Evaluated:
    """The outcomes of the first nodes, at least of one."""

    briefs: tuple[Brief, ...]


def main(handle: int) -> None:
    """Serve the line with this handle until it is closed."""
    line = Connection(handle)
    sys.excepthook = lambda *_: None
    inbox: queue.SimpleQueue[Any] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(line, inbox), daemon=True).start()
    line.send(Ready())
    given = TakeGraph(Graph(), 0, False)
    reference: MergedReference | None = None
    while True:
        try:
            message = inbox.get(timeout=IDLE_SECONDS)
        except queue.Empty:
            return
        if isinstance(message, TakeGraph):
            given, reference = message, None
            line.send(Ready())
            continue
        if message.sample is not None:
            reference = MergedReference(given.graph, message.sample, given.max_steps)
        assert reference is not None
        line.send(_evaluated(reference, message.nodes, given.hashed))


def _evaluated(reference: MergedReference, nodes: tuple[int, ...], hashed: bool) -> Evaluated:
    end = time.monotonic() + _SECONDS_AN_ANSWER
    briefs = []
    for node in nodes:
        briefs.append(brief_of(reference.value(node), hashed))
        if time.monotonic() > end:
            break
    return Evaluated(tuple(briefs))


def _receive(line: Connection, inbox: queue.SimpleQueue[Any]) -> None:
    """Take messages in; when the line is closed, end the process in the middle of what it does."""
    while True:
        try:
            inbox.put(line.recv())
        except (EOFError, OSError):
            os._exit(0)
