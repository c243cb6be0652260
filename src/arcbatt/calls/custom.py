"""Custom operations, as primitives of the language.

An operation is a Python function of plain values with a declared type. It can be used in programs, in a card and in a
run like any primitive. Without a kernel it runs inside the dynamic tier: programs that use it are counted among the
fallbacks of an engine. With one, an expression over cells or a function in the kernel's own terms, engines run it as
they run their own primitives.
"""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable, Iterable
from typing import Any, Final

from arcbatt import dsl
from arcbatt.calls.arguments import random_rows
from arcbatt.calls.operations import OPERATION_ERRORS, raised
from arcbatt.compiler.custom import Kernel, cell_kernel, kernel_of, source_kernel
from arcbatt.compiler.lower.cells import cell_words
from arcbatt.errors import UsageError
from arcbatt.language import table
from arcbatt.language.calling import Primitive
from arcbatt.language.constants import CONSTANTS
from arcbatt.language.failures import Fail, Failed, Reason
from arcbatt.language.limits import INT_MAX, INT_MIN, MAX_CELLS, MAX_SIDE
from arcbatt.language.spec import make_spec
from arcbatt.language.table import add_op, current
from arcbatt.language.types import BOOL, GRID, INT, OPT_INT, Fn, Rule, Seq, Set, Tup, Type, parse_rules, variables
from arcbatt.syntax.cells import parse_cells

FAMILY: Final = "custom"
_DRAWN: Final = 200
"""Tuples of arguments an operation is tried on with `check=True`."""


def op(
    signature: str,
    *,
    cells: str | None = None,
    outside: int = -1,
    source: str | None = None,
    check: bool | Iterable[tuple[Any, ...]] = (),
    name: str | None = None,
) -> Callable[[Callable[..., Any]], Primitive]:
    """Make a Python function a primitive: `@arcbatt.op("Grid, Int -> Grid")`, types as docs/ops.md writes them.

    The function must depend on its arguments alone and needs a docstring. What it raises, and a result that is not of
    the declared type, is a failure. What comes back can be called and used in programs by name.

    `cells` is an expression of what every cell becomes (docs/custom.md); `outside` is what `at` gives beyond the grid.
    `source` is the body of a C++ function in the kernel's terms. Either makes the operation run on the engines. With
    `cells` the function may have no body but its docstring: it is then what the expression says.

    `check` says on what to try it: tuples of arguments, or True for ones drawn at random. Each is tried twice on the
    function, and on the CPU engine where there is a kernel; a result that is not of the type, not the same again, or
    not the same on the engine is an error now, and the operation is not added.
    """
    rules = parse_rules(signature)
    types = [one for rule in rules for one in (*rule.params, rule.result)]
    if any(isinstance(one, Fn) or any(True for _ in variables(one)) for one in types):
        raise UsageError(f"a custom operation takes and gives plain types without variables, got {signature!r}")
    if (cells is not None or source is not None) and len(rules) > 1:
        raise UsageError(f"an operation with a kernel has one type, {signature!r} are {len(rules)}")
    if cells is not None and source is not None:
        raise UsageError("an operation has one kernel: cells or source, not both")

    def register(function: Callable[..., Any]) -> Primitive:
        chosen = name or str(getattr(function, "__name__", ""))
        if not chosen.isidentifier() or chosen in current().ops or chosen in CONSTANTS:
            raise UsageError(f"{chosen!r} cannot be an operation's name: it is taken, or no name")
        if not inspect.getdoc(function):
            raise UsageError(f"{chosen} needs a docstring: it is what lists of primitives show")
        params = tuple(inspect.signature(function).parameters)
        if len(params) != len(rules[0].params) or params[0] == "call":
            raise UsageError(f"{chosen} does not take the arguments of {signature!r} (none of them is named call)")
        kernel, body = _kernel(chosen, rules[0], params, function, cells, outside, source)
        reference = _reference(chosen, signature, rules, function, body)
        late = tuple(range(len(params)))  # what it makes of other types is its own affair
        add_op(make_spec(FAMILY, reference, signature, fails=" ".join(Reason), kernel=kernel, late=late))
        _forget_engines()
        try:
            _check(chosen, rules, reference, check)
        except BaseException:
            remove_op(chosen)
            raise
        made: Primitive = getattr(dsl, chosen)
        return made

    return register


def _kernel(
    name: str,
    rule: Rule,
    params: tuple[str, ...],
    function: Callable[..., Any],
    cells: str | None,
    outside: int,
    source: str | None,
) -> tuple[Kernel | None, Callable[..., Any]]:
    """An operation's kernel, and the Python function that is its meaning."""
    if source is not None:
        return source_kernel(name, rule, params, source), function
    if cells is None:
        return None, function
    cell_kernel(rule, ())  # refuses other types before names are looked at
    expression = parse_cells(cells, dict(zip(params[1:], rule.params[1:], strict=True)), outside)
    return cell_kernel(rule, cell_words(expression)), expression.grid if _has_no_body(function) else function


