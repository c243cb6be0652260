"""The images that a search's features make of many inputs: how long backends take for them, and whether they agree.

    python -m arcbatt.devtools.bench.bank --backend cpu --backend cuda --tier 0 --runs 3

Inputs are those of ARC-AGI-1 training that development sees, all in one run. The first run of a GPU compiles kernels.
"""

from __future__ import annotations

import argparse
import time
from itertools import chain
from typing import Final

import numpy as np

from arcbatt.devtools.bench.search import kept
from arcbatt.engine.choose import backend_for
from arcbatt.scoring.attempts import Question
from arcbatt.search.bank import Bank, Images
from arcbatt.search.features import features
from arcbatt.search.views import inputs_of

HEAD: Final = """| backend | tier | features | inputs | images | differ | first run, s | later runs, s | CPU s |
|---|---|---|---|---|---|---|---|---|"""


def differ(one: Images, other: Images) -> int:
    """How many images are not the same, place by place."""
    if one is other:
        return 0
    there = (one.offset >= 0) & (other.offset >= 0)
    same = (one.height == other.height) & (one.width == other.width)
    wrong = int(np.count_nonzero(((one.offset >= 0) != (other.offset >= 0)) | (there & ~same)))
    for sample, feature in np.argwhere(there & same):
        first, second = one.offset[sample, feature], other.offset[sample, feature]
        many = int(one.height[sample, feature]) * int(one.width[sample, feature])
        wrong += not np.array_equal(one.cells[first : first + many], other.cells[second : second + many])
    return wrong


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backend", action="append", help="several are compared with the first; cpu")
    parser.add_argument("--tier", type=int, default=0, help="of features")
    parser.add_argument("--every", type=int, default=1, help="every so manyeth task")
    parser.add_argument("--runs", type=int, default=3)
    asked = parser.parse_args()
    questions = map(Question.of, kept("arcagi:training", aside=False, every=asked.every))
    inputs = list(chain.from_iterable(map(inputs_of, questions)))
    chosen = [one for one in features() if one.tier == asked.tier]
    print(HEAD, flush=True)
    first: Images | None = None
    for backend in asked.backend or ["cpu"]:
        bank = Bank(chosen, backend=backend_for(backend))
        walls, cores = [], []
        for _ in range(max(1, asked.runs)):
            wall, core = time.monotonic(), time.process_time()
            images = bank.images(inputs, tier=asked.tier)
            walls.append(time.monotonic() - wall)
            cores.append(time.process_time() - core)
        assert images is not None
        first = first or images
        later = f"{min(walls[1:]):.2f} to {max(walls[1:]):.2f}" if walls[1:] else ""
        many = np.count_nonzero(images.offset >= 0)
        print(
            f"| {backend} | {asked.tier} | {len(chosen):,} | {len(inputs):,} | {many:,} "
            f"| {differ(first, images):,} | {walls[0]:.2f} | {later} | {min(cores):.2f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
