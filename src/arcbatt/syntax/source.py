"""Reading solver text: limits, decoding, cutting a file into programs, and errors with a caret."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from arcbatt.errors import ArcbattError
from arcbatt.language.limits import MAX_FILE_BYTES


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
        place = f"{self.file}:{self.line}" if self.line else self.file
        out = [f"{place}: {self.message}"]
        if self.text:
            start = max(0, self.column - 60)
            shown = self.text[start : start + 120]
            out += [f"    {shown}", f"    {' ' * (self.column - start)}^"]
        if self.allowed:
            out.append(f"    {self.allowed}")
        return "\n".join(out)


@dataclass(frozen=True)
class Chunk:
    """One top-level statement of a file as text, with the line it starts on."""

    line: int
    text: str


def read_text(path: Path) -> str:
    """The text of a solver file; raises SourceError where it is missing, too large or not text."""
    try:
        size = path.stat().st_size
        if size > MAX_FILE_BYTES:
            message = f"file too large: {size:,} bytes, at most {MAX_FILE_BYTES:,}"
            raise SourceError(str(path), 0, 0, "", message, "split it into several files and pass them all")
        return decode(path.read_bytes(), str(path))
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
    found: list[Chunk] = []
    start, lines = 0, []
    quote = ""
    for number, line in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), 1):
        if quote:
            lines.append(line)
            quote = "" if quote in line else quote
            continue
        if line[:1] not in ("", " ", "\t", "#", ")", "]", "}"):
            if lines:
                found.append(Chunk(start, "\n".join(lines)))
            start, lines = number, []
            opening = line[:3]
            if opening in ('"""', "'''") and opening not in line[3:]:
                quote = opening
        if start:
            lines.append(line)
        elif line[:1] in (" ", "\t") and line.strip() and not line.lstrip().startswith("#"):
            start, lines = number, [line]
    if lines:
        found.append(Chunk(start, "\n".join(lines)))
    return found
