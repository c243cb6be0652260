"""A run put together from parts: outcomes placed by sample, rerouted evaluations counted under one list of routes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arcbatt.engine.outputs import Outputs, Wanted


class Gathered:
    """Outcomes of a run that arrive in parts, in any order. `finished` gives the whole."""

    def __init__(self, names: list[str], samples: int, wanted: Wanted) -> None:
        self.result = Outputs.empty(names, samples, wanted)
        self._wanted = wanted
        self._cells: list[NDArray[np.int8]] = []
        self._total = 0
        self._dynamic = self._all = 0.0

    def put(self, rows: NDArray[np.int64], part: Outputs) -> None:
        """Place the outcomes of some samples."""
        result = self.result
        result.put(rows, part, self._total)
        if part.grids is not None:
            self._cells.append(part.grids.cells)
            self._total += len(part.grids.cells)
        numbers = np.array([0, *map(result.route_number, part.routes)], np.uint8)
        result.route[rows] = numbers[part.route]
        if part.devices:
            places = np.array([*map(result.device_number, part.devices)], np.uint8)
            result.device[rows] = places[part.device]
        result.done[rows] = part.done
        result.grown += part.grown
        result.peak_bytes = max(result.peak_bytes, part.peak_bytes)
        result.recovered_errors += part.recovered_errors
        result.program_routes |= part.program_routes
        result.internal_errors |= part.internal_errors
        self._dynamic += part.seconds.get("dynamic", 0.0)
        self._all += sum(part.seconds.values())

    @property
    def done(self) -> int:
        """How many samples are finished."""
        return int(self.result.done.sum())

    def finished(self, seconds: float) -> Outputs:
        """The whole; the seconds it took are shared out as those of the parts."""
        result = self.result
        if result.grids is not None and self._cells:
            result.grids.cells = np.concatenate(self._cells)
        dynamic = seconds * self._dynamic / self._all if self._all else 0.0
        result.seconds = {"run": seconds - dynamic, "dynamic": dynamic}
        return result.trimmed(self._wanted)
