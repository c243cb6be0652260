"""A process that other processes work for, and how all of them end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def gone(process: int) -> bool:
    """Whether a process has ended; one that nobody has waited for yet counts."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return True
    return state == "Z"


def all_gone(processes: list[int]) -> bool:
    """Whether all of them end within half a minute."""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        if all(map(gone, processes)):
            return True
        time.sleep(0.05)
    return False


@contextmanager
def at_work(script: str, folder: Path) -> Iterator[tuple[subprocess.Popen[str], list[int]]]:
    """A process of a script that is given a folder, and the two that work for it and leave their numbers there."""
    file, work = folder / "script.py", folder / "work"
    file.write_text(script)  # without a guard: workers must not run it
    work.mkdir()
    process = subprocess.Popen(
        [sys.executable, str(file), str(work)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[1]), *sys.path])},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    end = time.monotonic() + 60
    workers: list[int] = []
    while len(workers) < 2:
        workers = [int(one.name.rpartition("-")[2]) for one in work.iterdir()]
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.02)
    try:
        yield process, workers
    finally:
        process.kill()
        process.communicate()


def check_an_interrupt_ends_all(script: str, folder: Path) -> None:
    """Ctrl-C, as a terminal gives it to every process of the group."""
    with at_work(script, folder) as (process, workers):
        os.killpg(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert errors.count("Traceback") == 1
    assert "KeyboardInterrupt" in errors
    assert all_gone(workers)


def check_none_outlives_its_parent(script: str, folder: Path) -> None:
    """The process they work for is killed."""
    with at_work(script, folder) as (process, workers):
        process.kill()
        assert all_gone(workers)
