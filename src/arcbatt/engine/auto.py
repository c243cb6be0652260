"""The fastest engine there is, found while running: a share of the work is timed, and what is faster goes on.

Candidates are in order of what it costs to start them. One is tried where the rest of the work would take the fastest
so far longer than the candidate takes to start, as was measured on this machine before (`speeds.py`).
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from arcbatt.data.packing import PackedSamples, pack_samples
from arcbatt.engine.gather import Gathered
from arcbatt.engine.outputs import Outputs, Wanted
from arcbatt.engine.reference import Stop
from arcbatt.engine.speeds import known_start, record_start
from arcbatt.engine.worker import PROBLEMS
from arcbatt.language.failures import Outcome
from arcbatt.language.limits import MAX_CELLS
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
    make: Callable[[], Any]


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

    def left(self, here: int) -> float:
        """Seconds that the rest takes the fastest so far; `here` is what is left of the samples at hand."""
        rest = here if self.evaluations is None else max(here, self.evaluations - self.done)
        return rest / self.rates[self.fastest()]


class Engine:
    """One of several engines: the first at first, then whichever is the fastest.

    `more` gives further candidates, and is asked when all of the others were timed.
    """

    def __init__(
        self,
        names: list[str],
        candidates: Sequence[Candidate],
        choice: Choice | None = None,
        more: Callable[[], list[Candidate]] | None = None,
    ) -> None:
        self.names = names
        self.candidates = list(candidates)
        self.choice = choice or Choice()
        self._more = more
        self._made: dict[str, Any] = {}
        self._incidents: Counter[str] = Counter()
        if not self.choice.rates.keys() <= {one.name for one in self.candidates}:
            self._ask_for_more()
        while self.backend not in self._made:
            try:
                self._engine(self.backend)
            except PROBLEMS as error:
                if self.backend == self.candidates[0].name:
                    raise
                self._rule_out(self.backend, f"{type(error).__name__}: {error}")

    @property
    def backend(self) -> str:
        """The engine that is in use: the fastest known, or the first."""
        return self.choice.fastest() if self.choice.rates else self.candidates[0].name

    def run(
        self,
        samples: Sequence[Sample] | PackedSamples,
        outputs: Wanted = "match",
        *,
        largest: int = MAX_CELLS,
        stop: Stop | None = None,
        progress: Callable[[int], None] | None = None,
        complete: bool = True,
    ) -> Outputs:
        """As `arcbatt.engine.cpu.Engine.run`; `Outputs.incidents` says which candidates failed."""
        data = samples if isinstance(samples, PackedSamples) else pack_samples(samples)
        gathered = Gathered(self.names, len(data), outputs)
        start = time.perf_counter()
        first, share = 0, FIRST_SHARE
        while first < len(data) and not (stop and stop()):
            before = gathered.done
            count = len(data) - first if self.next_candidate() is None else min(share, len(data) - first)
            part = data.only(slice(first, first + count))

            def counted(done: int, before: int = before) -> None:
                if progress:
                    progress(before + done)

            options = {"largest": largest, "stop": stop, "complete": complete}
            began = time.perf_counter()
            found = self._engine(self.backend).run(part, outputs, progress=counted, **options)
            seconds = time.perf_counter() - began
            gathered.put(np.arange(first, first + count), found)
            if progress:
                progress(gathered.done)
            first += count
            self.choice.done += int(found.done.sum()) * len(self.names)
            if not found.done.all():
                break
            share *= 2
            if seconds >= MEASURABLE:
                self.choice.rates[self.backend] = count * len(self.names) / seconds
                self._try(part, outputs, options, (len(data) - first) * len(self.names))
        result = gathered.finished(time.perf_counter() - start)
        result.incidents += self._incidents
        self._incidents.clear()
        return result

    def values(self, sample: Sample) -> dict[str, Outcome]:
        """What every program gives on one sample, by the first candidate."""
        found: dict[str, Outcome] = self._engine(self.candidates[0].name).values(sample)
        return found

    def next_candidate(self) -> Candidate | None:
        """The first that was neither timed nor ruled out."""
        if {one.name for one in self.candidates} <= self.choice.rates.keys():
            self._ask_for_more()
        tried = {*self.choice.rates, *self.choice.ruled_out}
        return next((one for one in self.candidates if one.name not in tried), None)

    def _try(self, part: PackedSamples, outputs: Wanted, options: dict[str, Any], here: int) -> None:
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
                engine.run(part, outputs, **options)
                record_start(one.name, time.perf_counter() - began)
                began = time.perf_counter()
                again = engine.run(part, outputs, **options)
                seconds = time.perf_counter() - began
            except PROBLEMS as error:
                self._rule_out(one.name, f"{type(error).__name__}: {error}")
                continue
            if not again.done.all():
                return
            if again.moved.total() > again.done.size * len(self.names) // 2:
                self._rule_out(one.name, "; ".join(again.moved))
                continue
            self.choice.rates[one.name] = len(part) * len(self.names) / max(seconds, 1e-9)

    def _ask_for_more(self) -> None:
        if self._more is not None:
            self.candidates += self._more()
            self._more = None

    def _rule_out(self, name: str, why: str) -> None:
        self.choice.rates.pop(name, None)
        self.choice.ruled_out[name] = why
        self._incidents[f"{name} was not used: {why}"] += 1

    def _engine(self, name: str) -> Any:
        if name not in self._made:
            self._made[name] = next(one for one in self.candidates if one.name == name).make()
        return self._made[name]
