"""What the page and the metrics say, as plain values: made by hand in tests, from records by `reading`."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from arcbatt.language.values import Grid
from arcbatt.report.compare import Got
from arcbatt.runs.store.live import Pace
from arcbatt.watch.places import Place


class State(StrEnum):
    """How a run or a search stands."""

    RUNNING = "running"
    SILENT = "silent"
    """It says that it is running, but nothing was heard of it for some time: it may have been killed."""
    DONE = "done"
    STOPPED = "stopped"
    QUIET = "quiet"
    """A search of which nothing was heard for some time; it does not say whether it is done."""
    DAMAGED = "damaged"


@dataclass(frozen=True)
class Listed:
    """A run or search in the list of all; None where the record does not say, times in seconds since 1970."""

    place: Place
    state: State
    dataset: str = ""
    started: float | None = None
    ended: float | None = None
    programs: int | None = None
    problem: str = ""

    @property
    def is_live(self) -> bool:
        """Whether there may be news soon."""
        return self.state is State.RUNNING


@dataclass(frozen=True)
class Line:
    """A curve: pairs of seconds since the start and a value, in order of time."""

    name: str
    points: tuple[tuple[float, float], ...]

    @property
    def last(self) -> float:
        """The value at the end."""
        return self.points[-1][1] if self.points else 0.0


@dataclass(frozen=True)
class Picture:
    """A grid that a program gave, with what was given and expected where that is known."""

    task: str
    title: str
    note: str
    got: Got
    given: Grid | None = None
    expected: Grid | None = None


@dataclass(frozen=True)
class Node:
    """A node of a cluster: the evaluations, or tasks of a search, that it has done, and those a second at the end."""

    name: str
    done: int
    rate: float


@dataclass(frozen=True)
class Slow:
    """A task of a search, and the seconds of one core that it took."""

    task: str
    seconds: float


@dataclass(frozen=True)
class RunView:
    """A run as far as it is recorded."""

    listed: Listed
    heard: float
    """When the record last changed, in seconds since 1970."""
    tasks: int
    programs: int
    total: int
    """Evaluations there are to do."""
    done: int
    seconds: float
    """From the start to the end, or to the last batch."""
    rate: float | None
    """Evaluations a second, of the last batches."""
    solved: tuple[Line, Line]
    """Tasks with a program that is right on every demonstration; of these, where no test is known to be wrong."""
    rates: tuple[Line, ...]
    """Evaluations a second by device or tier."""
    ran_on: dict[str, int]
    """Evaluations by device or tier."""
    failures: dict[str, int]
    """Evaluations that failed, by reason."""
    rerouted: dict[str, int]
    slowest: tuple[Pace, ...]
    near: tuple[Picture, ...]
    nodes: tuple[Node, ...] = ()
    """Of a run on a cluster, those that did the most first."""

    @property
    def left_seconds(self) -> float | None:
        """How long the rest will take, as things go; None where that is not known or nothing is left."""
        if not self.listed.is_live or not self.rate or self.done >= self.total:
            return None
        return (self.total - self.done) / self.rate


@dataclass(frozen=True)
class SearchView:
    """A search as far as it is recorded."""

    listed: Listed
    heard: float
    done: int
    found: int
    budget: float | None
    """Seconds of one core that a task may take."""
    core_seconds: float
    by_clock: bool
    """Whether the curves are over time; else over the seconds that tasks took, one after the other."""
    solved: tuple[Line, Line]
    """Tasks done, and those with a program for every test input."""
    combiners: dict[str, int]
    """Of the tasks with a program, what made the first attempt."""
    slowest: tuple[Slow, ...]
    latest: tuple[Picture, ...]
    nodes: tuple[Node, ...] = ()
    """Of a search on a cluster, those that did the most first."""


@dataclass(frozen=True)
class Gpu:
    """A GPU of this machine now: bytes of memory, and the share of time that it was busy; None where that is hidden."""

    number: int
    name: str
    used: int | None
    total: int | None
    busy: float | None
    history: tuple[tuple[float, float], ...] = field(default=())
    """Seconds since 1970 and the busy share, as far as it was seen."""
