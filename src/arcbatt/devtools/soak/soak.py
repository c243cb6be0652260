"""What every kind of work of a soak is given: where to count, where to put findings, a folder, and when to stop."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from arcbatt.devtools.soak.counts import Counts
from arcbatt.devtools.soak.findings import Findings


@dataclass
class Soak:
    """A soak that is going on."""

    counts: Counts
    findings: Findings
    folder: Path
    """For whatever is needed on the way; gone at the end."""
    stop: Callable[[], bool] = lambda: False
    solvers: Sequence[Path] = ()
    _made: dict[str, Path] = field(default_factory=dict)

    def made(self, name: str, make: Callable[[Path], None]) -> Path:
        """A folder that is made when it is first asked for, and then stays as it is."""
        if name not in self._made:
            folder = self.folder / name
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            make(folder)
            self._made[name] = folder
        return self._made[name]


Work = Callable[[int, Soak], None]
"""A piece of work by its seed."""
