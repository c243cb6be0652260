"""Subcommands about arcbatt itself: whether it is right, where its time goes, how fast it is, and what it runs on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arcbatt.cli import options as opt
from arcbatt.errors import UsageError


def add_checks(app: typer.Typer) -> None:
    """Add them to the command."""
    app.command(context_settings=opt.settings("verify"), short_help="Check backends against the reference.")(verify)
    app.command(context_settings=opt.settings("profile"), short_help="Say where the time of a run goes.")(profile)
    app.command(short_help="Measure how fast programs run here.")(bench)
    app.command(short_help="Show what there is to run on.")(info)


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
            help="What to check: python, cpu, dynamic, lanes (32 emulated lanes), cuda; may be repeated. "
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


def bench(
    suite: Annotated[
        list[str] | None,
        typer.Option(
            help="throughput, own, batts, mutants, objects, primitives, card, packing, end-to-end, scaling, start, "
            "transfers, crossover, shares, or all; may be repeated. Default: those that take about a minute."
        ),
    ] = None,
    side: Annotated[
        list[str] | None,
        typer.Option(
            help="reference, thread (one), threads (all), gpu; may be repeated. Default: every side there is."
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
            out, add, max_steps, side or [],
        )  # fmt: skip


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
