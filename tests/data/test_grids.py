from __future__ import annotations

import numpy as np
import pytest

from arcbatt.data.grids import to_grid
from arcbatt.data.tasks import load_tasks
from arcbatt.errors import DataError


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([[1, 2], [3]], "ragged, row 1 has 1 cell where row 0 has 2"),
        ([[11]], r"cell \(0, 0\) is a colour from 0 to 9, got 11"),
        ([[1, "a"]], r"cell \(0, 1\) is a colour from 0 to 9, got 'a'"),
        ([[-1]], "got -1"),
        ([[True]], "got True"),
        ([[1.0]], r"got 1\.0"),
        ([[None]], "got None"),
        ([], "a grid is a list of rows"),
        ([[]], "row 0 is a list of colours"),
        ("12", "a grid is a list of rows"),
        (7, "a grid is a list of rows, got 7"),
        ([[0]] * 31, "31 rows, at most 30"),
        ([[0] * 31], "31 columns, at most 30"),
    ],
)
def test_bad_grids_say_what_is_wrong(value, message):
    with pytest.raises(DataError, match=f"input: {message}|{message}"):
        to_grid(value, "input")


def test_lists_tuples_and_arrays():
    assert to_grid([[1, 2]]) == to_grid(((1, 2),)) == to_grid(np.array([[1, 2]], dtype=np.uint8)) == ((1, 2),)


def test_bundled_tasks():
    tasks = load_tasks("arcagi")
    assert len(tasks) == 400
    assert sum(len(task.samples) for task in tasks) == 1718
    assert tasks[0].train == tasks[0].samples[0].S
    with pytest.raises(DataError, match="no data set 'nope'"):
        load_tasks("nope")
