"""Two runs side by side: what changed, task by task and program by program."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, fields

from arcbatt.runs.options import RunOptions, shown_value
from arcbatt.runs.outcomes import Outcome, Standing, outcomes
from arcbatt.runs.record import RunRecord


@dataclass(frozen=True)
class TaskChange:
    """A task that both runs have, and that fares otherwise in the second."""

    before: Outcome
    after: Outcome

    @property
    def task(self) -> str:
        """The task's id."""
        return self.before.task

    @property
    def gained(self) -> tuple[str, ...]:
        """Programs that solve it only in the second run."""
        return tuple(name for name in self.after.solved_by if name not in self.before.solved_by)

    @property
    def lost(self) -> tuple[str, ...]:
        """Programs that solve it only in the first run."""
        return tuple(name for name in self.before.solved_by if name not in self.after.solved_by)


@dataclass(frozen=True)
class ProgramChange:
    """A program that solves other numbers of the common tasks, or whose text is another; None where it is missing."""

    program: str
    before: int | None
    after: int | None
    rewritten: bool = False


@dataclass(frozen=True)
class Comparison:
    """What two runs have in common and where they differ."""

    before: tuple[Outcome, ...]
    after: tuple[Outcome, ...]
    changes: tuple[TaskChange, ...]
    programs: tuple[ProgramChange, ...]
    options: tuple[tuple[str, str, str], ...]
    """Options that differ: the flag, and what it was in each."""

    @property
    def common(self) -> int:
        """Tasks that both runs have."""
        known = {one.task for one in self.before}
        return sum(one.task in known for one in self.after)

    @property
    def gained(self) -> tuple[TaskChange, ...]:
        """Tasks that only the second run solves."""
        return tuple(one for one in self.changes if one.after.standing is Standing.SOLVED is not one.before.standing)

    @property
    def lost(self) -> tuple[TaskChange, ...]:
        """Tasks that only the first run solves."""
        return tuple(one for one in self.changes if one.before.standing is Standing.SOLVED is not one.after.standing)

    @property
    def others(self) -> tuple[TaskChange, ...]:
        """Tasks that changed without being solved or lost: another standing, or other programs that solve it."""
        return tuple(one for one in self.changes if one not in self.gained and one not in self.lost)


def compare_runs(before: RunRecord, after: RunRecord) -> Comparison:
    """What changed from one run to another."""
    old, new = tuple(outcomes(before)), tuple(outcomes(after))
    known = {one.task: one for one in old}
    pairs = [TaskChange(known[one.task], one) for one in new if one.task in known]
    changes = tuple(one for one in pairs if _differ(one))
    return Comparison(old, new, changes, _programs(before, after, pairs), _options(before.options, after.options))


def _differ(pair: TaskChange) -> bool:
    return pair.before.standing is not pair.after.standing or set(pair.before.solved_by) != set(pair.after.solved_by)


def _programs(before: RunRecord, after: RunRecord, pairs: list[TaskChange]) -> tuple[ProgramChange, ...]:
    counts = (
        Counter(name for pair in pairs for name in pair.before.solved_by),
        Counter(name for pair in pairs for name in pair.after.solved_by),
    )
    texts = [{name: str(program) for name, program in record.programs().items()} for record in (before, after)]
    found = []
    for name in dict.fromkeys((*texts[0], *texts[1])):
        solved = [count[name] if name in text else None for count, text in zip(counts, texts, strict=True)]
        rewritten = name in texts[0] and name in texts[1] and texts[0][name] != texts[1][name]
        if solved[0] != solved[1] or rewritten:
            found.append(ProgramChange(name, solved[0], solved[1], rewritten))
    return tuple(found)


def _options(before: RunOptions, after: RunOptions) -> tuple[tuple[str, str, str], ...]:
    values = [(one.name, getattr(before, one.name), getattr(after, one.name)) for one in fields(RunOptions)]
    return tuple((RunOptions.flag(name), shown_value(one), shown_value(two)) for name, one, two in values if one != two)
