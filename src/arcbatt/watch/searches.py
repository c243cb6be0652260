"""Searches: what was found for tasks so far, read line by line as it is written."""

from __future__ import annotations

import datetime
import json
from collections import Counter, OrderedDict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

from arcbatt.errors import ArcbattError, DataError
from arcbatt.report.compare import Got, Verdict
from arcbatt.search.record import OPTIONS, SOLUTIONS
from arcbatt.search.solution import Solution
from arcbatt.support.files import check_file, read_file
from arcbatt.support.shapes import is_of
from arcbatt.watch.curves import nodes_of
from arcbatt.watch.model import Line, Listed, Picture, SearchView, Slow, State
from arcbatt.watch.places import Place
from arcbatt.watch.sane import MOST_SECONDS, check_seconds

SLOWEST: Final = 10
PICTURES: Final = 6
_READERS: Final = 64
"""Searches whose lines are remembered."""


class _Done(NamedTuple):
    """What is remembered of a task."""

    task: str
    found: bool
    seconds: float
    at: float | None
    combiner: str
    node: str


@dataclass
class _Followed:
    """A file of solutions, read up to `end`."""

    end: int = 0
    done: dict[str, _Done] = field(default_factory=dict)
    latest: list[Solution] = field(default_factory=list)

    def read_on(self, path: Path) -> None:
        """Read the lines that have been added; all of them if the file is another. A last line cut off can wait."""
        try:
            check_file(path)
            size = path.stat().st_size
            if size < self.end:
                self.end, self.done, self.latest = 0, {}, []
            with path.open("rb") as file:
                file.seek(self.end)
                text = file.read()
        except FileNotFoundError:
            return
        except OSError as error:
            raise DataError(f"{path}: cannot be read: {error}") from error
        whole = text[: text.rfind(b"\n") + 1]
        for line in whole.splitlines():
            self._add(line, path)
        self.end += len(whole)

    def _add(self, line: bytes, path: Path) -> None:
        try:
            data = json.loads(line)
            solution = Solution.from_json(data)
            at, node = data.get("at"), data.get("node", "")
            if not all(map(is_of, (solution.id, solution.seconds, at, node), (str, float, float | None, str))):
                raise DataError("a task, its seconds, its time or its node is of another type")
            for seconds in (solution.seconds, at):
                check_seconds(path, seconds)
            first = solution.attempts[0][0] if solution.attempts and solution.attempts[0] else None
            found = all(test and test[0].program for test in solution.attempts)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError, ArcbattError) as error:
            raise DataError(f"{path}: a line that is no solution: {error}") from error
        combiner = str(first.combiner) if first else "nothing"
        self.done[solution.id] = _Done(solution.id, bool(found), solution.seconds, at, combiner, node)
        self.latest = [*self.latest, solution][-PICTURES:]


class SearchReader:
    """What is known of searches."""

    def __init__(self) -> None:
        self._known: OrderedDict[Path, _Followed] = OrderedDict()

    def listed(self, place: Place, state: State) -> Listed:
        """A search in the list of all."""
        try:
            options = _options(place.path)
        except ArcbattError as error:
            return Listed(place, State.DAMAGED, problem=str(error))
        known = {"done": State.DONE, "stopped": State.STOPPED}
        return Listed(
            place,
            known.get(str(options.get("state")), state),
            dataset=str(options.get("dataset", "")),
            started=_started(options) or (place.path / OPTIONS).stat().st_mtime,
        )

    def view(self, path: Path, listed: Listed) -> SearchView:
        """A search in full; raises ArcbattError."""
        followed = self._known.pop(path, None) or _Followed()
        followed.read_on(path / SOLUTIONS)
        self._known[path] = followed
        while len(self._known) > _READERS:
            self._known.popitem(last=False)
        done = list(followed.done.values())
        by_clock = all(one.at is not None for one in done)
        combiners = Counter(one.combiner for one in done if one.found)
        slowest = sorted(done, key=lambda one: -one.seconds)[:SLOWEST]
        heard = max((one.at for one in done if one.at is not None), default=listed.started or 0.0)
        return SearchView(
            listed=listed,
            heard=heard,
            done=len(done),
            found=sum(one.found for one in done),
            budget=_budget(path),
            core_seconds=sum(one.seconds for one in done),
            by_clock=by_clock,
            solved=_lines(done, listed.started or 0.0, by_clock),
            combiners=dict(combiners.most_common()),
            slowest=tuple(Slow(one.task, one.seconds) for one in slowest),
            latest=tuple(_picture(one) for one in reversed(followed.latest)),
            nodes=nodes_of([(one.at - (listed.started or 0.0), one.node, 1) for one in done if one.at is not None]),
        )


def _options(path: Path) -> dict[str, Any]:
    """What `solve.json` says; raises DataError."""
    place = path / OPTIONS
    try:
        data = json.loads(read_file(place).decode())
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(f"{place}: cannot be read: {error}") from error
    if not isinstance(data, dict):
        raise DataError(f"{place}: an object is expected")
    return data


def _started(options: dict[str, Any]) -> float | None:
    """When the search began, where its record says so."""
    try:
        began = datetime.datetime.fromisoformat(options["started"]).timestamp()
    except (KeyError, TypeError, ValueError, OverflowError, OSError):
        return None
    return began if 0 <= began < MOST_SECONDS else None


def _budget(path: Path) -> float | None:
    options = _options(path).get("options")
    budget = options.get("budget") if isinstance(options, dict) else None
    return float(budget) if budget is not None and is_of(budget, float) and 0 <= budget < MOST_SECONDS else None


def _lines(done: list[_Done], started: float, by_clock: bool) -> tuple[Line, Line]:
    """Tasks done and found over time, or over the seconds that they took one after the other."""
    all_points, found_points = [(0.0, 0.0)], [(0.0, 0.0)]
    now, found = 0.0, 0
    for number, one in enumerate(done, 1):
        now = max(now, one.at - started) if by_clock and one.at is not None else now + one.seconds
        found += one.found
        all_points.append((now, float(number)))
        found_points.append((now, float(found)))
    return Line("tasks tried", tuple(all_points)), Line("program found", tuple(found_points))


def _picture(solution: Solution) -> Picture:
    """The first attempt at the first test input."""
    if not solution.attempts or not solution.attempts[0]:
        return Picture(solution.id, "no attempt", f"{solution.seconds:.2f} s", Got(Verdict.NO_GRID, "no attempt"))
    first = solution.attempts[0][0]
    made = f"by {first.combiner}" if first.program else "a guess"
    return Picture(solution.id, made, f"{solution.seconds:.2f} s", Got(Verdict.HIDDEN, "first attempt", first.grid))
