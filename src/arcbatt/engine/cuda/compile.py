"""The GPU kernel compiled by NVRTC and kept on disk, keyed by all that goes into it.

Machine code is looked for, in this order: built ahead, in the folders of ARCBATT_CUBINS, in the package's `cubins`
and where `compile_ahead` puts it; then in the cache; else it is compiled, which takes up to a minute, once.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from arcbatt.compiler.abi import VERSION_TEXT
from arcbatt.engine.cuda.archive import archive_in, unpacked
from arcbatt.engine.cuda.cubin_file import is_cubin
from arcbatt.engine.cuda.nvrtc import find_nvrtc
from arcbatt.engine.cuda.source import ENTRY as SAMPLES_HEADER
from arcbatt.engine.cuda.source import kernel_source
from arcbatt.errors import ArcbattError, UsageError
from arcbatt.support.aside import aside
from arcbatt.support.cache import cache_folder
from arcbatt.support.files import atomic_write

ENTRY: Final = "arcbatt_run"
ARENA_BYTES: Final = 4 << 20
"""Of a resident group of lanes, at first."""
_FAST_COMPILE_SINCE: Final = (12, 8)
"""The first NVRTC that has the switch."""
LANES: Final = 32
"""Of a group: a warp."""
PREBUILT_VARIABLE: Final = "ARCBATT_CUBINS"
ARCHIVED: Final = "waves/"
"""Headers of kernels that are many, and kept in archives."""
KERNELS: Final = "kernels"
"""The part of the cache folder that compiled kernels are kept in."""
_PACKAGED: Final = Path(__file__).parents[2] / "cubins"
_DIGEST: Final = ".sha256"
_SECONDS_BETWEEN_LOOKS: Final = 0.1

Say = Callable[[str], None]
Progress = Callable[[int, int], None]


class CompileError(ArcbattError):
    """The kernel did not compile; the compiler's words are in the message."""


@dataclass(frozen=True)
class KernelOptions:
    """How the kernel is built: threads a block, blocks a multiprocessor at least."""

    threads: int = 512
    blocks: int = 1
    fast_compile: str = "mid"
    """A level for the compiler's own switch (min, mid, max): sooner compiled, a little slower to run; or nothing."""
    header: str = SAMPLES_HEADER
    """The header of the kernel: programs on samples, or calls of arguments."""
    custom: str = ""
    """The functions of custom operations, as C++."""
    lanes: int = LANES
    """Threads of a group: a warp, or one."""
    defines: tuple[str, ...] = ()
    """Macros beside those for the fields above, as `NAME=text`."""

    @property
    def whole(self) -> KernelOptions:
        """The same fully optimized: minutes to compile, a seventh faster to run."""
        return replace(self, fast_compile="")

    @property
    def time(self) -> str:
        """How long it takes to compile, in words."""
        return "half a minute" if self.fast_compile else "some minutes"

    def source(self) -> str:
        """The source of the kernel; raises CompileError where its structs are not those this Python fills."""
        text = kernel_source(self.header, self.custom)
        if VERSION_TEXT not in text:
            raise CompileError("native/abi.h is of another version than compiler/abi.py; run: make native")
        return text

    @property
    def groups(self) -> int:
        """Groups of lanes in a block."""
        return self.threads // self.lanes

    def flags(self, arch: int) -> tuple[str, ...]:
        """The compiler's options for an architecture (90 for compute capability 9.0)."""
        fast = (f"--Ofast-compile={self.fast_compile}",) if self.fast_compile else ()
        return (
            "--std=c++17", "-default-device", f"--gpu-architecture=sm_{arch}", *fast,
            f"-DAB_LANES={self.lanes}", f"-DAB_THREADS={self.threads}", f"-DAB_BLOCKS={self.blocks}",
            *(f"-D{one}" for one in self.defines),
        )  # fmt: skip


OBJECTS_KERNEL: Final = KernelOptions(header="cuda/objects.h", fast_compile="")
"""The kernel that finds objects (`objects.py`), a small one that is worth full optimization."""


def to_stderr(text: str) -> None:
    """Tell the user something that is no result."""
    print(f"arcbatt: {text}", file=sys.stderr, flush=True)


def cubin(nvrtc: Any, options: KernelOptions, arch: int, *, folder: Path | None = None, say: Say = to_stderr) -> Path:
    """The path of the kernel's machine code, compiled if there is none yet; fully optimized code is preferred.

    `nvrtc` is CuPy's module of that name or `arcbatt.engine.cuda.nvrtc.find_nvrtc()`; `folder` takes the cache's place.
    """
    if found := kept_cubin(nvrtc, options, arch, folder=folder):
        return found
    name = file_name(options, arch, str(nvrtc.getVersion()))
    path = _writable(folder or cache_folder(KERNELS), say) / name
    return _kept(path) or _build(nvrtc, options, arch, path, say)


def kept_cubin(nvrtc: Any, options: KernelOptions, arch: int, *, folder: Path | None = None) -> Path | None:
    """The path of the kernel's machine code where `cubin` would not have to compile it; nothing is written."""
    kept, version = folder or cache_folder(KERNELS), str(nvrtc.getVersion())
    for one in dict.fromkeys((options.whole, options)):
        if found := prebuilt(one, arch) or _kept(kept / file_name(one, arch, version)):
            return found
    return None


