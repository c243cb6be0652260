"""One task of a report as HTML: folded, its grids side by side, its programs as text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from arcbatt.language.values import Grid
from arcbatt.report.compare import Got, Verdict
from arcbatt.report.highlight import primitives_of, program_html
from arcbatt.report.model import Attempt, Score, TaskReport
from arcbatt.report.svg import styled_grid_svg, styled_thumbnail_svg

ALIKE: Final = 12
"""Programs named that gave the very same, before the rest are only counted."""


@dataclass(frozen=True)
class Anchors:
    """Names of places on the page for tasks or programs, legal and different whatever the ids are."""

    by_id: dict[str, str]

    @classmethod
    def of(cls, ids: Iterable[str], kind: str = "task") -> Anchors:
        """Anchors for tasks, or another kind of thing; an id of letters and digits keeps its name."""
        taken: dict[str, str] = {}
        used: set[str] = set()
        for task_id in ids:
            plain = base = f"{kind}-" + re.sub(r"[^A-Za-z0-9_-]", "_", task_id)
            number = 2
            while plain in used:
                plain, number = f"{base}-{number}", number + 1
            used.add(plain)
            taken[task_id] = plain
        return cls(taken)

    def __getitem__(self, task_id: str) -> str:
        return self.by_id[task_id]


def linked(name: str, anchors: Anchors) -> str:
    """A name, as a link where it has a place on the page."""
    place = anchors.by_id.get(name)
    return f'<a href="#{place}">{escape(name)}</a>' if place else escape(name)


def task_html(report: TaskReport, anchors: Anchors, programs: Anchors) -> str:
    """The task as a folded element, its summary naming it and what came of it."""
    task = report.task
    pairs = [*task.train, *task.test]
    titles = [f"Demonstration {n}" for n in range(1, len(task.train) + 1)]
    titles += [f"Test {n}" if len(task.test) > 1 else "Test" for n in range(1, len(task.test) + 1)]
    drawn = "".join(
        pair_html(title, given, wanted, _gots(report, n))
        for n, (title, (given, wanted)) in enumerate(zip(titles, pairs, strict=True))
    )
    texts = "".join(_program(attempt, programs) for attempt in report.attempts)
    return (
        f'<details class="item task" id="{anchors[task.id]}" data-find="{escape(_found_by(report))}" '
        f'data-id="{escape(task.id)}" data-cells="{report.agreement:.6f}" data-programs="{report.solvers}">'
        f"<summary>{thumbnails(pairs)}<h3>{escape(task.id)}</h3>{_badges(report)}</summary>\n"
        f'<div class="body"><div class="pairs">{drawn}</div>{texts}{_from_samples(report)}</div></details>'
    )


def _gots(report: TaskReport, number: int) -> list[tuple[str, Got]]:
    """What programs gave on a pair, with their names; then what they gave in an earlier run."""
    now = [(attempt.program, attempt.gots[number]) for attempt in report.attempts]
    return now + [(f"then: {attempt.program}", attempt.gots[number]) for attempt in report.attempts_before]


def _found_by(report: TaskReport) -> str:
    """The words that the filter looks at: id, standing, verdicts, programs, and the primitives of those shown."""
    shown = (*report.attempts, *report.attempts_before)
    words = [report.task.id, report.standing.value]
    words += [f"changed, then {report.before.value}"] if report.before else []
    words += dict.fromkeys(got.text for attempt in shown for got in attempt.gots)
    words += dict.fromkeys((*(attempt.program for attempt in shown), *report.programs))
    words += dict.fromkeys(name for attempt in shown for name in primitives_of(attempt.text))
    return " ".join(words).lower()


def _from_samples(report: TaskReport) -> str:
    if not report.from_samples:
        return ""
    names = ", ".join(map(escape, report.from_samples[:ALIKE]))
    left = len(report.from_samples) - ALIKE
    return f"<p>Right on every demonstration by reading S: {names}{f' and {left:,} more' if left > 0 else ''}.</p>"


def thumbnails(pairs: Sequence[tuple[Grid, Grid | None]]) -> str:
    """The first pair, small."""
    if not pairs:
        return ""
    given, wanted = pairs[0]
    return f'<span class="thumbs">{styled_thumbnail_svg(given)}{styled_thumbnail_svg(wanted) if wanted else ""}</span>'


def _badges(report: TaskReport) -> str:
    before = f' <span class="badge">then {report.before.value}</span>' if report.before else ""
    if not report.attempts:
        return before
    others = report.solvers - 1
    first = escape(report.attempts[0].program)
    if report.solvers:
        by = f"by {first}" + (f" and {others:,} other{'' if others == 1 else 's'}" if others else "")
    else:
        by = f"nearest {first}, {100 * report.agreement:.1f}% of cells"
    scores = _badge("demonstrations", report.demonstrations) + _badge("tests", report.tests)
    return f'{scores}{before} <span class="by">{by}</span>'


def _badge(name: str, score: Score) -> str:
    look = "" if not score.known else " good" if score.right == score.pairs else " poor"
    return f' <span class="badge{look}">{name} {score}</span>'


def pair_html(title: str, given: Grid, wanted: Grid | None, gots: Sequence[tuple[str, Got]] = ()) -> str:
    """An input, what is expected, and what programs gave, under their names."""
    figures = [_figure(styled_grid_svg(given, "input"), "input")]
    figures.append(
        _figure(styled_grid_svg(wanted, "expected"), "expected") if wanted else _figure("", "expected: hidden")
    )
    figures += [_got(program, got) for program, got in gots]
    return f'<div><h4>{title}</h4><div class="pair">{"".join(figures)}</div></div>'


def _got(program: str, got: Got) -> str:
    drawn = styled_grid_svg(got.grid, f"got by {program}", got.differing) if got.grid else ""
    look = {Verdict.MATCH: "good", Verdict.HIDDEN: ""}.get(got.verdict, "poor")
    return _figure(drawn, f'<b>{escape(program)}</b> <span class="{look}">{escape(got.text)}</span>')


def _figure(drawn: str, caption: str) -> str:
    return f"<figure>{drawn}<figcaption>{caption}</figcaption></figure>"


def _program(attempt: Attempt, programs: Anchors) -> str:
    alike = ""
    if attempt.alike:
        names = ", ".join(map(escape, attempt.alike[:ALIKE]))
        left = len(attempt.alike) - ALIKE
        alike = f"<p>The same on every pair: {names}{f' and {left:,} more' if left > 0 else ''}.</p>"
    return _code(f"Program {linked(attempt.program, programs)}", f"Program {attempt.program}", attempt.text) + alike


def code_html(title: str, text: str) -> str:
    """A program under a title."""
    return _code(escape(title), title, text)


def _code(head: str, title: str, text: str) -> str:
    label = escape(title)
    return f'<h4>{head}</h4><pre tabindex="0" aria-label="{label}"><code>{program_html(text)}</code></pre>'
