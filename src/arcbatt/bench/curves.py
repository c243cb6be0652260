"""Curves of a saved result as plain SVG: both axes logarithmic, the spread as a bar on each point."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import Final

from arcbatt.bench.result import Result, Row, number
from arcbatt.errors import DataError

_WIDTH, _HEIGHT = 640, 360
_LEFT, _RIGHT, _TOP, _BOTTOM = 84, 20, 40, 52
_INK, _LINE, _GRID = "#333", "#1764ab", "#ddd"
_SUITE: Final = "scaling"


def draw_curves(result: Result) -> dict[str, str]:
    """A file for each axis of the scaling suite: its name and text."""
    rows = [row for row in result.rows if row.suite == _SUITE and row.x is not None]
    if not rows:
        raise DataError("this result has no scaling suite: measure with arcbatt bench --suite scaling")
    files = {}
    for axis in dict.fromkeys(row.side for row in rows):
        points = sorted((row for row in rows if row.side == axis), key=lambda row: row.x or 0)
        files[f"scaling-{axis.split()[0]}.svg"] = curve(axis, points, str(result.machine.get("machine", "")))
    return files


def curve(axis: str, points: Sequence[Row], machine: str) -> str:
    """One curve."""
    xs = [float(row.x or 0) for row in points]
    x_scale = _Scale(xs, _LEFT, _WIDTH - _RIGHT)
    y_scale = _Scale([value for row in points for value in (row.low, row.high)], _HEIGHT - _BOTTOM, _TOP)
    unit = points[0].unit
    title = f"{unit} against {axis}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        f'font-family="sans-serif" font-size="12" fill="{_INK}">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#fff"/>',
        f'<text x="{_LEFT}" y="22" font-size="14">{escape(title)} ({escape(machine)})</text>',
    ]
    for x in dict.fromkeys(xs):
        at = x_scale.place(x)
        parts.append(f'<path d="M{at} {_TOP}V{_HEIGHT - _BOTTOM}" stroke="{_GRID}"/>')
        parts.append(f'<text x="{at}" y="{_HEIGHT - _BOTTOM + 18}" text-anchor="middle">{number_short(x)}</text>')
    for y in y_scale.ticks():
        at = y_scale.place(y)
        parts.append(f'<path d="M{_LEFT} {at}H{_WIDTH - _RIGHT}" stroke="{_GRID}"/>')
        parts.append(f'<text x="{_LEFT - 8}" y="{at + 4}" text-anchor="end">{number_short(y)}</text>')
    places = [(x_scale.place(x), y_scale.place(row.median)) for x, row in zip(xs, points, strict=True)]
    line = "L".join(f"{x} {y}" for x, y in places)
    parts.append(f'<path d="M{line}" fill="none" stroke="{_LINE}" stroke-width="2"/>')
    for (x, y), row in zip(places, points, strict=True):
        low, high = y_scale.place(row.low), y_scale.place(row.high)
        parts.append(f'<path d="M{x} {low}V{high}" stroke="{_LINE}"/>')
        label = f"{axis} {number_short(float(row.x or 0))}: {number(row.median)} {unit} ({row.case})"
        parts.append(f'<circle cx="{x}" cy="{y}" r="3.5" fill="{_LINE}"><title>{escape(label)}</title></circle>')
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    parts.append(f'<text x="{middle}" y="{_HEIGHT - 12}" text-anchor="middle">{escape(axis)}</text>')
    parts.append(f'<text x="{_LEFT - 70}" y="{_TOP - 4}">{escape(unit)}</text></svg>')
    return "\n".join(parts) + "\n"


class _Scale:
    """Numbers above 0 to places, by their logarithms."""

    def __init__(self, values: Sequence[float], start: float, end: float) -> None:
        self.low, self.high = math.log10(min(values)), math.log10(max(values))
        if self.high - self.low < 0.3:
            middle = (self.high + self.low) / 2
            self.low, self.high = middle - 0.15, middle + 0.15
        self.start, self.end = start, end

    def place(self, value: float) -> float:
        part = (math.log10(value) - self.low) / (self.high - self.low)
        return round(self.start + part * (self.end - self.start), 1)

    def ticks(self) -> list[float]:
        """1, 2 and 5 times powers of ten within the range."""
        powers = range(math.floor(self.low), math.ceil(self.high) + 1)
        values = [step * 10.0**power for power in powers for step in (1, 2, 5)]
        return [value for value in values if self.low <= math.log10(value) <= self.high]


def number_short(value: float) -> str:
    """A number for an axis."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.3g}{letter}"
    return f"{value:.3g}"
