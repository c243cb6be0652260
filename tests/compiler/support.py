"""Random programs beside mutants of the library, and how to compare what two ways of running them give."""

from __future__ import annotations

import random
from dataclasses import replace

from arcbatt.compiler.check import verify, verify_typed
from arcbatt.compiler.evaluate import ESCAPED, evaluate_graph
from arcbatt.compiler.graph import merge
from arcbatt.compiler.pipeline import Compiled, compile_graph
from arcbatt.compiler.rewrites import Rewrites
from arcbatt.devtools.generate import Generator, mutants
from arcbatt.language.encoding import same
from arcbatt.language.failures import Failed
from arcbatt.language.program import Program
from arcbatt.language.reference import Machine, evaluate
from arcbatt.language.sample import Sample
from arcbatt.solvers import library

LIBRARY = library()


def random_programs(seed: int, count: int = 4) -> list[Program]:
    """Programs drawn and mutants."""
    draw, generator = random.Random(seed), Generator(seed)
    fresh = [
        generator.program(f"solve_r{k}", lines=draw.randint(1, 12), samples=draw.random() < 0.3) for k in range(count)
    ]
    changed = [replace(program, name=f"solve_m{k}") for k, program in enumerate(mutants(LIBRARY, count, seed))]
    return fresh + changed


def random_sample(seed: int) -> Sample:
    draw = random.Random(f"grids {seed}")

    def grid():
        height, width = draw.randint(1, 7), draw.randint(1, 7)
        return tuple(tuple(draw.choice((0, 0, 0, 1, 2, 3)) for _ in range(width)) for _ in range(height))

    return Sample(grid(), ((grid(), grid()), (grid(), grid())), grid() if draw.random() < 0.9 else None)


def compiled(programs: list[Program], rewrites: Rewrites) -> Compiled:
    graph = merge(programs, commutative=rewrites.commutative)
    verify(graph)
    result = compile_graph(graph, rewrites)
    verify_typed(result.graph)
    return result


def equal(a, b) -> bool:
    return a == b if isinstance(a, Failed) or isinstance(b, Failed) else same(a, b)


def differences(programs: list[Program], sample: Sample, rewrites: Rewrites, max_steps: int) -> tuple[list[str], int]:
    """Where the merged programs give something else than each alone; and how many were compared."""
    graph = compiled(programs, rewrites).graph
    found = evaluate_graph(graph, sample, max_steps=max_steps)
    wrong, compared = [], 0
    for program in programs:
        got = found.get(program.name, ESCAPED)
        if got is ESCAPED:
            continue
        compared += 1
        want = evaluate(program, sample, Machine(max_steps))
        if not equal(want, got):
            wrong.append(f"{program}on {sample}\nalone  {want}\nmerged {got}")
    return wrong, compared
