"""Every command on every kind of damaged input: exit 2 and one clear message, never a traceback, never a hang."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sqlite3
import sys
from contextlib import suppress

import pytest

from arcbatt.data.tasks import load_tasks, task_to_json
from arcbatt.devtools.bench.result import Result, Row
from arcbatt.devtools.soak.damage import NO_FILES, ODD_VALUES, SQL_VALUES
from arcbatt.errors import ArcbattError
from arcbatt.runs.api import run
from arcbatt.runs.store.writing import StoreWriter
from arcbatt.solvers import library
from cli.commands import arcbatt, is_plain

IDS = ("007bbfb7", "00d62c1b", "025d127b")
PROGRAMS = [program for program in library() if program.id in IDS]
OPTIONS = {"backend": "cpu", "threads": 1, "mega_batch": False, "dataset": "x"}
TASKS = [task for task in load_tasks("arcagi") if task.id in IDS]


@pytest.fixture(autouse=True)
def _no_hang():
    """What hangs is ended, with a traceback that says where."""

    def ended(*_):
        raise KeyboardInterrupt("a command hangs")

    before = signal.signal(signal.SIGALRM, ended)
    signal.alarm(600)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    """One good input of each kind."""
    folder = tmp_path_factory.mktemp("good")
    tasks = {task.id: task_to_json(task) for task in TASKS}
    (folder / "solvers.py").write_text("\n\n".join(map(str, PROGRAMS)))
    (folder / "tasks.json").write_text(json.dumps(tasks))
    (folder / "tasks.jsonl").write_text("".join(json.dumps({"id": key, **task}) + "\n" for key, task in tasks.items()))
    (folder / "folder").mkdir()
    for key, task in tasks.items():
        (folder / "folder" / f"{key}.json").write_text(json.dumps(task))
    (folder / "vectors.jsonl").write_text('{"expr": "rot90(I)", "I": [[1, 2]], "out": [[1], [2]]}\n')
    (folder / "bench.json").write_text(Result("x", {}, [Row.of("a", "b", "c", "s", [1.0])]).to_json())
    assert arcbatt("card", "--solvers", folder / "solvers.py", "--file", folder / "batt.py").status == 0
    stops = iter([False] * 4)
    run(PROGRAMS, TASKS, out=folder / "run", stop=lambda: next(stops, True), **OPTIONS)
    assert arcbatt("submit", "--run", folder / "run", "-o", folder / "submission.json").status == 0
    return folder


def tasks_of(good):
    return "--dataset", good / "tasks.json", "--backend", "cpu"


COMMANDS = {
    "solvers.py": {
        "card": lambda at, good: ("card", "--solvers", at, "--file", os.devnull),
        "run": lambda at, good: ("run", "--solvers", at, *tasks_of(good)),
        "show": lambda at, good: ("show", IDS[0], "--solvers", at),
        "verify": lambda at, good: ("verify", "--solvers", at, *tasks_of(good)),
        "profile": lambda at, good: ("profile", "--solvers", at, "-d", good / "tasks.json", "--no-gpus"),
        "bench": lambda at, good: ("bench", "--suite", "card", "--solvers", at, "--out", good / "x", "--runs", 1),
    },
    "tasks.json": {
        "run": lambda at, good: ("run", "--solvers", good / "solvers.py", "--dataset", at, "--backend", "cpu"),
        "check": lambda at, good: ("tasks", "check", at),
        "vary": lambda at, good: ("tasks", "vary", "-d", at, "-n", 2, "-o", good / "x.json"),
        "show": lambda at, good: ("show", IDS[0], "--dataset", at),
        "score": lambda at, good: ("score", good / "submission.json", "-d", at),
        "submit": lambda at, good: ("submit", "--run", good / "run", "-o", os.devnull, "-d", at),
        "verify": lambda at, good: ("verify", "--solvers", good / "solvers.py", "--dataset", at, "--backend", "cpu"),
        "profile": lambda at, good: ("profile", "--solvers", good / "solvers.py", "-d", at, "--no-gpus"),
        "bench": lambda at, good: ("bench", "--suite", "card", "-d", at, "--solvers", good / "solvers.py"),
    },
    "tasks.jsonl": {"check": lambda at, good: ("tasks", "check", at)},
    "batt.py": {"run": lambda at, good: ("run", "--batt", at, *tasks_of(good))},
    "vectors.jsonl": {"verify": lambda at, good: ("verify", "--vectors", at)},
    "submission.json": {"score": lambda at, good: ("score", at, "-d", good / "tasks.json")},
    "bench.json": {
        "compare": lambda at, good: ("bench", "--compare", at, good / "bench.json"),
        "curves": lambda at, good: ("bench", "--curves", at, good / "curves"),
    },
}
"""Commands by the file they read, which stands at a place of its own."""


DAMAGE = {**NO_FILES, "a name too long": lambda path: None}
"""What stands where a good file should; no command has any use for it."""


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("kind", COMMANDS)
def test_a_file_that_is_none_is_refused(good, tmp_path, kind, damage):
    place = tmp_path / ("x" * 300 if damage == "a name too long" else kind)
    DAMAGE[damage](place)
    for command in COMMANDS[kind].values():
        arcbatt(*command(place, good)).refused()


@pytest.mark.parametrize("kind", COMMANDS)
def test_a_file_that_was_cut_or_garbled_is_used_or_refused(good, tmp_path, kind):
    data = (good / kind).read_bytes()
    draw = random.Random(kind)
    for place in [1, len(data) // 2, len(data) - 1, *(draw.randrange(len(data)) for _ in range(6))]:
        garbled = bytearray(data)
        garbled[place] ^= 1 << draw.randrange(8)
        for number, content in enumerate((data[:place], bytes(garbled))):
            path = tmp_path / f"{place}_{number}" / kind
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content)
            for command in list(COMMANDS[kind].values())[:2]:
                used_or_refused(arcbatt(*command(path, good)))


def used_or_refused(done):
    assert is_plain(done.out + done.err)
    if done.status == 2:
        done.refused()
    else:
        assert done.status in (0, 1)


ODD_TEXT = [
    "",
    " ",
    "x",
    "\udcff",
    "9" * 5000,
    "[" * 10_000,
    '"\\ud800"',
    "null",
    "[[1, 2], [3]]",
    "[[true]]",
    "[[NaN]]",
]


@pytest.mark.parametrize("odd", ODD_TEXT, ids=lambda text: ascii(text[:20]))
def test_an_argument_that_is_none_is_refused(good, odd):
    arcbatt("eval", "rot90(I)", "--grid", odd).refused()
    arcbatt("eval", odd + ";;", "--grid", "[[1]]").refused()
    arcbatt("eval", "rot90(I)", "--task", odd + "x").refused()
    arcbatt("run", "--dataset", good / "tasks.json", "--backend", odd + "x").refused()
    arcbatt("run", "--dataset", good / "tasks.json", "--id", odd + "x").refused()
    arcbatt("tasks", "check", odd + "x").refused()
    arcbatt("show", odd + "x", "--dataset", good / "tasks.json").refused()
    arcbatt("card", "--id", odd + "x", "--file", os.devnull).refused()


@pytest.mark.skipif(sys.platform != "linux", reason="needs pipes with a name, and /dev/zero")
@pytest.mark.parametrize("odd", [os.mkfifo, lambda path: os.symlink("/dev/zero", path), os.mkdir])
def test_what_is_no_file_in_a_folder_is_not_read(good, tmp_path, odd):
    """The good files beside it are."""
    solvers, tasks = tmp_path / "solvers", tmp_path / "tasks"
    solvers.mkdir()
    shutil.copy(good / "solvers.py", solvers)
    shutil.copytree(good / "folder", tasks)
    odd(solvers / "odd.py")
    odd(tasks / "odd.json")
    done = arcbatt("run", "--solvers", solvers, "--dataset", tasks, "--backend", "cpu")
    assert done.status == 0
    assert "solvers/odd.py: cannot read: not a plain file" in done.err
    assert "tasks/odd.json: cannot be read: " in done.err
    assert "3 of 3 tasks solved" in done.out


def test_a_pipe_that_is_named_is_read(good, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    if not os.fork():
        with pipe.open("wb") as file:
            file.write((good / "solvers.py").read_bytes())
        os._exit(0)
    assert arcbatt("run", "--solvers", pipe, *tasks_of(good)).status == 0
    os.wait()


def resume(at):
    """Go on with a record by the API, which knows the programs and tasks: a message, or it is done."""
    with suppress(ArcbattError):
        run(PROGRAMS, TASKS, out=at, resume=True, **OPTIONS).record.close()
    if (at / "run.json").is_file():
        assert b'"state": "running"' not in (at / "run.json").read_bytes()


RECORD = [
    lambda at: used_or_refused(arcbatt("report", at, "--output", os.devnull)),
    lambda at: used_or_refused(arcbatt("submit", "--run", at, "--output", os.devnull)),
    resume,
]
"""What is done with a record."""


@pytest.fixture
def record(good, tmp_path):
    return shutil.copytree(good / "run", tmp_path / "run")


@pytest.mark.parametrize("damage", [*DAMAGE, "a pipe"])
@pytest.mark.parametrize("name", ["run.json", "results.sqlite", "programs.py"])
def test_a_record_with_a_file_that_is_none_is_refused(record, name, damage):
    (record / name).unlink()
    if damage == "a pipe":
        os.mkfifo(record / name)
    else:
        DAMAGE[damage](record / name)
    arcbatt("report", record, "--output", os.devnull).refused()
    arcbatt("submit", "--run", record, "--output", os.devnull).refused()
    resume(record)


@pytest.mark.parametrize("part", ["info", "options"])
def test_a_run_json_with_odd_values_is_used_or_refused(record, part):
    text = (record / "run.json").read_text()
    names = json.loads(text) if part == "info" else json.loads(text)["options"]
    cases = [(name, value) for name in names for value in [..., *ODD_VALUES]]
    for number, (name, value) in enumerate(cases):
        info = json.loads(text)
        chosen = info if part == "info" else info["options"]
        if value is ...:
            del chosen[name]
        else:
            chosen[name] = value
        (record / "run.json").write_text(json.dumps(info))
        RECORD[number % 2](record)
        if number % 5 == 0:
            at = shutil.copytree(record, record.parent / str(number))
            resume(at)


def columns():
    store = StoreWriter.create(None)
    store.fill((), ())
    tables = [row[0] for row in store.connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    return [(table, row[1]) for table in tables for row in store.connection.execute(f"PRAGMA table_info({table})")]


@pytest.mark.parametrize(("table", "column"), columns())
def test_a_table_with_odd_values_is_used_or_refused(record, table, column):
    """Whatever a column holds, in every row or in the first; without the constraints that a file of ours has."""
    for number, value in enumerate(SQL_VALUES):
        at = shutil.copytree(record, record.parent / str(number))
        connection = sqlite3.connect(at / "results.sqlite")
        view = connection.execute("SELECT sql FROM sqlite_master WHERE name = 'results'").fetchone()[0]
        connection.executescript(
            f"DROP VIEW results; CREATE TABLE copy AS SELECT * FROM {table}; DROP TABLE {table}; "
            f"ALTER TABLE copy RENAME TO {table}; {view};"
            f"UPDATE {table} SET {column} = {value}" + (" WHERE rowid = 1" if number % 2 else "")
        )
        connection.close()
        RECORD[(number + len(column)) % 3](at)


@pytest.mark.parametrize("table", [*dict(columns()), "results"])
def test_a_record_without_a_table_or_its_rows_is_used_or_refused(record, table):
    empty = shutil.copytree(record, record.parent / "empty")
    if table != "results":
        change(empty, f"DELETE FROM {table}")
        for use in RECORD:
            use(empty)
    change(record, f"DROP {'VIEW' if table == 'results' else 'TABLE'} {table}")
    for use in RECORD:
        use(record)


def change(at, sql):
    connection = sqlite3.connect(at / "results.sqlite")
    with connection:
        connection.execute(sql)
    connection.close()


def test_a_results_file_that_was_cut_or_garbled_is_used_or_refused(record):
    data = (record / "results.sqlite").read_bytes()
    draw = random.Random(0)
    for number in range(60):
        at = shutil.copytree(record, record.parent / str(number))
        garbled = bytearray(data)
        for _ in range(1 + number % 8):
            garbled[draw.randrange(len(data))] = draw.randrange(256)
        (at / "results.sqlite").write_bytes(data[: draw.randrange(len(data))] if number % 3 == 0 else bytes(garbled))
        RECORD[number % 3](at)
