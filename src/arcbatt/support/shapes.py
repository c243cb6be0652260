"""Whether values from a file have the types that a class declares."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType, NoneType, UnionType
from typing import Any, Final, TypeVar, Union, get_args, get_origin, get_type_hints

_T = TypeVar("_T")


def is_of(value: Any, hint: Any) -> bool:
    """Whether a value is of a type: of plain types, `X | None`, `dict[K, V]`, `list[X]` and `tuple[X, ...]`.

    A list, which is what JSON has, is a tuple too; a truth is no number here, and a whole number is a float.
    """
    origin, args = get_origin(hint), get_args(hint)
    if hint is Any:
        return True
    if origin in (Union, UnionType):
        return any(is_of(value, one) for one in args)
    if origin in (list, tuple):
        return isinstance(value, list | tuple) and all(is_of(item, args[0]) for item in value)
    if origin is dict:
        return isinstance(value, dict) and all(is_of(k, args[0]) and is_of(v, args[1]) for k, v in value.items())
    if hint in (int, float):
        return type(value) is int or type(value) is hint
    return value is None if hint is NoneType else isinstance(value, hint)


def row_of(kind: type[_T], data: Any) -> _T:
    """A dataclass made of an object of JSON, each field of its declared type; raises ValueError."""
    hints = fields_of(kind)
    if not (isinstance(data, dict) and set(data) <= set(hints)):
        raise ValueError(f"a {kind.__name__.lower()} has the fields {', '.join(hints)}")
    if odd := [name for name, value in data.items() if not is_of(value, hints[name])]:
        raise ValueError(f"{odd[0]} is {data[odd[0]]!r:.60}")
    try:
        return kind(**{name: float(value) if hints[name] is float else value for name, value in data.items()})
    except (TypeError, OverflowError) as error:
        raise ValueError(str(error)) from error


def fields_of(kind: type) -> Mapping[str, Any]:
    """The declared fields of a class with their types, in order."""
    if kind not in _FIELDS:  # finding them takes long, and rows are checked by the thousand
        _FIELDS[kind] = MappingProxyType(get_type_hints(kind))
    return _FIELDS[kind]


_FIELDS: Final[dict[type, Mapping[str, Any]]] = {}
