"""Functions of custom operations for the CPU engine: compiled once by the system's compiler, kept, and loaded."""

from __future__ import annotations

import ctypes
import hashlib
import os
import platform
import shlex
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from arcbatt.compiler.abi import VERSION_TEXT
from arcbatt.compiler.custom import SourceKernel, source_kernels
from arcbatt.compiler.graph import PRIMITIVE, Graph
from arcbatt.errors import UsageError
from arcbatt.language.table import STANDARD, current
from arcbatt.support.cache import cache_folder
from arcbatt.support.files import is_as_written, write_with_digest

_NATIVE: Final = Path(__file__).parent.parent / "native"
_FLAGS: Final = ("-std=c++17", "-O2", "-shared", "-fPIC", "-fvisibility=hidden")
_SECONDS: Final = 300
_LOADED: Final[dict[tuple[int, str], ctypes.CDLL]] = {}
"""Libraries by function and core; they stay for good, since bytecode names what is in them."""
_LOCK: Final = threading.Lock()


@cache
def _found(given: str | None) -> tuple[str, ...] | None:
    if given:
        command = shlex.split(given)
        return tuple(command) if command and shutil.which(command[0]) else None
    return next(((found,) for name in ("c++", "g++", "clang++") if (found := shutil.which(name))), None)


def compiler() -> tuple[str, ...] | None:
    """The command of the system's C++ compiler, or None; the variable CXX says which."""
    return _found(os.environ.get("CXX"))


def missing(graph: Graph, core: Any) -> dict[str, str]:
    """Operations of a graph whose functions this core cannot have, and why; the others are loaded into it."""
    problems: dict[str, str] = {}
    for kernel in source_kernels(_names(graph)):
        problem = _load(kernel, core)
        if problem:
            problems[kernel.name] = problem
    return problems


def _names(graph: Graph) -> set[str]:
    """Every operation a graph uses, also as a function."""
    if current() is STANDARD:
        return set()
    return {node.args[0] if node.op == PRIMITIVE else node.op for node in graph.nodes}


def graph_sources(graph: Graph) -> tuple[SourceKernel, ...]:
    """The functions of a graph's operations, for the source of a GPU kernel."""
    return tuple(source_kernels(_names(graph)))


def _load(kernel: SourceKernel, core: Any) -> str:
    """Have the core know a function; says why it cannot."""
    with _LOCK:
        if (kernel.number, core.__name__) in _LOADED:
            return ""
        command = compiler()
        if command is None:
            return f"{kernel.name} needs a C++ compiler, and there is none (c++, g++ or clang++, or CXX)"
        try:
            library = ctypes.CDLL(str(built(kernel, core.defines, command)))
        except OSError as error:
            return f"the function of {kernel.name} cannot be built or loaded: {error}"
        address = ctypes.cast(library.arcbatt_custom, ctypes.c_void_p).value
        if not core.add_custom(kernel.number, kernel.pattern, address):
            return f"{kernel.name} is one operation too many for one process"
        _LOADED[kernel.number, core.__name__] = library
        return ""


def built(kernel: SourceKernel, defines: Sequence[str], command: tuple[str, ...], folder: Path | None = None) -> Path:
    """The path of the library with a function, compiled if it is not kept yet, or not as it was written.

    `defines` are the macros of the core that is to call it. Raises UsageError with the compiler's words where it does
    not compile, and where others can write to the folder: what is loaded from there runs in this process.
    """
    source = "\n".join(
        ['#include "exec/dispatch.h"', "namespace arcbatt {", kernel.text, "}", _ENTRY.format(number=kernel.number)]
    )
    flags = (*_FLAGS, *(f"-D{one}" for one in defines))
    path = _private(folder or cache_folder("custom")) / f"custom-{library_key(source, flags, command)}.so"
    if is_as_written(path):
        return path
    with tempfile.TemporaryDirectory(dir=path.parent) as work:
        text = Path(work) / "custom.cpp"
        text.write_text(source, encoding="utf-8")
        made = Path(work) / "custom.so"
        ran = subprocess.run(
            [*command, *flags, f"-I{_NATIVE}", str(text), "-o", str(made)],
            capture_output=True, text=True, check=False, timeout=_SECONDS,
        )  # fmt: skip
        if ran.returncode:
            raise UsageError(f"the source of {kernel.name} does not compile:\n{ran.stderr[:2000]}")
        write_with_digest(path, made.read_bytes())
    return path


def _private(folder: Path) -> Path:
    """The folder, made if it is not there; UsageError where anyone but this user owns it or can write to it."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = folder.stat()
    if hasattr(os, "getuid") and (found.st_uid != os.getuid() or found.st_mode & 0o022):
        raise UsageError(
            f"{folder}: others own it or can write to it, so what is kept there cannot be trusted; remove it, or name "
            "another folder by ARCBATT_CACHE"
        )
    return folder


def library_key(source: str, flags: tuple[str, ...], command: tuple[str, ...]) -> str:
    """What a library is kept by: all that goes into it."""
    parts = [VERSION_TEXT, source, _headers(), *flags, *command, platform.machine(), _version(command)]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


_ENTRY: Final = """
extern "C" __attribute__((visibility("default"))) arcbatt::Status arcbatt_custom(
    arcbatt::Ctx& c, const arcbatt::u32* const* args, arcbatt::u32* result) {{
    return arcbatt::custom_{number}(c, args, result);
}}
"""


@cache
def _headers() -> str:
    """A digest of the headers a function is compiled against."""
    texts = [path.read_bytes() for path in sorted(_NATIVE.rglob("*")) if path.suffix in (".h", ".inc")]
    return hashlib.sha256(b"\0".join(texts)).hexdigest()


@cache
def _version(command: tuple[str, ...]) -> str:
    ran = subprocess.run([*command, "--version"], capture_output=True, text=True, check=False, timeout=_SECONDS)
    return ran.stdout
