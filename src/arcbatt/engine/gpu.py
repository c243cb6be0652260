"""An engine of one GPU: a tier on the device, and the CPU below it. What the tier does is in `waves/`."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import cache, cached_property, partial

from arcbatt.compiler.internal_errors import InternalErrors
from arcbatt.compiler.program_set import CompiledSet
from arcbatt.engine.cpu import CpuTier
from arcbatt.engine.parted import PartedSet
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


class PartsTier(CpuTier):
    """The CPU below a GPU, for a set in parts: what it refuses is known without bytecode of the whole."""

    def __init__(self, compiled: PartedSet, *, threads: int) -> None:
        super().__init__(compiled, threads=threads)
        self._of_parts = compiled

    @cached_property
    def _tiers(self) -> list[CpuTier]:
        return [CpuTier(part) for part in self._of_parts.parts]

    @property
    def _whole(self) -> bool:
        """Whether there is bytecode of the whole, or has to be."""
        return bool(self._failed) or "_ready" in vars(self)

    def refused(self) -> dict[str, str]:
        """Programs that have no bytecode, and why."""
        if self._whole:
            return super().refused()
        return {name: why for tier in self._tiers for name, why in tier.refused().items()}

    def internal_errors(self) -> InternalErrors:
        """Of these, those over which arcbatt itself failed."""
        if self._whole:
            return super().internal_errors()
        return {name: error for tier in self._tiers for name, error in tier.internal_errors().items()}


def _lower_tier(compiled: CompiledSet, threads: int) -> CpuTier:
    if isinstance(compiled, PartedSet):
        return PartsTier(compiled, threads=threads)
    return CpuTier(compiled, threads=threads)


class GpuEngine(TieredEngine):
    """An engine whose first tier is on one GPU; what that leaves runs on the CPU, which has `threads`."""

    def __init__(self, compiled: CompiledSet, threads: int) -> None:
        super().__init__(compiled, threads)
        self.cpu = cache(partial(_lower_tier, compiled, threads))
        """The CPU. The tier above asks for it as well, and must not hold the engine: that would keep a GPU's memory."""

    @property
    @abstractmethod
    def gpu(self) -> GpuTier:
        """The tier on the GPU."""

    @property
    def first(self) -> Tier:
        """The GPU, as long as it can be used."""
        return self.start()[0]

    def start(self) -> tuple[Tier, str]:
        """The GPU; or the CPU, and why the GPU was lost."""
        lost = self.gpu.lost  # read once: another thread's run may lose it now
        return (self.cpu(), lost) if lost else (self.gpu, "")

    def below(self) -> CpuTier:
        """The CPU."""
        return self.cpu()

    def _values(self, sample: Sample, max_steps: int, max_total: int) -> dict[str, Outcome]:
        return self.cpu().values(sample, max_steps, max_total, self.dynamic)  # one sample is no work for a GPU

    def paces(self, samples: Sequence[Sample]) -> dict[str, float]:
        """How many seconds of one core of the CPU programs take for a sample: slow there is slow here, mostly."""
        return self.cpu().paces(samples, self.dynamic)

    @property
    def device(self) -> str:
        """The GPU by number."""
        return f"{self.backend}:{self.gpu.device}"

    @property
    def lost_device(self) -> str:
        """Why the GPU is not used any more, or nothing."""
        return self.gpu.lost
