"""What a cubin says of itself: the architecture it is for, and the registers, stack and code of a kernel.

A cubin is a 64-bit ELF file. Section `.nv.info` holds attributes as (form, attribute, size) and, for those that belong
to a function, the number of its symbol and a value.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Final

from arcbatt.errors import DataError

_MAGIC: Final = b"\x7fELF\x02\x01"
_SECTION: Final = struct.Struct("<IIQQQQIIQQ")
_SYMBOL_BYTES: Final = 24
_SYMBOLS: Final = 2
_SIZED: Final = 4
"""The form of an attribute with a size and data behind it."""
_REGISTERS, _STACK = 0x2F, 0x12


@dataclass(frozen=True)
class KernelFigures:
    """What a kernel needs of a GPU."""

    registers: int
    """Of a thread."""
    stack: int
    """Bytes of local memory of a thread, what it calls counted in."""
    code: int
    """Bytes of machine code of the whole file."""


def is_cubin(data: bytes) -> bool:
    """Whether bytes look like a whole cubin: an ELF file that reaches as far as its header says."""
    if len(data) < 64 or data[:6] != _MAGIC:
        return False
    start, size, count = _table(data)
    return count > 0 and size == _SECTION.size and start + size * count <= len(data)


def kernel_figures(data: bytes, kernel: str) -> KernelFigures:
    """The figures of one kernel of a cubin."""
    if not is_cubin(data):
        raise DataError(f"not a cubin: it begins with {data[:6]!r} and has {len(data):,} bytes")
    start, size, count = _table(data)
    sections = [_SECTION.unpack_from(data, start + size * number) for number in range(count)]
    (names_at,) = struct.unpack_from("<H", data, 62)
    names = [_text(data, sections[names_at][4] + section[0]) for section in sections]
    table = next(section for section in sections if section[1] == _SYMBOLS)
    texts = sections[table[6]][4]
    symbols = [
        _text(data, texts + struct.unpack_from("<I", data, at)[0])
        for at in range(table[4], table[4] + table[5], _SYMBOL_BYTES)
    ]
    if ".nv.info" not in names or kernel not in symbols:
        raise DataError(f"the cubin has no kernel {kernel}")
    info = sections[names.index(".nv.info")]
    found = _attributes(data, info[4], info[5]).get(symbols.index(kernel), {})
    if not found.keys() >= {_REGISTERS, _STACK}:
        raise DataError(f"the cubin does not say what {kernel} needs")
    code = sum(section[5] for section, name in zip(sections, names, strict=True) if name.startswith(".text"))
    return KernelFigures(found[_REGISTERS], found[_STACK], code)


def _table(data: bytes) -> tuple[int, int, int]:
    """Where the sections are listed, the bytes of an entry, how many."""
    (start,) = struct.unpack_from("<Q", data, 40)
    size, count = struct.unpack_from("<HH", data, 58)
    return start, size, count


def _text(data: bytes, at: int) -> str:
    return data[at : data.index(b"\0", at)].decode(errors="replace")


def _attributes(data: bytes, at: int, size: int) -> dict[int, dict[int, int]]:
    """By symbol, the attributes that are one number."""
    found: dict[int, dict[int, int]] = {}
    end = at + size
    while at < end:
        form, attribute, length = struct.unpack_from("<BBH", data, at)
        at += 4
        if form != _SIZED:
            continue
        if length == 8:
            symbol, value = struct.unpack_from("<II", data, at)
            found.setdefault(symbol, {})[attribute] = value
        at += length
    return found
