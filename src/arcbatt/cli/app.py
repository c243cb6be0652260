"""Every subcommand for people with programs and tasks; each lives in a module of its own, imported when it runs.

`app_checks` adds those about arcbatt itself.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arcbatt.cli import options as opt
from arcbatt.cli.app_checks import add_checks
from arcbatt.runs.options import RunOptions

app = typer.Typer(
    cls=opt.Commands,
    help="Run thousands of ARC programs on thousands of grids at once, exactly.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # its help leaves the texts 20 of 80 columns, and is box art in a pipe
)


def _version(show: bool) -> None:
    if show:
        from arcbatt._version import __version__

        typer.echo(f"arcbatt {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", "-V", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Options of the command itself."""


@app.command(short_help="Run every program on every task.")
def run(
    solvers: opt.Solvers = None,
    batt: Annotated[Path | None, typer.Option("--batt", "-b", help=RunOptions.help("batt"))] = None,
    dataset: opt.Dataset = "arcagi",
    count: Annotated[int | None, opt.count(RunOptions.help("count"))] = None,
    ids: opt.Ids = None,
    dialect: opt.Dialect = "",
    strict: Annotated[bool, typer.Option("--strict", help=RunOptions.help("strict"))] = False,
    errors: opt.Errors = None,
    seconds: opt.Seconds = None,
    backend: Annotated[
        str, typer.Option(help=RunOptions.help("backend"), autocompletion=opt.complete_backend)
    ] = "auto",
    use_gpu: Annotated[bool, typer.Option("--use-gpu", help="The same as --backend cuda.")] = False,
    devices: Annotated[str, typer.Option(help=RunOptions.help("devices"))] = "",
    ray: opt.Ray = None,
    mega_batch: Annotated[bool, typer.Option(help=RunOptions.help("mega_batch"))] = True,
    batch_size: Annotated[int, typer.Option(help=RunOptions.help("batch_size"))] = RunOptions.batch_size,
    threads: opt.Threads = None,
    compilers: Annotated[int | None, typer.Option(help=RunOptions.help("compilers"))] = None,
    max_steps: opt.Steps = None,
    max_total_steps: opt.TotalSteps = None,
    out: Annotated[Path | None, opt.out("A directory to record the run in; default: where arcbatt keeps runs.")] = None,
    keep: Annotated[bool, typer.Option(help="Keep the run, for arcbatt runs, report and submit.")] = True,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in --out, or the last one.")] = False,
    everything: opt.All = False,
    failed: opt.Failed = False,
    summary: opt.SummaryOnly = False,
    as_json: opt.Json = False,
    as_csv: opt.Csv = False,
    quiet: opt.Quiet = False,
) -> None:
    """Run every program on every task and print which tasks are solved."""
    from arcbatt.cli.run import run_command
    from arcbatt.cli.summary import Shape

    options = RunOptions(
        solvers=tuple(map(str, solvers or ())),
        batt=str(batt) if batt else None,
        dataset=dataset,
        count=count,
        ids=tuple(ids or ()),
        dialect=dialect,
        strict=strict,
        seconds=seconds,
        backend=RunOptions.gpu_backend(backend, use_gpu),
        devices=RunOptions.parse_devices(devices),
        cluster=ray,
        mega_batch=mega_batch,
        batch_size=batch_size,
        threads=threads,
        compilers=compilers,
        max_steps=max_steps,
        max_total_steps=max_total_steps,
    )
    shape = Shape(everything, failed, summary, as_json, as_csv)
    run_command(options, out, keep, resume, quiet, shape, errors)


runs = typer.Typer(help="List the runs that are kept; show one, or compare two.", invoke_without_command=True)
app.add_typer(runs, name="runs")


@runs.callback()
def runs_list(ctx: typer.Context, as_json: opt.Json = False) -> None:
    """List the runs that are kept; show one, or compare two."""
    from arcbatt.cli.runs import list_runs

    if ctx.invoked_subcommand is None:
        list_runs(as_json)


@runs.command("show")
def runs_show(
    run: opt.Run = None,
    everything: opt.All = False,
    failed: opt.Failed = False,
    summary: opt.SummaryOnly = False,
    as_json: opt.Json = False,
    as_csv: opt.Csv = False,
) -> None:
    """Print what came of a run, as at its end."""
    from arcbatt.cli.runs import show_run
    from arcbatt.cli.summary import Shape

    show_run(run, Shape(everything, failed, summary, as_json, as_csv))


