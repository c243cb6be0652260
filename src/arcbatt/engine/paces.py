"""How long each program takes on a few samples: one look before a run, from which its slowest programs are known.

Programs of a run share what they have in common, so no part of the run is any one's; here each program is charged with
all that it needs.
"""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from arcbatt.compiler.lower.lower import Code
from arcbatt.compiler.typed import node_inputs
from arcbatt.engine.dynamic import DynamicTier
from arcbatt.language.limits import SEARCH_STEPS
from arcbatt.language.sample import Sample

LOOK_STEPS: Final = SEARCH_STEPS
"""Steps of a call at most: a program that goes beyond is slow enough to be seen."""
LOOKS: Final = 3
"""How often everything is timed: where another process takes the core for a while, that is no program's doing."""
DYNAMIC_SECONDS: Final = 0.5
"""What timing the programs of the dynamic tier may take in all."""


def typed_seconds(code: Code, looks: Sequence[NDArray[np.float64]]) -> dict[str, float]:
    """Of each program with bytecode, the seconds of every instruction that it needs.

    `looks` are the seconds of each place in the code, measured several times; the least counts.
    """
    seconds = np.minimum.reduce(looks)
    by_node = np.zeros(len(code.graph.nodes))
    places = [place for place, _ in code.nodes]
    for place in np.flatnonzero(seconds).tolist():
        node = code.nodes[max(0, bisect_right(places, place) - 1)][1]
        by_node[node] += seconds[place]
    return {
        name: float(by_node[list(_needed(code.graph.nodes, node))].sum()) for name, node in code.graph.outputs.items()
    }


def _needed(nodes: Sequence[Any], root: int) -> set[int]:
    found, stack = {root}, [root]
    while stack:
        for node in node_inputs(nodes[stack.pop()]):
            if node not in found:
                found.add(node)
                stack.append(node)
    return found


def dynamic_seconds(tier: DynamicTier, names: Iterable[str], samples: Sequence[Sample]) -> dict[str, float]:
    """Of programs on the dynamic tier, the mean seconds of a sample, as far as there is time to find out."""
    end = time.perf_counter() + DYNAMIC_SECONDS
    found: dict[str, float] = {}
    for name in names:
        node = tier.graph.graph.outputs[name]
        began = time.perf_counter()
        if began >= end:
            break
        for sample in samples:
            tier.graph.evaluate([sample], [node], LOOK_STEPS, stop=lambda: time.perf_counter() >= end)
        found[name] = (time.perf_counter() - began) / len(samples)
    return found
