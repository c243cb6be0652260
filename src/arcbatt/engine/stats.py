"""What a run did on a GPU, for whoever measures."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from arcbatt.engine.cuda.traffic import Traffic


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


@dataclass
class KernelStats:
    """What the launches of a run did on a GPU, and where items went that did not fit."""

    traffic: Traffic = field(default_factory=Traffic)
    launches_ms: list[float] = field(default_factory=list)
    """What each took on the device."""
    checkpoints: int = 0
    """Loops that were shared out."""
    parts: int = 0
    """Parts they were shared out in."""
    ticks: list[tuple[NDArray[np.uint32], NDArray[np.uint32]]] = field(default_factory=list)
    """Of each list of tasks, the tasks and the clock cycles each took over 16; where that was asked for."""
    items: int = 0
    bigger_arenas: list[int] = field(default_factory=list)
    """Items that ran again in arenas of the second size, of the third, ..."""
    on_cpu: int = 0
    """Evaluations that fitted no arena and ran on the CPU engine."""
    objects_ms: float = 0.0
    """What finding the objects of inputs took on the device, before programs ran."""

    @property
    def kernel_ms(self) -> float:
        """What all launches took on the device."""
        return sum(self.launches_ms) + self.objects_ms

    def ran_again(self, size: int, count: int) -> None:
        """Count items that ran again in bigger arenas (1 for the second size)."""
        self.bigger_arenas += [0] * (size - len(self.bigger_arenas))
        self.bigger_arenas[size - 1] += count
