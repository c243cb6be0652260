"""What solving gave as one HTML file: for each task its attempts as pictures, their programs, and why they rank so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from html import escape
from typing import Any, Final

from arcbatt.data.tasks import Task
from arcbatt.report.compare import compare
from arcbatt.report.highlight import primitives_of
from arcbatt.report.html import facts_table, folded, page_header, page_html
from arcbatt.report.tasks_html import Anchors, code_html, pair_html, thumbnails
from arcbatt.search.solution import Attempt, Solution
from arcbatt.support.text import counted

_SHOWN: Final = 4
"""Attempts of each test that are drawn: two that count, and the next as near misses."""


class Outcome(StrEnum):
    """What came of a task."""

    FIRST = "solved at the first attempt"
    SECOND = "solved at the second"
    MISSED = "right, but not among the first two"
    WRONG = "programs found, all wrong"
    UNKNOWN = "programs found, outputs unknown"
    NOTHING = "no program found"


_SAYS: Final = {
    Outcome.FIRST: "The first attempt is right for every test input.",
    Outcome.SECOND: "One of the two attempts is right for every test input.",
    Outcome.MISSED: "The right output was found for every test input, but ranked too low.",
    Outcome.WRONG: "The programs are right on the demonstrations and wrong on a test input.",
    Outcome.UNKNOWN: "The expected outputs are not known.",
    Outcome.NOTHING: "No program was right on the demonstrations; the attempts are guesses.",
}


@dataclass(frozen=True)
class Judged:
    """A task, its solution, and what came of it."""

    task: Task
    solution: Solution
    outcome: Outcome


def judge(task: Task, solution: Solution) -> Judged:
    """What came of a task."""
    places = [
        next((place for place, one in enumerate(attempts) if one.grid == wanted), None)
        for attempts, (_, wanted) in zip(solution.attempts, task.test, strict=True)
    ]
    known = all(wanted is not None for _, wanted in task.test)
    reached = [place for place in places if place is not None]
    last = max(reached) if known and len(reached) == len(places) else None
    if last is not None:
        outcome = (Outcome.FIRST, Outcome.SECOND)[last] if last < 2 else Outcome.MISSED
    elif not solution.found:
        outcome = Outcome.NOTHING
    else:
        outcome = Outcome.WRONG if known else Outcome.UNKNOWN
    return Judged(task, solution, outcome)


def solve_html(title: str, options: Mapping[str, Any], judged: Sequence[Judged], limit: int = 1000) -> str:
    """The whole page; of each outcome at most `limit` tasks."""
    anchors = Anchors.of(one.task.id for one in judged)
    by_outcome = {outcome: [one for one in judged if one.outcome is outcome] for outcome in Outcome}
    by_outcome = {outcome: some for outcome, some in by_outcome.items() if some}
    links = [("summary", "Summary", "")]
    links += [(_slug(outcome), outcome.value.capitalize(), f"{len(some):,}") for outcome, some in by_outcome.items()]
    body = [
        page_header(title, counted(len(judged), "task"), links),
        '<main id="main">',
        _summary(options, judged),
        *(_section(outcome, some, limit, anchors) for outcome, some in by_outcome.items()),
        "</main>",
    ]
    return page_html(title, body)


def _slug(outcome: Outcome) -> str:
    return outcome.name.lower()


def _summary(options: Mapping[str, Any], judged: Sequence[Judged]) -> str:
    counts = Counter(one.outcome for one in judged)
    first = Counter(one.solution.attempts[0][0].combiner for one in judged if one.outcome is Outcome.FIRST)
    seconds = sum(one.solution.seconds for one in judged)
    facts = [(outcome.value, f"{counts[outcome]:,}") for outcome in Outcome if counts[outcome]]
    facts.append(("seconds of one core", f"{seconds:,.0f}"))
    tiles = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in facts)
    combiners = tuple((name, f"{count:,}") for name, count in first.most_common())
    return "\n".join(
        [
            '<section id="summary"><h2>Summary</h2>',
            f'<dl class="tiles">{tiles}</dl>',
            folded("What found the first attempts that are right", facts_table(combiners)),
            folded("Options", facts_table(tuple((name, str(value)) for name, value in options.items()))),
            "</section>",
        ]
    )


def _section(outcome: Outcome, judged: Sequence[Judged], limit: int, anchors: Anchors) -> str:
    more = f"<p>{len(judged) - limit:,} more are not shown here.</p>" if len(judged) > limit else ""
    body = "\n".join(_task(one, anchors) for one in judged[:limit])
    return (
        f'<section id="{_slug(outcome)}" class="list"><h2>{outcome.value.capitalize()} '
        f'<span class="count">{len(judged):,}</span></h2>\n<p>{_SAYS[outcome]}</p>\n{body}\n{more}</section>'
    )


def _task(judged: Judged, anchors: Anchors) -> str:
    task, solution = judged.task, judged.solution
    pairs = [pair_html(f"Demonstration {n}", given, wanted) for n, (given, wanted) in enumerate(task.train, 1)]
    programs: dict[str, str] = {}
    for number, ((given, wanted), attempts) in enumerate(zip(task.test, solution.attempts, strict=True), 1):
        title = f"Test {number}" if len(task.test) > 1 else "Test"
        shown = [(_name(place), compare(one.grid, wanted)) for place, one in enumerate(attempts[:_SHOWN], 1)]
        pairs.append(pair_html(title, given, wanted, shown))
        for place, one in enumerate(attempts[:_SHOWN], 1):
            programs.setdefault(f"{title}, {_name(place)}: {why(one)}", one.program)
    text = "".join(
        code_html(name, program) if program else f"<h4>{escape(name)}</h4>" for name, program in programs.items()
    )
    best = solution.attempts[0][0]
    by = f'<span class="by">{escape(best.combiner)}, {solution.seconds:.2f} s</span>'
    return (
        f'<details class="item task" id="{anchors[task.id]}" data-find="{escape(_found_by(judged))}" '
        f'data-id="{escape(task.id)}" data-cells="{_cells_right(judged):.6f}" data-programs="{len(programs)}">'
        f"<summary>{thumbnails([*task.train, *task.test])}"
        f'<h3>{escape(task.id)}</h3>{by}</summary>\n<div class="body"><div class="pairs">{"".join(pairs)}</div>'
        f"{text}</div></details>"
    )


def _found_by(judged: Judged) -> str:
    """The words that the filter looks at: id, outcome, combiners, and the primitives of the programs shown."""
    shown = [one for attempts in judged.solution.attempts for one in attempts[:_SHOWN]]
    words = [judged.task.id, judged.outcome.value]
    words += dict.fromkeys(one.combiner for one in shown)
    words += dict.fromkeys(name for one in shown if one.program for name in primitives_of(one.program))
    return " ".join(words).lower()


def _cells_right(judged: Judged) -> float:
    """The share of cells that the first attempts have right, the mean over the tests."""
    pairs = zip(judged.solution.attempts, judged.task.test, strict=True)
    shares = [compare(attempts[0].grid, wanted).agreement for attempts, (_, wanted) in pairs]
    return sum(shares) / len(shares)


def _name(place: int) -> str:
    return f"attempt {place}" if place <= 2 else f"near miss {place - 2}"


def why(attempt: Attempt) -> str:
    """Why an attempt stands where it does, in words."""
    if not attempt.program:
        return "a guess; no program was found"
    left_out = ", with one demonstration left out" if attempt.left_out else ""
    unlike = f"; unlike all demonstrations in: {attempt.departures}" if attempt.departures else ""
    return (
        f"weight {attempt.weight:.3g} of {attempt.votes:,} votes; the best is by {attempt.combiner}, "
        f"description length {attempt.score:.1f}{left_out}{unlike}"
    )
