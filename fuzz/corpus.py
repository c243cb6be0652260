"""Write lowered programs and a few samples as words for the fuzzers to start from.

corpus.py FILE [COUNT]         of the library, mutants and random programs
corpus.py FILE SOLVERS.py      of the programs in a file: those of found/, which were wrong once
"""

from __future__ import annotations

import struct
import sys
from pathlib import Path

import numpy as np

from arcbatt.calls.custom import op
from arcbatt.compiler.abi import PACKED, TYPE_DESC, TYPED_SLOT
from arcbatt.compiler.graph import merge
from arcbatt.compiler.lower.lower import Code, lower
from arcbatt.compiler.pipeline import compile_graph
from arcbatt.data.packing import PackedSamples, pack_samples
from arcbatt.data.tasks import load_tasks
from arcbatt.devtools.generate import VERSION, Generator, mutants
from arcbatt.language.program import Program
from arcbatt.solvers import library
from arcbatt.syntax import parse_file, parse_program

_CELLS = 150
_SAMPLES = 12
_SEED = 1
_EXPRESSIONS = (
    "where(x == 0, a, x)",
    "max(at(-1, 0), at(1, 0), at(0, a), x) % 10",
    "where(b and i < h - 1 or not j * w > a, abs(x - a), min(x, i // (j - 1)))",
)
_NESTED = """
def solve_a(I):
    x1 = asindices(I)
    x2 = objects(I, T, F, T)
    x3 = fork(multiply, sign, identity)
    x4 = chain(fork(add, first, last), lbind(apply, x3), fork(subtract, first, compose(center, last)))
    x5 = compose(lbind(compose, x4), lbind(lbind, astuple))
    x6 = chain(rbind(compose, x5), lbind(lbind, valmin), rbind(remove, x2))
    x7 = fork(lbind(fork, greater), x6, compose(lbind(compose, x4), lbind(rbind, astuple)))
    return astuple(apply(compose(lbind(argmin, x2), x5), x1), apply(compose(lbind(sfilter, x1), x7), x2))
"""
_OWN = """
def solve_a(I):
    x1 = hsplit(I, TWO)
    x2 = rbind(rbind(own_{0}, T), THREE)
    x3 = own_{0}(I, THREE, T)
    return astuple(x3, apply(x2, x1))
"""


def array(values: object, kind: str) -> bytes:
    """The words of an array behind their number."""
    words = np.asarray(values, kind).reshape(-1)
    return struct.pack("<I", len(words)) + words.tobytes()


def blob(name: str, code: Code) -> bytes:
    """A lowered program."""
    inputs = [code.inputs.get(one, 0) for one in ("I", "S", "C")]
    types = TYPE_DESC.rows(code.types.rows)
    outputs = TYPED_SLOT.rows([(slot, code.types.number(kind)) for slot, kind in code.outputs.values()])
    parts = (code.words, types, code.types.parts, code.image, outputs, inputs)
    return array(list(name.encode()), "u1") + b"".join(array(part, "<u4") for part in parts)


def samples_text(data: PackedSamples) -> bytes:
    """Packed samples."""
    arrays = [getattr(data, name) for name in PACKED.names]
    return b"".join(array(one, one.dtype.str) for one in arrays)


def write(target: Path, data: PackedSamples, programs: list[bytes]) -> None:
    """A file of samples and programs, as blob.h reads it."""
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(samples_text(data) + array([len(programs)], "<u4") + b"".join(programs))


def own_operations() -> list[tuple[str, list[Program]]]:
    """Programs of custom operations, expressions over cells."""
    for number, text in enumerate(_EXPRESSIONS):

        def own(grid: object, a: int, b: bool) -> None:
            """What an expression says."""

        op("Grid, Int, Bool -> Grid", cells=text, name=f"own_{number}")(own)
    return [(f"own_{k}", [parse_program(_OWN.format(k))]) for k in range(len(_EXPRESSIONS))]


def drawn(count: int) -> list[tuple[str, list[Program]]]:
    """Programs of the library, mutants and random ones, mostly alone."""
    solvers, generator = library(), Generator(_SEED)
    third = count // 3
    chosen = [*solvers[:: max(1, len(solvers) // third)], *mutants(solvers, third, _SEED)]
    chosen += [generator.program(f"solve_r{k}", lines=6, samples=k % 3 == 0) for k in range(third)]
    batches = [(program.name, [program]) for program in chosen] + [("several", solvers[:3]), ("library", solvers)]
    return [*batches, *own_operations(), ("nested", [parse_program(_NESTED)])]


def found(path: Path) -> list[tuple[str, list[Program]]]:
    """Programs of a file, each alone and all together."""
    programs = parse_file(path).check()
    return [*((program.name, [program]) for program in programs), ("together", programs)]


def main() -> None:
    """Write the file."""
    target, given = Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "120"
    batches = drawn(int(given)) if given.isdigit() else found(Path(given))
    lowered = [(name, lower(compile_graph(merge(programs)).graph)) for name, programs in batches]
    programs = [blob(name, code) for name, code in lowered if code.outputs]
    tasks = load_tasks("arcagi")
    small = [task for task in tasks if sum(len(row) for pair in task.train for grid in pair for row in grid) < _CELLS]
    data = pack_samples([task.samples[0] for task in small[:_SAMPLES]])
    write(target, data, programs)
    print(f"{target}: {len(programs)} programs, {len(data)} samples; generator {VERSION}, seed {_SEED}")


if __name__ == "__main__":
    main()
