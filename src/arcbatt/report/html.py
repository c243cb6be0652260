"""A run as one HTML file: no request to anywhere, readable without script, every text from outside escaped.

The page's own style and script are named by their hashes in its content security policy, so nothing else in it could
run even if an escape were missed.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import Final

from arcbatt.display.colours import COLOURS
from arcbatt.report.against_html import against_html
from arcbatt.report.model import Rows, RunReport, TaskReport, Timing
from arcbatt.report.programs_html import programs_html
from arcbatt.report.tasks_html import Anchors, task_html
from arcbatt.runs.outcomes import Standing
from arcbatt.support.text import plain_text

BATCH_ROWS: Final = 200
"""Batches listed, the slowest, where there are more."""

_TITLES: Final = {
    Standing.SOLVED: "Solved",
    Standing.TESTS_WRONG: "Demonstrations right, tests wrong",
    Standing.NEAR: "Nearly solved",
    Standing.ONLY_FROM_S: "Right only from S",
    Standing.OPEN: "Nothing came near",
    Standing.WAITING: "Not run yet",
}
_SECTIONS: Final = (*(one for one in Standing if one is not Standing.SOLVED), Standing.SOLVED)
"""What needs a look stands first."""
_SAYS: Final = {
    Standing.SOLVED: "A program is right on every demonstration, and on every test whose output is known.",
    Standing.TESTS_WRONG: "A program is right on every demonstration, but none of these on every test.",
    Standing.NEAR: "No program is right on every demonstration, but for such as read the demonstrations S. Shown are "
    "those that came nearest; cells that differ from the expected output have a dot.",
    Standing.ONLY_FROM_S: "Programs that read the demonstrations S are right on all of them, as one is that looks its "
    "answer up there. No test shows more, and no other program came near.",
    Standing.OPEN: "No program was right on a demonstration or had nine cells of ten right.",
    Standing.WAITING: "The run has no result for these tasks.",
}


def report_html(report: RunReport) -> str:
    """The whole page."""
    anchors = Anchors.of(task.task.id for task in report.tasks)
    programs = Anchors.of((one.program for one in report.programs), "program")
    shown = [standing for standing in _SECTIONS if report.count(standing)]
    links = [("summary", "Summary", "")]
    if report.against:
        links.append(("against", "Changed", f"{len(report.against.tasks):,}"))
    links += [(_slug(standing), _TITLES[standing], f"{report.count(standing):,}") for standing in shown]
    if report.programs:
        links.append(("programs", "Programs", f"{len(report.programs) + report.programs_left_out:,}"))
    body = [
        page_header(report.title, report.state, [*links, ("timings", "Timings", "")]),
        '<main id="main">',
        _summary(report, anchors),
        *([against_html(report.against, anchors, programs)] if report.against else []),
        *(_tasks(report, standing, anchors, programs) for standing in shown),
        programs_html(report, programs, anchors),
        _timings(report),
        "</main>",
    ]
    return page_html(report.title, body)


def page_html(title: str, body: Iterable[str]) -> str:
    """A page of these parts, with the style and the script of all reports."""
    style = style_sheet()
    script = _asset("page.js")
    policy = f"default-src 'none'; img-src data:; style-src '{policy_hash(style)}'; script-src '{policy_hash(script)}'"
    page = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">',
        f"<title>{escape(title)}</title>",
        f"<style>{style}</style></head><body>",
        LINES,
        *body,
        f"<script>{script}</script></body></html>",
        "",
    ]
    return plain_text("\n".join(page))


def style_sheet() -> str:
    """How pages of runs look, grids included; these need `LINES` in the page."""
    return _asset("page.css") + colour_rules()


def colour_rules() -> str:
    """The style rules for ARC's colours: backgrounds, strokes, and the ink of digits."""
    return "".join(
        f".b{number}{{background:{colour.hex}}}.c{number}{{stroke:{colour.hex}}}.i{number}{{fill:{colour.ink}}}\n"
        for number, colour in enumerate(COLOURS)
    )


LINES: Final = (
    '<svg width="0" height="0" class="defs" aria-hidden="true"><defs><pattern id="lines" width="1" height="1" y=".5" '
    'patternUnits="userSpaceOnUse"><path d="M0 0H1M0 0V1"/></pattern></defs></svg>'
)


