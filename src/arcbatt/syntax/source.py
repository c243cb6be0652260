"""Reading solver text: limits, decoding, cutting a file into programs, and errors with a caret."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from arcbatt.errors import ArcbattError
from arcbatt.language.limits import MAX_FILE_BYTES, MAX_PROGRAM_BYTES
from arcbatt.support.files import read_file

_SHOWN: Final = 72
"""Characters of a line that an error shows: with what is before them they fit a terminal."""


@dataclass(frozen=True)
class SourceError(ArcbattError):
    """Something in a solver file that is not a legal program."""

    file: str
    line: int
    column: int
    text: str
    message: str
    allowed: str = ""

    def __str__(self) -> str:
        place = self.file.replace("\n", "\\n") + (f":{self.line}" if self.line else "")
        out = [f"{place}: {self.message}"]
        if self.text:
            start = max(0, self.column - _SHOWN // 2)
            out += [f"    {self.excerpt(_SHOWN)}", f"    {' ' * (self.column - start)}^"]
        if self.allowed:
            out.append(f"    {self.allowed}")
        return "\n".join(out)

    def excerpt(self, most: int) -> str:
        """The line, or of a longer one so many characters around the place."""
        start = max(0, self.column - most // 2)
        return self.text[start : start + most]


@dataclass(frozen=True)
class Chunk:
    """One top-level statement of a file as text, with the line it starts on."""

    line: int
    text: str


def read_text(path: Path) -> str:
    """The text of a solver file, or of a pipe; raises SourceError where it is missing, too large or not text."""
    try:
        size = path.stat().st_size
        if size > MAX_FILE_BYTES:
            message = f"file too large: {size:,} bytes, at most {MAX_FILE_BYTES:,}"
            raise SourceError(str(path), 0, 0, "", message, "split it into several files and pass them all")
        return decode(read_file(path, pipe=True), str(path))
    except OSError as error:
        raise SourceError(str(path), 0, 0, "", f"cannot read: {error.strerror or error}") from error


def decode(data: bytes, file: str) -> str:
    """Bytes as text, or a SourceError that says where they are not."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise SourceError(
            file, line, 0, "", f"file not text: byte {error.start} is not UTF-8", "solver files are UTF-8 text"
        ) from error
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise SourceError(file, line, 0, "", "file not text: it holds a NUL byte", "solver files are UTF-8 text")
    return text


def chunks(text: str) -> list[Chunk]:
    """Top-level statements. Each starts in the first column and runs to the next that does.

    Cutting before parsing keeps a syntax error in one program from hiding the others, and keeps the
    memory of parsing to one program at a time.
    """
    return _joined(_cut(text))


def _joined(found: list[Chunk]) -> list[Chunk]:
    """The chunks, those joined again that are one string of several lines with text in the first column.

    They belong together if what comes out can be parsed; otherwise a string was left open, and each is read alone.
    """
    joined: list[Chunk] = []
    at = 0
    while at < len(found):
        chunk, end = found[at], at + 1
        if quotes := _open_quotes(chunk.text):
            last = next((n for n in range(end, len(found)) if quotes in found[n].text), at)
            whole = "\n".join(one.text for one in found[at : last + 1])
            if last > at and len(whole) <= MAX_PROGRAM_BYTES and _parses(whole):
                chunk, end = Chunk(chunk.line, whole), last + 1
        joined.append(chunk)
        at = end
    return joined


_TOKENS: Final = re.compile(
    "|".join(
        [
            r"#[^\n]*",
            r'"""(?:[^\\]|\\.)*?"""',
            r"'''(?:[^\\]|\\.)*?'''",
            r"(?P<open>\"{3}|'{3})",
            r'"(?:[^"\\\n]|\\.)*"',
            r"'(?:[^'\\\n]|\\.)*'",
        ]
    ),
    re.DOTALL,
)
"""Comments and strings, and the quotes of a string of several lines that has no end."""


def _open_quotes(text: str) -> str:
    """The quotes of a string that begins in a text and has no end there."""
    if '"""' not in text and "'''" not in text:
        return ""
    return next((token["open"] for token in _TOKENS.finditer(text) if token["open"]), "")


def _parses(text: str) -> bool:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _cut(text: str) -> list[Chunk]:
    """What starts in the first column, each to the next that does."""
    found: list[Chunk] = []
    start = 0
    lines: list[str] = []
    for number, line in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), 1):
        if line[:1] not in ("", " ", "\t", "#", ")", "]", "}"):
            if lines:
                found.append(Chunk(start, "\n".join(lines)))
            start, lines = number, []
        if start:
            lines.append(line)
        elif line[:1] in (" ", "\t") and line.strip() and not line.lstrip().startswith("#"):
            start, lines = number, [line]
    if lines:
        found.append(Chunk(start, "\n".join(lines)))
    return found
