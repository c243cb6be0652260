"""Making a difference small: fewer programs, shorter ones, a smaller grid, as long as two sides still differ.

Every step tries candidates that are smaller than what there is and takes the first that still differs, until none
does or the trials are spent. A program may lose its type on the way: then every side fails alike, and it is not taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Final, TypeVar

from arcbatt.language.limits import MAX_NESTING
from arcbatt.language.program import Assign, Call, Const, Expr, Name, Program, live_lines, names, substituted
from arcbatt.language.sample import Sample
from arcbatt.language.values import Grid

_T = TypeVar("_T")
TRIALS: Final = 1_500
_ATOMS: Final[tuple[Expr, ...]] = (Name("I"), Const(0), Const(1))


@dataclass(frozen=True)
class Case:
    """Programs that are merged, and a sample."""

    programs: tuple[Program, ...]
    sample: Sample


Differs = Callable[[Case], bool]


class _Spent(Exception):
    """No trials are left."""


def shrink(case: Case, program: str, differs: Differs, trials: int = TRIALS) -> Case:
    """A smaller case that still differs; `program` is the one that was seen to. The case itself must differ."""
    left = trials

    def tried(smaller: Case) -> bool:
        nonlocal left
        if left <= 0:
            raise _Spent
        left -= 1
        return differs(smaller)

    try:
        for smaller in _alone_first(case, program):
            if tried(smaller):
                case = smaller
                break
        while True:
            smaller_case = next((one for one in _candidates(case) if tried(one)), None)
            if smaller_case is None:
                return case
            case = smaller_case
    except _Spent:
        return case


def as_expression(program: Program) -> Expr | None:
    """A program as one expression over I, or None where it needs more or is nested too deep for one."""
    known: dict[str, Expr] = {}
    for line in live_lines(program):
        known[line.target] = substituted(line.value, known)
    whole = substituted(program.result, known)
    return whole if _depth(whole) < MAX_NESTING and not names(whole) & {"S", "C"} else None


def _alone_first(case: Case, program: str) -> Iterator[Case]:
    chosen = next(one for one in case.programs if one.name == program)
    bare = Sample(case.sample.I)
    yield Case((chosen,), bare)
    yield Case((chosen,), case.sample)


def _candidates(case: Case) -> Iterator[Case]:
    """Smaller cases, the boldest first."""
    if case.sample.S and case.sample.C is None:
        yield replace(case, sample=Sample(case.sample.I))
    for programs in _without(case.programs):
        if programs:
            yield Case(programs, case.sample)
    for k, program in enumerate(case.programs):
        for smaller in _smaller_programs(program):
            yield Case((*case.programs[:k], smaller, *case.programs[k + 1 :]), case.sample)
    yield from (replace(case, sample=sample) for sample in _smaller_samples(case.sample))


def _without(items: tuple[_T, ...]) -> Iterator[tuple[_T, ...]]:
    """The items without a stretch of them: halves first, then ever shorter ones."""
    length = len(items) // 2 if len(items) > 1 else 0
    while length:
        for start in range(0, len(items), length):
            yield items[:start] + items[start + length :]
        length //= 2


# --- programs ---
def _smaller_programs(program: Program) -> Iterator[Program]:
    for at, line in enumerate(program.lines):
        yield _pruned(replace(program, lines=program.lines[:at], result=line.value))
    if len(live_lines(program)) < len(program.lines):
        yield _pruned(program)
    if not {"S", "C"} & _names_of(program) and program.params != ("I",):
        yield replace(program, params=("I",))
    for target, value in ((line.target, line.value) for line in program.lines):
        if not isinstance(value, Call):
            yield _pruned(_inlined(program, target, value))
    for expr in _smaller(program.result):
        yield _pruned(replace(program, result=expr))
    for at, line in enumerate(program.lines):
        for expr in _smaller(line.value):
            lines = (*program.lines[:at], Assign(line.target, expr, line.line), *program.lines[at + 1 :])
            yield _pruned(replace(program, lines=lines))


def _smaller(expr: Expr) -> Iterator[Expr]:
    """The expression with one call of it replaced by a part of that call, or by the simplest of values."""
    if not isinstance(expr, Call):
        return
    yield from expr.args
    yield from (atom for atom in _ATOMS if atom not in expr.args)
    for function in _smaller(expr.function):
        yield Call(function, expr.args, expr.line)
    for k, arg in enumerate(expr.args):
        for smaller in _smaller(arg):
            yield Call(expr.function, (*expr.args[:k], smaller, *expr.args[k + 1 :]), expr.line)


def _pruned(program: Program) -> Program:
    return replace(program, lines=tuple(live_lines(program)))


def _names_of(program: Program) -> set[str]:
    return names(program.result).union(*(names(line.value) for line in program.lines))


def _inlined(program: Program, target: str, value: Expr) -> Program:
    known = {target: value}
    lines = tuple(
        Assign(line.target, substituted(line.value, known), line.line)
        for line in program.lines
        if line.target != target
    )
    return replace(program, lines=lines, result=substituted(program.result, known))


def _depth(expr: Expr) -> int:
    return 1 + max(map(_depth, (expr.function, *expr.args))) if isinstance(expr, Call) else 0


# --- samples ---
def _smaller_samples(sample: Sample) -> Iterator[Sample]:
    yield from (replace(sample, I=grid) for grid in _smaller_grids(sample.I))
    yield from (replace(sample, S=pairs) for pairs in _without(sample.S))
    for k, (given, wanted) in enumerate(sample.S):
        for pair in (
            *((grid, wanted) for grid in _smaller_grids(given)),
            *((given, grid) for grid in _smaller_grids(wanted)),
        ):
            yield replace(sample, S=(*sample.S[:k], pair, *sample.S[k + 1 :]))
    if sample.C is not None:
        yield from (replace(sample, C=grid) for grid in _smaller_grids(sample.C))


def _smaller_grids(grid: Grid) -> Iterator[Grid]:
    """Fewer rows, fewer columns, fewer colours, fewer cells that are not 0."""
    yield from _without(grid)
    for columns in _without(tuple(zip(*grid, strict=True))):
        yield tuple(zip(*columns, strict=True))
    colours = {cell for row in grid for cell in row} - {0}
    for colour in sorted(colours):
        yield tuple(tuple(0 if cell == colour else cell for cell in row) for row in grid)
    for i, row in enumerate(grid):
        for j, cell in enumerate(row):
            if cell and len(grid) * len(row) > 1:
                yield (*grid[:i], (*row[:j], 0, *row[j + 1 :]), *grid[i + 1 :])
