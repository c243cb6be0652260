"""Primitives over batches, by the names of the documents: each item exactly what the primitive gives for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from arcbatt import dsl
from arcbatt.calls.handles import Batch
from arcbatt.calls.many import Results, call_each, call_many, function_of, new_results
from arcbatt.calls.operations import OPERATION_ERRORS, raised
from arcbatt.engine.choose import why_no_gpu
from arcbatt.errors import UsageError
from arcbatt.language.failures import Outcome, first_failure
from arcbatt.language.functions import Function
from arcbatt.language.shown import plain
from arcbatt.language.table import current


class GPUDSLOperations:
    """Batch primitives. Every method takes lists of equal length, and a number where it is the same for all items.

    What comes back is a list in the order of the items, with `Failed` where an item has no result, and `ran`, which
    counts what ran where. `use_gpu` is whether a GPU is used: asked for, and there.
    """

    def __init__(self, use_gpu: bool = True) -> None:
        self.use_gpu = use_gpu and why_no_gpu() is None
        self.backend = "gpu" if use_gpu else "cpu"

    def batch(self, name: str, *columns: Any) -> Results:
        """Any primitive, a list for each of its arguments; what is no list is the same for every item."""
        lists = [_column(column) for column in columns]
        lengths = {len(column) for column in lists if column is not None}
        if len(lengths) != 1:
            raise UsageError(
                f"{name} of lists of different lengths: {sorted(lengths)}" if lengths else "no list of items"
            )
        (length,) = lengths
        full = [[column] * length if items is None else items for column, items in zip(columns, lists, strict=True)]
        return call_many(name, list(zip(*full, strict=True)), backend=self.backend)

    def handle(self, values: Iterable[Any]) -> Batch:
        """The values as a batch whose chains of primitives run at once, without coming back in between."""
        return Batch(values, backend=self.backend)

    def batch_o_g(self, grids: Sequence[Any], modes: Sequence[int] | int) -> Results:
        """The objects of each grid, in a mode each, or one for all."""
        return self.batch("o_g", list(grids), _each(modes))

    def batch_mapply(self, func: Any, containers: Sequence[Any]) -> Results:
        """The function on the items of each container, merged."""
        return self._mapped("mapply", func, containers)

    def batch_apply(self, func: Any, samples: Sequence[Any]) -> Results:
        """The function on the items of each container."""
        return self._mapped("apply", func, samples)

    def batch_compose(self, funcs: Sequence[Any], args: Sequence[Any]) -> Results:
        """Each function of its tuple of arguments; functions in a tuple are composed, the outermost first."""
        if len(funcs) != len(args):
            raise UsageError(f"{len(funcs)} functions for {len(args)} tuples of arguments")
        results = new_results(len(args), self.backend)
        calls: list[tuple[Any, tuple[Any, ...]]] = []
        places: list[int] = []
        for place, (func, row) in enumerate(zip(funcs, args, strict=True)):
            given = tuple([plain(arg) for arg in row])
            known = _composed(func) if isinstance(func, tuple) else function_of(func)
            if known is None:
                _merge(results, [place], self._in_turn(func if isinstance(func, tuple) else (func,), given))
            else:
                calls.append((known, given))
                places.append(place)
        _merge(results, places, call_each(calls, backend=self.backend))
        return results

    def batch_colorfilter(self, objects: Sequence[Any], colours: Sequence[int] | int) -> Results:
        """Of each set of objects, those of a colour."""
        return self.batch("colorfilter", list(objects), _each(colours))

    def batch_rot90(self, grids: Sequence[Any]) -> Results:
        """Each grid turned clockwise."""
        return self.batch("rot90", list(grids))

    def batch_hmirror(self, pieces: Sequence[Any]) -> Results:
        """Each piece upside down."""
        return self.batch("hmirror", list(pieces))

    def batch_vmirror(self, pieces: Sequence[Any]) -> Results:
        """Each piece with left and right exchanged."""
        return self.batch("vmirror", list(pieces))

    def batch_transpose(self, pieces: Sequence[Any]) -> Results:
        """Each piece mirrored along its diagonal: the primitive `dmirror`."""
        return self.batch("dmirror", list(pieces))

    def batch_colorcount(self, elements: Sequence[Any], colours: Sequence[int] | int) -> Results:
        """How many cells of a colour each grid or object has."""
        return self.batch("colorcount", list(elements), _each(colours))

    def batch_difference_tuple(self, tuples: Sequence[Any], others: Sequence[Any]) -> Results:
        """Each tuple without the items of another."""
        return self.batch("difference_tuple", list(tuples), list(others))

    def batch_fill(self, grids: Sequence[Any], colours: Sequence[int] | int, patches: Sequence[Any]) -> Results:
        """Each grid with a patch filled in a colour."""
        return self.batch("fill", list(grids), _each(colours), list(patches))

    def batch_fgpartition(self, grids: Sequence[Any]) -> Results:
        """Each grid's cells by colour, without its background."""
        return self.batch("fgpartition", list(grids))

    def batch_gravitate(self, sources: Sequence[Any], destinations: Sequence[Any]) -> Results:
        """How far each patch moves until it is beside another."""
        return self.batch("gravitate", list(sources), list(destinations))

    def _mapped(self, name: str, func: Any, containers: Sequence[Any]) -> Results:
        known = function_of(func)
        if isinstance(known, Function):
            return self.batch(name, known, list(containers))
        if known is not None or not callable(func):
            raise UsageError(
                f"{name} takes a primitive, what a combinator makes, or a Python function; got {func!r:.60}"
            )
        return _in_python(
            [(container,) for container in containers],
            lambda container: current().op(name).reference(_python_call, func, container),
            self.backend,
        )

    def _in_turn(self, funcs: tuple[Any, ...], args: tuple[Any, ...]) -> Results:
        """Functions of Python and of the language, one of what the next gives."""
        done = Results()
        for func in reversed(funcs):
            known = function_of(func)
            done = _in_python([args], func, self.backend) if known is None else call_each([(known, args)])
            args = (done[0],)
        return done


