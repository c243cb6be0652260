"""Every option and argument of every command with values that make no sense: used or refused, never a traceback."""

from __future__ import annotations

import json
import random

import pytest

from arcbatt.data.tasks import load_tasks, task_to_json
from arcbatt.solvers import library
from cli.commands import arcbatt, is_plain
from cli.test_vocabulary import COMMANDS, visible

IDS = ("007bbfb7", "00d62c1b")
ODD = ("", "-1", "0", "1", "nan", "-inf", "1e309", "9" * 20, "..", "nosuch", "/dev/null", "/proc/self/mem", "a\0b",
       "\udc80", "x" * 300, "[/bold]", "\x1b[2J", "[" * 3000, "cpu", "1,,2")  # fmt: skip
EACH = 4
"""Values of each option; which ones, goes by its name."""
NOT_TRIED = {"--ray", "--measure", "--compile", "--install-completion", "--show-completion"}
"""They start something, or change the user's shell."""
SMALL = {
    ("run",): ("--backend", "cpu", "-t", 5),
    ("solve",): ("--budget", 0.01, "-t", 5),
    ("evolve",): ("--backend", "cpu", "--generations", 1, "--children", 5, "-t", 5, "-o", "evolved", "--resume"),
    ("verify",): ("--random", 1),
    ("profile",): ("--no-gpus",),
    ("bench",): ("--suite", "card", "--runs", 1, "-c", 1, "-o", "bench"),
    ("card",): ("--force",),
    ("tasks", "vary"): ("-c", 1, "-o", "varied.json"),
    ("show",): (IDS[0],),
    ("eval",): ("rot90(I)", "--grid", "[[1]]"),
    ("check",): ("solvers.py",),
    ("tasks", "check"): ("tasks.json",),
    ("score",): ("submission.json",),
}
"""What a command is given beside, so that it does little."""


@pytest.fixture
def folder(tmp_path, monkeypatch, kept_here):
    tasks = {task.id: task_to_json(task) for task in load_tasks("arcagi") if task.id in IDS}
    (tmp_path / "tasks.json").write_text(json.dumps(tasks))
    (tmp_path / "solvers.py").write_text("\n\n".join(str(one) for one in library() if one.id in IDS))
    monkeypatch.chdir(tmp_path)


def wanted(path):
    """The command with what it needs to do little, and what it may be given beside."""
    names = {name for one in visible(COMMANDS[path]) for name in one.opts}
    args = [*path, *SMALL.get(path, ())]
    args += ["--dataset", "tasks.json"] if "--dataset" in names else []
    return args + (["--solvers", "solvers.py"] if "--solvers" in names and path != ("verify",) else [])


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("path", [path for path in COMMANDS if path and path != ("watch",)], ids=" ".join)
def test_values_that_make_no_sense(path):
    for one in COMMANDS[path].params:
        draw = random.Random(f"{path} {one.name}")
        flags = [one.opts[0]] if one.param_type_name == "option" else []
        if NOT_TRIED.intersection(one.opts) or getattr(one, "is_flag", False):
            continue
        for value in draw.sample(ODD, EACH):
            done = arcbatt(*wanted(path), *flags, *[value] * max(1, one.nargs))
            assert done.status in (0, 1, 2), (path, flags, value, done.err)
            assert done.err or done.status < 2, (path, flags, value)
            assert "Traceback" not in done.err, (path, flags, value, done.err)
            assert is_plain(done.err), (path, flags, value)