def _documented() -> None:
    """A function that is nothing but this."""


def _has_no_body(function: Callable[..., Any]) -> bool:
    code = getattr(function, "__code__", None)
    if code is None or code.co_code != _documented.__code__.co_code:
        return False
    return all(constant is None or constant == function.__doc__ for constant in code.co_consts)


def _reference(
    name: str, signature: str, rules: tuple[Rule, ...], function: Callable[..., Any], body: Callable[..., Any]
) -> Callable[..., Any]:
    """The function under the language's rules: arguments and result of the declared types, failures as such."""

    @functools.wraps(function)
    def reference(*args: Any) -> Any:
        for rule in rules:
            given = [as_declared(arg, kind) for arg, kind in zip(args, rule.params, strict=True)]
            if not any(one is _OTHER for one in given):
                break
        else:
            raise Fail(Reason.TYPE, f"takes {signature}, got ({', '.join(f'{arg!r:.30}' for arg in args)})", name)
        try:
            value = body(*given)
        except OPERATION_ERRORS as error:
            failed = raised(function, error)
            raise Fail(failed.reason, failed.detail, name) from error
        if not is_of(value, rule.result):
            raise Fail(Reason.TYPE, f"gave {value!r:.60}, declared {signature}", name)
        return value

    reference.__name__ = name
    return reference


def remove_op(name: str) -> None:
    """Take a custom operation out of the language again."""
    table.remove_op(name)
    _forget_engines()


def _forget_engines() -> None:
    """Drop engines kept by names that mean something else now."""
    importlib.import_module("arcbatt.calls.many").engine_for.cache_clear()


# --- trying an operation before it is used ---


def _check(name: str, rules: tuple[Rule, ...], reference: Callable[..., Any], check: Any) -> None:
    if check is True:
        rows = [row for rule in rules for row in random_rows(rule.params, _DRAWN, name)]
    else:
        rows = list(check or ())
    for row in rows:
        _tried(reference, row, name)
    if kernel_of(name) is not None and rows:
        _compared(name, rows)


def _tried(reference: Callable[..., Any], args: tuple[Any, ...], name: str) -> None:
    outcomes = []
    for _ in range(2):
        try:
            outcomes.append(reference(*args))
        except Fail as fail:
            if fail.reason is Reason.TYPE and "declared" in fail.detail and kernel_of(name) is None:
                raise UsageError(f"{name}{args!r:.60} {fail.detail}") from fail
            outcomes.append(fail.reason)
    if outcomes[0] != outcomes[1]:
        raise UsageError(f"{name}{args!r:.60} gives {outcomes[0]!r:.60}, and {outcomes[1]!r:.60} when called again")


def _compared(name: str, rows: list[tuple[Any, ...]]) -> None:
    """The kernel on the CPU engine against the reference; the smallest difference is shown."""
    call_many = importlib.import_module("arcbatt.calls.many").call_many
    found = call_many(name, rows, backend="cpu")
    wanted = call_many(name, rows, backend="python")
    differing = [at for at in range(len(rows)) if found[at] != wanted[at]]
    if not differing:
        return
    at = min(differing, key=lambda at: len(repr(rows[at])))
    shown = ", ".join(map(repr, rows[at]))
    raise UsageError(
        f"the kernel of {name} is not its function: {len(differing)} of {len(rows)} calls differ\n"
        f"    {name}({shown})\n"
        f"    is {_told(wanted[at])}\n"
        f"    and on the CPU engine {_told(found[at])}\n"
        f"    to see it again: check=[({shown}{',' if len(rows[at]) == 1 else ''})]"
    )


def _told(outcome: Any) -> str:
    return f"a failure ({outcome.reason.value})" if isinstance(outcome, Failed) else f"{outcome!r:.400}"


# --- values and declared types ---

_OTHER: Final = object()


def as_declared(value: Any, kind: Type) -> Any:
    """A value as one of a type, as the language passes it: a truth is a number too, a tuple of cells a patch.

    Something that is no value comes back where the value is not of the type.
    """
    match kind:
        case Set(item) | Seq(item) if isinstance(value, frozenset | tuple):
            if isinstance(value, frozenset) and isinstance(kind, Seq):
                return _OTHER
            items = [as_declared(one, item) for one in value]
            made: Any = frozenset(items) if isinstance(kind, Set) else tuple(items)
            return _OTHER if any(one is _OTHER for one in items) else made
        case Tup(parts) if isinstance(value, tuple) and len(value) == len(parts):
            items = [as_declared(one, part) for one, part in zip(value, parts, strict=True)]
            return _OTHER if any(one is _OTHER for one in items) else tuple(items)
    if kind == GRID and isinstance(value, tuple) and all(isinstance(row, tuple) for row in value):
        value = tuple([tuple([int(cell) if isinstance(cell, bool) else cell for cell in row]) for row in value])
    if kind in (INT, OPT_INT) and isinstance(value, bool):
        value = int(value)
    return value if is_of(value, kind) else _OTHER


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
