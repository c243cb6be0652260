"""`make soak HOURS=n`: pieces of every kind of work in turn until the time is up, and a report of them."""

from __future__ import annotations

import argparse
import datetime
import os
import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Collection
from pathlib import Path
from types import FrameType
from typing import Final

from arcbatt.devtools.soak.agreement import LOADS, Answer, Worker, again_test
from arcbatt.devtools.soak.counts import REPORT, TEXT, Counts
from arcbatt.devtools.soak.findings import Findings
from arcbatt.devtools.soak.hostile import hostile_files
from arcbatt.devtools.soak.interrupts import interrupts
from arcbatt.devtools.soak.kills import full_disks, kills
from arcbatt.devtools.soak.soak import Soak, Work
from arcbatt.support.machine import environment, resident_memory

SHARES: Final = {"native": 66, "reference": 10, "hostile": 9, "kills": 4, "disks": 3, "interrupts": 8}
"""Parts of the time for each kind of work."""
WORK: Final[dict[str, Work]] = {
    "hostile": hostile_files,
    "kills": kills,
    "disks": full_disks,
    "interrupts": interrupts,
}
_BETWEEN_REPORTS: Final = 20.0


def soak(
    made: Soak, seconds: float, tell: Callable[[str], None] = print, kinds: Collection[str] = tuple(SHARES)
) -> None:
    """Do pieces of work of some kinds until the time is up or a stop is asked for.

    The next piece is of the kind that is furthest behind its share of the time.
    """
    counts, begin, written = made.counts, time.monotonic(), 0.0
    worker = Worker(made.solvers)
    try:
        while (spent := time.monotonic() - begin) < seconds and not made.stop():
            kind = min(kinds, key=lambda one: counts.seconds.get(one, 0.0) / SHARES[one])
            seed = counts.seed + counts.pieces.total()
            start = time.monotonic()
            try:
                if kind in LOADS:
                    _compare(worker, kind, seed, made)
                else:
                    WORK[kind](seed, made)
            except Exception as error:  # nothing that one piece meets ends the soak
                made.findings.add(
                    kind, f"the soak itself: {type(error).__name__}: {error}", seed, _piece_test(kind, seed)
                )
            counts.pieces[kind] += 1
            counts.seconds[kind] = counts.seconds.get(kind, 0.0) + time.monotonic() - start
            counts.hours = (time.monotonic() - begin) / 3600
            counts.remember("soak", *resident_memory())
            if time.monotonic() - written > _BETWEEN_REPORTS:
                written = time.monotonic()
                counts.write(made.findings.folder.parent / counts.began)
                tell(_line(counts, spent))
    finally:
        worker.close()
        counts.state = "stopped" if made.stop() else "done"
        counts.write(made.findings.folder.parent / counts.began)


def _compare(worker: Worker, kind: str, seed: int, made: Soak) -> None:
    found, counts = worker.ask(kind, seed, made.stop), made.counts
    if isinstance(found, str):
        made.findings.add("agreement", f"{kind}: {found}", seed, again_test(kind, seed))
    if not isinstance(found, Answer):
        return
    counts.programs[", ".join(LOADS[kind].sides)] += found.programs
    counts.compared.update(found.compared)
    counts.differ.update(found.differ)
    counts.remember("agreement", found.resident, found.most)
    for title, test in found.tests:
        made.findings.add("agreement", title, seed, test)


def _piece_test(kind: str, seed: int) -> str:
    return f"""from arcbatt.devtools.soak.__main__ import one_piece


def test_the_piece_finds_nothing(tmp_path):
    assert not one_piece({kind!r}, {seed}, tmp_path).findings
"""


def _line(counts: Counts, spent: float) -> str:
    done = ", ".join(f"{what} {count:,}" for what, count in sorted(counts.done.items()))
    return (
        f"{spent / 60:.1f} min: {counts.compared.total():,} evaluations compared, {counts.differ.total():,} differ; "
        f"{done}; {len(counts.findings)} findings"
    )


def new_soak(out: Path, seed: int, scratch: Path, stop: Callable[[], bool], solvers: list[Path]) -> Soak:
    """A soak that has done nothing yet; its report goes to a folder of `out` named by the time."""
    counts = Counts(began=f"{datetime.datetime.now():%Y-%m-%d-%H%M%S}-{os.getpid()}", machine=environment(), seed=seed)
    (out / counts.began).mkdir(parents=True)
    return Soak(counts, Findings(out / "found", counts), scratch, stop, solvers)


def one_piece(kind: str, seed: int, scratch: Path) -> Counts:
    """The piece of one seed again."""
    made = new_soak(scratch / "soak", seed, scratch, lambda: False, [])
    WORK[kind](seed, made)
    return made.counts


def main() -> None:
    """Run a soak, or add reports up."""
    parser = argparse.ArgumentParser(prog="soak", description=__doc__)
    parser.add_argument("--hours", type=float, default=0.1)
    parser.add_argument("--out", type=Path, default=Path("build/soak"))
    parser.add_argument("--seed", type=int, default=int(time.time()) * 1000)
    parser.add_argument("--solvers", type=Path, nargs="*", default=[], help="files to take mutants and splices of too")
    parser.add_argument("--kinds", nargs="+", choices=SHARES, default=list(SHARES), help="only work of these kinds")
    parser.add_argument("--sum", type=Path, nargs="+", metavar="FOLDER", help="only add up the reports in folders")
    given = parser.parse_args()
    if given.sum:
        whole = Counts(began="several", state="added up")
        for path in sorted(path for folder in given.sum for path in folder.rglob(REPORT)):
            whole.add(Counts.read(path))
        print(whole.text())
        return
    scratch = Path(tempfile.mkdtemp(prefix="soak-"))
    try:
        made = new_soak(given.out.resolve(), given.seed, scratch, _asked_to_stop(), given.solvers)
        print(f"soak, seed {given.seed}: {given.out / made.counts.began / TEXT}", flush=True)
        soak(made, 3600 * given.hours, lambda line: print(line, flush=True), given.kinds)
        print(made.counts.text())
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    raise SystemExit(1 if made.counts.findings else 0)


def _asked_to_stop() -> Callable[[], bool]:
    """Whether Ctrl-C or SIGTERM came; a second one ends at once."""
    seen = False

    def note(which: int, _: FrameType | None) -> None:
        nonlocal seen
        seen = True
        signal.signal(which, signal.default_int_handler)
        print("stopping after this piece of work", flush=True)

    for which in (signal.SIGINT, signal.SIGTERM):
        signal.signal(which, note)
    return lambda: seen


if __name__ == "__main__":
    main()
