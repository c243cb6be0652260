"""What `accelerate` measured, kept on disk by machine, version and module."""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import platform
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any

from arcbatt._version import __version__
from arcbatt.language.table import current
from arcbatt.language.types import Rule
from arcbatt.support.cache import cache_folder
from arcbatt.support.files import atomic_write
from arcbatt.support.machine import processor


@dataclass(frozen=True)
class Measured:
    """What was found of one function: seconds a call on the examples, and whether the engine serves it."""

    name: str
    seconds: float
    engine_seconds: float
    rules: tuple[Rule, ...]
    """For which types the engine serves it; none where it is slower, or gives something else."""

    @property
    def speedup(self) -> float:
        """How many times faster the engine is on the examples."""
        return self.seconds / self.engine_seconds if self.engine_seconds else 0.0


class Kept:
    """Measurements of functions of modules that have a file; a module whose file has changed is another module."""

    def __init__(self, functions: Iterable[FunctionType], folder: Path | None = None) -> None:
        self.folder = folder or cache_folder()
        self._files: dict[Path, dict[str, Any]] = {}
        self._changed: set[Path] = set()
        for function in functions:
            path = self._path(function)
            if path is not None and path not in self._files:
                self._files[path] = _read(path)

    def of(self, function: FunctionType) -> Measured | None:
        """What was measured of a function, or None."""
        path = self._path(function)
        row = self._files[path].get(_name(function)) if path in self._files else None
        if row is None:
            return None
        rules = {str(rule): rule for rule in current().op(function.__name__).rules}
        try:
            name, seconds, engine_seconds, served = row
            return Measured(str(name), float(seconds), float(engine_seconds), tuple([rules[one] for one in served]))
        except (KeyError, TypeError, ValueError):
            return None  # written by something else

    def add(self, function: FunctionType, found: Measured) -> None:
        """Remember what was measured."""
        path = self._path(function)
        if path is not None:
            row = [found.name, found.seconds, found.engine_seconds, [str(rule) for rule in found.rules]]
            self._files.setdefault(path, {})[_name(function)] = row
            self._changed.add(path)

    def write(self) -> None:
        """Put on disk what is new; a folder that cannot be written is ignored, since only time is lost."""
        for path in self._changed:
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                with atomic_write(path, "w") as file:
                    json.dump({**_read(path), **self._files[path]}, file, indent=1)
            except OSError:
                return
        self._changed.clear()

    def _path(self, function: FunctionType) -> Path | None:
        digest = _module_digest(function.__module__)
        return self.folder / f"accelerate-{digest}-{_machine()}.json" if digest else None


def _read(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _name(function: FunctionType) -> str:
    return f"{function.__qualname__}:{function.__code__.co_firstlineno}"


def _module_digest(name: str) -> str:
    """A digest of a module's name and file; nothing where it has no file."""
    file = getattr(sys.modules.get(name), "__file__", None)
    try:
        text = Path(file).read_bytes() if file else None
    except OSError:
        text = None
    return "" if text is None else hashlib.sha256(name.encode() + b"\0" + text).hexdigest()[:16]


@cache
def _machine() -> str:
    """A digest of all that speed depends on: the processor, Python, and the engine."""
    core = Path(importlib.import_module("arcbatt._core").__file__ or "")
    parts = [
        platform.machine(), processor(), str(os.cpu_count()), sys.version, __version__,
        hashlib.sha256(core.read_bytes()).hexdigest(),
    ]  # fmt: skip
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
