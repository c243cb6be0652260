"""Count the instructions of fixed workloads and compare with what they were: a guard against losing speed.

    python tools/instructions.py corpus FILE           write the workloads
    python tools/instructions.py check BINARY FILE     exit 1 where a count has grown beyond the tolerance
    python tools/instructions.py accept BINARY FILE    make today's counts the ones to compare with

Counts are valgrind's (callgrind), so they do not depend on how busy or fast a machine is; they do depend on the
compiler, so each compiler has its own counts, and one without is skipped with a message. `make counts` and
`make accept-counts` do all of this.
"""

from __future__ import annotations

import json
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
COUNTS: Final = ROOT / "tests" / "native" / "instructions.json"
TOLERANCE: Final = 0.02
_SAMPLES: Final = 6
_CELLS: Final = 150
_OBJECTS: Final = "\n".join(f"def solve_r{mode}(I):\n    return size(o_g(I, R{mode}))\n" for mode in range(8))
_LOOPS: Final = """
def solve_nearest(I):
    return argmin(asobject(I), compose(lbind(manhattan, initset(UNITY)), initset))

def solve_numbers(I):
    return valmin(asindices(I), chain(lbind(add, THREE), first, lbind(subtract, UNITY)))

def solve_even(I):
    return sfilter(asindices(I), compose(even, fork(add, first, last)))

def solve_boxes(I):
    x1 = sfilter(o_g(I, R5), compose(lbind(greater, TEN), size))
    return fill(I, FIVE, mapply(backdrop, x1))

def solve_turned(I):
    x1 = order(o_g(I, R4), size)
    return apply(compose(normalize, vmirror), x1)

def solve_pairs(I):
    x1 = o_g(I, R5)
    return prapply(manhattan, x1, x1)
"""


def write_corpus(target: Path) -> None:
    """Write what is counted: the library merged, objects in every mode, and loops."""
    sys.path.insert(0, str(ROOT / "fuzz"))
    from corpus import blob, write

    from arcbatt.data.packing import pack_samples
    from arcbatt.data.tasks import load_tasks
    from arcbatt.engine.cpu import CpuEngine
    from arcbatt.solvers import library
    from arcbatt.syntax import parse_text

    workloads = {
        "library": library(),
        "objects": parse_text(_OBJECTS).check(),
        "loops": parse_text(_LOOPS).check(),
    }
    small = [
        task
        for task in load_tasks("arcagi")
        if sum(len(row) for pair in task.train for grid in pair for row in grid) > _CELLS
        and len(task.train[0][0]) * len(task.train[0][0][0]) <= _CELLS
    ]
    step = len(small) // _SAMPLES
    data = pack_samples([task.samples[0] for task in small[::step][:_SAMPLES]])
    lowered = {name: CpuEngine.of(programs).code for name, programs in workloads.items()}
    left_out = [
        f"{name}, {program}: {why}"
        for name, code in lowered.items()
        for program, why in code.rejected.items()
        if name != "library"
    ]
    if left_out:
        raise SystemExit("programs that would not be counted:\n" + "\n".join(left_out))
    write(target, data, [blob(name, code) for name, code in lowered.items()])


def compiler() -> str:
    """The compiler of the installed core, which is also the binary's."""
    from arcbatt import _core

    return f"{_core.compiler()} {platform.machine()}"


def counted(binary: Path, corpus: Path) -> dict[str, int]:
    """Instructions of each workload."""
    found = {}
    for name in ("library", "objects", "loops"):
        done = subprocess.run(
            ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--collect-atstart=no",
             "--toggle-collect=measured", str(binary), str(corpus), name],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        collected = re.search(r"Collected : (\d+)", done.stderr)
        if done.returncode or not collected or not int(collected[1]):
            raise SystemExit(f"{name}: the count failed\n{done.stderr}")
        found[name] = int(collected[1])
    return found


def check(counts: dict[str, int], known: dict[str, int]) -> list[str]:
    """A line for each workload; those that grew too much begin with its name and 'GREW'."""
    lines = []
    for name, count in counts.items():
        if name not in known:
            lines.append(f"{name}: {count:,} instructions, not known before; make accept-counts")
            continue
        change = count / known[name] - 1
        grew = "GREW: " if change > TOLERANCE else ""
        less = "; make accept-counts keeps the gain" if change < -TOLERANCE else ""
        lines.append(f"{name}: {grew}{count:,} instructions, {known[name]:,} before ({change:+.2%}){less}")
    return lines


def main() -> int:
    """Do what the first argument says."""
    what = sys.argv[1] if len(sys.argv) > 1 else ""
    if what == "corpus":
        write_corpus(Path(sys.argv[2]))
        return 0
    if what not in ("check", "accept"):
        print(__doc__)
        return 2
    if not shutil.which("valgrind"):
        raise SystemExit("there is no valgrind here to count instructions with")
    known: dict[str, dict[str, int]] = json.loads(COUNTS.read_text()) if COUNTS.exists() else {}
    name = compiler()
    if what == "check" and name not in known:
        print(f"instruction counts skipped: {COUNTS.name} has none of {name}; make accept-counts adds them")
        return 0
    counts = counted(Path(sys.argv[2]), Path(sys.argv[3]))
    if what == "accept":
        COUNTS.write_text(json.dumps(known | {name: counts}, indent=2, sort_keys=True) + "\n")
        print("\n".join(f"{name}: {count:,} instructions" for name, count in counts.items()))
        return 0
    lines = check(counts, known[name])
    print("\n".join(lines))
    if any(": GREW" in line for line in lines):
        print(f"more than {TOLERANCE:.0%} more instructions; if that is meant, make accept-counts")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
