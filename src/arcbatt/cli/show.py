"""`arcbatt show`."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from rich.console import Console
from rich.text import Text

from arcbatt.cli.read import read_programs
from arcbatt.cli.terminal import Terminal
from arcbatt.data.sources import elsewhere
from arcbatt.data.tasks import Task, load_tasks
from arcbatt.display.terminal import Panel, print_panels
from arcbatt.errors import UsageError
from arcbatt.language.program import Call, Program
from arcbatt.language.reference import evaluate
from arcbatt.language.values import Grid
from arcbatt.report.compare import Got, Verdict, compare, places
from arcbatt.support.text import counted, did_you_mean

_T = TypeVar("_T")
_STYLES = {Verdict.MATCH: "bold green", Verdict.HIDDEN: "dim"}


def show_task(task_id: str, dataset: str, name: str | None, paths: list[Path]) -> None:
    """Print a task, and with a program what it gives; solver files alone mean their program for the task."""
    tasks = {task.id: task for task in load_tasks(dataset)}
    if task_id not in tasks and (hint := elsewhere([task_id])):
        raise UsageError(f"no task {task_id!r} in {dataset}{hint}")
    task = _find(task_id, tasks, f"task {task_id!r} in {dataset}")
    program = _program(name or task_id, paths) if name or paths else None
    gots = [compare(evaluate(program, sample), sample.C) for sample in task.samples] if program else []
    console = Terminal(highlight=False)
    _print_head(console, task, program)
    for number, (given, wanted) in enumerate((*task.train, *task.test)):
        test = number - len(task.train)
        title = f"test {test + 1}" if test >= 0 else f"demonstration {number + 1}"
        _print_pair(console, title, given, wanted, gots[number] if gots else None)
    if program:
        _print_end(console, task, program, gots)


def _print_head(console: Console, task: Task, program: Program | None) -> None:
    head = Text.assemble((task.id, "bold"), f"   {counted(len(task.train), 'demonstration')}")
    head.append(f", {counted(len(task.test), 'test')}")
    if program:
        head.append(f"   program {program.id}")
    console.print(head)
    console.print()


def _print_pair(console: Console, title: str, given: Grid, wanted: Grid | None, got: Got | None) -> None:
    line = Text(title, "bold underline")
    caption = "expected" if got else "output"
    panels = [Panel("input", given), Panel(f"{caption} (hidden)" if wanted is None else caption, wanted)]
    if got:
        line = Text.assemble(line, "   ", (got.text + places(got), _STYLES.get(got.verdict, "bold red")))
        if got.grid is not None:
            panels.append(Panel("got", got.grid, got.differing))
    console.print(line, soft_wrap=not console.is_terminal)
    print_panels(console, panels)


def _print_end(console: Console, task: Task, program: Program, gots: list[Got]) -> None:
    console.print(Text(f"{program.file}:{program.line}", "dim"), soft_wrap=True)
    for number, text in numbered_lines(program):
        console.print(Text.assemble((f"{number or '':>5}  ", "dim"), text), soft_wrap=True)
    console.print()
    demos = sum(got.verdict is Verdict.MATCH for got in gots[: len(task.train)])
    tests = sum(got.verdict is Verdict.MATCH for got in gots[len(task.train) :])
    hidden = sum(got.verdict is Verdict.HIDDEN for got in gots[len(task.train) :])
    line = f"{program.id}: {demos} of {counted(len(task.train), 'demonstration')}"
    line += f", {tests} of {counted(len(task.test), 'test')} right" + (f", {hidden} hidden" if hidden else "")
    console.print(line, soft_wrap=True)


def numbered_lines(program: Program) -> list[tuple[int, str]]:
    """The lines of a program, each with its line in the file (0 where it is not known), as failures name it."""
    texts = str(program).splitlines()
    last = program.result.line if isinstance(program.result, Call) else 0
    return list(zip([program.line, *(line.line for line in program.lines), last], texts, strict=True))


def _program(name: str, paths: list[Path]) -> Program:
    programs = {program.name: program for program in read_programs(paths)}
    if name in programs:
        return programs[name]
    where = ", ".join(map(str, paths)) or "the library; --solvers reads files of yours"
    by_id = {program.id: program for program in programs.values()}
    return _find(name.removeprefix("solve_"), by_id, f"program {name!r} in {where}")


def _find(name: str, known: dict[str, _T], what: str) -> _T:
    if name in known:
        return known[name]
    raise UsageError(f"no {what}{did_you_mean(name, known)}")
