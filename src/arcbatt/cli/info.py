"""`arcbatt info`: what there is to run on."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import typer

from arcbatt.cli.progress import shown_on_stderr
from arcbatt.cli.terminal import print_lines
from arcbatt.devtools.facts import machine_facts
from arcbatt.devtools.measure import measure
from arcbatt.engine.choose import why_no_gpu
from arcbatt.engine.waves import ahead
from arcbatt.engine.waves.device_kernels import compile_for_devices
from arcbatt.errors import UsageError
from arcbatt.solvers import library
from arcbatt.support.text import counted


def build_cubins(archs: Sequence[int], folder: Path | None) -> None:
    """Build the library's kernels for architectures, which need not be here, and print where they are."""
    with shown_on_stderr("kernels") as progress:
        paths = ahead.compile_ahead(ahead.kernels_of(library()), archs, folder, progress=progress)
    for path in paths:
        typer.echo(str(path))


def print_info(do_measure: bool, do_compile: bool, as_json: bool) -> None:
    """Compile or measure first if asked to, then print all there is to know."""

    def report(text: str) -> None:
        typer.echo(text, err=True)

    if do_compile:
        if problem := why_no_gpu():
            raise UsageError(f"no GPU to compile for: {problem}")
        with shown_on_stderr("kernels") as progress:
            made = compile_for_devices(ahead.kernels_of(library()), progress=progress)
        for one in made:
            report(f"GPU {one.device}: {one.path} after {one.seconds:.1f} s")
    if do_measure:
        measure(report)
    facts = machine_facts()
    if as_json:
        typer.echo(json.dumps(facts, indent=2))
    else:
        print_lines(lines(facts))


def lines(facts: dict[str, Any]) -> list[str]:
    """The facts as text."""
    commit = f" ({facts['commit']})" if facts["commit"] else ""
    found = [
        f"arcbatt {facts['arcbatt']}{commit}, Python {facts['python']}, NumPy {facts['numpy']}, "
        f"CuPy {facts['cupy'] or 'not installed'}",
        f"machine: {facts['machine']}, {counted(facts['cores'], 'core')}, {_gigabytes(facts['memory'])} of memory",
        f"CPU engine: {counted(facts['cores'], 'thread')}, built by {facts['compiler']}, ABI {facts['abi']}",
    ]
    if facts["no_gpu"]:
        found.append(f"no GPU: {facts['no_gpu']}")
    else:
        found.append(f"NVIDIA driver: {facts['driver']}")
    found += [_gpu(one) for one in facts["gpus"]]
    for name, speed in facts["speeds"].items():
        found.append(
            f"{name}: {speed['rate']:,.0f} evaluations/s, {speed['start']:.2f} s to start (measured {speed['when']})"
        )
    found += [_crossover(one) for one in facts["crossovers"]]
    if not facts["speeds"]:
        found.append("speeds: not measured here yet; arcbatt info --measure does")
    elif not facts["crossovers"]:
        found.append("crossovers: none, there is one engine")
    return found


def _gpu(one: dict[str, Any]) -> str:
    capability = ".".join(map(str, one["capability"]))
    if not one["supported"]:
        kernel = "not supported: compute capability 6.0 is the least"
    elif one["kernel"]:
        kernel = f"kernels compiled ahead: {one['kernel']}"
    else:
        kernel = "kernels compile when they are first used; arcbatt info --compile does it ahead"
    return (
        f"GPU {one['number']}: {one['name']} ({one['architecture']}), compute capability {capability}, "
        f"{_gigabytes(one['memory'])}, {_gigabytes(one['free_memory'])} free; {kernel}"
    )


def _crossover(one: dict[str, Any]) -> str:
    if one["evaluations"] is None:
        return f"{one['faster']} is never faster than {one['slower']}"
    return f"{one['faster']} is faster than {one['slower']} from {one['evaluations']:,} evaluations on"


def _gigabytes(number: int) -> str:
    return f"{number / (1 << 30):.1f} GiB"
