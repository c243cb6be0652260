from __future__ import annotations

import io

import pytest
from rich.console import Console

from arcbatt.display.colours import COLOURS
from arcbatt.display.terminal import GAP, Panel, choose_look, flow, grid_lines, print_panels

TEN = (tuple(range(10)),) * 3


def printed(panels, width=80, **options) -> str:
    console = Console(file=io.StringIO(), width=width, **options)
    print_panels(console, panels)
    return console.file.getvalue()


def test_without_colour_grids_are_digits_with_marks():
    text = printed([Panel("input", ((1, 2), (3, 4))), Panel("got", ((5, 6),), marked=((0, 1),))])
    assert text == "input 2 x 2   got 1 x 2\n1 2           5 6*\n3 4\n\n"


def test_no_color_in_the_environment_means_digits(monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    assert "1 2" in printed([Panel("input", ((1, 2),))], force_terminal=True, color_system="truecolor")


def test_every_cell_has_its_colour():
    lines = grid_lines(TEN, [(1, 4)], "wide")
    assert [line.plain for line in lines] == [" " * 20, " " * 8 + "><" + " " * 10, " " * 20]
    for line in lines:
        cells = [span for span in line.spans if span.end - span.start == 2]
        assert [span.style.bgcolor.name for span in cells] == [colour.hex for colour in COLOURS]


def test_half_blocks_hold_two_rows_a_line():
    lines = grid_lines(((1, 2), (3, 4), (5, 6)), [], "half")
    styles = [
        [(span.style.color.name, span.style.bgcolor and span.style.bgcolor.name) for span in x.spans] for x in lines
    ]
    shade = [colour.hex for colour in COLOURS]
    assert styles == [[(shade[1], shade[3]), (shade[2], shade[4])], [(shade[5], None), (shade[6], None)]]


def test_few_colours_are_helped_by_digits():
    text = printed([Panel("input", ((1, 7),))], force_terminal=True, color_system="standard")
    assert "1 " in text
    assert "7 " in text
    assert "\x1b[" in text


BROAD = Panel("input", ((0,) * 20,) * 4)
MARKED = Panel("got", ((0,) * 20,) * 4, marked=((0, 0),))


@pytest.mark.parametrize(
    ("panels", "columns", "looks"),
    [
        ([BROAD, BROAD], 100, ("wide", "digits")),  # side by side
        ([BROAD, BROAD], 80, ("half", "tight")),  # side by side only when narrow
        ([BROAD, MARKED], 80, ("wide", "digits")),  # marks are worth a row each
        ([BROAD, BROAD, BROAD], 50, ("wide", "digits")),  # nothing fits: a row each
        ([BROAD, MARKED], 39, ("half", "tight")),  # one alone is too broad
    ],
)
def test_look(panels, columns, looks):
    assert (choose_look(panels, columns, colour=True), choose_look(panels, columns, colour=False)) == looks


def test_flow_fills_rows_and_never_drops_a_panel():
    assert flow([BROAD] * 5, "wide", 80 + GAP) == [[BROAD, BROAD], [BROAD, BROAD], [BROAD]]
    assert flow([BROAD] * 2, "wide", 10) == [[BROAD], [BROAD]]


@pytest.mark.parametrize("columns", [20, 40, 80, 120, 200])
def test_lines_stay_within_the_console(columns):
    for line in printed([BROAD, BROAD, MARKED], columns).splitlines():
        assert len(line) <= columns
