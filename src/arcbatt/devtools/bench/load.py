"""What is measured on: programs and tasks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from arcbatt.data.tasks import Task
from arcbatt.devtools.bench.sides import SIDES, Baseline, EngineKind, engine_kinds
from arcbatt.language.failures import Outcome
from arcbatt.language.limits import MAX_STEPS
from arcbatt.language.program import Program
from arcbatt.language.reference import Machine, evaluate
from arcbatt.language.sample import Sample

_T = TypeVar("_T")


@dataclass(frozen=True)
class Load:
    """What is measured on: programs, tasks, and how thoroughly."""

    programs: list[Program]
    tasks: list[Task]
    name: str = "library"
    mutants: tuple[int, ...] = (1_000,)
    mutant_samples: int = 40
    """Samples that mutants run on, one of each task first."""
    runs: int = 3
    each: int = 2
    """Evaluations of each program on the sides that are sampled."""
    most_seconds: float = 60.0
    """After which a figure is not measured again."""
    baseline: Baseline | None = None
    max_steps: int = MAX_STEPS
    sides: tuple[str, ...] = SIDES
    samples: list[Sample] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "samples", [sample for task in self.tasks for sample in task.samples])

    def kinds(self) -> list[EngineKind]:
        """The engines that are measured."""
        return engine_kinds(sides=self.sides)

    def evaluate(self, program: Program, sample: Sample) -> Outcome:
        """A program on a sample by the reference."""
        return evaluate(program, sample, Machine(self.max_steps))


def spread(items: Sequence[_T], count: int) -> list[_T]:
    """So many items, evenly over all."""
    return [items[k * len(items) // count] for k in range(count)]
