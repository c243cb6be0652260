"""Compile the GPU kernel for every architecture without a GPU, and guard what it needs of one.

    python tools/kernel_figures.py check [--full]     exit 1 where it does not compile or needs much more than before
    python tools/kernel_figures.py record [--full]    make today's figures the ones to compare with

Registers, stack (local memory) and code are read from the machine code. They depend on the compiler, so each version
has its own figures, and one without is skipped with a message once everything has compiled. Compiling is quick
(the compiler's own switch for it), some 10 seconds of a core for each architecture; with --full also as the kernel is
compiled to run, about a minute each. Where nvcc is found the source goes through it, too. `make kernel` and
`make kernel-figures` do all of this (FULL=1 for --full).
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Final

from arcbatt.engine.cuda.compile import ENTRY, LANES, KernelOptions, compile_ahead
from arcbatt.engine.cuda.cubin_file import kernel_figures
from arcbatt.engine.cuda.nvrtc import Nvrtc, find_nvrtc
from arcbatt.engine.cuda.source import kernel_source
from arcbatt.errors import UsageError

ROOT: Final = Path(__file__).resolve().parent.parent
FIGURES: Final = ROOT / "tests" / "native" / "kernel.json"
BUILD: Final = ROOT / "build" / "kernel"
ARCHS: Final = (60, 75, 80, 89, 90, 120)
WAYS: Final = {"quick": KernelOptions(), "full": KernelOptions(fast_compile="")}
TOLERANCE: Final = {"registers": 0.0, "stack": 0.10, "code": 0.10}
"""How much each may grow."""
REGISTERS_AT_ONCE: Final = 8
"""A GPU hands them out to a thread so many at a time, so fewer more change nothing."""

Figures = dict[str, dict[str, dict[str, int]]]
"""By way and architecture."""


def measured(compiler: Nvrtc, ways: list[str]) -> Figures:
    """What the kernel needs; one that does not compile is an error."""
    found: Figures = {}
    for way in ways:
        paths = compile_ahead(ARCHS, BUILD / str(compiler.getVersion()[0]), options=WAYS[way], nvrtc=compiler)
        found[way] = {
            f"sm_{arch}": asdict(kernel_figures(path.read_bytes(), ENTRY))
            for arch, path in zip(ARCHS, paths, strict=True)
        }
    return found


def check(found: Figures, known: Figures) -> list[str]:
    """A line for each architecture; where it needs too much more, what GREW."""
    lines = []
    for way, by_arch in found.items():
        for arch, figures in by_arch.items():
            before = known.get(way, {}).get(arch)
            text = ", ".join(f"{number:,} {name}" for name, number in figures.items())
            if before is None:
                lines.append(f"{arch}, {way}: {text}; not known before; make kernel-figures")
                continue
            grew = [
                f"{name} GREW from {before[name]:,} to {number:,}"
                for name, number in figures.items()
                if number > _room(name, before[name])
            ]
            lines.append(f"{arch}, {way}: {'; '.join(grew) or text}")
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
    options = WAYS["quick"]
    defines = [f"-DAB_LANES={LANES}", f"-DAB_THREADS={options.threads}", f"-DAB_BLOCKS={options.blocks}"]
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "kernel.cu")
        source.write_text(kernel_source(), encoding="utf-8")
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
    found = measured(compiler, ["quick", *(["full"] if "--full" in sys.argv else [])])
    every: dict[str, Figures] = json.loads(FIGURES.read_text()) if FIGURES.exists() else {}
    known = every.get(name, {})
    if what == "record":
        every[name] = known | found
        FIGURES.write_text(json.dumps(every, indent=1, sort_keys=True) + "\n")
    lines = check(found, every.get(name, {}))
    print("\n".join([*lines, through_nvcc()]))
    if any("GREW" in line for line in lines):
        print(f"more than the tolerance ({TOLERANCE}); if that is meant, make kernel-figures")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
