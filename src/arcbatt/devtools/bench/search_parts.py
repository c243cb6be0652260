"""What each part of search contributes: the tasks whose right attempts have it in them, searched again without it.

    python -m arcbatt.devtools.bench.search --budget 0.2 --out build/search
    python -m arcbatt.devtools.bench.search_parts build/search/arcagi-training-0.2-s

`bench.search --leave-out` searches all tasks without each part, which takes as many runs as there are parts. Here only
those tasks are searched that a part can be missed in: the programs of a record tell which. Where a part is not in the
program of a right attempt, the task is taken to be solved without it; so what a part costs others in time, or takes
from them in the ranking, is not seen.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from arcbatt.data.tasks import Task
from arcbatt.data.taskset import open_tasks
from arcbatt.devtools.bench.search import solved, variations
from arcbatt.search.features import Feature, features
from arcbatt.search.options import SolveOptions
from arcbatt.search.record import read_info, read_solutions
from arcbatt.search.report import Outcome, judge
from arcbatt.search.solution import Attempt, Solution

_LINE: Final = re.compile(r"^ +(\w+) = (.+)$", re.MULTILINE)
_VARIABLE: Final = re.compile(r"\b[asx]\d+\b")
_BY: Final[Mapping[str, tuple[str, ...]]] = {
    "single_images": ("one image",),
    "stacks": ("stack",),
    "pairs_and_triples": ("two images", "three images"),
    "three images": ("three images",),
    "cases": ("cases",),
    "symmetries": ("symmetry",),
    "likenesses": ("alike",),
    "moves": ("moves",),
    "objects": ("objects",),
    "stamps": ("stamps",),
    "local_rules": ("local",),
}
"""The combiners of attempts, by the name of what is left out."""
_SIGNS: Final[Mapping[str, str]] = {
    "numbered_colours": "order(palette(I), compose(invert, lbind(colorcount, I)))",
    "panes_as_cells": "a1 = seam(I, 0)",
    "turned views": "= branch(a",
    "steps": "    s1 = ",
}
"""What stands in every program that was found in a view, or by steps."""
_TRAITS: Final = "without traits"
"""They rank programs and are in none."""


def used(program: str) -> Iterator[tuple[Feature, bool]]:
    """The features in the text of a program, and whether each is of an image."""
    known = {one.text: one for one in features()}
    images: set[str] = set()
    for name, expression in _LINE.findall(program):
        feature = known.get(_VARIABLE.sub("I", expression))
        if feature is not None:
            yield feature, not images.isdisjoint(_VARIABLE.findall(expression))
            images.add(name)


def has_part(name: str) -> Callable[[Attempt], bool]:
    """Whether an attempt came about by a part, which is named as `variations` names it."""
    part = name.removeprefix("without ")
    if part.startswith("family "):
        family = part.removeprefix("family ")
        return lambda one: any(feature.family == family for feature, _ in used(one.program))
    if part in _BY:
        return lambda one: one.combiner in _BY[part]
    if part in _SIGNS:
        return lambda one: _SIGNS[part] in one.program
    others: Mapping[str, Callable[[Attempt], bool]] = {
        "late and last features": lambda one: any(feature.tier for feature, _ in used(one.program)),
        "images of images": lambda one: any(of_image for _, of_image in used(one.program)),
        "leaving one out": lambda one: one.left_out,
    }
    return others[part]


def is_solved(task: Task, solution: Solution) -> bool:
    """Whether one of two attempts is right for every test."""
    return judge(task, solution).outcome in (Outcome.FIRST, Outcome.SECOND)


def at_risk(name: str, tasks: Sequence[Task], solutions: Mapping[str, Solution]) -> list[Task]:
    """The tasks, all solved, for which a part of search may be missed."""
    has = has_part(name)
    found = []
    for task in tasks:
        pairs = zip(solutions[task.id].attempts, task.test, strict=True)
        if any(has(next(one for one in test if one.grid == wanted)) for test, (_, wanted) in pairs):
            found.append(task)
    return found


def main() -> None:
    """Search again and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("record", type=Path, help="of a search by all parts, by bench.search --out")
    asked = parser.parse_args()
    info, solutions = read_info(asked.record), read_solutions(asked.record)
    tasks = [task for task in open_tasks(info["dataset"]) if task.id in solutions]
    right = [task for task in tasks if is_solved(task, solutions[task.id])]
    options = SolveOptions(budget=info["options"]["budget"])
    first = sum(judge(task, solutions[task.id]).outcome is Outcome.FIRST for task in right)
    print(
        f"{len(right)} of {len(tasks)} solved, {len(right) - first} of them at the second attempt, {options.budget:g} s"
    )
    print("| part | in the right attempts of | lost without it |\n|---|---|---|", flush=True)
    for name, way in variations(options):
        if name == _TRAITS:
            continue
        some = at_risk(name, right, solutions)
        again = solved(way, some)[0] if some else []
        lost = [task for task, one in zip(some, again, strict=True) if not is_solved(task, one)]
        print(f"| {name.removeprefix('without ')} | {len(some)} | {len(lost)} |", flush=True)


if __name__ == "__main__":
    main()
