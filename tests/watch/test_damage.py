"""Whatever is in a record, the page and the metrics are answered, and other runs are shown."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path

import pytest

from arcbatt.devtools.soak.damage import SQL_VALUES
from arcbatt.runs.record import RESULTS
from arcbatt.search.record import OPTIONS, SOLUTIONS
from cli.test_damage import columns
from watch.records import make_run, make_search
from watch.test_app import client
from watch.test_metrics import parsed

MORE_VALUES = ("1e308", "9e999", "-9e999", "4611686018427387904", "'{\"cpu\": 1e400}'", "'{\"cpu\": -5}'", "0", "-1")
JSON_VALUES = (None, True, -1, 1e400, 10**400, "", "\ud800", [], {}, [[]], [1], {"a": 1}, "\x1b[2J")


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("whole") / "run"
    make_run(folder, batch_size=1)
    return folder


def check(folder: Path) -> None:
    """Everything that can be asked for; the client raises what the application raises."""
    browser = client(folder)
    assert browser.get("/").status_code == 200
    parsed(browser.get("/metrics").text)


@pytest.mark.parametrize(("table", "column"), columns())
def test_odd_values_in_tables(whole, tmp_path, table, column):
    for number, value in enumerate((*SQL_VALUES, *MORE_VALUES)):
        at = shutil.copytree(whole, tmp_path / str(number) / "run")
        connection = sqlite3.connect(at / RESULTS)
        view = connection.execute("SELECT sql FROM sqlite_master WHERE name = 'results'").fetchone()[0]
        connection.executescript(
            f"DROP VIEW results; CREATE TABLE copy AS SELECT * FROM {table}; DROP TABLE {table}; "
            f"ALTER TABLE copy RENAME TO {table}; {view};"
            f"UPDATE {table} SET {column} = {value}" + (" WHERE rowid = 1" if number % 2 else "")
        )
        connection.close()
        check(at.parent)


@pytest.mark.parametrize("table", dict(columns()))
def test_tables_that_are_empty_or_gone(whole, tmp_path, table):
    for what in ("DELETE FROM", "DROP TABLE"):
        at = shutil.copytree(whole, tmp_path / what / "run")
        connection = sqlite3.connect(at / RESULTS)
        with connection:
            connection.execute(f"{what} {table}")
        connection.close()
        check(at.parent)


@pytest.mark.parametrize("value", JSON_VALUES, ids=lambda value: repr(value)[:20])
def test_odd_values_in_run_json(whole, tmp_path, value):
    info = json.loads((whole / "run.json").read_text())
    at = shutil.copytree(whole, tmp_path / "run")
    for name in info:
        (at / "run.json").write_text(json.dumps(info | {name: value}))
        check(tmp_path)


@pytest.mark.parametrize("value", JSON_VALUES, ids=lambda value: repr(value)[:20])
def test_odd_values_in_searches(tmp_path, value):
    make_search(tmp_path / "search", 1)
    options = json.loads((tmp_path / "search" / OPTIONS).read_text())
    solution = json.loads((tmp_path / "search" / SOLUTIONS).read_text())
    attempt = solution["attempts"][0][0]
    for name in solution:
        (tmp_path / "search" / SOLUTIONS).write_text(json.dumps(solution | {name: value}) + "\n")
        check(tmp_path)
    for name in attempt:
        changed = solution | {"attempts": [[attempt | {name: value}]]}
        (tmp_path / "search" / SOLUTIONS).write_text(json.dumps(changed) + "\n")
        check(tmp_path)
    (tmp_path / "search" / SOLUTIONS).write_text("")
    for name in options:
        (tmp_path / "search" / OPTIONS).write_text(json.dumps(options | {name: value}))
        check(tmp_path)
    (tmp_path / "search" / OPTIONS).write_text(json.dumps(options | {"options": {"budget": value}}))
    check(tmp_path)
