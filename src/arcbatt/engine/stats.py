"""What a run did on a GPU, for whoever measures."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Tried:
    """Some samples and values that were run together."""

    samples: int
    values: int
    milliseconds: float
    fitted: bool

    def __str__(self) -> str:
        how = "" if self.fitted else ", which did not fit"
        return f"{self.samples:,} samples x {self.values:,} values in {self.milliseconds:,.0f} ms{how}"


@dataclass(frozen=True)
class DeviceStats:
    """What a run did on a GPU."""

    milliseconds: float
    """Until the GPU was done: inputs copied to it, waves, results fetched."""
    batches: tuple[int, ...]
    """Samples of each."""
    waves: int
    """Of a batch."""
    heap_bytes: int
    """What values may take."""
    on_cpu: int
    """Evaluations left to the CPU."""
    tried: tuple[Tried, ...] = ()
    """All that was run, in order: a batch that does not fit is run again in smaller ones, or without some values."""
