"""`arcbatt run`: every program on every task."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from arcbatt.arc.tasks import Task, load_tasks
from arcbatt.backends.cpu import Engine
from arcbatt.backends.python import evaluate
from arcbatt.card import load_batt
from arcbatt.cli.card import read_programs
from arcbatt.errors import UsageError
from arcbatt.frontend import Program


@dataclass
class Solved:
    """Which programs solve every pair of which task, and how many evaluations that took."""

    by_task: dict[str, list[str]]
    evaluations: int
    on_reference: int = 0


def run_programs(
    paths: list[Path], batt: Path | None, dataset: str, backend: str, threads: int | None, quiet: bool
) -> None:
    """Run, and print a table of the tasks that programs solve."""
    if paths and batt:
        raise UsageError("give --solvers or --batt, not both")
    if backend not in ("cpu", "python"):
        raise UsageError(f"no backend {backend!r}; there are: cpu, python")
    programs = _of_batt(batt) if batt else read_programs(paths)
    tasks = load_tasks(dataset)
    start = time.perf_counter()
    if backend == "cpu":
        solved = run_on_engine(programs, tasks, threads)
    else:
        solved = run_on_reference(programs, tasks, quiet)
    _print(solved, len(tasks), len(programs), time.perf_counter() - start, backend)


def run_on_engine(programs: list[Program], tasks: list[Task], threads: int | None) -> Solved:
    """Every program on every pair of every task; what the engine cannot do runs on the reference."""
    engine = Engine.of(programs, threads=threads)
    samples = [sample for task in tasks for sample in task.samples]
    outputs = engine.run(samples)
    solved = Solved({}, len(samples) * len(programs), sum(outputs.fallbacks.values()))
    row = 0
    for task in tasks:
        right = outputs.matches[row : row + len(task.samples)].all(axis=0)
        row += len(task.samples)
        if right.any():
            solved.by_task[task.id] = [engine.names[column].partition("_")[2] for column in np.flatnonzero(right)]
    return solved


def run_on_reference(programs: list[Program], tasks: list[Task], quiet: bool) -> Solved:
    """The same on the reference, where a program is dropped at the first pair it gets wrong."""
    solved = Solved({}, 0)
    for task in track(tasks, description="tasks", disable=quiet, console=Console(stderr=True)):
        for program in programs:
            pairs = _pairs_solved(program, task)
            solved.evaluations += min(pairs + 1, len(task.samples))
            if pairs == len(task.samples):
                solved.by_task.setdefault(task.id, []).append(program.id)
    return solved


def _of_batt(path: Path) -> list[Program]:
    card = load_batt(path)
    return [card.graph.to_program(output.node, f"solve_{output.program}") for output in card.outputs]


def _pairs_solved(program: Program, task: Task) -> int:
    """How many pairs of the task the program gets right before it first gets one wrong."""
    for count, sample in enumerate(task.samples):
        if evaluate(program, sample) != sample.C:
            return count
    return len(task.samples)


def _print(solved: Solved, tasks: int, programs: int, seconds: float, backend: str) -> None:
    table = Table("task", "solved by")
    for task, names in solved.by_task.items():
        table.add_row(task, ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else ""))
    console = Console()
    console.print(table)
    own = sum(task in names for task, names in solved.by_task.items())
    console.print(f"{len(solved.by_task)} of {tasks} tasks solved by {programs} programs", highlight=False)
    console.print(f"{own} of them by the program named for the task", highlight=False)
    rate = solved.evaluations / seconds if seconds else 0
    line = f"{solved.evaluations:,} evaluations in {seconds:.1f} s, {rate:,.0f} a second ({backend})"
    if solved.on_reference:
        line += f"; {solved.on_reference:,} of them on the reference"
    console.print(line, highlight=False)
