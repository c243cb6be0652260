"""What came near without solving a task, as pictures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from arcbatt.data.tasks import Task
from arcbatt.display.colours import size_text
from arcbatt.display.html import code, figure, group, note, page, table
from arcbatt.display.pictures import grid_image
from arcbatt.language.values import Grid
from arcbatt.report.compare import Got, Verdict, places
from arcbatt.report.model import Attempt
from arcbatt.report.reading import read_attempts
from arcbatt.runs.outcomes import Outcome, Standing, nearest_first, outcomes
from arcbatt.runs.record import RunRecord
from arcbatt.support.text import counted

_LISTED: Final = 10
"""Near misses that a notebook lists."""


@dataclass(frozen=True, repr=False)
class Failures:
    """A task with what the nearest programs gave on each pair; cells that differ are dotted."""

    task: Task
    attempts: tuple[Attempt, ...]
    solved: bool = False
    """Whether the programs shown are right on every demonstration: then nothing failed."""

    @property
    def programs(self) -> list[str]:
        """The programs shown, the nearest first."""
        return [attempt.program for attempt in self.attempts]

    def __repr__(self) -> str:
        return f"<{self._says()}>"

    def _says(self) -> str:
        if not self.attempts:
            return f"{self.task.id}: no program came near"
        best = self.attempts[0]
        if self.solved:
            return f"{self.task.id}: solved by {best.program}"
        gots = best.gots[: len(self.task.train)]
        right = sum(got.verdict is Verdict.MATCH for got in gots)
        cells = f"{100 * sum(got.agreement for got in gots) / len(gots):.1f} % of cells"
        return f"{self.task.id}: nearest is {best.program}, {right} of {len(gots)} demonstrations and {cells} right"

    def _pairs(self) -> list[tuple[str, Grid, Grid | None, list[tuple[str, Got]]]]:
        task = self.task
        names = [f"demonstration {n}" for n in range(1, len(task.train) + 1)]
        names += [f"test {n}" for n in range(1, len(task.test) + 1)]
        return [
            (name, given, wanted, [(one.program, one.gots[number]) for one in self.attempts])
            for number, (name, (given, wanted)) in enumerate(zip(names, (*task.train, *task.test), strict=True))
        ]

    def _repr_html_(self) -> str:
        pairs = [
            f"<div>{group(name, _figures(given, wanted, gots))}</div>" for name, given, wanted, gots in self._pairs()
        ]
        programs = [code(attempt.text) for attempt in self.attempts]
        return page(self._says(), *pairs, *programs)

    def __rich__(self) -> Any:
        from rich.console import Group
        from rich.text import Text

        from arcbatt.display.terminal import Panel, Panels

        parts: list[Any] = [Text(self._says(), "bold")]
        for name, given, wanted, gots in self._pairs():
            parts.append(Text("; ".join([name, *(f"{program}: {got.text}{places(got)}" for program, got in gots)])))
            drawn = [Panel(program, got.grid, got.differing) for program, got in gots if got.grid]
            parts.append(Panels([Panel("input", given), Panel("expected", wanted), *drawn]))
        return Group(*parts)


def _figures(given: Grid, wanted: Grid | None, gots: list[tuple[str, Got]]) -> list[str]:
    pictures = [figure(grid_image(given, "input"), f"input {size_text(given)}")]
    if wanted is not None:
        pictures.append(figure(grid_image(wanted, "expected"), f"expected {size_text(wanted)}"))
    for program, got in gots:
        drawn = grid_image(got.grid, f"got by {program}", got.differing) if got.grid else ""
        pictures.append(figure(drawn, f"{program}: {got.text}"))
    return pictures


@dataclass(frozen=True, repr=False)
class NearMisses:
    """Tasks that no program solves but some come near, most cells right first; `run.failures(id)` shows one."""

    rows: tuple[Outcome, ...]

    def __repr__(self) -> str:
        first = f", nearest is {self.rows[0].task} by {self.rows[0].near[0].program}" if self.rows else ""
        return f"<{self._says()}{first}>"

    def _says(self) -> str:
        return f"{counted(len(self.rows), 'task')} nearly solved"

    def table_html(self) -> str:
        """The nearest as a table."""
        rows = [
            (one.task, near.program, f"{near.demos_right} of {one.size.demos}", f"{100 * near.agreement:.1f} %")
            for one in self.rows[:_LISTED]
            for near in one.near[:1]
        ]
        more = len(self.rows) - _LISTED
        listed = table(rows, ("nearly solved", "by", "demonstrations right", "cells right")) if rows else ""
        return listed + (note(f"and {more:,} more") if more > 0 else "")

    def _repr_html_(self) -> str:
        return page(self._says(), self.table_html())


def failures_of(record: RunRecord, task: Task) -> Failures:
    """What came nearest to a task of a run, however far it is; where a program solves it, that."""
    if names := record.solved_tests().get(task.id) or record.solved().get(task.id):
        return Failures(task, read_attempts(record, task, names), solved=True)
    near = [one.program for one in record.near(task.id)]
    return Failures(task, read_attempts(record, task, near) if near else ())


def near_misses_of(record: RunRecord) -> NearMisses:
    """The open tasks of a run that have near misses."""
    return NearMisses(tuple(nearest_first(one for one in outcomes(record) if one.standing is Standing.NEAR)))
