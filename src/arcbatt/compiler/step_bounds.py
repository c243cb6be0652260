"""How many steps the calls of a program take at most, as far as types say, so that a run need not count them.

An evaluation may take so many steps in all (`MAX_TOTAL_STEPS`). The engine adds up those of loops and of calls that
cost a product of sizes, the only ones that can be many, over all programs of a run; what every other call takes is
bounded here. Where both together stay below the limit, so does each program. Where they do not, programs run by
themselves, and at last on the dynamic tier, which counts every step.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from arcbatt.compiler.context import Draft
from arcbatt.compiler.typed import FREE, StepBound
from arcbatt.language.limits import MAX_CELLS, MAX_SIZE, MAX_STEPS
from arcbatt.language.spec import Cost
from arcbatt.language.table import current
from arcbatt.language.types import GRID, NEVER, Seq, Set, Tup, Type


@dataclass
class NodeSteps:
    """The same of one node of the merged graph: the nodes it is made into whose steps the engine counts, each time."""

    bounded: int = 0
    counted: list[int] = field(default_factory=list)


def is_counted(draft: Draft) -> bool:
    """Whether the engine counts the steps of a call outside of loops."""
    spec = current().ops.get(draft.op)
    return bool(draft.bodies) or (spec is not None and spec.cost is Cost.PRODUCT)


def steps_left_out(draft: Draft) -> int:
    """Steps at most of a call that some equal value took the place of."""
    return MAX_STEPS if is_counted(draft) else 0


def bounded_steps(draft: Draft) -> int:
    """Steps at most of a call, if the engine does not count them."""
    if draft.op in FREE or draft.bodies:
        return 0
    if is_counted(draft):
        return MAX_STEPS if draft.type == NEVER else 0
    return steps_of_types(*(arg.type for arg in draft.args), draft.type)


def steps_of_types(*types: Type) -> int:
    """Steps at most of a call of values of some types, the last of which is the result's."""
    return 1 + sum(map(size_bound, types))


def size_bound(kind: Type) -> int:
    """The size of a value of a type at most."""
    if kind == GRID:
        return MAX_CELLS
    if isinstance(kind, Tup):
        return min(MAX_SIZE, sum(map(size_bound, kind.parts)))
    return MAX_SIZE if isinstance(kind, (Set, Seq)) else 1


def step_bound(nodes: Iterable[NodeSteps]) -> StepBound:
    """The bound of a program that consists of some nodes."""
    bounded, counted = 0, list[int]()
    for node in nodes:
        bounded += node.bounded
        counted += node.counted
    once = len(set(counted)) == len(counted)
    return StepBound(bounded, 1 if once else max(Counter(counted).values()))


def steps_too_many(bounds: Mapping[str, StepBound], names: Iterable[str], max_total: int) -> int:
    """From how many steps on, counted for one sample, some of the programs may be beyond a limit."""
    some = [bounds[name] for name in names if name in bounds]
    left = max_total - max((bound.bounded for bound in some), default=0)
    return 0 if left < 0 else left // max((bound.repeats for bound in some), default=1) + 1
