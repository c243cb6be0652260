"""Tiers: what one way to run programs cannot do, the next one does, and every such step is recorded with why.

An engine has a first tier (a GPU or the CPU), below a GPU the CPU, and below both the reference. A tier marks what it
cannot do: a status (overflow: it does not fit; escape: it has no form there), or programs that it refuses altogether.
`Fallback` is the one driver that takes these further.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from arcbatt.compiler.abi import ESCAPE, OVERFLOW
from arcbatt.compiler.program_set import CompiledSet
from arcbatt.engine.api import Engine, RunRequest
from arcbatt.engine.outputs import STATUS, Outputs, Route
from arcbatt.engine.reference_tier import ReferenceRun, ReferenceTier

CPU: Final = "cpu"
REFERENCE: Final = "reference"
"""Names of the tiers that evaluations are rerouted to."""
Rows = NDArray[np.int64]
Columns = NDArray[np.int64]


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

    eager = True
    """Whether the reference should begin with what is open while the tier still runs."""

    def __init__(self, compiled: CompiledSet) -> None:
        self.compiled = compiled
        self.names = compiled.names

    @abstractmethod
    def refused(self) -> dict[str, str]:
        """Programs that the tier cannot run, and why."""

    @abstractmethod
    def run(self, request: RunRequest, result: Outputs, sink: Sink) -> None:
        """Every program on every sample, into `result`; samples are told to the sink as they are done."""

    def unfit_reason(self) -> str:
        """Why evaluations that do not fit go to the tier below."""
        return STATUS[OVERFLOW]

    def column_groups(self) -> Sequence[Columns]:
        """Programs that are best run together where they go to the tier below."""
        return [np.arange(len(self.names))]


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
        self,
        first: Tier,
        below: Callable[[], LowerTier | None],
        reference: ReferenceTier,
        request: RunRequest,
        result: Outputs,
    ) -> None:
        self.first = first
        self.below = below
        self.request = request
        self.result = result
        self._run: ReferenceRun | None = reference.begin(request, result) if request.complete else None
        self._finished = 0
        self._held: list[Rows] = []

    @cached_property
    def _refused(self) -> dict[int, str]:
        return {self.first.names.index(name): why for name, why in self.first.refused().items()}

    def __enter__(self) -> Fallback:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None and self._run is not None:
            self._run.cancel()

    # --- what the first tier says ---
    def finished(self, rows: Rows) -> None:
        """Samples have their outcomes; what is open goes on."""
        if not len(rows):
            return
        self._run_below(rows)
        self._finished += len(rows)
        if self.first.eager:
            self._offer(rows)
        else:
            self._hold(rows)

    def answered(self, rows: Rows, columns: Columns, found: Outputs, why: str) -> None:
        """Put the CPU tier's outcomes where there were none."""
        place = np.ix_(rows, columns)
        unfit = self.result.statuses[place] == OVERFLOW
        self.result.take(rows, found, columns)
        routes = self.result.route[place]
        routes[unfit] = self.result.route_number(Route(CPU, why))
        self.result.route[place] = routes

    def pass_on(self, rows: Rows, why: str) -> None:
        """Run whole samples on the tier below."""
        below = self.below()
        assert below is not None
        found = run_alone(below, self.request.only(rows, progress=None))
        self.result.take(rows, found)
        self.result.done[rows] = found.done
        done = rows[found.done]
        self.result.route[done] = self.result.route_number(Route(CPU, why))
        self._finished += len(done)
        self._hold(done)

    def tell(self) -> None:
        """Say how many samples are finished, without those that wait for the reference."""
        pending = self._run.pending if self._run is not None else 0
        self.request.tell(self._finished - pending - sum(map(len, self._held)))

    def finish(self) -> None:
        """Have everything done that is left."""
        held, self._held = self._held, []
        for rows in held:
            self._offer(rows)
        if self._run is not None:
            self._run.finish(lambda _: self.tell())

    # --- the tiers below ---
    def _run_below(self, rows: Rows) -> None:
        """What did not fit on the first tier and has no answer yet, by groups of programs on the one below."""
        if not self._unanswered(rows).any():
            return
        below = self.below()
        if below is None or below is self.first:
            return
        for columns in self.first.column_groups():
            unfit = rows[self._unanswered(np.ix_(rows, columns)).any(axis=1)]
            if len(unfit):
                found = run_alone(below.part(columns), self.request.only(unfit, progress=None, stop=None))
                self.answered(unfit, columns, found, self.first.unfit_reason())

    def _unanswered(self, place: Any) -> NDArray[np.bool_]:
        """Which evaluations did not fit, without those that did not fit on the tier below either."""
        return np.asarray((self.result.statuses[place] == OVERFLOW) & (self.result.route[place] == 0))

    def _hold(self, rows: Rows) -> None:
        """Keep samples that the reference has to do with until the first tier is done."""
        if self._run is not None:
            self._held.append(rows[self.result.needs_fallback(rows, self._refused).any(axis=1)])

    def _offer(self, rows: Rows) -> None:
        """Hand evaluations without an outcome to the reference."""
        if self._run is None:
            return
        missing = self.result.needs_fallback(rows, self._refused)
        if not missing.any():
            return
        statuses, routes = self.result.statuses[rows], self.result.route[rows]
        for status in (OVERFLOW, ESCAPE):
            if (statuses == status).any():
                routes[statuses == status] = self.result.route_number(Route(REFERENCE, STATUS[status]))
        for column, why in sorted(self._refused.items(), key=lambda one: one[1]):
            routes[:, column] = self.result.route_number(Route(REFERENCE, f"not lowered: {why}"))
        self.result.route[rows] = routes
        for row, columns in zip(rows.tolist(), missing, strict=True):
            if columns.any():
                self._run.offer(row, np.flatnonzero(columns).tolist())


class TieredEngine(Engine):
    """An engine of tiers. `instead` says why the CPU is its first tier in place of another; that is recorded."""

    def __init__(self, compiled: CompiledSet, reference: ReferenceTier, instead: str = "") -> None:
        super().__init__(compiled)
        self.reference = reference
        self.instead = instead

    @property
    @abstractmethod
    def first(self) -> Tier:
        """The tier that runs everything first."""

    def below(self) -> LowerTier | None:
        """The tier for what does not fit on the first, made when it is needed."""
        return None

    def start(self) -> tuple[Tier, str]:
        """The first tier of a run, and why that is the CPU in place of another, or nothing."""
        return self.first, self.instead

    def refused(self) -> dict[str, str]:
        """Programs that the first tier cannot run, and why."""
        return self.first.refused()

    def execute(self, request: RunRequest) -> Outputs:
        """Carry a request out, tier by tier."""
        first, instead = self.start()
        result = Outputs.empty(self.names, len(request.samples), request.outputs)
        if instead:
            result.route[:] = result.route_number(Route(CPU, instead))
        start = time.perf_counter()
        with Fallback(first, self.below, self.reference, request, result) as fallback:
            first.run(request, result, fallback)
            result.seconds["run"] = time.perf_counter() - start
            fallback.finish()
        result.seconds["reference"] = time.perf_counter() - start - result.seconds["run"]
        return result.trimmed(request.outputs)
