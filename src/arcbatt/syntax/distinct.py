"""Programs of many files under names of their own."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from arcbatt.language.program import Program


def distinct(read: Sequence[tuple[Path, Sequence[Program]]]) -> tuple[list[Program], list[str]]:
    """The programs of files, no two with one name, and what was renamed, in words.

    The first program of a name keeps it. A later one has the name of its file behind it, and as many folders before
    that as tell the files apart: `solve_a` of `theirs.py` becomes `solve_a_theirs`.
    """
    names = {program.name for _, programs in read for program in programs}
    labels = _labels([path for path, _ in read])
    taken: set[str] = set()
    found: list[Program] = []
    renamed: list[str] = []
    for (path, programs), label in zip(read, labels, strict=True):
        for program in programs:
            name = program.name
            if name in taken:
                name = _free(f"{name}_{label}", names)
                names.add(name)
                renamed.append(f"{program.name} of {path} is now {name}")
            taken.add(name)
            found.append(program if name == program.name else replace(program, name=name))
    return found, renamed


def _labels(paths: Sequence[Path]) -> list[str]:
    """Of each file its name, with as many folders before it as make the names differ."""
    parts = [path.with_suffix("").parts for path in paths]
    labels: list[str] = []
    for depth in range(1, max(map(len, parts), default=0) + 1):
        labels = [re.sub(r"[^0-9A-Za-z_]", "_", "_".join(one[-depth:])) for one in parts]
        if len(set(labels)) == len(labels):
            break
    return labels


def _free(name: str, taken: set[str]) -> str:
    """The name, or the first with a number behind it that is free."""
    number = 2
    free = name
    while free in taken:
        free, number = f"{name}_{number}", number + 1
    return free
