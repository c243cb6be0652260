from __future__ import annotations

import re
from xml.etree import ElementTree

from hypothesis import given

from arcbatt.report.svg import styled_grid_svg, styled_thumbnail_svg
from strategies import grids


def read(svg: str) -> tuple[tuple[int, ...], ...]:
    """The grid a browser would draw: the background class, then every run of every path."""
    root = ElementTree.fromstring(svg)
    left, top, width, height = map(float, root.get("viewBox").split())
    assert (left, top) == (0, -0.5)
    background = int(re.search(r"\bb(\d)\b", root.get("class"))[1])
    cells = [[background] * int(width) for _ in range(int(height))]
    for path in root.iter("path"):
        if path.get("class").startswith("c"):
            runs = re.findall(r"M(\d+) (\d+)h(\d+)", path.get("d"))
            assert "".join(f"M{j} {i}h{length}" for j, i, length in runs) == path.get("d")
            for j, i, length in runs:
                for column in range(int(j), int(j) + int(length)):
                    cells[int(i)][column] = int(path.get("class")[1:])
    return tuple(map(tuple, cells))


@given(grids())
def test_what_is_drawn_is_the_grid(grid):
    assert read(styled_grid_svg(grid, "input")) == grid
    assert read(styled_thumbnail_svg(grid)) == grid


def test_text_alternative_and_marks():
    root = ElementTree.fromstring(styled_grid_svg(((1, 2), (3, 4)), 'got by "<x>"', [(0, 1), (1, 0)]))
    assert root.get("role") == "img"
    assert root.get("aria-label") == 'got by "<x>", 2 x 2: 12 34; 2 marked: (0, 1) (1, 0)'
    assert [path.get("d") for path in root.iter("path") if path.get("class") in ("mo", "mi")] == [
        "M1.5 0h0M0.5 1h0"
    ] * 2


def test_sizes():
    assert 'width="60" height="20"' in styled_grid_svg(((1, 2, 3),), "input")
    assert 'width="180" height="180"' in styled_grid_svg(((0,) * 30,) * 30, "input")
    assert 'width="36" height="12"' in styled_thumbnail_svg(((1, 2, 3),))


def test_one_colour_is_a_few_bytes():
    assert len(styled_grid_svg(((0,) * 30,) * 30, "")) < 30 * 31 + 220
