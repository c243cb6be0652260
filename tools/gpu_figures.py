"""All that is to be known of waves on a GPU, in one call of under nine minutes, for a machine without network.

    make carried                                    # beforehand, on one that has it
    python3 tools/gpu_figures.py [--solvers FILE ...] [--only PART ...] [--seconds 530]

Every part is a process of its own with a time limit of its own, so that one that hangs costs only itself: the build,
times of loads beside all cores with their outputs compared (`arcbatt.devtools.bench.wave_loads`), random programs,
of which 600 make a million evaluations, mutants of the library by number, the store (`arcbatt.devtools.bench.store`),
programs that searches found (`arcbatt.devtools.found`), compiling the library's kernels from nothing, the GPU's tests,
and each tool of `make sanitize-gpu`. After each part a table of all so far is printed. What parts
print and find goes to --work, and is put together under --out (or $OUT): `figures.txt` and `figures.json`.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parent.parent
MUTANTS: Final = (5_000, 20_000, 50_000)
SHOWN: Final = ("| ", "  differs", "passed", "failed", "ERROR SUMMARY", "RACECHECK SUMMARY", "Error", "o_g", "the same")
"""What lines have that are printed of what a part printed, and its last lines."""
LAST: Final = 6
MOST: Final = 600
"""Characters of a line."""


@dataclass(frozen=True)
class Part:
    """A command, and the seconds it may take."""

    name: str
    limit: float
    command: tuple[str, ...]


@dataclass(frozen=True)
class Done:
    """What became of a part."""

    part: Part
    seconds: float
    outcome: str


def parts(options: argparse.Namespace) -> Iterator[Part]:
    """Everything, what matters most first."""
    make = ("make", "--no-print-directory", f"PYTHON={options.python}")

    def module(name: str, part: str, *rest: str) -> tuple[str, ...]:
        given = ("--heap-gb", str(options.heap_gb), "--out", str(options.work / part))
        return (options.python, "-m", f"arcbatt.devtools.bench.{name}", *given, *rest)

    if not options.installed:
        yield Part("build", 150, (*make, "build/gpu/built"))
    files = {path.stem: ("--solvers", str(path)) for path in options.solvers}
    for load in ("library", *files, "generated"):
        asked = ("--only", load, "--generated", str(options.generated), "--samples", str(options.samples))
        yield Part(load, 110, module("wave_loads", load, *asked, *files.get(load, ()), "--outputs-only"))
    asked = ("--only", "random", "--generated", "0", "--random", str(options.random), "--samples", str(options.samples))
    yield Part("random", 110, module("wave_loads", "random", *asked, "--outputs-only"))
    for count in options.mutants:
        name, asked = f"mutants-{count}", ("--only", "mutants", "--mutants", str(count), "--outputs-only")
        yield Part(name, 40 + count / 400, module("wave_loads", name, *asked))
    yield Part("store", 50, module("store", "store", "--times", str(options.times), "--seconds", "25"))
    if options.found:
        records = map(str, options.found)
        backends = ("--attempts", "2", "--backend", "cpu", "--backend", "cuda")
        yield Part("found", 60, (options.python, "-m", "arcbatt.devtools.found", *records, *backends))
    empty = ("env", "-u", "ARCBATT_CUBINS", f"ARCBATT_CACHE={options.work / f'compiled-by-{os.getpid()}'}")
    yield Part("compiling", 60, (*empty, options.python, "-m", "arcbatt", "info", "--compile"))
    if not options.installed:
        yield Part("tests", 200, (*make, "test-gpu"))
        for tool, limit in (("synccheck", 40), ("memcheck", 60), ("racecheck", 60)):
            yield Part(tool, limit, (*make, "sanitize-gpu", f"TOOLS={tool}"))


class Figures:
    """Parts as they are done."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options, self.begun = options, time.monotonic()
        self.done: list[Done] = []
        self.environment = dict(os.environ)
        if not options.installed:
            self.environment["PYTHONPATH"] = os.pathsep.join(("src", "build/carried"))
        for folder in (options.out, options.work):
            folder.mkdir(parents=True, exist_ok=True)
        (options.out / "figures.txt").unlink(missing_ok=True)

    def run(self, part: Part) -> None:
        """A part, for as long as it may take and time is left."""
        left = self.options.seconds - (time.monotonic() - self.begun)
        if left < 5:
            self.done.append(Done(part, 0.0, "left out: no time was left"))
            return
        log = self.options.work / f"{part.name}.txt"
        start = time.monotonic()
        outcome = self._outcome(part, min(part.limit, left), log)
        self.done.append(Done(part, time.monotonic() - start, outcome))
        self.say(f"\n## {part.name}: {outcome} after {self.done[-1].seconds:.0f} s\n    {shlex.join(part.command)}")
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
        for number, line in enumerate(lines):
            if number >= len(lines) - LAST or any(one in line for one in SHOWN):
                self.say(f"    {line[:MOST]}")
        self.say(self.table())
        found = {one.part.name: self._found(one.part) for one in self.done}
        (self.options.out / "figures.json").write_text(json.dumps(found, indent=1), encoding="utf-8")

    def _found(self, part: Part) -> list[Any]:
        """What a part wrote as JSON."""
        files = sorted((self.options.work / part.name).glob("*.json"))
        return [json.loads(file.read_text(encoding="utf-8")) for file in files]

    def say(self, text: str) -> None:
        """Print a text, and keep it."""
        print(text, flush=True)
        with (self.options.out / "figures.txt").open("a", encoding="utf-8") as file:
            file.write(text + "\n")

    def _outcome(self, part: Part, limit: float, log: Path) -> str:
        with log.open("wb") as file:
            try:
                process = subprocess.Popen(
                    part.command, cwd=ROOT, env=self.environment, stdin=subprocess.DEVNULL, stdout=file,
                    stderr=subprocess.STDOUT, start_new_session=True,
                )  # fmt: skip
            except OSError as error:
                return f"not run: {error}"
            try:
                code = process.wait(limit)
            except subprocess.TimeoutExpired:
                return f"ended after its {limit:.0f} s"
            finally:
                _end(process)
        return "done" if not code else f"exit status {code}"

    def table(self) -> str:
        """What became of each part so far."""
        rows = [
            f"| {one.part.name} | {one.seconds:.0f} of {one.part.limit:.0f} s | {one.outcome} |" for one in self.done
        ]
        whole = f"| in all | {time.monotonic() - self.begun:.0f} of {self.options.seconds:.0f} s | |"
        return "\n".join(("| part | took | outcome |", "|---|---|---|", *rows, whole))


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a part with all it started; nothing where it has ended."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def main() -> None:
    """Do all parts, print what they found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--solvers", type=Path, action="append", default=[], help="a load (may be repeated)")
    parser.add_argument("--only", action="append", help="this part (may be repeated)")
    parser.add_argument("--without", action="append", default=[], help="not this part (may be repeated)")
    parser.add_argument("--seconds", type=float, default=530, help="for all parts")
    parser.add_argument("--samples", type=int, default=0, help="of the training inputs; 0 for all")
    parser.add_argument("--generated", type=int, default=240, help="generated programs")
    parser.add_argument("--random", type=int, default=600, help="random programs")
    parser.add_argument("--mutants", type=int, nargs="*", default=MUTANTS, help="how many, each a part")
    parser.add_argument("--found", type=Path, action="append", help="record of a search (may be repeated)")
    parser.add_argument("--times", type=int, default=200, help="how often the store takes the training inputs")
    parser.add_argument("--heap-gb", type=float, default=17.0)
    parser.add_argument("--installed", action="store_true", help="build nothing, test nothing: Python has arcbatt")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--out", type=Path, default=Path(os.environ.get("OUT", "build/gpu-figures")))
    parser.add_argument("--work", type=Path, default=Path("build/gpu-figures/parts"))
    options = parser.parse_args()
    options.out, options.work = options.out.resolve(), options.work.resolve()
    figures = Figures(options)
    for part in parts(options):
        if part.name in (options.only or (part.name,)) and part.name not in options.without:
            figures.run(part)


if __name__ == "__main__":
    main()
