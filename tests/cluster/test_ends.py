"""Drivers that are told to end, and clusters whose head is lost: the record goes on, and nothing is left running."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from arcbatt.devtools.bench.cluster import local_cluster
from arcbatt.runs.record import RunRecord

pytest.importorskip("ray")
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")

RUN = (sys.executable, "-m", "arcbatt", "run", "--count", "150", "--batch-size", "6", "--summary")


@pytest.fixture(scope="module")
def wanted(tmp_path_factory):
    out = tmp_path_factory.mktemp("local") / "run"
    subprocess.run([*RUN, "--out", out, "--backend", "cpu"], check=True, capture_output=True)
    return dumped(out)


def dumped(out):
    record = RunRecord.open(out)
    try:
        return list(record.dump())
    finally:
        record.close()


def begun(out, *more, **environment):
    """A driver that has recorded some of its work."""
    process = subprocess.Popen(
        [*RUN, "--out", out, *more], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env=os.environ | environment,
    )  # fmt: skip
    while process.poll() is None:
        with suppress(sqlite3.Error):
            place = f"file:{out / 'results.sqlite'}?mode=ro"
            if sqlite3.connect(place, uri=True).execute("SELECT count(*) FROM progress").fetchone()[0]:
                return process
        time.sleep(0.05)
    raise AssertionError(process.communicate())


def goes_on(out, wanted):
    assert len(dumped(out)) < len(wanted)
    subprocess.run([*RUN, "--out", out, "--resume"], check=True, capture_output=True)
    assert dumped(out) == wanted


def with_mark(mark):
    """Processes that were given a mark in their environment, or inherited it."""
    found = []
    for entry in Path("/proc").iterdir():
        with suppress(OSError):
            if entry.name.isdecimal() and f"MARK={mark}\0".encode() in (entry / "environ").read_bytes():
                found.append(entry.name)
    return found


def test_sigterm_ends_the_driver_and_the_ray_it_has_started(tmp_path, wanted):
    out, mark = tmp_path / "run", f"{os.getpid()}-{time.time_ns()}"
    driver = begun(out, "--ray", "local", "--threads", "1", MARK=mark)
    assert len(with_mark(mark)) > 1
    driver.send_signal(signal.SIGTERM)
    _, errors = driver.communicate()
    assert (driver.returncode, "stopping; what is done is kept" in errors) == (130, True)
    while with_mark(mark):  # Ray's own end with it, within seconds
        time.sleep(0.1)
    goes_on(out, wanted)


def test_sigterm_while_ray_is_starting(tmp_path):
    mark = f"{os.getpid()}-{time.time_ns()}"
    command = [*RUN, "--out", tmp_path / "run", "--ray", "local"]
    driver = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=os.environ | {"MARK": mark})
    while len(with_mark(mark)) < 3:  # it has begun to start others
        time.sleep(0.05)
    driver.send_signal(signal.SIGTERM)
    _, errors = driver.communicate()
    assert (driver.returncode, "stopping" in errors, "SIGTERM received" in errors) == (130, True, False)
    while with_mark(mark):
        time.sleep(0.1)


def workers_with_mark(mark):
    """Those of them that are Ray's workers."""
    for number in with_mark(mark):
        with suppress(OSError):
            if Path(f"/proc/{number}/cmdline").read_bytes().startswith(b"ray::"):
                yield int(number)


@pytest.mark.parametrize("what", ["all of it", "its GCS"])
def test_a_lost_head_is_said_and_the_run_goes_on_elsewhere(what, tmp_path, wanted, monkeypatch):
    out, mark = tmp_path / "run", f"{os.getpid()}-{time.time_ns()}"
    monkeypatch.setenv("MARK", mark)
    with local_cluster(1) as cluster:
        driver = begun(out, "--ray", cluster.address)
        driver.send_signal(signal.SIGSTOP)  # it must not be done before its head is lost, nor afterwards
        for worker in workers_with_mark(mark):
            os.kill(worker, signal.SIGSTOP)
        head = cluster.cluster.head_node
        if what == "its GCS":
            head.kill_gcs_server()
        else:
            head.kill_all_processes(check_alive=False, allow_graceful=False)
        driver.send_signal(signal.SIGCONT)
        _, errors = driver.communicate()
        assert driver.returncode == 2
        assert "is gone" in errors or "does not answer any more" in errors
        assert "Traceback" not in errors
        for worker in workers_with_mark(mark):
            os.kill(worker, signal.SIGKILL)
    goes_on(out, wanted)
