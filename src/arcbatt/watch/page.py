"""The page: one run or search in full, and the list of all. Every text from records is escaped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from arcbatt.report.html import LINES, style_sheet
from arcbatt.report.svg import styled_grid_svg
from arcbatt.support.text import plain_text
from arcbatt.watch.charts import area_chart, bars, meter, spark, step_chart
from arcbatt.watch.model import Gpu, Listed, Node, Picture, RunView, SearchView, State
from arcbatt.watch.words import duration, gigabytes, markup, moment, plural, short, small_time

LISTED: Final = 40
"""Runs in the list where not all of them are asked for."""
_LIVE_SECONDS: Final = 2
_IDLE_SECONDS: Final = 10
"""How long the page waits before it asks again, for a run that goes on and for one that does not."""
_REASONS: Final = 12
_NODES: Final = 24
"""Nodes that are shown one by one."""

_SAYS: Final = {
    State.RUNNING: "",
    State.SILENT: "The record says that this run is going on, but nothing was heard of it for {ago}: it may have been "
    "killed. What was done is here, and the run can be resumed.",
    State.DONE: "",
    State.STOPPED: "Stopped before its end; what was done is here, and the run can be resumed.",
    State.QUIET: "Nothing was heard of this search for {ago}: it is done or was stopped, or still compiles.",
}


@dataclass(frozen=True)
class Shown:
    """What a page is made of. `problem` says why there is no view of the one that is chosen."""

    folder: str
    listed: Sequence[Listed]
    chosen: Listed | None
    view: RunView | SearchView | None
    gpus: Sequence[Gpu]
    now: float
    whole_list: bool = False
    problem: str = ""


@cache
def style() -> str:
    """The style of the page, the same for as long as the server runs: its policy names it."""
    return style_sheet() + _asset("page.css")


@cache
def script() -> str:
    """The script of the page: it asks for the changing part now and then."""
    return _asset("page.js")


def page_html(shown: Shown) -> str:
    """The whole page."""
    title = f"{shown.chosen.place.title} - arcbatt watch" if shown.chosen else "arcbatt watch"
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">',
            f"<title>{markup(title)}</title><style>{style()}</style></head><body>",
            LINES,
            '<a class="skip" href="#main">Skip to the run</a>',
            '<p id="trouble" role="status" hidden>arcbatt watch does not answer; trying again.</p>',
            f'<div id="part">{part_html(shown)}</div>',
            f"<script>{script()}</script></body></html>",
            "",
        ]
    )


def part_html(shown: Shown) -> str:
    """The part of the page that changes."""
    live = any(one.is_live for one in shown.listed)
    seconds = _LIVE_SECONDS if live else _IDLE_SECONDS
    to_runs = (
        f'<p class="to-runs"><a href="#runs">{plural(len(shown.listed), "run")} below</a></p>' if shown.listed else ""
    )
    return plain_text(
        f'<div class="frame" data-seconds="{seconds}"><main id="main">{to_runs}{_chosen(shown)}'
        f"{_gpus(shown.gpus)}</main>{_list(shown)}</div>"
    )


def _chosen(shown: Shown) -> str:
    chosen = shown.chosen
    if chosen is None:
        return (
            "<h1>No runs yet</h1><p>Runs and searches in "
            f"<code>{markup(shown.folder)}</code> are shown here as soon as there are any: "
            "<code>arcbatt run</code>, <code>arcbatt solve</code>.</p>"
        )
    view = shown.view
    if view is None:
        return f"<h1>{markup(chosen.place.title)}</h1>{_badge(chosen)}<p>{markup(shown.problem or chosen.problem)}</p>"
    return _run(view, shown.now) if isinstance(view, RunView) else _search(view, shown.now)


def _heading(view: RunView | SearchView, what: str, now: float) -> str:
    listed = view.listed
    says = _SAYS.get(listed.state, "").format(ago=duration(max(0.0, now - view.heard)))
    calm = " calm" if listed.state in (State.QUIET, State.STOPPED) else ""
    note = f'<p class="note{calm}">{says}</p>' if says else ""
    return (
        f"<header><h1>{markup(listed.place.title)}</h1>{_badge(listed)}"
        f'<p class="state">{what} on {markup(listed.dataset)}, started {moment(listed.started)}</p></header>{note}'
    )


def _badge(listed: Listed) -> str:
    return f' <span class="badge w-{listed.state}">{listed.state}</span>'


def _run(view: RunView, now: float) -> str:
    share = view.done / view.total if view.total else 0.0
    left = view.left_seconds
    ahead = f", about {duration(left)} left" if left is not None else ""
    progress = (
        f'<div class="progress">{meter(share, f"{100 * share:.0f}% done")}<p>{100 * share:.1f}% of '
        f"{plural(view.total, 'evaluation')}{ahead}</p></div>"
    )
    demos, tests = view.solved
    tiles = _tiles(
        [
            ("tasks solved", f"{tests.last:,.0f}", f"of {view.tasks:,}"),
            ("demos right", f"{demos.last:,.0f}", "whatever the tests"),
            ("programs", f"{view.programs:,}", ""),
            ("evaluations", short(view.done), f"of {short(view.total)}"),
            ("evaluations/s", short(view.rate or 0), "now" if view.listed.is_live else "at the end"),
            ("time", duration(view.seconds), "since the start" if view.listed.is_live else ""),
        ]
    )
    charts = step_chart("Tasks solved", (demos, tests), view.seconds, unit=" tasks")
    if view.rates:
        charts += area_chart("Evaluations a second", view.rates, view.seconds, unit=" evaluations")
    return (
        f'{_heading(view, "run", now)}{progress}{tiles}<div class="charts">{charts}</div>'
        f'<div class="columns">{_nodes(view.nodes)}{_tiers(view)}{_failures(view)}{_slowest(view)}</div>{_near(view)}'
    )


def _tiles(rows: Sequence[tuple[str, str, str]]) -> str:
    cells = "".join(f"<div><dt>{name}</dt><dd>{value}<small>{more}</small></dd></div>" for name, value, more in rows)
    return f'<dl class="tiles">{cells}</dl>'


def _section(title: str, body: str, name: str = "") -> str:
    return f'<section class="box {name}"><h2>{title}</h2>{body}</section>'


def _nodes(nodes: Sequence[Node]) -> str:
    """Nodes of a cluster; of many, those that did the most and the rest together."""
    if not nodes:
        return ""
    rest = nodes[_NODES:]
    shown = [*nodes[:_NODES]]
    if rest:
        shown.append(Node(f"{len(rest):,} more", sum(one.done for one in rest), sum(one.rate for one in rest)))
    rows = [(one.name, one.done, f"{short(one.done)}, {short(one.rate)}/s") for one in shown]
    total = f"{plural(len(nodes), 'node')}, {short(sum(one.rate for one in nodes))}/s together over the last seconds."
    return _section("Nodes", f"{bars(rows)}<p>{total}</p>")


def _tiers(view: RunView) -> str:
    total = sum(view.ran_on.values()) or 1
    rows = [(name, count, f"{count:,} ({100 * count / total:.1f}%)") for name, count in view.ran_on.items()]
    body = bars(rows) if rows else "<p>Nothing yet.</p>"
    if view.rerouted:
        items = "".join(
            f"<li>{count:,}: {markup(route)}</li>" for route, count in list(view.rerouted.items())[:_REASONS]
        )
        summary = f"{sum(view.rerouted.values()):,} on another tier than asked for"
        body += f'<details id="rerouted"><summary>{summary}</summary><ul>{items}</ul></details>'
    return _section("Device and tier", body)


def _failures(view: RunView) -> str:
    if not view.failures:
        return _section("Failures by reason", "<p>None so far.</p>")
    total = sum(view.failures.values())
    rows = [
        (reason, count, f"{count:,} ({100 * count / max(view.done, 1):.1f}%)")
        for reason, count in list(view.failures.items())[:_REASONS]
    ]
    return _section("Failures by reason", f"{bars(rows)}<p>{total:,} of {view.done:,} evaluations failed.</p>")


def _slowest(view: RunView) -> str:
    if not view.slowest:
        return _section("Slowest programs", "<p>No program was timed in this run.</p>")
    rows = [
        (f"{one.program}{f', {one.tier}' if one.tier == 'dynamic' else ''}", one.seconds, small_time(one.seconds))
        for one in view.slowest
    ]
    samples = max(one.evaluations for one in view.slowest)
    note = f"An evaluation, on one core, over {plural(samples, 'sample')}; <code>arcbatt profile</code> measures more."
    return _section("Slowest programs", f"{bars(rows)}<p>{note}</p>")


def _near(view: RunView) -> str:
    if not view.near:
        return ""
    note = "Unsolved tasks that a program comes nearest to; cells that differ have a dot."
    return _section("Near misses", f"<p>{note}</p>{_pictures(view.near)}", "wide")


def _search(view: SearchView, now: float) -> str:
    tried, found = view.solved
    seconds = max(tried.points[-1][0], 1e-9)
    budget = "not known" if view.budget is None else f"{view.budget:g} s"
    tiles = _tiles(
        [
            ("tasks tried", f"{view.done:,}", ""),
            ("with a program", f"{view.found:,}", f"{100 * view.found / max(view.done, 1):.0f}% of them"),
            ("budget of a task", budget, "of one core"),
            ("time of cores", duration(view.core_seconds), ""),
            ("a task", small_time(view.core_seconds / view.done) if view.done else "-", "on average"),
        ]
    )
    if not view.done:
        return f"{_heading(view, 'search', now)}{tiles}<p>No task is done yet.</p>"
    title = "Programs found" if view.by_clock else "Programs found, by seconds of cores"
    slowest = bars([(one.task, one.seconds, small_time(one.seconds)) for one in view.slowest])
    combiners = bars([(name, count, f"{count:,}") for name, count in view.combiners.items()])
    columns = f"{_nodes(view.nodes)}{_section('What found them', combiners)}{_section('Slowest tasks', slowest)}"
    return (
        f"{_heading(view, 'search', now)}{tiles}"
        f'<div class="charts">{step_chart(title, (tried, found), seconds, unit=" tasks")}</div>'
        f'<div class="columns">{columns}</div>' + _section("Latest attempts", _pictures(view.latest), "wide")
    )


def _pictures(pictures: Sequence[Picture]) -> str:
    single = "" if any(one.given for one in pictures) else " single"
    return f'<div class="pictures{single}">{"".join(map(_picture, pictures))}</div>'


def _picture(one: Picture) -> str:
    figures = []
    if one.given is not None:
        figures.append(_grid(styled_grid_svg(one.given, "input"), "input"))
    if one.expected is not None:
        figures.append(_grid(styled_grid_svg(one.expected, "expected"), "expected"))
    drawn = styled_grid_svg(one.got.grid, f"got {one.title}", one.got.differing) if one.got.grid else ""
    figures.append(_grid(drawn, markup(one.got.text)))
    return (
        f'<article><h3>{markup(one.task)}</h3><p class="by">{markup(one.title)}, {markup(one.note)}</p>'
        f'<div class="pair">{"".join(figures)}</div></article>'
    )


def _grid(drawn: str, caption: str) -> str:
    return f"<figure>{drawn}<figcaption>{caption}</figcaption></figure>"


def _gpus(gpus: Sequence[Gpu]) -> str:
    if not gpus:
        return ""
    return _section("GPUs of this machine", f'<div class="gpus">{"".join(map(_gpu, gpus))}</div>', "wide")


def _gpu(one: Gpu) -> str:
    rows = []
    if one.used is not None and one.total:
        text = f"{gigabytes(one.used)} of {gigabytes(one.total)}"
        rows.append(f"<dt>memory</dt><dd>{meter(one.used / one.total, f'memory: {text}')}<span>{text}</span></dd>")
    if one.busy is not None:
        text = f"{100 * one.busy:.0f}%"
        rows.append(f"<dt>busy</dt><dd>{meter(one.busy, f'busy: {text}')}<span>{text}</span></dd>")
    return f"<article><h3>{one.number}: {markup(one.name)}</h3><dl>{''.join(rows)}</dl>{spark(one.history)}</article>"


def _list(shown: Shown) -> str:
    if not shown.listed:
        return ""
    rows = shown.listed if shown.whole_list else shown.listed[:LISTED]
    items = "".join(_item(one, shown) for one in rows)
    left = len(shown.listed) - len(rows)
    query = "?all=1"
    more = f'<p><a href="{query}">{left:,} more</a></p>' if left else ""
    count = len(shown.listed)
    return (
        f'<nav class="runs" id="runs" aria-label="Runs"><h2>Runs <span class="count">{count:,}</span></h2>'
        f'<p class="by">{markup(shown.folder)}</p><ul>{items}</ul>{more}</nav>'
    )


def _item(one: Listed, shown: Shown) -> str:
    here = ' aria-current="page"' if shown.chosen and one.place.key == shown.chosen.place.key else ""
    facts = [one.place.kind, one.dataset]
    if one.programs is not None:
        facts.append(plural(one.programs, "program"))
    when = f"<time>{moment(one.started)}</time>" if one.started is not None else ""
    query = "?all=1" if shown.whole_list else ""
    return (
        f'<li><a href="/run/{one.place.key}{query}"{here}><b>{markup(one.place.name)}</b>{_badge(one)}'
        f"<span>{markup(', '.join(fact for fact in facts if fact))} {when}</span></a></li>"
    )


def _asset(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")
