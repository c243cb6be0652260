"""A backend that is wrong where it is told to be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from arcbatt.devtools.verify.sides import Answers, ReferenceSide
from arcbatt.language.failures import Failed, Reason
from arcbatt.language.functions import Function
from arcbatt.language.program import Program, live_lines, names
from arcbatt.language.reference import evaluate
from arcbatt.language.sample import Sample


def uses(program: Program) -> set[str]:
    """Every name a program's result depends on."""
    return names(program.result).union(*(names(line.value) for line in live_lines(program)))


@dataclass(frozen=True)
class Planted:
    """The reference, but for programs and samples of which `wrong` is true and that do not fail or give functions."""

    wrong: Callable[[Sequence[Program], Program, Sample], bool]
    absent: Callable[[Program], bool] = lambda _: False
    reference: ReferenceSide = field(default_factory=ReferenceSide)
    name: str = "planted"

    def answers(self, programs, samples, stop, compiled=None) -> Answers:
        found = self.reference.answers(programs, samples, stop)
        for row, sample in enumerate(samples):
            for column, program in enumerate(programs):
                if self.absent(program):
                    found.absent[row, column] = found.reason("not here")
                if not isinstance(evaluate(program, sample), Failed | Function) and self.wrong(
                    programs, program, sample
                ):
                    found.hashes[row, column] += np.uint64(1)
        return found

    def value(self, program, sample):
        wrong = self.wrong((program,), program, sample)
        return Failed(Reason.TYPE) if wrong else evaluate(program, sample)
