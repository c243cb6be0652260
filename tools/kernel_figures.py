"""Compile some kernels of waves for every architecture without a GPU, and guard what they need of one.

    python tools/kernel_figures.py check      exit 1 where one does not compile or needs much more than before
    python tools/kernel_figures.py record     make today's figures the ones to compare with

Registers, stack (local memory) and code are read from the machine code. They depend on the compiler, so each version
has its own figures, and one without is skipped with a message once everything has compiled. There are some thousand
kernels; these few stand for each kind: threads and warps, objects, the steps of a loop, the ends. Where nvcc is found a
source goes through it, too. `make kernel` and `make kernel-figures` do all of this.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Final

from arcbatt.compiler.abi import WAVE_PHASES
from arcbatt.compiler.program_set import compile
from arcbatt.compiler.wave_kernels import GATHER
from arcbatt.compiler.waves import schedule
from arcbatt.engine.cuda.compile import LANES, KernelOptions
from arcbatt.engine.cuda.cubin_file import kernel_figures
from arcbatt.engine.cuda.nvrtc import Nvrtc, find_nvrtc
from arcbatt.engine.waves import kernels
from arcbatt.errors import UsageError
from arcbatt.syntax import parse_text

ROOT: Final = Path(__file__).resolve().parent.parent
FIGURES: Final = ROOT / "tests" / "native" / "kernel.json"
BUILD: Final = ROOT / "build" / "kernel"
ARCHS: Final = (60, 75, 80, 89, 90, 120)
PROGRAMS: Final = """
def solve_plain(I):
    x1 = hmirror(I)
    return paint(x1, shift(asobject(I), (add(height(I), ONE), ONE)))

def solve_loop(I):
    return mapply(normalize, o_g(I, R5))
"""
TOLERANCE: Final = {"registers": 0.0, "stack": 0.10, "code": 0.10}
"""How much each may grow."""
REGISTERS_AT_ONCE: Final = 8
"""A GPU hands them out to a thread so many at a time, so fewer more change nothing."""

Figures = dict[str, dict[str, dict[str, int]]]
"""By kernel and architecture."""


def chosen() -> dict[str, tuple[KernelOptions, str]]:
    """The kernels by name, each with its entry."""
    every = {}
    for wave in schedule(compile(parse_text(PROGRAMS).check()).typed).waves:
        every[wave.kernel.operation] = wave.kernel
    found = {
        f"{name} by {width}": (every[name], width) for name, width in (("add", 1), ("paint", LANES), ("o_g", LANES))
    }
    found |= {name: (one, kernels.width(one)) for name, one in every.items() if one.phase == WAVE_PHASES["OPEN"]}
    for name, one in every.items():
        if one.phase == GATHER:
            found |= {f"{name} by {width}": (one, width) for width in (LANES, kernels.BLOCK)}
    made = {name: (kernels.options(*one), kernels.ENTRY) for name, one in found.items()}
    made["look"] = kernels.ENDS[1], kernels.LOOK_ENTRY
    made["take"] = kernels.VALUES[LANES], kernels.TAKE_ENTRY
    return made


def measured(compiler: Nvrtc) -> Figures:
    """What the kernels need; one that does not compile is an error."""
    os.environ["ARCBATT_CACHE"] = str(BUILD)
    every = chosen()
    found: Figures = {name: {} for name in every}
    for arch in ARCHS:
        paths = kernels.compiled(compiler, [options for options, _ in every.values()], arch)
        for name, (options, entry) in every.items():
            found[name][f"sm_{arch}"] = asdict(kernel_figures(paths[options].read_bytes(), entry))
    return found


def check(found: Figures, known: Figures) -> list[str]:
    """A line for each architecture; where it needs too much more, what GREW."""
    lines = []
    for kernel, by_arch in found.items():
        for arch, figures in by_arch.items():
            before = known.get(kernel, {}).get(arch)
            text = ", ".join(f"{number:,} {name}" for name, number in figures.items())
            if before is None:
                lines.append(f"{arch}, {kernel}: {text}; not known before; make kernel-figures")
                continue
            grew = [
                f"{name} GREW from {before[name]:,} to {number:,}"
                for name, number in figures.items()
                if number > _room(name, before[name])
            ]
            lines.append(f"{arch}, {kernel}: {'; '.join(grew) or text}")
    return lines


def _room(name: str, before: int) -> float:
    """The most a figure may be."""
    if name == "registers":
        before = -(-before // REGISTERS_AT_ONCE) * REGISTERS_AT_ONCE
    return before * (1 + TOLERANCE[name])


def through_nvcc() -> str:
    """What nvcc's own front end says of the source."""
    if not shutil.which("nvcc"):
        return "nvcc: not found here, left out"
    options = kernels.ENDS[LANES]
    defines = [flag for flag in options.flags(75) if flag.startswith("-D")]
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "kernel.cu")
        source.write_text(options.source(), encoding="utf-8")
        done = subprocess.run(
            ["nvcc", "-std=c++17", "-arch=compute_75", "-ptx", *defines, "-o", str(source.with_suffix(".ptx")), source],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode:
            raise SystemExit(f"nvcc does not compile the kernel:\n{done.stderr[-4000:]}")
    return "nvcc: compiles"


def main() -> int:
    """Do what the first argument says."""
    what = sys.argv[1] if len(sys.argv) > 1 else ""
    if what not in ("check", "record"):
        print(__doc__)
        return 2
    try:
        compiler = find_nvrtc()
    except UsageError as error:
        if what == "record":
            raise SystemExit(str(error)) from error
        print(f"compile checks of the GPU kernel skipped: {error}")
        return 0
    name = "NVRTC {}.{}".format(*compiler.getVersion())
    found = measured(compiler)
    every: dict[str, Figures] = json.loads(FIGURES.read_text()) if FIGURES.exists() else {}
    if what == "record":
        every[name] = found
        FIGURES.write_text(json.dumps(every, indent=1, sort_keys=True) + "\n")
    lines = check(found, every.get(name, {}))
    print("\n".join([*lines, through_nvcc()]))
    if any("GREW" in line for line in lines):
        print(f"more than the tolerance ({TOLERANCE}); if that is meant, make kernel-figures")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
