"""The fastest engine there is, found while running: a share of the work is timed, and what is faster goes on.

Candidates are in order of what it costs to start them. One is tried where the rest of the work would take the fastest
so far longer than the candidate takes to start, as was measured on this machine before (`speeds.py`).
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from arcbatt.compiler.program_set import CompiledSet
from arcbatt.engine.api import Engine, RunRequest
from arcbatt.engine.gather import Gathered
from arcbatt.engine.outputs import Outputs
from arcbatt.engine.speeds import known_start, record_start
from arcbatt.engine.tiers import CPU
from arcbatt.language.failures import Outcome
from arcbatt.language.limits import MAX_STEPS, MAX_TOTAL_STEPS
from arcbatt.language.sample import Sample

UNKNOWN_START: Final = 10.0
"""Seconds that a candidate is taken to need for its start, until that was measured here once."""
FIRST_SHARE: Final = 32
"""Samples of the first share; then twice as many as before, until one took long enough to measure."""
MEASURABLE: Final = 0.1
"""Seconds a share must take to say how fast an engine is."""


@dataclass(frozen=True)
class Candidate:
    """An engine that may be the fastest."""

    name: str
    make: Callable[[], Engine]


@dataclass
class Choice:
    """What is known of candidates: shared by the engines of one run, which have like programs."""

    evaluations: int | None = None
    """How many there are in all, if that is known."""
    done: int = 0
    rates: dict[str, float] = field(default_factory=dict)
    """Evaluations a second, by candidate."""
    ruled_out: dict[str, str] = field(default_factory=dict)
    """Candidates that are not to be tried, and why."""

    def fastest(self) -> str:
        """The fastest of those that were timed."""
        return max(self.rates, key=lambda name: self.rates[name])

    def is_gpu(self) -> bool:
        """Whether the fastest is a GPU; any thread may ask."""
        rates = dict(self.rates)
        return max(rates, key=lambda name: rates[name], default=CPU) != CPU

    def left(self, here: int) -> float:
        """Seconds that the rest takes the fastest so far; `here` is what is left of the samples at hand."""
        rest = here if self.evaluations is None else max(here, self.evaluations - self.done)
        return rest / self.rates[self.fastest()]


class AutoEngine(Engine):
    """One of several engines: the first at first, then whichever is the fastest.

    `more` gives further candidates, and is asked when all of the others were timed.
    """

    def __init__(
        self,
        compiled: CompiledSet,
        candidates: Sequence[Candidate],
        choice: Choice | None = None,
        more: Callable[[], list[Candidate]] | None = None,
    ) -> None:
        super().__init__(compiled)
        self.candidates = list(candidates)
        self.choice = choice or Choice()
        self._more = more
        self._made: dict[str, Engine] = {}
        self._errors: Counter[str] = Counter()
        if not self.choice.rates.keys() <= {one.name for one in self.candidates}:
            self._ask_for_more()
        while self.backend not in self._made:
            try:
                self._engine(self.backend)
            except Exception as error:
                if self.backend == self.candidates[0].name:
                    raise
                self._rule_out(self.backend, f"{type(error).__name__}: {error}")

    @property
    def backend(self) -> str:
        """The engine that is in use: the fastest known, or the first."""
        return self.choice.fastest() if self.choice.rates else self.candidates[0].name

    def execute(self, request: RunRequest) -> Outputs:
        """Carry a request out; `Outputs.recovered_errors` says which candidates failed."""
        gathered = Gathered(self.names, len(request.samples), request.outputs)
        start = time.perf_counter()
        first, share, total = 0, FIRST_SHARE, len(request.samples)
        while first < total and not request.stopped():
            before = gathered.done
            count = total - first if self.next_candidate() is None else min(share, total - first)

            def counted(done: int, before: int = before) -> None:
                request.tell(before + done)

            part = request.only(slice(first, first + count), progress=counted)
            began = time.perf_counter()
            found = self._engine(self.backend).execute(part)
            seconds = time.perf_counter() - began
            gathered.put(np.arange(first, first + count), found)
            request.tell(gathered.done)
            first += count
            self.choice.done += int(found.done.sum()) * len(self.names)
            if not found.done.all():
                break
            share *= 2
            if seconds >= MEASURABLE:
                self.choice.rates[self.backend] = count * len(self.names) / seconds
                self._try(replace(part, progress=None), (total - first) * len(self.names))
        result = gathered.finished(time.perf_counter() - start)
        result.recovered_errors += self._errors
        self._errors.clear()
        return result

    def values(
        self, sample: Sample, max_steps: int = MAX_STEPS, max_total: int = MAX_TOTAL_STEPS
    ) -> dict[str, Outcome]:
        """What every program gives on one sample, by the first candidate."""
        return self._engine(self.candidates[0].name).values(sample, max_steps, max_total)

    def paces(self, samples: Sequence[Sample]) -> dict[str, float]:
        """How long programs take, by the first candidate."""
        return self._engine(self.candidates[0].name).paces(samples)

    def next_candidate(self) -> Candidate | None:
        """The first that was neither timed nor ruled out."""
        if {one.name for one in self.candidates} <= self.choice.rates.keys():
            self._ask_for_more()
        tried = {*self.choice.rates, *self.choice.ruled_out}
        return next((one for one in self.candidates if one.name not in tried), None)

    def _try(self, part: RunRequest, here: int) -> None:
        """Time candidates on samples that another has just run, while the rest is worth their start."""
        while (one := self.next_candidate()) is not None:
            needed = known_start(one.name)
            needed = UNKNOWN_START if needed is None else needed
            left = self.choice.left(here)
            if left <= needed:
                if self.choice.evaluations is not None:  # of an unknown number, more may come
                    self.choice.ruled_out[one.name] = f"it takes {needed:.1f} s to start, the rest {left:.1f} s"
                return
            try:
                began = time.perf_counter()
                engine = self._engine(one.name)
                engine.execute(part)
                record_start(one.name, time.perf_counter() - began)
                began = time.perf_counter()
                again = engine.execute(part)
                seconds = time.perf_counter() - began
            except Exception as error:
                self._rule_out(one.name, f"{type(error).__name__}: {error}")
                continue
            if not again.done.all():
                return
            elsewhere = {route.why: count for route, count in again.rerouted().items() if route.tier == CPU}
            if sum(elsewhere.values()) > again.done.size * len(self.names) // 2:
                self._rule_out(one.name, "; ".join(elsewhere))
                continue
            self.choice.rates[one.name] = len(part.samples) * len(self.names) / max(seconds, 1e-9)

    def _ask_for_more(self) -> None:
        if self._more is not None:
            self.candidates += self._more()
            self._more = None

    def _rule_out(self, name: str, why: str) -> None:
        self.choice.rates.pop(name, None)
        self.choice.ruled_out[name] = why
        self._errors[f"{name} was not used: {why}"] += 1

    def _engine(self, name: str) -> Engine:
        if name not in self._made:
            self._made[name] = next(one for one in self.candidates if one.name == name).make()
        return self._made[name]
