"""What a batch leaves on a GPU."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from arcbatt.engine.outputs import Wanted


@dataclass
class Results:
    """The results of programs on samples, on the device."""

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
