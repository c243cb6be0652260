"""Program text as HTML, lightly coloured: keywords, primitives, constants and numbers, comments."""

from __future__ import annotations

import re
from html import escape
from typing import Final

from arcbatt.language.constants import CONSTANTS
from arcbatt.language.table import current

_TOKENS: Final = re.compile(r"(?P<comment>#[^\n]*)|(?P<word>[^\W\d]\w*)|(?P<number>\d+)")
_KEYWORDS: Final = frozenset({"def", "return"})


def program_html(text: str) -> str:
    """The text escaped, with spans of class `k`, `p`, `n` and `m` (keyword, primitive, constant, comment)."""
    out, end = [], 0
    for token in _TOKENS.finditer(text):
        out.append(escape(text[end : token.start()]))
        shown, kind = escape(token[0]), _kind(token)
        out.append(f'<span class="{kind}">{shown}</span>' if kind else shown)
        end = token.end()
    return "".join([*out, escape(text[end:])])


def primitives_of(text: str) -> list[str]:
    """The primitives that a program's text names, each once."""
    words = (token["word"] for token in _TOKENS.finditer(text))
    return list(dict.fromkeys(word for word in words if word in current().ops))


def _kind(token: re.Match[str]) -> str:
    if token["comment"]:
        return "m"
    if token["number"] or token[0] in CONSTANTS:
        return "n"
    if token[0] in _KEYWORDS:
        return "k"
    return "p" if token[0] in current().ops else ""
