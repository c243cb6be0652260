"""How numbers and structs are declared that Python and C++ share; `abi.py` has the declarations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

_SCALARS: Final = {"u8": "<u1", "u16": "<u2", "u32": "<u4", "i32": "<i4", "u64": "<u8", "i64": "<i8"}
_WORD: Final = 4


class Enum(dict[str, int]):
    """Named numbers, an enum in C++: (name, number) or (name, number, note). C++ puts `prefix` before the names."""

    def __init__(
        self, name: str, doc: str, *members: tuple[str, int] | tuple[str, int, str], kind: str = "u32", prefix: str = ""
    ) -> None:
        super().__init__((one[0], one[1]) for one in members)
        self.name, self.doc, self.kind, self.prefix = name, doc, kind, prefix
        self.notes = {one[0]: one[2] if len(one) == 3 else "" for one in members}


@dataclass(frozen=True)
class Constant:
    """A number by itself."""

    kind: str
    value: int
    note: str = ""


@dataclass(frozen=True)
class Field:
    """A field of a struct: a number, an address (`const u8*`), or a struct."""

    kind: str | Struct
    name: str

    @property
    def type_name(self) -> str:
        """Its type in C++."""
        return self.kind.name if isinstance(self.kind, Struct) else self.kind

    @property
    def pointee(self) -> str:
        """What an address is of."""
        return self.type_name.removeprefix("const ").removesuffix("*")

    @property
    def dtype(self) -> Any:
        """Its type in NumPy, where an address is a number."""
        if isinstance(self.kind, Struct):
            return self.kind.dtype
        return "<u8" if self.kind.endswith("*") else _SCALARS[self.kind]


class Struct:
    """Fields one after the other, without gaps: (type, names with spaces between) or (type, names, note)."""

    def __init__(self, name: str, doc: str, *fields: tuple[str | Struct, str] | tuple[str | Struct, str, str]) -> None:
        self.name, self.doc = name, doc
        self.groups = [
            (tuple(Field(one[0], field) for field in one[1].split()), one[2] if len(one) == 3 else "") for one in fields
        ]
        """Fields that are declared together, and what is said of them."""
        self.fields = tuple(field for group, _ in self.groups for field in group)

    @cached_property
    def dtype(self) -> np.dtype[np.void]:
        """Its type in NumPy."""
        return np.dtype([(field.name, field.dtype) for field in self.fields])

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its fields."""
        return tuple(field.name for field in self.fields)

    @property
    def bytes(self) -> int:
        """Its size."""
        return self.dtype.itemsize

    @property
    def words(self) -> int:
        """Its size in words of 32 bits."""
        return self.bytes // _WORD

    @cached_property
    def offsets(self) -> dict[str, int]:
        """Where its fields begin, in bytes."""
        assert self.dtype.fields is not None
        return {name: int(self.dtype.fields[name][1]) for name in self.names}

    def place(self, name: str) -> int:
        """Where a field begins, in words."""
        return self.offsets[name] // _WORD

    def filled(self, **values: Any) -> NDArray[np.uint32]:
        """The words of one, every field given by its name; a struct inside by a mapping."""
        record = np.zeros(1, self.dtype)
        _fill(self, record[0], values)
        return record.view(np.uint32)

    def rows(self, rows: Sequence[Sequence[Any]]) -> NDArray[np.uint32]:
        """The words of many, each given as its fields in order."""
        return np.array([tuple(row) for row in rows], self.dtype).view(np.uint32)

    def read(self, words: NDArray[np.uint32]) -> dict[str, int]:
        """The fields of one from its words."""
        record = words.view(self.dtype)[0]
        return {name: int(record[name]) for name in self.names}


def _fill(struct: Struct, record: Any, values: Mapping[str, Any]) -> None:
    if set(values) != set(struct.names):
        raise TypeError(f"{struct.name}: missing or unknown {sorted(set(values) ^ set(struct.names))}")
    for field in struct.fields:
        if isinstance(field.kind, Struct):
            _fill(field.kind, record[field.name], values[field.name])
        else:
            record[field.name] = values[field.name]
