"""Tiers: what one way to run programs cannot do, the next one does, and every such step is recorded with why.

An engine has a first tier (a GPU or the CPU), below a GPU the CPU, and below both the dynamic tier. A tier marks what
it cannot do: a status (overflow: it does not fit; escape: it has no form there), or programs that it refuses
altogether. `Fallback` is the one driver that takes these further.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from typing import Final, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

from arcbatt.compiler.abi import ESCAPE, OVERFLOW
from arcbatt.compiler.internal_errors import InternalErrors, pinned_down
from arcbatt.compiler.program_set import CompiledSet
from arcbatt.engine.api import Engine, RunRequest
from arcbatt.engine.dynamic import DynamicTier
from arcbatt.engine.outputs import STATUS, Outputs, Route
from arcbatt.language.failures import Outcome
from arcbatt.language.limits import MAX_STEPS, MAX_TOTAL_STEPS
from arcbatt.language.sample import Sample

CPU: Final = "cpu"
DYNAMIC: Final = "dynamic"
"""Names of the tiers that evaluations are rerouted to."""
_GRACE: Final = 0.25
"""Seconds the dynamic tier has after a stop, so that what the others did is not lost for the little that is left."""
Rows = NDArray[np.int64]
Columns = NDArray[np.int64]
_P = ParamSpec("_P")
_R = TypeVar("_R")


class Sink:
    """Who is told what a tier has done; this one is for a tier that runs by itself."""

    def finished(self, rows: Rows) -> None:
        """These samples have their outcomes, as far as the tier could get."""

    def answered(self, rows: Rows, columns: Columns, found: Outputs, why: str) -> None:
        """The CPU tier's outcomes of some programs on some samples, which the tier could not do for this reason."""

    def pass_on(self, rows: Rows, why: str) -> None:
        """The tier could not run these samples at all."""

    def tell(self) -> None:
        """Say how far the run is."""


class Tier(ABC):
    """A way to run compiled programs on samples, as far as it gets."""

    def __init__(self, compiled: CompiledSet) -> None:
        self.compiled = compiled
        self.names = compiled.names

    @abstractmethod
    def refused(self) -> dict[str, str]:
        """Programs that the tier cannot run, and why."""

    @abstractmethod
    def internal_errors(self) -> InternalErrors:
        """Of the programs that it refuses, those over which arcbatt itself failed."""

    @abstractmethod
    def run(self, request: RunRequest, result: Outputs, sink: Sink) -> None:
        """Every program on every sample, into `result`; samples are told to the sink as they are done."""

    def unfit_reason(self) -> str:
        """Why evaluations that do not fit go to the tier below."""
        return STATUS[OVERFLOW]


class LowerTier(Tier):
    """A tier that can take over some of the programs of another."""

    @abstractmethod
    def part(self, columns: Columns) -> Tier:
        """The same tier for some of the programs."""


def run_alone(tier: Tier, request: RunRequest) -> Outputs:
    """A request on one tier, without any below it."""
    found = Outputs.empty(tier.names, len(request.samples), request.outputs)
    tier.run(request, found, Sink())
    found.statuses[:, [tier.names.index(name) for name in tier.refused()]] = ESCAPE
    return found


