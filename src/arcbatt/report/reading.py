"""From a run's record to the model of its report."""

from __future__ import annotations

import datetime
from collections import Counter
from dataclasses import fields
from typing import Any, Final

from arcbatt.data.tasks import Task
from arcbatt.language.limits import MAX_STEPS, MAX_TOTAL_STEPS
from arcbatt.report.compare import Got, Verdict, compare
from arcbatt.report.model import Attempt, Rows, RunReport, Standing, TaskReport, Timing
from arcbatt.runs.record import RunRecord

SHOWN: Final = 3
"""Programs shown for a task: those that gave different outputs, the best first."""


def read_report(record: RunRecord, limit: int) -> RunReport:
    """The report of a run, whether it is done or not; of each standing, the first `limit` tasks."""
    reader = _Reader(record)
    tasks: list[TaskReport] = []
    count: Counter[Standing] = Counter()
    for task in record.each_task():
        standing = reader.standing(task)
        count[standing] += 1
        if count[standing] <= limit:
            tasks.append(reader.task(task, standing))
    batches = _batches(record)
    return RunReport(
        title=f"arcbatt run on {record.info['dataset']}",
        state=_state(record),
        facts=_facts(record, reader, sum(count.values()), batches),
        options=_options(record),
        environment=tuple((name, _shown(value)) for name, value in record.environment.items()),
        tasks=tuple(tasks),
        rerouted=tuple(record.store.rerouted().most_common()),
        stages=tuple(Timing(name, seconds) for name, seconds in record.info.get("stages", {}).items() if seconds),
        batches=batches,
        left_out={standing: number - limit for standing, number in count.items() if number > limit},
    )


class _Reader:
    """What has to be asked of a record once for all tasks."""

    def __init__(self, record: RunRecord) -> None:
        self.record = record
        self.solved = record.solved()
        self.solved_tests = record.solved_tests()
        self.run = record.store.tasks_run()
        self.length = record.store.program_lines()

    def standing(self, task: Task) -> Standing:
        if task.id in self.solved:
            hidden = any(wanted is None for _, wanted in task.test)
            return Standing.SOLVED if hidden or task.id in self.solved_tests else Standing.TESTS_WRONG
        if task.id not in self.run:
            return Standing.WAITING
        return Standing.NEAR if self.near(task) else Standing.OPEN

    def near(self, task: Task) -> list[str]:
        return [one.program for one in self.record.near(task.id) if one.is_near]

    def task(self, task: Task, standing: Standing) -> TaskReport:
        names = self.solved.get(task.id, [])
        if names:
            best = set(self.solved_tests.get(task.id, []))
            ranked = sorted(names, key=lambda name: (name not in best, self.length[name], name))
        else:
            ranked = self.near(task) if standing is Standing.NEAR else []
        return TaskReport(task, standing, self.attempts(task, ranked) if ranked else (), len(names))

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


def _facts(record: RunRecord, reader: _Reader, tasks: int, batches: tuple[Timing, ...]) -> Rows:
    evaluations = sum(batch.evaluations or 0 for batch in batches)
    seconds = sum(batch.seconds for batch in batches)
    facts = [
        ("tasks", f"{tasks:,}"),
        ("programs", f"{len(reader.length):,}"),
        ("solved, demonstrations", f"{len(reader.solved):,}"),
        ("solved, tests too", f"{len(reader.solved_tests):,}"),
        ("evaluations", f"{evaluations:,}"),
        ("seconds in batches", f"{seconds:,.1f}"),
        ("evaluations a second", f"{evaluations / seconds:,.0f}" if seconds else "none"),
    ]
    facts += [(f"programs on {tier}", f"{count:,}") for tier, count in _tiers(record).items()]
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
    return tuple((options.flag(one.name), _shown(getattr(options, one.name))) for one in fields(options))


def _batches(record: RunRecord) -> tuple[Timing, ...]:
    return tuple(
        Timing(f"tasks {_span(task, tasks)}, programs {_span(program, programs)}", seconds, evaluations)
        for task, tasks, program, programs, seconds, evaluations in record.store.batches()
    )


def _span(first: int, count: int) -> str:
    return f"{first + 1:,} to {first + count:,}"


def _shown(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value)) or "not given"
    return "not given" if value is None else str(value)


def read_attempts(record: RunRecord, task: Task, names: list[str]) -> tuple[Attempt, ...]:
    """What some programs gave on every pair of a task, those that gave the same in one attempt, the first few."""
    return _Reader(record).attempts(task, names)
