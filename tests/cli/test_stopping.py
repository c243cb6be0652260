"""SIGTERM ends every long job, whatever it is doing, long before its time."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from arcbatt.cli import main
from arcbatt.cli.progress import interruptible, tracked
from arcbatt.support.aside import aside, left_running

PATIENCE = 60
"""Seconds that a job has to end; left alone each would take much longer."""
STATUS = (130, -signal.SIGINT)
"""CPython ends itself by the signal where it came while a string was executed, as in the making of a dataclass."""

SLOW_COMPILER = """
import ctypes, sys
from arcbatt.engine.waves import ahead

class Compiler:
    NVRTCError = RuntimeError
    getVersion = staticmethod(lambda: (0, 0))
    getSupportedArchs = staticmethod(lambda: [75])
    createProgram = staticmethod(lambda *_: None)
    destroyProgram = staticmethod(lambda *_: None)
    compileProgram = staticmethod(lambda *_: ctypes.CDLL(None).sleep(600))

ahead.find_compiler = Compiler
ahead.kernels_of = lambda programs: list(ahead.kernels.ENDS.values())
from arcbatt.cli import progress
progress._SECONDS_BETWEEN_LINES = 0
from arcbatt.cli.main import main
main()
"""


def handles_sigterm(pid: int) -> bool:
    """Whether a process has a handler for the signal yet."""
    status = Path(f"/proc/{pid}/status")
    if not status.exists():  # no Linux
        time.sleep(3)
        return True
    caught = next(line for line in status.read_text().splitlines() if line.startswith("SigCgt:"))
    return bool(int(caught.split()[1], 16) >> (signal.SIGTERM - 1) & 1)


def ended(command: list[str], after: float, **options) -> tuple[int, str]:
    """The status and output of a command that gets SIGTERM so many seconds after it has a handler for it."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    try:
        while process.poll() is None and not handles_sigterm(process.pid):
            time.sleep(0.01)
        time.sleep(after)
        assert process.poll() is None, process.communicate()
        process.send_signal(signal.SIGTERM)
        out, _ = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    return process.returncode, out


@pytest.mark.usefixtures("sigint")
@pytest.mark.parametrize("after", [0.3, 3.0])
@pytest.mark.parametrize(
    "args",
    [
        "solve -c 400 --budget 100 -q",
        "verify --random 100000",
        "evolve -c 100 --generations 1000 -q -o evolved",
        "run --backend python -q",
        "run -d arcagi2 --no-keep",
        "tasks vary -c 1000000 -o out.jsonl",
        "profile -d arcagi2 --no-gpus",
        "bench --suite throughput -c 0 --out here",
    ],
    ids=lambda args: args.split(" -")[0],
)
def test_a_command(args, after, tmp_path):
    status, out = ended([sys.executable, "-m", "arcbatt", *args.split()], after, cwd=tmp_path)
    assert status in STATUS, out
    assert "Traceback" not in out
    assert not (tmp_path / "out.jsonl").exists()


@pytest.mark.usefixtures("sigint")
def test_compiling_a_kernel_ends_and_says_how_far_it_is(tmp_path):
    command = [sys.executable, "-c", SLOW_COMPILER, "info", "--compile", "--arch", "75", "-o", str(tmp_path)]
    status, out = ended(command, 6.0, env={**os.environ, "ARCBATT_CACHE": str(tmp_path / "cache")})
    assert status in STATUS, out
    assert "0 of 2 kernels (0%)" in out
    assert "Traceback" not in out


def never_looks() -> None:
    with interruptible():
        signal.raise_signal(signal.SIGINT)
        time.sleep(PATIENCE)


@pytest.mark.usefixtures("sigint")
def test_a_job_that_looks_ends_by_itself_and_one_that_does_not_is_ended():
    with interruptible() as asked:
        signal.raise_signal(signal.SIGINT)
        assert asked()
    with pytest.raises(KeyboardInterrupt):
        never_looks()
    with interruptible() as asked:  # and neither outlives its job
        time.sleep(0.01)
        assert not asked()
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0


def test_work_aside_gives_what_it_gives():
    assert aside(lambda: 3) == 3
    with pytest.raises(ZeroDivisionError):
        aside(lambda: 1 // 0)
    assert not left_running()


@pytest.mark.usefixtures("sigint")
def test_a_wait_for_work_aside_is_interrupted():
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    over = threading.Event()
    try:
        with pytest.raises(KeyboardInterrupt):
            aside(over.wait)
        assert left_running()
    finally:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        over.set()
    while left_running():  # commands of other tests would end this process
        time.sleep(0.01)


def test_progress_off_a_terminal_is_lines_with_an_estimate(capsys, monkeypatch):
    clock = iter(range(0, 1000, 2))
    monkeypatch.setattr(time, "monotonic", lambda: float(next(clock)))
    assert list(tracked(range(10), 10, "things")) == list(range(10))
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "2 of 10 things (20%), about 24 s left"
    assert all(" left" in line for line in lines)


def test_an_interrupt_while_a_class_is_made(monkeypatch, capsys):
    """As modules are imported; before Python 3.12 it comes out as another error."""

    class Interrupted:
        def __set_name__(self, *_):
            raise KeyboardInterrupt

    monkeypatch.setattr(main, "command", lambda: lambda: type("Made", (), {"field": Interrupted()}))
    assert main._status() == 130
    assert capsys.readouterr().err == "arcbatt: interrupted\n"
