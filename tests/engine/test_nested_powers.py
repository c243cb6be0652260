"""Powers inside one another: what they do is charged together, however they are compiled."""

from __future__ import annotations

import pytest

from arcbatt import _core
from arcbatt.compiler.program_set import compile
from arcbatt.engine.cpu import CpuEngine
from arcbatt.engine.dynamic import DynamicTier
from arcbatt.language.limits import MAX_STEPS
from arcbatt.language.reference import Machine, evaluate
from arcbatt.language.sample import Sample
from arcbatt.syntax import parse_text
from emulated import _core_lanes

SAMPLE = Sample(((1, 2, 0), (3, 4, 0)))
PROGRAMS = parse_text(
    "".join(
        f"def solve_p{number}(I):\n    return {text}\n\n"
        for number, text in enumerate(
            [
                "power(increment, 3)(ONE)",
                "power(increment, 40)(ONE)",
                "power(increment, height(I))(ONE)",
                "power(power(increment, 5), 7)(ONE)",
                "power(power(increment, width(I)), height(I))(ONE)",
                "power(compose(power(trim, 1), rot90), 4)(I)",
                "power(compose(rbind(apply, (1, 2, 3)), lbind(rbind, add)), 1)(ONE)",
                "power(lbind(apply, increment), 6)((1, 2, 3))",
                "power(lbind(mapply, dneighbors), 2)(asindices(I))",
                "apply(power(increment, 9), (1, 2, 3))",
                "apply(lbind(power(increment, 9)), (1, 2, 3))",
                "power(initset, 3)(I)",
                "add(power(increment, 20)(ONE), power(double, 20)(ONE))",
            ]
        )
    )
).programs


@pytest.mark.parametrize("max_steps", [*range(2, 60, 3), *range(60, 400, 23), 1_000, 3_000, MAX_STEPS])
def test_every_tier_agrees(max_steps):
    want = {program.name: evaluate(program, SAMPLE, Machine(max_steps)) for program in PROGRAMS}
    for core in (_core, _core_lanes):
        assert CpuEngine.of(PROGRAMS, threads=1, core=core).values(SAMPLE, max_steps) == want
    assert DynamicTier(compile(PROGRAMS), threads=1).values(SAMPLE, want, max_steps) == want
