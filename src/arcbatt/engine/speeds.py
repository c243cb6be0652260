"""How fast the engines of this machine are, as it was measured here; kept in the cache folder, a file for all.

An engine takes some seconds to start and then does so many evaluations a second; where two of them cross over follows.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from arcbatt._version import __version__
from arcbatt.support.cache import cache_folder
from arcbatt.support.files import atomic_write
from arcbatt.support.machine import cores, gpu_models, processor

FILE: Final = "speeds.json"


@dataclass(frozen=True)
class Speed:
    """Seconds until an engine is at work, and evaluations a second from then on; `when` it was measured."""

    start: float
    rate: float
    when: str = ""

    def seconds(self, evaluations: float) -> float:
        """How long so many evaluations take."""
        return self.start + evaluations / self.rate


def crossover(one: Speed, other: Speed) -> int | None:
    """From how many evaluations on the other engine is the faster one; None if it never is."""
    gain = 1 / one.rate - 1 / other.rate
    if gain <= 0:
        return 0 if other.start < one.start and gain == 0 else None
    return max(0, round((other.start - one.start) / gain))


def machine_key() -> str:
    """What a measurement holds for: this version on this processor, with these GPUs and the choice among them."""
    gpus = "".join(f", {model}" for model in gpu_models())
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    chosen = f" (of them {visible})" if visible else ""
    return f"arcbatt {__version__}, {processor()}, {cores()} cores{gpus}{chosen}"


def known_speeds(folder: Path | None = None) -> dict[str, Speed]:
    """What was measured on this machine, by engine."""
    return {name: Speed(**one) for name, one in _read(folder).get("speeds", {}).items()}


def record_speeds(speeds: dict[str, Speed], folder: Path | None = None) -> None:
    """Keep measurements; those of other engines stay."""
    _write("speeds", {name: asdict(speed) for name, speed in speeds.items()}, folder)


def known_start(name: str, folder: Path | None = None) -> float | None:
    """Seconds an engine took to start when it was last started by `auto` or measured; None if it never was."""
    found = _read(folder).get("starts", {}).get(name)
    return None if found is None else float(found)


def record_start(name: str, seconds: float, folder: Path | None = None) -> None:
    """Keep how long an engine took to start."""
    _write("starts", {name: seconds}, folder)


def _path(folder: Path | None) -> Path:
    return (folder or cache_folder()) / FILE


def _all(folder: Path | None) -> dict[str, Any]:
    try:
        found = json.loads(_path(folder).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _read(folder: Path | None) -> dict[str, Any]:
    found = _all(folder).get(machine_key(), {})
    return found if isinstance(found, dict) else {}


def _write(part: str, values: dict[str, Any], folder: Path | None) -> None:
    """Keep values; a cache that cannot be written is none, which is no reason to fail."""
    everything = _all(folder)
    mine = everything.setdefault(machine_key(), {})
    mine.setdefault(part, {}).update(values)
    try:
        _path(folder).parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(_path(folder)) as file:
            json.dump(everything, file, indent=2)
            file.write("\n")
    except OSError:
        pass
