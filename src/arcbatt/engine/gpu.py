"""An engine of one GPU: a tier on the device, and the CPU below it. What the tier does is in `waves/`."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property

from arcbatt.compiler.program_set import CompiledSet
from arcbatt.engine.cpu import CpuTier
from arcbatt.engine.tiers import Tier, TieredEngine
from arcbatt.errors import UsageError
from arcbatt.language.failures import Outcome
from arcbatt.language.sample import Sample


def one_device(devices: Sequence[int], visible: int) -> int:
    """The GPU that was named, or the first; UsageError where several are, or it is not there."""
    if len(devices) > 1:
        raise UsageError(f"one GPU per process for now, {len(devices)} were named")
    device = devices[0] if devices else 0
    if device >= visible:
        raise UsageError(f"no GPU number {device}: {visible} are visible (see nvidia-smi)")
    return device


class GpuTier(Tier):
    """Programs on one GPU, by its number."""

    def __init__(self, compiled: CompiledSet, device: int) -> None:
        super().__init__(compiled)
        self.device = device
        self.lost = ""
        """Why the device is not used any more."""


class GpuEngine(TieredEngine):
    """An engine whose first tier is on one GPU; what that leaves runs on the CPU, which has `threads`."""

    @property
    @abstractmethod
    def gpu(self) -> GpuTier:
        """The tier on the GPU."""

    @cached_property
    def _cpu(self) -> CpuTier:
        return CpuTier(self.compiled, threads=self.threads)

    @property
    def first(self) -> Tier:
        """The GPU, as long as it can be used."""
        return self.start()[0]

    def start(self) -> tuple[Tier, str]:
        """The GPU; or the CPU, and why the GPU was lost."""
        lost = self.gpu.lost  # read once: another thread's run may lose it now
        return (self._cpu, lost) if lost else (self.gpu, "")

    def below(self) -> CpuTier:
        """The CPU."""
        return self._cpu

    def _values(self, sample: Sample, max_steps: int, max_total: int) -> dict[str, Outcome]:
        return self._cpu.values(sample, max_steps, max_total, self.dynamic)  # one sample is no work for a GPU

    def paces(self, samples: Sequence[Sample]) -> dict[str, float]:
        """How many seconds of one core of the CPU programs take for a sample: slow there is slow here, mostly."""
        return self._cpu.paces(samples, self.dynamic)

    @property
    def device(self) -> str:
        """The GPU by number."""
        return f"{self.backend}:{self.gpu.device}"

    @property
    def lost_device(self) -> str:
        """Why the GPU is not used any more, or nothing."""
        return self.gpu.lost
