"""Where the time of a schedule of waves goes: its launches one after the other, each between events."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from arcbatt.compiler.abi import WAVE_PHASES
from arcbatt.compiler.wave_kernels import WaveKernel
from arcbatt.compiler.wave_parts import Wave
from arcbatt.data.packing import PackedSamples
from arcbatt.engine.waves.plan import calls
from arcbatt.engine.waves.runner import WaveRunner

_SPIN: Final = """
extern "C" __global__ void spin(long long ticks) { for (long long t = clock64(); clock64() - t < ticks;); }
"""
_SPIN_TICKS: Final = 10_000_000
_AT_A_TIME: Final = 200
_PHASES: Final = {number: name for name, number in WAVE_PHASES.items()}
_SHOWN: Final = 0.3
"""Milliseconds of a wave from which on it is shown as part of the longest way."""


@dataclass
class Timed:
    """Calls of a kernel and the milliseconds they took."""

    calls: int = 0
    milliseconds: float = 0.0
    launches: int = 0
    longest: float = 0.0
    """Milliseconds of the longest launch."""
    by_blocks: float = 0.0
    """Milliseconds of what was left to blocks."""

    @property
    def rate(self) -> float:
        """Millions of calls a second."""
        return self.calls / max(self.milliseconds, 1e-9) / 1e3


@dataclass
class Profile:
    """Times by kernel, and of each wave."""

    waves: list[Wave]
    kernels: dict[WaveKernel, Timed] = field(default_factory=lambda: defaultdict(Timed))
    single: list[float] = field(default_factory=list)
    """Milliseconds of each wave, all of its launches where it is repeated."""

    def way(self) -> tuple[float, list[int]]:
        """The longest way from wave to wave: its milliseconds, and the waves."""
        ends: list[float] = []
        before: list[int] = []
        for number, wave in enumerate(self.waves):
            last = max(wave.after, key=lambda one: ends[one], default=-1)
            before.append(last)
            ends.append(self.single[number] + (ends[last] if last >= 0 else 0.0))
        at = max(range(len(ends)), key=ends.__getitem__, default=-1)
        took, way = ends[at] if ends else 0.0, []
        while at >= 0:
            way.append(at)
            at = before[at]
        return took, way[::-1]

    def lines(self, kernels: int) -> Iterator[str]:
        """All of it for people: the kernels that take most of the time, the longest waves, the longest way."""
        yield f"{sum(self.single):.1f} ms one after the other, of which"
        for kernel in sorted(self.kernels, key=lambda one: -self.kernels[one].milliseconds)[:kernels]:
            one = self.kernels[kernel]
            yield (
                f"  {one.milliseconds:8.2f} ms {one.calls:10} calls {one.launches:4} launches, "
                f"longest {one.longest:7.2f}, by blocks {one.by_blocks:7.2f}  {kernel.name[:80]}"
            )
        phases: dict[int, float] = defaultdict(float)
        for kernel, one in self.kernels.items():
            phases[kernel.phase] += one.milliseconds
        yield "  " + ", ".join(f"{_PHASES[phase]} {took:.1f} ms" for phase, took in sorted(phases.items()))
        took, way = self.way()
        yield f"  the longest way: {took:.1f} ms over {len(way)} waves, of which"
        for number in way:
            if self.single[number] >= _SHOWN:
                wave = self.waves[number]
                yield f"    {self.single[number]:8.2f} ms, {len(wave.nodes)} nodes: {wave.kernel.name[:90]}"


def profile(runner: WaveRunner, data: PackedSamples) -> Profile:
    """Every launch by itself, behind a kernel that spins until some of them are queued."""
    cupy = runner.cupy
    spin = cupy.RawKernel(_SPIN, "spin")
    found = Profile(runner.schedule.waves, single=[0.0] * len(runner.schedule.waves))
    for warm in (True, False):
        with runner.stream:
            plan = runner.prepare(data)
            for first, end in plan.stretches():
                for at in range(first, end, _AT_A_TIME):
                    spin((1,), (1,), (np.int64(1 if warm else _SPIN_TICKS),))
                    some = range(at, min(at + _AT_A_TIME, end))
                    events = [plan.launches[number].timed(cupy) for number in some]
                    runner.stream.synchronize()
                    if not warm:
                        _count(cupy, found, plan.counts(), dict(zip(some, events, strict=True)))
    return found


def _count(cupy: Any, found: Profile, counts: list[int], events: dict[int, tuple[Any, Any, Any]]) -> None:
    for number, (start, middle, end) in events.items():
        wave, took = found.waves[number], float(cupy.cuda.get_elapsed_time(start, end))
        found.single[number] += took
        one = found.kernels[wave.kernel]
        one.calls += calls([wave], counts)
        one.milliseconds += took
        one.launches += 1
        one.longest = max(one.longest, took)
        one.by_blocks += float(cupy.cuda.get_elapsed_time(middle, end))
