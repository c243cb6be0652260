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
from collections import deque
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, Final

from arcbatt.compiler.graph import Graph
from arcbatt.engine.packer import Brief, brief_of
from arcbatt.engine.reference import MergedReference
from arcbatt.language.sample import Sample

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
class TakeBack:
    """Leave what was sent and is not begun; answered by Returned at once, whatever else is being done."""


@dataclass(frozen=True)
class Ready:
    """The process has started, or has the graph."""


@dataclass(frozen=True)
class Evaluated:
    """The outcomes of the first nodes: of all that were not taken back, or of those there was time for."""

    briefs: tuple[Brief, ...]


@dataclass(frozen=True)
class Returned:
    """How many of the nodes sent last, from the end, will not be evaluated."""

    count: int


class _Desk:
    """The line to the other end, and the nodes that are still to be evaluated."""

    def __init__(self, line: Connection) -> None:
        self.line = line
        self.inbox: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._nodes: deque[int] = deque()
        self._lock = threading.Lock()

    def receive(self) -> None:
        """Take messages in; when the line is closed, end the process in the middle of what it does."""
        while True:
            try:
                message = self.line.recv()
                if isinstance(message, TakeBack):
                    with self._lock:
                        count = len(self._nodes)
                        self._nodes.clear()
                        self.line.send(Returned(count))  # before what is evaluated is told of
                else:
                    self.inbox.put(message)
            except (EOFError, OSError):
                os._exit(0)

    def evaluate(self, reference: MergedReference, nodes: tuple[int, ...], hashed: bool) -> None:
        """Answer with the outcomes of nodes, as far as there is time and they are not taken back."""
        end = time.monotonic() + _SECONDS_AN_ANSWER
        briefs: list[Brief] = []
        self._nodes.extend(nodes)
        while True:
            with self._lock:
                if not self._nodes or (briefs and time.monotonic() > end):
                    self._nodes.clear()
                    self.line.send(Evaluated(tuple(briefs)))
                    return
                node = self._nodes.popleft()
            briefs.append(brief_of(reference.value(node), hashed))


def main(handle: int) -> None:
    """Serve the line with this handle until it is closed."""
    sys.excepthook = lambda *_: None
    desk = _Desk(Connection(handle))
    threading.Thread(target=desk.receive, daemon=True).start()
    desk.line.send(Ready())
    given = TakeGraph(Graph(), 0, False)
    reference: MergedReference | None = None
    while True:
        try:
            message = desk.inbox.get(timeout=IDLE_SECONDS)
        except queue.Empty:
            return
        if isinstance(message, TakeGraph):
            given, reference = message, None
            desk.line.send(Ready())
            continue
        if message.sample is not None:
            reference = MergedReference(given.graph, message.sample, given.max_steps)
        assert reference is not None
        desk.evaluate(reference, message.nodes, given.hashed)
