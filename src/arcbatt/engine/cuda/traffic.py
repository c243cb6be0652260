"""What goes between a host and its GPU: counted, timed by stage, and marked for NVIDIA's profilers (NVTX)."""

from __future__ import annotations

import importlib
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

_OF_THE_DEVICE: Final = frozenset({"copy", "objects", "launch", "fetch"})


class Span(NamedTuple):
    """A stage's stretch of time on the host, by `time.perf_counter`."""

    stage: str
    """pack, slice, copy, objects, launch or fetch"""
    start: float
    seconds: float


@dataclass
class Traffic:
    """Launches and transfers of a run; bytes are those of the arrays."""

    launches: int = 0
    uploads: int = 0
    uploaded: int = 0
    """Bytes to the device."""
    downloads: int = 0
    downloaded: int = 0
    """Bytes from the device."""
    spans: list[Span] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)
    """Transfers may run beside a launch, in their own threads."""

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time a stage, and mark it."""
        nvtx = _nvtx()
        if nvtx:
            nvtx.RangePush(f"arcbatt {name}")
        start = time.perf_counter()
        try:
            yield
        finally:
            self.spans.append(Span(name, start, time.perf_counter() - start))
            if nvtx:
                nvtx.RangePop()

    @contextmanager
    def sending(self, size: int) -> Iterator[None]:
        """Count and time a transfer of so many bytes to the device."""
        with self._lock:
            self.uploads += 1
            self.uploaded += size
        with self.stage("copy"):
            yield

    @contextmanager
    def fetching(self, size: int) -> Iterator[None]:
        """Count and time a transfer from the device."""
        with self._lock:
            self.downloads += 1
            self.downloaded += size
        with self.stage("fetch"):
            yield

    def upload(self, array: Any) -> Any:
        """A host's array on the device."""
        with self.sending(array.nbytes):
            return importlib.import_module("cupy").asarray(array)

    def download(self, array: Any, out: Any = None) -> Any:
        """A device's array on the host."""
        with self.fetching(array.nbytes):
            return array.get() if out is None else array.get(out=out)

    def seconds(self, stage: str) -> float:
        """What a stage took altogether."""
        return sum(span.seconds for span in self.spans if span.stage == stage)

    def busy(self) -> float:
        """Seconds in which something was copied, run or fetched; what went on at once counts once."""
        spans = sorted((one.start, one.start + one.seconds) for one in self.spans if one.stage in _OF_THE_DEVICE)
        total, end = 0.0, float("-inf")
        for first, last in spans:
            total += max(0.0, last - max(first, end))
            end = max(end, last)
        return total


def _nvtx() -> Any:
    """CuPy's NVTX, if it has one."""
    nvtx = getattr(importlib.import_module("cupy").cuda, "nvtx", None)
    return nvtx if nvtx is not None and getattr(nvtx, "available", True) else None
