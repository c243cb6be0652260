"""What is measured beside each other: the reference, plain Python functions, the engine by threads, GPUs."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from arcbatt.compiler.graph import Graph
from arcbatt.compiler.program_set import CompiledSet
from arcbatt.engine.api import Engine
from arcbatt.engine.choose import backend_for, make_engine
from arcbatt.engine.cpu import CpuEngine
from arcbatt.engine.cuda.device import device_count
from arcbatt.errors import UsageError
from arcbatt.language.constants import CONSTANTS
from arcbatt.language.program import Program, live_lines, names, unparse

REFERENCE, ONE_THREAD, ALL_THREADS, GPU = "reference", "thread", "threads", "gpu"
SIDES: Final = (REFERENCE, ONE_THREAD, ALL_THREADS, GPU)
"""What may be measured beside each other: plain Python, the CPU engine with one thread and with all, GPUs."""


@dataclass(frozen=True)
class EngineKind:
    """An engine as it is measured: a name, and how to make it of a graph."""

    name: str
    make: Callable[[Graph | CompiledSet], Engine]
    devices: tuple[int, ...] = ()
    """The GPUs it runs on."""


def engine_kinds(threads: Sequence[int] = (), sides: Sequence[str] = SIDES) -> list[EngineKind]:
    """The engines of this machine: the CPU's with 1 and with all threads (or those asked for), each GPU, all GPUs."""
    by_side = {ONE_THREAD: 1, ALL_THREADS: os.cpu_count() or 1}
    counts = threads or sorted({count for side, count in by_side.items() if side in sides})
    kinds = [EngineKind(f"engine, {_threads(count)}", partial(CpuEngine.of, threads=count)) for count in counts]
    names = gpu_names() if GPU in sides else []
    for number, name in enumerate(names):
        make = partial(make_engine, "cuda", devices=(number,))
        kinds.append(EngineKind(f"GPU {number}, {name}", make, (number,)))
    if len(names) > 1:
        every = tuple(range(len(names)))
        kinds.append(EngineKind(f"{len(names)} GPUs", partial(make_engine, "cuda", devices=every), every))
    return kinds


def _threads(count: int) -> str:
    return "1 thread" if count == 1 else f"{count} threads"


def gpu_names() -> list[str]:
    """The GPUs that can be used, by number."""
    try:
        backend_for("cuda")
    except UsageError:
        return []
    properties = importlib.import_module("cupy").cuda.runtime.getDeviceProperties
    return [properties(number)["name"].decode() for number in range(device_count())]


@dataclass(frozen=True)
class Baseline:
    """Programs as plain Python functions, and those that could not be made so."""

    name: str
    functions: dict[str, Callable[..., Any]]
    missing: dict[str, str]


def baseline(module: str, programs: Sequence[Program]) -> Baseline:
    """Programs as functions over a DSL module of the user's: an importable name, a file, or a folder with `dsl.py`.

    Where the module has a function of a program's name it is that; elsewhere the program's text is run with the
    module's names (and, from a module `constants` beside it, its constants; else the language's). The module is
    imported, so it runs: give only what you trust.
    """
    loaded = _module(module)
    known: dict[str, Any] = dict(CONSTANTS)
    constants = importlib.util.find_spec("constants") if Path(module).exists() else None
    for source in ([importlib.import_module("constants")] if constants else []) + [loaded]:
        known |= {name: value for name, value in vars(source).items() if not name.startswith("_")}
    functions: dict[str, Callable[..., Any]] = {}
    missing: dict[str, str] = {}
    for program in programs:
        if callable(vars(loaded).get(program.name)):
            functions[program.name] = vars(loaded)[program.name]
            continue
        if program.params != ("I",):
            missing[program.name] = f"it is over {', '.join(program.params)}"
            continue
        lines = live_lines(program)
        used = names(program.result).union(*(names(line.value) for line in lines))
        unknown = sorted(used - {"I", *(line.target for line in lines)} - known.keys())
        if unknown:
            missing[program.name] = f"the module has no {unknown[0]}"
            continue
        place: dict[str, Any] = dict(known)
        exec(compile(unparse(program), f"<{program.name}>", "exec"), place)
        functions[program.name] = place[program.name]
    return Baseline(getattr(loaded, "__name__", module), functions, missing)


def _module(module: str) -> ModuleType:
    path = Path(module)
    if path.exists():
        folder, name = (path, "dsl") if path.is_dir() else (path.parent, path.stem)
        sys.path.insert(0, str(folder.resolve()))
        module = name
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise UsageError(
            f"--baseline {module}: {error}; give a module's name, its file, or a folder with dsl.py"
        ) from error
