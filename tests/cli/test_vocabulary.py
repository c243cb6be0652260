"""One vocabulary of options over all commands: what a name means in one it means in every other."""

from __future__ import annotations

import json
from collections import defaultdict

import pytest
from typer.main import get_command

from arcbatt.cli import options
from arcbatt.cli.app import app
from arcbatt.cli.main import command as whole_command
from arcbatt.runs.options import RunOptions
from arcbatt.solvers import library
from cli.commands import arcbatt

SHORT = {
    "-a": "--all", "-b": "--batt", "-c": "--count", "-d": "--dataset", "-i": "--id", "-j": "--threads", "-o": "--out",
    "-p": "--program", "-q": "--quiet", "-t": "--time", "-v": "--verbose", "-V": "--version",
}  # fmt: skip
"""Every short name there is, and the long one it stands for."""
ALWAYS_SHORT = {"--count", "--dataset", "--id", "--out", "--threads", "--time", "--quiet", "--program", "--all"}
FLAGS = {"--json", "--csv", "--strict", "--resume", "--quiet", "--force", "--all", "--failed", "--summary", "--verbose"}
GONE = {
    "--output",
    "--limit",
    "--file",
    "--task",
    "--run",
    "-f",
    "-n",
    "--n",
    "--tasks",
    "--data",
    "--size",
    "--number",
}
"""Other words for what has a name."""


def commands(group=None, path=()):
    """Every command, with the words it is called by."""
    group = group or get_command(app)
    yield path, group
    for name, one in getattr(group, "commands", {}).items():
        yield from commands(one, (*path, name))


COMMANDS = dict(commands())


def visible(command):
    """The options that the help of a command shows."""
    return [one for one in command.params if one.param_type_name == "option" and not getattr(one, "hidden", False)]


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_a_command_keeps_to_the_vocabulary(path):
    for one in visible(COMMANDS[path]):
        names = {*one.opts, *one.secondary_opts}
        assert not names & GONE, names
        for short in (name for name in names if not name.startswith("--")):
            assert SHORT[short] in names
        for long in names & ALWAYS_SHORT:
            assert any(SHORT[short] == long for short in names if short in SHORT), f"{long} has a short name elsewhere"
        assert not names & FLAGS or one.is_flag, names
        assert one.help, f"{names} are not explained"


def test_a_name_takes_a_value_everywhere_or_nowhere():
    kinds = defaultdict(set)
    for command in COMMANDS.values():
        for one in visible(command):
            kinds[max(one.opts, key=len)].add(one.is_flag)
    assert [name for name, found in kinds.items() if len(found) > 1] == []


def test_every_option_of_a_run_is_there():
    known = {name for one in visible(COMMANDS["run",]) for name in one.opts}
    flags = {RunOptions.flag(name) for name in RunOptions.__dataclass_fields__} - {"--slice-size"}
    assert flags <= known


def test_old_names_are_those_of_options_that_are_there():
    for name, old in options.OLD.items():
        (command,) = [one for path, one in COMMANDS.items() if path and path[-1] == name]
        known = {flag.lstrip("-") for one in visible(command) for flag in one.opts}
        assert set(old.values()) <= known
        assert not set(old) & known


@pytest.mark.parametrize(
    "args",
    [
        ("card", "-c", 2, "-f", "FILE"),
        ("card", "-c", 2, "--file", "FILE", "--vectorized"),
        ("card", "-c", 2, "--out", "FILE"),
        ("tasks", "vary", "-n", 2, "--output", "FILE"),
        ("tasks", "vary", "-c", 2, "-o", "FILE"),
        ("eval", "hmirror(I)", "--task", "007bbfb7"),
        ("eval", "hmirror(I)", "-i", "007bbfb7"),
        ("run", "--mega-batch", "-c", 2, "-b", "BATT", "--batch-size", 100, "-q"),
        ("run", "-c", 2, "-t", "1.0", "-b", "BATT", "-q"),
    ],
)
def test_commands_as_the_documents_and_earlier_versions_write_them(args, tmp_path):
    batt = tmp_path / "batt.py"
    arcbatt("card", "-c", 2, "-o", batt)
    given = {"FILE": tmp_path / "out.jsonl", "BATT": batt}
    done = arcbatt(*(given.get(arg, arg) for arg in args))
    assert done.status == 0, done.err
    assert "--file" not in arcbatt("card", "--help").out


@pytest.mark.parametrize("path", [path for path, one in COMMANDS.items() if hasattr(one, "commands")], ids=" ".join)
def test_lists_of_commands_say_all_in_80_columns(path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    lines = arcbatt(*path, "--help").out.splitlines()
    assert not [line for line in lines if line.endswith("...") and "[ARGS]" not in line]
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_the_first_line_of_help_has_brackets_once(path):
    assert "[[" not in arcbatt(*path, "--help").out.splitlines()[0]


def test_version():
    assert arcbatt("-V").out == arcbatt("--version").out
    assert arcbatt("-V").out.startswith("arcbatt ")


def test_card_does_not_overwrite_silently(tmp_path):
    file = tmp_path / "batt.py"
    file.write_text("mine")
    assert f"{file}: is there already; --force replaces it" in arcbatt("card", "-c", 1, "-o", file).refused()
    assert file.read_text() == "mine"
    done = arcbatt("card", "-c", 1, "-o", file, "--force")
    assert done.out.startswith(f"{file}: 1 program, ")


@pytest.mark.parametrize(
    ("args", "hint"),
    [
        (("show", "00576224"), "00576224 is in arcagi:evaluation: give that as --dataset"),
        (("show", "007bbfb7", "-d", "arcagi:evaluation"), "007bbfb7 is in arcagi: give that as --dataset"),
        (("run", "-i", "00576224"), "00576224 is in arcagi:evaluation"),
        (("eval", "I", "-i", "00576224"), "00576224 is in arcagi:evaluation"),
    ],
)
def test_a_task_of_the_other_split_is_said_to_be_there(args, hint):
    assert hint in arcbatt(*args).refused()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_can_be_installed(shell, monkeypatch):
    monkeypatch.setenv("_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION", "1")
    whole_command.cache_clear()
    assert "_ARCBATT_COMPLETE" in arcbatt("--show-completion", shell).out
    whole_command.cache_clear()


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("arcbatt show 007bb", {"007bbfb7"}),
        ("arcbatt show -d arcagi:evaluation 00576", {"00576224"}),
        ("arcbatt run --dataset arcagi2", {"arcagi2", "arcagi2:evaluation"}),
        ("arcbatt run --backend c", {"cpu", "cuda"}),
        ("arcbatt show 007bbfb7 --program 0", {one.id for one in library() if one.id.startswith("0")}),
        ("arcbatt ru", {"run", "runs"}),
    ],
)
def test_completion(line, found, monkeypatch):
    monkeypatch.setenv("_ARCBATT_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(len(line.split()) - 1))
    assert set(arcbatt().out.split()) == found


def test_completion_of_runs(monkeypatch, kept_here, tmp_path):
    arcbatt("run", "-c", 1, "-i", "007bbfb7", "-q")
    assert json.loads(arcbatt("runs", "--json").out)[0]["run"] == 1
    monkeypatch.chdir(tmp_path)
    (tmp_path / "1st").mkdir()
    assert list(options.complete_run("1")) == ["1", "1st"]
    assert list(options.complete_path(f"{tmp_path}/1")) == [f"{tmp_path}/1st"]
