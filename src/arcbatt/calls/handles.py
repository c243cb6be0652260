"""Batches that are computed when they are looked at: a chain of calls is one program, and only its end comes back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import count
from typing import Any, Final

from arcbatt.calls.many import Language, Results, call_many, function_of
from arcbatt.display.html import page
from arcbatt.errors import UsageError
from arcbatt.language.drawing import program_html, values_html
from arcbatt.language.functions import Function
from arcbatt.language.program import Assign, Call, Const, Expr, Name, Program
from arcbatt.language.shown import plain
from arcbatt.language.table import current
from arcbatt.support.text import counted

_NUMBERS: Final = count()


class Batch:
    """A batch of values, one for each item; methods named for primitives give the batch of their results.

        grids = Batch(list_of_grids)
        sizes = grids.rot90().o_g(3).size()
        sizes.values()

    Nothing runs before `values`, which runs the whole chain at once, item by item as the language has it: an item that
    fails is Failed from there on. Arguments beside the batch are fixed values, functions, or other batches of the same
    length; the batch stands for the primitive's first argument that is not a function.
    """

    def __init__(self, values: Iterable[Any], *, backend: str = "gpu") -> None:
        self._columns: dict[str, list[Any]] = {f"A{next(_NUMBERS)}": [plain(value) for value in values]}
        (self._expr,) = [Name(name) for name in self._columns]
        self._lines: dict[str, Assign] = {}
        self._backend = backend
        self._results: Results | None = None

    def __len__(self) -> int:
        return len(next(iter(self._columns.values())))

    def __iter__(self) -> Iterator[Any]:
        return iter(self.values())

    def __getitem__(self, place: int) -> Any:
        return self.values()[place]

    def __repr__(self) -> str:
        return f"<{self._says()}>"

    def _says(self) -> str:
        chain = f": {self.program.lines[-1].value}" if len(self._lines) == 1 else f" of {len(self._lines)} calls"
        state = "not run yet" if self._lines and self._results is None else "computed"
        return f"Batch of {counted(len(self), 'item')}{f'{chain}, {state}' if self._lines else ''}"

    def _repr_html_(self) -> str:
        if self._results is not None:
            return page(self._says(), values_html(self._results))
        if not self._lines:
            return page(self._says(), values_html(next(iter(self._columns.values()))))
        return page(self._says(), program_html(self.program))

    def __getattr__(self, name: str) -> Callable[..., Batch]:
        if name not in current().ops:
            raise AttributeError(f"no primitive {name!r}; docs/ops.md lists them")
        place = 0 if current().op(name).function_place or not current().op(name).loop else 1

        def method(*args: Any) -> Batch:
            return self.call(name, *args[:place], self, *args[place:])

        return method

    def call(self, function: Language, *args: Any) -> Batch:
        """The function of the arguments, item by item; this batch takes part where it is among them."""
        known = function_of(function)
        if known is None or isinstance(known, Program):
            raise UsageError(f"a chain is made of primitives and function values, got {function!r:.60}")
        if len(args) != known.arity:
            raise UsageError(f"{known} takes {counted(known.arity, 'argument')}, got {len(args)}")
        made = Batch.__new__(Batch)
        made._columns, made._lines, made._results = dict(self._columns), dict(self._lines), None
        made._backend = self._backend
        parts = tuple([made._argument(arg, len(self)) for arg in args])
        target = f"t{next(_NUMBERS)}"
        made._lines[target] = Assign(target, Call(_expr_of(known), parts))
        made._expr = Name(target)
        return made

    def _argument(self, arg: Any, length: int) -> Expr:
        if isinstance(arg, Batch):
            if len(arg) != length:
                raise UsageError(f"a batch of {len(arg)} items beside one of {length}")
            self._columns |= arg._columns
            self._lines |= arg._lines
            return arg._expr
        if isinstance(arg, Function) or _is_literal(arg):
            return _expr_of(arg)
        name = f"A{next(_NUMBERS)}"
        self._columns[name] = [plain(arg)] * length
        return Name(name)

    @property
    def program(self) -> Program:
        """The chain as a program over its columns of values, named in order."""
        names = {name: f"A{place}" for place, name in enumerate(self._columns)}
        names |= {name: f"t{place}" for place, name in enumerate(self._lines, 1)}
        lines = tuple([Assign(names[line.target], _renamed(line.value, names)) for line in self._lines.values()])
        params = tuple([names[name] for name in self._columns])
        return Program("solve_batch", params, lines, _renamed(self._expr, names))

    def values(self, *, stop: Callable[[], bool] | None = None) -> Results:
        """The values, computed now or when they were first asked for."""
        if self._results is None:
            rows = list(zip(*self._columns.values(), strict=True))
            results = call_many(self.program, rows, backend=self._backend, stop=stop)
            if not results.finished:
                return results
            self._results = results
        return self._results


def _is_literal(value: Any) -> bool:
    return type(value) in (int, bool) or (type(value) is tuple and bool(value) and set(map(type, value)) == {int})


def _expr_of(value: Any) -> Expr:
    """A function value or a literal as it is written."""
    if not isinstance(value, Function):
        return Const(value)
    return Call(Name(value.name), tuple(map(_expr_of, value.parts))) if value.parts else Name(value.name)


def _renamed(expr: Expr, names: dict[str, str]) -> Expr:
    if isinstance(expr, Name):
        return Name(names.get(expr.id, expr.id))
    if isinstance(expr, Const):
        return expr
    return Call(_renamed(expr.function, names), tuple([_renamed(arg, names) for arg in expr.args]))
