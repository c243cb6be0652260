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

from arcbatt.runs.record import RunRecord

pytest.importorskip("ray")
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")

WAIT_SECONDS = 300
"""For what takes seconds: a test that waits for longer fails, and nobody waits for it."""
CLUSTER = """
import sys
from arcbatt.devtools.bench.cluster import local_cluster
with local_cluster(1) as cluster:
    print(cluster.address, flush=True)
    sys.stdin.read()
"""
RUN = (sys.executable, "-m", "arcbatt", "run", "--count", "400", "--batch-size", "6", "--summary")


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
    end = time.monotonic() + WAIT_SECONDS
    while process.poll() is None and time.monotonic() < end:
        with suppress(sqlite3.Error):
            place = f"file:{out / 'results.sqlite'}?mode=ro"
            if sqlite3.connect(place, uri=True).execute("SELECT count(*) FROM progress").fetchone()[0]:
                return process
        time.sleep(0.05)
    process.kill()
    raise AssertionError(process.communicate())


def goes_on(out, wanted):
    assert len(dumped(out)) < len(wanted)
    subprocess.run([*RUN, "--out", out, "--resume"], check=True, capture_output=True)
    assert dumped(out) == wanted


def with_mark(mark, word=b""):
    """Processes that were given a mark in their environment, or inherited it, and have a word in their command."""
    found = []
    for entry in Path("/proc").iterdir():
        with suppress(OSError):
            marked = entry.name.isdecimal() and f"MARK={mark}\0".encode() in (entry / "environ").read_bytes()
            if marked and word in (entry / "cmdline").read_bytes():
                found.append(int(entry.name))
    return found


def ray_runs(mark):
    """Whether workers or servers are there; Ray's agents look for a minute, at most, whether they are needed."""
    return any(with_mark(mark, word) for word in (b"ray::Actor", b"ray::IDLE", b"gcs_server", b"raylet/raylet"))


def send(number, processes):
    for process in processes:
        with suppress(ProcessLookupError):
            os.kill(process, number)


def wait_until(true):
    end = time.monotonic() + WAIT_SECONDS
    while not true():
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.fixture
def mark():
    """A mark for processes of this test, which all end with it."""
    mark = f"{os.getpid()}-{time.time_ns()}"
    yield mark
    send(signal.SIGKILL, with_mark(mark))


def test_sigterm_ends_the_driver_and_the_ray_it_has_started(tmp_path, wanted, mark):
    out = tmp_path / "run"
    driver = begun(out, "--ray", "local", "--threads", "1", MARK=mark)
    assert len(with_mark(mark)) > 1
    driver.send_signal(signal.SIGTERM)
    _, errors = driver.communicate(timeout=WAIT_SECONDS)
    assert (driver.returncode, "stopping; what is done is kept" in errors) == (130, True)
    wait_until(lambda: not ray_runs(mark))
    goes_on(out, wanted)


def test_sigterm_while_ray_is_starting(tmp_path, mark):
    command = [*RUN, "--out", tmp_path / "run", "--ray", "local"]
    driver = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=os.environ | {"MARK": mark})
    wait_until(lambda: len(with_mark(mark)) >= 3 or driver.poll() is not None)  # it has begun to start others
    driver.send_signal(signal.SIGTERM)
    _, errors = driver.communicate(timeout=WAIT_SECONDS)
    assert (driver.returncode, "stopping" in errors, "SIGTERM received" in errors) == (130, True, False)
    wait_until(lambda: not ray_runs(mark))


@pytest.fixture
def cluster(mark):
    """The address of a cluster in another process: Ray ends those that it was started in when its head is lost."""
    process = subprocess.Popen(
        [sys.executable, "-c", CLUSTER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        text=True, env=os.environ | {"MARK": mark},
    )  # fmt: skip
    yield process.stdout.readline().strip()
    process.kill()
    process.communicate()


@pytest.mark.parametrize("what", ["all of it", "its GCS"])
def test_a_lost_head_is_said_and_the_run_goes_on_elsewhere(what, tmp_path, wanted, cluster, mark):
    out = tmp_path / "run"
    driver = begun(out, "--ray", cluster)
    driver.send_signal(signal.SIGSTOP)  # it must not be done before its head is lost, nor afterwards
    send(signal.SIGSTOP, with_mark(mark, b"ray::"))
    servers = with_mark(mark, b"gcs_server")
    assert servers
    send(signal.SIGKILL, servers if what == "its GCS" else [*servers, *with_mark(mark, b"raylet")])
    driver.send_signal(signal.SIGCONT)
    _, errors = driver.communicate(timeout=WAIT_SECONDS)
    assert driver.returncode == 2
    assert "is gone" in errors or "does not answer any more" in errors
    assert "Traceback" not in errors
    send(signal.SIGKILL, with_mark(mark))
    goes_on(out, wanted)
