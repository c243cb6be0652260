"""What a run on a GPU leaves: results on the device, and counts of what its launches did."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from arcbatt.engine.cuda.cpu_spill import Leftovers
from arcbatt.engine.cuda.launch import Counts
from arcbatt.engine.outputs import Wanted


@dataclass
class RunStats(Counts):
    """What the launches of a run took, and where items went that did not fit."""

    items: int = 0
    tiers: list[int] = field(default_factory=list)
    """Items that went to the second tier, the third, ..."""
    open_samples: int = 0
    """Samples of which the reference has something to complete."""
    on_cpu: int = 0
    """Evaluations that fitted no tier and ran on the CPU engine."""
    objects_ms: float = 0.0
    """What finding the objects of inputs took on the device, before programs ran."""

    @property
    def kernel_ms(self) -> float:
        """What all launches took on the device."""
        return sum(self.launches_ms) + self.objects_ms

    def moved(self, tier: int, count: int) -> None:
        """Count items that went on to a tier (1 for the second)."""
        self.tiers += [0] * (tier - len(self.tiers))
        self.tiers[tier - 1] += count


@dataclass
class Results:
    """The results of a launch on the device."""

    statuses: Any
    matches: Any
    agreement: Any
    hashes: Any
    offset: Any
    height: Any
    width: Any
    pool: Any

    @classmethod
    def make(cls, cupy: Any, samples: int, columns: int, wanted: Wanted, pool_bytes: int) -> Results:
        """Room for so many samples and programs, and for so many bytes of grids where they are wanted."""
        shape, none = (samples, columns), (0,)
        kept = shape if wanted == "grid" else none
        return cls(
            cupy.zeros(shape, np.uint8), cupy.zeros(shape, np.uint8), cupy.zeros(shape, np.uint16),
            cupy.zeros(none if wanted == "match" else shape, np.uint64), cupy.full(kept, -1, np.int64),
            cupy.zeros(kept, np.int32), cupy.zeros(kept, np.int32),
            cupy.empty(pool_bytes if wanted == "grid" else 0, np.int8),
        )  # fmt: skip


@dataclass(frozen=True)
class Ran:
    """What a part gave: its results, how much of their pool is in use, how many tiers ran, the last one's arenas."""

    out: Results
    pool_used: int
    tiers: int
    arena_bytes: int
    leftovers: Leftovers
    """What the CPU engine has begun meanwhile of what did not fit."""
