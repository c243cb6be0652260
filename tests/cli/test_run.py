"""`arcbatt run` as a process: what it prints, and what is left when it is stopped or killed."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
import time
from dataclasses import fields

import pytest

from arcbatt.cli import main
from arcbatt.runs.options import RunOptions
from arcbatt.runs.record import RunRecord
from arcbatt.solvers import library


@pytest.fixture(scope="module")
def solvers(tmp_path_factory):
    """A few programs, and one that takes its time, so that a signal finds the run at work."""
    path = tmp_path_factory.mktemp("solvers") / "some.py"
    places = "product(interval(ZERO, 20, ONE), interval(ZERO, 20, ONE))"
    slow = f"def solve_slow(I):\n    return size(mapply(lbind(shift, asobject(I)), {places}))\n"
    path.write_text("\n\n".join([*map(str, library()[::20]), slow]))
    return str(path)


def command(*args) -> list[str]:
    return [sys.executable, "-m", "arcbatt", "run", *map(str, args)]


def arcbatt_run(*args) -> subprocess.CompletedProcess:
    return subprocess.run(command(*args), capture_output=True, text=True, check=False)


def contents(folder):
    with RunRecord.open(folder) as record:
        return list(record.dump())


def rows_of(record) -> int:
    (count,) = record.store.connection.execute("SELECT count(*) FROM result").fetchone()
    return count


def started(folder, *args) -> subprocess.Popen:
    """A run in a process of its own, once it has recorded a batch."""
    process = subprocess.Popen(
        command("--out", folder, *args), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    wait_for_batches(process, folder, 1)
    return process


def batches(folder) -> int:
    if not (folder / "run.json").exists():
        return 0
    connection = sqlite3.connect(folder / "results.sqlite")
    (count,) = connection.execute("SELECT count(*) FROM batch").fetchone()
    connection.close()
    return count


def wait_for_batches(process, folder, count):
    end = time.monotonic() + 60
    while time.monotonic() < end and process.poll() is None:
        if batches(folder) >= count:
            return
        time.sleep(0.01)
    process.kill()
    raise AssertionError(f"fewer than {count} batches were recorded: {process.communicate()}")


@pytest.fixture(scope="module")
def whole(solvers, tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole") / "run"
    done = arcbatt_run("--solvers", solvers, "-c", 80, "--out", folder, "--quiet")
    assert done.returncode == 0, done.stderr
    return folder, done


def test_it_says_what_came_of_it(whole):
    folder, done = whole
    assert done.stderr == ""
    for text in ("solved task", "near miss, the nearest first", "matching_cells", "tasks solved by 21 programs",
                 " evaluations in", "a second (cpu)", "time: read", f"the run is in {folder}"):  # fmt: skip
        assert text in done.stdout, text
    with RunRecord.open(folder) as record:
        assert record.state == "done"
        assert record.solved()
        assert len(record.tasks()) == 80


@pytest.mark.usefixtures("sigint")
@pytest.mark.parametrize("ended_by", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_ctrl_c_keeps_what_is_done_and_resume_goes_on(whole, solvers, tmp_path, ended_by):
    folder = tmp_path / "run"
    process = started(folder, "--solvers", solvers, "-c", 80, "--batch-size", 20, "--threads", 1)
    process.send_signal(ended_by)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert "stopped early" in out
    assert "go on with the same command and --resume" in out
    with RunRecord.open(folder) as record:
        assert record.state == "stopped"
        assert 0 < rows_of(record) < 21 * 80
    done = arcbatt_run("--solvers", solvers, "-c", 80, "--out", folder, "--resume")
    assert done.returncode == 0, done.stderr
    assert contents(folder) == contents(whole[0])


def test_where_ctrl_c_is_ignored_it_stays_so_and_sigterm_stops(solvers, tmp_path):
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        process = started(tmp_path, "--solvers", solvers, "--batch-size", 20, "--threads", 1)
    finally:
        signal.signal(signal.SIGINT, before)
    process.send_signal(signal.SIGINT)
    wait_for_batches(process, tmp_path, batches(tmp_path) + 2)
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "stopped early" in out


def test_sigterm_ends_what_ignores_ctrl_c():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with pytest.raises(KeyboardInterrupt):
            main._as_ctrl_c(signal.SIGTERM, None)
    finally:
        signal.signal(signal.SIGINT, before)


def test_kill_leaves_a_readable_record_and_resume_goes_on(whole, solvers, tmp_path):
    folder = tmp_path / "run"
    for go in range(3):
        process = started(
            folder, "--solvers", solvers, "-c", 80, "--no-mega-batch", "--threads", 1, *(["--resume"] if go else [])
        )
        process.kill()
        process.communicate()
        with RunRecord.open(folder) as record:
            assert rows_of(record) == 21 * sum(batch.tasks for batch in record.store.batches())
            assert record.store.connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            assert len(record.programs()) == 21
            record.solved()
    done = arcbatt_run("--solvers", solvers, "-c", 80, "--out", folder, "--resume", "--quiet")
    assert done.returncode == 0, done.stderr
    assert contents(folder) == contents(whole[0])


def test_the_time_limit_ends_the_run_with_what_is_done(solvers, tmp_path):
    done = arcbatt_run("--solvers", solvers, "-c", 80, "-t", "0.001", "--out", tmp_path / "run")
    assert done.returncode == 0
    assert "stopped early: 0 of" in done.stdout
    for limit in (3, 10, 30, 90):  # what is enough for a batch depends on what else the machine is doing
        folder = tmp_path / str(limit)
        done = arcbatt_run("-t", limit, "--out", folder)
        assert done.returncode == 0
        assert "stopped early" in done.stdout
        with RunRecord.open(folder) as record:
            assert record.state == "stopped"
            rows = rows_of(record)
        if rows:
            break
    assert rows


def test_only_some_tasks_and_a_batt(tmp_path):
    batt = tmp_path / "batt.py"
    made = [sys.executable, "-m", "arcbatt", "card", "-i", "007bbfb7", "-i", "00d62c1b", "-f", str(batt)]
    subprocess.run(made, check=True, capture_output=True)
    done = arcbatt_run("-b", batt, "-i", "007bbfb7", "-i", "017c7c7b", "--backend", "python", "-q")
    assert "1 of 2 tasks solved by 2 programs" in done.stdout
    assert "(python)" in done.stdout
    assert "2 tasks solved" not in arcbatt_run("-b", batt, "-c", 1).stdout


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--backend", "abacus"], "no backend 'abacus'; there are: auto, python, cpu, gpu, cuda"),
        (["--solvers", "a.py", "-b", "b.py"], "give --solvers or --batt, not both"),
        (["-i", "nope"], "no task nope among the 400 tasks"),
        (["--dataset", "nowhere.json"], "nowhere.json"),
        (["-t", "0"], "--time is a number above 0"),
        (["-t", "nan"], "--time is a number above 0"),
        (["--devices", "0,x"], "--devices is a list of numbers such as 0,1, or all; got '0,x'"),
        (["--use-gpu", "--backend", "cpu"], "--use-gpu and --backend cpu contradict each other"),
    ],
)
def test_bad_options_are_one_message(args, message):
    done = arcbatt_run(*args)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_a_folder_of_tasks_with_a_bad_one(tmp_path, solvers):
    folder = tmp_path / "tasks"
    folder.mkdir()
    task = {"train": [{"input": [[1, 2]], "output": [[2, 1]]}], "test": [{"input": [[3, 4]]}]}
    (folder / "good.json").write_text(json.dumps(task))
    (folder / "bad.json").write_text('{"train": []}')
    done = arcbatt_run("--dataset", folder, "--solvers", solvers)
    assert done.returncode == 0
    assert "skipped 1 of 2 tasks" in done.stderr
    assert "of 1 task a test is hidden" in done.stdout
    done = arcbatt_run("--dataset", folder, "--solvers", solvers, "--strict")
    assert done.returncode == 2
    assert "bad" in done.stderr


def test_resume_with_other_options_is_refused(whole, solvers):
    done = arcbatt_run("--solvers", solvers, "-c", 5, "--out", whole[0], "--resume")
    assert done.returncode == 2
    assert "--count: 80 then, 5 now" in done.stderr
    assert "already holds a run" in arcbatt_run("--solvers", solvers, "-c", 80, "--out", whole[0]).stderr


def test_every_option_is_in_the_help_and_in_run_json(whole):
    text = " ".join(arcbatt_run("--help").stdout.split())
    info = json.loads((whole[0] / "run.json").read_text())
    for option in fields(RunOptions):
        assert option.name in info["options"]
        assert option.name == "slice_size" or RunOptions.flag(option.name) in text
    assert info["state"] == "done"
    assert info["environment"]["cores"] >= 1
