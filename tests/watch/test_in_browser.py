"""The page in a real browser."""

from __future__ import annotations

import re
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
import uvicorn

from arcbatt.watch.access import Access
from arcbatt.watch.app import make_app
from arcbatt.watch.gpus import GpuWatch
from report.browser import Browser, find_browser, without_policy
from watch.records import make_run, make_search, set_state
from watch.test_app import HOSTILE, client

BROWSER = find_browser()
pytestmark = pytest.mark.skipif(BROWSER is None, reason="no browser: install Debian's chromium to run these tests")


@pytest.fixture(scope="module")
def browser(tmp_path_factory) -> Browser:
    return Browser(BROWSER, tmp_path_factory.mktemp("browser"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    make_run(folder / "first")
    make_search(folder / "search")
    make_run(folder / HOSTILE.replace("/", "_"))
    set_state(folder / "first", state="running", ended=None, started="2100-01-01T00:00:00+00:00")
    return folder


def busier() -> GpuWatch:
    """A GPU that is busier by one in a hundred whenever it is asked for."""
    times, shares = iter(range(0, 10**6, 10)), iter(range(1, 101))
    return GpuWatch(lambda: f"0, A GPU, 1024, 2048, {next(shares)}\n", lambda: float(next(times)))


@contextmanager
def served(folder: Path):
    app = make_app(folder, Access("127.0.0.1"), busier())
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning", lifespan="off"))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            time.sleep(0.01)
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


def test_it_follows_and_the_console_is_silent(browser, folder):
    with served(folder) as address:
        page, console = browser.dom(f"{address}/run/first")
    assert console == []
    busy = int(re.search(r'aria-label="busy: (\d+)%"', page)[1])
    assert busy > 1  # the page was asked for once; what is shown came later
    assert '<p id="trouble" role="status" hidden' in page
    assert "spark" in page


def test_hostile_names_do_nothing(browser, folder):
    with served(folder) as address:
        page, console = browser.dom(f"{address}/?all=1")
        assert console == []
        key = re.search(r'href="/run/(-[^"?]*)', page)[1]
        page, console = browser.dom(f"{address}/run/{key}")
    assert console == []
    assert page.count("<script") == 1


def test_it_says_so_when_nobody_answers(browser, folder, tmp_path):
    (tmp_path / "page.html").write_text(client(folder).get("/").text)
    page, _ = browser.dom((tmp_path / "page.html").as_uri())
    assert '<p id="trouble" role="status">' in page


def test_light_and_dark(browser, folder):
    with served(folder) as address:
        light = browser.pixels(address, 900, 500)
        dark = browser.pixels(address, 900, 500, dark=True)
    assert light[2, 2].min() > 240
    assert dark[2, 2].max() < 40


@pytest.mark.parametrize("width", [320, 390, 800, 1280])
@pytest.mark.parametrize("place", ["first", "search"])
def test_nothing_is_wider_than_the_screen(browser, folder, tmp_path, place, width):
    tell = "parent.postMessage(document.documentElement.scrollWidth, '*')"
    inner = without_policy(client(folder).get(f"/run/{place}?all=1").text, tell)
    (tmp_path / "inner.html").write_text(inner)
    outer = f'<iframe width="{width}" height="800" src="inner.html"></iframe><p></p><script>addEventListener("message",'
    outer += ' (event) => { document.querySelector("p").textContent = `wide ${event.data}`; })</script>'
    (tmp_path / "outer.html").write_text(outer)
    page, _ = browser.dom((tmp_path / "outer.html").as_uri())
    assert re.findall(r"wide (\d+)", page)[0] == str(width)
