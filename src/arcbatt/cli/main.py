"""The `arcbatt` command: errors become one clear message and exit code 2; being ended is as Ctrl-C."""

from __future__ import annotations

import signal
import sys
from types import FrameType

from arcbatt.cli.app import app
from arcbatt.errors import ArcbattError


def main() -> None:
    """Run the command line."""
    signal.signal(signal.SIGTERM, _as_ctrl_c)
    try:
        app()
    except ArcbattError as error:
        print(f"arcbatt: {error}", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:
        sys.exit(141)
    except KeyboardInterrupt:
        print("arcbatt: interrupted", file=sys.stderr)
        sys.exit(130)


def _as_ctrl_c(_: int, __: FrameType | None) -> None:
    """What ends processes (`timeout`, a queue's time limit, a container's stop) keeps what is done, as Ctrl-C does."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # under nohup, or in the background of a script
        raise KeyboardInterrupt
    signal.raise_signal(signal.SIGINT)
