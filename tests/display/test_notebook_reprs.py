"""What notebooks show: kept whole by JupyterLab, readable on light and dark pages, nothing fetched, nothing let in."""

from __future__ import annotations

import base64
import io
import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

import arcbatt as ab
from arcbatt.data.taskset import TaskSet
from arcbatt.display.colours import COLOURS, OTHER, colour_of
from arcbatt.display.pictures import grid_image, grid_svg
from report.browser import Browser, find_browser
from strategies import grids

TAGS = {"b", "div", "img", "pre", "table", "td", "th", "tr"}
"""Of those JupyterLab 4 keeps in an output that nobody has run yet, the ones we use; `svg` and `style` it drops."""
STYLES = {
    "background", "background-color", "border-collapse", "display", "font-family", "font-size", "height", "line-height",
    "margin", "margin-bottom", "max-width", "overflow-x", "padding", "text-align", "vertical-align", "white-space",
    "width",
}  # fmt: skip
HOSTILE = "<script>alert(1)</script>"


class Checker(HTMLParser):
    """Reads a fragment and refuses whatever a notebook would drop, fetch or run."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.images: list[str] = []

    def handle_starttag(self, tag, attrs):
        assert tag in TAGS
        given = dict(attrs)
        if tag == "img":
            assert given.keys() == {"width", "height", "alt", "src"}
            head, data = given["src"].split(",")
            assert head == "data:image/svg+xml;base64"
            self.images.append(base64.b64decode(data).decode())
            return
        assert given.keys() <= {"style"}
        styles = dict(one.split(":") for one in given.get("style", "").split(";") if one)
        assert styles.keys() <= STYLES
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def checked(html: str) -> list[ElementTree.Element]:
    """The pictures of a fragment, after it was checked."""
    checker = Checker()
    checker.feed(html)
    assert not checker.open
    pictures = [ElementTree.fromstring(svg) for svg in checker.images]
    for picture in pictures:
        for part in picture.iter():
            assert not {"class", "href", "style"} & part.attrib.keys()
            assert part.tag.rpartition("}")[2] in {"svg", "g", "path", "rect", "text"}
    return pictures


@pytest.fixture(scope="module")
def values():
    tasks = ab.load_tasks("arcagi")[:20]
    library = ab.library()
    programs = library[:30]
    hidden = ab.Task(HOSTILE, tasks[0].train, [(tasks[0].test[0].input, None)])
    near = ab.parse("def solve_near(I):\n    return fill(I, 5, initset(ORIGIN))\n")
    run = ab.run([*programs, *near], [*tasks, hidden])
    batch = ab.Batch([[[1, 2]], [[3, 0]]])
    computed = batch.rot90().size()
    computed.values()
    return {
        "grid": tasks[0].train[0].input,
        "pair": tasks[0].train[0],
        "test": hidden.test[0],
        "task": tasks[0],
        "hostile task": hidden,
        "tasks": tasks,
        "task set": TaskSet.of(tasks),
        "program": programs[0],
        "long program": max(library, key=lambda one: len(one.lines)),
        "constant program": ab.parse("def solve_c(I):\n    return ORIGIN\n")[0],
        "programs": programs,
        "run": run,
        "failures": run.failures("00d62c1b"),
        "near misses": run.failures(),
        "outputs": ab.make_engine("cpu", programs).run(tasks[0].samples),
        "many outputs": ab.make_engine("cpu", library[:401]).run(tasks[0].samples[:1]),
        "batch": batch,
        "chain": batch.rot90().hconcat(batch),
        "computed chain": computed,
        "results": ab.call_many("first", [((1, 2),), ((),), (((1, 2), (3, 4)),)] * 30),
        "solution": ab.solve(tasks[0], families=("whole",), budget=0.5),
        "score": run.score(),
    }


NAMES = [
    "grid", "pair", "test", "task", "hostile task", "tasks", "task set", "program", "long program", "constant program",
    "programs", "run", "failures", "near misses", "outputs", "many outputs", "batch", "chain", "computed chain",
    "results", "solution", "score",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_shows_it(values, name):
    assert values.keys() == set(NAMES)
    checked(values[name]._repr_html_())
    assert HOSTILE not in values[name]._repr_html_()


@pytest.mark.parametrize("name", NAMES)
def test_a_terminal_shows_it_in_a_line(values, name):
    text = repr(values[name])
    assert " at 0x" not in text
    assert "((" not in text or name in ("pair", "test")
    assert len(text) < 250
    assert "\n" not in text


@pytest.mark.parametrize("name", ["grid", "task", "failures"])
@pytest.mark.parametrize("colour", [None, "truecolor"])
def test_rich_shows_it_as_cells(values, name, colour):
    console = Console(width=100, color_system=colour, force_terminal=bool(colour), record=True, file=io.StringIO())
    console.print(values[name])
    lines = console.export_text(styles=bool(colour)).splitlines()
    assert len(lines) > 3
    assert all(len(re.sub("\x1b[^m]*m", "", line)) <= 100 for line in lines)
    assert any("\x1b[" in line for line in lines) == bool(colour)


def drawn(picture: ElementTree.Element) -> tuple[tuple[str, ...], ...]:
    """The colours a browser would fill the cells with: the background, then every run of every path."""
    left, top, width, height = map(float, picture.get("viewBox").split())
    assert (left, top) == (0, -0.5)
    (behind,) = [one for one in picture if one.tag.endswith("rect")]
    cells = [[behind.get("fill")] * int(width) for _ in range(int(height))]
    (group,) = [one for one in picture if one.tag.endswith("}g") and one.get("stroke-width")]
    for path in group:
        for j, i, length in re.findall(r"M(\d+) (\d+)h(\d+)", path.get("d")):
            cells[int(i)][int(j) : int(j) + int(length)] = [path.get("stroke")] * int(length)
    return tuple(map(tuple, cells))


@given(grids(), st.integers(-128, 127))
def test_what_is_drawn_is_the_grid(grid, other):
    odd = ((other, *grid[0][1:]), *grid[1:])
    for one in (grid, odd):
        (picture,) = checked(grid_image(one, 'a "<name>"'))
        assert drawn(picture) == tuple(tuple(colour_of(cell).hex for cell in row) for row in one)


def test_numbers_that_are_no_colours_are_written():
    (picture,) = checked(ab.Grid([[1, -3], [100, 2]])._repr_html_())
    assert [one.text for one in picture.iter() if one.tag.endswith("text")] == ["-3", "100"]
    assert OTHER not in COLOURS


def test_an_empty_grid_is_said_to_be_empty():
    assert grid_image((), "input") == grid_image(((), ()), "input") == "input, empty"


@pytest.mark.skipif(find_browser() is None, reason="there is no Chromium here")
@pytest.mark.parametrize("page", ["#ffffff", "#111111"])
def test_a_browser_draws_the_grid_on_any_page(tmp_path, page):
    grid = ab.Grid([[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]])
    file = tmp_path / "page.html"
    file.write_text(f'<body style="margin:0;background:{page}">{grid_image(grid, "grid", side=100)}</body>')
    pixels = Browser(find_browser(), tmp_path).pixels(file.as_uri(), 400, 400)
    found = [["#" + bytes(pixels[20 * i + 10, 20 * j + 10][:3]).hex() for j in range(5)] for i in range(2)]
    assert found == [[COLOURS[cell].hex for cell in row] for row in grid]


def test_a_picture_alone_is_svg():
    svg = grid_svg(((1, 2),), [(0, 1)])
    assert ElementTree.fromstring(svg).get("width") == "40"
    assert np.array(ab.Grid([[1, 2]])).shape == (1, 2)
