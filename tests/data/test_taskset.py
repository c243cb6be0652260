from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from arcbatt.data import cache as cache_file
from arcbatt.data.tasks import load_tasks
from arcbatt.data.taskset import open_tasks
from arcbatt.data.variations import vary, write_tasks
from arcbatt.engine.cpu import CpuEngine
from arcbatt.errors import DataError
from arcbatt.solvers import library
from data.support import put, raw

TASKS = load_tasks("arcagi")[:6]


@pytest.fixture
def source(tmp_path) -> Path:
    path = tmp_path / "set.jsonl"
    write_tasks(TASKS, path)
    return path


@pytest.fixture
def folder(tmp_path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def writes(monkeypatch) -> list[Path]:
    """The cache files written, in order."""
    written: list[Path] = []
    write = cache_file.write_cache

    def noted(path, *args):
        written.append(path)
        return write(path, *args)

    monkeypatch.setattr("arcbatt.data.taskset.write_cache", noted)
    return written


def test_small_sets_need_no_cache(source, folder, writes):
    assert list(open_tasks(source, cache=folder)) == TASKS
    assert list(open_tasks("arcagi", cache=folder, large=0)[:6]) == TASKS
    assert not writes
    assert not folder.exists()


def test_the_engine_runs_on_mapped_arrays(source, folder):
    tasks = open_tasks(source, cache=folder, large=0)
    engine = CpuEngine.of(library()[:40], threads=2)
    mapped = engine.run(tasks.packed(slice(1, 5)), "hash")
    plain = engine.run([sample for task in TASKS[1:5] for sample in task.samples], "hash")
    assert np.array_equal(mapped.hashes, plain.hashes)
    assert np.array_equal(mapped.matches, plain.matches)
    assert not (plain.statuses != 0).all()


def test_a_cache_is_written_once_and_read_after(source, folder, writes):
    first = open_tasks(source, cache=folder, large=0)
    again = open_tasks(source, cache=folder, large=0)
    assert len(writes) == 1
    assert list(first) == list(again) == TASKS
    assert not again.arrays.cells.flags.writeable
    assert not list(folder.glob("*.part"))


@pytest.mark.parametrize("kind", ["jsonl", "json", "folder"])
def test_every_kind_of_source_is_cached_and_renewed(tmp_path, folder, writes, kind):
    path = tmp_path / {"jsonl": "set.jsonl", "json": "x_challenges.json", "folder": "set"}[kind]
    write_tasks(TASKS[:3], path)
    assert open_tasks(path, cache=folder, large=0).ids == [task.id for task in TASKS[:3]]
    if kind == "folder":
        put(path / "zzz.json", raw())
    else:
        write_tasks(TASKS[:4], path)
    assert len(open_tasks(path, cache=folder, large=0)) == 4
    assert len(writes) == 2
    assert len(list(folder.iterdir())) == 1  # the old one is replaced


def test_a_change_of_the_solutions_renews_the_cache(tmp_path, folder):
    path = put(tmp_path / "x_challenges.json", {"a": raw(test=[{"input": [[1]]}])})
    assert open_tasks(path, cache=folder, large=0)[0].test[0][1] is None
    put(tmp_path / "x_solutions.json", {"a": [[[7]]]})
    assert open_tasks(path, cache=folder, large=0)[0].test[0][1] == ((7,),)


def test_the_same_size_at_another_time_renews_the_cache(source, folder, writes):
    open_tasks(source, cache=folder, large=0)
    os.utime(source, ns=(1, 1))
    open_tasks(source, cache=folder, large=0)
    assert len(writes) == 2


def damage(content: bytes, how: str) -> bytes:
    middle = len(content) // 2
    return {
        "empty": b"",
        "cut": content[:middle],
        "cut at the end": content[:-1],
        "one bit": content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :],
        "a bit of the cells": content[:20] + bytes([content[20] ^ 1]) + content[21:],
        "longer": content + b"\0",
        "no header": content[:-60],
        "something else": b"x" * len(content),
    }[how]


