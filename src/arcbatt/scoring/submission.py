"""Kaggle's submission file: for every task and test input two attempts.

{"007bbfb7": [{"attempt_1": [[0, 7], ...], "attempt_2": [[7, 0], ...]}], ...}
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from arcbatt.data.grids import shown, to_grid
from arcbatt.data.sources import JsonObject, read_json
from arcbatt.errors import DataError
from arcbatt.language.values import Grid
from arcbatt.support.files import atomic_output

ATTEMPTS: Final = ("attempt_1", "attempt_2")
"""The keys of the two attempts."""

Submission = dict[str, tuple[tuple[Grid, Grid], ...]]
"""Task id to the two attempts at each test input."""

_SHOWN_PROBLEMS: Final = 10


def check_submission(
    data: Any, tests: Mapping[str, int], where: str = "submission", *, partial: bool = False
) -> Submission:
    """A submission from JSON values; `tests` is how many test inputs each task of the challenge has.

    With `partial` tasks may be missing. Raises DataError with every problem (the first ten in words), each with its
    task and place.
    """
    if not isinstance(data, Mapping):
        raise DataError(f"{where}: a submission is an object of attempts by task id, got {shown(data)}")
    problems = [f"task {key}: given twice" for key in (data.repeated if isinstance(data, JsonObject) else ())]
    problems += [f"task {key}: missing" for key in tests if key not in data and not partial]
    checked: Submission = {}
    for key, value in data.items():
        if key not in tests:
            problems.append(f"task {key}: not in the challenge")
            continue
        checked[key] = tuple(_attempts(value, tests[key], f"task {key}", problems))
    if problems:
        more = len(problems) - _SHOWN_PROBLEMS
        lines = problems[:_SHOWN_PROBLEMS] + ([f"and {more:,} more"] if more > 0 else [])
        raise DataError(f"{where}: not a valid submission:\n  " + "\n  ".join(lines))
    return checked


def read_submission(path: Path, tests: Mapping[str, int], *, partial: bool = False) -> Submission:
    """A submission file, checked."""
    return check_submission(read_json(path, pipe=True), tests, str(path), partial=partial)


def to_json(submission: Submission) -> dict[str, Any]:
    """A submission as JSON values."""
    return {key: [dict(zip(ATTEMPTS, pair, strict=True)) for pair in pairs] for key, pairs in submission.items()}


def write_submission(path: Path, submission: Submission, tests: Mapping[str, int]) -> None:
    """Write a submission that passes the check; the file appears whole or not at all."""
    text = json.dumps(to_json(submission), separators=(",", ":"))
    check_submission(json.loads(text), tests, str(path))
    with atomic_output(path) as file:
        file.write(text)


def _attempts(value: Any, count: int, where: str, problems: list[str]) -> list[tuple[Grid, Grid]]:
    """The attempts at a task; what is wrong is added to the problems."""
    if not isinstance(value, (list, tuple)):
        problems.append(f"{where}: a list of attempts is expected, one entry a test input, got {shown(value)}")
        return []
    if len(value) != count:
        problems.append(f"{where}: {count} test inputs, got attempts for {len(value)}")
    pairs = []
    for number, entry in enumerate(value):
        pair = _pair(entry, f"{where}: test {number}", problems)
        if len(pair) == len(ATTEMPTS):
            pairs.append((pair[0], pair[1]))
    return pairs


def _pair(entry: Any, where: str, problems: list[str]) -> list[Grid]:
    if not isinstance(entry, Mapping):
        problems.append(f"{where}: an object with {' and '.join(ATTEMPTS)} is expected, got {shown(entry)}")
        return []
    repeated = entry.repeated if isinstance(entry, JsonObject) else ()
    problems += [f"{where}: {key}: given twice" for key in repeated]
    problems += [f"{where}: unknown key {key!r}" for key in entry if key not in ATTEMPTS]
    pair = []
    for key in ATTEMPTS:
        if key not in entry:
            problems.append(f"{where}: {key}: missing")
            continue
        try:
            pair.append(to_grid(entry[key], f"{where}: {key}"))
        except DataError as error:
            problems.append(str(error))
    return pair
