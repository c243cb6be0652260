"""Text from outside where people read it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def plain_text(text: str) -> str:
    r"""The text with everything that is not printed written out, `\x1b` for an escape; lines and tabs stay.

    Control characters, marks that turn the direction of writing and lone surrogates can move the cursor, forge output,
    or fail to be encoded. Whatever holds text from data goes through here: the terminal, log.txt, the HTML report.
    """
    return "\n".join(line if line.isprintable() else "".join(map(_written, line)) for line in text.split("\n"))


def counted(number: int, noun: str, many: str = "") -> str:
    """A number with its noun: `1 program`, `2 programs`."""
    return f"{number:,} {noun if number == 1 else many or noun + 's'}"


def _written(character: str) -> str:
    if character.isprintable() or character == "\t":
        return character
    return character.encode("unicode_escape").decode("ascii")


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A hint with the names most like one that is not there, or nothing."""
    close = difflib.get_close_matches(name, list(known), n=3)
    return f"; did you mean {' or '.join(map(repr, close))}?" if close else ""
