"""What came of a run, for people and for programs: `arcbatt run` and `arcbatt runs show` print it."""

from __future__ import annotations

import csv
import io
import json
import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import typer

from arcbatt.cli.terminal import print_lines, table, width
from arcbatt.engine.tiers import DYNAMIC
from arcbatt.errors import UsageError
from arcbatt.language.limits import MAX_STEPS, MAX_TOTAL_STEPS
from arcbatt.runs.outcomes import Outcome, Standing, nearest_first, outcomes
from arcbatt.runs.record import RESULTS, RunRecord
from arcbatt.support.text import counted

_SHOWN_PROGRAMS: Final = 6
SHOWN_TASKS: Final = 20
"""Tasks of a list that are printed without `--all`."""
_SHOWN_ROUTES: Final = 10

_COLUMNS: Final = (
    "task", "standing", "demonstrations", "tests", "solved_by", "demonstrations_only", "nearest",
    "demonstrations_right", "cells_right",
)  # fmt: skip


@dataclass(frozen=True)
class Shape:
    """How to print a run: everything for people unless told otherwise."""

    everything: bool = False
    failed: bool = False
    summary: bool = False
    json: bool = False
    csv: bool = False

    def __post_init__(self) -> None:
        if self.json and self.csv:
            raise UsageError("give --json or --csv, not both")
        if self.summary and (self.everything or self.failed or self.csv):
            raise UsageError("--summary lists no tasks: it does not go with --all, --failed or --csv")

    @property
    def for_people(self) -> bool:
        """Whether it is text, not data."""
        return not (self.json or self.csv)


def print_run(record: RunRecord, shape: Shape) -> None:
    """Print what came of a run."""
    told = Told(record)
    if shape.json:
        typer.echo(json.dumps(told.data(shape), indent=2))
    elif shape.csv:
        typer.echo(told.csv(shape.failed), nl=False)
    else:
        lines = [] if shape.summary else [told.headline, *told.tasks(shape), ""]
        print_lines([*lines, *told.summary()])


