"""Count over public solver files: parsed, typed and solved, a row each.

    python tools/dialect_table.py --clones CLONES [--show 5]
    python tools/dialect_table.py arc-dsl=CLONES/arc-dsl/solvers.py mine=FOLDER

The first makes the table of docs/dialects.md: CLONES/OWNER+NAME is a clone, bare or not, of each repository in
dialect_families.toml, with its history, and the files are those of the commit named there. `--only TEXT` leaves out
families whose name does not have the text.

The path of a family is a solver file, a folder of such, or a folder of answers of language models as Markdown (*.md):
then every function of their Python blocks is a program, equal ones counted once, and there are two rows, of programs
that are nothing but calls and of those with Python between the calls.

Files are parsed, never run. *Programs* are those read and those refused; *tried* those named for a task of ARC-AGI-1;
*typed* of them those the CPU engine compiles, and *solved* those whose every output is right on the demonstrations and
tests of that task. `--show` lists why programs were refused.
"""

from __future__ import annotations

import argparse
import ast
import re
import subprocess
import tempfile
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Final

from arcbatt.data.tasks import Task, load_tasks
from arcbatt.engine.cpu import CpuEngine
from arcbatt.language.program import Program
from arcbatt.language.reference import evaluate
from arcbatt.syntax import Parsed, parse_paths, parse_text
from arcbatt.syntax.problems import summary

_BLOCK: Final = re.compile(r"```python\n(.*?)```", re.DOTALL)
"""Python in Markdown."""


def outcomes(programs: Sequence[Program], task: Task) -> tuple[int, int]:
    """How many of the programs are typed, and how many give every output of a task."""
    try:
        engine = CpuEngine.of(list(programs), threads=1)
        values = [(engine.values(sample), sample.C) for sample in task.samples]
    except ValueError:  # a program that cannot be loaded spoils those compiled with it
        if len(programs) == 1:
            return 0, int(all(evaluate(programs[0], sample) == sample.C for sample in task.samples))
        each = [outcomes([program], task) for program in programs]
        return sum(typed for typed, _ in each), sum(solved for _, solved in each)
    right = [{name for name, value in given.items() if value == expected} for given, expected in values]
    return len(programs) - len(engine.refused()), len(set.intersection(*right))


def task_of(program: Program, tasks: Mapping[str, Task]) -> str | None:
    """The task a program is named for."""
    found = re.search(r"[0-9a-f]{8}", program.name)
    return found.group() if found and found.group() in tasks else None


def row(name: str, parsed: Parsed, tasks: Mapping[str, Task]) -> str:
    """The figures of one family."""
    programs = [replace(one, name=f"{one.name}_{number}") for number, one in enumerate(parsed.programs)]
    by_task: dict[str, list[Program]] = defaultdict(list)
    for program in programs:
        if task := task_of(program, tasks):
            by_task[task].append(program)
    found = [outcomes(group, tasks[task]) for task, group in by_task.items()]
    typed, solved = sum(one[0] for one in found), sum(one[1] for one in found)
    tried = sum(map(len, by_task.values()))
    total = len(programs) + parsed.refused
    return f"| {name} | {total:,} | {len(programs):,} | {tried:,} | {typed:,} | {solved:,} |"


def answers(folder: Path) -> tuple[dict[str, str], dict[str, str]]:
    """Programs in Markdown files, by name: those of calls alone, and those with Python in between."""
    calls: dict[str, str] = {}
    mixed: dict[str, str] = {}
    seen: set[str] = set()
    for file in sorted(folder.rglob("*.md")):
        task = re.search(r"[0-9a-f]{8}", file.stem)
        for block in _BLOCK.findall(file.read_text(encoding="utf-8", errors="replace")):
            try:
                tree = ast.parse(block)
            except SyntaxError:
                continue
            functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
            called = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
            helpers = [ast.unparse(node) for node in functions if node.name in called]
            for node in functions:
                text = ast.unparse(ast.FunctionDef("solve", node.args, node.body, [], lineno=1))
                if node.name in called or (key := f"{task and task.group()} {text}") in seen:
                    continue
                seen.add(key)
                name = f"{task.group() if task else file.stem}_{len(seen)}"
                whole = "\n\n".join([*helpers, text.replace("def solve(", f"def solve_{name}(", 1)])
                (calls if all(map(_is_call, node.body)) else mixed)[name] = f"{whole}\n"
    return calls, mixed


def _is_call(node: ast.stmt) -> bool:
    """Whether a line assigns or returns calls of names, names and numbers alone."""
    if not isinstance(node, ast.Assign | ast.Return):
        return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    parts = [part for part in ast.walk(node) if isinstance(part, ast.expr | ast.keyword)]
    return all(
        isinstance(part, ast.Name | ast.Constant) or (isinstance(part, ast.Call) and not part.keywords)
        for part in parts
    )


def families(name: str, path: Path) -> Iterator[tuple[str, Parsed]]:
    """The rows that a path stands for, each with what was read."""
    if not path.is_dir() or any(path.rglob("*.py")) or not any(path.rglob("*.md")):
        yield name, parse_paths([path])
        return
    kinds = ("without Python between the calls", "with Python between the calls")
    for kind, programs in zip(kinds, answers(path), strict=True):
        found = Parsed()
        for program, text in programs.items():
            one = parse_text(text, f"{program}.py")
            found.programs += one.programs
            found.add_counts(one)
        yield f"{name}, {kind}", found


def checked_out(clones: Path, only: str, into: Path) -> Iterator[tuple[str, Path]]:
    """The families of the table, each with its files out of a clone."""
    table = tomllib.loads(Path(__file__).with_name("dialect_families.toml").read_text(encoding="utf-8"))
    for number, family in enumerate(table["family"]):
        if only not in family["name"]:
            continue
        clone = clones / family.get("repository", family["name"]).replace("/", "+")
        folder = into / str(number)
        folder.mkdir()
        archive = ["git", "-C", str(clone), "archive", family["commit"], "--", family.get("files", family["path"])]
        files = subprocess.run(archive, check=True, stdout=subprocess.PIPE).stdout
        subprocess.run(["tar", "-x", "-C", str(folder)], check=True, input=files)
        yield family["name"], folder / family["path"]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", metavar="NAME=PATH")
    parser.add_argument("--clones", type=Path, help="A folder of clones, for the families of the table.")
    parser.add_argument("--only", default="", help="Families whose name has this.")
    parser.add_argument("--show", type=int, default=0, help="Reasons to list for each family.")
    options = parser.parse_args()
    tasks = {task.id: task for name in ("arcagi", "arcagi:evaluation") for task in load_tasks(name)}
    print("| family | programs | parsed | tried | typed | solved |\n|---|---|---|---|---|---|")
    given = [(name, Path(path or name)) for name, _, path in (folder.partition("=") for folder in options.folders)]
    with tempfile.TemporaryDirectory() as folder:
        known = checked_out(options.clones, options.only, Path(folder)) if options.clones else ()
        for name, path in chain(known, given):
            for family, parsed in families(name, path):
                print(row(family, parsed, tasks), flush=True)
                for line in summary(parsed, options.show) if options.show else []:
                    print(f"    {line}")


if __name__ == "__main__":
    main()
