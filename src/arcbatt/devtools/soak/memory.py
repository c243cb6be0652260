"""What one thread takes of memory for programs that take much: the most found, for each tier.

python -m arcbatt.devtools.soak.memory --bombs 40
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
from collections.abc import Iterator
from typing import Final

from arcbatt.devtools.soak.bombs import REPRODUCTIONS, bomb, reproduction

TIERS: Final = ("cpu", "dynamic")
_LONGEST: Final = 120.0
_HUNGRY: Final = (
    # Keys are kept until they are compared: of numbers, of sets of one, of functions.
    "x = interval(ZERO, 65000, ONE); return order(x, lbind(repeat, ONE))",
    "x = interval(ZERO, 60000, ONE); y = interval(height(I), 3000, ONE); "
    "return order(x, compose(lbind(combine, y), rbind(repeat, ONE)))",
    "x = interval(ZERO, 60000, ONE); y = interval(height(I), 700, ONE); "
    "return order(x, chain(lbind(apply, initset), first, lbind(astuple, y)))",
    "x = interval(ZERO, 60000, ONE); y = interval(height(I), 700, ONE); "
    "return order(x, chain(lbind(apply, lbind(lbind, add)), first, lbind(astuple, y)))",
    # A function counts for 1, whatever it is made of.
    "a = lbind(lbind, add); b = fork(compose, a, a); c = fork(compose, b, b); d = fork(compose, c, c); "
    "e = fork(compose, d, d); x = apply(e, interval(height(I), 60000, ONE)); return size(x)",
    "a = lbind(lbind, add); b = fork(compose, a, a); c = fork(compose, b, b); d = fork(compose, c, c); "
    "e = fork(compose, d, d); f = fork(compose, e, e); x = interval(height(I), 60000, ONE); "
    "return size(apply(lbind(apply, f), repeat(x, 16)))",
    # Large values.
    "x = canvas(mostcolor(I), (1000, 1000)); return astuple(rot90(x), height(I))",
    "x = asobject(canvas(mostcolor(I), (250, 250))); return size(apply(lbind(shift, x), neighbors(ORIGIN)))",
)
_CODE: Final = """
import json, resource, sys
from arcbatt.engine.outputs import outcome_hash
from arcbatt.language.failures import Failed, Reason
from arcbatt.devtools.verify.sides import side_named
from arcbatt.language.sample import Sample
from arcbatt.syntax import parse_program
LIMIT = outcome_hash(Failed(Reason.LIMIT))
tier, text = json.load(sys.stdin)
program = parse_program(text)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    found = side_named(tier).answers([program], [Sample(((1, 2), (3, 4)))], lambda: False)
    said = found.reasons[0] if found.reasons else "failed: limit" if found.hashes[0, 0] == LIMIT else "an outcome"
except MemoryError:
    said = "internal: no outcome"
print(json.dumps([(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024, said]))
"""


def programs(bombs: int, seed: int) -> Iterator[str]:
    """Programs, as texts."""
    for lines in _HUNGRY:
        yield "def solve_hungry(I):\n" + "".join(f"    {line}\n" for line in lines.split("; "))
    yield from (reproduction(number, "solve_bomb") for number in range(len(REPRODUCTIONS)))
    draw = random.Random(f"memory {seed}")
    yield from (bomb(draw, "solve_bomb") for _ in range(bombs))


def taken(tier: str, text: str) -> tuple[int, str]:
    """Bytes that one evaluation takes beyond those of the process, and what came of it."""
    command = [sys.executable, "-c", _CODE]
    try:
        done = subprocess.run(
            command, input=json.dumps([tier, text]), capture_output=True, text=True, check=False, timeout=_LONGEST
        )
    except subprocess.TimeoutExpired:
        return 0, f"not ended after {_LONGEST:.0f} s"
    if done.returncode:
        return 0, f"ended with {done.returncode}: {done.stderr.strip()[-200:]}"
    found: tuple[int, str] = json.loads(done.stdout)
    return found


def main() -> None:
    """Measure, and print the worst."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bombs", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    rows: list[tuple[int, str, str, str]] = []
    for text in programs(given.bombs, given.seed):
        for tier in TIERS:
            bytes_, said = taken(tier, text)
            rows.append((bytes_, tier, said, text))
            print(f"{bytes_ / 2**20:10,.0f} MiB  {tier:8} {said}", flush=True)
    for tier in TIERS:
        print(f"\nthe most on {tier}:")
        for bytes_, _, said, text in sorted((row for row in rows if row[1] == tier), reverse=True)[:3]:
            print(f"{bytes_ / 2**20:10,.0f} MiB, {said}\n{text[:1000]}")


if __name__ == "__main__":
    main()
