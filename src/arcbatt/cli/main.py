"""The `arcbatt` command: errors become one clear message and exit code 2; being ended is as Ctrl-C."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from types import FrameType

from typer.main import get_command

from arcbatt.cli.app import app
from arcbatt.cli.terminal import plain_streams, print_lines
from arcbatt.errors import ArcbattError
from arcbatt.support.aside import left_running


def main() -> None:
    """Run the command line."""
    _open_streams()
    signal.signal(signal.SIGTERM, _as_ctrl_c)
    if signal.getsignal(signal.SIGHUP) is signal.SIG_DFL:  # not under nohup
        signal.signal(signal.SIGHUP, _as_ctrl_c)
    with plain_streams():
        status = _status()
        if isinstance(status, int) and status:
            _left_at_once(status)
        sys.exit(status)


def _open_streams() -> None:
    """Standard streams where who started this closed them: what would be printed goes nowhere.

    Else the next file that is opened has their number, and is what libraries in C print to.
    """
    while (lowest := os.open(os.devnull, os.O_RDWR)) < 3:
        pass
    os.close(lowest)
    for name, number, mode in (("stdin", 0, "r"), ("stdout", 1, "w"), ("stderr", 2, "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", closefd=False))


@cache
def command() -> Callable[[], object]:
    """The command with all its subcommands, which take a while to make."""
    return get_command(app)


def _status() -> int | str | None:
    """Run the command, and say how it ended."""
    try:
        try:
            command()()
        finally:
            sys.stdout.flush()
    except SystemExit as done:
        return done.code
    except ArcbattError as error:
        return _failed(2, str(error))
    except BrokenPipeError:
        return _failed(141)
    except OSError as error:  # a full disk, a folder that cannot be read: what the system says is the message
        return _failed(2, str(error))
    except MemoryError:
        return _failed(2, "out of memory")
    except KeyboardInterrupt:
        return _failed(130, "interrupted")
    except RuntimeError as error:  # before 3.12, what is raised while a class is made, as modules are imported
        if not isinstance(error.__cause__, KeyboardInterrupt):
            raise
        return _failed(130, "interrupted")
    return 0


def _failed(status: int, message: str = "") -> int:
    """Say why, as far as anyone can be told."""
    with suppress(OSError):
        if message:
            print_lines(f"arcbatt: {message}".split("\n"), err=True)
    try:
        sys.stdout.flush()
    except OSError:  # what is left to print cannot be; Python would try again at its end, with a traceback
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return status


def _left_at_once(status: int) -> None:
    """End the process where something goes on: Python would wait for it, and a lost Ray end it with its own status."""
    if left_running():
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _as_ctrl_c(_: int, __: FrameType | None) -> None:
    """What ends processes (`timeout`, a container, a terminal that is closed) keeps what is done, as Ctrl-C does."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # under nohup, or in the background of a script
        raise KeyboardInterrupt
    signal.raise_signal(signal.SIGINT)
