"""What every engine takes, does and gives: `RunRequest` in, `Engine.execute`, `Outputs` out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from arcbatt.compiler.graph import Graph
from arcbatt.compiler.internal_errors import InternalErrors
from arcbatt.compiler.program_set import CompiledSet, compile
from arcbatt.compiler.rewrites import Rewrites
from arcbatt.data.packing import PackedSamples, pack_samples
from arcbatt.engine.outputs import Outputs, Wanted
from arcbatt.engine.stats import DeviceStats
from arcbatt.language.failures import Outcome
from arcbatt.language.limits import MAX_CELLS, MAX_STEPS, MAX_TOTAL_STEPS
from arcbatt.language.program import Program
from arcbatt.language.sample import Sample
from arcbatt.support.text import counted

Stop = Callable[[], bool]
"""Asked before a run, and now and then, whether to end early."""
Progress = Callable[[int], None]
"""Told now and then, and at the end, how many samples are finished."""


@dataclass(frozen=True)
class RunRequest:
    """Every program of an engine on these samples."""

    samples: PackedSamples
    outputs: Wanted = "match"
    """What to bring back beside statuses, matches and agreement."""
    largest: int = MAX_CELLS
    """Cells of the largest grid that is kept."""
    max_steps: int = MAX_STEPS
    """Steps of one outermost call; beyond them it has failed: limit."""
    max_total: int = MAX_TOTAL_STEPS
    """Steps of a program on a sample, all its calls together; beyond them it has failed: limit."""
    complete: bool = True
    """Whether the dynamic tier does what the others cannot; else that stays open: overflow, escape, or not lowered."""
    stop: Stop | None = None
    progress: Progress | None = None
    exact: bool = True
    """Whether fewer steps than usual are counted to the last; else a call may take slightly more."""

    def stopped(self) -> bool:
        """Whether to end early."""
        return bool(self.stop and self.stop())

    def tell(self, finished: int) -> None:
        """Say how many samples are finished."""
        if self.progress:
            self.progress(finished)

    def only(self, rows: NDArray[np.int64] | slice, **changes: Any) -> RunRequest:
        """The same for some of the samples."""
        return replace(self, samples=self.samples.only(rows), **changes)


class Engine(ABC):
    """Runs compiled programs on samples; every engine gives the same outcomes."""

    @property
    @abstractmethod
    def backend(self) -> str:
        """What runs programs there: `cpu`, `cuda` or `python`."""

    def __init__(self, compiled: CompiledSet) -> None:
        self.compiled = compiled
        self.names = compiled.names
        """The programs, in the order of the columns of results."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {counted(len(self.names), 'program')}>"

    @classmethod
    def of(
        cls, programs: Iterable[Program] | Graph | CompiledSet, *, rewrites: Rewrites | None = None, **options: Any
    ) -> Self:
        """An engine for programs, or a graph of them, compiled now if they are not yet."""
        return cls(compile(programs, rewrites), **options)

    def run(
        self,
        samples: Sequence[Sample] | PackedSamples,
        outputs: Wanted = "match",
        *,
        largest: int = MAX_CELLS,
        max_steps: int = MAX_STEPS,
        max_total: int = MAX_TOTAL_STEPS,
        stop: Stop | None = None,
        progress: Progress | None = None,
        complete: bool = True,
    ) -> Outputs:
        """Every program on every sample; `RunRequest` says what the options are.

        An interrupt is seen within a sample's time. `stop` is asked some twenty times a second whether to end early:
        then `Outputs.done` says which samples are finished.
        """
        data = samples if isinstance(samples, PackedSamples) else pack_samples(samples)
        return self.execute(RunRequest(data, outputs, largest, max_steps, max_total, complete, stop, progress))

    @abstractmethod
    def execute(self, request: RunRequest) -> Outputs:
        """Carry a request out."""

    @abstractmethod
    def values(
        self, sample: Sample, max_steps: int = MAX_STEPS, max_total: int = MAX_TOTAL_STEPS
    ) -> dict[str, Outcome]:
        """What every program gives on one sample."""

    def for_steps(self, max_steps: int) -> Engine:
        """The engine that runs with so many steps: this one, or one that `execute` and `values` leave it to."""
        return self

    def refused(self) -> dict[str, str]:
        """Programs that the engine itself cannot run and leaves to the next tier, and why."""
        return {}

    def internal_errors(self) -> InternalErrors:
        """Of these, those over which arcbatt itself failed."""
        return {}

    def paces(self, samples: Sequence[Sample]) -> dict[str, float]:
        """How many seconds of one core programs take for a sample, over a few; none where the engine cannot say."""
        return {}

    def forget_samples(self) -> None:  # noqa: B027 - most engines keep none
        """Drop samples that are kept near the processor from one run to the next, so that they are copied again."""

    @property
    def device(self) -> str:
        """What runs samples first, as `Outputs.devices` calls it."""
        return self.backend

    @property
    def device_stats(self) -> DeviceStats | None:
        """What the last run did on a GPU; None for engines without one."""
        return None

    @property
    def lost_device(self) -> str:
        """Why a GPU is not used any more, or nothing."""
        return ""
