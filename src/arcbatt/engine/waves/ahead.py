"""Kernels compiled ahead: those of programs, for architectures that need not be here, as one archive each.

What is not in an archive is compiled when it is first used.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from arcbatt.compiler.program_set import compile
from arcbatt.compiler.waves import schedule
from arcbatt.engine.cuda.archive import archive_in, pack
from arcbatt.engine.cuda.compile import (
    KernelOptions,
    Progress,
    ahead_folder,
    file_name,
    find_compiler,
    generation,
    prebuilt_folders,
)
from arcbatt.engine.waves import kernels
from arcbatt.errors import UsageError
from arcbatt.language.program import Program

_EACH = 128
"""Kernels compiled between two reports of progress."""


def kernels_of(programs: Iterable[Program]) -> list[KernelOptions]:
    """How the kernels are compiled that programs need."""
    widths = {wave.kernel: kernels.width(wave.kernel) for wave in schedule(compile(programs).typed).waves}
    return list(dict.fromkeys([*kernels.ENDS.values(), *kernels.VALUES.values(), *kernels.all_options(widths)]))


def compile_ahead(
    wanted: Sequence[KernelOptions],
    archs: Iterable[int],
    folder: Path | None = None,
    *,
    nvrtc: Any = None,
    progress: Progress = lambda done, total: None,
) -> list[Path]:
    """Build kernels for architectures (75 for compute capability 7.5): an archive each, in a folder for ARCBATT_CUBINS.

    Without a folder they go where this machine's engines look. Needs no GPU; the compiler is CuPy's, or else NVIDIA's
    own (`pip install 'arcbatt[compile]'`). `progress` is told how many kernels are done, and of how many.
    """
    compiler = nvrtc or find_compiler()
    chosen = list(dict.fromkeys(archs))
    known = [int(one) for one in compiler.getSupportedArchs()]
    for arch in chosen:
        if arch not in known:
            version = ".".join(map(str, compiler.getVersion()))
            raise UsageError(
                f"NVRTC {version} does not compile for sm_{arch}; it does for {', '.join(map(str, known))}. "
                "What is older than sm_75 needs NVRTC 12: pip install 'arcbatt[compile]'"
            )
    target = folder or ahead_folder()
    target.mkdir(parents=True, exist_ok=True)
    done, total = 0, len(wanted) * len(chosen)
    progress(done, total)
    paths = []
    for arch in chosen:
        files: dict[str, bytes] = {}
        for first in range(0, len(wanted), _EACH):
            some = kernels.compiled(compiler, wanted[first : first + _EACH], arch)
            files |= {file_name(one, arch): path.read_bytes() for one, path in some.items()}
            done += len(some)
            progress(done, total)
        paths.append(archive_in(target, arch))
        pack(paths[-1], files)
    return paths


def kept_archive(arch: int) -> Path | None:
    """An archive of kernels that serves an architecture: its own, or that of an older one of the same generation."""
    places = (archive_in(folder, one) for one in generation(arch) for folder in prebuilt_folders())
    return next((path for path in places if path.is_file()), None)
