"""Calls in a loop body that do not depend on the item move out of it."""

from __future__ import annotations

from dataclasses import replace

from arcbatt.compiler.context import Context, Draft, Ref


def stands_outside(args: list[Ref], loop_level: int) -> bool:
    """Whether all a call in a body takes comes from around the loop, which stands at this level (0 is no loop)."""
    return loop_level > 0 and all(arg.constant or arg.context.level < loop_level for arg in args)


def hoisted_draft(draft: Draft, outer: Context) -> Draft:
    """A draft for a context further out, constants and all; it is not folded a second time."""
    args = [outer.constant(arg.value, arg.type) if arg.constant else arg for arg in draft.args]
    return replace(draft, args=args, foldable=False)
