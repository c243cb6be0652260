"""Compiling many kernels at a time, by processes: within one process NVRTC compiles one after the other.

A process reads what to compile from its input and leaves it in the cache, where whoever started it looks next; one
that fails costs time, nothing else.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final

from arcbatt.engine.cuda.compile import CompileError, KernelOptions, cubin
from arcbatt.engine.cuda.nvrtc import find_nvrtc
from arcbatt.errors import UsageError

_EACH: Final = 4
"""Kernels for which a process is worth starting."""


def compile_beside(nvrtc: Any, wanted: Sequence[KernelOptions], arch: int) -> None:
    """Have processes compile kernels into the cache, if they have the same compiler; wait for them."""
    count = min(os.cpu_count() or 1, len(wanted) // _EACH)
    if count < 2 or not _same_compiler(nvrtc):
        return
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-m", __name__]
    workers = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment)
        for _ in range(count)
    ]
    try:
        for number, worker in enumerate(workers):
            assert worker.stdin is not None
            worker.stdin.write(pickle.dumps((arch, wanted[number::count])))
            worker.stdin.close()
        for worker in workers:
            worker.wait()
    finally:  # an interrupt ends them, too
        for worker in workers:
            worker.terminate()


def _same_compiler(nvrtc: Any) -> bool:
    try:
        return tuple(find_nvrtc().getVersion()) == tuple(nvrtc.getVersion())
    except UsageError:
        return False


def _main() -> None:
    arch, wanted = pickle.load(sys.stdin.buffer)
    nvrtc = find_nvrtc()
    for one in wanted:
        with suppress(CompileError):  # whoever started this meets it again, and says so
            cubin(nvrtc, one, arch)


if __name__ == "__main__":
    _main()
