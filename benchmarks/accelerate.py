"""Existing code in arc-dsl's style, unchanged: as it is, with `accelerate`, and with `batching`.

    python benchmarks/accelerate.py FOLDER

FOLDER holds a checkout of arc-dsl: its dsl.py and solvers.py are imported as they are. Every solver runs on its own
task's inputs. Results are compared by value; where they differ, the tasks are named.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from collections.abc import Callable
from typing import Any

from machine import describe

import arcbatt
from arcbatt.data.tasks import load_tasks

Work = list[tuple[str, Callable[[Any], Any], Any]]


def main() -> None:
    """Print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    sys.path.insert(0, parser.parse_args().folder)
    dsl, solvers = importlib.import_module("dsl"), importlib.import_module("solvers")
    tasks = {task.id: task for task in load_tasks("arcagi")}
    work: Work = [
        (name.removeprefix("solve_"), solver, given)
        for name, solver in vars(solvers).items()
        if name.startswith("solve_") and name.removeprefix("solve_") in tasks
        for given, _ in (
            *tasks[name.removeprefix("solve_")].train,
            *tasks[name.removeprefix("solve_")].test,
        )
    ]
    print(describe())
    print(f"{len(work):,} calls of solvers")
    plain, seconds = timed(work)
    again, second = timed(work)
    print(f"as it is:    {seconds:.2f} s, {second:.2f} s")
    start = time.perf_counter()
    with arcbatt.accelerate(dsl) as state:
        measuring = time.perf_counter() - start
        runs = [timed(work) for _ in range(2)]
    print(f"accelerate:  {', '.join(f'{one:.2f} s' for _, one in runs)}, and {measuring:.2f} s of measuring")
    print(f"             {state.served.total():,} calls served by {len(state.replaced)} replaced functions, "
          f"{state.passed_on.total():,} passed on")  # fmt: skip
    print(f"             {differences(work, plain, runs[0][0])}")
    for which in ("first", "again"):
        start = time.perf_counter()
        with arcbatt.batching(solvers) as batch:
            made = [solver(given) for _, solver, given in work]
        passed = time.perf_counter() - start
        values = [one.value if hasattr(one, "value") else one for one in made]
        print(f"batching:    {passed:.2f} s {which}, {batch.runs} runs; {dict(batch.ran.most_common(3))}")
        print(f"             {differences(work, plain, values)}")
    assert plain == again


def timed(work: Work) -> tuple[list[Any], float]:
    """What every solver gives, and how long it took."""
    start = time.perf_counter()
    return [solver(given) for _, solver, given in work], time.perf_counter() - start


def differences(work: Work, wanted: list[Any], got: list[Any]) -> str:
    """How many results are equal, and the tasks of the others."""
    other = sorted({name for (name, _, _), a, b in zip(work, wanted, got, strict=True) if a != b})
    equal = sum(a == b for a, b in zip(wanted, got, strict=True))
    return f"{equal:,} of {len(work):,} equal" + (f"; not those of {', '.join(other)}" if other else "")


if __name__ == "__main__":
    main()
