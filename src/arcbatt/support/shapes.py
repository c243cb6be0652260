"""Whether values from a file have the types that a class declares."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType, NoneType, UnionType
from typing import Any, Final, Union, get_args, get_origin, get_type_hints


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


def fields_of(kind: type) -> Mapping[str, Any]:
    """The declared fields of a class with their types, in order."""
    if kind not in _FIELDS:  # finding them takes long, and rows are checked by the thousand
        _FIELDS[kind] = MappingProxyType(get_type_hints(kind))
    return _FIELDS[kind]


_FIELDS: Final[dict[type, Mapping[str, Any]]] = {}
