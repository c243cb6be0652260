"""Commands where a shell, a queue or a container left something out: streams, folders, a home."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

EVAL = ("eval", "rot90(I)", "--grid", "[[1,2]]")


def shell(command, *args, **env):
    """A command with something after it that only a shell can say."""
    return subprocess.run(
        ["bash", "-c", f'"$0" -m arcbatt "$@" {command}', sys.executable, *args],
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", ">&- 2>&- <&-"])
def test_streams_that_are_closed(closed):
    done = shell(closed, *EVAL)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == ("" if closed.startswith(">") else "[[1], [2]]\n")
    assert shell(closed, "eval", "nosuch(I)").returncode == 2


def test_a_file_that_is_written_is_not_what_is_printed_to(tmp_path):
    """The lowest free number is a closed stream's."""
    done = shell(">&- <&-", "tasks", "vary", "-n", "2", "-o", tmp_path / "tasks.json")
    assert (done.returncode, done.stderr) == (0, "")
    assert ": 2 tasks, " in shell("", "tasks", "check", tmp_path / "tasks.json").stdout
