"""`arcbatt run`: programs on tasks, on the reference."""

from __future__ import annotations

import time
from pathlib import Path

from rich.console import Console
from rich.progress import track
from rich.table import Table

from arcbatt.arc.tasks import Task, load_tasks
from arcbatt.backends.python import evaluate
from arcbatt.card import load_batt
from arcbatt.cli.card import read_programs
from arcbatt.errors import UsageError
from arcbatt.frontend import Program


def run_programs(paths: list[Path], batt: Path | None, dataset: str, everywhere: bool, quiet: bool) -> None:
    """Print a table of the tasks that programs solve; a program is dropped at the first pair it gets wrong."""
    if paths and batt:
        raise UsageError("give --solvers or --batt, not both")
    programs = _of_batt(batt) if batt else read_programs(paths)
    tasks = load_tasks(dataset)
    by_task: dict[str, list[Program]] = {}
    for program in programs:
        by_task.setdefault(program.id, []).append(program)
    start = time.perf_counter()
    evaluations = 0
    solved: dict[str, list[str]] = {}
    for task in track(tasks, description="tasks", disable=quiet, console=Console(stderr=True)):
        for program in programs if everywhere else by_task.get(task.id, []):
            pairs = _pairs_solved(program, task)
            evaluations += min(pairs + 1, len(task.samples))
            if pairs == len(task.samples):
                solved.setdefault(task.id, []).append(program.id)
    _print(solved, len(tasks), len(programs), evaluations, time.perf_counter() - start)


def _of_batt(path: Path) -> list[Program]:
    card = load_batt(path)
    return [card.graph.to_program(output.node, f"solve_{output.program}") for output in card.outputs]


def _pairs_solved(program: Program, task: Task) -> int:
    """How many pairs of the task the program gets right before it first gets one wrong."""
    for count, sample in enumerate(task.samples):
        if evaluate(program, sample) != sample.C:
            return count
    return len(task.samples)


def _print(solved: dict[str, list[str]], tasks: int, programs: int, evaluations: int, seconds: float) -> None:
    table = Table("task", "solved by")
    for task, names in solved.items():
        table.add_row(task, ", ".join(names))
    console = Console()
    console.print(table)
    console.print(f"{len(solved)} of {tasks} tasks solved by {programs} programs", highlight=False)
    rate = evaluations / seconds if seconds else 0
    console.print(f"{evaluations:,} evaluations in {seconds:.1f} s, {rate:,.0f} a second (reference)", highlight=False)
