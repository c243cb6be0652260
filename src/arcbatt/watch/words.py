"""Text for the page: escaped, and numbers as people say them."""

from __future__ import annotations

import datetime
from html import escape
from typing import Final

from arcbatt.support.text import plain_text

_UNITS: Final = ((1e9, "G"), (1e6, "M"), (1e3, "k"))


def markup(text: str) -> str:
    """Text from anywhere as HTML that shows it and does nothing else."""
    return escape(plain_text(text))


def short(value: float) -> str:
    """A number in a few characters: 950, 1.2k, 85k, 3.4M."""
    for size, unit in _UNITS:
        if value >= size * 0.9995:
            digits = 1 if value < 10 * size else 0
            return f"{value / size:.{digits}f}".removesuffix(".0") + unit
    return f"{value:.0f}" if value >= 10 or value == int(value) else f"{value:.1f}"


def duration(seconds: float) -> str:
    """A length of time in words: 0.4 s, 12 s, 3 min 20 s, 2 h 5 min, 3 d 4 h."""
    if seconds < 10:
        return f"{seconds:.1f}".removesuffix(".0") + " s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    for size, name, part, part_name in ((86_400, "d", 3600, "h"), (3600, "h", 60, "min"), (60, "min", 1, "s")):
        if whole >= size:
            rest = whole % size // part
            return f"{whole // size} {name}" + (f" {rest} {part_name}" if rest else "")
    return f"{whole} s"


def small_time(seconds: float) -> str:
    """A short time: 12 us, 3.4 ms, 1.2 s."""
    for size, unit in ((1.0, "s"), (1e-3, "ms")):
        if seconds >= size:
            return f"{seconds / size:,.{1 if seconds < 10 * size else 0}f} {unit}"
    return f"{seconds * 1e6:.0f} us"


def moment(seconds: float | None) -> str:
    """A time since 1970 as a date and time of UTC."""
    if seconds is None:
        return "not known"
    try:
        return datetime.datetime.fromtimestamp(seconds, datetime.UTC).strftime("%Y-%m-%d %H:%M UTC")
    except (OverflowError, ValueError, OSError):
        return "not known"


def gigabytes(count: int) -> str:
    """Bytes as GiB."""
    return f"{count / (1 << 30):.1f} GiB"


def plural(count: int, name: str) -> str:
    """So many of something: 1 task, 2 tasks."""
    return f"{count:,} {name}{'s' * (count != 1)}"
