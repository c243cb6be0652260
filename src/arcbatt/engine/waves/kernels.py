"""The kernels of waves: how one is compiled for an operation and its types, in which width, many at a time.

A kernel takes half a second of a core; each is kept on disk as every kernel is (`engine/cuda/compile.py`), and loaded
once for all in a process that use it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Final

from arcbatt.compiler.abi import CODES, WAVE_PHASES
from arcbatt.compiler.custom import device_text, source_numbered
from arcbatt.compiler.lower.instruction import Instruction
from arcbatt.compiler.wave_kernels import CALLS, GATHER, WaveKernel
from arcbatt.engine.cuda.compile import LANES, CompileError, KernelOptions, cubin, kept_cubin
from arcbatt.engine.cuda.device import first_line
from arcbatt.engine.waves.compiling import compile_beside

THREADS: Final = 128
"""Of a block."""
ENTRY: Final = "arcbatt_wave"
INPUTS_ENTRY: Final = "arcbatt_wave_inputs"
LOOK_ENTRY: Final = "arcbatt_wave_look"
TAKE_ENTRY: Final = "arcbatt_wave_take"
WIDTHS: Final = (1, LANES)
"""Threads of a group that runs a call: one, or a warp."""
BLOCK: Final = 1024
"""And of one that runs a call of very many items."""
BLOCKS: Final = 1
"""Of these, resident on a multiprocessor."""
_BLOCKS: Final = 8
"""Resident on a multiprocessor at least, so that a thread has 64 registers."""
_OPEN: Final = WAVE_PHASES["OPEN"]
_BY_WARPS: Final = frozenset(WAVE_PHASES[name] for name in ("FRAMES", "OWNERS", "GATHER"))
_ONE_ITEM: Final = frozenset(CODES[f"LOOP_{name}"] for name in ("CHOOSE", "POWER"))
"""Loops whose calls have one item."""
_MERGE: Final = CODES["MERGE"]
_FEW_ITEMS: Final = _ONE_ITEM | {CODES["LOOP_RAPPLY"]}
_FEW_WORDS: Final = Path(__file__).parent / "few_words.json"
_SMALL_BY_THREADS: Final = Path(__file__).parent / "small_by_threads.json"

ENDS: Final = {
    width: KernelOptions(THREADS, _BLOCKS, header="waves/ends.h", lanes=width, defines=("AB_WAVES=1",))
    for width in WIDTHS
}
"""The kernels that place inputs and look at values, by width."""
VALUES: Final = {width: replace(ENDS[width], header="waves/values.h") for width in WIDTHS}
"""The kernels that make words for the host of values, by width."""


def options(kernel: WaveKernel, width: int) -> KernelOptions:
    """How the kernel of a wave is compiled."""
    rows = ",".join("{" + ",".join(map(str, row)) + "}" for row in kernel.types)
    defines = (
        "AB_WAVES=1",
        f"AB_WAVE_PHASE={kernel.phase}",
        "AB_WAVE_WORDS=" + ",".join(f"{word}u" for word in kernel.words),
        "AB_WAVE_TYPES=" + rows,
        "AB_WAVE_PARTS=" + ",".join(map(str, kernel.parts or (0,))),
        f"AB_WAVE_BOTH={int(has_few(kernel))}",
    )
    threads, blocks = (BLOCK, BLOCKS) if width == BLOCK else (THREADS, _BLOCKS)
    custom = device_text([source_numbered(number)]) if (number := kernel.custom) else ""
    return KernelOptions(threads, blocks, header="waves/kernel.h", custom=custom, lanes=width, defines=defines)


def has_giants(kernel: WaveKernel) -> bool:
    """Whether calls of a kernel that runs by warps may have so much in them that a block takes them."""
    op = kernel.words[0]
    return (kernel.phase == CALLS and op == _MERGE) or (kernel.phase == GATHER and op not in _FEW_ITEMS)


def has_few(kernel: WaveKernel) -> bool:
    """Whether calls of a kernel that runs by warps are a thread's where their arguments are of few words."""
    return kernel.phase == CALLS and _is_listed(kernel, _SMALL_BY_THREADS)


def makes_values(kernel: WaveKernel, width: int) -> bool:
    """Whether a kernel may need memory for what values point to."""
    return kernel.phase in (CALLS, GATHER) and not (width == 1 and all(row.scalar for row in kernel.types))


def all_options(chosen: Mapping[WaveKernel, int]) -> Iterator[KernelOptions]:
    """How kernels are compiled, each in its width, for blocks where it has giants, and for threads where it has few."""
    for kernel, width in chosen.items():
        yield options(kernel, width)
        if width == LANES and has_giants(kernel):
            yield options(kernel, BLOCK)
        if width == LANES and has_few(kernel):
            yield options(kernel, 1)


def width(kernel: WaveKernel) -> int:
    """The width a kernel runs in.

    A thread where all is numbers, or where an operation, of some types or of any, touches a few words whatever the
    sizes of its arguments (`few_words.json`); else a warp, which may leave small calls to threads (`has_few`). Of a
    loop, a thread for what is done for an item, a warp for what is done for all items of a call.
    """
    one = Instruction(kernel.words)
    numbers = all(kernel.types[kind].scalar for kind in (*one.arg_types, one.type))
    if kernel.phase == CALLS:
        return 1 if numbers or _is_listed(kernel, _FEW_WORDS) else LANES
    if kernel.phase == _OPEN:
        return 1 if all(kernel.types[kernel.types[kind].item].scalar for kind in one.arg_types) else LANES
    return LANES if kernel.phase in _BY_WARPS and one.op not in _ONE_ITEM else 1


def _is_listed(kernel: WaveKernel, path: Path) -> bool:
    """Whether a file names a kernel, or its operation, of any types."""
    return not {kernel.operation, kernel.name}.isdisjoint(_listed(path))


@cache
def _listed(path: Path) -> frozenset[str]:
    return frozenset(json.loads(path.read_text(encoding="utf-8")))


# --- compiling and loading ---


def compiled(nvrtc: Any, wanted: Iterable[KernelOptions], arch: int) -> dict[KernelOptions, Path]:
    """The machine code of kernels, compiled on all cores where it is not kept."""
    chosen = list(dict.fromkeys(wanted))
    compile_beside(nvrtc, [one for one in chosen if not kept_cubin(nvrtc, one, arch)], arch)
    return {one: cubin(nvrtc, one, arch) for one in chosen}


_MODULES: Final[dict[tuple[Any, int, KernelOptions], Any]] = {}
"""What is loaded, by device; two threads that load the same lose time, nothing else."""


def modules(cupy: Any, wanted: Iterable[KernelOptions]) -> dict[KernelOptions, Any]:
    """Kernels on the current device, compiled where they are not kept."""
    device = cupy.cuda.Device()
    chosen = list(dict.fromkeys(wanted))
    missing = [one for one in chosen if (cupy, device.id, one) not in _MODULES]
    if missing:
        paths = compiled(cupy.cuda.nvrtc, missing, int(device.compute_capability))
        for one, path in paths.items():
            _MODULES[cupy, device.id, one] = cupy.RawModule(path=str(path))
    return {one: _MODULES[cupy, device.id, one] for one in chosen}


def custom_problems(cupy: Any, wanted: Iterable[WaveKernel]) -> dict[str, str]:
    """Custom operations whose kernels do not compile, and why."""
    found: dict[str, str] = {}
    for kernel in dict.fromkeys(wanted):
        try:
            modules(cupy, all_options({kernel: width(kernel)}))
        except CompileError as error:
            found[source_numbered(kernel.custom).name] = first_line(error)
    return found
