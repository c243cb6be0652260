"""From a run's record to the model of its report."""

from __future__ import annotations

import datetime
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import fields, replace
from functools import cached_property
from typing import Any, Final

from arcbatt.data.tasks import Task
from arcbatt.language.limits import MAX_STEPS, MAX_TOTAL_STEPS
from arcbatt.report.compare import Got, Verdict, compare
from arcbatt.report.model import Against, Attempt, ProgramReport, Rows, RunReport, TaskReport, Timing
from arcbatt.runs.comparison import Comparison, TaskChange, compare_runs
from arcbatt.runs.options import shown_value
from arcbatt.runs.outcomes import Outcome, Standing, outcomes
from arcbatt.runs.record import RunRecord, task_json

Progress = Callable[[int, int], None]
SHOWN: Final = 3
"""Programs shown for a task: those that gave different outputs, the best first."""
FOUND_BY: Final = 500
"""Programs that a task is found by, at most."""
SIGNED: Final = 6
"""Programs named of a task that fares otherwise than in an earlier run."""


def read_report(
    record: RunRecord, limit: int, before: RunRecord | None = None, progress: Progress | None = None
) -> RunReport:
    """The report of a run, whether it is done or not; of each standing, the first `limit` tasks.

    With an earlier run it says what changed since then. `progress` is told how many tasks are read, and of how many.
    """
    reader = _Reader(record)
    found = outcomes(record)
    comparison = compare_runs(before, record) if before else None
    then = {one.task: one.before for one in comparison.changes} if comparison else {}
    earlier = _Reader(before) if before else None
    tasks: list[TaskReport] = []
    count: Counter[Standing] = Counter()
    for number, (task, outcome) in enumerate(zip(record.each_task(), found, strict=True)):
        if progress:
            progress(number, len(found))
        count[outcome.standing] += 1
        if count[outcome.standing] <= limit:
            one = reader.task(task, outcome)
            if earlier and task.id in then:
                one = replace(
                    one, before=then[task.id].standing, attempts_before=earlier.shown_now(task, then[task.id])
                )
            tasks.append(one)
    batches = _batches(record)
    programs = _programs(record, found)
    return RunReport(
        title=f"arcbatt run on {record.info['dataset']}",
        state=_state(record),
        facts=_facts(record, found, batches),
        options=_options(record),
        environment=tuple((name, shown_value(value)) for name, value in record.environment.items()),
        tasks=tuple(tasks),
        rerouted=tuple(record.store.rerouted().most_common()),
        stages=tuple(Timing(name, seconds) for name, seconds in record.info.get("stages", {}).items() if seconds),
        batches=batches,
        left_out={standing: number - limit for standing, number in count.items() if number > limit},
        programs=programs[:limit],
        programs_left_out=max(len(programs) - limit, 0),
        against=_against(before, comparison) if before and comparison else None,
    )


class _Reader:
    """What has to be asked of a record once for all tasks."""

    def __init__(self, record: RunRecord) -> None:
        self.record = record
        self.length = record.store.program_lines()

    @cached_property
    def grids(self) -> dict[str, str]:
        """The tasks as text."""
        return {one.id: one.data for one in self.record.store.task_texts()}

    def shown_now(self, task: Task, outcome: Outcome) -> tuple[Attempt, ...]:
        """The attempts of an earlier run at a task, if it is the same task still."""
        return self.task(task, outcome).attempts if self.grids[task.id] == task_json(task) else ()

    def task(self, task: Task, outcome: Outcome) -> TaskReport:
        from_samples = self.record.reading_samples
        if outcome.standing in (Standing.NEAR, Standing.OPEN):
            ranked = [one.program for one in outcome.near if one.is_near]
            solvers, seen = 0, outcome.demos_only
        else:
            right = set(outcome.solved_by)
            names = [*outcome.solved_by, *outcome.demos_only]
            key = lambda name: (name not in right, name in from_samples, self.length[name], name)  # noqa: E731
            ranked, solvers = sorted(names, key=key), len(names)
            seen = () if right else tuple(name for name in outcome.demos_only if name in from_samples)
        near = tuple(one.program for one in outcome.near if one.is_near)
        known = tuple(dict.fromkeys((*ranked, *near, *seen)))[:FOUND_BY]
        attempts = self.attempts(task, ranked) if ranked else ()
        return TaskReport(task, outcome.standing, attempts, solvers, seen, known)

    def attempts(self, task: Task, names: list[str]) -> tuple[Attempt, ...]:
        """What the programs gave, those that gave the same in one attempt, the first few."""
        grids: dict[str, list[Any]] = {name: [None] * len(task.samples) for name in names}
        for one in self.record.attempts(task.id):
            if one.program in grids and one.grid is not None:
                grids[one.program][one.sample] = tuple(map(tuple, one.grid.tolist()))
        alike: dict[tuple[Any, ...], list[str]] = {}
        for name in names:
            alike.setdefault(tuple(grids[name]), []).append(name)
        programs = self.record.programs()
        return tuple(
            Attempt(first, str(programs[first]), self._gots(task, first, outputs), tuple(others))
            for outputs, (first, *others) in list(alike.items())[:SHOWN]
        )

    def _gots(self, task: Task, program: str, outputs: tuple[Any, ...]) -> tuple[Got, ...]:
        failed, reason = self.record.store.failures(program, task.id)
        if not failed:
            none = Got(Verdict.NO_GRID, "gave no grid")
        elif failed == outputs.count(None):
            none = Got(Verdict.FAILED, f"failed: {reason}")
        else:
            none = Got(Verdict.NO_GRID, f"failed or gave no grid; the first failure: {reason}")
        expected = [wanted for _, wanted in (*task.train, *task.test)]
        return tuple(
            none if output is None else compare(output, wanted)
            for output, wanted in zip(outputs, expected, strict=True)
        )


