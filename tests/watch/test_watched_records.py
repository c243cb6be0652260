"""Records as the page reads them: right, while they are written, and without ever writing to them."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

from arcbatt.errors import DataError
from arcbatt.report.compare import Verdict
from arcbatt.runs.record import INFO, RESULTS, RunRecord
from arcbatt.runs.store.live import LiveStore
from arcbatt.search.record import SOLUTIONS
from arcbatt.watch.model import State
from arcbatt.watch.places import find_places
from arcbatt.watch.reading import SILENT_SECONDS, Reader
from watch.records import age, make_old, make_run, make_search, set_state


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "first"
    make_run(folder)
    return folder


def only_view(folder: Path):
    reader = Reader(folder)
    (listed,) = reader.listed()
    return reader.view(listed)


def digests(folder: Path) -> dict[str, str]:
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in sorted(folder.iterdir())}


def test_a_run(run_folder):
    view = only_view(run_folder)
    assert view.listed.state is State.DONE
    assert (view.tasks, view.programs, view.total, view.done) == (2, 3, 12, 12)
    assert [line.last for line in view.solved] == [1, 1]
    assert view.ran_on == {"cpu": 12}
    assert view.failures == {"empty": 4}
    assert {one.program for one in view.slowest} == {"mirror", "same", "nothing"}
    assert all(one.seconds > 0 and one.evaluations == 2 and one.tier == "cpu" for one in view.slowest[:1])
    (near,) = view.near
    assert (near.task, near.title, near.got.verdict) == ("nearly", "by mirror", Verdict.DIFFERS)
    assert near.got.differing == ((1, 2),)
    assert near.note == "0 of 1 demonstrations, 83.3% of cells"


def test_reading_changes_nothing(run_folder):
    before = digests(run_folder)
    only_view(run_folder)
    only_view(run_folder.parent)
    assert digests(run_folder) == before


@pytest.mark.parametrize("folder", ["read only", "100%?mode=rwc#x", "line\nbreak"])
def test_names_of_folders_that_mean_something_in_an_address(tmp_path, folder):
    make_run(tmp_path / folder)
    assert only_view(tmp_path).done == 12


def test_an_old_record_says_less_and_is_read_all_the_same(tmp_path):
    make_run(tmp_path / "old")
    make_old(tmp_path / "old")
    view = only_view(tmp_path)
    assert (view.done, view.ran_on, view.failures, view.slowest) == (12, {"cpu": 12}, {"empty": 4}, ())
    assert [line.last for line in view.solved] == [1, 1]
    assert view.solved[0].points[-1][0] == pytest.approx(view.seconds, abs=1)


def test_an_old_record_that_goes_on_is_recorded_as_new_ones_are(tmp_path):
    from arcbatt.runs.options import RunOptions
    from arcbatt.runs.runner import run
    from arcbatt.syntax import parse_text
    from watch.records import PROGRAMS, tasks

    options = RunOptions(backend="cpu", threads=1, dataset="tiny", batch_size=1)
    programs, stops = parse_text(PROGRAMS).check(), iter([False, False, True])
    run(options, programs, tasks(), out=tmp_path / "run", stop=lambda: next(stops, True)).record.close()
    make_old(tmp_path / "run")
    run(options, programs, tasks(), out=tmp_path / "run", resume=True).record.close()
    view = only_view(tmp_path)
    assert view.done == view.total
    assert sum(view.ran_on.values()) == view.done
    with RunRecord.open(tmp_path / "run") as record:
        assert LiveStore(record.store).progress()[-1].ended == pytest.approx(time.time(), abs=60)


def test_states(tmp_path):
    for name in ("running", "silent", "stopped", "damaged"):
        make_run(tmp_path / name)
    for name in ("running", "silent"):
        set_state(tmp_path / name, state="running", ended=None)
    set_state(tmp_path / "stopped", state="stopped")
    age(tmp_path / "silent", SILENT_SECONDS + 10)
    (tmp_path / "damaged" / INFO).write_text("{}")
    make_search(tmp_path / "search")
    make_search(tmp_path / "quiet")
    age(tmp_path / "quiet", SILENT_SECONDS + 10)
    (tmp_path / "something else").mkdir()
    (tmp_path / "file").write_text("")
    found = {one.place.name: one.state.value for one in Reader(tmp_path).listed()}
    assert found == {
        "running": "running", "silent": "silent", "stopped": "stopped", "damaged": "damaged", "search": "running",
        "quiet": "quiet",
    }  # fmt: skip


def test_those_that_go_on_come_first_then_the_newest(tmp_path):
    for name in ("a", "b", "c"):
        make_run(tmp_path / name)
    set_state(tmp_path / "a", started="2020-01-01T00:00:00+00:00", state="running", ended=None)
    set_state(tmp_path / "b", started="2021-01-01T00:00:00+00:00")
    assert [one.place.name for one in Reader(tmp_path).listed()] == ["a", "c", "b"]


def test_a_record_is_read_again_when_it_changes(tmp_path):
    make_run(tmp_path / "run")
    reader = Reader(tmp_path)
    assert reader.view(reader.listed()[0]).listed.state is State.DONE
    set_state(tmp_path / "run", state="stopped")
    assert reader.listed()[0].state is State.STOPPED
    (tmp_path / "run" / RESULTS).write_bytes(b"not a database, by far")
    with pytest.raises(DataError):
        reader.view(reader.listed()[0])


def test_a_search_is_read_as_it_grows(tmp_path):
    record = make_search(tmp_path / "search")
    reader = Reader(tmp_path)
    view = reader.view(reader.listed()[0])
    assert (view.done, view.found, view.combiners, view.by_clock) == (3, 2, {"single": 2}, True)
    assert [one.task for one in view.slowest] == ["task2", "task1", "task0"]
    assert [one.task for one in view.latest] == ["task2", "task1", "task0"]
    assert view.latest[0].title == "a guess"
    record.add(record.solutions["task0"])
    with (tmp_path / "search" / SOLUTIONS).open("a") as file:
        file.write('{"id": "cut')
    again = reader.view(reader.listed()[0])
    assert (again.done, again.solved[0].last) == (3, 3)
    (tmp_path / "search" / SOLUTIONS).write_text("")
    assert reader.view(reader.listed()[0]).done == 0


def test_a_search_of_an_earlier_version_has_no_clock(tmp_path):
    make_search(tmp_path / "search")
    place = tmp_path / "search" / SOLUTIONS
    place.write_text("".join(line.partition(', "at"')[0] + "}\n" for line in place.read_text().splitlines()))
    view = only_view(tmp_path)
    assert not view.by_clock
    assert view.solved[0].points[-1] == (pytest.approx(0.6), 3)


def test_a_damaged_search(tmp_path):
    make_search(tmp_path / "search")
    (tmp_path / "search" / SOLUTIONS).write_text("[1]\n")
    with pytest.raises(DataError, match="no solution"):
        only_view(tmp_path)
    (tmp_path / "search" / "solve.json").write_text("[")
    assert Reader(tmp_path).listed()[0].state is State.DAMAGED


def test_addresses_of_folders(tmp_path):
    for name in ("plain-1.x", "../x".replace("/", "_"), "a b", "ü", "-dash"):
        make_search(tmp_path / name, 0)
    found = {one.name: one.key for one in find_places(tmp_path)}
    assert found["plain-1.x"] == "plain-1.x"
    assert len(set(found.values())) == len(found)
    assert all(key.isascii() and "/" not in key and " " not in key for key in found.values())


KILLED = """
import os, sys
from watch.records import *
run(RunOptions(backend="cpu", threads=1, batch_size=1, dataset="tiny"), parse_text(PROGRAMS).check(), tasks(),
    out=Path(sys.argv[1]), after_batch=lambda: os.kill(os.getpid(), 9))
