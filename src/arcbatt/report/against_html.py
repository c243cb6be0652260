"""What changed since an earlier run, as HTML."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from arcbatt.report.model import Against, TaskRow
from arcbatt.report.tasks_html import Anchors, linked
from arcbatt.runs.outcomes import Standing
from arcbatt.support.text import counted


def against_html(against: Against, tasks: Anchors, programs: Anchors) -> str:
    """The section: counts then and now, and the tasks and programs that fare otherwise."""
    facts = _table(("", "then", "now"), ([escape(text) for text in row] for row in against.facts))
    rows = [[linked(name, programs), *map(escape, rest)] for name, *rest in against.programs]
    parts = [
        '<section id="against"><h2>Changed '
        f'<span class="count">{len(against.tasks):,}</span></h2><p>Compared with {escape(against.title)}. '
        "A task that changed shows what programs gave then, too.</p>",
        facts,
        _tasks([row for row in against.tasks if Standing.SOLVED in row], tasks),
        _others([row for row in against.tasks if Standing.SOLVED not in row], tasks),
        f"<h3>Programs</h3>{_table(('program', 'solved then', 'now', ''), rows)}" if rows else "",
        "</section>",
    ]
    return "\n".join(parts)


def _tasks(rows: Sequence[TaskRow], tasks: Anchors) -> str:
    head = ("task", "then", "now", "programs that solve it now (+) or no more (-)")
    cells = [[linked(task, tasks), then.value, now.value, escape(names)] for task, then, now, names in rows]
    return _table(head, cells) if rows else "<p>The same tasks are solved by the same programs.</p>"


def _others(rows: Sequence[TaskRow], tasks: Anchors) -> str:
    """The tasks that were not solved and are not: there may be hundreds, of less interest."""
    if not rows:
        return ""
    cells = [[linked(task, tasks), then.value, now.value] for task, then, now, _ in rows]
    title = f"{counted(len(rows), 'other task')} changed, solved neither then nor now"
    return f"<details><summary>{title}</summary>{_table(('task', 'then', 'now'), cells)}</details>"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    top = "".join(f'<th scope="col">{escape(text)}</th>' if text else "<td></td>" for text in head)
    body = "".join(
        f'<tr><th scope="row">{first}</th>{"".join(f"<td>{text}</td>" for text in rest)}</tr>' for first, *rest in rows
    )
    return f'<div class="scroll"><table><tr>{top}</tr>{body}</table></div>'