class Fallback(Sink):
    """Takes what the first tier of a run cannot do to the tiers below it."""

    def __init__(
        self, first: Tier, below: Callable[[], LowerTier | None], request: RunRequest, result: Outputs
    ) -> None:
        self.first = first
        self.request = request
        self.result = result
        self._below = below
        self._column = {name: column for column, name in enumerate(result.names)}
        self._finished = self._waiting = 0
        """Samples that the first tier is done with, and those of them that wait for the dynamic tier."""

    @cached_property
    def below(self) -> LowerTier | None:
        """The tier below, made when it is needed; None where that is the dynamic tier."""
        below = self._below()
        return None if below is self.first else below

    # --- what the first tier says ---
    def finished(self, rows: Rows) -> None:
        """Samples have their outcomes; what did not fit runs on the tier below."""
        if len(rows):
            self._run_below(rows)
            self._count(rows)

    def answered(self, rows: Rows, columns: Columns, found: Outputs, why: str) -> None:
        """Put the CPU tier's outcomes where there were none."""
        place = np.ix_(rows, columns)
        unfit = self._unanswered(rows, columns)
        self.result.take(rows, found, columns)
        routes = self.result.route[place]
        routes[unfit] = self.result.route_number(Route(CPU, why))
        self.result.route[place] = routes

    def pass_on(self, rows: Rows, why: str) -> None:
        """Run whole samples on the tier below."""
        assert self.below is not None
        found = run_alone(self.below, self.request.only(rows, progress=None))
        self.result.take(rows, found)
        self.result.done[rows] = found.done
        done = rows[found.done]
        self.result.route[done] = self.result.route_number(Route(CPU, why))
        self._count(done)

    def tell(self, more: int = 0) -> None:
        """Say how many samples are finished, without those that wait for the dynamic tier."""
        self.request.tell(self._finished - self._waiting + more)

    def _count(self, rows: Rows) -> None:
        self._finished += len(rows)
        if self.request.complete:
            self._waiting += int(self._missing(rows).any(axis=1).sum())

    # --- the tiers below ---
    @property
    def _refused(self) -> dict[int, str]:
        """Programs that the first tier refuses, by column; a run may add to them."""
        return {self._column[name]: why for name, why in self.first.refused().items()}

    @property
    def _only_below(self) -> list[int]:
        """Those of them that the tier below does not refuse."""
        refused = self._refused
        if not refused or self.below is None:
            return []
        return sorted(refused.keys() - {self._column[name] for name in self.below.refused()})

    def _unanswered(self, rows: Rows, columns: Columns | None = None) -> NDArray[np.bool_]:
        """Which evaluations the first tier has not done and the one below, which might, has not tried."""
        unfit: NDArray[np.bool_] = self.result.statuses[rows] == OVERFLOW
        unfit[:, self._only_below] = True
        if unfit.any():
            unfit &= self.result.route[rows] == 0
        return unfit if columns is None else unfit[:, columns]

    def _run_below(self, rows: Rows) -> None:
        """What did not fit on the first tier and has no answer yet, by groups of programs on the one below."""
        if not self._unanswered(rows).any() or self.below is None:
            return
        own = np.setdiff1d(np.arange(len(self.first.names)), self._only_below)
        groups: list[tuple[Columns, str]] = [(own, self.first.unfit_reason())]
        by_reason: dict[str, list[int]] = {}
        for column in self._only_below:
            by_reason.setdefault(self._refused[column], []).append(column)
        groups += [(np.array(columns), why) for why, columns in by_reason.items()]
        for columns, why in groups:
            unfit = self._unanswered(rows, columns)
            some, mine = rows[unfit.any(axis=1)], columns[unfit.any(axis=0)]
            if len(some):
                found = run_alone(self.below.part(mine), self.request.only(some, progress=None, stop=None))
                self.answered(some, mine, found, why)

    def _missing(self, rows: Rows) -> NDArray[np.bool_]:
        """Which evaluations are for the dynamic tier: what fitted nowhere, escaped, or is refused by every other."""
        refused = self._refused.keys() - set(self._only_below)
        return self.result.needs_fallback(rows, refused)

    def finish(self, tier: DynamicTier) -> None:
        """Have the dynamic tier do everything that is left."""
        rows = np.flatnonzero(self.result.done)
        missing = np.zeros_like(self.result.matches)
        missing[rows] = self._missing(rows)
        if not missing.any():
            return
        self._waiting = int(missing.any(axis=1).sum())
        self._route(missing)
        for name, error in self._run_dynamic(tier, missing).items():
            self.result.fail(missing[:, self._column[name]], name, error)

    def _run_dynamic(self, tier: DynamicTier, missing: NDArray[np.bool_]) -> InternalErrors:
        """Run what is missing; the programs over which that fails in a way nobody had foreseen."""
        names, end = self.result.names, time.monotonic() + _GRACE
        request = replace(self.request, stop=lambda: time.monotonic() > end and self.request.stopped())

        def run(some: list[str]) -> None:
            chosen = missing & np.isin(names, some)
            tier.run(request, self.result, chosen, self.tell)

        return pinned_down([names[column] for column in np.flatnonzero(missing.any(axis=0))], run, "the dynamic tier")

    def _route(self, missing: NDArray[np.bool_]) -> None:
        """Record why evaluations go to the dynamic tier."""
        result, internal = self.result, self.first.internal_errors()
        for status in (OVERFLOW, ESCAPE):
            chosen = missing & (result.statuses == status)
            if chosen.any():
                result.route[chosen] = result.route_number(Route(DYNAMIC, STATUS[status]))
        for column, why in sorted(self._refused.items(), key=lambda one: one[1]):
            if missing[:, column].any():
                name = result.names[column]
                route = Route(DYNAMIC, why if name in internal else f"not lowered: {why}")
                result.route[missing[:, column], column] = result.route_number(route)

    def program_routes(self) -> dict[str, Route]:
        """Programs that the first tier ran nothing of: where they ran, and why."""
        result, lower, found = self.result, set(self._only_below), {}
        for column, why in self._refused.items():
            tiers = {result.routes[number - 1].tier for number in np.unique(result.route[:, column]).tolist() if number}
            on_cpu = column in lower and DYNAMIC not in tiers
            found[result.names[column]] = Route(CPU if on_cpu else DYNAMIC, why)
        return found


