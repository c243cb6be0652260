"""Fragments of HTML for notebooks: styles inline, no colour that depends on whether the page is light or dark."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from arcbatt.support.text import plain_text

_BLOCK = "display:inline-block;vertical-align:top;margin:2px 14px 8px 0;text-align:left"
_CELL = "padding:2px 14px 2px 0;text-align:left;vertical-align:top"
_PIECE = "display:inline-block;height:8px"
_CODE = (
    "font-family:monospace;font-size:90%;margin:6px 0;padding:0;white-space:pre;overflow-x:auto;background:none;"
    "line-height:1.35"
)


def text(words: str) -> str:
    """Text as HTML, with everything that is not printed written out."""
    return escape(plain_text(words))


def page(title: str, *parts: str) -> str:
    """What a notebook shows of a value: a title and what is below it."""
    head = f'<div style="margin-bottom:6px"><b>{text(title)}</b></div>' if title else ""
    return f"<div>{head}{''.join(parts)}</div>"


def figure(picture: str, caption: str) -> str:
    """A picture above its caption, one of several that stand side by side."""
    return f'<div style="{_BLOCK}">{picture}<div style="font-size:85%">{text(caption)}</div></div>'


def group(caption: str, parts: Iterable[str]) -> str:
    """Figures that belong together, under a caption; groups stand side by side as far as there is room."""
    head = f'<div style="font-size:85%;margin-bottom:2px"><b>{text(caption)}</b></div>'
    return f'<div style="{_BLOCK}">{head}{"".join(parts)}</div>'


def code(words: str) -> str:
    """Text as it is written."""
    return f'<pre style="{_CODE}">{text(words)}</pre>'


def note(words: str) -> str:
    """A line of text."""
    return f'<div style="margin:4px 0">{text(words)}</div>'


def table(rows: Iterable[Sequence[str]], head: Sequence[str] = ()) -> str:
    """Rows of text, the first column in bold where there is no head."""
    lines = []
    if head:
        lines.append("<tr>" + "".join(f'<th style="{_CELL}">{text(cell)}</th>' for cell in head) + "</tr>")
    for first, *others in rows:
        kind = "td" if head else "th"
        cells = f'<{kind} style="{_CELL}">{text(first)}</{kind}>'
        cells += "".join(f'<td style="{_CELL}">{text(cell)}</td>' for cell in others)
        lines.append(f"<tr>{cells}</tr>")
    return f'<table style="border-collapse:collapse;margin:4px 0">{"".join(lines)}</table>'


def bar(parts: Sequence[tuple[int, str]]) -> str:
    """Numbers as parts of one bar, each with its colour."""
    total = sum(number for number, _ in parts) or 1
    pieces = "".join(
        f'<div style="{_PIECE};width:{100 * number / total:.2f}%;background-color:{colour}"></div>'
        for number, colour in parts
        if number
    )
    return f'<div style="width:320px;max-width:100%;line-height:0;margin:2px 0 6px">{pieces}</div>'
