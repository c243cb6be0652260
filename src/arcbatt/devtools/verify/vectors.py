"""Vectors on a backend that is for many programs at once: merged and run together, each read off afterwards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Final

from arcbatt.devtools.conformance import Run, Vector
from arcbatt.devtools.verify.sides import NOT_LOWERED, ON_ENGINE, EngineSide, gpu_outcome
from arcbatt.errors import ArcbattError
from arcbatt.language.failures import Outcome
from arcbatt.language.program import Program
from arcbatt.language.reference import Machine, evaluate
from arcbatt.language.sample import Sample
from arcbatt.language.values import Grid
from arcbatt.syntax import parse_expression

TOGETHER: Final = 400
"""Vectors whose expressions are merged; each runs on the grids of all of them."""
Outcomes = dict[tuple[str, Grid], Outcome]
"""By program and grid."""


def run_together(side: EngineSide, vectors: Sequence[Vector], coverage: Counter[str]) -> Run:
    """How to run the program of a vector on its sample: they all ran when this was made.

    What left the engine is counted with its reason.
    """
    found: Outcomes = {}
    for start in range(0, len(vectors), TOGETHER):
        found |= _outcomes(side, vectors[start : start + TOGETHER], coverage)
    return lambda program, sample: found[str(program), sample.I]


def _outcomes(side: EngineSide, vectors: Sequence[Vector], coverage: Counter[str]) -> Outcomes:
    programs: dict[str, Program] = {}
    for vector in vectors:
        with suppress(ArcbattError):  # whoever checks the vectors says so
            programs.setdefault(vector.expr, parse_expression(vector.expr))
    columns = {expr: column for column, expr in enumerate(programs)}
    rows = {grid: row for row, grid in enumerate(dict.fromkeys(vector.grid for vector in vectors))}
    named = [replace(program, name=f"solve_{column}") for column, program in enumerate(programs.values())]
    samples = [Sample(grid) for grid in rows]
    engine = side.kind.of(named, **side.options)
    outputs = engine.run(samples, outputs="grid", max_steps=side.max_steps, max_total=side.max_total, complete=False)
    answers = side.read(named, outputs)

    found: Outcomes = {}
    for vector in (vector for vector in vectors if vector.expr in columns):
        row, column = rows[vector.grid], columns[vector.expr]
        left = int(answers.absent[row, column])
        coverage[answers.reasons[left - 1].removeprefix(NOT_LOWERED) if left else ON_ENGINE] += 1
        found[str(programs[vector.expr]), vector.grid] = gpu_outcome(
            outputs, row, column, bool(left), partial(_elsewhere, side, programs[vector.expr], samples[row])
        )
    return found


def _elsewhere(side: EngineSide, program: Program, sample: Sample) -> Outcome:
    return evaluate(program, sample, Machine(side.max_steps, side.max_total))
