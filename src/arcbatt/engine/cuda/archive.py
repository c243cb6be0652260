"""Machine code of many kernels as one file, made ahead: an archive for each architecture, with a file for each kernel.

A kernel that is asked for is unpacked into the cache, where it stays.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path

from arcbatt.engine.cuda.cubin_file import is_cubin
from arcbatt.support.files import atomic_write, is_as_written, write_with_digest


def archive_in(folder: Path, arch: int) -> Path:
    """The archive of an architecture (75 for compute capability 7.5) in a folder."""
    return folder / f"kernels-sm{arch}.zip"


def pack(path: Path, files: Mapping[str, bytes]) -> None:
    """Write an archive of kernels by name."""
    with atomic_write(path, "wb") as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)


def unpacked(folders: Iterable[Path], arch: int, name: str, into: Path) -> Path | None:
    """The kernel of a name from the first archive that has it, as a file of its own; None where none does."""
    for folder in folders:
        path = archive_in(folder, arch)
        try:
            archive = _opened(path, path.stat().st_mtime_ns)
            held = archive.getinfo(name)
        except (OSError, zipfile.BadZipFile, KeyError):
            continue
        target = into / name
        if is_as_written(target):
            return target
        data = archive.read(held)
        if is_cubin(data):
            into.mkdir(parents=True, exist_ok=True)
            write_with_digest(target, data)
            return target
    return None


@lru_cache(maxsize=16)
def _opened(path: Path, _: int) -> zipfile.ZipFile:
    """An archive that was changed last at some time: to read what it holds takes longer than a kernel."""
    return zipfile.ZipFile(path)
