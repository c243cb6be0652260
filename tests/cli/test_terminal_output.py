"""What people see on a terminal: lines that fit it, bars that are drawn and taken away, a file that gets its lines."""

from __future__ import annotations

import fcntl
import os
import re
import struct
import subprocess
import sys
import termios

import pytest

from arcbatt.cli import terminal
from cli.commands import arcbatt

COMMANDS = [
    "--help",
    "run -c 3 --no-keep",
    "solve -c 1 --budget 0.01 -q",
    "evolve -c 1 --generations 1 --children 5 -q -o evolved",
    "dialects",
    "info",
    "verify --random 3",
    "profile -c 1 --no-gpus",
    "submit RUN -o answers.json",
    "score answers.json",
    "report RUN -o page.html",
    "runs show RUN",
    "runs diff RUN RUN",
    "card -c 1 -o batt.py --stats",
    "tasks check arcagi",
    "tasks vary -c 3 -o made.jsonl",
]
PLURAL_OF_ONE = re.compile(
    r"(?<![\d,.])1 (calls|cores|evaluations|lines|programs|samples|tasks|tests|test inputs|test outputs|threads)\b"
)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with a run in a directory of a short name."""
    folder = tmp_path_factory.mktemp("x")
    assert arcbatt("run", "-c", 3, "-o", folder / "RUN", "--no-keep", "-q").status == 0
    return folder


def test_no_line_is_wider_than_the_terminal(place, monkeypatch):
    monkeypatch.chdir(place)
    monkeypatch.setenv("COLUMNS", "80")
    for module in ("terminal", "summary"):
        monkeypatch.setattr(f"arcbatt.cli.{module}.width", lambda *_: 80)
    for command in COMMANDS:
        done = arcbatt(*command.split())
        assert done.status == 0, (command, done.err)
        assert [line for line in done.out.splitlines() if len(line) > 80] == [], command
        assert not PLURAL_OF_ONE.search(done.out), (command, done.out)


def on_a_terminal(command: list[str], folder, **streams) -> tuple[int, str]:
    """The status of a command and all that it wrote to a terminal of 80 columns."""
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 80, 0, 0))
    variables = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "NO_COLOR", "TERM")}
    done = subprocess.Popen(
        [sys.executable, "-m", "arcbatt", *command], cwd=folder, env=variables | {"TERM": "xterm"},
        **({"stdin": theirs, "stdout": theirs, "stderr": theirs} | streams),
    )  # fmt: skip
    os.close(theirs)
    written = b""
    while True:
        try:
            part = os.read(ours, 1 << 16)
        except OSError:  # the end, on Linux
            break
        if not part:
            break
        written += part
    os.close(ours)
    return done.wait(), written.decode()


def test_a_message_breaks_between_words(tmp_path):
    status, written = on_a_terminal(["show", "00576224"], tmp_path)
    assert status == 2
    lines = ["arcbatt: no task '00576224' in arcagi; 00576224 is in arcagi:evaluation: give", "    that as --dataset"]
    assert written.splitlines() == lines
    status, written = on_a_terminal(["show", "3ac3eb23", "--program", "67a3c6ac"], tmp_path)
    assert status == 0
    said = re.sub(r"\x1b\[[\d;]*m", "", written).replace("\r", "")
    assert re.search(r"^demonstration 1   20 of 60 cells differ, .* \(0, ?\n5\), \(0, 8\), \.\.\.$", said, re.MULTILINE)


def test_a_bar_is_drawn_and_lines_stand_above_it(tmp_path):
    args = ["evolve", "-c", "1", "--generations", "1", "--children", "5", "-o", "one"]
    status, written = on_a_terminal(args, tmp_path)
    assert status == 0, written
    assert "\\x1b" not in written, "escapes of the bar itself are written out"
    assert "\x1b[2K" in written
    assert "left:" in written
    assert "\ngeneration 0: " in written or "\x1b[2Kgeneration 0: " in written


def test_a_file_gets_its_lines_though_a_bar_is_on_the_terminal(tmp_path):
    with (tmp_path / "lines.txt").open("w") as file:
        args = ["evolve", "-c", "1", "--generations", "1", "--children", "5", "-o", "two"]
        status, written = on_a_terminal(args, tmp_path, stdout=file)
    assert status == 0, written
    lines = (tmp_path / "lines.txt").read_text().splitlines()
    assert lines[0].startswith("generation 0: ")
    assert lines[-1].startswith("1 program in two/programs.py")
    assert "generation" not in written.replace("generations", "")


def test_a_stream_above_a_bar_prints_whole_lines(capsys):
    console = terminal.Terminal(width=80)
    stream = terminal.AboveBar(sys.stdout, console)
    assert stream.write("one\ntw") == 6
    stream.write("o \x1b[2J\n")
    assert capsys.readouterr().out == "one\ntwo \\x1b[2J\n"
