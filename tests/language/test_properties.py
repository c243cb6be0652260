"""Algebra the reference must obey, whatever the grid."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcbatt.language.primitives import grids as g
from arcbatt.language.primitives import objects as o
from arcbatt.language.primitives import shapes as s
from arcbatt.language.primitives.containers import merge
from arcbatt.language.reference import call
from arcbatt.language.types import OBJECT
from arcbatt.language.values import ordered, rank
from strategies import grids, values

MODES = list(product((True, False), repeat=3))


@given(grids())
def test_rotations_compose(grid):
    assert g.rot90(g.rot90(grid)) == g.rot180(grid)
    assert g.rot90(g.rot180(grid)) == g.rot270(grid)
    assert g.rot90(g.rot270(grid)) == grid
    assert g.vmirror(g.dmirror(grid)) == g.rot90(grid)
    assert g.rot180(g.dmirror(grid)) == g.cmirror(grid)


@given(grids())
def test_mirrors_of_a_full_patch_match_the_grid(grid):
    for mirror in (g.hmirror, g.vmirror, g.dmirror, g.cmirror):
        assert mirror(o.asobject(grid)) == o.asobject(mirror(grid))


@given(grids())
def test_partition_covers(grid):
    assert merge(o.partition(grid)) == o.asobject(grid)
    background = o.recolor(s.mostcolor(grid), o.ofcolor(grid, s.mostcolor(grid)))
    assert merge(o.fgpartition(grid)) | background == o.asobject(grid)


@pytest.mark.parametrize("mode", MODES, ids=str)
@given(grid=grids(most=3))
def test_objects_are_the_connected_components(mode, grid):
    univalued, diagonal, without_bg = mode
    found = o.objects(grid, *mode)
    assert found == o.o_g(grid, 4 * univalued + 2 * diagonal + without_bg)
    background = s.mostcolor(grid) if without_bg else None
    assert sum(map(len, found)) == len(merge(found))
    assert merge(found) == {cell for cell in o.asobject(grid) if cell[0] != background}
    near = o.neighbors if diagonal else o.dneighbors
    owner = {place: obj for obj in found for _, place in obj}
    for obj in found:
        assert not univalued or len(s.palette(obj)) == 1
        reached = [next(iter(obj))[1]]
        seen = set(reached)
        for place in reached:
            for other in near(place) & owner.keys():
                linked = not univalued or grid[other[0]][other[1]] == grid[place[0]][place[1]]
                assert (owner[other] == obj) == linked or not linked
                if linked and other not in seen:
                    seen.add(other)
                    reached.append(other)
        assert seen == s.toindices(obj)


@given(grids(), st.integers(1, 4))
def test_scaling(grid, n):
    assert g.downscale(g.upscale(grid, n), n) == grid
    assert g.upscale(grid, n) == g.hupscale(g.vupscale(grid, n), n)
    assert o.asobject(g.upscale(grid, n)) == g.upscale(o.asobject(grid), n)


@given(grids())
def test_painting_back(grid):
    tall, wide = s.shape(grid)
    assert g.paint(g.canvas(10, (tall, wide)), o.asobject(grid)) == grid
    assert g.subgrid(o.asindices(grid), grid) == grid
    assert o.toobject(o.asindices(grid), grid) == o.asobject(grid)


@given(grids(), st.integers(1, 4))
def test_splits_are_equal_parts(grid, n):
    parts = g.hsplit(grid, n)
    assert len(parts) == n
    if s.width(grid) % n == 0:
        assert len({s.shape(part) for part in parts}) == 1
        whole = parts[0]
        for part in parts[1:]:
            whole = g.hconcat(whole, part)
        assert whole == grid
    assert g.vsplit(g.dmirror(grid), n) == tuple(map(g.dmirror, parts)) or s.width(grid) < n


@given(grids(most=2))
def test_occurrences_of_a_part(grid):
    for obj in o.objects(grid, True, False, False):
        assert s.ulcorner(obj) in o.occurrences(grid, obj)


@given(grids(most=1))
def test_periods_tile(grid):
    wide = o.hperiod(o.asobject(grid))
    assert 1 <= wide <= s.width(grid)
    assert all(row[k] == row[k + wide] for row in grid for k in range(len(row) - wide))
    assert o.vperiod(o.asobject(g.dmirror(grid))) == wide


@given(values(OBJECT))
def test_patch_algebra(obj):
    indices = s.toindices(obj)
    assert o.backdrop(obj) == indices | o.delta(obj)
    assert o.delta(obj).isdisjoint(indices)
    assert o.box(obj) <= o.backdrop(obj)
    if obj:
        assert s.ulcorner(o.normalize(obj)) == (0, 0)
        assert s.corners(obj) <= o.box(obj)
        assert o.inbox(o.outbox(obj)) == o.box(obj)
        assert s.manhattan(obj, obj) == 0


@given(st.frozensets(st.one_of(st.none(), st.integers(-3, 3), st.tuples(st.integers(0, 2), st.integers(0, 2)),
                               st.frozensets(st.integers(0, 3), max_size=3)), max_size=8))  # fmt: skip
def test_sets_are_seen_in_the_order_of_the_language(items):
    seen = ordered(items)
    assert frozenset(seen) == items
    kinds = [0 if x is None else 1 if isinstance(x, int) else 2 if isinstance(x, tuple) else 3 for x in seen]
    assert kinds == sorted(kinds)
    ints = [x for x in seen if isinstance(x, int)]
    assert ints == sorted(ints)
    sets = [tuple(sorted(x)) for x in seen if isinstance(x, frozenset)]
    assert sets == sorted(sets)
    assert [rank(x) for x in seen] == sorted(rank(x) for x in seen)


PLACES = st.tuples(st.integers(-2, 2), st.integers(-2, 2))
CELLS = st.tuples(st.integers(0, 2), PLACES)
KINDS_OF_ITEMS = (
    CELLS,
    st.one_of(PLACES, CELLS),
    st.tuples(st.integers(0, 1), st.one_of(st.none(), st.integers(0, 1))),
    st.frozensets(PLACES, max_size=4),
    st.frozensets(CELLS, max_size=4),
    st.frozensets(st.one_of(PLACES, CELLS), max_size=4),
    st.frozensets(st.one_of(st.booleans(), PLACES), max_size=4),
    st.frozensets(st.frozensets(PLACES, max_size=2), max_size=3),
)


@given(st.one_of(*(st.frozensets(items, max_size=8) for items in KINDS_OF_ITEMS)))
def test_the_quick_ways_to_order_sets_are_the_slow_one(items):
    assert ordered(items) == tuple(sorted(items, key=rank))


def test_ties_take_the_first():
    assert call("mostcolor", ((2, 1), (1, 2))) == 1
    assert call("leastcolor", ((2, 1), (1, 2), (0, 0))) == 0
    assert call("mostcommon", (3, 1, 3, 1, 2)) == 1
    assert call("leastcommon", (3, 1, 3, 1)) == 1
    assert call("paint", ((0,),), frozenset({(5, (0, 0)), (3, (0, 0))})) == ((5,),)
    assert call("paint", ((0,),), ((5, (0, 0)), (3, (0, 0)))) == ((3,),)
