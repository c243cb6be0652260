"""Values from Python: whatever form a grid has, it means the same."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcbatt import dsl
from arcbatt.language.failures import Failed
from arcbatt.language.sample import Sample
from arcbatt.language.shown import Grid, is_grid, plain, quickly_plain, shown
from arcbatt.language.table import STANDARD
from arcbatt.language.types import GRID
from strategies import grids

OF_ONE_GRID = sorted(
    name for name, spec in STANDARD.ops.items() if spec.rules and any(r.params == (GRID,) for r in spec.rules)
)


def forms(grid):
    """A grid in every form it may be given in."""
    return [[list(row) for row in grid], list(grid), tuple(map(list, grid)), np.array(grid), np.array(grid, np.int8),
            Grid(grid)]  # fmt: skip


@given(grids())
def test_every_form_is_the_same_grid(grid):
    for form in forms(grid):
        assert plain(form) == quickly_plain(form) == grid
        assert type(plain(form)) is tuple
        assert set(map(type, plain(form))) == {tuple}
        assert Grid(form) == grid
        assert hash(Grid(form)) == hash(grid)
        sample = Sample(form, ((form, form),), form)
        assert sample == Sample(grid, ((grid, grid),), grid)
        assert {type(one) for one in (sample.I, sample.S, sample.S[0], sample.S[0][0], sample.C)} == {tuple}
    assert plain(grid) is grid


plain_values = st.recursive(
    st.integers(-5, 5) | st.booleans() | st.none(),
    lambda parts: st.lists(parts, max_size=4).map(tuple) | st.frozensets(parts, max_size=4),
)


@given(plain_values)
def test_what_is_plain_stays_what_it_is(value):
    assert plain(value) is value
    assert quickly_plain(value) is value


def unplain(value):
    return (
        list(map(unplain, value)) if isinstance(value, tuple) else set(value) if isinstance(value, frozenset) else value
    )


@given(plain_values)
def test_lists_and_sets_are_made_plain_at_every_depth(value):
    assert plain(unplain(value)) == value


@pytest.mark.parametrize("name", OF_ONE_GRID)
@given(grid=grids())
def test_a_primitive_means_the_same_of_every_form(name, grid):
    wanted = getattr(dsl, name)(grid)
    for form in forms(grid):
        assert getattr(dsl, name)(form) == wanted
    assert isinstance(wanted, Grid) == is_grid(wanted)


def test_numbers_of_numpy_are_numbers():
    assert dsl.add(np.int64(3), np.int8(4)) == 7
    assert dsl.canvas(np.uint8(3), (np.int64(1), np.int64(2))) == ((3, 3),)
    assert dsl.objects([[1, 0]], np.True_, False, True) == frozenset({frozenset({(1, (0, 0))})})


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ("text", "a str"),
        (2.5, "a float"),
        (np.zeros((2, 2)), r"an array of shape (2, 2) and type float64"),
        (np.zeros((2, 2, 2), int), r"an array of shape (2, 2, 2) and type int64"),
        (dsl.rot90, "a function"),
    ],
    ids=["text", "float", "floats", "cube", "function"],
)
def test_what_is_no_value_is_named(value, says):
    failed = dsl.hmirror(value)
    assert isinstance(failed, Failed)
    assert failed.detail.endswith(f"got {says}")


def test_a_grid_in_a_terminal():
    assert repr(Grid([[1, 2], [3, 4]])) == "<Grid 2 x 2: 12 34>"
    assert str(Grid([[1, 2], [3, 4]])) == "1 2\n3 4"
    assert str(Grid([[1, -12], [3, 4]])) == "  1 -12\n  3   4"
    assert len(repr(Grid(np.zeros((30, 30), int)))) < 100
    assert shown((1, 2)) == (1, 2)


def test_grids_are_copied_and_pickled():
    grid = Grid([[1, 2]])
    for other in (copy.deepcopy(grid), pickle.loads(pickle.dumps(grid)), copy.copy(grid)):
        assert (type(other), other) == (Grid, grid)
    assert pickle.loads(pickle.dumps(dsl.rot90)) == dsl.rot90
