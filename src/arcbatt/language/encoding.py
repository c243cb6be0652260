"""Values as JSON data: a tuple as a list, a set as {"set": [...]}, None as null."""

from __future__ import annotations

import json
from typing import Any

from arcbatt.errors import DataError
from arcbatt.language.values import Value, ordered


def encode(value: Value) -> Any:
    """A value as JSON data, sets in the language's order."""
    if isinstance(value, frozenset):
        return {"set": [encode(item) for item in ordered(value)]}
    if isinstance(value, tuple):
        return [encode(item) for item in value]
    return value if isinstance(value, int | None) else str(value)


def decode(data: Any) -> Value:
    """A value from JSON data; raises DataError where it is none."""
    if isinstance(data, list):
        return tuple(map(decode, data))
    if isinstance(data, dict) and data.keys() == {"set"} and isinstance(data["set"], list):
        return frozenset(map(decode, data["set"]))
    if data is None or isinstance(data, int):
        return data
    raise DataError(f"not a value: {data!r:.60}")


def same(a: Value, b: Value) -> bool:
    """Whether two values are equal to the last bit: True is not 1 here."""
    return bool(a == b) and json.dumps(encode(a)) == json.dumps(encode(b))
