"""Results as a table of pandas or polars, whichever is installed."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Iterable
from typing import Any, Final

from arcbatt.errors import UsageError
from arcbatt.runs.store.reading import ProgramResult

LIBRARIES: Final = ("pandas", "polars")
"""Libraries of tables, the one that is tried first first."""


def table_of(results: Iterable[ProgramResult], library: str | None = None) -> Any:
    """A DataFrame with a row for every result, and whether it is a solution, by demonstrations, as the last column."""
    chosen = library or next((name for name in LIBRARIES if importlib.util.find_spec(name)), None)
    if chosen is not None and chosen not in LIBRARIES:
        raise UsageError(f"a table is one of {' or '.join(LIBRARIES)}, got {chosen!r}")
    if chosen is None or not importlib.util.find_spec(chosen):
        extra = chosen or LIBRARIES[0]
        raise UsageError(f"a table needs {extra}, which is not installed: pip install 'arcbatt[{extra}]'")
    rows = list(results)
    columns = dict(zip(ProgramResult._fields, zip(*rows, strict=True), strict=True)) if rows else {}
    data: dict[str, Any] = {name: list(columns.get(name, ())) for name in ProgramResult._fields}
    data["solved"] = [row.demos_right == row.demos for row in rows]
    module = importlib.import_module(chosen)
    if chosen == "polars":  # columns that may hold nothing at all
        return module.DataFrame(data, schema_overrides={"tests_right": module.Int64, "reason": module.String})
    data["tests_right"] = module.array(data["tests_right"], dtype="Int64")
    return module.DataFrame(data)
