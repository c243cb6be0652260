"""Mutants of programs."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator

from arcbatt.devtools.generate.well_typed import CONSTANT_TYPES
from arcbatt.language.program import Assign, Call, Expr, Name, Program
from arcbatt.language.table import current
from arcbatt.language.types import Type


def _alike() -> dict[str, list[str]]:
    """For each primitive, those with the same signature; for each constant, those of its type."""
    by_signature: dict[str, list[str]] = defaultdict(list)
    for spec in current().ops.values():
        by_signature[spec.signature].append(spec.name)
    by_type: dict[Type, list[str]] = defaultdict(list)
    for name, kind in CONSTANT_TYPES.items():
        by_type[kind].append(name)
    alike = {spec.name: by_signature[spec.signature] for spec in current().ops.values()}
    return alike | {name: by_type[kind] for name, kind in CONSTANT_TYPES.items()}


def mutants(programs: list[Program], count: int, seed: int) -> Iterator[Program]:
    """So many programs, each a given one with one to three names replaced by others of the same type."""
    draw, alike = random.Random(seed), _alike()
    sites = [_sites(program, alike) for program in programs]
    for number in range(count):
        which = draw.randrange(len(programs))
        parent, lines = programs[which], list(programs[which].lines)
        chosen = draw.sample(sites[which], min(draw.randint(1, 3), len(sites[which])))
        for at, path in chosen:
            lines[at] = Assign(lines[at].target, _replaced(lines[at].value, path, draw, alike), lines[at].line)
        yield Program(f"{parent.name}_{number}", parent.params, tuple(lines), parent.result, parent.file, parent.line)


_Site = tuple[int, tuple[int, ...]]
"""A line, and the way from its expression to a name: -1 the function of a call, else an argument."""


def _sites(program: Program, alike: dict[str, list[str]]) -> list[_Site]:
    """Every name of a program that could be another."""
    found: list[_Site] = []

    def walk(expr: Expr, line: int, path: tuple[int, ...]) -> None:
        if isinstance(expr, Name) and len(alike.get(expr.id, ())) > 1:
            found.append((line, path))
        elif isinstance(expr, Call):
            for step, part in enumerate((expr.function, *expr.args), start=-1):
                walk(part, line, (*path, step))

    for number, line in enumerate(program.lines):
        walk(line.value, number, ())
    return found


def _replaced(expr: Expr, path: tuple[int, ...], draw: random.Random, alike: dict[str, list[str]]) -> Expr:
    """The expression with the name at the end of the path replaced by another of its type."""
    if isinstance(expr, Name):
        return Name(draw.choice([name for name in alike[expr.id] if name != expr.id]))
    assert isinstance(expr, Call)
    if path[0] == -1:
        return Call(_replaced(expr.function, path[1:], draw, alike), expr.args, expr.line)
    args = list(expr.args)
    args[path[0]] = _replaced(args[path[0]], path[1:], draw, alike)
    return Call(expr.function, tuple(args), expr.line)