def _asset(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


def policy_hash(text: str) -> str:
    """What a content security policy calls a style or a script."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _slug(standing: Standing) -> str:
    return standing.value.replace(" ", "-").lower()


def page_header(title: str, state: str, links: Iterable[tuple[str, str, str]]) -> str:
    """The head of a page and its links to sections: anchor, title, and a count or nothing."""
    items = "".join(
        f'<li><a href="#{slug}">{name}{f" <b>{count}</b>" if count else ""}</a></li>' for slug, name, count in links
    )
    return (
        '<a class="skip" href="#main">Skip to the report</a>'
        f'<header><h1>{escape(title)}</h1><p class="state">{escape(state)}</p></header>\n'
        f'<nav aria-label="Sections"><ul>{items}</ul>'
        '<div class="tools" hidden><label>Filter <input type="search" id="filter" autocomplete="off" '
        'placeholder="task, program, primitive"></label> <label>Sort tasks <select id="sort">'
        '<option value="">as they are</option><option value="id">by id</option>'
        '<option value="cells">by cells right</option><option value="programs">by programs</option>'
        '</select></label> <label><input type="checkbox" id="digits"> digits</label> '
        '<span id="shown" role="status"></span></div></nav>'
    )


def _summary(report: RunReport, anchors: Anchors) -> str:
    tiles = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in report.facts)
    parts = [
        '<section id="summary"><h2>Summary</h2>',
        _proportions(report),
        f'<dl class="tiles">{tiles}</dl>',
        folded("Tasks shown here" if any(report.left_out.values()) else "Every task", _map(report.tasks, anchors)),
        folded("Options", facts_table(report.options)),
        folded("Environment", facts_table(report.environment)),
        _rerouted(report),
        "</section>",
    ]
    return "\n".join(parts)


def _proportions(report: RunReport) -> str:
    """A bar of the tasks by standing, and its key."""
    counts = [(standing, report.count(standing)) for standing in Standing]
    total = sum(count for _, count in counts)
    if not total:
        return "<p>The run has no tasks.</p>"
    bars, key, x = [], [], 0
    for standing, count in counts:
        if count:
            bars.append(f'<rect class="s-{_slug(standing)}" x="{x}" width="{count}" height="1"/>')
            share = f"{count:,} ({100 * count / total:.1f}%)"
            key.append(f'<li><i class="s-{_slug(standing)}"></i>{_TITLES[standing]}: {share}</li>')
            x += count
    return (
        f'<svg class="bar" viewBox="0 0 {total} 1" preserveAspectRatio="none" aria-hidden="true">{"".join(bars)}</svg>'
        f'<ul class="key">{"".join(key)}</ul>'
    )


def _map(tasks: Iterable[TaskReport], anchors: Anchors) -> str:
    items = "".join(
        f'<li><a class="s-{_slug(one.standing)}" href="#{anchors[one.task.id]}">{escape(one.task.id)}'
        f'<span class="sr">, {one.standing.value}</span></a></li>'
        for one in tasks
    )
    return f'<ul class="map">{items}</ul>'


def _rerouted(report: RunReport) -> str:
    if not report.rerouted:
        return "<p>Rerouted: none; everything ran on the tier that was asked for.</p>"
    total = sum(count for _, count in report.rerouted)
    rows = tuple((route, f"{count:,}") for route, count in report.rerouted)
    return folded(f"Rerouted: {total:,} evaluations ran on another tier than the one asked for", facts_table(rows))


def _tasks(report: RunReport, standing: Standing, anchors: Anchors, programs: Anchors) -> str:
    tasks = report.by_standing[standing]
    left_out = report.left_out.get(standing, 0)
    more = f"<p>{left_out:,} more are not shown here.</p>" if left_out else ""
    body = "\n".join(task_html(task, anchors, programs) for task in tasks)
    return (
        f'<section id="{_slug(standing)}" class="list"><h2>{_TITLES[standing]} '
        f'<span class="count">{report.count(standing):,}</span></h2>\n<p>{_SAYS[standing]}</p>\n'
        f"{body}\n{more}</section>"
    )


def _timings(report: RunReport) -> str:
    parts = ['<section id="timings"><h2>Timings</h2>']
    if report.stages:
        parts += ["<h3>Stages</h3>", _times(report.stages, "stage")]
    if report.batches:
        shown = sorted(report.batches, key=lambda batch: -batch.seconds)[:BATCH_ROWS]
        which = "" if len(shown) == len(report.batches) else f", the slowest {len(shown):,}"
        title = f"{len(report.batches):,} batch{'' if len(report.batches) == 1 else 'es'}{which}"
        parts += ["<h3>Batches</h3>", folded(title, _times(shown, "batch"))]
    if len(parts) == 1:
        parts.append("<p>The run recorded no times.</p>")
    return "\n".join([*parts, "</section>"])


def _times(timings: Sequence[Timing], what: str) -> str:
    longest = max(timing.seconds for timing in timings) or 1.0
    counted = any(timing.evaluations is not None for timing in timings)
    rows = []
    for timing in timings:
        width = 100 * timing.seconds / longest
        cells = f'<th scope="row">{escape(timing.name)}</th><td class="num">{timing.seconds:,.2f}</td>'
        if counted:
            done = timing.evaluations
            rate = "" if done is None or not timing.seconds else f"{done / timing.seconds:,.0f}"
            cells += f'<td class="num">{"" if done is None else f"{done:,}"}</td><td class="num">{rate}</td>'
        bar = f'<svg class="time" viewBox="0 0 100 1" preserveAspectRatio="none"><rect width="{width:.1f}" height="1"/>'
        rows.append(f'<tr>{cells}<td aria-hidden="true">{bar}</svg></td></tr>')
    head = f'<th scope="col">{what}</th><th scope="col" class="num">seconds</th>'
    if counted:
        head += '<th scope="col" class="num">evaluations</th><th scope="col" class="num">a second</th>'
    return f'<div class="scroll"><table><tr>{head}<td aria-hidden="true"></td></tr>{"".join(rows)}</table></div>'


def facts_table(rows: Rows) -> str:
    """Names and what they are, as a table."""
    if not rows:
        return "<p>Nothing recorded.</p>"
    cells = "".join(f'<tr><th scope="row">{escape(name)}</th><td>{escape(value)}</td></tr>' for name, value in rows)
    return f'<div class="scroll"><table>{cells}</table></div>'


def folded(title: str, body: str) -> str:
    """Something that is shown when one asks for it."""
    return f"<details><summary>{escape(title)}</summary>{body}</details>"
