"""The programs of a run as HTML: how each did, its text, and the tasks it solves or comes near to."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final

from arcbatt.report.highlight import primitives_of, program_html
from arcbatt.report.model import ProgramReport, RunReport
from arcbatt.report.tasks_html import Anchors, linked
from arcbatt.support.text import counted

TASKS: Final = 200
"""Tasks listed of a program, before the rest are only counted."""


def programs_html(report: RunReport, anchors: Anchors, tasks: Anchors) -> str:
    """The section."""
    if not report.programs:
        return ""
    total = len(report.programs) + report.programs_left_out
    more = f"<p>{report.programs_left_out:,} more are not shown here.</p>" if report.programs_left_out else ""
    body = "\n".join(_program(one, anchors, tasks) for one in report.programs)
    return (
        f'<section id="programs" class="list"><h2>Programs <span class="count">{total:,}</span></h2>\n'
        "<p>Those that solve most tasks first, then those that come near to most.</p>"
        '<p class="tools" hidden><label>Sort programs <select id="sort-programs"><option value="">as they are</option>'
        '<option value="id">by name</option><option value="failed">by failures</option>'
        '<option value="lines">by lines</option></select></label></p>\n'
        f"{body}\n{more}</section>"
    )


def _program(one: ProgramReport, anchors: Anchors, tasks: Anchors) -> str:
    found = " ".join([one.program, one.tier, *one.solves, *one.near, *primitives_of(one.text)])
    title, code = f"Program {escape(one.program)}", program_html(one.text)
    said = [f"{one.demos_only:,} right on demonstrations only"] if one.demos_only else []
    said += [counted(one.lines, "line"), f"{100 * one.failing:.0f}% of evaluations failed"]
    said += [f"ran on {escape(one.tier)}"] if one.tier else []
    said += ["reads S"] if one.reads_samples else []
    return (
        f'<details class="item program" id="{anchors[one.program]}" data-find="{escape(found.lower())}" '
        f'data-id="{escape(one.program)}" data-failed="{one.failing:.6f}" data-lines="{one.lines}">'
        f"<summary><h3>{escape(one.program)}</h3>{_badge('solves', one.solves, 'good')}{_badge('near', one.near, '')} "
        f'<span class="by">{", ".join(said)}</span></summary>\n<div class="body">{_listed("Solves", one.solves, tasks)}'
        f"{_listed('Comes near to', one.near, tasks)}"
        f'<h4>{title}</h4><pre tabindex="0" aria-label="{title}"><code>{code}</code></pre></div></details>'
    )


def _badge(name: str, tasks: Sequence[str], look: str) -> str:
    return f' <span class="badge {look if tasks else ""}">{name} {len(tasks):,}</span>'


def _listed(what: str, names: Sequence[str], tasks: Anchors) -> str:
    if not names:
        return ""
    left = len(names) - TASKS
    more = f" and {left:,} more" if left > 0 else ""
    return f"<p>{what}: {', '.join(linked(name, tasks) for name in names[:TASKS])}{more}.</p>"