def batch_o_g_gpu(grids: Sequence[Any], modes: Sequence[int] | int) -> Results:
    """The objects of each grid, in a mode each; the same grid in several modes is a list of that grid."""
    return GPUDSLOperations().batch_o_g(grids, modes)


def batch_mapply_gpu(func: Any, containers: Sequence[Any]) -> Results:
    """`mapply` of one function on many containers."""
    return GPUDSLOperations().batch_mapply(func, containers)


def multi_mapply_gpu(calls: Sequence[tuple[Any, Any]]) -> Results:
    """`mapply` of (function, container) pairs."""
    operations = GPUDSLOperations()
    results = new_results(len(calls), operations.backend)
    known = [function_of(func) for func, _ in calls]
    places = [place for place, func in enumerate(known) if func is not None]
    rows = [(known[place], plain(calls[place][1])) for place in places]
    _merge(results, places, call_many("mapply", rows, backend=operations.backend))
    for place in sorted(set(range(len(calls))) - set(places)):
        func, container = calls[place]
        _merge(results, [place], operations.batch_mapply(func, [container]))
    return results


def batch_process_samples_gpu(S: Any, operations: Sequence[Any] | None = None) -> tuple[Outcome, ...]:  # noqa: N803
    """The first batch pattern: what two functions give on the samples, and what two more give, merged, on those.

    That is apply(f, S), apply(g, S), mapply(p, of the first), mapply(q, of the second); the functions are `first`,
    `second`, `p_g` and `p_g` unless given. With two functions the last two results are the first two again.
    """
    chosen = list(operations) if operations is not None else [dsl.first, dsl.second, dsl.p_g, dsl.p_g]
    if len(chosen) not in (2, 4):
        raise UsageError(f"two or four operations, got {len(chosen)}")
    samples = tuple([tuple([plain(grid) for grid in pair]) for pair in S])
    gpu = GPUDSLOperations()
    halves = [gpu.batch_apply(func, [samples])[0] for func in chosen[:2]]
    if len(chosen) == 2:
        return (*halves, *halves)
    return (*halves, *(gpu.batch_mapply(func, [half])[0] for func, half in zip(chosen[2:], halves, strict=True)))


def batch_process_samples_multi_gpu(
    S: Any,  # noqa: N803
    operations: Sequence[Any] | None = None,
) -> tuple[Outcome, ...]:
    """As `batch_process_samples_gpu`: the samples of one task are too few to share out among devices."""
    return batch_process_samples_gpu(S, operations)


def _each(value: Any) -> Any:
    return value if isinstance(value, int) else list(value)


def _column(column: Any) -> list[Any] | None:
    return [plain(value) for value in column] if isinstance(column, list) else None


def _merge(results: Results, places: list[int], part: Results) -> None:
    for place, value, done in zip(places, part, part.done, strict=True):
        results[place], results.done[place] = value, done
    results.ran.update(part.ran)


def _composed(functions: tuple[Any, ...]) -> Function | None:
    """The composition of functions, where they are all of the language and the outer ones take one argument."""
    known = [function_of(one) for one in functions]
    made = known[-1] if known else None
    for function in reversed(known[:-1]):
        if not isinstance(function, Function) or not isinstance(made, Function) or {function.arity, made.arity} != {1}:
            return None
        composed = dsl.compose(function, made)
        made = composed if isinstance(composed, Function) else None
    return made if isinstance(made, Function) else None


def _python_call(function: Any, *args: Any) -> Any:
    return function(*args)


def _in_python(rows: Sequence[tuple[Any, ...]], function: Callable[..., Any], backend: str) -> Results:
    """A Python function on each tuple of arguments, here and now."""
    results = new_results(len(rows), backend)
    for place, row in enumerate(rows):
        outcome: Outcome = first_failure(row)
        if outcome is None:
            try:
                outcome = function(*row)
            except OPERATION_ERRORS as error:
                outcome = raised(function, error)
        results[place], results.done[place] = outcome, True
        results.ran["python"] += 1
    return results
