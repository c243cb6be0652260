"""The report in a real browser."""

from __future__ import annotations

import html
import re

import numpy as np
import pytest

from arcbatt.display.colours import COLOURS
from arcbatt.report.html import report_html
from arcbatt.report.svg import LARGEST_CELL
from report.browser import Browser, find_browser, without_policy
from report.models import COLOURS as TEN
from report.models import WITH_PROGRAMS, report

BROWSER = find_browser()
pytestmark = pytest.mark.skipif(BROWSER is None, reason="no browser: install Debian's chromium to run these tests")

PAGE = report_html(report())
OPENED = PAGE.replace('<details class="item task"', '<details open class="item task"')


@pytest.fixture(scope="module")
def browser(tmp_path_factory) -> Browser:
    return Browser(BROWSER, tmp_path_factory.mktemp("browser"))


@pytest.fixture
def address(tmp_path):
    def write(page: str, place: str = "", name: str = "report.html") -> str:
        (tmp_path / name).write_text(page, encoding="utf-8")
        return (tmp_path / name).as_uri() + place

    return write


@pytest.fixture(scope="module")
def picture(browser, tmp_path_factory):
    file = tmp_path_factory.mktemp("page") / "report.html"
    file.write_text(OPENED, encoding="utf-8")
    return browser.pixels(file.as_uri(), 1200, 2600)


def rgb(colour: str) -> tuple[int, ...]:
    return tuple(int(colour[at : at + 2], 16) for at in (1, 3, 5))


def test_the_console_is_silent_and_a_noisy_one_is_heard(browser, address):
    page, console = browser.dom(address(PAGE))
    assert console == []
    assert '<div class="tools">' in page  # the script ran: it shows the filter
    _, console = browser.dom(address(PAGE.replace("<main", '<img src="https://127.0.0.1/x.png"><main')))
    assert len(console) == 1
    assert "Content Security Policy" in console[0]


def test_only_the_page_s_own_script_runs(browser, address):
    page, console = browser.dom(address(PAGE.replace("</body>", "<script>document.title = 'mine'</script></body>")))
    assert "<title>arcbatt run on arcagi</title>" in page
    assert any("Content Security Policy" in line for line in console)


def test_cells_have_their_colours_and_sizes(picture):
    """The grid of all ten colours, found by its cyan cell at (1, 3): there is no other cyan on the page."""
    rows, columns = np.nonzero((picture == rgb(COLOURS[8].hex)).all(axis=2))
    for places in (rows, columns):
        assert LARGEST_CELL - 3 <= np.unique(places).size <= LARGEST_CELL  # the rest is the line between cells
    middle, centre = (rows.min() + rows.max()) // 2, (columns.min() + columns.max()) // 2
    for i, row in enumerate(TEN):
        for j, cell in enumerate(row):
            y, x = middle + (i - 1) * LARGEST_CELL, centre + (j - 3) * LARGEST_CELL
            assert tuple(picture[y, x]) == rgb(COLOURS[cell].hex), (i, j)


def test_differing_cells_have_a_dot(picture):
    """Brown is in that grid of ten colours and, further up, in the one cell that differs."""
    rows, columns = np.nonzero((picture == rgb(COLOURS[9].hex)).all(axis=2))
    first = rows < rows.min() + LARGEST_CELL
    y, x = (rows[first].min() + rows[first].max() + 1) // 2, (columns[first].min() + columns[first].max() + 1) // 2
    assert tuple(picture[y, x]) == (255, 255, 255)
    assert max(picture[y, x + 5]) < 100  # the dark ring
    assert tuple(picture[y, x + 8]) == rgb(COLOURS[9].hex)
    assert tuple(picture[y, x - LARGEST_CELL]) == rgb(COLOURS[6].hex)  # its neighbour is right and has none


def test_light_and_dark(browser, address):
    light = browser.pixels(address(PAGE), 600, 400)
    dark = browser.pixels(address(PAGE), 600, 400, dark=True)
    assert light[2, 2].min() > 240
    assert dark[2, 2].max() < 40


def test_a_link_to_a_task_opens_it(browser, address):
    page, _ = browser.dom(address(PAGE, "#task-aaaa0002"))
    assert re.findall(r'<details class="item task" id="([^"]+)"[^>]* open=""', page) == ["task-aaaa0002"]