class TieredEngine(Engine):
    """An engine of tiers. `instead` says why the CPU is its first tier in place of another; that is recorded."""

    def __init__(self, compiled: CompiledSet, threads: int, instead: str = "") -> None:
        super().__init__(compiled)
        self.threads = threads
        self.instead = instead
        self.dynamic = DynamicTier(compiled, threads=threads)

    @property
    @abstractmethod
    def first(self) -> Tier:
        """The tier that runs everything first."""

    @abstractmethod
    def of_set(self, compiled: CompiledSet) -> TieredEngine:
        """An engine as this one, for other programs."""

    def below(self) -> LowerTier | None:
        """The tier for what does not fit on the first, made when it is needed."""
        return None

    def start(self) -> tuple[Tier, str]:
        """The first tier of a run, and why that is the CPU in place of another, or nothing."""
        return self.first, self.instead

    def refused(self) -> dict[str, str]:
        """Programs that the first tier cannot run, and why."""
        return self.first.refused()

    def internal_errors(self) -> InternalErrors:
        """Of these, those over which arcbatt itself failed."""
        return self.first.internal_errors()

    @cached_property
    def exact(self) -> TieredEngine:
        """The engine for fewer steps than usual: no rewrite leaves out a call that might go beyond them."""
        compiled = self.compiled.exact
        return self if compiled is self.compiled else self.of_set(compiled)

    def for_steps(self, max_steps: int) -> TieredEngine:
        """The engine to run with so many steps."""
        return self if max_steps >= MAX_STEPS else self.exact

    def values(
        self, sample: Sample, max_steps: int = MAX_STEPS, max_total: int = MAX_TOTAL_STEPS
    ) -> dict[str, Outcome]:
        """What every program gives on one sample: the CPU tier's values, the dynamic tier's where it has none."""
        return self.for_steps(max_steps)._values(sample, max_steps, max_total)

    @abstractmethod
    def _values(self, sample: Sample, max_steps: int, max_total: int) -> dict[str, Outcome]: ...

    def execute(self, request: RunRequest) -> Outputs:
        """Carry a request out, tier by tier."""
        return (self.for_steps(request.max_steps) if request.exact else self)._execute(request)

    def _execute(self, request: RunRequest) -> Outputs:
        first, instead = self.start()
        result = Outputs.empty(self.names, len(request.samples), request.outputs)
        result.devices = [self.device]
        if instead:
            result.route[:] = result.route_number(Route(CPU, instead))
        start = time.perf_counter()
        with callers_errors_apart(request) as marked:
            fallback = Fallback(first, self.below, marked, result)
            if not marked.stopped():
                first.run(marked, result, fallback)
            result.seconds["run"] = time.perf_counter() - start
            if request.complete:
                fallback.finish(self.dynamic)
            marked.tell(int(result.done.sum()))
        result.seconds["dynamic"] = time.perf_counter() - start - result.seconds["run"]
        result.internal_errors = first.internal_errors() | result.internal_errors
        result.program_routes = fallback.program_routes()
        result.recovered_errors += self.compiled.errors
        self.compiled.errors.clear()
        return result.trimmed(request.outputs)


class _FromCallerError(BaseException):
    """Carries what a function of the caller raised past whoever handles errors of arcbatt itself."""

    def __init__(self, error: Exception) -> None:
        super().__init__(error)
        self.error = error


@contextmanager
def callers_errors_apart(request: RunRequest) -> Iterator[RunRequest]:
    """The request such that what its own functions raise reaches its caller, and is not taken for a defect here."""
    stop = None if request.stop is None else _marked(request.stop)
    progress = None if request.progress is None else _marked(request.progress)
    try:
        yield replace(request, stop=stop, progress=progress)
    except _FromCallerError as error:
        raise error.error from None


def _marked(function: Callable[_P, _R]) -> Callable[_P, _R]:
    def call(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        try:
            return function(*args, **kwargs)
        except Exception as error:
            raise _FromCallerError(error) from None

    return call