class Told:
    """A run's outcomes in words."""

    def __init__(self, record: RunRecord) -> None:
        self.record = record
        self.outcomes = outcomes(record)

    @cached_property
    def solved(self) -> list[Outcome]:
        """The tasks that are solved."""
        return [one for one in self.outcomes if one.standing is Standing.SOLVED]

    @cached_property
    def failed(self) -> list[Outcome]:
        """The tasks that are not solved, those that a program came nearest to first."""
        return nearest_first(one for one in self.outcomes if one.standing is not Standing.SOLVED)

    @property
    def headline(self) -> str:
        """The run in a line."""
        own = sum(one.task in one.solved_by for one in self.solved)
        programs = counted(self.record.info["programs"], "program")
        of = f"{len(self.solved):,} of {counted(len(self.outcomes), 'task')} solved by {programs}"
        return f"{of}, {own:,} by the one named for the task"

    def tasks(self, shape: Shape) -> Iterator[str]:
        """The tasks: first those that are not solved, then those that are."""
        yield from self._near(shape)
        yield from self._wrong(shape)
        yield from self._untouched(shape)
        if self.solved and not shape.failed:
            yield ""
            if not shape.everything:
                yield f"{counted(len(self.solved), 'solved task')}: --all lists them"
                return
            rows = [(one.task, _listed(one.solved_by), _listed(one.demos_only)) for one in self.solved]
            yield from table(("task", "solved by", "on its demonstrations only"), rows)

    def _near(self, shape: Shape) -> Iterator[str]:
        """Tasks with a near miss, the nearest first."""
        found = [one for one in self.failed if one.nearest]
        if not found:
            return
        yield f"\nnot solved: {counted(len(found), 'task')} with a near miss, the nearest first"
        shown = found if shape.everything or shape.failed else found[:SHOWN_TASKS]
        yield from _near_table(shown)
        yield from _more(len(found) - len(shown))

    def _wrong(self, shape: Shape) -> Iterator[str]:
        """Tasks that programs solve on their demonstrations only; those that read S are only counted."""
        reading = self.record.reading_samples
        found = [one for one in self.failed if one.standing is Standing.TESTS_WRONG]
        if found:
            yield f"\nright on every demonstration, but not on every test: {counted(len(found), 'task')}"
            shown = found if shape.everything or shape.failed else found[:SHOWN_TASKS]
            names = ([name for name in one.demos_only if name not in reading] for one in shown)
            yield from table(
                ("task", "programs"), [(one.task, _listed(by)) for one, by in zip(shown, names, strict=True)]
            )
            yield from _more(len(found) - len(shown))
        from_samples = Counter(name for one in self.failed for name in one.demos_only if name in reading)
        if from_samples:
            each = [f"{name} ({counted(count, 'task')})" for name, count in from_samples.most_common()]
            yield "\nright on every demonstration by reading S, which holds them, and not shown right by a test:"
            yield f"  {_listed(each)}"

    def _untouched(self, shape: Shape) -> Iterator[str]:
        """Tasks that there is nothing to say of."""
        for standing, words in ((Standing.OPEN, "nothing came near"), (Standing.WAITING, "not run")):
            found = [one.task for one in self.failed if one.standing is standing and not one.nearest]
            if found:
                shown = found if shape.everything or shape.failed else found[:SHOWN_TASKS]
                yield f"\n{words}: {counted(len(found), 'task')}"
                yield from names_in_lines(shown)
                yield from _more(len(found) - len(shown))

    def summary(self) -> Iterator[str]:
        """The figures of the run, the tasks solved first."""
        record, info = self.record, self.record.info
        yield self.headline
        if hidden := record.store.hidden_tasks():
            yield f"  of {counted(len(hidden), 'task')} a test is hidden: those are judged by their demonstrations"
        demos = sum(bool(one.solved_by or one.demos_only) for one in self.outcomes)
        verb = "has" if demos == 1 else "have"
        only = sum(one.standing is Standing.ONLY_FROM_S for one in self.outcomes)
        reading = f", {only:,} of them only by reading S" if only else ""
        yield f"  {counted(demos, 'task')} {verb} a program that is right on every demonstration{reading}"
        done = sum(batch.evaluations for batch in record.store.batches())
        if record.state != "done":
            samples = sum(map(sum, record.store.task_sizes()))
            yield f"  stopped early: {done:,} of {samples * info['programs']:,} evaluations are done"
        stages: dict[str, float] = info.get("stages", {})
        rate = f", {rate:,.0f} a second" if (rate := record.rate()) else ""
        used = ", then ".join(info.get("backends", {})) or record.environment["backend"]
        yield f"{counted(done, 'evaluation')} in {sum(stages.values()):.1f} s{rate} ({used})"
        yield "time: " + ", ".join(f"{stage} {seconds:.2f} s" for stage, seconds in stages.items())
        yield f"tiers: {_tiers(record, stages)}"
        if record.options.steps != MAX_STEPS:
            yield f"steps of a call: at most {record.options.steps:,}, of {MAX_STEPS:,} that the language allows"
        if (total := record.options.total_steps) != MAX_TOTAL_STEPS:
            yield f"steps of an evaluation: at most {total:,}, of {MAX_TOTAL_STEPS:,} that the language allows"
        yield from _internal(record)
        if rerouted := record.store.rerouted():
            many = counted(rerouted.total(), "evaluation")
            yield f"rerouted: {many} ran on another tier than the one asked for"
            yield from (f"  {count:>9,} {route}" for route, count in rerouted.most_common(_SHOWN_ROUTES))
        if recovered := Counter(info.get("recovered_errors", {})):
            yield "recovered errors:"
            yield from (f"  {count:>9,} {what}" for what, count in recovered.most_common())

    def data(self, shape: Shape) -> dict[str, Any]:
        """The run as plain values."""
        record = self.record
        counts = Counter(one.standing for one in self.outcomes)
        found: dict[str, Any] = {
            "run": str(record.directory) if record.directory else None,
            "state": record.state,
            "dataset": record.info["dataset"],
            "programs": record.info["programs"],
            "tasks": len(self.outcomes),
            "solved": len(self.solved),
            "standings": {standing.value: counts[standing] for standing in Standing},
            "evaluations": sum(batch.evaluations for batch in record.store.batches()),
            "seconds": record.info.get("stages", {}),
            "backends": record.info.get("backends", {}),
            "rerouted": dict(record.store.rerouted()),
        }
        if not shape.summary:
            found["results"] = [_data(one) for one in (self.failed if shape.failed else [*self.failed, *self.solved])]
        return found

    def csv(self, failed: bool) -> str:
        """A line for each task, under a line of names; several programs are parted by spaces."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(_COLUMNS)
        for one in self.failed if failed else [*self.failed, *self.solved]:
            near = one.nearest
            found = (near.program, near.demos_right, f"{near.agreement:.4f}") if near else ("", "", "")
            names = (" ".join(one.solved_by), " ".join(one.demos_only))
            writer.writerow((one.task, one.standing.value, one.size.demos, one.size.tests, *names, *found))
        return out.getvalue()


def _data(one: Outcome) -> dict[str, Any]:
    return {
        "task": one.task,
        "standing": one.standing.value,
        "demonstrations": one.size.demos,
        "tests": one.size.tests,
        "solved_by": list(one.solved_by),
        "demonstrations_only": list(one.demos_only),
        "near": [
            {
                "program": near.program,
                "demonstrations_right": near.demos_right,
                "cells_right": near.agreement,
                "differs": near.scores,
            }
            for near in one.near
        ],
    }


def names_in_lines(names: Sequence[str]) -> list[str]:
    """Names in lines of 80 columns, each of them whole."""
    return textwrap.wrap(" ".join(names), 80, break_long_words=False, break_on_hyphens=False)


def _near_table(found: Sequence[Outcome]) -> list[str]:
    """The nearest programs with what each differ says of them, as far as there is room for that."""
    nearest = [(one, one.nearest) for one in found if one.nearest]
    differs = tuple(dict.fromkeys(name for _, near in nearest for name in near.scores))
    rows = []
    for one, near in nearest:
        scores = ("" if (score := near.scores.get(name)) is None else str(score) for name in differs)
        right = f"{near.demos_right} of {one.size.demos}"
        rows.append((one.task, near.program, f"{100 * near.agreement:.1f}%", right, *scores))
    head = ("task", "nearest", "cells right", "demonstrations", *differs)
    lines = table(head, rows, right=range(2, len(head)))
    if len(lines[0]) <= (width() or len(lines[0])):
        return lines
    return table(head[:4], [row[:4] for row in rows], right=(2, 3))


def _more(left: int) -> Iterator[str]:
    if left > 0:
        yield f"and {left:,} more: --failed lists them"


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN_PROGRAMS} more" if len(names) > _SHOWN_PROGRAMS else ""
    return ", ".join(names[:_SHOWN_PROGRAMS]) + more


def _tiers(record: RunRecord, stages: dict[str, float]) -> str:
    """How many programs ran on which tier, and what share of the time it took."""
    programs = Counter(one.tier for one in record.store.tiers())
    dynamic, typed = stages.get("dynamic", 0.0), stages.get("run", 0.0)
    share = 100 * dynamic / ((dynamic + typed) or 1.0)
    there = programs.pop(DYNAMIC, 0)
    parts = [f"{counted(count, 'program')} on {tier}" for tier, count in programs.items()]
    line = ", ".join(parts) or "no program typed"
    if not there and round(share) == 0:
        return line
    others = " and what the others left open" if programs else ""
    dynamic_part = (
        f"{counted(there, 'program')} on the dynamic tier{others}" if there else "the rest on the dynamic tier"
    )
    return f"{line} ({100 - share:.0f}% of the time), {dynamic_part} ({share:.0f}%)"


def _internal(record: RunRecord) -> Iterator[str]:
    """The programs that arcbatt itself failed over, by the tier that ran them in the end."""
    by_tier: dict[str, list[str]] = {}
    for one in record.internal_errors():
        by_tier.setdefault(one.tier, []).append(one.program)
    where = f"{record.directory / RESULTS}, table tier" if record.directory else "record.internal_errors()"
    for tier, names in by_tier.items():
        many = counted(len(names), "program")
        yield f"{many} ran on the {tier} tier after an internal error: {_listed(names)}; see {where}"