def prebuilt(options: KernelOptions, arch: int) -> Path | None:
    """Machine code that was built ahead, if there is any for this very source and these options.

    Code for an older architecture of the same generation serves too (80 for 86 and 89).
    """
    if options.header.startswith(ARCHIVED):
        folders = [folder for folder in prebuilt_folders() if folder.is_dir()]
        there = [number for number in generation(arch) if any(archive_in(one, number).is_file() for one in folders)]
        found = (
            unpacked(folders, number, file_name(options, number), cache_folder(KERNELS) / "unpacked")
            for number in there
        )
        return next(filter(None, found), None)
    names = [file_name(options, number) for number in range(arch, arch - arch % 10 - 1, -1)]
    for folder in prebuilt_folders():
        for path in (folder / name for name in names):
            if path.is_file() and is_cubin(path.read_bytes()):
                return path
    return None


def compile_ahead(
    archs: Sequence[int],
    folder: Path | None = None,
    *,
    options: KernelOptions | None = None,
    nvrtc: Any = None,
    say: Say = to_stderr,
    progress: Progress | None = None,
) -> list[Path]:
    """Build the kernel for architectures (75 for compute capability 7.5), into a folder for `ARCBATT_CUBINS`.

    Without a folder it goes where this machine's engines look. Needs no GPU; the compiler is CuPy's, or else NVIDIA's
    own (`pip install 'arcbatt[compile]'`). What is there already is kept. The kernel that finds objects goes with it.
    `progress` is told how many kernels are done, and of how many.
    """
    compiler = nvrtc or find_compiler()
    known = [int(one) for one in compiler.getSupportedArchs()]
    for arch in archs:
        if arch not in known:
            version = ".".join(map(str, compiler.getVersion()))
            raise UsageError(
                f"NVRTC {version} does not compile for sm_{arch}; it does for {', '.join(map(str, known))}. "
                "What is older than sm_75 needs NVRTC 12: pip install 'arcbatt[compile]'"
            )
    target = _writable(folder or cache_folder(KERNELS) / "ahead", say)
    chosen = options or KernelOptions().whole
    paths = [target / file_name(chosen, arch) for arch in dict.fromkeys(archs)]
    wanted = [(chosen, arch, path, say) for arch, path in zip(dict.fromkeys(archs), paths, strict=True)]
    for arch in dict.fromkeys(archs):
        wanted.append((OBJECTS_KERNEL, arch, target / file_name(OBJECTS_KERNEL, arch), lambda _: None))
    left = [(one, arch, path, tell) for one, arch, path, tell in wanted if not _kept(path)]
    _build_all(compiler, left, progress or (lambda done, total: None))
    return paths


def _build_all(nvrtc: Any, wanted: Sequence[tuple[KernelOptions, int, Path, Say]], progress: Progress) -> None:
    """Build kernels, as many at a time as there are cores; an interrupt is raised at once."""
    pool = ThreadPoolExecutor(os.cpu_count() or 1)
    try:
        progress(0, len(wanted))
        work = {pool.submit(partial(_build, nvrtc, one, arch, path, tell)) for one, arch, path, tell in wanted}
        while work:
            done, work = wait(work, _SECONDS_BETWEEN_LOOKS)
            for one in done:
                one.result()
            progress(len(wanted) - len(work), len(wanted))
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


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
    """The kernel's machine code, compiled now."""
    if options.fast_compile and tuple(nvrtc.getVersion()) < _FAST_COMPILE_SINCE:
        options = replace(options, fast_compile="")
    program = nvrtc.createProgram(options.source(), "arcbatt.cu", (), ())
    try:
        nvrtc.compileProgram(program, options.flags(arch))
        return bytes(nvrtc.getCUBIN(program))
    except nvrtc.NVRTCError as error:
        log = nvrtc.getProgramLog(program)[-4000:]
        raise CompileError(f"the GPU kernel did not compile for sm_{arch}: {error}\n{log}") from error
    finally:
        nvrtc.destroyProgram(program)


def _build(nvrtc: Any, options: KernelOptions, arch: int, path: Path, say: Say) -> Path:
    """Compile into a file; of several processes that want it at once, one compiles and the others wait."""
    from filelock import FileLock

    with FileLock(path.with_name(path.name + ".lock")):
        if found := _kept(path):
            return found
        how = "" if options.fast_compile else "fully optimized, "
        say(f"compiling the GPU kernel for sm_{arch}, {how}{options.time}, once")

        def told(seconds: float) -> None:
            say(f"compiling the GPU kernel for sm_{arch}: {seconds:.0f} s so far, {options.time} in all")

        code = aside(lambda: compiled(nvrtc, options, arch), told)
        for target, data in ((path, code), (_digest_file(path), hashlib.sha256(code).hexdigest().encode())):
            with atomic_write(target, "wb") as file:
                file.write(data)
    return path


def _kept(path: Path) -> Path | None:
    """The path, if what is there is what was written."""
    try:
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        return path if _digest_file(path).read_text() == digest else None
    except (OSError, ValueError):
        return None


def _digest_file(path: Path) -> Path:
    return path.with_name(path.name + _DIGEST)


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


def _writable(folder: Path, say: Say) -> Path:
    """The folder, made; a temporary one where it cannot be written to."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError as error:
        temporary = Path(tempfile.mkdtemp(prefix="arcbatt-"))
        say(f"{folder} cannot be written to ({error.strerror}); the GPU kernel goes to {temporary} and will be "
            "compiled again next time. ARCBATT_CACHE names another folder")  # fmt: skip
        return temporary
