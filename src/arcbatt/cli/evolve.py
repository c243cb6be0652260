"""`arcbatt evolve`: programs changed, run and kept, generation by generation."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import typer

from arcbatt.cli import BEGAN
from arcbatt.cli.progress import interruptible, shown_on_stderr
from arcbatt.cli.read import read_programs
from arcbatt.cli.tasks import tell
from arcbatt.cli.terminal import print_lines
from arcbatt.data.taskset import open_tasks
from arcbatt.evolution.api import Evolved, EvolveOptions, Generation, evolve
from arcbatt.evolution.population import PROGRAMS, STATE
from arcbatt.support.text import counted


def evolve_command(
    options: EvolveOptions,
    solvers: Sequence[Path],
    dialect: str,
    dataset: str,
    ids: Sequence[str],
    count: int | None,
    seconds: float | None,
    out: Path,
    resume: bool,
    quiet: bool,
) -> None:
    """Evolve programs into a directory, and say how each generation fared."""
    tasks = open_tasks(dataset, report=tell)
    tasks = tasks.only(dict.fromkeys(ids)) if ids else tasks
    chosen = list(tasks if count is None else tasks[:count])
    programs = [] if resume else read_programs(solvers, dialect)
    end = None if seconds is None else BEGAN + seconds
    with interruptible(end) as interrupted, shown_on_stderr("generations", quiet=quiet) as progress:
        progress(0, options.generations)

        def stop() -> bool:
            return interrupted() or (end is not None and time.monotonic() >= end)

        def told(done: Generation) -> None:
            line = (
                f"generation {done.number}: {counted(done.programs, 'program')}, {done.distinct:,} of them new in what "
                f"they give; nearer to {counted(done.better, 'task')}; {done.solved:,} of {len(chosen):,} solved"
            )
            print_lines([line])
            progress(done.number, options.generations)

        try:
            found = evolve(programs, chosen, options, out=out, resume=resume, stop=stop, told=told)
        except KeyboardInterrupt:  # while programs are being made or compiled
            kept = f"stopped; the generations that were done are in {out}: go on with --resume"
            print_lines([kept if (out / STATE).exists() else _NOTHING])
            raise typer.Exit(130 if interrupted() else 0) from None
    print_lines([_kept(found, out)])
    if interrupted():
        raise typer.Exit(130)


_NOTHING: Final = "stopped before a generation was done; nothing is kept"


def _kept(found: Evolved, out: Path) -> str:
    if not found.generations and not (out / STATE).exists():
        return _NOTHING
    many = counted(len(found.programs), "program")
    return f"{many} in {out / PROGRAMS}; arcbatt run --solvers {out / PROGRAMS} says how they do on the tests"
