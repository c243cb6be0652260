"""Agreement of sides over batches, counted, and the first differences kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from arcbatt.devtools.verify.shrink import Case
from arcbatt.devtools.verify.sides import Answers, Side
from arcbatt.devtools.verify.workload import Batch
from arcbatt.language.program import Program


@dataclass(frozen=True)
class Difference:
    """A pair of sides that answer one program on one sample differently, and the batch it came from."""

    base: Side
    side: Side
    program: str
    case: Case
    again: str


@dataclass
class Tally:
    """How one side fared."""

    evaluations: int = 0
    answered: int = 0
    compared: int = 0
    agree: int = 0
    against: Counter[str] = field(default_factory=Counter)
    """Of the compared ones, with which side they were."""
    absent: Counter[str] = field(default_factory=Counter)


@dataclass
class Agreement:
    """What a comparison found."""

    programs: int = 0
    evaluations: int = 0
    tallies: dict[str, Tally] = field(default_factory=dict)
    differences: list[Difference] = field(default_factory=list)
    stopped: bool = False

    @property
    def differ(self) -> int:
        """Answers that are not those of the side before."""
        return sum(tally.compared - tally.agree for tally in self.tallies.values())


def compare(
    batches: Iterable[Batch],
    sides: Sequence[Side],
    *,
    keep: int = 3,
    stop: Callable[[], bool] = lambda: False,
    progress: Callable[[int], None] = lambda _: None,
) -> Agreement:
    """Every side on every batch. Each answer is compared with that of the first side that has one.

    `progress` is told how many evaluations are done. Of a batch that is stopped what is done still counts; one that is
    interrupted while it is compiled is left out.
    """
    found = Agreement(tallies={side.name: Tally() for side in sides})
    counted: list[Program] = []
    for batch in batches:
        try:
            answers = [side.answers(batch.programs, batch.samples, stop, batch.compiled) for side in sides]
        except KeyboardInterrupt:
            found.stopped = True
            break
        _count(found, batch, sides, answers, keep)
        if batch.programs is not counted:
            counted = batch.programs
            found.programs += len(counted)
        found.evaluations += len(batch.programs) * len(batch.samples)
        progress(found.evaluations)
        if stop():
            found.stopped = True
            break
    return found


def _count(found: Agreement, batch: Batch, sides: Sequence[Side], answers: list[Answers], keep: int) -> None:
    known: NDArray[np.bool_] = np.zeros(answers[0].absent.shape, np.bool_)
    wanted = np.zeros(known.shape, np.uint64)
    origin = np.zeros(known.shape, np.int64)
    for number, (side, given) in enumerate(zip(sides, answers, strict=True)):
        tally = found.tallies[side.name]
        present = given.absent == 0
        both = present & known
        wrong = both & (given.hashes != wanted)
        tally.evaluations += known.size
        tally.answered += int(present.sum())
        tally.compared += int(both.sum())
        tally.agree += int(both.sum()) - int(wrong.sum())
        for base in np.unique(origin[both]).tolist():
            tally.against[sides[base].name] += int((origin[both] == base).sum())
        for place in np.flatnonzero(np.bincount(given.absent.reshape(-1))[1:]):
            tally.absent[given.reasons[place]] += int((given.absent == place + 1).sum())
        for row, column in np.argwhere(wrong):
            if len(found.differences) >= keep:
                break
            case = Case(tuple(batch.programs), batch.samples[row])
            first = sides[int(origin[row, column])]
            found.differences.append(Difference(first, side, batch.programs[column].name, case, batch.again))
        new = present & ~known
        wanted[new], origin[new] = given.hashes[new], number
        known |= present


def differs_between(base: Side, side: Side) -> Callable[[Case], bool]:
    """Whether two sides both answer some program of a case, and not alike."""

    def differs(case: Case) -> bool:
        a, b = (one.answers(case.programs, [case.sample], lambda: False) for one in (base, side))
        return bool(((a.hashes != b.hashes) & (a.absent == 0) & (b.absent == 0)).any())

    return differs