@pytest.mark.parametrize(
    "how",
    ["empty", "cut", "cut at the end", "one bit", "a bit of the cells", "longer", "no header", "something else"],
)
def test_a_damaged_cache_is_written_anew(source, folder, writes, how):
    open_tasks(source, cache=folder, large=0)
    path = writes[0]
    path.write_bytes(damage(path.read_bytes(), how))
    assert list(open_tasks(source, cache=folder, large=0)) == TASKS
    assert len(writes) == 2
    open_tasks(source, cache=folder, large=0)
    assert len(writes) == 2


def test_a_cache_of_another_version_is_written_anew(source, folder, writes, monkeypatch):
    with monkeypatch.context() as old:
        old.setattr(cache_file, "FORMAT", 0)
        open_tasks(source, cache=folder, large=0)
    assert list(open_tasks(source, cache=folder, large=0)) == TASKS
    assert len(writes) == 2


def test_messages_come_from_the_cache_too(tmp_path, folder, writes):
    path = put(tmp_path / "set.json", {"x": 1, "a": raw()})
    for _ in range(2):
        told: list[str] = []
        open_tasks(path, cache=folder, large=0, report=told.append)
        assert told == [f"{path}: task x: a task is an object with 'train' and 'test', got 1", "skipped 1 of 2 tasks"]
    with pytest.raises(DataError, match="task x"):
        open_tasks(path, cache=folder, large=0, strict=True)
    assert len(writes) == 1


def test_nothing_stays_of_a_source_that_cannot_be_read(tmp_path, folder):
    path = put(tmp_path / "set.json", {"x": 1})
    with pytest.raises(DataError):
        open_tasks(path, cache=folder, large=0)
    assert list(folder.iterdir()) == []


def test_where_no_cache_can_be_written(source, tmp_path):
    blocked = put(tmp_path / "file", "in the way")
    told: list[str] = []
    assert list(open_tasks(source, cache=blocked / "cache", large=0, report=told.append)) == TASKS
    assert len(told) == 1
    assert "cannot be written (Not a directory); using a temporary file, made anew each time" in told[0]


def test_many_writers_at_once(source, folder):
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: list(open_tasks(source, cache=folder, large=0)), range(24)))
    assert all(tasks == TASKS for tasks in found)
    assert len(list(folder.iterdir())) == 1


def test_what_killed_writers_left_goes_after_a_day(source, folder):
    folder.mkdir()
    stale, fresh = put(folder / "a.part", "x"), put(folder / "b.part", "x")
    os.utime(stale, (time.time() - 90_000,) * 2)
    open_tasks(source, cache=folder, large=0)
    assert (stale.exists(), fresh.exists()) == (False, True)


PEAK = """
import re, sys
from pathlib import Path
from arcbatt.data.taskset import open_tasks

def peak():  # of this program: what getrusage says includes what the parent held
    return int(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1]) // 1024

before = peak()
tasks = open_tasks(Path(sys.argv[1]), cache=Path(sys.argv[2]), large=0)
samples = sum(len(tasks.packed(slice(k, k + 500))) for k in range(0, len(tasks), 500))
print(len(tasks), samples, peak() - before)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak of memory is read from /proc")
def test_a_large_set_needs_little_memory(tmp_path, folder):
    base = [task for task in load_tasks("arcagi") if len(json.dumps(task.train)) > 8_000][:20]
    path = tmp_path / "set.jsonl"
    write_tasks(vary(base, 1500, seed=3), path)
    assert path.stat().st_size > 10 << 20
    for _ in range(2):  # written, then read
        command = [sys.executable, "-c", PEAK, str(path), str(folder)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        count, samples, more = map(int, done.stdout.split())
        assert (count, samples) == (1500, 75 * sum(len(task.samples) for task in base))
        assert more < 30  # MiB; the tasks as values take 70
