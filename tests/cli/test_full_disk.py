"""A disk that fills up: whatever is written is whole or not there, what is done is kept, and one line says so."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from arcbatt.data.tasks import load_tasks, task_to_json
from arcbatt.data.taskset import open_tasks
from arcbatt.errors import UsageError
from arcbatt.runs.record import RunRecord
from arcbatt.solvers import library
from cli.commands import arcbatt

PROGRAMS = library()[::40]
TASKS = load_tasks("arcagi")[:12]


@pytest.fixture(scope="module")
def given(tmp_path_factory):
    """Programs, tasks and a run of them."""
    folder = tmp_path_factory.mktemp("given")
    (folder / "solvers.py").write_text("\n\n".join(map(str, PROGRAMS)))
    (folder / "tasks.json").write_text(json.dumps({task.id: task_to_json(task) for task in TASKS}))
    assert arcbatt(*run_of(folder), "--out", folder / "run").status == 0
    return folder


def run_of(folder):
    return "run", "--solvers", folder / "solvers.py", "--dataset", folder / "tasks.json", "--backend", "cpu", "-q"


def contents(folder):
    with RunRecord.open(folder) as record:
        return list(record.dump())


@contextmanager
def files_of_at_most(size):
    """No file grows beyond so many bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


class Disk:
    """A small disk in memory."""

    def __init__(self, place):
        self.place = place

    def has(self, size, *options):
        command = ["mount", "-t", "tmpfs", "-o", ",".join([*options, f"size={size}"]), "tmpfs", self.place]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0


@pytest.fixture
def disk(tmp_path):
    made = Disk(tmp_path / "disk")
    made.place.mkdir()
    if not made.has("64k"):
        pytest.skip("a small disk cannot be made here")
    yield made
    subprocess.run(["umount", "--lazy", made.place], check=True)


@pytest.mark.parametrize("size", [4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 160, 192, 256, 320, 400])
def test_a_run_on_a_disk_that_fills_up_goes_on_when_there_is_room(given, disk, size):
    out = disk.place / "runs" / "run"
    assert disk.has(f"{size}k", "remount")
    done = arcbatt(*run_of(given), "--out", out, "--no-mega-batch")
    if done.status:
        message = done.refused()
        assert str(out) in message
        assert len(message.strip().splitlines()) == 1
    assert disk.has("8m", "remount")
    if not out.exists():
        assert list(disk.place.iterdir()) == []
        assert arcbatt(*run_of(given), "--out", out).status == 0
    else:
        with RunRecord.open(out) as record:
            assert record.state == ("stopped" if done.status else "done")
        assert done.status == 0 or "go on with --resume" in message
        assert arcbatt(*run_of(given), "--out", out, "--resume").status == 0
    assert contents(out) == contents(given / "run")
    assert sorted(one.name for one in out.iterdir()) == ["log.txt", "programs.py", "results.sqlite", "run.json"]


@pytest.mark.parametrize("size", [0, 1, 100, 3000, 9000, 40_000, 100_000])
def test_a_run_whose_files_may_not_grow_goes_on_when_they_may(given, tmp_path, size):
    out = tmp_path / "runs" / "run"
    with files_of_at_most(size):
        done = arcbatt(*run_of(given), "--out", out, "--no-mega-batch")
    assert done.refused()
    if out.exists():
        with RunRecord.open(out) as record:
            assert record.state == "stopped"
        assert arcbatt(*run_of(given), "--out", out, "--resume").status == 0
    else:
        assert list(tmp_path.iterdir()) == []
        assert arcbatt(*run_of(given), "--out", out).status == 0
    assert contents(out) == contents(given / "run")


