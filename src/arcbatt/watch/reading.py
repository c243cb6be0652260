"""From records on disk to what the page and the metrics say. Nothing is ever written, and no lock is taken."""

from __future__ import annotations

import datetime
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from arcbatt.errors import ArcbattError, DataError
from arcbatt.report.compare import Got, Verdict, compare
from arcbatt.runs.record import RunRecord, read_info, task_of
from arcbatt.runs.store.live import BatchProgress, LiveStore, Nearest
from arcbatt.watch.curves import (
    current_rate,
    done_on_nodes,
    evaluations_by_device,
    nodes_of,
    rate_lines,
    solved_lines,
    spans_of,
)
from arcbatt.watch.model import Listed, Picture, RunView, SearchView, State
from arcbatt.watch.places import Place, Signature, find_places
from arcbatt.watch.sane import check_batches, check_count, check_seconds
from arcbatt.watch.searches import SearchReader

SILENT_SECONDS: Final = 120.0
"""After so long without news a run may have been killed: a batch takes a second or two, compiling rarely a minute."""
SLOWEST: Final = 10
PICTURES: Final = 6
WORTH_SHOWING: Final = 0.5
"""Share of cells right from which a picture of a near miss tells something."""
_VIEWS: Final = 64
"""Runs whose views are remembered."""

_T = TypeVar("_T")


class Remembered(Generic[_T]):
    """What was made of a record, for as long as the record is as it was; of so many records, the last used."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[Path, tuple[Hashable, _T]] = OrderedDict()

    def get(self, path: Path, signature: Hashable, make: Callable[[], _T]) -> _T:
        """What is remembered of a record, or made now."""
        known = self._kept.pop(path, None)
        if known is None or known[0] != signature:
            known = (signature, make())
        self._kept[path] = known
        while len(self._kept) > self._most:
            self._kept.popitem(last=False)
        return known[1]


class Reader:
    """The runs and searches of a folder. Threads may share it."""

    def __init__(self, folder: Path, clock: Callable[[], float] = time.time) -> None:
        self.folder = folder
        self._clock = clock
        self._lock = threading.Lock()
        self._infos: Remembered[Listed] = Remembered(100_000)
        self._views: Remembered[RunView] = Remembered(_VIEWS)
        self._searches = SearchReader()

    def listed(self) -> list[Listed]:
        """Every run and search, those that go on first, then the newest."""
        with self._lock:
            found = [self._listed(place) for place in find_places(self.folder)]
        return sorted(found, key=lambda one: (not one.is_live, -(one.started or 0.0), one.place.name))

    def view(self, listed: Listed) -> RunView | SearchView:
        """One of them in full; raises ArcbattError where its record cannot be read."""
        if listed.state is State.DAMAGED:
            raise DataError(listed.problem)
        with self._lock:
            place = listed.place
            if place.kind == "search":
                return self._searches.view(place.path, listed)
            signature = (place.signature(), listed)
            return self._views.get(place.path, signature, lambda: read_run(listed, heard_of(place.signature())))

    def _listed(self, place: Place) -> Listed:
        signature = place.signature()
        silent = self._clock() - heard_of(signature) > SILENT_SECONDS
        if place.kind == "search":
            state = State.QUIET if silent else State.RUNNING
            return self._infos.get(place.path, (signature[0], state), lambda: self._searches.listed(place, state))
        return self._infos.get(place.path, (signature[0], silent), lambda: _listed_run(place, silent))


def heard_of(signature: Signature) -> float:
    """When a record last changed, in seconds since 1970."""
    return max(changed for changed, _ in signature) / 1e9


def _listed_run(place: Place, silent: bool) -> Listed:
    try:
        info = read_info(place.path)
        check_count(place.path, info["programs"])
    except ArcbattError as error:
        return Listed(place, State.DAMAGED, problem=str(error))
    state = {"running": State.SILENT if silent else State.RUNNING, "done": State.DONE}.get(info["state"], State.STOPPED)
    return Listed(
        place,
        state,
        dataset=info["dataset"],
        started=_seconds(info["started"]),
        ended=_seconds(info["ended"]),
        programs=info["programs"],
    )


def _seconds(text: str | None) -> float | None:
    return None if not text else datetime.datetime.fromisoformat(text).timestamp()


def read_run(listed: Listed, heard: float) -> RunView:
    """A run in full; raises ArcbattError."""
    with RunRecord.open(listed.place.path, only_look=True) as record, record.store.at_one_moment():
        store, live = record.store, LiveStore(record.store)
        batches = live.progress()
        check_batches(listed.place.path, batches)
        started = listed.started or heard
        spans = spans_of(batches, started)
        sizes = store.task_sizes()
        programs: int = record.info["programs"]
        unknown = str(record.environment.get("backend", "engine"))
        ran_on = evaluations_by_device(batches, unknown)
        seconds = (listed.ended or 0.0) - started if listed.ended else 0.0
        total = sum(map(sum, sizes)) * programs
        check_count(listed.place.path, total)
        slowest = tuple(live.slowest(SLOWEST))
        for one in slowest:
            check_seconds(listed.place.path, one.seconds)
        return RunView(
            listed=listed,
            heard=heard,
            tasks=len(sizes),
            programs=programs,
            total=total,
            done=sum(batch.done.evaluations for batch in batches),
            seconds=max(seconds, spans[-1].ended if spans else 0.0),
            rate=current_rate(spans),
            solved=solved_lines(spans, live.first_solvers()),
            rates=rate_lines(spans, list(ran_on), unknown),
            ran_on=ran_on,
            failures=_failures(live, batches),
            rerouted=dict(store.rerouted().most_common()),
            slowest=slowest,
            near=tuple(_near(record, live, one) for one in live.nearest(PICTURES, WORTH_SHOWING)),
            nodes=nodes_of(done_on_nodes(spans)),
        )


def _failures(live: LiveStore, batches: Sequence[BatchProgress]) -> dict[str, int]:
    """Failures by reason, the most first; of batches recorded before that was kept, by every result."""
    found = Counter[str]()
    if any(batch.failures is None for batch in batches):
        found.update({one.reason: one.evaluations for one in live.reason_counts()})
    else:
        for batch in batches:
            found.update(batch.failures or {})
    return dict(found.most_common())


def _near(record: RunRecord, live: LiveStore, near: Nearest) -> Picture:
    """The first demonstration that the nearest program gets wrong."""
    task = task_of(near.task, live.task_text(near.task))
    grids: dict[int, Any] = {
        one.sample: tuple(map(tuple, one.grid.tolist()))
        for one in record.attempts(near.task)
        if one.program == near.program and one.grid is not None
    }
    note = f"{near.demos_right} of {near.demos} demonstrations, {100 * near.agreement:.1f}% of cells"
    none = Got(Verdict.NO_GRID, "failed, or gave no grid")
    gots = [
        compare(grids[number], wanted) if number in grids else none for number, (_, wanted) in enumerate(task.train)
    ]
    shown = next((number for number, got in enumerate(gots) if got.verdict is not Verdict.MATCH), 0)
    given, expected = task.train[shown]
    return Picture(near.task, f"by {near.program}", note, gots[shown], given, expected)
