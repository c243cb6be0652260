"""What changed since an earlier run, as HTML."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from arcbatt.report.model import Against
from arcbatt.report.tasks_html import Anchors, linked


def against_html(against: Against, tasks: Anchors, programs: Anchors) -> str:
    """The section: counts then and now, and the tasks and programs that fare otherwise."""
    facts = _table(("", "then", "now"), ([escape(text) for text in row] for row in against.facts))
    changed = [[linked(task, tasks), then.value, now.value, escape(names)] for task, then, now, names in against.tasks]
    rows = [[linked(name, programs), *map(escape, rest)] for name, *rest in against.programs]
    parts = [
        '<section id="against"><h2>Changed '
        f'<span class="count">{len(against.tasks):,}</span></h2><p>Compared with {escape(against.title)}. '
        "A task that changed shows what programs gave then, too.</p>",
        facts,
        _table(("task", "then", "now", "programs that solve it now (+) or no more (-)"), changed) if changed else "",
        f"<h3>Programs</h3>{_table(('program', 'solved then', 'now', ''), rows)}" if rows else "",
        "</section>",
    ]
    return "\n".join(parts)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    top = "".join(f'<th scope="col">{escape(text)}</th>' if text else "<td></td>" for text in head)
    body = "".join(
        f'<tr><th scope="row">{first}</th>{"".join(f"<td>{text}</td>" for text in rest)}</tr>' for first, *rest in rows
    )
    return f'<div class="scroll"><table><tr>{top}</tr>{body}</table></div>'
