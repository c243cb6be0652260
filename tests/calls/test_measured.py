"""What accelerate measured is kept, by machine, version and module."""

from __future__ import annotations

import importlib
import json
import sys

import pytest

from arcbatt.calls import accelerate as module
from arcbatt.calls import measured
from arcbatt.calls.accelerate import accelerate
from arcbatt.calls.measured import Kept, Measured
from arcbatt.language.table import STANDARD

TEXT = """
def rot90(grid):
    return tuple(row for row in zip(*grid[::-1]))


def hmirror(piece):
    return tuple(piece[::-1])
"""
A = ((1, 0, 2), (0, 0, 2))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("ARCBATT_CACHE", str(tmp_path / "cache"))
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    sys.modules.pop("kept_dsl", None)


@pytest.fixture
def measuring(monkeypatch):
    """Says that rot90 gains and hmirror does not; the names it was asked for."""
    asked = []

    def measure(function):
        asked.append(function.__name__)
        rules = STANDARD.ops[function.__name__].rules
        return Measured(function.__name__, 2.0, 1.0, rules[:1] if function.__name__ == "rot90" else ())

    monkeypatch.setattr(module, "measure", measure)
    return asked


def imported(folder, text=TEXT):
    (folder / "kept_dsl.py").write_text(text)
    sys.modules.pop("kept_dsl", None)
    importlib.invalidate_caches()
    return importlib.import_module("kept_dsl")


def test_a_new_process_finds_what_was_measured(folder, measuring):
    with accelerate(imported(folder)) as first:
        assert first.replaced == ["rot90"]
    again = imported(folder)  # new functions, as in a new process
    with accelerate(again) as second:
        assert again.rot90(A) == ((0, 1), (0, 0), (2, 2))
    assert sorted(measuring) == ["hmirror", "rot90"]
    assert second.replaced == ["rot90"]
    assert second.measured == first.measured
    assert second.measured["rot90"].speedup == 2
    assert second.served["rot90"] == 1
    assert len(list((folder / "cache").glob("accelerate-*.json"))) == 1


def test_another_file_another_version_another_machine_are_measured_anew(folder, measuring, monkeypatch):
    with accelerate(imported(folder)):
        pass
    with accelerate(imported(folder, TEXT + "\n# changed\n")):
        pass
    assert len(measuring) == 4
    for name, value in (("__version__", "other"), ("processor", lambda: "another one")):
        measured._machine.cache_clear()
        monkeypatch.setattr(measured, name, value)
        with accelerate(imported(folder)):
            pass
    measured._machine.cache_clear()
    assert len(measuring) == 8


def test_a_module_without_a_file_is_measured_each_time(folder, measuring):
    for _ in range(2):
        made = importlib.import_module("types").ModuleType("kept_dsl")
        sys.modules["kept_dsl"] = made
        exec(TEXT, vars(made))
        with accelerate(made):
            pass
    assert len(measuring) == 4


@pytest.mark.parametrize("text", ["", "[]", "{", '{"rot90:2": [1]}', '{"rot90:2": ["rot90", 1, 1, ["Grid -> Int"]]}'])
def test_a_file_that_is_none_is_as_if_it_were_not_there(folder, measuring, text):
    with accelerate(imported(folder)):
        pass
    (path,) = (folder / "cache").glob("accelerate-*.json")
    path.write_text(text)
    with accelerate(imported(folder)) as state:
        assert state.replaced == ["rot90"]
    assert measuring.count("rot90") == 2
    assert json.loads(path.read_text())["rot90:2"][0] == "rot90"


def test_a_folder_that_cannot_be_written_costs_nothing_but_time(folder, measuring):
    (folder / "cache").write_text("a file")
    for _ in range(2):
        with accelerate(imported(folder)) as state:
            assert state.replaced == ["rot90"]
    assert len(measuring) == 4


def test_two_writers_keep_both(folder):
    made = imported(folder)
    first, second = Kept([made.rot90]), Kept([made.hmirror])
    first.add(made.rot90, Measured("rot90", 1, 1, ()))
    second.add(made.hmirror, Measured("hmirror", 1, 1, ()))
    first.write()
    second.write()
    kept = Kept([made.rot90])
    assert kept.of(made.rot90) is not None
    assert kept.of(made.hmirror) is not None
