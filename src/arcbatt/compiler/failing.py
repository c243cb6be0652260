"""Calls that fail for their types alone, as nodes."""

from __future__ import annotations

from collections.abc import Iterable

from arcbatt.compiler.context import Context, Draft, Ref
from arcbatt.compiler.functions import Value
from arcbatt.compiler.typed import FAILED, GUARD
from arcbatt.language.types import NEVER


def failed(context: Context, args: Iterable[Value]) -> Ref:
    """What a call gives that fails for type before it costs anything: that, unless one of its arguments has failed."""
    refs: list[Ref] = []
    for arg in args:
        refs += [arg] if isinstance(arg, Ref) else [*arg.values()]
    failure = context.emit(Draft(FAILED, [], NEVER, 0))
    first = [ref for ref in unique(refs) if not ref.constant]
    return context.emit(Draft(GUARD, [failure, *first], NEVER, 1 + len(first))) if first else failure


def unique(refs: Iterable[Ref], without: Iterable[Ref] = ()) -> list[Ref]:
    """Each value once, in order."""
    seen = {(ref.context.level, ref.index) for ref in without}
    kept = []
    for ref in refs:
        key = (ref.context.level, ref.index)
        if key not in seen:
            seen.add(key)
            kept.append(ref)
    return kept
