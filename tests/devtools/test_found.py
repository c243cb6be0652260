"""Found programs are run again and must give what was recorded."""

from __future__ import annotations

from arcbatt.data.tasks import Task
from arcbatt.devtools.found import claims_of
from arcbatt.engine.cpu import CpuEngine
from arcbatt.search.solution import Attempt, Solution

TURNED = "def solve_found(I):\n    return vmirror(I)\n"
SAME = "def solve_found(I):\n    x1 = identity(I)\n    return x1\n"


def test_what_a_program_does_not_give_is_told():
    given, other = ((1, 2),), ((2, 1),)
    tasks = {key: Task(key, ((given, other),), ((given, None),)) for key in "ab"}
    right, wrong, guess = Attempt(other, program=TURNED), Attempt(other, program=SAME), Attempt(((0,),))
    solutions = {"a": Solution("a", ((right, guess),)), "b": Solution("b", ((wrong, right),))}
    claims = claims_of([(tasks, solutions)])
    assert (len(claims.programs), len(claims.samples), len(claims.made)) == (2, 1, 3)
    outputs = CpuEngine.of(claims.programs).run(claims.samples, "grid")
    assert [(one.task, one.program) for one in claims.wrong(outputs)] == [("b", 1)]
    assert list(claims.wrong_by_reference()) == list(claims.wrong(outputs))
