"""Which GPUs there are."""

from __future__ import annotations

import importlib
import re
from dataclasses import dataclass
from typing import Any, Final

from arcbatt.engine.choose import gpu_count, why_no_gpu
from arcbatt.errors import UsageError

_MODEL: Final = re.compile(r"\b(?:[A-Z]{1,2}\d{1,4}[A-Z]?|(?:RTX|GTX) (?:PRO |A)?\d{4}\w*(?: (?:Ti|SUPER))?)\b")
"""A GPU's model inside its name: T4, P100, L4, A100, H200, GB200, RTX 4090, RTX PRO 6000, ..."""
_ARCHITECTURES: Final = (
    (6, 0, "Pascal"), (7, 0, "Volta"), (7, 5, "Turing"), (8, 0, "Ampere"), (8, 9, "Ada"), (9, 0, "Hopper"),
    (10, 0, "Blackwell"), (13, 0, "newer than Blackwell"),
)  # fmt: skip
"""From which compute capability on an architecture is called what."""
OLDEST: Final = (6, 0)
"""The compute capability that the kernel needs at least."""


@dataclass(frozen=True)
class Device:
    """A GPU, with its memory in bytes."""

    number: int
    name: str
    capability: tuple[int, int]
    memory: int
    free_memory: int

    @property
    def architecture(self) -> str:
        """What NVIDIA calls its generation."""
        known = [name for major, minor, name in _ARCHITECTURES if (major, minor) <= self.capability]
        return known[-1] if known else "older than Pascal"

    @property
    def kind(self) -> str:
        """Its model in short, such as T4, P100 or L4; its architecture where the name has none."""
        found = _MODEL.search(self.name)
        return found[0] if found else self.architecture

    @property
    def supported(self) -> bool:
        """Whether the engine runs on it."""
        return self.capability >= OLDEST


def devices() -> list[Device]:
    """Every GPU that can be used, by number; none where there is no GPU, driver or CuPy."""
    return [device(number) for number in range(gpu_count())]


def device(number: int) -> Device:
    """One GPU."""
    cupy = cupy_for(number)
    properties = cupy.cuda.runtime.getDeviceProperties(number)
    with cupy.cuda.Device(number):
        free, total = cupy.cuda.runtime.memGetInfo()
    return Device(
        number,
        properties["name"].decode(),
        (int(properties["major"]), int(properties["minor"])),
        int(total),
        int(free),
    )


def cupy_for(number: int) -> Any:
    """CuPy, given that there is a GPU of that number."""
    if problem := why_no_gpu():
        raise UsageError(f"no GPU to use: {problem}")
    count = gpu_count()
    if not 0 <= number < count:
        raise UsageError(f"no GPU number {number}: {count} are visible (see nvidia-smi)")
    return importlib.import_module("cupy")
