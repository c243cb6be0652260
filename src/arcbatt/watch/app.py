"""The web application: the page, the part of it that changes, and the metrics. It only ever answers GET."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route

from arcbatt.errors import ArcbattError
from arcbatt.report.html import policy_hash
from arcbatt.watch.access import Access, Guard
from arcbatt.watch.gpus import GpuWatch
from arcbatt.watch.metrics import CONTENT_TYPE, metrics_text
from arcbatt.watch.model import Listed, RunView, SearchView
from arcbatt.watch.page import Shown, page_html, part_html, script, style
from arcbatt.watch.reading import Reader

MEASURED: Final = 20
"""Runs and searches that metrics are about: so many of the newest, those that go on first."""


def make_app(
    folder: Path, access: Access, gpus: GpuWatch | None = None, clock: Callable[[], float] = time.time
) -> Starlette:
    """The application for the runs and searches of a folder."""
    pages = _Pages(Reader(folder, clock), gpus or GpuWatch(), clock)
    routes = [
        Route("/", pages.page),
        Route("/run/{key}", pages.page),
        Route("/metrics", pages.metrics),
    ]
    guard = Middleware(Guard, access=access, policy=_policy())
    return Starlette(routes=routes, middleware=[guard])


def _policy() -> str:
    """Nothing may run or be loaded but the page's own style and script, and nothing but the server be asked."""
    return (
        f"default-src 'none'; style-src '{policy_hash(style())}'; script-src '{policy_hash(script())}'; "
        "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


class _Pages:
    """The answers. Each opens the records it reads and closes them again, so that no run ever waits for it."""

    def __init__(self, reader: Reader, gpus: GpuWatch, clock: Callable[[], float]) -> None:
        self.reader = reader
        self.gpus = gpus
        self.clock = clock

    def page(self, request: Request) -> Response:
        listed = self.reader.listed()
        key = request.path_params.get("key")
        chosen = next((one for one in listed if key is None or one.place.key == key), None)
        if key is not None and chosen is None:
            return PlainTextResponse("There is no such run here; it may have been deleted.", 404)
        shown = self._shown(listed, chosen, "all" in request.query_params)
        if "part" not in request.query_params:
            return HTMLResponse(page_html(shown))
        text = part_html(shown)
        tag = f'"{hashlib.sha256(text.encode()).hexdigest()[:32]}"'
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers={"ETag": tag})
        return HTMLResponse(text, headers={"ETag": tag})

    def metrics(self, request: Request) -> Response:
        listed = self.reader.listed()
        views: list[RunView | SearchView] = []
        for one in listed[:MEASURED]:
            try:
                views.append(self.reader.view(one))
            except ArcbattError:  # a run that has just begun, or a damaged one, which is counted by its state
                continue
        return Response(metrics_text(listed, views, self.gpus.now()), headers={"Content-Type": CONTENT_TYPE})

    def _shown(self, listed: list[Listed], chosen: Listed | None, whole_list: bool) -> Shown:
        view, problem = None, ""
        if chosen is not None:
            try:
                view = self.reader.view(chosen)
            except ArcbattError as error:
                problem = str(error)
        folder = str(self.reader.folder)
        return Shown(folder, listed, chosen, view, self.gpus.now(), self.clock(), whole_list, problem)
