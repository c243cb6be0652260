"""Run thousands of ARC programs on thousands of grids at once, exactly."""

import importlib

from arcbatt._version import __version__

TYPE_CHECKING = False  # importing typing takes longer than all the rest
if TYPE_CHECKING:
    from arcbatt.api.run import Run, run
    from arcbatt.calls.accelerate import accelerate
    from arcbatt.calls.batching import batching
    from arcbatt.calls.custom import op, remove_op
    from arcbatt.calls.handles import Batch
    from arcbatt.calls.many import call_each, call_many
    from arcbatt.calls.stream import AsyncEngine
    from arcbatt.compiler.program_set import compile
    from arcbatt.data.tasks import Task, load_tasks
    from arcbatt.devtools.generate import crossover, mutants
    from arcbatt.engine.api import Engine
    from arcbatt.engine.choose import make_engine
    from arcbatt.evolution.api import evolve
    from arcbatt.language.failures import Failed
    from arcbatt.language.program import Program
    from arcbatt.language.sample import Sample
    from arcbatt.language.shown import Grid
    from arcbatt.scoring.api import score, submit
    from arcbatt.search.api import solve
    from arcbatt.solvers import library
    from arcbatt.syntax.api import parse

_LAZY = {
    "AsyncEngine": "calls.stream",
    "Batch": "calls.handles",
    "Engine": "engine.api",
    "Failed": "language.failures",
    "Grid": "language.shown",
    "Program": "language.program",
    "Run": "api.run",
    "Sample": "language.sample",
    "Task": "data.tasks",
    "accelerate": "calls.accelerate",
    "batching": "calls.batching",
    "call_each": "calls.many",
    "call_many": "calls.many",
    "compile": "compiler.program_set",
    "crossover": "devtools.generate",
    "evolve": "evolution.api",
    "library": "solvers",
    "load_tasks": "data.tasks",
    "make_engine": "engine.choose",
    "mutants": "devtools.generate",
    "op": "calls.custom",
    "parse": "syntax.api",
    "remove_op": "calls.custom",
    "run": "api.run",
    "score": "scoring.api",
    "solve": "search.api",
    "submit": "scoring.api",
}
"""Public names and the modules they are in, loaded when they are first used."""

__all__ = [
    "AsyncEngine",
    "Batch",
    "Engine",
    "Failed",
    "Grid",
    "Program",
    "Run",
    "Sample",
    "Task",
    "__version__",
    "accelerate",
    "batching",
    "call_each",
    "call_many",
    "compile",
    "crossover",
    "evolve",
    "library",
    "load_tasks",
    "make_engine",
    "mutants",
    "op",
    "parse",
    "remove_op",
    "run",
    "score",
    "solve",
    "submit",
]


if not TYPE_CHECKING:  # a type checker knows every name from the imports above, and no other

    def __getattr__(name):
        if name not in _LAZY:
            raise AttributeError(f"module 'arcbatt' has no attribute {name!r}")
        return getattr(importlib.import_module(f"arcbatt.{_LAZY[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})
