"""The loop: children of the best programs are run on every task, scored by the demonstrations, and kept or not."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import asdict, dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from arcbatt.data.packing import PackedSamples, pack_samples
from arcbatt.data.tasks import Task, as_tasks
from arcbatt.devtools.generate import crossover, mutants
from arcbatt.engine.choose import make_engine
from arcbatt.engine.outputs import Outputs
from arcbatt.errors import DataError, UsageError
from arcbatt.evolution.population import STATE, Population, Standing
from arcbatt.language.limits import SEARCH_STEPS
from arcbatt.language.program import Assign, Name, Program, reads
from arcbatt.runs.lock import RecordLock
from arcbatt.runs.options import RunOptions
from arcbatt.solvers import library
from arcbatt.support.shapes import row_of
from arcbatt.syntax.api import as_programs

_CROSSED: Final = 0.3
"""The share of children that are made of two programs."""
_MUTATIONS: Final = 1
"""The version of mutants that keeps to types: a name becomes another of its type."""


@dataclass(frozen=True)
class EvolveOptions:
    """How to evolve. `children` are the programs made in a generation, `places` those kept for each task."""

    generations: int = 10
    children: int = 2000
    places: int = 4
    seed: int = 0
    backend: str = "auto"
    threads: int | None = None
    max_steps: int = SEARCH_STEPS

    def __post_init__(self) -> None:
        RunOptions(backend=self.backend, threads=self.threads)  # which says what makes no sense
        for name in ("generations", "children", "places", "max_steps"):
            if getattr(self, name) < 1:
                raise UsageError(f"{name.replace('_', '-')} is a number above 0, got {getattr(self, name)}")


@dataclass(frozen=True)
class Generation:
    """What came of one generation; the first is the programs that were given."""

    number: int
    programs: int
    """That were made and run."""
    distinct: int
    """Of these, those that give something no program gave before."""
    better: int
    """Tasks for which a nearer program was found."""
    solved: int
    """Tasks whose demonstrations a program gets right, so far."""


Told = Callable[[Generation], None]


@dataclass(frozen=True)
class Evolved:
    """What is kept at the end."""

    population: Population
    generations: tuple[Generation, ...]

    @property
    def solved(self) -> dict[str, str]:
        """Tasks whose demonstrations a program gets right, and that program's name."""
        return self.population.solved

    @property
    def programs(self) -> list[Program]:
        """The programs that are kept."""
        return list(self.population.programs.values())


def evolve(
    programs: Any = None,
    tasks: Any = None,
    options: EvolveOptions | None = None,
    *,
    out: str | Path | None = None,
    resume: bool = False,
    stop: Callable[[], bool] | None = None,
    told: Told | None = None,
    **named: Any,
) -> Evolved:
    """Change programs, run them on tasks, keep those that come nearest, again and again.

    Programs are those of `parse`, or what it takes; default: the library. Tasks are what `run` takes. Tests are not
    looked at. With `out` each generation is written to a directory (`programs.py` is a solver file), and `resume` goes
    on with it. `told` is given each generation as it is done. Options are those of `EvolveOptions`, also by name.
    """
    known = EvolveOptions.__dataclass_fields__
    if unknown := [name for name in named if name not in known]:
        raise UsageError(f"evolve has no option {', '.join(unknown)}; there are {', '.join(known)}")
    chosen = replace(options or EvolveOptions(), **named)
    given = library() if programs is None else as_programs(programs)
    loop = _Loop(as_tasks("arcagi" if tasks is None else tasks), chosen, Path(out) if out else None, stop)
    with closing(loop.resumed() if resume else loop.begun(given)) as generations:
        for generation in generations:
            if told:
                told(generation)
    return Evolved(loop.population, tuple(loop.log))


