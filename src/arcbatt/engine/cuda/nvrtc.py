"""NVIDIA's run-time compiler through ctypes, with the names CuPy's `cupy.cuda.nvrtc` gives its functions.

It needs no GPU and no CuPy: the library comes with `pip install 'arcbatt[compile]'` (nvidia-cuda-nvrtc-cu12) or with a
CUDA toolkit. Where CuPy is there its own module does as well.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import importlib.util
import os
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from arcbatt.errors import UsageError

_PACKAGES: Final = ("nvidia.cuda_nvrtc", "nvidia.cu13")
"""Where NVIDIA's wheels put the library, under `lib`."""
_OK: Final = 0


class NVRTCError(Exception):
    """What the compiler said went wrong."""


class Nvrtc:
    """The compiler in a shared library."""

    NVRTCError = NVRTCError

    def __init__(self, path: str) -> None:
        self.path = path
        self._library = ctypes.CDLL(path)
        self._library.nvrtcGetErrorString.restype = ctypes.c_char_p

    def getVersion(self) -> tuple[int, int]:  # noqa: N802, D102
        major, minor = ctypes.c_int(), ctypes.c_int()
        self._call("nvrtcVersion", ctypes.byref(major), ctypes.byref(minor))
        return major.value, minor.value

    def getSupportedArchs(self) -> list[int]:  # noqa: N802, D102
        count = ctypes.c_int()
        self._call("nvrtcGetNumSupportedArchs", ctypes.byref(count))
        archs = (ctypes.c_int * count.value)()
        self._call("nvrtcGetSupportedArchs", archs)
        return list(archs)

    def createProgram(  # noqa: N802, D102
        self, source: str, name: str, headers: Sequence[str] = (), include_names: Sequence[str] = ()
    ) -> int:
        if headers or include_names:
            raise UsageError("the kernel is one string: it has no headers beside it")
        program = ctypes.c_void_p()
        self._call("nvrtcCreateProgram", ctypes.byref(program), source.encode(), name.encode(), 0, None, None)
        return program.value or 0

    def compileProgram(self, program: int, options: Sequence[str]) -> None:  # noqa: N802, D102
        given = (ctypes.c_char_p * len(options))(*(option.encode() for option in options))
        self._call("nvrtcCompileProgram", ctypes.c_void_p(program), len(options), given)

    def getProgramLog(self, program: int) -> str:  # noqa: N802, D102
        return self._bytes(program, "ProgramLog").rstrip(b"\0").decode(errors="replace")

    def getCUBIN(self, program: int) -> bytes:  # noqa: N802, D102
        return self._bytes(program, "CUBIN")

    def destroyProgram(self, program: int) -> None:  # noqa: N802, D102
        self._call("nvrtcDestroyProgram", ctypes.byref(ctypes.c_void_p(program)))

    def _bytes(self, program: int, what: str) -> bytes:
        size = ctypes.c_size_t()
        self._call(f"nvrtcGet{what}Size", ctypes.c_void_p(program), ctypes.byref(size))
        buffer = ctypes.create_string_buffer(size.value)
        self._call(f"nvrtcGet{what}", ctypes.c_void_p(program), buffer)
        return buffer.raw

    def _call(self, function: str, *args: object) -> None:
        status = getattr(self._library, function)(*args)
        if status != _OK:
            raise NVRTCError(f"{function}: {self._library.nvrtcGetErrorString(status).decode()}")


@cache
def find_nvrtc() -> Nvrtc:
    """The compiler of this machine: NVIDIA's wheel, else a CUDA toolkit's."""
    tried = []
    for path in _places():
        try:
            return Nvrtc(path)
        except OSError as error:
            tried.append(str(error))
    why = f" (tried: {'; '.join(tried)})" if tried else ""
    raise UsageError(f"no NVRTC to compile the GPU kernel with{why}: pip install 'arcbatt[compile]'")


def _places() -> Iterator[str]:
    for package in _PACKAGES:
        try:
            spec = importlib.util.find_spec(package)
        except ModuleNotFoundError:  # there is no package `nvidia` at all
            continue
        for folder in (spec.submodule_search_locations or ()) if spec else ():
            for pattern in ("libnvrtc.so.*", "nvrtc64_*_0.dll"):
                # The wheel also has a smaller library, *.alt.*.
                yield from (str(path) for path in sorted(Path(folder).glob(f"*/{pattern}")) if ".alt" not in path.name)
    for variable in ("CUDA_PATH", "CUDA_HOME"):
        if base := os.environ.get(variable):
            yield from map(str, sorted(Path(base).glob("lib64/libnvrtc.so.*")))
    yield from map(str, sorted(Path("/usr/local/cuda/lib64").glob("libnvrtc.so.*")))
    if found := ctypes.util.find_library("nvrtc"):
        yield found
