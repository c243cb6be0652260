"""Ways to damage what commands read: files that are none, bytes, JSON, text of programs, tables of a record."""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

Place = Callable[[Path], object]


def _holding(data: bytes) -> Place:
    return lambda path: path.write_bytes(data)


NO_FILES: Final[dict[str, Place]] = {
    "missing": lambda path: None,
    "a folder": lambda path: path.mkdir(),
    "a device behind a link": lambda path: path.symlink_to("/dev/zero"),
    "a link to itself": lambda path: path.symlink_to(path.name),
    "empty": _holding(b""),
    "every byte": _holding(bytes(range(256))),
    "not UTF-8": _holding(b"\xff\xfe"),
    "NUL": _holding(b"\0"),
    "null": _holding(b"null"),
    "a number": _holding(b"1"),
    "a number of many digits": _holding(b"9" * 10_000),
    "a text": _holding(b'"\\ud800"'),
    "a list": _holding(b"[]"),
    "an object": _holding(b"{}"),
    "an object of nothing": _holding(b'{"\\ud800": null, "rows": [1], "train": 1, "a": {"train": {}}}'),
    "nested deep": _holding(b'{"a":' * 100_000),
    "rows of nothing": _holding(b'{"command": 1, "machine": [], "rows": [{}], "notes": 1, "seconds": "x"}'),
}
"""What stands where a good file should; no command has any use for it. Each makes it at a path where nothing is."""
ODD_VALUES: Final[tuple[Any, ...]] = (None, True, -1, 1.5, "x", "\ud800", [], [None], {}, {"x": None}, {"x": "y"})
"""For places in JSON."""
_MORE_VALUES: Final[tuple[Any, ...]] = (
    *ODD_VALUES, 2**63, 1e308, "\x1b[31m", "x" * 5_000, "[/bold]", [[]], [[[]]], [[10]], [[-1]], "solve_", ".", "../x",
)  # fmt: skip
SQL_VALUES: Final = (
    "NULL",
    "'x'",
    "-1",
    "9223372036854775807",
    "1.5",
    "x'ff'",
    "CAST(x'ff' AS TEXT)",
    "'{\"a\": null}'",
)
"""For columns of tables."""
_WORDS: Final = (
    "I", "S", "C", "x1", "solve_", "differ_", "def", "return", "lambda", "import os", "__import__", "eval", "None",
    "True", "(", ")", "[", "]", "{", "}", ",", ":", "=", "==", "*", "**", "@", "\\", "#", '"', "'''", "\n", "\t",
    "    ", "\0", "\x1b[31m", "\u202e", "\ud800", "é", "0", "-1", "1e9", "0x7fffffff", "99999999999999999999", "1j",
    "(" * 300, "-" * 300, "f'{x}'", "...", "x" * 3_000, "1," * 3_000, "\r", "\f", "\ufeff", "if", "for", "yield",
)  # fmt: skip
"""For places in text."""


def changed_bytes(data: bytes, draw: random.Random) -> bytes:
    """Cut, with bits turned, or with stretches doubled, dropped or moved."""
    for _ in range(draw.choice((1, 1, 2, 5))):
        if not data:
            return data
        a, b = sorted(draw.randrange(len(data) + 1) for _ in range(2))
        b = min(b, a + draw.choice((1, 4, 100, 10_000)))
        turned = bytearray(data)
        turned[min(a, len(data) - 1)] ^= 1 << draw.randrange(8)
        data = draw.choice(
            (data[:a], bytes(turned), data[:a] + data[b:], data[:b] + data[a:], data[b:] + data[:b],
             data[:a] + draw.randbytes(draw.randint(1, 8)) + data[b:])
        )  # fmt: skip
    return data


def changed_text(data: bytes, draw: random.Random) -> bytes:
    """Text with words between, or in place of, its own, and lines doubled or exchanged."""
    lines = data.decode("utf-8", "surrogateescape").split("\n")
    for _ in range(draw.choice((1, 1, 2, 4))):
        at, other = draw.randrange(len(lines)), draw.randrange(len(lines))
        words = lines[at].split(" ")
        place = draw.randrange(len(words))
        match draw.randrange(5):
            case 0:
                words.insert(place, draw.choice(_WORDS))
            case 1:
                words[place] = draw.choice(_WORDS)
            case 2:
                words[place] = words[place].replace(draw.choice("(),_I1"), draw.choice(_WORDS))
            case 3:
                lines.insert(other, lines[at])
            case _:
                lines[at], lines[other] = lines[other], lines[at]
                continue
        lines[at] = " ".join(words)
    return "\n".join(lines).encode("utf-8", "surrogatepass")


def changed_json(data: bytes, draw: random.Random) -> bytes:
    """JSON with odd values in some places; lines of JSON have one line changed."""
    lines = data.splitlines()
    at = (
        draw.randrange(len(lines)) if len(lines) > 1 and lines[0].startswith(b"{") and lines[0].endswith(b"}") else None
    )
    value = json.loads(data if at is None else lines[at])
    for _ in range(draw.choice((1, 1, 2, 4))):
        places = list(_places(value))
        if not places:
            break
        holder, key = draw.choice(places)
        match draw.randrange(4):
            case 0:
                del holder[key]
            case 1 if isinstance(holder, dict):
                holder[draw.choice(("", "x", "\x1b[31m", "train", "test", "__class__"))] = holder.pop(key)
            case _:
                holder[key] = draw.choice(_MORE_VALUES)
    text = json.dumps(value).encode()
    return text if at is None else b"\n".join([*lines[:at], text, *lines[at + 1 :]]) + b"\n"


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every holder in a value, with every key or place of it."""
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else []
    for key in keys:
        yield value, key
        yield from _places(value[key])


def change_tables(path: Path, draw: random.Random) -> None:
    """Put odd values in a column of an SQLite file, without the constraints it has, or drop rows or a table."""
    connection = sqlite3.connect(path)
    with suppress(sqlite3.Error):
        tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        views = [row[0] for row in connection.execute("SELECT sql FROM sqlite_master WHERE type = 'view'")]
        table = draw.choice(tables)
        column = draw.choice([row[1] for row in connection.execute(f"PRAGMA table_info({table})")])
        some = draw.choice(("", " WHERE rowid = 1", " WHERE rowid % 3 = 0"))
        match draw.randrange(6):
            case 0:
                connection.executescript(f"DELETE FROM {table}{some}")
            case 1:
                connection.executescript(f"DROP TABLE {table}")
            case _:
                connection.executescript(
                    f"DROP VIEW IF EXISTS results; CREATE TABLE copy AS SELECT * FROM {table}; DROP TABLE {table}; "
                    f"ALTER TABLE copy RENAME TO {table}; {'; '.join(views)};"
                    f"UPDATE {table} SET {column} = {draw.choice(SQL_VALUES)}{some}"
                )
    connection.close()
