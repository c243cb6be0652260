"""Programs that make no sense: given ones with some arguments replaced by whatever there is."""

from __future__ import annotations

import random
from collections.abc import Iterator

from arcbatt.language.constants import CONSTANTS
from arcbatt.language.program import Assign, Call, Expr, Name, Program
from arcbatt.language.table import STANDARD


def scrambled(programs: list[Program], count: int, seed: int | str) -> Iterator[Program]:
    """So many programs, each a given one with some arguments replaced by variables, constants or functions."""
    draw = random.Random(f"scrambled {seed}")
    others = [*CONSTANTS, *STANDARD.ops]
    for number in range(count):
        parent = draw.choice(programs)
        known = list(parent.params)
        lines = []
        for line in parent.lines:
            lines.append(Assign(line.target, _replaced(line.value, known, others, draw), line.line))
            known.append(line.target)
        yield Program(f"solve_s{number}", parent.params, tuple(lines), parent.result, parent.file, parent.line)


def _replaced(expr: Expr, known: list[str], others: list[str], draw: random.Random) -> Expr:
    if draw.random() < 0.06:
        return Name(draw.choice(known if draw.random() < 0.6 else others))
    if not isinstance(expr, Call):
        return expr
    return Call(expr.function, tuple(_replaced(arg, known, others, draw) for arg in expr.args), expr.line)