class _Loop:
    """One run of it: the tasks, what was seen, and what is kept."""

    def __init__(
        self, tasks: Sequence[Task], options: EvolveOptions, out: Path | None, stop: Callable[[], bool] | None
    ) -> None:
        self.options, self.out = options, out
        self.stop: Callable[[], bool] = stop or (lambda: False)
        self.demonstrations = {task.id: len(task.train) for task in tasks}
        self.samples, self.cells = _packed(tasks)
        self.population = Population(self.demonstrations, options.places)
        self.seen: set[bytes] = set()
        self.log: list[Generation] = []

    def begun(self, programs: Sequence[Program]) -> Generator[Generation, None, None]:
        """The generations, from programs that are given."""
        if self.out:
            if (self.out / STATE).exists():
                raise UsageError(f"{self.out}: there is a population already; go on with it by --resume")
            try:
                self.out.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise UsageError(f"{self.out}: cannot be written: {error.strerror}") from error
        usable = [_of_lines(one) for one in programs if not reads(one, "S") and not reads(one, "C")]
        if not usable:
            raise UsageError("no program to begin with: those that read S or C take no part")
        with self.alone():
            yield from self.generation(0, usable)
            yield from self.further(1)

    def alone(self) -> AbstractContextManager[object]:
        """The directory, if there is one, that no other process writes to meanwhile."""
        return RecordLock(self.out) if self.out and self.out.is_dir() else nullcontext()

    def resumed(self) -> Generator[Generation, None, None]:
        """The generations that are left of a population that was written."""
        if self.out is None:
            raise UsageError("--resume goes on with the population of a directory: give it with --out")
        with self.alone():
            yield from self.gone_on(self.out)

    def gone_on(self, out: Path) -> Iterator[Generation]:
        """The generations that are left of what a directory holds."""
        state = self.population.read(out)
        decide = ("children", "places", "seed", "max_steps")
        mine = asdict(self.options)
        if odd := [name for name in decide if state["options"].get(name) != mine[name]]:
            raise UsageError(f"{out}: was evolved with another --{odd[0].replace('_', '-')}")
        if unknown := [task for task in self.population.best if task not in self.demonstrations]:
            raise UsageError(f"{out}: was evolved on other tasks, {unknown[0]} among them")
        try:
            self.log = [row_of(Generation, one) for one in state["log"]]
        except ValueError as error:
            raise DataError(f"{out / STATE}: not what evolve writes: {error}") from error
        self.remember(list(self.population.programs.values()))
        yield from self.further(state["generation"] + 1)

    def further(self, first: int) -> Iterator[Generation]:
        """Generations of children, until there are enough or all tasks are solved."""
        for number in range(first, self.options.generations + 1):
            if self.stop() or len(self.population.solved) == len(self.demonstrations):
                return
            if not self.population.parents():
                raise UsageError("no program to go on with: none gives a grid that is near to any output")
            yield from self.generation(number, self.children(number))

    def children(self, number: int) -> list[Program]:
        """Changed programs, each text once, under names of their own."""
        parents, many = self.population.parents(), self.options.children
        seed, crossed = self.options.seed * 1_000_003 + number, int(many * _CROSSED)
        made = chain(mutants(parents, many - crossed, seed, _MUTATIONS), crossover(parents, crossed, seed))
        texts = {replace(one, name="solve_same"): None for one in made}
        known = {replace(one, name="solve_same") for one in parents}
        new = (one for one in texts if one not in known)
        return [replace(one, name=f"solve_g{number}_{place}") for place, one in enumerate(new)]

    def generation(self, number: int, programs: list[Program]) -> Iterator[Generation]:
        """Run programs and keep the best of them; nothing where it was stopped before all were run."""
        new, better = 0, 0
        if programs:
            outputs = self.run(programs)
            if outputs is None:
                return
            places = self.new_ones(outputs)
            new = int(places.size)
            better = sum(self.offered(task, rows, number, outputs, programs, places) for task, rows in self.rows())
        done = Generation(number, len(programs), new, better, len(self.population.solved))
        self.log.append(done)
        if self.out:
            log = [asdict(one) for one in self.log]
            self.population.write(self.out, asdict(self.options), number, log)
        yield done

    def run(self, programs: list[Program]) -> Outputs | None:
        """Every program on every demonstration, unless asked to stop."""
        options = self.options
        engine = make_engine(options.backend, programs, threads=options.threads, max_steps=options.max_steps)
        outputs = engine.run(self.samples, "hash", max_steps=options.max_steps, stop=self.stop)
        return outputs if outputs.done.all() else None

    def remember(self, programs: list[Program]) -> None:
        """What programs do is known from now on."""
        if programs and (outputs := self.run(programs)) is not None:
            self.new_ones(outputs)

    def new_ones(self, outputs: Outputs) -> NDArray[np.int64]:
        """The programs whose outputs are no other's so far, by their place."""
        assert outputs.hashes is not None
        failed = outputs.statuses != 0
        behaviour = np.where(failed, outputs.statuses, outputs.hashes).astype(np.uint64)
        found = []
        for place in np.flatnonzero(~failed.all(axis=0)):
            key = behaviour[:, place].tobytes() + np.packbits(failed[:, place]).tobytes()
            if key not in self.seen:
                self.seen.add(key)
                found.append(place)
        return np.array(found, np.int64)

    def rows(self) -> Iterator[tuple[str, slice]]:
        """Each task, and where its demonstrations are among the samples."""
        at = 0
        for task, many in self.demonstrations.items():
            yield task, slice(at, at + many)
            at += many

    def offered(
        self,
        task: str,
        rows: slice,
        number: int,
        outputs: Outputs,
        programs: Sequence[Program],
        new: NDArray[np.int64],
    ) -> bool:
        """Offer the nearest of the new programs for a task; whether one of them is kept."""
        right = outputs.matches[rows][:, new].sum(axis=0)
        share = outputs.agreement[rows][:, new].sum(axis=0) / self.cells[rows].sum()
        nearest = np.lexsort((share, right))[::-1][: self.options.places]
        found = [
            Standing(int(right[at]), float(share[at]), -len(programs[new[at]].lines), programs[new[at]].name, number)
            for at in nearest
            if right[at] or share[at]
        ]
        return self.population.offer(task, found, {programs[new[at]].name: programs[new[at]] for at in nearest})


def _of_lines(program: Program) -> Program:
    """A program whose result is a name: what is changed are lines."""
    if isinstance(program.result, Name):
        return program
    last = Assign("O", program.result, program.line)
    taken = {"O"} & {*program.params, *(line.target for line in program.lines)}
    return program if taken else replace(program, lines=(*program.lines, last), result=Name("O"))


def _packed(tasks: Sequence[Task]) -> tuple[PackedSamples, NDArray[np.int64]]:
    """The demonstrations of tasks, and the cells of each output."""
    samples = [one for task in tasks for one in task.samples[: len(task.train)]]
    cells = [len(wanted) * len(wanted[0]) for task in tasks for _, wanted in task.train]
    return pack_samples(samples), np.array(cells, np.int64)
