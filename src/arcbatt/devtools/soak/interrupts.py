"""Commands that are asked to end while they run, by Ctrl-C, SIGTERM or -t, over bombs and ordinary programs."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import time
from pathlib import Path
from typing import Final

from arcbatt.data.tasks import load_tasks, task_to_json
from arcbatt.devtools.generate import Generator, mutants
from arcbatt.devtools.soak.bombs import bomb
from arcbatt.devtools.soak.commands import Started
from arcbatt.devtools.soak.counts import Interrupt
from arcbatt.devtools.soak.soak import Soak
from arcbatt.solvers import library

WAYS: Final = ("SIGINT", "SIGTERM", "-t")
LATE: Final = 1.0
"""Seconds to end that are too many."""
_LONGEST: Final = 60.0
_DATA: Final = ("--dataset", "tasks.json")
COMMANDS: Final = (
    ("run", *_DATA, "--backend", "cpu", "--solvers", "solvers.py", "-q"),
    ("run", *_DATA, "--backend", "cpu", "--solvers", "solvers.py", "-q", "--threads", "2", "--out", "out"),
    ("verify", *_DATA, "--backend", "cpu", "--solvers", "solvers.py"),
    ("profile", *_DATA, "--no-gpus", "--solvers", "solvers.py"),
    ("card", "--solvers", "solvers.py", "--file", "batt.py", "--force", "--stats"),
    ("evolve", *_DATA, "--backend", "cpu", "--solvers", "solvers.py", "--out", "out", "--children", "200", "-q"),
    ("solve", *_DATA, "--budget", "3", "--out", "out", "-q"),
)
"""The first is the one that is mostly run."""
_WITH_TIME: Final = (COMMANDS[0], *COMMANDS[-2:])
"""Those that have -t."""


def drawn_command(way: str, draw: random.Random) -> tuple[str, ...]:
    """A command that can be asked to end this way."""
    if draw.random() < 0.5:
        return COMMANDS[0]
    return draw.choice(_WITH_TIME if way == "-t" else COMMANDS)


def solvers_text(draw: random.Random) -> tuple[str, str]:
    """Programs, and what kind they are."""
    kind = draw.choice(("a bomb", "a bomb", "bombs among others", "ordinary programs"))
    if kind == "a bomb":
        return kind, bomb(draw, "solve_bomb")
    generator, seed = Generator(str(draw.random())), draw.randrange(1 << 30)
    programs = [generator.program(f"solve_r{k}", lines=8) for k in range(30)]
    texts = [str(one) for one in (*programs, *mutants(library(), 60, seed))]
    if kind == "bombs among others":
        texts += [bomb(draw, f"solve_bomb{k}") for k in range(4)]
        draw.shuffle(texts)
    return kind, "\n\n".join(texts)


def make_tasks(folder: Path) -> None:
    """Tasks to run on."""
    (folder / "tasks.json").write_text(json.dumps({one.id: task_to_json(one) for one in load_tasks("arcagi")[:40]}))


def interrupts(seed: int, soak: Soak) -> None:
    """One command that is asked to end after a random time."""
    draw, folder = random.Random(f"interrupts {seed}"), soak.made("tasks", make_tasks)
    kind, text = solvers_text(draw)
    (folder / "solvers.py").write_text(text)
    way = draw.choice(WAYS)
    args = drawn_command(way, draw)
    shutil.rmtree(folder / "out", ignore_errors=True)
    found, problem = interrupted(args, folder, way, draw.choice((0.5, 2.0, 5.0)) * draw.random(), kind)
    if found is None:
        soak.counts.done["commands that ended before an interrupt"] += 1
    else:
        soak.counts.done[f"interrupts by {way}"] += 1
        soak.counts.interrupts.append(found)
    if problem:
        soak.findings.add("interrupt", f"{args[0]}, {kind}, {way}: {problem}", seed, _again_test(seed), folder)


def interrupted(args: tuple[str, ...], folder: Path, way: str, after: float, what: str) -> tuple[Interrupt | None, str]:
    """Ask a command to end `after` seconds of work; how long it took, and what is wrong with how it ended.

    These are seconds of processors, so that a signal comes at the same place on a machine that is busy; those of -t
    are by the clock. The time to end counts from the request; for -t, from so many seconds after the command began.
    """
    started = Started((*args, "-t", f"{after:.3f}") if way == "-t" else args, folder)
    began = started.begun()
    if way == "-t":
        asked = (began or time.monotonic()) + after
        time.sleep(max(0.0, asked - time.monotonic()))
    else:
        start = started.processor_seconds()
        while started.running() and started.processor_seconds() - start < after:
            time.sleep(0.005)
        asked = time.monotonic()
    if not started.running():
        return None, started.end().problem((0, 1, 2))
    used = started.processor_seconds()
    if way != "-t":
        started.send(signal.Signals[way])
    ended = started.end(_LONGEST)
    seconds = time.monotonic() - asked
    if way != "-t" and ended.status == -signal.Signals[way]:
        return None, ""  # it had done all and was leaving: Python gives signals back to the system then
    load = os.getloadavg()[0] / (os.cpu_count() or 1)
    taken = ended.processor_seconds - used
    found = Interrupt(way, f"{args[0]}, {what}", round(seconds, 3), round(taken, 3), round(load, 2))
    problem = ended.problem((0, 1, 2, 130))
    if not problem and is_late(found):
        problem = f"ended after {seconds:.2f} s, {taken:.2f} s of processors, load {load:.1f} per core"
    return found, problem


def is_late(one: Interrupt) -> bool:
    """Whether a command took too long to end, and not because the machine had no time for it."""
    return one.seconds > LATE and (one.processor_seconds > LATE or one.load < 1.0)


def _again_test(seed: int) -> str:
    return f"""from arcbatt.devtools.soak.__main__ import one_piece


def test_the_command_ends(tmp_path):
    assert not one_piece("interrupts", {seed}, tmp_path).findings
"""
