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
from arcbatt.cli.terminal import plain_streams
from arcbatt.errors import ArcbattError
from arcbatt.support.aside import left_running


def main() -> None:
    """Run the command line."""
    signal.signal(signal.SIGTERM, _as_ctrl_c)
    with plain_streams():
        status = _status()
        if status == 130 and left_running():  # Python would wait for it
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(130)
        sys.exit(status)


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
    return 0


def _failed(status: int, message: str = "") -> int:
    """Say why, as far as anyone can be told."""
    with suppress(OSError):
        if message:
            print(f"arcbatt: {message}", file=sys.stderr)
    try:
        sys.stdout.flush()
    except OSError:  # what is left to print cannot be; Python would try again at its end, with a traceback
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return status


def _as_ctrl_c(_: int, __: FrameType | None) -> None:
    """What ends processes (`timeout`, a queue's time limit, a container's stop) keeps what is done, as Ctrl-C does."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # under nohup, or in the background of a script
        raise KeyboardInterrupt
    signal.raise_signal(signal.SIGINT)