def test_filter_and_digits(browser, address):
    act = """
        document.getElementById("filter").value = "failed: EMPTY";
        document.getElementById("filter").dispatchEvent(new Event("input"));
        document.getElementById("task-aaaa0002").open = true;
        document.getElementById("digits").click();
    """
    page, console = browser.dom(address(without_policy(PAGE, act)))
    assert console == []
    assert '<span id="shown" role="status">1 of 3 tasks</span>' in page
    hidden = re.findall(r'<details class="item task" id="([^"]+)"[^>]* hidden=""', page)
    assert hidden == ["task-aaaa0003", "task-aaaa0001"]
    label = html.escape("got by p0, 2 x 2: 66 69; 1 marked: (1, 1)")
    svg = re.search(f'aria-label="{re.escape(label)}".*?</svg>', page, re.DOTALL)[0]
    assert re.findall(r'<text class="i(\d)" x="([\d.]+)" y="(\d)">(\d)</text>', svg) == [
        ("6", "0.5", "0", "6"),
        ("6", "1.5", "0", "6"),
        ("6", "0.5", "1", "6"),
        ("9", "1.5", "1", "9"),
    ]


@pytest.mark.parametrize("width", [320, 390, 800])
def test_nothing_is_wider_than_the_screen(browser, address, width):
    tell = "parent.postMessage(document.documentElement.scrollWidth, '*')"
    inner = address(without_policy(OPENED, tell), name="inner.html")
    outer = f'<iframe width="{width}" height="800" src="{inner}"></iframe><p></p><script>addEventListener("message",'
    outer += ' (event) => { document.querySelector("p").textContent = `wide ${event.data}`; })</script>'
    page, _ = browser.dom(address(outer, name="outer.html"))
    assert re.findall(r"wide (\d+)", page)[0] == str(width)


def items(page: str, kind: str) -> list[str]:
    """The tasks or programs that are shown, in the order they stand in."""
    tags = re.findall(f'<details class="item {kind}" id="([^"]+)"([^>]*)>', page)
    return [name for name, rest in tags if 'hidden=""' not in rest]


def acting(*lines: str) -> str:
    return without_policy(report_html(WITH_PROGRAMS), ";\n".join(lines))


def choose(select: str, value: str) -> str:
    return (
        f'{{const s = document.getElementById("{select}"); s.value = "{value}"; s.dispatchEvent(new Event("change"))}}'
    )


def typed(text: str) -> str:
    return f'{{const f = document.getElementById("filter"); f.value = "{text}"; f.dispatchEvent(new Event("input"))}}'


@pytest.mark.parametrize(
    ("key", "near"),
    [
        ("", ["task-cccc0001", "task-aaaa0002", "task-bbbb0003"]),
        ("id", ["task-aaaa0002", "task-bbbb0003", "task-cccc0001"]),
        ("cells", ["task-cccc0001", "task-aaaa0002", "task-bbbb0003"]),
    ],
)
def test_tasks_are_sorted_within_their_sections(browser, address, key, near):
    page, console = browser.dom(address(acting(choose("sort", "id"), choose("sort", key))))
    assert console == []
    assert items(page, "task") == [*near, "task-aaaa0001"]


@pytest.mark.parametrize(
    ("key", "names"),
    [
        ("", ["p1", "p0", "p2"]),
        ("id", ["p0", "p1", "p2"]),
        ("failed", ["p0", "p2", "p1"]),
        ("lines", ["p2", "p1", "p0"]),
    ],
)
def test_programs_are_sorted(browser, address, key, names):
    page, _ = browser.dom(address(acting(choose("sort-programs", key))))
    assert items(page, "program") == [f"program-{name}" for name in names]


@pytest.mark.parametrize(
    ("words", "tasks", "programs"),
    [
        ("aaaa0002", ["task-aaaa0002"], []),  # an id
        ("P0 nearly", ["task-cccc0001", "task-aaaa0002", "task-bbbb0003"], []),  # a program and a standing
        ("vmirror", [], ["program-p2"]),  # a primitive that only a program has
        ("match nearly", ["task-cccc0001"], []),  # a verdict and a standing
        ("demonstration", [], []),  # a word of the page itself
        ("thirteenth", ["task-aaaa0001"], []),  # a program that gave the same, too far down to be listed
    ],
)
def test_the_filter_finds_what_its_docs_say_and_counts_it(browser, address, words, tasks, programs):
    page, _ = browser.dom(address(acting(typed(words))))
    assert (items(page, "task"), items(page, "program")) == (tasks, programs)
    assert f">{len(tasks)} of 4 tasks, {len(programs)} of 3 programs</span>" in page
    near = [name for name in tasks if name != "task-aaaa0001"]
    for place in (r'<section id="nearly-solved".*?<span class="count"[^>]*>', r'<a href="#nearly-solved">.*?<b>'):
        assert re.search(f"{place}{len(near)} of 3<", page, re.DOTALL)


def test_a_link_to_a_program_opens_it(browser, address):
    page, _ = browser.dom(address(report_html(WITH_PROGRAMS), "#program-p2"))
    assert re.findall(r'<details class="item program" id="([^"]+)"[^>]* open=""', page) == ["program-p2"]