@runs.command("diff", short_help="Compare two runs by task and by program.")
def runs_diff(
    before: Annotated[
        str | None,
        typer.Argument(metavar="A", help="A run; default: the last but one.", autocompletion=opt.complete_run),
    ] = None,
    after: Annotated[
        str | None,
        typer.Argument(metavar="B", help="Another; default: the last one.", autocompletion=opt.complete_run),
    ] = None,
    everything: opt.All = False,
    as_json: opt.Json = False,
) -> None:
    """Compare two runs by task and by program: what is solved now, what no longer is."""
    from arcbatt.cli.runs import diff_runs

    diff_runs(before, after, everything, as_json)


@runs.command("delete")
def runs_delete(
    numbers: Annotated[
        list[str] | None,
        typer.Argument(metavar="RUN", help="Runs by their numbers.", autocompletion=opt.complete_run),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", "-a", help="Every run that is kept.")] = False,
) -> None:
    """Delete runs that are kept; a directory of your own stays."""
    from arcbatt.cli.runs import delete_runs

    delete_runs(numbers or [], everything)


@app.command(context_settings=opt.settings("card"), short_help="Merge programs into one batt.")
def card(
    solvers: opt.Solvers = None,
    count: Annotated[int | None, opt.count("How many programs.")] = None,
    ids: opt.ProgramIds = None,
    seed: Annotated[int | None, typer.Option(help="Draw the --count programs at random by this seed.")] = None,
    out: Annotated[Path, opt.out("The batt file to write.")] = Path("batt.py"),
    force: Annotated[bool, typer.Option("--force", help="Replace the file if it is there.")] = False,
    vectorized: Annotated[
        bool, typer.Option("--gpu", "--vectorized", help="batt itself uses the fastest engine.")
    ] = False,
    differs: Annotated[bool, typer.Option(help="Attach the differs to the input and every output.")] = True,
    off: Annotated[list[str] | None, typer.Option(help="A rewrite to leave out of --stats; may be repeated.")] = None,
    stats: Annotated[bool, typer.Option("--stats", help="Print what each rewrite found.")] = False,
    code: Annotated[Path | None, typer.Option(help="Also write the engine's bytecode, as text, to this file.")] = None,
    dialect: opt.Dialect = "",
    strict: Annotated[bool, typer.Option("--strict", help="A bad program is an error, not skipped.")] = False,
    errors: opt.Errors = None,
) -> None:
    """Merge programs into one batt and write it as a readable Python module."""
    from arcbatt.cli.card import write_card, write_code
    from arcbatt.cli.read import read_programs

    read = read_programs(solvers or [], dialect, strict=strict, errors=errors)
    card = write_card(read, ids or [], count, seed, out, vectorized, differs, off or [], stats, force)
    if code is not None:
        write_code(card, code)


@app.command(short_help="Read solver files and print every problem.")
def check(
    files: Annotated[list[Path], typer.Argument(help="Solver files or folders.")],
    dialect: opt.Dialect = "",
    as_json: opt.Json = False,
) -> None:
    """Read programs and print every problem: where, why, and what to write instead; exit 1 if there is one."""
    from arcbatt.cli.read import print_check

    print_check(files, dialect, as_json)


@app.command()
def dialects() -> None:
    """List the dialects that solver files can be in."""
    from arcbatt.cli.read import print_dialects

    print_dialects()


@app.command("eval", context_settings=opt.settings("eval"))
def evaluate(
    expression: Annotated[str, typer.Argument(help="An expression over I, such as 'hmirror(I)'.")],
    grid: Annotated[str | None, typer.Option(help="The grid I as JSON, such as '[[1,2],[3,4]]'.")] = None,
    task: Annotated[
        str | None,
        typer.Option("--id", "-i", help="Or: a task, its first demonstration input.", autocompletion=opt.complete_task),
    ] = None,
    dataset: opt.Dataset = "arcagi",
    backend: Annotated[
        str, typer.Option(help="What evaluates it: python (the reference), cpu, lanes, cuda.")
    ] = "python",
) -> None:
    """Evaluate one expression on one grid and print its value."""
    from arcbatt.cli.evaluate import print_value

    print_value(expression, grid, task, dataset, backend)


@app.command(short_help="Score a submission by both rules.")
def score(
    submission: Annotated[Path, typer.Argument(help="A submission in Kaggle's format.")],
    dataset: opt.Dataset = "arcagi",
    strict: Annotated[bool, typer.Option("--strict", help="A task that is missing is an error, as on Kaggle.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="A line for each task.")] = False,
) -> None:
    """Score a submission, of all tasks or of some, by Kaggle's rule and by the repository's."""
    from arcbatt.cli.score import print_score

    print_score(submission, dataset, strict, verbose)


@app.command(context_settings=opt.settings("submit"), short_help="Write a submission: two attempts for each test.")
def submit(
    run: opt.Run = None,
    run_option: Annotated[str | None, typer.Option("--run", hidden=True)] = None,
    out: Annotated[Path, opt.out("The file to write.")] = Path("submission.json"),
    dataset: Annotated[
        str | None,
        typer.Option(
            "--dataset",
            "-d",
            help="The challenge, as a data set; default: the tasks of the run.",
            autocompletion=opt.complete_dataset,
        ),
    ] = None,
) -> None:
    """Write a submission: two attempts for every test input, chosen by the demonstrations alone."""
    from arcbatt.cli.submit import make_submission

    make_submission(run or run_option, out, dataset)


@app.command(short_help="Find programs for tasks.")
def solve(
    dataset: opt.Dataset = "arcagi",
    ids: opt.Ids = None,
    count: Annotated[int | None, opt.count(RunOptions.help("count"))] = None,
    budget: Annotated[float, typer.Option(help="Seconds of one core for each task.")] = 1.0,
    seconds: opt.Seconds = None,
    threads: Annotated[
        int | None, typer.Option("--threads", "-j", help="Tasks at a time; default: as many as cores.")
    ] = None,
    backend: Annotated[
        str, typer.Option(help="What makes images of inputs.", autocompletion=opt.complete_backend)
    ] = "cpu",
    ray: opt.Ray = None,
    out: Annotated[
        Path | None, opt.out("A directory to record the search in; default: where arcbatt keeps runs.")
    ] = None,
    keep: Annotated[bool, typer.Option(help="Keep the search, for arcbatt runs, report and submit.")] = True,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the search in --out, or the last one.")] = False,
    submission: Annotated[
        Path | None, typer.Option(help="Write two attempts for every test input, for Kaggle.")
    ] = None,
    library: Annotated[
        Path | None,
        typer.Option(help="A solver file of your own: its parts are features, and what is found is added to it."),
    ] = None,
    explain: Annotated[
        str | None, typer.Option(help="Show the attempts at this task, of --out or made now, and their programs.")
    ] = None,
    everything: opt.All = False,
    failed: opt.Failed = False,
    summary: opt.SummaryOnly = False,
    as_json: opt.Json = False,
    as_csv: opt.Csv = False,
    quiet: opt.Quiet = False,
) -> None:
    """Find programs for tasks from their demonstrations: two attempts for every test input."""
    from arcbatt.cli.solve import solve_command
    from arcbatt.cli.summary import Shape
    from arcbatt.engine.choose import backend_for
    from arcbatt.search.options import SolveOptions

    RunOptions(count=count, seconds=seconds, threads=threads, backend=backend)  # which says what makes no sense
    options = SolveOptions(budget=budget, threads=threads, backend=backend_for(backend))
    shape = Shape(everything, failed, summary, as_json, as_csv)
    solve_command(
        options, dataset, ids or [], count, seconds, out, keep, resume, submission, explain, quiet, shape, ray, library
    )


tasks = typer.Typer(help="Look at data sets, and make large ones.", no_args_is_help=True)
app.add_typer(tasks, name="tasks")


@tasks.command("check", short_help="Say what is in a data set, and what is wrong.")
def tasks_check(
    dataset: Annotated[str, typer.Argument(help=opt.DATASET_HELP, autocompletion=opt.complete_dataset)],
    strict: Annotated[
        bool, typer.Option("--strict", help="Stop at the first task that is not as it should be.")
    ] = False,
) -> None:
    """Read a data set; say what is in it and which tasks are not as they should be."""
    from arcbatt.cli.tasks import check_tasks

    check_tasks(dataset, strict)


@tasks.command("vary", context_settings=opt.settings("vary"))
def tasks_vary(
    out: Annotated[Path, opt.out("FILE.jsonl, FILE.json, or a folder to make.")],
    count: Annotated[int, opt.count("How many variations.")],
    dataset: opt.Dataset = "arcagi",
    seed: Annotated[int, typer.Option(help="The same seed gives the same tasks.")] = 0,
) -> None:
    """Write tasks turned, mirrored and recoloured at random."""
    from arcbatt.cli.tasks import vary_tasks

    vary_tasks(dataset, count, seed, out)


@app.command(short_help="Change programs and keep the best, again and again.")
def evolve(
    solvers: opt.Solvers = None,
    dialect: opt.Dialect = "",
    dataset: opt.Dataset = "arcagi",
    ids: opt.Ids = None,
    count: Annotated[int | None, opt.count(RunOptions.help("count"))] = None,
    generations: Annotated[int, typer.Option(help="Generations after the programs that are given.")] = 10,
    children: Annotated[int, typer.Option(help="Changed programs in each generation.")] = 2000,
    places: Annotated[int, typer.Option(help="Programs kept for each task that is not solved.")] = 4,
    seed: Annotated[int, typer.Option(help="The same seed gives the same programs.")] = 0,
    seconds: opt.Seconds = None,
    backend: Annotated[
        str, typer.Option(help=RunOptions.help("backend"), autocompletion=opt.complete_backend)
    ] = "auto",
    threads: opt.Threads = None,
    out: Annotated[Path, opt.out("The directory for the programs that are kept.")] = Path("evolved"),
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the programs in --out.")] = False,
    quiet: opt.Quiet = False,
) -> None:
    """Change programs, run them on every task, keep for each task those that come nearest by its demonstrations."""
    from arcbatt.cli.evolve import evolve_command
    from arcbatt.evolution.api import EvolveOptions

    RunOptions(count=count, seconds=seconds)  # which says what makes no sense
    options = EvolveOptions(generations, children, places, seed, backend, threads)
    evolve_command(options, solvers or [], dialect, dataset, ids or [], count, seconds, out, resume, quiet)


@app.command(short_help="Show a task, and what a program gives.")
def show(
    task: Annotated[str, typer.Argument(help="The task's id, such as 007bbfb7.", autocompletion=opt.complete_task)],
    dataset: opt.Dataset = "arcagi",
    program: Annotated[str | None, opt.program("Also what this program gives on every pair.")] = None,
    solvers: opt.Solvers = None,
) -> None:
    """Show a task's grids in the terminal, and what a program makes of them."""
    from arcbatt.cli.show import show_task

    show_task(task, dataset, program, solvers or [])


@app.command(context_settings=opt.settings("report"), short_help="Write a run as one HTML file.")
def report(
    run: opt.Run = None,
    against: Annotated[
        str | None,
        typer.Option(help="Also an earlier run, to compare with: what changed.", autocompletion=opt.complete_run),
    ] = None,
    out: Annotated[Path, opt.out("The HTML file to write.")] = Path("report.html"),
    count: Annotated[int, opt.count("Tasks shown at most in each section, and programs.")] = 1000,
) -> None:
    """Write a run, or what was solved, as one HTML file that needs nothing else."""
    from arcbatt.cli.report import write_report

    write_report(run, against, out, count)


@app.command(short_help="Follow runs and searches in a browser.")
def watch(
    directory: Annotated[
        Path | None,
        typer.Argument(metavar="DIR", help="A run, a search, or a folder of them; default: where runs are kept."),
    ] = None,
    host: Annotated[
        str, typer.Option(help="The address to listen on; any but this machine's own needs a token, which is printed.")
    ] = "127.0.0.1",
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="The port, 0 for any; default: 8420, or the next that is free.")
    ] = None,
) -> None:
    """Follow runs and searches in a browser: what is solved, how fast, what fails; metrics at /metrics."""
    from arcbatt.cli.watch import watch_runs

    watch_runs(directory, host, port)


add_checks(app)