def _state(record: RunRecord) -> str:
    started, ended = record.info.get("started"), record.info.get("ended")
    when = f"started {_time(started)}" + (f", ended {_time(ended)}" if ended else "")
    says = {"done": "Done", "stopped": "Stopped before its end; what was done is here"}
    return f"{says.get(record.state, 'Still running, or killed; what was done is here')} ({when})."


def _time(text: str | None) -> str:
    """A time of the record as people write it."""
    return "at a time not recorded" if text is None else text.replace("T", " ").replace("+00:00", " UTC")


def _programs(record: RunRecord, found: list[Outcome]) -> tuple[ProgramReport, ...]:
    """Every program, those that solve most first, then those that come near most often."""
    solves: defaultdict[str, list[str]] = defaultdict(list)
    near: defaultdict[str, list[str]] = defaultdict(list)
    for outcome in found:
        for name in outcome.solved_by:
            solves[name].append(outcome.task)
        for one in outcome.near:
            if one.is_near:
                near[one.program].append(outcome.task)
    tiers = {one.program: one.tier for one in record.store.tiers()}
    texts = record.programs()
    programs = [
        ProgramReport(
            program=one.program,
            text=str(texts[one.program]),
            lines=one.lines,
            solves=tuple(solves[one.program]),
            demos_only=one.demos_right - len(solves[one.program]),
            near=tuple(near[one.program]),
            evaluations=one.evaluations,
            failed=one.failed,
            tier=tiers.get(one.program, ""),
            reads_samples=one.program in record.reading_samples,
        )
        for one in record.store.program_counts()
    ]
    return tuple(sorted(programs, key=lambda one: (-len(one.solves), -len(one.near), one.program)))


def _against(before: RunRecord, found: Comparison) -> Against:
    facts = [("tasks", f"{len(found.before):,}", f"{len(found.after):,}")]
    then, now = (Counter(one.standing for one in these) for these in (found.before, found.after))
    facts += [(one.value, f"{then[one]:,}", f"{now[one]:,}") for one in Standing if then[one] or now[one]]
    facts += found.options
    tasks = [
        (one.task, one.before.standing, one.after.standing, _signed(one))
        for one in (*found.lost, *found.gained, *found.others)
    ]
    programs = [
        (one.program, _solved(one.before), _solved(one.after), "rewritten" if one.rewritten else "")
        for one in found.programs
    ]
    title = f"the run on {before.info['dataset']} started {_time(before.info.get('started'))}"
    return Against(title, tuple(facts), tuple(tasks), tuple(programs))


def _solved(count: int | None) -> str:
    return "not in it" if count is None else f"{count:,}"


def _signed(one: TaskChange) -> str:
    names = [*(f"+{name}" for name in one.gained), *(f"-{name}" for name in one.lost)]
    more = f" and {len(names) - SIGNED:,} more" if len(names) > SIGNED else ""
    return " ".join(names[:SIGNED]) + more


def _facts(record: RunRecord, found: list[Outcome], batches: tuple[Timing, ...]) -> Rows:
    solved = sum(one.standing is Standing.SOLVED for one in found)
    facts = [
        ("tasks solved", f"{solved:,} of {len(found):,}"),
        ("demonstrations right", f"{len(record.solved()):,}"),
        ("programs", f"{record.info['programs']:,}"),
        ("evaluations", f"{sum(batch.evaluations or 0 for batch in batches):,}"),
    ]
    if rate := record.rate():
        facts.append(("evaluations a second", f"{rate:,.0f}"))
    if len(tiers := _tiers(record)) > 1:
        facts += [(f"programs on {tier}", f"{count:,}") for tier, count in tiers.items()]
    if internal := record.internal_errors():
        facts.append(("internal errors", ", ".join(one.program for one in internal)))
    if record.options.steps != MAX_STEPS:
        facts.append(("steps of a call at most", f"{record.options.steps:,}"))
    if record.options.total_steps != MAX_TOTAL_STEPS:
        facts.append(("steps of an evaluation at most", f"{record.options.total_steps:,}"))
    started, ended = record.info.get("started"), record.info.get("ended")
    if started and ended:
        wall = datetime.datetime.fromisoformat(ended) - datetime.datetime.fromisoformat(started)
        facts.append(("from start to end", f"{wall.total_seconds():,.0f} s"))
    return tuple(facts)


def _tiers(record: RunRecord) -> Counter[str]:
    """How many programs ran on which tier; their shares of the time are among the stages."""
    return Counter(one.tier for one in record.store.tiers())


def _options(record: RunRecord) -> Rows:
    options = record.options
    return tuple((options.flag(one.name), shown_value(getattr(options, one.name))) for one in fields(options))


def _batches(record: RunRecord) -> tuple[Timing, ...]:
    return tuple(
        Timing(f"tasks {_span(task, tasks)}, programs {_span(program, programs)}", seconds, evaluations)
        for task, tasks, program, programs, seconds, evaluations in record.store.batches()
    )


def _span(first: int, count: int) -> str:
    return f"{first + 1:,} to {first + count:,}"


def read_attempts(record: RunRecord, task: Task, names: list[str]) -> tuple[Attempt, ...]:
    """What some programs gave on every pair of a task, those that gave the same in one attempt, the first few."""
    return _Reader(record).attempts(task, names)