WRITERS = {
    "report": lambda given, out: ("report", given / "run", "--output", out),
    "submit": lambda given, out: ("submit", "--run", given / "run", "--output", out),
    "card": lambda given, out: ("card", "--solvers", given / "solvers.py", "--file", out, "--force"),
    "code": lambda given, out: ("card", "--solvers", given / "solvers.py", "--file", os.devnull, "--code", out),
    "json": lambda given, out: ("tasks", "vary", "-d", given / "tasks.json", "-n", 40, "-o", f"{out}.json"),
    "jsonl": lambda given, out: ("tasks", "vary", "-d", given / "tasks.json", "-n", 40, "-o", f"{out}.jsonl"),
    "profile": lambda given, out: (*profile_of(given), "--json", out),
    "trace": lambda given, out: (*profile_of(given), "--trace", out),
}
"""Commands that write a file, by what they write."""
OTHERS = {
    "errors": lambda given, out: (*run_of(given), "--no-keep", "--errors", out),
    "submission": lambda given, out: (*solve_of(given), "--submission", out),
    "library": lambda given, out: (*solve_of(given), "--library", out),
}
"""And those that do beside something else."""


def solve_of(given):
    return "solve", "-d", given / "tasks.json", "-c", 3, "--budget", 0.5, "-q", "--no-keep"


def profile_of(given):
    return "profile", "--solvers", given / "solvers.py", "-d", given / "tasks.json", "-c", 2, "--no-gpus"


@pytest.mark.parametrize("size", [0, 10, 1000])
@pytest.mark.parametrize("what", WRITERS)
def test_a_good_file_stays_where_a_new_one_does_not_fit(given, tmp_path, what, size):
    named = [one for one in map(str, WRITERS[what](given, tmp_path / "out")) if one.startswith(str(tmp_path))]
    (tmp_path / os.path.basename(named[0])).write_text("before")
    with files_of_at_most(size):
        message = arcbatt(*WRITERS[what](given, tmp_path / "out")).refused()
    assert "cannot be written" in message
    assert "the file that was there is unchanged" in message
    assert [(one.name, one.read_text()) for one in tmp_path.iterdir()] == [(os.path.basename(named[0]), "before")]


def test_a_folder_of_tasks_that_does_not_fit_is_not_there(given, tmp_path):
    with files_of_at_most(100):
        arcbatt("tasks", "vary", "-d", given / "tasks.json", "-n", 5, "-o", tmp_path / "many").refused()
    assert list(tmp_path.iterdir()) == []


def test_where_no_cache_fits_it_is_said(given, tmp_path):
    """A data set that is large is kept in a cache, or in a temporary file."""
    told: list[str] = []
    with files_of_at_most(100), pytest.raises(UsageError, match="no room for a temporary file"):
        open_tasks(given / "tasks.json", cache=tmp_path, large=0, report=told.append)
    assert "cannot be written (File too large); using a temporary file" in told[0]
    assert not list(tmp_path.iterdir())


def test_a_device_and_a_link_are_written_to_not_replaced(given, tmp_path):
    (tmp_path / "target.py").write_text("before")
    (tmp_path / "link.py").symlink_to("target.py")
    assert arcbatt("card", "--solvers", given / "solvers.py", "--file", tmp_path / "link.py", "--force").status == 0
    assert (tmp_path / "link.py").is_symlink()
    assert (tmp_path / "target.py").read_text() != "before"
    assert arcbatt("card", "--solvers", given / "solvers.py", "--file", os.devnull).status == 0
    assert not os.path.isfile(os.devnull)


@pytest.mark.parametrize("what", [*WRITERS, *OTHERS])
def test_what_a_link_points_to_is_written_to(what, given, tmp_path):
    """And so a device: it would be replaced as the link would."""
    command = (WRITERS | OTHERS)[what](given, tmp_path / "out")
    named = next(Path(one) for one in map(str, command) if one.startswith(str(tmp_path)))
    (tmp_path / "target").touch()
    named.symlink_to("target")
    done = arcbatt(*command)
    assert done.status == 0, done.err
    assert named.is_symlink()
    assert (tmp_path / "target").read_text() or what == "errors"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full here")
def test_standard_output_that_is_full_is_said(given):
    command = [sys.executable, "-m", "arcbatt", "tasks", "check", given / "tasks.json"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == "arcbatt: [Errno 28] No space left on device\n"
