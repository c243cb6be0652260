"""The time to read many programs of calls alone, and how it grows; with another commit of this repository beside it.

    python tools/parse_time.py [--against f63a34f] [--programs 25000 --programs 50000 --programs 100000]

Programs are mutants of the library. Every reading is a process of its own, the two sides in turn; what is printed is
seconds of a core, which mean something on a busy machine too, and the ratio of the two.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from arcbatt.devtools.generate import mutants
from arcbatt.language.program import unparse
from arcbatt.solvers import library

_READ: Final = """
import sys, time
sys.meta_path[:] = [one for one in sys.meta_path if "Redirecting" not in type(one).__name__]
sys.path.insert(0, sys.argv[1])
from pathlib import Path
try:
    from arcbatt.syntax import parse_file
except ImportError:  # where it was before
    from arcbatt.frontend import parse_file
began = time.process_time()
found = parse_file(Path(sys.argv[2]))
print(time.process_time() - began, len(found.programs))
"""


def seconds(source: Path, file: Path) -> tuple[float, int]:
    """What reading a file took, and how many programs there were, with the package below a folder."""
    made = subprocess.run([sys.executable, "-c", _READ, str(source), str(file)], check=True, stdout=subprocess.PIPE)
    took, count = made.stdout.split()
    return float(took), int(count)


def main() -> None:
    """Print a line for each number of programs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--against", help="A commit of this repository.")
    parser.add_argument("--programs", type=int, action="append")
    options = parser.parse_args()
    sizes = options.programs or [25_000, 50_000, 100_000]
    root = Path(__file__).parents[1]
    own = list(library())
    programs = list(map(unparse, mutants(own, max(sizes), 1, 1)))
    with tempfile.TemporaryDirectory() as folder:
        before = Path(folder, "before")
        if options.against:
            before.mkdir()
            archive = ["git", "-C", str(root), "archive", options.against, "src"]
            files = subprocess.run(archive, check=True, stdout=subprocess.PIPE).stdout
            subprocess.run(["tar", "-x", "-C", str(before)], check=True, input=files)
        for size in sizes:
            file = Path(folder, "programs.py")
            file.write_text("\n".join(programs[:size]), encoding="utf-8")
            lines = sum(text.count("\n") for text in programs[:size])
            now, count = seconds(root / "src", file)
            line = f"{count:,} programs, {lines:,} lines: {now:.1f} s of a core, {1e6 * now / lines:.1f} us a line"
            if options.against:
                then, _ = seconds(before / "src", file)
                line += f"; {options.against}: {then:.1f} s, {now / then:.2f} times"
            print(line, flush=True)


if __name__ == "__main__":
    main()
