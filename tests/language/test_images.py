"""What the primitives on images mean: small cases by hand, and laws on generated grids."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from arcbatt.language.failures import Fail, Reason
from arcbatt.language.reference import call
from arcbatt.language.spec import Kind
from arcbatt.language.table import STANDARD
from arcbatt.language.types import GRID
from strategies import grids

DIRECTIONS = [(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if (a, b) != (0, 0)]
FAMILIES = ("completing", "rays", "lattices", "measures", "rules")
ON_IMAGES = [spec for spec in STANDARD.ops.values() if spec.family in FAMILIES and GRID in spec.rules[0].params]

directions = st.sampled_from(DIRECTIONS)


def rows(*text: str) -> tuple[tuple[int, ...], ...]:
    """A grid from its rows; - is -1."""
    return tuple(tuple(-1 if cell == "-" else int(cell) for cell in row) for row in text)


def reason(name, *args):
    with pytest.raises(Fail) as failed:
        call(name, *args)
    return failed.value.reason


# --- by hand ---


@pytest.mark.parametrize(
    ("grid", "mode", "want"),
    [
        (rows("1201", "3003"), 4, rows("1221", "3003")),
        (rows("1021", "3443"), 4, rows("1221", "3443")),
        (rows("12", "34", "30", "12"), 2, rows("12", "34", "34", "12")),
        (rows("123", "245", "056"), 1, rows("123", "245", "356")),
        (rows("1001", "2332", "1331", "2332", "0551"), 4, rows("1001", "2332", "1331", "2332", "1551")),
        (rows("2112", "1331", "1331", "0112"), 6, rows("2112", "1331", "1331", "2112")),
        (rows("51221", "63003", "51221"), 4, rows("51221", "63003", "51221")),  # the axis is off the middle
        (rows("12", "12"), 4, rows("12", "12")),  # nothing is hidden
    ],
)
def test_complete(grid, mode, want):
    assert call("mirrorfill", grid, 0, mode) == want


def test_completing_what_has_no_symmetry():
    assert reason("mirrorfill", rows("120", "456", "789"), 0, 7) is Reason.EMPTY
    assert reason("mirrorfill", rows("10"), 0, 8) is Reason.BOUNDS
    assert reason("gridperiod", rows("123", "456"), 0) is Reason.EMPTY


def test_periods():
    checks = rows("1212", "2121", "1012", "2121")
    assert call("gridperiod", checks, 0) == (2, 2)
    assert call("periodfill", checks, 0, (2, 2)) == rows("1212", "2121", "1212", "2121")
    slanted = rows("1234", "2341", "3410", "4123")
    assert call("drift", slanted, 0) == (1, -1)
    assert call("driftfill", slanted, 0, (1, -1)) == rows("1234", "2341", "3412", "4123")


def test_rays():
    grid = rows("0020", "1000", "0300")
    assert call("look", grid, 0, (0, 1)) == rows("22--", "----", "3---")
    assert call("look", grid, 0, (1, 0)) == rows("13--", "-3--", "----")
    assert call("smear", grid, 0, (0, 1)) == rows("0022", "1111", "0333")
    assert call("smear", grid, 0, (-1, 0)) == rows("1320", "1300", "0300")
    assert call("beam", grid, 3, 0, (-1, 1)) == rows("0023", "1030", "0300")
    assert call("bridge", rows("1001", "2010", "2002"), 0, (0, 1)) == rows("1111", "2010", "2222")
    assert call("bridge", rows("100", "030", "001"), 0, (1, 1)) == rows("100", "030", "001")


def test_falling():
    assert call("cellfall", rows("120", "003", "100"), 0, (1, 0)) == rows("000", "100", "123")
    assert call("cellfall", rows("1020"), 0, (0, 1)) == rows("0012")
    resting = rows("1100", "0100", "0000", "2220")
    assert call("regionfall", resting, 0, False, (1, 0)) == rows("0000", "1100", "0100", "2220")
    inside = rows("1110", "1210", "1010", "0000")  # what lies in a hollow moves with it
    assert call("regionfall", inside, 0, False, (1, 0)) == rows("0000", "1110", "1010", "1210")
    assert call("regionfall", rows("30", "03", "00"), 0, True, (1, 0)) == rows("00", "30", "03")
    assert call("regionfall", rows("30", "03", "00"), 0, False, (1, 0)) == rows("00", "00", "33")


def test_lattices():
    grid = rows("10520", "01502", "55555", "00533", "00533")
    assert call("seam", grid, 0) == 5
    assert call("panes", grid, 5) == (rows("10", "01"), rows("20", "02"), rows("00", "00"), rows("33", "33"))
    assert call("panecount", grid, 5) == (2, 2)
    assert call("panefill", grid, 5, (1, 2, 3, 4)) == rows("11522", "11522", "55555", "33544", "33544")
    assert call("overlay", call("panes", grid, 5)[:2], 0) == rows("20", "02")
    assert call("hvconcat", call("panes", grid, 5), 2) == rows("1020", "0102", "0033", "0033")
    assert call("torows", (1, 2, 3, 4), 2) == rows("12", "34")
    assert call("panes", rows("55", "55"), 5) == ()


def test_placing():
    grid = rows("12", "34")
    assert call("paste", rows("000", "000"), grid, (1, 1)) == rows("000", "012")
    assert call("window", grid, (-1, 0), (3, 3), 7) == rows("777", "127", "347")
    assert call("tilegrid", grid, (3, 3)) == rows("121", "343", "121")
    assert call("mirrortile", grid, (4, 3)) == rows("122", "344", "344", "122")
    assert call("rescale", grid, (4, 4)) == call("upscale", grid, 2)
    assert call("rescale", rows("1122", "3344"), (2, 2)) == rows("12", "34")


def test_measures():
    ring = rows("0000", "0110", "0101", "0110")
    assert call("enclosed", rows("111", "101", "111"), 0, True) == {(1, 1)}
    assert call("enclosed", rows("0000", "0010", "0101", "0010"), 0, False) == {(2, 2)}
    assert call("enclosed", rows("0000", "0010", "0101", "0010"), 0, True) == frozenset()
    assert call("regionsize", rows("110", "001"), False) == rows("221", "221")
    assert call("regionsize", rows("110", "001"), True) == rows("333", "333")
    assert call("inset", ring, True, (0, -1))[1] == (0, 0, 1, 3)
    assert call("ranks", rows("013", "033"), 0) == rows("010", "000")
    assert call("rankof", 3, (1, 5, 5, 9)) == 2
    assert call("distance", rows("100", "000"), 1, False) == rows("012", "123")
    assert call("distance", rows("100", "000"), 1, True) == rows("012", "112")
    assert call("distance", rows("00"), 1, True) == ((127, 127),)
    assert call("nearfill", rows("10002"), 0, 9, False) == rows("11122")
    assert call("nearfill", rows("10002"), 0, 1, False) == rows("11022")
    assert call("neighborcount", rows("111", "101", "111"), 1, True)[1][1] == 8
    assert call("linecount", rows("101", "010"), 1, (0, 1)) == rows("222", "111")
    assert call("linecount", rows("101", "010"), 1, (1, 1)) == rows("201", "020")
    assert call("ramp", (2, 3), (1, -1)) == ((0, -1, -2), (1, 0, -1))
    assert call("wrap", ((0, -1, -2), (1, 4, 5)), 3) == rows("021", "112")


def test_rules():
    grid = rows("3370", "3300")
    assert call("colororder", grid) == (3, 0, 7)
    assert call("encode", grid, (3, 0, 7)) == rows("0021", "0011")
    table = rows("01", "12", "20")
    assert call("decide", table, rows("012", "210"), rows("0"), rows("0")) == rows("120", "021")
    copies = ((0, 0, -1), (0, 1, -2), (1, 0, 5), (1, 1, -1))
    assert call("decide", copies, rows("0011"), rows("0101"), rows("9")) == rows("0151")
    assert reason("decide", table, rows("013"), rows("0"), rows("0")) is Reason.BOUNDS
    assert reason("decide", ((0, -2),), rows("0"), rows("0"), rows("0")) is Reason.BOUNDS
    assert call("decide", rows("01", "02"), rows("00"), rows("0"), rows("0")) == rows("11")  # the first entry counts


# --- laws ---


@given(grid=grids(4), data=st.data())
def test_a_hidden_part_of_a_symmetric_grid_is_found(grid, data):
    half = tuple(tuple(cell + 1 for cell in row) for row in grid)
    whole = tuple(row + row[::-1] for row in half + half[::-1])
    i = data.draw(st.integers(0, len(whole) // 2 - 1))
    hidden = tuple(tuple(0 if (a, b) == (i, 0) else cell for b, cell in enumerate(row)) for a, row in enumerate(whole))
    assert call("mirrorfill", hidden, 0, 6) == whole


@given(grid=grids(6), ground=st.integers(0, 2), direction=directions)
def test_what_falls_stays(grid, ground, direction):
    for name, rest in (("cellfall", (direction,)), ("regionfall", (True, direction))):
        fallen = call(name, grid, ground, *rest)
        assert sorted(sum(fallen, ())) == sorted(sum(grid, ()))
        assert call(name, fallen, ground, *rest) == fallen


@given(grid=grids(6), ground=st.integers(0, 2), direction=directions)
def test_a_smear_is_what_is_seen_from_the_ground(grid, ground, direction):
    seen = call("look", grid, ground, (-direction[0], -direction[1]))
    over = tuple(
        tuple(b if a == ground and b >= 0 else a for a, b in zip(*both, strict=True))
        for both in zip(grid, seen, strict=True)
    )
    assert call("smear", grid, ground, direction) == over


@given(grid=grids(6))
def test_colours_come_back(grid):
    colours = call("colororder", grid)
    assert call("decode", call("encode", grid, colours), colours) == grid


@given(grid=grids(6), dims=st.tuples(st.integers(1, 9), st.integers(1, 9)))
def test_a_window_of_a_tile_is_a_window_of_the_grid(grid, dims):
    tall, wide = len(grid), len(grid[0])
    tiled = call("tilegrid", grid, (tall + dims[0], wide + dims[1]))
    assert call("window", tiled, (0, 0), (tall, wide), 0) == grid
    assert call("window", tiled, (tall, wide), dims, 0) == call("tilegrid", grid, dims)


@given(grid=grids(5), wide=st.integers(1, 3), tall=st.integers(1, 3))
def test_panes_are_what_a_lattice_was_made_of(grid, tall, wide):
    pane = tuple(tuple(cell % 5 for cell in row) for row in grid)
    row = call("hvconcat", (pane,) * wide, wide)
    lined = tuple(
        sum(((9,) * bool(k) + row[i][k * len(pane[0]) : (k + 1) * len(pane[0])] for k in range(wide)), ())
        for i in range(len(row))
    )
    line = ((9,) * len(lined[0]),)
    whole = sum((line * bool(k) + lined for k in range(tall)), ())
    assert call("panes", whole, 9) == (pane,) * (tall * wide)
    assert call("panecount", whole, 9) == (tall, wide)
    assert call("panepaint", whole, 9, call("panes", whole, 9)) == whole


@given(grid=grids(5), colour=st.integers(0, 3), diagonal=st.booleans())
def test_the_nearest_of_a_colour_is_at_its_distance(grid, colour, diagonal):
    assume(any(colour in row for row in grid))
    far = call("distance", grid, colour, diagonal)
    mask = call("colormask", grid, colour)
    for steps in (0, 1, 3):
        near = call("nearfill", mask, 0, steps, diagonal)
        assert near == tuple(tuple(int(cell <= steps) for cell in row) for row in far)


@given(grid=grids(5), other=grids(5), data=st.data())
def test_a_rule_is_its_table(grid, other, data):
    other = call("tilegrid", other, (len(grid), len(grid[0])))
    seen = sorted({pair for a, b in zip(grid, other, strict=True) for pair in zip(a, b, strict=True)})
    table = tuple((*pair, data.draw(st.integers(-2, 9))) for pair in seen)
    made = call("decide", table, grid, other, grid)
    colours = {entry[:2]: entry[2] for entry in table}
    for a, b, row in zip(grid, other, made, strict=True):
        for x, y, cell in zip(a, b, row, strict=True):
            assert cell == {-1: x, -2: y}.get(colours[x, y], colours[x, y])


# --- kinds first, then limits, then all else ---


@pytest.mark.parametrize("spec", ON_IMAGES, ids=lambda spec: spec.name)
@settings(max_examples=20)
@given(number=st.sampled_from([128, -129, 2**31 - 1]))
def test_a_cell_beyond_a_byte_is_a_limit_unless_a_kind_is_wrong(spec, number):
    assert spec.kind is Kind.PLAIN
    good = {"Grid": ((number,),), "Int": 1, "Bool": True, "IJ": (1, 1)}
    args = [good.get(str(param), ()) for param in spec.rules[0].params]
    assert reason(spec.name, *args) is Reason.LIMIT
    for at, param in enumerate(spec.rules[0].params):
        if str(param) != "Bool":
            assert reason(spec.name, *args[:at], None, *args[at + 1 :]) is Reason.TYPE
    ragged = [
        ((1, 2), (3,)) if str(param) == "Grid" else arg for param, arg in zip(spec.rules[0].params, args, strict=True)
    ]
    assert reason(spec.name, *ragged) is Reason.TYPE
