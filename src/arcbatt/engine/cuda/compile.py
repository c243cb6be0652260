"""Kernels compiled by NVRTC and kept on disk, keyed by all that goes into them.

Machine code is looked for, in this order: built ahead (`engine/waves/ahead.py`), in the folders of ARCBATT_CUBINS, in
the package's `cubins` and in the cache's `ahead`; then in the cache; else it is compiled, once.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from arcbatt.compiler.abi import VERSION_TEXT
from arcbatt.engine.cuda.archive import archive_in, unpacked
from arcbatt.engine.cuda.nvrtc import find_nvrtc
from arcbatt.engine.cuda.source import kernel_source
from arcbatt.errors import ArcbattError
from arcbatt.support.aside import aside
from arcbatt.support.cache import cache_folder
from arcbatt.support.files import is_as_written, write_with_digest

LANES: Final = 32
"""Of a group: a warp."""
PREBUILT_VARIABLE: Final = "ARCBATT_CUBINS"
KERNELS: Final = "kernels"
"""The part of the cache folder that compiled kernels are kept in."""
_PACKAGED: Final = Path(__file__).parents[2] / "cubins"
_INSTEAD: Final[dict[Path, Path]] = {}
"""Temporary folders in place of those that cannot be written to."""

Progress = Callable[[int, int], None]


class CompileError(ArcbattError):
    """A kernel did not compile; the compiler's words are in the message."""


@dataclass(frozen=True)
class KernelOptions:
    """How a kernel is built: threads a block, blocks a multiprocessor at least."""

    threads: int
    blocks: int
    header: str
    """The header with its entry."""
    custom: str = ""
    """The functions of custom operations, as C++."""
    lanes: int = LANES
    """Threads of a group: one, a warp, or a block."""
    defines: tuple[str, ...] = ()
    """Macros beside those for the fields above, as `NAME=text`."""

    def source(self) -> str:
        """The source of the kernel; raises CompileError where its structs are not those this Python fills."""
        text = kernel_source(self.header, self.custom)
        if VERSION_TEXT not in text:
            raise CompileError("native/abi.h is of another version than compiler/abi.py; run: make native")
        return text

    def flags(self, arch: int) -> tuple[str, ...]:
        """The compiler's options for an architecture (90 for compute capability 9.0)."""
        return (
            "--std=c++17", "-default-device", f"--gpu-architecture=sm_{arch}",
            f"-DAB_LANES={self.lanes}", f"-DAB_THREADS={self.threads}", f"-DAB_BLOCKS={self.blocks}",
            *(f"-D{one}" for one in self.defines),
        )  # fmt: skip


def cubin(nvrtc: Any, options: KernelOptions, arch: int) -> Path:
    """The path of a kernel's machine code, compiled if there is none yet.

    `nvrtc` is CuPy's module of that name or `arcbatt.engine.cuda.nvrtc.find_nvrtc()`.
    """
    if found := kept_cubin(nvrtc, options, arch):
        return found
    path = _writable(cache_folder(KERNELS)) / file_name(options, arch, str(nvrtc.getVersion()))
    return path if is_as_written(path) else _build(nvrtc, options, arch, path)


def kept_cubin(nvrtc: Any, options: KernelOptions, arch: int) -> Path | None:
    """The path of a kernel's machine code where `cubin` would not have to compile it; only unpacked ones are written.

    Code that was built ahead for an older architecture of the same generation serves too (80 for 86 and 89).
    """
    folders = [folder for folder in prebuilt_folders() if folder.is_dir()]
    there = [number for number in generation(arch) if any(archive_in(one, number).is_file() for one in folders)]
    for number in there:
        into = cache_folder(KERNELS) / "unpacked"
        if found := unpacked(folders, number, file_name(options, number), into):
            return found
    kept = cache_folder(KERNELS)
    path = _INSTEAD.get(kept, kept) / file_name(options, arch, str(nvrtc.getVersion()))
    return path if is_as_written(path) else None


def find_compiler() -> Any:
    """CuPy's NVRTC where CuPy is installed, so that its kernels are found again; else NVIDIA's own."""
    try:
        return importlib.import_module("cupy").cuda.nvrtc
    except ImportError:
        return find_nvrtc()


def file_name(options: KernelOptions, arch: int, compiler: str = "") -> str:
    """What a kernel's file is called; what is built ahead is the same for every compiler."""
    parts = [VERSION_TEXT, options.source(), *options.flags(arch), *([compiler] if compiler else [])]
    return f"kernel-sm{arch}-{hashlib.sha256(chr(0).join(parts).encode()).hexdigest()[:32]}.cubin"


def compiled(nvrtc: Any, options: KernelOptions, arch: int) -> bytes:
    """A kernel's machine code, compiled now."""
    program = nvrtc.createProgram(options.source(), "arcbatt.cu", (), ())
    try:
        nvrtc.compileProgram(program, options.flags(arch))
        return bytes(nvrtc.getCUBIN(program))
    except nvrtc.NVRTCError as error:
        log = nvrtc.getProgramLog(program)[-4000:]
        raise CompileError(f"the GPU kernel did not compile for sm_{arch}: {error}\n{log}") from error
    finally:
        nvrtc.destroyProgram(program)


def _build(nvrtc: Any, options: KernelOptions, arch: int, path: Path) -> Path:
    """Compile into a file; of several processes that want it at once, one compiles and the others wait."""
    from filelock import FileLock

    with FileLock(path.with_name(path.name + ".lock")):
        if not is_as_written(path):
            write_with_digest(path, aside(lambda: compiled(nvrtc, options, arch)))
    return path


def prebuilt_folders() -> list[Path]:
    """Where machine code that was built ahead is looked for, in this order."""
    named = [Path(one) for one in os.environ.get(PREBUILT_VARIABLE, "").split(os.pathsep) if one]
    return [*named, _PACKAGED, ahead_folder()]


def ahead_folder() -> Path:
    """Where what is compiled ahead for this machine goes."""
    return cache_folder(KERNELS) / "ahead"


def generation(arch: int) -> range:
    """An architecture and the older ones whose code it runs (89 to 80)."""
    return range(arch, arch - arch % 10 - 1, -1)


def _writable(folder: Path) -> Path:
    """The folder, made; where it cannot be written to a temporary one, the same for all of a process, which is said."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError as error:
        if folder not in _INSTEAD:
            _INSTEAD[folder] = Path(tempfile.mkdtemp(prefix="arcbatt-"))
            print(
                f"arcbatt: {folder} cannot be written to ({error.strerror}); GPU kernels go to {_INSTEAD[folder]} and "
                "will be compiled again next time. ARCBATT_CACHE names another folder",
                file=sys.stderr,
                flush=True,
            )
        return _INSTEAD[folder]
