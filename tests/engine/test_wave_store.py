"""The store of waves against the reference, on one lane and on emulated lanes."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

from arcbatt.compiler.abi import OK, OVERFLOW
from arcbatt.data.tasks import load_tasks
from arcbatt.engine.waves import kernels
from arcbatt.engine.waves.store import Store
from arcbatt.errors import UsageError
from arcbatt.language.failures import Fail, Failed
from arcbatt.language.table import STANDARD
from arcbatt.language.types import BOOL, CELL, GRID, IJ, INDICES, INT, OBJECTS, Seq, Set, Tup
from engine import fake_cupy

GRIDS = [sample.I for task in list(load_tasks("arcagi"))[::60] for sample in task.samples][:9]
WIDTHS = pytest.mark.parametrize("width", kernels.WIDTHS, ids=["one lane", "emulated lanes"])


@pytest.fixture
def cupy(monkeypatch):
    return fake_cupy.for_waves(monkeypatch)


def reference(op, *args):
    try:
        return STANDARD.op(op).reference(*args)
    except Fail as failure:
        return Failed(failure.reason)


@WIDTHS
def test_chains_of_calls_are_the_reference_s(cupy, width, monkeypatch):
    monkeypatch.setattr(kernels, "width", lambda _: width)
    store = Store(cupy, heap_bytes=1 << 26)
    grids = store.put(GRID, GRIDS)
    mode = 5
    columns = {"grids": grids, "objects": store.apply("o_g", grids, mode)}
    columns["first"] = store.apply("first", columns["objects"])
    columns["corner"] = store.apply("ulcorner", columns["first"])
    columns["shifted"] = store.apply("shift", columns["first"], (3, -2))
    columns["painted"] = store.apply("paint", grids, columns["shifted"])
    columns["high"] = store.apply("height", columns["painted"])
    columns["half"] = store.apply("divide", columns["high"], 0)
    for row, grid in enumerate(GRIDS):
        objects = reference("o_g", grid, mode)
        first = reference("first", objects)
        painted = reference("paint", grid, reference("shift", first, (3, -2)))
        expected = {
            "grids": grid, "objects": objects, "first": first, "corner": reference("ulcorner", first),
            "shifted": reference("shift", first, (3, -2)), "painted": painted, "high": reference("height", painted),
            "half": reference("divide", 1, 0),
        }  # fmt: skip
        for name, value in expected.items():
            assert store.fetch(columns[name], [row]) == [value], name
    assert not store.full


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (INT, [0, -5, 2**31 - 1]),
        (BOOL, [True, False]),
        (IJ, [(0, 0), (-3, 70000)]),
        (CELL, [(9, (1, -1))]),
        (GRID, [(), ((1, 2, 3), (4, 5, 6)), ((-1,),)]),
        (INDICES, [frozenset(), frozenset({(1, 2), (-1, 5)})]),
        (OBJECTS, [frozenset({frozenset({(1, (0, 0)), (2, (0, 1))}), frozenset()})]),
        (Seq(Set(INT)), [(frozenset({3, -3}), frozenset())]),
        (Tup((GRID, INT, IJ)), [(((7,),), -1, (4, 5))]),
        (Set(Tup((INT, INDICES))), [frozenset({(1, frozenset({(0, 0)})), (2, frozenset())})]),
    ],
    ids=str,
)
def test_values_come_back_as_they_were_put(cupy, kind, values):
    store = Store(cupy, heap_bytes=1 << 22)
    column = store.put(kind, values)
    assert store.fetch(column) == values
    assert store.fetch(store.apply("identity", column)) == values
    statuses, hashes = store.looked(column)
    assert (statuses == OK).all()
    assert len(np.unique(hashes)) == len(values)


def test_some_of_a_column_by_number(cupy):
    store = Store(cupy, heap_bytes=1 << 24)
    numbers = store.put(INT, [5, 7, 5, -1, 7])
    kept = numbers.at(store.distinct(numbers))
    assert store.fetch(kept) == [5, 7, -1]
    doubled = store.apply("double", kept)
    assert store.fetch(doubled) == [10, 14, -2]
    back = doubled.at(cupy.asarray(np.array([2, 2, 0])))
    assert store.fetch(back) == [-2, -2, 10]
    assert store.fetch(store.apply("add", back, numbers.at(cupy.asarray(np.array([0, 1, 3]))))) == [3, 5, 9]
    assert store.fetch(store.apply("identity", back)) == [-2, -2, 10]


def test_failures_are_left_out_of_what_is_distinct(cupy):
    store = Store(cupy, heap_bytes=1 << 24)
    found = store.apply("divide", store.put(INT, [8, 9, 8]), store.put(INT, [2, 0, 2]))
    assert store.distinct(found).tolist() == [0]


def test_a_full_store_says_so(cupy):
    store = Store(cupy, heap_bytes=1 << 16)
    grids = store.put(GRID, GRIDS)
    columns = [grids]
    while not store.full:
        columns.append(store.apply("hmirror", columns[-1]))
    assert not any((store.looked(column)[0] == OVERFLOW).any() for column in columns[:-1])
    for call in (lambda: store.apply("hmirror", grids), lambda: store.put(GRID, GRIDS)):
        with pytest.raises(MemoryError, match="the store is full"):
            call()
    assert store.fetch(columns[-2]) == (GRIDS if len(columns) % 2 == 0 else [one[::-1] for one in GRIDS])


def test_what_cannot_be_applied_is_said(cupy):
    store = Store(cupy, heap_bytes=1 << 20)
    with pytest.raises(UsageError, match="equally many"):
        store.apply("add", store.put(INT, [1, 2]), store.put(INT, [1]))


def test_importing_the_store_needs_no_gpu():
    assert importlib.import_module("arcbatt.engine.waves.store").Store is Store
