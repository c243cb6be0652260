"""A submission from the record of a run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from arcbatt.data.tasks import Task
from arcbatt.language.program import reads
from arcbatt.language.values import Grid
from arcbatt.runs.record import RunRecord
from arcbatt.scoring.attempts import Candidate, Pick, Question, choose_attempts
from arcbatt.scoring.submission import Submission
from arcbatt.support.text import counted


@dataclass(frozen=True, repr=False)
class Chosen:
    """The attempts for every task of a challenge, and what was skipped."""

    picks: dict[str, tuple[tuple[Pick, Pick], ...]]
    not_run: tuple[str, ...]
    """tasks of the challenge that the run does not have, or has with other grids"""
    peeking: tuple[str, ...]
    """programs left out because they read the expected output"""

    @property
    def submission(self) -> Submission:
        """The attempts as grids."""
        return {key: tuple((one.grid, two.grid) for one, two in pairs) for key, pairs in self.picks.items()}

    def __repr__(self) -> str:
        sure = sum(all(pair[0].solves for pair in pairs) for pairs in self.picks.values())
        return f"<Chosen: attempts at {counted(len(self.picks), 'task')}, {sure:,} by a program that solves it>"


def choose_from_run(record: RunRecord, tasks: Iterable[Task] | None = None) -> Chosen:
    """Attempts for every task (default: those of the run), by what the run's programs did on demonstrations."""
    recorded = {task.id: Question.of(task) for task in record.each_task()}
    asked = recorded.values() if tasks is None else [Question.of(task) for task in tasks]
    peeking = {name for name, program in record.programs().items() if reads(program, "C")}
    from_samples = {name for name, program in record.programs().items() if reads(program, "S")}
    picks, not_run = {}, []
    for question in asked:
        known = recorded.get(question.id) == question
        if not known:
            not_run.append(question.id)
        picks[question.id] = choose_attempts(
            question, candidates(record, question, peeking, from_samples) if known else []
        )
    return Chosen(picks, tuple(not_run), tuple(sorted(peeking)))


def candidates(record: RunRecord, question: Question, without: set[str], from_samples: set[str]) -> list[Candidate]:
    """The programs whose outputs on a task the run kept: those that solve its demonstrations and near misses."""
    first = len(question.demonstrations)
    outputs: dict[str, list[Grid | None]] = {}
    for attempt in record.attempts(question.id):
        if attempt.sample >= first and attempt.program not in without:
            row = outputs.setdefault(attempt.program, [None] * len(question.inputs))
            row[attempt.sample - first] = _grid(attempt.grid)
    return [
        Candidate(name, lines, demos_right, agreement, tuple(outputs[name]), name in from_samples)
        for name, lines, demos_right, agreement in record.store.standings(question.id)
        if name in outputs
    ]


def _grid(cells: Any) -> Grid | None:
    return None if cells is None else tuple(map(tuple, cells.tolist()))
