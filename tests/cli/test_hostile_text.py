"""Text from data that a terminal, a log or a browser would obey: every command prints it, none obeys it."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys

import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st
from rich.table import Table
from rich.text import Text

from arcbatt.cli.app import app, runs, tasks
from arcbatt.cli.terminal import PlainStream, Terminal
from arcbatt.data.tasks import load_tasks, task_to_json
from arcbatt.report.html import report_html
from arcbatt.solvers import library
from arcbatt.support.text import plain_text
from cli.commands import arcbatt, is_plain
from report.models import report as report_of

SHOWN = ["[/bold]", "[link=https://example.org]click[/link]", ":warning:", "<script>alert(1)</script>", "%s{}\\", "é"]
"""Ids that are printed as they are."""
REFUSED = [
    "\x1b[31mred",
    "\x1b]8;;https://example.org\x07link",
    "\x9b2J",
    "turned \u202e round",
    "two\nlines",
    "\ud800",
    "\r",
]
"""Ids that are reported and left out."""
TASK = load_tasks("arcagi")[0]
SOLVER = next(program for program in library() if program.id == TASK.id)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """A data set of odd ids, also as a folder of odd files; solvers with odd lines and names; a run of them."""
    folder = tmp_path_factory.mktemp("x") / "hostile \x1b[31m[red]"
    folder.mkdir()
    task = task_to_json(TASK)
    (folder / "tasks.json").write_text(json.dumps(dict.fromkeys((*SHOWN, *REFUSED), task)))
    (folder / "tasks").mkdir()
    for name in ("good", "[bold]", "\x1b[2J", "\udcff"):
        (folder / "tasks" / f"{name}.json").write_text(json.dumps(task))
    (folder / "solvers").mkdir()
    (folder / "solvers" / "good.py").write_text(str(SOLVER))
    (folder / "solvers" / "\x1b[2J [bold].py").write_text(
        f"{SOLVER}\ndef solve_bad(I):\n    return '\x1b[31m[/bold]'\n"
    )
    (folder / "solvers" / "\udcff.py").write_text("def solve_bad(I):\n    return \x9b\u202e\n")
    done = arcbatt(*run_of(folder), "--out", folder / "run", "--all")
    assert done.status == 0, done.err
    assert is_plain(done.out + done.err)
    assert all(key in done.out for key in SHOWN)
    return folder


def run_of(folder):
    return ("run", "--solvers", folder / "solvers", "--dataset", folder / "tasks.json", "--backend", "cpu",
            "--threads", 1)  # fmt: skip


COMMANDS = {
    "run": lambda at: (*run_of(at), "-q"),
    "run, resumed": lambda at: (*run_of(at), "--out", at / "run", "--resume"),
    "run on a folder": lambda at: ("run", "--solvers", at / "solvers", "--dataset", at / "tasks", "--id", "[bold]"),
    "run without the task": lambda at: (*run_of(at), "--id", "\x1b[31m[/bold]"),
    "runs": lambda at: ("runs",),
    "watch": lambda at: ("watch", at / "\x1b[31m[bold]"),
    "runs show": lambda at: ("runs", "show", at / "run", "--all"),
    "runs show, as CSV": lambda at: ("runs", "show", at / "run", "--csv"),
    "runs show, as JSON": lambda at: ("runs", "show", at / "run", "--json"),
    "runs diff": lambda at: ("runs", "diff", at / "run", at / "run"),
    "runs delete": lambda at: ("runs", "delete", "\x1b[31m"),
    "check": lambda at: ("check", at / "solvers"),
    "check, for a program": lambda at: ("check", at / "solvers", "--json"),
    "dialects": lambda at: ("dialects",),
    "card": lambda at: ("card", "--solvers", at / "solvers", "--file", at / "batt \x1b[31m.py", "--stats"),
    "card without the program": lambda at: ("card", "--solvers", at / "solvers", "--id", "\x1b[31m"),
    "eval": lambda at: ("eval", "rot90('\x1b[31m')", "--grid", "[[1]]"),
    "eval on a task": lambda at: ("eval", "rot90(I)", "--task", "\x1b[31m[/bold]"),
    "submit": lambda at: ("submit", "--run", at / "run", "--output", at / "submission.json"),
    "score": lambda at: ("score", at / "submission.json", "--dataset", at / "tasks.json", "-v"),
    "submit, another challenge": lambda at: ("submit", "--run", at / "run", "-o", at / "x.json", "-d", at / "tasks"),
    "tasks check": lambda at: ("tasks", "check", at / "tasks.json"),
    "tasks check of a folder": lambda at: ("tasks", "check", at / "tasks"),
    "tasks vary": lambda at: ("tasks", "vary", "-d", at / "tasks.json", "-n", 9, "-o", at / "more.jsonl"),
    "tasks vary into a folder": lambda at: ("tasks", "vary", "-d", at / "tasks.json", "-n", 9, "-o", at / "more"),
    "show": lambda at: ("show", "[/bold]", "--dataset", at / "tasks.json", "--solvers", at / "solvers",
                        "--program", TASK.id),
    "show nothing": lambda at: ("show", "\x1b[31m[/bold]", "--dataset", at / "tasks.json"),
    "report": lambda at: ("report", at / "run", "--output", at / "report.html"),
    "report, compared": lambda at: ("report", at / "run", "--against", at / "run", "-o", at / "report.html"),
    "verify": lambda at: ("verify", "--solvers", at / "solvers", "--dataset", at / "tasks.json", "--backend", "cpu"),
    "solve": lambda at: ("solve", "-d", at / "tasks.json", "--budget", 0.1, "-o", at / "solved", "--submission",
                         at / "made.json"),
    "solve, explained": lambda at: ("solve", "-d", at / "tasks.json", "--budget", 0.1, "--explain", "[/bold]"),
    "evolve": lambda at: ("evolve", "--solvers", at / "solvers", "-d", at / "tasks.json", "--generations", 1,
                          "--children", 5, "--out", at / "evolved \x1b[31m"),
    "verify vectors": lambda at: ("verify", "--vectors", at / "vectors \x1b[31m.jsonl"),
    "profile": lambda at: ("profile", "--solvers", at / "solvers", "-d", at / "tasks.json", "--no-gpus"),
    "bench": lambda at: ("bench", "--suite", "card", "--solvers", at / "solvers", "-d", at / "tasks.json", "--runs", 1,
                         "--out", at / "bench \x1b[31m"),
    "bench compared": lambda at: ("bench", "--compare", at / "\x1b[31m", at / "[bold]"),
    "info": lambda at: ("info",),
}  # fmt: skip


@pytest.mark.parametrize("what", COMMANDS)
def test_a_command_prints_what_it_is_given_and_obeys_nothing(hostile, what):
    done = arcbatt(*COMMANDS[what](hostile))
    assert is_plain(done.out), done.out
    assert is_plain(done.err), done.err
    assert done.status in (0, 1, 2)
    for written in ("report.html", "run/log.txt"):
        if (hostile / written).exists():
            assert is_plain((hostile / written).read_text(encoding="utf-8"))


def test_every_command_is_walked():
    names = {command.name or command.callback.__name__ for command in app.registered_commands}
    names |= {f"tasks {command.name}" for command in tasks.registered_commands}
    names |= {"runs"} | {f"runs {command.name}" for command in runs.registered_commands}
    assert names - {"evaluate"} == {max((name for name in names if one.startswith(name)), key=len) for one in COMMANDS}


@drawn(st.text(st.characters()))
def test_plain_text_is_plain_and_stays(text):
    assert is_plain(plain_text(text))
    assert plain_text(plain_text(text)) == plain_text(text)
    plain_text(text).encode()
    if is_plain(text):
        assert plain_text(text) == text


@drawn(st.text(st.characters(max_codepoint=0x2100)), st.sampled_from(["utf-8", "ascii", "latin-1"]))
def test_streams_and_consoles_let_nothing_through(text, encoding):
    """Of whatever stands in a string, a table or a styled text only rich's own colours reach the terminal."""
    raw = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    PlainStream(raw).write(text)
    console = Terminal(file=raw, force_terminal=True, color_system="standard", legacy_windows=False, highlight=False)
    table = Table(text)
    table.add_row(text)
    for one in (text, table, Text(text, "bold red")):
        console.print(one)
    raw.flush()
    written = raw.buffer.getvalue().decode(encoding)
    assert is_plain(re.sub(r"\x1b\[[0-9;]*m", "", written)), written
    colours = set(re.findall(r"\x1b\[([0-9;]*)m", written))
    assert colours <= {"0", "1", "1;31"}


def test_the_report_is_plain():
    odd = "\x1b[31m\u202e\ud800<b>"
    page = report_html(report_of(title=odd, rerouted=((odd, 1),)))
    assert is_plain(page)
    assert r"\x1b[31m\u202e\ud800&lt;b&gt;" in page


def test_a_real_terminal_gets_no_escape(hostile):
    """Away from a terminal escapes are stripped anyway; here they are not."""
    ours, theirs = os.openpty()
    command = [sys.executable, "-m", "arcbatt", "tasks", "check", str(hostile / "tasks")]
    done = subprocess.run(command, stdout=theirs, stderr=theirs, check=False)
    os.close(theirs)
    written = os.read(ours, 1 << 16).decode().replace("\r\n", "\n")
    os.close(ours)
    assert done.returncode == 1
    assert r"tasks/\x1b[2J.json: task '\x1b[2J': an id is text that can be printed" in written
    assert is_plain(written)
