"""Commands of arcbatt as processes: how they end, how long that took, and what is wrong with it."""

from __future__ import annotations

import os
import resource
import select
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from arcbatt.runs.kept import VARIABLE

HANGS: Final = 120.0
"""Seconds after which a command that should end soon is said to hang; those it waits for a processor do not count."""
_LOOKS: Final = 5.0
"""Seconds between looks at whether a command waits for a processor."""
_ENTRY: Final = """
import os, sys, time
from arcbatt.cli import main
told, command = int(sys.argv.pop(1)), main.command
def begin():
    os.write(told, str(time.monotonic()).encode())
    os.close(told)
    command()()
main.command = lambda: begin
main.main()
"""
"""Tells when the command begins, on the clock of all processes: the start of Python and its imports count apart."""


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    status: int
    """The exit status, or the negative number of a signal that ended it."""
    out: str
    err: str
    seconds: float
    """How long its end was waited for."""
    processor_seconds: float
    """What all its threads used of processors."""
    hung: bool = False

    def problem(self, statuses: Sequence[int] = (0, 1, 2)) -> str:
        """What is wrong with the way it ended, or nothing."""
        if self.hung:
            return f"did not end within {self.seconds:.0f} s"
        if "Traceback (most recent call last)" in self.err:
            return "a traceback: " + self.err.strip().splitlines()[-1]
        if self.status not in statuses:
            return f"ended with status {self.status}"
        return ""


class Started:
    """A command that is running in a folder."""

    def __init__(self, args: Sequence[str], folder: Path, most_bytes: int | None = None) -> None:
        def prepare() -> None:
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # in the background of a script it is ignored
            if most_bytes is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))

        self._before = _of_children()
        self._told, tell = os.pipe()
        self._process = subprocess.Popen(
            [sys.executable, "-c", _ENTRY, str(tell), *args],
            cwd=folder,
            env={**os.environ, VARIABLE: str(folder / "kept")},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=[tell],
            start_new_session=True,  # Ctrl-C is for who started the soak, not for what it watches
            preexec_fn=prepare,  # noqa: PLW1509 - there are no threads here
        )
        os.close(tell)

    def begun(self, seconds: float = HANGS) -> float | None:
        """Wait until Python has started and say when the command began; None where it never did."""
        ready, _, _ = select.select([self._told], [], [], seconds)
        text = os.read(self._told, 100) if ready else b""
        return float(text) if text else None

    def running(self) -> bool:
        """Whether it has not ended yet."""
        return self._process.poll() is None

    def send(self, which: signal.Signals) -> None:
        """Send it a signal."""
        self._process.send_signal(which)

    def processor_seconds(self) -> float:
        """What it has used of processors so far, by all its threads; 0 where the system does not tell."""
        try:
            fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return 0.0
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def delayed_seconds(self) -> float:
        """What the thread that waited most for a processor has waited; 0 where the system does not tell."""
        most = 0
        for path in Path(f"/proc/{self._process.pid}/task").glob("*/schedstat"):
            with suppress(OSError):  # the thread has ended
                most = max(most, int(path.read_text().split()[1]))
        return most / 1e9

    def end(self, seconds: float = HANGS) -> Ended:
        """Wait for its end; it is killed where it does not come."""
        start, before, delayed, hung = time.monotonic(), self.delayed_seconds(), 0.0, False
        while True:
            delayed = max(delayed, self.delayed_seconds() - before)
            left = start + seconds + delayed - time.monotonic()
            if left <= 0:
                hung = True
                self._process.kill()
            try:
                out, err = self._process.communicate(timeout=None if hung else min(left, _LOOKS))
                break
            except subprocess.TimeoutExpired:
                continue
        took = time.monotonic() - start
        os.close(self._told)
        said, errors = (text.decode(errors="backslashreplace") for text in (out, err))
        return Ended(self._process.returncode, said, errors, took, _of_children() - self._before, hung)


def _of_children() -> float:
    """What processes that have ended used of processors; only one runs and ends at a time."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def command(args: Sequence[str], folder: Path, seconds: float = HANGS, most_bytes: int | None = None) -> Ended:
    """Run a command to its end in a folder; `most_bytes`: no file grows beyond so many."""
    return Started(args, folder, most_bytes).end(seconds)
