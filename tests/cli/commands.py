"""The command line without a process of its own: what it says and how it ends."""

from __future__ import annotations

import io
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from arcbatt.cli.main import main


@dataclass(frozen=True)
class Done:
    """How a command ended. An error that is no message of ours leaves `main` and fails the test that ran it."""

    status: int
    out: str
    err: str

    def refused(self) -> str:
        """The message of a command that refused what it was given."""
        assert self.status == 2, (self.status, self.out, self.err)
        assert "Traceback" not in self.err
        assert self.err.splitlines()[-1], self.err
        message = self.err[self.err.rindex("arcbatt: ") :]
        assert is_plain(message), message
        return message


def is_plain(text: str) -> bool:
    """Whether a terminal would only print it."""
    return all(line.replace("\t", "").isprintable() for line in text.split("\n"))


def arcbatt(*args: Any) -> Done:
    """Run a command as the shell would, in this process."""
    out, err = _stream(), _stream()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["arcbatt", *map(str, args)])
        patch.setattr(sys, "stdout", out)
        patch.setattr(sys, "stderr", err)
        with _signals(), pytest.raises(SystemExit) as ended:
            main()
    code = ended.value.code
    return Done(code if isinstance(code, int) else 0, _text(out), _text(err))


def _stream() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8")


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    return stream.buffer.getvalue().decode()  # type: ignore[attr-defined]


@contextmanager
def _signals() -> Iterator[None]:
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
