"""Every subcommand in one place; each lives in a module of its own and is imported when it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arcbatt.cli import options as opt
from arcbatt.errors import UsageError
from arcbatt.runs.options import RunOptions

app = typer.Typer(
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
        typer.Argument(metavar="[A]", help="A run; default: the last but one.", autocompletion=opt.complete_run),
    ] = None,
    after: Annotated[
        str | None,
        typer.Argument(metavar="[B]", help="Another; default: the last one.", autocompletion=opt.complete_run),
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
        typer.Argument(metavar="[RUN]...", help="Runs by their numbers.", autocompletion=opt.complete_run),
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
    ids: opt.Ids = None,
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
    ray: opt.Ray = None,
    out: Annotated[
        Path | None, opt.out("A directory to record the search in; default: where arcbatt keeps runs.")
    ] = None,
    keep: Annotated[bool, typer.Option(help="Keep the search, for arcbatt runs, report and submit.")] = True,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the search in --out, or the last one.")] = False,
    submission: Annotated[
        Path | None, typer.Option(help="Write two attempts for every test input, for Kaggle.")
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
    from arcbatt.search.options import SolveOptions

    RunOptions(count=count, seconds=seconds, threads=threads)  # which says what makes no sense
    options = SolveOptions(budget=budget, threads=threads)
    shape = Shape(everything, failed, summary, as_json, as_csv)
    solve_command(
        options, dataset, ids or [], count, seconds, out, keep, resume, submission, explain, quiet, shape, ray
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

    RunOptions(count=count, seconds=seconds, threads=threads)  # which says what makes no sense
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
        typer.Argument(metavar="[DIR]", help="A run, a search, or a folder of them; default: where runs are kept."),
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


@app.command(context_settings=opt.settings("verify"), short_help="Check backends against the reference.")
def verify(
    vectors: Annotated[
        Path | None, typer.Option(help="Vector file: one JSON object a line, gzip if it ends in .gz.")
    ] = None,
    solvers: Annotated[
        list[Path] | None, typer.Option(help="Or: solver files or folders, run on the samples of --dataset.")
    ] = None,
    random: Annotated[int | None, typer.Option(help="Or: so many random programs and mutants of the library.")] = None,
    backend: Annotated[
        list[str] | None,
        typer.Option(
            help="What to check: python, cpu, dynamic, lanes (32 emulated lanes), cuda, waves; may be repeated. "
            "Default: python for vectors, else every engine there is."
        ),
    ] = None,
    dataset: opt.Dataset = "arcagi",
    count: Annotated[int, opt.count("So many tasks of the data set, evenly over it; 0: all.")] = 20,
    seed: Annotated[int, typer.Option(help="Names the random programs and their samples.")] = 0,
    generator: Annotated[
        int | None, typer.Option(help="The version of the generator that the seed is for. Default: the newest.")
    ] = None,
    show: Annotated[int, typer.Option(help="How many disagreements to print.")] = 10,
    max_steps: opt.Steps = None,
    max_total_steps: opt.TotalSteps = None,
) -> None:
    """Check backends against vectors, or against the reference and one another; exit 1 on any disagreement."""
    from arcbatt.cli import verify as command
    from arcbatt.devtools.verify.sides import Steps

    if sum(source is not None for source in (vectors, solvers, random)) != 1:
        raise UsageError("give what to check on: --vectors FILE, --solvers PATH or --random N, one of them")
    steps = Steps.asked(max_steps, max_total_steps)
    if vectors is not None:
        command.verify_all_vectors(vectors, backend or ["python"], show, steps)
    elif random is not None:
        command.verify_random(random, seed, generator, backend or [], show, steps)
    else:
        command.verify_solvers(solvers or [], dataset, count or None, backend or [], show, steps)


@app.command(context_settings=opt.settings("profile"), short_help="Say where the time of a run goes.")
def profile(
    solvers: opt.Solvers = None,
    dataset: opt.Dataset = "arcagi",
    count: Annotated[int | None, opt.count("So many tasks, evenly over the data set; default: all.")] = None,
    threads: Annotated[int, typer.Option("--threads", "-j", help="Threads of the engine.")] = 1,
    program: Annotated[str | None, opt.program("The lines of this program instead.")] = None,
    top: Annotated[int, typer.Option(help="Rows of each table.")] = 25,
    trace: Annotated[Path | None, typer.Option(help="Also write a trace for Perfetto to this file.")] = None,
    out: Annotated[Path | None, opt.out("Also write everything to this file, as JSON.")] = None,
    gpus: Annotated[bool, typer.Option("--gpus/--no-gpus", help="Also run on each GPU there is.")] = True,
    max_steps: opt.Steps = None,
) -> None:
    """Say where the time of a run goes: by primitive, program, line and stage; launches and transfers of GPUs."""
    from arcbatt.cli.profile import print_profile

    print_profile(solvers or [], dataset, count, threads, program, top, trace, out, gpus, max_steps)


@app.command(short_help="Measure how fast programs run here.")
def bench(
    suite: Annotated[
        list[str] | None,
        typer.Option(
            help="throughput, own, batts, mutants, objects, primitives, card, packing, end-to-end, scaling, start, "
            "transfers, crossover, shares, or all; may be repeated. Default: those that take about a minute."
        ),
    ] = None,
    solvers: opt.Solvers = None,
    baseline: Annotated[
        str | None,
        typer.Option(help="Also the programs as Python functions over this DSL module: a name, a file, or its folder."),
    ] = None,
    dataset: opt.Dataset = "arcagi",
    count: Annotated[int, opt.count("So many tasks, evenly over the data set; 0: all.")] = 20,
    mutants: Annotated[list[int] | None, typer.Option(help="How many mutants; may be repeated.")] = None,
    mutant_samples: Annotated[int, typer.Option(help="Samples that mutants run on.")] = 40,
    runs: Annotated[int, typer.Option(help="Runs of each figure after the warm-up.")] = 3,
    each: Annotated[int, typer.Option(help="Evaluations of each program on the sides that are sampled.")] = 2,
    max_steps: opt.Steps = None,
    out: Annotated[Path | None, opt.out("Write NAME.json and NAME.md.")] = None,
    add: Annotated[bool, typer.Option("--add", help="Keep the suites that NAME.json has and this does not.")] = False,
    compare: Annotated[
        tuple[Path, Path] | None, typer.Option(metavar="A B", help="Measure nothing: compare two saved results.")
    ] = None,
    curves: Annotated[
        tuple[Path, Path] | None,
        typer.Option(metavar="RESULT FOLDER", help="Measure nothing: draw a saved result's scaling as SVG."),
    ] = None,
) -> None:
    """Measure how fast programs run here, every side in one run; print, save and compare."""
    from arcbatt.cli import bench as command

    if compare is not None:
        command.print_compared(*compare)
    elif curves is not None:
        command.write_curves(*curves)
    else:
        command.run_bench(
            suite or [], solvers or [], dataset, count or None, mutants or [], mutant_samples, runs, each, baseline,
            out, add, max_steps,
        )  # fmt: skip


@app.command(short_help="Show what there is to run on.")
def info(
    measure: Annotated[
        bool, typer.Option("--measure", help="Time every engine there is, and keep the figures.")
    ] = False,
    compile_: Annotated[bool, typer.Option("--compile", help="Compile the GPU kernel for the GPUs there are.")] = False,
    arch: Annotated[
        list[int] | None,
        typer.Option(help="With --compile: for this architecture (75 for compute capability 7.5); may be repeated."),
    ] = None,
    out: Annotated[Path | None, opt.out("With --arch: into this folder, for ARCBATT_CUBINS.")] = None,
    as_json: opt.Json = False,
) -> None:
    """Show what there is to run on: versions, engines, GPUs, and from how much work on which is the fastest."""
    from arcbatt.cli import info as command

    if (arch or out) and not compile_:
        raise UsageError("--arch and --out go with --compile")
    if out and not arch:
        raise UsageError("--out needs --arch: the architectures to compile for")
    if arch:
        command.build_cubins(arch, out)
    else:
        command.print_info(measure, compile_, as_json)