"""


def test_a_run_that_was_killed_is_read_and_left_as_it_is(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path / "run")], check=False, cwd=Path(__file__).parents[1]
    )
    assert done.returncode == -9
    kept = {name: digest for name, digest in digests(tmp_path / "run").items() if not name.endswith("-shm")}
    assert f"{RESULTS}-wal" in kept
    view = only_view(tmp_path)
    assert 0 < view.done < view.total
    assert {name: digest for name, digest in digests(tmp_path / "run").items() if not name.endswith("-shm")} == kept


def test_runs_end_as_one_file_though_someone_looks_all_the_time(tmp_path):
    """A reader is never in the way of a run: it is done as ever, and nothing is left beside the results."""
    over, looked = threading.Event(), []

    def look() -> None:
        while not over.is_set():
            for listed in (reader := Reader(tmp_path)).listed():
                with suppress(DataError):  # it has just begun
                    looked.append(reader.view(listed))

    thread = threading.Thread(target=look)
    thread.start()
    try:
        for number in range(5):
            make_run(tmp_path / str(number), batch_size=1)
    finally:
        over.set()
        thread.join()
    assert looked
    for number in range(5):
        assert sorted(file.name for file in (tmp_path / str(number)).iterdir()) == [
            "log.txt", "programs.py", RESULTS, INFO,
        ]  # fmt: skip
