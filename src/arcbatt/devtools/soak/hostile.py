"""Damaged files of every kind through the commands that read them: each uses or refuses what it is given."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final

from arcbatt.data.tasks import load_tasks, task_to_json
from arcbatt.devtools.bench.result import Result, Row
from arcbatt.devtools.soak.commands import Ended, command
from arcbatt.devtools.soak.damage import NO_FILES, change_tables, changed_bytes, changed_json, changed_text
from arcbatt.devtools.soak.findings import command_test
from arcbatt.devtools.soak.soak import Soak
from arcbatt.solvers import library
from arcbatt.support.text import plain_text

COMMANDS_OF_A_PIECE: Final = 4
_IDS: Final = ("007bbfb7", "00d62c1b", "025d127b")
_RUN: Final = ("run", "--dataset", "tasks.json", "--backend", "cpu", "--threads", "1", "-t", "20")
_DATA: Final = ("--dataset", "tasks.json")
_SOLVE: Final = ("solve", *_DATA, "--budget", "0.05", "--threads", "1", "--out", "solved")
_EVOLVE: Final = (
    "evolve",
    *_DATA,
    "--backend",
    "cpu",
    "--threads",
    "1",
    "--children",
    "20",
    "-t",
    "20",
    "--out",
    "evolved",
)
COMMANDS: Final[dict[str, tuple[tuple[str, ...], ...]]] = {
    "solvers.py": (
        (*_RUN, "--solvers", "solvers.py"),
        ("check", "solvers.py"),
        ("card", "--solvers", "solvers.py", "--file", "new.py", "--force"),
        ("show", _IDS[0], "--solvers", "solvers.py"),
        (*_EVOLVE[:-1], "new", "--generations", "1", "--solvers", "solvers.py"),
        ("verify", "--solvers", "solvers.py", *_DATA, "--backend", "cpu", "--limit", "1", "--max-steps", "100000"),
    ),
    "batt.py": ((*_RUN, "--batt", "batt.py"),),
    "tasks.json": (
        (*_RUN, "--solvers", "solvers.py"),
        ("tasks", "check", "tasks.json"),
        ("tasks", "vary", "-d", "tasks.json", "-n", "2", "-o", "new.json"),
        ("show", _IDS[0], *_DATA),
        ("score", "submission.json", *_DATA),
        ("submit", "--run", "run", "-o", "new.json", *_DATA),
        (*_SOLVE, "--resume"),
        (*_SOLVE[:-1], "new"),
        (*_EVOLVE[:-1], "new", "--generations", "1", "--solvers", "solvers.py"),
    ),
    "tasks.jsonl": (("tasks", "check", "tasks.jsonl"),),
    "submission.json": (("score", "submission.json", *_DATA),),
    "vectors.jsonl": (("verify", "--vectors", "vectors.jsonl"),),
    "bench.json": (("bench", "--compare", "bench.json", "bench.json"),),
    **dict.fromkeys(
        ("solved/solve.json", "solved/solutions.jsonl"),
        (
            (*_SOLVE, "--resume", "--submission", "new.json"),
            (*_SOLVE, "--explain", _IDS[0]),
            ("report", "solved", "--output", "new.html"),
        ),
    ),
    "evolved/evolve.json": ((*_EVOLVE, "--generations", "2", "--resume"),),
    **dict.fromkeys(
        ("run/run.json", "run/results.sqlite", "run/programs.py"),
        (
            ("report", "run", "--output", "new.html"),
            ("submit", "--run", "run", "--output", "new.json"),
            (*_RUN, "--solvers", "solvers.py", "--out", "run", "--resume"),
        ),
    ),
}
"""Commands by the file of the folder that they read and that is damaged."""


def make_inputs(folder: Path) -> None:
    """A good input of each kind."""
    tasks = {task.id: task_to_json(task) for task in load_tasks("arcagi") if task.id in _IDS}
    programs = [program for program in library() if program.id in _IDS]
    (folder / "solvers.py").write_text("\n\n".join(map(str, programs)))
    (folder / "tasks.json").write_text(json.dumps(tasks))
    (folder / "tasks.jsonl").write_text("".join(json.dumps({"id": key, **task}) + "\n" for key, task in tasks.items()))
    (folder / "vectors.jsonl").write_text('{"expr": "rot90(I)", "I": [[1, 2]], "out": [[1], [2]]}\n')
    (folder / "bench.json").write_text(Result("x", {}, [Row.of("a", "b", "c", "s", [1.0])]).to_json())
    for args in (
        ("card", "--solvers", "solvers.py", "--file", "batt.py", "--force"),
        (*_RUN, "--solvers", "solvers.py", "--out", "run"),
        ("submit", "--run", "run", "-o", "submission.json"),
        _SOLVE,
        (*_EVOLVE, "--generations", "1", "--solvers", "solvers.py"),
    ):
        done = command(_without_time(args), folder)
        assert done.status == 0, done.err


def _without_time(args: tuple[str, ...]) -> tuple[str, ...]:
    """A command without its `-t`: on a busy machine it would leave half of what it makes."""
    at = args.index("-t") if "-t" in args else len(args)
    return args[:at] + args[at + 2 :]


def hostile_files(seed: int, soak: Soak) -> None:
    """Some commands, each on a folder with one damaged file."""
    draw, good = random.Random(f"hostile {seed}"), soak.made("inputs", make_inputs)
    for _ in range(COMMANDS_OF_A_PIECE):
        if soak.stop():
            return
        folder = soak.folder / "damaged"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(good, folder)
        name = draw.choice(list(COMMANDS))
        damage(folder / name, draw)
        args = draw.choice(COMMANDS[name])
        before = shutil.copytree(folder, soak.folder / "before", symlinks=True, dirs_exist_ok=True)
        problem = problem_with(command(args, folder))
        soak.counts.done["damaged files given to a command"] += 1
        if problem:
            title = f"{args[0]} on a damaged {name}: {problem}"
            soak.findings.add("hostile", title, seed, command_test(list(args)), before)
        shutil.rmtree(before)


def problem_with(ended: Ended) -> str:
    """What is wrong with the way a command ended that was given anything at all."""
    problem = ended.problem()
    if not problem and plain_text(ended.out + ended.err) != ended.out + ended.err:
        problem = "prints what a terminal would obey"
    return problem


def damage(path: Path, draw: random.Random) -> None:
    """Damage a file, in a way that fits it."""
    if draw.random() < 0.1:
        path.unlink()
        NO_FILES[draw.choice(list(NO_FILES))](path)
        return
    ways: list[Callable[[bytes, random.Random], bytes]] = [changed_bytes]
    if path.suffix in (".json", ".jsonl"):
        ways += [changed_json] * 4
    if path.suffix == ".py":
        ways += [changed_text] * 4
    if path.suffix == ".sqlite" and draw.random() < 0.8:
        return change_tables(path, draw)
    path.write_bytes(draw.choice(ways)(path.read_bytes(), draw))
    return None
