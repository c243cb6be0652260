"""Conformance vectors: expressions over grids with the values they must have.

A vector file holds one JSON object a line (gzip if the name ends in .gz): `expr`, the grid `I`, and
`out` (a tuple as a list, a set as {"set": [...]}, None as null) or `"error": true`.
"""

from __future__ import annotations

import gzip
import json
import re
import shlex
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from arcbatt.data.grids import to_grid
from arcbatt.errors import ArcbattError, DataError
from arcbatt.language.encoding import decode, same
from arcbatt.language.failures import Failed, Outcome
from arcbatt.language.program import Call, Name, Program
from arcbatt.language.reference import evaluate
from arcbatt.language.sample import Sample
from arcbatt.language.spec import Does, Gives, OpSpec
from arcbatt.language.table import STANDARD
from arcbatt.language.values import Grid, Value
from arcbatt.support.files import check_file
from arcbatt.syntax import parse_expression

Run = Callable[[Program, Sample], Outcome]


@dataclass(frozen=True)
class Vector:
    """One expression, its grid, and what must come out: a value, or an error."""

    expr: str
    grid: Grid
    out: Value
    error: bool

    @property
    def primitives(self) -> set[str]:
        """The primitives the expression uses."""
        return set(re.findall(r"[a-z]\w*", self.expr)) & STANDARD.ops.keys()

    @property
    def paste(self) -> str:
        """A command that shows what the expression gives."""
        return (
            f"arcbatt eval {shlex.quote(self.expr)} --grid {shlex.quote(json.dumps(self.grid, separators=(',', ':')))}"
        )


@dataclass
class Report:
    """How vectors and a backend agree."""

    total: int = 0
    agree: int = 0
    by_set_order: int = 0
    per_primitive: Counter[str] = field(default_factory=Counter)
    agree_per_primitive: Counter[str] = field(default_factory=Counter)
    differences: list[tuple[Vector, Outcome]] = field(default_factory=list)


def read_vectors(path: Path) -> Iterator[Vector]:
    """The vectors of a file; raises DataError with the line where it is not one."""
    opener: Any = gzip.open if path.suffix == ".gz" else open
    try:
        check_file(path, pipe=True)
        number = 0
        with opener(path, "rt", encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                yield _vector(line, f"{path}:{number}")
    except (OSError, EOFError, UnicodeDecodeError, zlib.error) as error:
        raise DataError(f"{path}: cannot read vectors: {error}") from error
    if not number:
        raise DataError(f"{path}: no vectors in it")


def _vector(line: str, where: str) -> Vector:
    try:
        data = json.loads(line)
        error = data.get("error") is True
        return Vector(str(data["expr"]), to_grid(data["I"]), None if error else decode(data["out"]), error)
    except (ValueError, RecursionError, AttributeError, KeyError, TypeError, DataError) as error:
        raise DataError(f"{where}: not a vector ({type(error).__name__}: {error})") from error


def check(vectors: Iterator[Vector], run: Run = evaluate) -> Report:
    """Compare every vector with what a backend gives: each value equal, each error an error."""
    report = Report()
    for vector in vectors:
        report.total += 1
        report.per_primitive.update(vector.primitives)
        try:
            program = parse_expression(vector.expr)
        except ArcbattError as error:
            report.differences.append((vector, error))
            continue
        outcome = run(program, Sample(vector.grid))
        exact = _agrees(vector, outcome)
        if exact or _agrees_by_set_order(vector, program, outcome):
            report.agree += 1
            report.by_set_order += not exact
            report.agree_per_primitive.update(vector.primitives)
        else:
            report.differences.append((vector, outcome))
    return report


def _unmerged(spec: OpSpec | None) -> str | None:
    """The primitive that gives what this one merges, if it merges what it is given or what a function gives."""
    if spec is not None and spec.loop and spec.loop.gives is Gives.CONTAINER:
        wanted = (spec.loop.over, Gives.ITEM)
        loops = ((other.name, other.loop) for other in STANDARD.ops.values() if other.loop)
        return next(name for name, loop in loops if (loop.over, loop.gives) == wanted)
    if spec is not None and spec.does is Does.MERGE:
        return next(other.name for other in STANDARD.ops.values() if other.does is Does.SAME)
    return None


def _agrees(vector: Vector, outcome: Outcome) -> bool:
    if isinstance(outcome, Failed):
        return vector.error
    return not vector.error and same(vector.out, outcome)


def _agrees_by_set_order(vector: Vector, program: Program, outcome: Outcome) -> bool:
    """Whether a vector differs only by CPython's hash order where rule 1 of the language sets another.

    A tuple of sets merged into a tuple lists each set's items. The language lists them ascending; a few
    vectors kept the order CPython's hashing gave. They must hold the same items, set by set.
    """
    result = program.result
    if (
        vector.error
        or not isinstance(outcome, tuple)
        or not isinstance(result, Call)
        or not isinstance(result.function, Name)
    ):
        return False
    unmerged = _unmerged(STANDARD.ops.get(result.function.id))
    if unmerged is None:
        return False
    parts = evaluate(Program("solve_parts", ("I",), (), Call(Name(unmerged), result.args)), Sample(vector.grid))
    expected = vector.out
    if not isinstance(parts, tuple) or not isinstance(expected, tuple) or len(expected) != len(outcome):
        return False
    start = 0
    for part in parts:
        if not isinstance(part, frozenset) or len(set(expected[start : start + len(part)])) != len(part):
            return False
        if not same(frozenset(expected[start : start + len(part)]), part):
            return False
        start += len(part)
    return start == len(expected)
