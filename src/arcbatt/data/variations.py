"""Variations of tasks: all grids of a task turned, mirrored or recoloured alike, to make large sets."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import perm
from pathlib import Path
from typing import Final

from arcbatt.data.grids import COLOURS
from arcbatt.data.tasks import Task, task_to_json
from arcbatt.errors import UsageError
from arcbatt.language.values import Grid
from arcbatt.support.files import atomic_output, atomic_output_folder

TURNS: Final = ("r0", "r90", "r180", "r270", "m0", "m90", "m180", "m270")
"""The eight symmetries of a square: turned clockwise by so many degrees; with m, after mirroring left and right."""


@dataclass(frozen=True)
class Variation:
    """A turn and, for each colour, the colour it becomes."""

    turn: str
    colours: tuple[int, ...]

    def grid(self, grid: Grid) -> Grid:
        """A grid under this variation."""
        if self.turn[0] == "m":
            grid = tuple(row[::-1] for row in grid)
        for _ in range(int(self.turn[1:]) // 90):
            grid = tuple(zip(*grid[::-1], strict=True))
        colours = self.colours
        return tuple([tuple([colours[cell] for cell in row]) for row in grid])

    def task(self, task: Task) -> Task:
        """A task with all its grids under this variation; its id says which."""
        return Task(
            f"{task.id}-{self.turn}-{''.join(map(str, self.colours))}",
            tuple((self.grid(given), self.grid(wanted)) for given, wanted in task.train),
            tuple((self.grid(given), None if wanted is None else self.grid(wanted)) for given, wanted in task.test),
        )


def vary(tasks: Sequence[Task], count: int, seed: int = 0) -> Iterator[Task]:
    """`count` variations, task after task in turn; the same seed gives the same ones.

    Colour 0 stays what it is. No two variations of a task are alike in turn and in the colours the task uses, and
    none is the task itself; a task that has no more is skipped.
    """
    used = [_colours_of(task) for task in tasks]
    left = [len(TURNS) * perm(COLOURS - 1, len(own)) - 1 for own in used]
    if count > sum(left):
        raise UsageError(f"{count:,} variations asked for, these {len(tasks):,} tasks have {sum(left):,}")
    return _drawn(tasks, used, left, count, random.Random(seed))


def _drawn(
    tasks: Sequence[Task], used: list[list[int]], left: list[int], count: int, draw: random.Random
) -> Iterator[Task]:
    taken: list[set[tuple[object, ...]]] = [{(TURNS[0], *own)} for own in used]
    made = 0
    while made < count:
        for number, task in enumerate(tasks):
            if made == count:
                return
            if not left[number]:
                continue
            while True:
                variation = Variation(draw.choice(TURNS), (0, *draw.sample(range(1, COLOURS), COLOURS - 1)))
                mark = (variation.turn, *(variation.colours[colour] for colour in used[number]))
                if mark not in taken[number]:
                    break
            taken[number].add(mark)
            left[number] -= 1
            made += 1
            yield variation.task(task)


def _colours_of(task: Task) -> list[int]:
    """The colours but 0 in a task, ascending."""
    grids = [grid for pair in (*task.train, *task.test) for grid in pair if grid is not None]
    return sorted({cell for grid in grids for row in grid for cell in row} - {0})


def write_tasks(tasks: Iterable[Task], path: Path) -> int:
    """Write tasks as they come, and say how many.

    The name says the form: `.jsonl` is one task a line with its id under "id", `.json` is one object of tasks by id as
    Kaggle's challenges (outputs that are known stay in), anything else a folder with a file for each task.
    """
    count = 0
    if path.suffix not in (".json", ".jsonl"):
        with atomic_output_folder(path) as folder:
            for task in tasks:
                file = folder / f"{task.id}.json"
                if file.parent != folder or file.name.startswith("."):
                    raise UsageError(f"task {task.id!r}: this id cannot name a file; write to FILE.jsonl")
                file.write_text(_json(task_to_json(task)))
                count += 1
        return count
    lines = path.suffix == ".jsonl"
    with atomic_output(path) as out:
        for task in tasks:
            if lines:
                out.write(_json({"id": task.id, **task_to_json(task)}) + "\n")
            else:
                out.write(f"{',' if count else '{'}\n{json.dumps(task.id)}:{_json(task_to_json(task))}")
            count += 1
        if not lines:
            out.write("\n}\n" if count else "{}\n")
    return count


def _json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))
