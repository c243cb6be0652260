"""Programs of other families by their own Python, beside what they give here.

    python tools/dialect_at_home.py --clones CLONES [--only tokpidjin] [--seconds 10]

For the families of dialect_families.toml with `at_home = true`: their repository's commit is checked out into a folder
of its own, and a process of its own imports the file of programs, with the functions that are there, and runs each
program on the demonstrations and tests of the task it is named for. Here the same file is read, as
tools/dialect_table.py does. Unlike all else in this project this runs code of strangers: do it in a container.

A row each: solved at home, here, and at home alone, with the names of the last. A call that takes longer than
`--seconds` has not solved its task.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from dialect_table import outcomes, task_of

from arcbatt.data.tasks import Task, load_tasks
from arcbatt.syntax import parse_paths

_MOST_SECONDS: Final = 3_000
"""Of one family at home."""
_RUNNER: Final = """
import importlib.util, inspect, json, signal, sys, types
sys.path.insert(0, ".")
for name in ("func_timeout", "solvers_pre", "solvers_evo"):  # what their tools import, and no program needs
    if importlib.util.find_spec(name) is None:
        stub = sys.modules[name] = types.ModuleType(name)
        stub.func_timeout, stub.FunctionTimedOut = None, TimeoutError
signal.signal(signal.SIGALRM, lambda *_: (_ for _ in ()).throw(TimeoutError()))
tuples = lambda grid: tuple(map(tuple, grid))
tasks = json.load(open(sys.argv[2]))
module = importlib.import_module(sys.argv[1])
solved = {}
for name, function in vars(module).items():
    task = tasks.get(name.removeprefix("solve_"))
    if not name.startswith("solve_") or task is None:
        continue
    samples = tuple((tuples(a), tuples(b)) for a, b in task["train"])
    given = inspect.signature(function).parameters
    right = True
    for a, b in (*task["train"], *task["test"]):
        known = {"S": samples, "I": tuples(a), "C": None}
        args = [known[one] for one in given if one in known] if len(given) > 1 else [tuples(a)]
        signal.alarm(int(sys.argv[3]))
        try:
            right = right and function(*args) == tuples(b)
        except BaseException:
            right = False
        finally:
            signal.alarm(0)
    solved[name] = bool(right)
json.dump(solved, open(sys.argv[4], "w"))
"""


def families(only: str) -> Iterator[dict[str, Any]]:
    """Those that can be run at home."""
    table = tomllib.loads(Path(__file__).with_name("dialect_families.toml").read_text(encoding="utf-8"))
    yield from (one for one in table["family"] if one.get("at_home") and only in one["name"])


def at_home(family: Mapping[str, Any], clones: Path, folder: Path, tasks: Mapping[str, Task], seconds: int) -> set[str]:
    """The programs of a family that solve their tasks by the functions of their own repository."""
    clone = clones / family.get("repository", family["name"]).replace("/", "+")
    names = subprocess.run(
        ["git", "-C", str(clone), "ls-tree", "--name-only", family["commit"]],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split("\n")
    modules = [name for name in names if name.endswith(".py")]
    archive = ["git", "-C", str(clone), "archive", family["commit"], "--", *modules]
    files = subprocess.run(archive, check=True, stdout=subprocess.PIPE).stdout
    subprocess.run(["tar", "-x", "-C", str(folder)], check=True, input=files)
    samples = {
        task.id: {
            "train": task.samples[0].S,
            "test": [(one.I, one.C) for one in task.samples[len(task.samples[0].S) :]],
        }
        for task in tasks.values()
    }
    given, found = folder / "tasks.json", folder / "solved.json"
    given.write_text(json.dumps(samples), encoding="utf-8")
    command = [sys.executable, "-c", _RUNNER, Path(family["path"]).stem, str(given), str(seconds), str(found)]
    quiet = subprocess.DEVNULL
    subprocess.run(command, check=True, cwd=folder, stdout=quiet, stderr=quiet, timeout=_MOST_SECONDS)
    return {name for name, right in json.loads(found.read_text(encoding="utf-8")).items() if right}


def here(file: Path, tasks: Mapping[str, Task]) -> set[str]:
    """The programs of a file that solve their tasks here."""
    named = [(program, task_of(program, tasks)) for program in parse_paths([file]).programs]
    return {program.name for program, task in named if task and outcomes([program], tasks[task])[1]}


def main() -> None:
    """Print a row for each family."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clones", type=Path, required=True)
    parser.add_argument("--only", default="", metavar="TEXT")
    parser.add_argument("--seconds", type=int, default=10, help="For a call at home.")
    options = parser.parse_args()
    tasks = {task.id: task for task in (*load_tasks("arcagi"), *load_tasks("arcagi:evaluation"))}
    print("| programs | at home | here | at home alone |\n|---|---|---|---|", flush=True)
    for family in families(options.only):
        with tempfile.TemporaryDirectory() as folder:
            home = at_home(family, options.clones, Path(folder), tasks, options.seconds)
            ours = here(Path(folder) / family["path"], tasks)
        print(f"| {family['name']} | {len(home)} | {len(ours)} | {len(home - ours)} |", flush=True)
        for name in sorted(home - ours):
            print(f"    {name}", flush=True)


if __name__ == "__main__":
    main()
