"""What reaches the terminal: text from data (ids, names, source lines, paths) is shown as it is, never obeyed."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TextIO

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from arcbatt.support.text import plain_text


class PlainStream:
    """A text stream that writes out what a terminal would obey, and what its encoding does not have.

    `rich` writes past it: its escape sequences are its own, and `Terminal` does the same for the text it is given.
    """

    def __init__(self, stream: TextIO) -> None:
        self.rich_proxied_file = stream

    def write(self, text: str) -> int:
        """Write text; says how long it was."""
        self.rich_proxied_file.write(made_plain(text, self.rich_proxied_file.encoding))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write lines."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        if name == "buffer":  # nothing goes past `write`
            raise AttributeError(name)
        return getattr(self.rich_proxied_file, name)


class Terminal(Console):
    """A console that takes text as it is: no markup, no emoji codes, no escape sequences."""

    def __init__(self, **options: Any) -> None:
        super().__init__(markup=False, emoji=False, **options)

    def render_str(self, text: str, **options: Any) -> Text:
        """Text for a string, made plain before it is measured."""
        return super().render_str(made_plain(text, self.encoding), **options)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """The segments of anything, their text made plain."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(made_plain(segment.text, self.encoding), segment.style)


def made_plain(text: str, encoding: str | None) -> str:
    """Plain text, with what an encoding does not have written out too."""
    known = encoding or "utf-8"
    return plain_text(text).encode(known, "backslashreplace").decode(known)


@contextmanager
def plain_streams() -> Iterator[None]:
    """Standard output and standard error made plain."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (PlainStream(stream) for stream in before)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


class AboveBar(PlainStream):
    """A stream to a terminal whose last line is a bar: whole lines are printed above it."""

    def __init__(self, stream: TextIO, console: Console) -> None:
        super().__init__(getattr(stream, "rich_proxied_file", stream))
        self._console = console
        self._begun = ""

    def write(self, text: str) -> int:
        """Print the lines that are whole now; says how long the text was."""
        *lines, self._begun = (self._begun + text).split("\n")
        for line in lines:
            self._console.print(line, highlight=False, soft_wrap=True)
        return len(text)


@contextmanager
def above_bar(console: Console) -> Iterator[None]:
    """While a console shows a bar: what is printed meanwhile goes above it, and to a file where it is sent to one."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (AboveBar(stream, console) if stream.isatty() else stream for stream in before)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def table(head: Sequence[str], rows: Iterable[Sequence[str]], *, right: Sequence[int] = ()) -> list[str]:
    """Rows as plain lines, the columns aligned, those of `right` at their right edge; nothing is ever cut."""
    shown = [list(head), *map(list, rows)]
    widths = [max(cell_len(row[column]) for row in shown) for column in range(len(head))]

    def padded(text: str, column: int) -> str:
        space = " " * (widths[column] - cell_len(text))
        return space + text if column in right else text + space

    return ["  ".join(padded(text, column) for column, text in enumerate(row)).rstrip() for row in shown]


def width(stream: TextIO | None = None) -> int | None:
    """How many columns the terminal has; None where standard output, or the stream given, is no terminal."""
    return shutil.get_terminal_size().columns if (stream or sys.stdout).isatty() else None


def print_lines(lines: Iterable[str], indent: int = 4, *, err: bool = False) -> None:
    """Print lines; on a terminal, those that are too long go on below at a word, so that every word stays whole."""
    stream = sys.stderr if err else sys.stdout
    columns, below = width(stream) or 0, " " * indent
    wrap = textwrap.TextWrapper(columns, subsequent_indent=below, break_long_words=False, break_on_hyphens=False)
    for line in lines:
        print(wrap.fill(line) if columns and cell_len(line) > columns else line, file=stream)
