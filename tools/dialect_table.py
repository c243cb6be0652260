"""Count over folders of public solver files: parsed, typed and solved, a row each.

    python tools/dialect_table.py arc-dsl=CLONES/arc-dsl/solvers.py tokpidjin=CLONES/tokpidjin [--show 5]

Files are parsed, never run. *Programs* are those read and those refused; *tried* those named for a task of ARC-AGI-1;
*typed* of them those the CPU engine compiles, and *solved* those whose every output is right on the demonstrations and
tests of that task. `--show` lists why programs were refused.
"""

from __future__ import annotations

import argparse
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from arcbatt.data.tasks import Task, load_tasks
from arcbatt.engine.cpu import CpuEngine
from arcbatt.language.program import Program
from arcbatt.language.reference import evaluate
from arcbatt.syntax import Parsed, parse_paths
from arcbatt.syntax.problems import summary


def outcomes(programs: Sequence[Program], task: Task) -> tuple[int, int]:
    """How many of the programs are typed, and how many give every output of a task."""
    try:
        engine = CpuEngine.of(list(programs), threads=1)
        values = [(engine.values(sample), sample.C) for sample in task.samples]
    except ValueError:  # a program that cannot be loaded spoils those compiled with it
        if len(programs) == 1:
            return 0, int(all(evaluate(programs[0], sample) == sample.C for sample in task.samples))
        each = [outcomes([program], task) for program in programs]
        return sum(typed for typed, _ in each), sum(solved for _, solved in each)
    right = [{name for name, value in given.items() if value == expected} for given, expected in values]
    return len(programs) - len(engine.refused()), len(set.intersection(*right))


def task_of(program: Program, tasks: Mapping[str, Task]) -> str | None:
    """The task a program is named for."""
    found = re.search(r"[0-9a-f]{8}", program.name)
    return found.group() if found and found.group() in tasks else None


def row(name: str, parsed: Parsed, tasks: Mapping[str, Task]) -> str:
    """The figures of one family."""
    programs = [replace(one, name=f"{one.name}_{number}") for number, one in enumerate(parsed.programs)]
    by_task: dict[str, list[Program]] = defaultdict(list)
    for program in programs:
        if task := task_of(program, tasks):
            by_task[task].append(program)
    found = [outcomes(group, tasks[task]) for task, group in by_task.items()]
    typed, solved = sum(one[0] for one in found), sum(one[1] for one in found)
    tried = sum(map(len, by_task.values()))
    total = len(programs) + parsed.refused
    return f"| {name} | {total:,} | {len(programs):,} | {tried:,} | {typed:,} | {solved:,} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", metavar="NAME=PATH")
    parser.add_argument("--show", type=int, default=0, help="Reasons to list for each family.")
    options = parser.parse_args()
    tasks = {task.id: task for name in ("arcagi", "arcagi:evaluation") for task in load_tasks(name)}
    print("| family | programs | parsed | tried | typed | solved |\n|---|---|---|---|---|---|")
    for folder in options.folders:
        name, _, path = folder.partition("=")
        parsed = parse_paths([Path(path or name)])
        print(row(name, parsed, tasks), flush=True)
        for line in summary(parsed, options.show) if options.show else []:
            print(f"    {line}")


if __name__ == "__main__":
    main()
