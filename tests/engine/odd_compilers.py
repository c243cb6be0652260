"""Processes that compile programs and go wrong on purpose."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from arcbatt.engine.compilers import CompilerService


class Killed(CompilerService):
    """Is killed over every part."""

    def handle(self, message, handle):
        os.kill(os.getpid(), signal.SIGKILL)


class KilledOver(CompilerService):
    """Is killed over the part that has a program of this name."""

    def __init__(self, name):
        self.name = name

    def handle(self, message, handle):
        if self.name in message.graph.outputs:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().handle(message, handle)


class DiesAtStart(CompilerService):
    """Cannot even be made: the process ends."""

    def __init__(self):
        os._exit(7)


class Fails(CompilerService):
    """Meets an error that no program can be blamed for."""

    def handle(self, message, handle):
        raise MemoryError("no memory")


class Slow(CompilerService):
    """Says that it is at work by a file named for its process, and is never done."""

    def __init__(self, folder):
        self.folder = folder

    def handle(self, message, handle):
        (Path(self.folder) / f"at-work-{os.getpid()}").touch()
        time.sleep(3600)
