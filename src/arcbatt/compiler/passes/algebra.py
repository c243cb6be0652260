"""Identities of the language: calls that equal a smaller one, whatever the values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from arcbatt.compiler.context import Draft, Ref
from arcbatt.compiler.typed import TypedNode
from arcbatt.language.reference import call
from arcbatt.language.spec import Does, Fact, OpSpec
from arcbatt.language.table import STANDARD, current
from arcbatt.language.types import BOOL, GRID, Set

_PROBE = ((1, 2, 3), (4, 5, 6))
_ENDS = (0, -1)


@cache
def turn_of_turn() -> dict[tuple[str, str], str | None]:
    """Two turns of a full grid are one turn, or none: read off a probe that tells all eight apart."""
    turns = STANDARD.names_with(Fact.TURN)
    made: dict[object, str | None] = {_PROBE: None, **{call(name, _PROBE): name for name in turns}}
    return {(outer, inner): made[call(outer, call(inner, _PROBE))] for outer in turns for inner in turns}


def simpler(
    draft: Draft, nodes: Sequence[TypedNode], full: Sequence[bool], ref: Callable[[int], Ref]
) -> Ref | Draft | None:
    """A value equal to the draft's, or a smaller draft.

    `nodes` are those of the graph, `full` says which are grids with rows and columns, all rows alike (or failed), and
    `ref` gives a node as a value.
    """
    if not draft.args or (spec := current().ops.get(draft.op)) is None:
        return None
    if spec.does is Does.SAME:
        return draft.args[0]
    inner = nodes[draft.args[0].index]
    if spec.does is Does.CHOOSE and inner.op == "const":
        chosen, other = draft.args[1:] if inner.args[2] else draft.args[:0:-1]
        return chosen if not other.can_fail and chosen.type == draft.type else None
    inner_spec = current().ops.get(inner.op)
    if inner_spec is None:
        return None
    if Fact.TURN in inner_spec.facts:
        return _of_turned(draft, spec, inner, ref(inner.args[0])) if full[inner.args[0]] else None
    if inner.op == draft.op:
        if Fact.IDEMPOTENT in spec.facts and inner.type == draft.type:
            return draft.args[0]
        if Fact.INVOLUTION in spec.facts and inner.type == BOOL == nodes[inner.args[0]].type:
            return ref(inner.args[0])
    if inner_spec.does is Does.SINGLE:
        below = ref(inner.args[0])
        if spec.does is Does.MERGE and isinstance(draft.type, Set) and below.type == draft.type:
            return below
        if spec.generic and spec.does is Does.NTH and spec.generic.place in _ENDS:
            return below
    return None


def _of_turned(draft: Draft, spec: OpSpec, inner: TypedNode, below: Ref) -> Ref | Draft | None:
    """A call of a full grid that was turned, as one of the grid itself."""
    if Fact.TURN in spec.facts:
        turn = turn_of_turn()[draft.op, inner.op]
        return Draft(turn, [below], GRID, 1, can_fail=below.can_fail, foldable=True) if turn else below
    if Fact.TURN_INVARIANT in spec.facts:
        args = [below, *draft.args[1:]]
        return Draft(draft.op, args, draft.type, draft.strict, can_fail=draft.can_fail, foldable=True)
    return None
