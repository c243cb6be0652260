"""Graphs that go wrong on purpose where they are evaluated in another process."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import replace
from pathlib import Path

from arcbatt.compiler.graph import Graph


class Nodes(list):
    """Nodes of which one (`bad`) does something when it is looked up in a process other than the one that made it."""

    def __init__(self, nodes, bad, what, folder=""):
        super().__init__(nodes)
        self.bad, self.what, self.folder = bad, what, folder
        self.home = os.getpid()

    def __reduce__(self):
        return _again, (list(self), self.bad, self.what, self.folder, self.home)

    def __getitem__(self, index):
        if index == self.bad and (self.what == "raises" or os.getpid() != self.home):
            globals()[f"_{self.what}"](self.folder)
        return super().__getitem__(index)


def _again(nodes, bad, what, folder, home):
    made = Nodes(nodes, bad, what, folder)
    made.home = home
    return made


def _kills(_):
    os.kill(os.getpid(), signal.SIGKILL)


def _raises(_):
    raise OSError("the reference is broken here")


def _sleeps(folder):
    (Path(folder) / str(os.getpid())).touch()
    time.sleep(300)


def odd(graph: Graph, column: int, what: str, folder: str = "") -> Graph:
    """The graph, the output of a column bad."""
    return replace(graph, nodes=Nodes(graph.nodes, list(graph.outputs.values())[column], what, folder))
