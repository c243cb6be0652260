"""What a run did on a GPU, for whoever measures."""

from __future__ import annotations

from dataclasses import dataclass


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
