"""The GPU kernel compiled by NVRTC and kept on disk, keyed by all that goes into it."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from arcbatt.backends.cuda_source import ENTRY as SAMPLES_HEADER
from arcbatt.backends.cuda_source import kernel_source
from arcbatt.errors import ArcbattError
from arcbatt.files import beside

ENTRY: Final = "arcbatt_run"


class CompileError(ArcbattError):
    """The kernel did not compile; the compiler's words are in the message."""


@dataclass(frozen=True)
class KernelOptions:
    """How the kernel is built: lanes a group, threads a block, blocks a multiprocessor at least."""

    lanes: int = 32
    threads: int = 128
    blocks: int = 4
    fast_compile: str = ""
    """A level for the compiler's own switch (min, mid, max), or nothing: sooner compiled, slower to run."""
    header: str = SAMPLES_HEADER
    """The header of the kernel: programs on samples, or calls of arguments."""
    custom: str = ""
    """The functions of operations of one's own, as C++."""

    def source(self) -> str:
        """The source of the kernel."""
        return kernel_source(self.header, self.custom)

    def flags(self, arch: int) -> tuple[str, ...]:
        """The compiler's options for an architecture (90 for compute capability 9.0)."""
        fast = (f"--Ofast-compile={self.fast_compile}",) if self.fast_compile else ()
        return (
            "--std=c++17", "-default-device", f"--gpu-architecture=sm_{arch}", *fast,
            f"-DAB_LANES={self.lanes}", f"-DAB_THREADS={self.threads}", f"-DAB_BLOCKS={self.blocks}",
        )  # fmt: skip


def cache_folder() -> Path:
    """Where compiled kernels are kept; ARCBATT_CACHE says otherwise."""
    base = os.environ.get("ARCBATT_CACHE")
    return Path(base) if base else Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")).expanduser() / "arcbatt"


def cubin(nvrtc: Any, options: KernelOptions, arch: int, *, folder: Path | None = None) -> Path:
    """The path of the kernel's machine code, compiled if it is not kept yet. `nvrtc` is CuPy's module of that name."""
    flags = options.flags(arch)
    source = options.source()
    key = hashlib.sha256("\0".join([source, *flags, str(nvrtc.getVersion())]).encode()).hexdigest()[:32]
    path = (folder or cache_folder()) / f"kernel-sm{arch}-{key}.cubin"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        code = _compiled(nvrtc, source, flags)
        with beside(path, "wb") as file:
            file.write(code)
    return path


def _compiled(nvrtc: Any, source: str, flags: tuple[str, ...]) -> bytes:
    program = nvrtc.createProgram(source, "arcbatt.cu", (), ())
    try:
        nvrtc.compileProgram(program, flags)
        return bytes(nvrtc.getCUBIN(program))
    except nvrtc.NVRTCError as error:
        raise CompileError(f"the GPU kernel did not compile: {nvrtc.getProgramLog(program)[-4000:]}") from error
    finally:
        nvrtc.destroyProgram(program)
