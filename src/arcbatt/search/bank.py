"""The bank: features compiled once, and the images they make of the inputs of many tasks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, groupby
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arcbatt.data.packing import pack_samples
from arcbatt.engine.api import RunRequest, Stop
from arcbatt.engine.choose import make_engine
from arcbatt.language.sample import Sample
from arcbatt.language.values import Grid
from arcbatt.search.features import Feature, as_programs, features

MAX_STEPS: Final = 200_000
"""Steps of a call: a feature that takes more is too slow to be one."""
LARGEST_IMAGE: Final = 1600
"""Cells; no output of ARC has more than 900."""


@dataclass(frozen=True)
class Images:
    """Images by sample and feature, as `engine.outputs.Grids` has them, and what each feature costs."""

    cells: NDArray[np.int8]
    offset: NDArray[np.int64]
    height: NDArray[np.int32]
    width: NDArray[np.int32]
    cost: NDArray[np.float32]

    def rows(self, start: int, stop: int) -> Images:
        """The images of some of the samples."""
        some = slice(start, stop)
        return Images(self.cells, self.offset[some], self.height[some], self.width[some], self.cost)

    def grids(self, feature: int) -> list[Grid | None]:
        """What a feature gave for each sample, None where it failed or gave no grid."""
        made: list[Grid | None] = []
        for sample, start in enumerate(self.offset[:, feature].tolist()):
            tall, wide = int(self.height[sample, feature]), int(self.width[sample, feature])
            cells = self.cells[start : start + tall * wide].reshape(tall, wide)
            made.append(None if start < 0 else tuple(map(tuple, cells.tolist())))
        return made


class Bank:
    """Features, compiled tier by tier; every feature of a tier is a column of its images."""

    def __init__(
        self, chosen: Sequence[Feature] | None = None, threads: int | None = None, backend: str = "cpu"
    ) -> None:
        given = features() if chosen is None else chosen
        self.features = tuple(sorted(given, key=lambda feature: feature.tier))
        by_tier = {tier: tuple(some) for tier, some in groupby(self.features, key=lambda feature: feature.tier)}
        self._tiers = [_Tier(by_tier.get(tier, ()), threads, backend) for tier in range(max(by_tier, default=0) + 1)]
        self.firsts = tuple(accumulate((len(tier) for tier in self._tiers), initial=0))
        """The number of the first feature of each tier, and the end."""

    @property
    def tiers(self) -> int:
        """How many tiers there are."""
        return len(self._tiers)

    def images(self, inputs: Sequence[Grid], stop: Stop | None = None, tier: int = 0) -> Images | None:
        """The images that the features of a tier make of all inputs; None where `stop` said so."""
        return self._tiers[tier].images(inputs, stop)


class _Tier:
    """Features that are run together."""

    def __init__(self, chosen: tuple[Feature, ...], threads: int | None, backend: str) -> None:
        self._cost = np.array([feature.cost for feature in chosen], np.float32)
        self._engine = make_engine(backend, as_programs(chosen), threads=threads) if chosen else None

    def __len__(self) -> int:
        return len(self._cost)

    def images(self, inputs: Sequence[Grid], stop: Stop | None) -> Images | None:
        if self._engine is None:
            none = np.empty((len(inputs), 0), np.int64)
            return Images(np.empty(0, np.int8), none, none.astype(np.int32), none.astype(np.int32), self._cost)
        samples = [Sample(grid, (), None) for grid in inputs]
        request = RunRequest(
            pack_samples(samples), "grid", LARGEST_IMAGE, MAX_STEPS, complete=False, stop=stop, exact=False
        )
        out = self._engine.execute(request)
        if not out.done.all() or out.grids is None:
            return None
        grids = out.grids
        return Images(grids.cells, grids.offset, grids.height, grids.width, self._cost)


@lru_cache(maxsize=2)
def bank_of(
    families: tuple[str, ...], threads: int | None, more: tuple[Feature, ...] = (), backend: str = "cpu"
) -> Bank:
    """The bank of families, and of features besides; compiled in the first call and kept."""
    return Bank([*features(families), *more], threads, backend)
