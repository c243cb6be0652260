"""What solving was asked to do: one dataclass for the command line, the docs and the record."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Final

from arcbatt.errors import UsageError
from arcbatt.search.combine import Effort, Weights
from arcbatt.search.features import TIERS

MOST_PARENTS: Final = 32
MOST_TURNS: Final = 12
MOST_STEPS: Final = 4


@dataclass(frozen=True)
class SolveOptions:
    """How tasks are solved."""

    budget: float = 1.0
    """Seconds a task may take on one core."""
    families: tuple[str, ...] = ()
    """Families of features; none: all."""
    library: str = ""
    """Which state of a library of one's own gave features besides; nothing: none did."""
    without: tuple[str, ...] = ()
    """Combiners, of images and of grids, and views, that are left out, by name; "steps", in which what is explained is
    done first; and "traits", by which answers are compared with the demonstrations."""
    tiers: int = len(TIERS)
    """How many tiers of features are made at most."""
    leave_one_out: bool = True
    """Whether a task for which nothing is found is tried with one demonstration left out."""
    grow: int | None = None
    """Of how many images the images are made, where a task is not solved convincingly; None: by the time left."""
    grown_views: int = 2
    """In how many views."""
    turns: int | None = None
    """How many turned views are tried, where a task is not solved convincingly; None: by the time that is left."""
    convincing: float = 4.0
    """The length of a description up to which no more is tried."""
    dearest_parent: float = 1.5
    """What an image may cost that is looked at further."""
    threads: int | None = None
    backend: str = "cpu"
    """What makes images: `cpu`, or `cuda`, which makes those of many tasks at once."""
    size_hypotheses: int = 2
    weights: Weights = field(default_factory=Weights)
    effort: Effort = field(default_factory=Effort)

    def __post_init__(self) -> None:
        if not (math.isfinite(self.budget) and self.budget > 0):
            raise UsageError(f"--budget is a number of seconds above 0, got {self.budget}")
        if self.threads is not None and self.threads <= 0:
            raise UsageError(f"--threads is a number above 0, got {self.threads}")
