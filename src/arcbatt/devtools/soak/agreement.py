"""Random programs, mutants and splices on several tiers, compared; what differs is made small.

It runs in a process of its own that lives as long as the soak, so that a crash is a finding and memory is seen to grow.
"""

from __future__ import annotations

import multiprocessing
import random
import signal
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Final

from arcbatt.devtools.generate import VERSION, VERSIONS
from arcbatt.devtools.verify.compare import Difference, compare, differs_between
from arcbatt.devtools.verify.shrink import Case, shrink
from arcbatt.devtools.verify.sides import Side, side_named
from arcbatt.devtools.verify.workload import random_batch
from arcbatt.language.limits import MAX_STEPS, MAX_TOTAL_STEPS
from arcbatt.language.program import Program
from arcbatt.solvers import library
from arcbatt.support.machine import resident_memory
from arcbatt.syntax import parse_paths

LONGEST: Final = 300.0
"""Seconds after which a piece is cut short; what is done counts."""
_LOST: Final = 1_800.0
"""Seconds after which a piece that was cut short is given up."""
_TRIALS: Final = 400


@dataclass(frozen=True)
class Load:
    """How much of what is compared at a time, by which sides."""

    sides: tuple[str, ...]
    programs: int
    samples: int
    budgets: tuple[int, ...]
    """Steps of a call, one of which is drawn: at a small one the steps themselves are compared."""
    totals: tuple[int, ...] = (MAX_TOTAL_STEPS, MAX_TOTAL_STEPS, 100_000, 3_000)
    """The same of all calls together."""
    versions: tuple[int, ...] = (VERSION, VERSION, VERSION, max(VERSIONS))
    """Of the generator, one of which is drawn."""


LOADS: Final = {
    "native": Load(("cpu", "dynamic"), 400, 256, (MAX_STEPS, 3_000_000, 3_000_000, 100_000, 2_000)),
    "reference": Load(("python", "cpu", "dynamic", "lanes"), 60, 4, (MAX_STEPS, MAX_STEPS, 100_000, 2_000, 200)),
}


@dataclass
class Answer:
    """What came of a piece."""

    programs: int
    compared: Counter[str]
    differ: Counter[str]
    resident: int
    most: int
    tests: list[tuple[str, str]] = field(default_factory=list)
    """Of every difference a title and a test."""


def answer(kind: str, seed: int, solvers: Sequence[Path] = (), longest: float = LONGEST) -> Answer:
    """Compare the programs of a seed."""
    return compared(LOADS[kind], seed, solvers, longest)


def compared(load: Load, seed: int, solvers: Sequence[Path] = (), longest: float = LONGEST) -> Answer:
    """Compare the programs of a seed, as a load says."""
    until = time.monotonic() + longest
    draw = random.Random(f"steps {seed}")
    budgets = draw.choice(load.budgets), draw.choice(load.totals)
    version = draw.choice(load.versions)
    sides = [side_named(name, *budgets) for name in load.sides]
    batch = random_batch(load.programs, seed, version, parents=_parents(tuple(solvers)), samples=load.samples)
    found = compare([batch], sides, stop=lambda: time.monotonic() > until)
    made = Answer(found.programs, Counter(), Counter(), *resident_memory())
    for side, tally in found.tallies.items():
        for base, count in tally.against.items():
            made.compared[f"{base} / {side}"] += count
        if tally.compared > tally.agree:
            made.differ[f"{load.sides[0]} / {side}"] += tally.compared - tally.agree
    made.tests = [shrunk(one, budgets) for one in found.differences]
    return made


@lru_cache(maxsize=1)
def _parents(solvers: tuple[Path, ...]) -> list[Program]:
    return [*library(), *(parse_paths(list(solvers)).programs if solvers else [])]


def shrunk(difference: Difference, budgets: tuple[int, int]) -> tuple[str, str]:
    """A difference made small, as a title and a test."""
    base, side = difference.base, difference.side
    case = shrink(difference.case, difference.program, differs_between(base, side), _TRIALS)
    return f"{base.name} and {side.name} differ", sides_test(case, (base, side), budgets)


def sides_test(case: Case, sides: Sequence[Side], budgets: tuple[int, int]) -> str:
    """A test that sides agree on programs and a sample."""
    text = "\n\n".join(str(program).strip() for program in case.programs)
    return f'''from arcbatt.devtools.verify.sides import side_named
from arcbatt.language.sample import Sample
from arcbatt.syntax import parse_text

PROGRAMS = parse_text("""
{text}
""").check()
SAMPLE = Sample({case.sample.I!r}, {case.sample.S!r}, {case.sample.C!r})


def test_the_sides_agree():
    sides = [side_named(name, *{budgets!r}) for name in {[one.name for one in sides]!r}]
    a, b = (side.answers(PROGRAMS, [SAMPLE], lambda: False) for side in sides)
    assert not ((a.hashes != b.hashes) & (a.absent == 0) & (b.absent == 0)).any()
'''


def again_test(kind: str, seed: int) -> str:
    """A test that the piece of a seed ends without a difference."""
    return f"""from arcbatt.devtools.soak.agreement import answer


def test_the_piece_ends():
    assert not answer({kind!r}, {seed}).differ
"""


class Worker:
    """The process that compares; a new one is started where it died."""

    def __init__(self, solvers: Sequence[Path] = ()) -> None:
        self._solvers = list(solvers)
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._ours, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, self._solvers), daemon=True)
        self._process.start()
        theirs.close()

    def ask(self, kind: str, seed: int, stop: Callable[[], bool]) -> Answer | str | None:
        """What came of a piece, or what became of the process; None where it was stopped."""
        until = time.monotonic() + _LOST
        try:
            self._ours.send((kind, seed))
            while not self._ours.poll(0.1):
                if stop():
                    self.close()
                    return None
                if time.monotonic() > until:
                    self.close()
                    self._start()
                    return f"did not end within {_LOST:.0f} s"
            found: Answer | str = self._ours.recv()
        except (EOFError, OSError):  # it is gone
            self._process.join()
            code = self._process.exitcode
            self._ours.close()
            self._start()
            return f"the process ended with {code}"
        return found

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.join()
        self._ours.close()


def _serve(questions: Connection, solvers: Sequence[Path]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        try:
            kind, seed = questions.recv()
        except EOFError:
            return
        try:
            questions.send(answer(kind, seed, solvers))
        except Exception as error:  # whatever it is, it is a finding
            questions.send(f"{type(error).__name__}: {error}")
