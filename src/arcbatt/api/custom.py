"""Operations of one's own, as primitives of the language.

An operation is a Python function of plain values with a declared type. It can be used in programs, in a card and in a
run like any primitive. It runs on the reference: programs that use it are counted among the fallbacks of an engine.
"""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable, Iterable
from typing import Any, Final

from arcbatt import dsl
from arcbatt.api.operations import OPERATION_ERRORS, raised
from arcbatt.errors import Fail, Reason, UsageError
from arcbatt.limits import INT_MAX, INT_MIN, MAX_CELLS, MAX_SIDE
from arcbatt.ops import CONSTANTS, OPS
from arcbatt.ops.spec import make_spec
from arcbatt.ops.types import BOOL, GRID, INT, OPT_INT, Fn, Seq, Set, Tup, Type, parse_rules, variables

FAMILY: Final = "custom"
_FROM_THE_TABLE: Final = ("lower.variants", "ir.groups", "ir.algebra", "ir.specialize", "generate")
"""Modules that read the table when they are imported, and must see it without operations of one's own."""


def op(
    signature: str, *, check: Iterable[tuple[Any, ...]] = (), name: str | None = None
) -> Callable[[Callable[..., Any]], dsl.Primitive]:
    """Make a Python function a primitive: `@arcbatt.op("Grid, Int -> Grid")`, types as docs/ops.md writes them.

    The function must depend on its arguments alone and needs a docstring. What it raises, and a result that is not of
    the declared type, is a failure. It is tried on the tuples of arguments in `check`, twice each: a result that is not
    of the type, or not the same again, is an error now. What comes back can be called and used in programs by name.
    """
    rules = parse_rules(signature)
    types = [one for rule in rules for one in (*rule.params, rule.result)]
    if any(isinstance(one, Fn) or any(True for _ in variables(one)) for one in types):
        raise UsageError(f"an operation of one's own takes and gives plain types without variables, got {signature!r}")
    results = {rule.result for rule in rules}

    def register(function: Callable[..., Any]) -> dsl.Primitive:
        chosen = name or function.__name__
        if not chosen.isidentifier() or chosen in OPS or chosen in CONSTANTS:
            raise UsageError(f"{chosen!r} cannot be an operation's name: it is taken, or no name")
        if not inspect.getdoc(function):
            raise UsageError(f"{chosen} needs a docstring: it is what lists of primitives show")
        params = list(inspect.signature(function).parameters)
        if len(params) != len(rules[0].params) or params[0] == "call":
            raise UsageError(f"{chosen} does not take the arguments of {signature!r} (none of them is named call)")

        @functools.wraps(function)
        def reference(*args: Any) -> Any:
            try:
                value = function(*args)
            except OPERATION_ERRORS as error:
                failed = raised(function, error)
                raise Fail(failed.reason, failed.detail, chosen) from error
            if not any(is_of(value, result) for result in results):
                raise Fail(Reason.TYPE, f"gave {value!r:.60}, declared {signature}", chosen)
            return value

        reference.__name__ = chosen
        for args in check:
            _tried(reference, args, chosen)
        for module in _FROM_THE_TABLE:
            importlib.import_module(f"arcbatt.{module}")
        OPS[chosen] = make_spec(FAMILY, reference, signature, fails=" ".join(Reason))
        importlib.import_module("arcbatt.ir.specialize").plain_type.cache_clear()
        return dsl.add_name(chosen)

    return register


def remove_op(name: str) -> None:
    """Take an operation of one's own out of the language again."""
    if name not in OPS or OPS[name].family != FAMILY:
        raise UsageError(f"{name!r} is no operation of one's own")
    del OPS[name]
    dsl.remove_name(name)
    importlib.import_module("arcbatt.ir.specialize").plain_type.cache_clear()
    importlib.import_module("arcbatt.api.calls").engine_for.cache_clear()


def _tried(reference: Callable[..., Any], args: tuple[Any, ...], name: str) -> None:
    outcomes = []
    for _ in range(2):
        try:
            outcomes.append(reference(*args))
        except Fail as fail:
            if fail.reason is Reason.TYPE and "declared" in fail.detail:
                raise UsageError(f"{name}{args!r:.60} {fail.detail}") from fail
            outcomes.append(fail.reason)
    if outcomes[0] != outcomes[1]:
        raise UsageError(f"{name}{args!r:.60} gives {outcomes[0]!r:.60}, and {outcomes[1]!r:.60} when called again")


def is_of(value: Any, kind: Type) -> bool:
    """Whether a plain value is of a type, all of it looked at."""
    match kind:
        case Set(item):
            return isinstance(value, frozenset) and all(is_of(one, item) for one in value)
        case Seq(item):
            return isinstance(value, tuple) and all(is_of(one, item) for one in value)
        case Tup(parts):
            same = isinstance(value, tuple) and len(value) == len(parts)
            return same and all(is_of(one, part) for one, part in zip(value, parts, strict=True))
    if kind == GRID:
        return isinstance(value, tuple) and all(isinstance(row, tuple) for row in value) and _is_grid(value)
    if kind == OPT_INT and value is None:
        return True
    if kind == BOOL:
        return isinstance(value, bool)
    return kind in (INT, OPT_INT) and type(value) is int and INT_MIN <= value <= INT_MAX


def _is_grid(value: tuple[tuple[Any, ...], ...]) -> bool:
    widths = {len(row) for row in value}
    if len(value) > MAX_SIDE or len(widths) > 1 or any(width > MAX_SIDE for width in widths):
        return False
    return len(value) * max(widths, default=0) <= MAX_CELLS and all(is_of(cell, INT) for row in value for cell in row)
