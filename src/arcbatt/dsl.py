"""The vocabulary as Python names: `from arcbatt.dsl import *`, or `from arcbatt.dsl import objects, fill, T`.

A primitive takes plain values, lists and arrays, and gives a plain value, or `Failed`; it never raises for what a
program does, and fails when given something that has failed. Primitives and what combinators make are function values,
to be passed on and called; `invoke` calls any of them. `dsl.pyi`, written by `make docs`, has the types of all of it.
"""

from __future__ import annotations

import functools
from typing import Any

from arcbatt.language.calling import Primitive, invoke
from arcbatt.language.failures import Failed
from arcbatt.language.spec import OpSpec
from arcbatt.language.table import current as _current


@functools.cache
def _primitive(spec: OpSpec) -> Primitive:
    """The function value of a primitive, always the same one."""
    return Primitive(spec)


def __getattr__(name: str) -> Any:
    language = _current()
    if name in language.ops:
        return _primitive(language.op(name))
    if name in language.constants:
        return language.constants[name]
    if name == "__all__":  # custom operations are among them
        return __dir__()
    raise AttributeError(f"arcbatt.dsl has no {name!r}; docs/ops.md lists every primitive and constant")


def __dir__() -> list[str]:
    language = _current()
    return sorted([*language.ops, *language.constants, Failed.__name__, invoke.__name__])
