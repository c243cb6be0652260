"""Curves of a saved result as plain SVG: both axes logarithmic, the spread as a bar on each point."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Final

from arcbatt.devtools.bench.gpu import CROSSOVER
from arcbatt.devtools.bench.result import Result, Row, number
from arcbatt.errors import DataError

_WIDTH, _HEIGHT = 640, 360
_LEFT, _RIGHT, _TOP, _BOTTOM = 84, 20, 40, 52
_INK, _GRID = "#333", "#ddd"
_LINES: Final = ("#1764ab", "#b3411e", "#2a7d3f", "#7b4ea3", "#8a6d00")
SCALING: Final = "scaling"


def draw_curves(result: Result) -> dict[str, str]:
    """A file for each axis of the scaling suite, and one for the crossover: its name and text."""
    machine = str(result.machine.get("machine", ""))
    rows = [row for row in result.rows if row.suite == SCALING and row.x is not None]
    crossing = [row for row in result.rows if row.suite == CROSSOVER and row.x is not None]
    if not rows and not crossing:
        raise DataError("this result has no scaling suite: measure with arcbatt bench --suite scaling")
    files = {}
    for axis in dict.fromkeys(row.side for row in rows):
        lines = {"": [row for row in rows if row.side == axis]}
        files[f"scaling-{axis.split()[0]}.svg"] = curve(axis, lines, machine)
    if crossing:
        lines = {
            side: [row for row in crossing if row.side == side] for side in dict.fromkeys(r.side for r in crossing)
        }
        files["crossover.svg"] = curve("evaluations in a run", lines, machine)
    return files


def curve(axis: str, lines: Mapping[str, Sequence[Row]], machine: str) -> str:
    """Curves over one axis, by name; a single one may have none."""
    every = [row for points in lines.values() for row in points]
    xs = sorted({float(row.x or 0) for row in every})
    x_scale = _Scale(xs, _LEFT, _WIDTH - _RIGHT)
    y_scale = _Scale([value for row in every for value in (row.low, row.high)], _HEIGHT - _BOTTOM, _TOP)
    unit = every[0].unit
    title = f"{unit} against {axis}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        f'font-family="sans-serif" font-size="12" fill="{_INK}">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#fff"/>',
        f'<text x="{_LEFT}" y="22" font-size="14">{escape(title)} ({escape(machine)})</text>',
    ]
    for x in xs:
        at = x_scale.place(x)
        parts.append(f'<path d="M{at} {_TOP}V{_HEIGHT - _BOTTOM}" stroke="{_GRID}"/>')
        parts.append(f'<text x="{at}" y="{_HEIGHT - _BOTTOM + 18}" text-anchor="middle">{number_short(x)}</text>')
    for y in y_scale.ticks():
        at = y_scale.place(y)
        parts.append(f'<path d="M{_LEFT} {at}H{_WIDTH - _RIGHT}" stroke="{_GRID}"/>')
        parts.append(f'<text x="{_LEFT - 8}" y="{at + 4}" text-anchor="end">{number_short(y)}</text>')
    for number_, (name, points) in enumerate(lines.items()):
        colour = _LINES[number_ % len(_LINES)]
        parts += _line(axis, sorted(points, key=lambda row: row.x or 0), name, colour, x_scale, y_scale)
        if name:
            parts.append(f'<text x="{_LEFT + 8}" y="{_TOP + 16 + 16 * number_}" fill="{colour}">{escape(name)}</text>')
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    parts.append(f'<text x="{middle}" y="{_HEIGHT - 12}" text-anchor="middle">{escape(axis)}</text>')
    parts.append(f'<text x="{_LEFT - 70}" y="{_TOP - 4}">{escape(unit)}</text></svg>')
    return "\n".join(parts) + "\n"


def _line(axis: str, points: Sequence[Row], name: str, colour: str, x_scale: _Scale, y_scale: _Scale) -> list[str]:
    """One curve with its spreads."""
    places = [(x_scale.place(float(row.x or 0)), y_scale.place(row.median)) for row in points]
    line = "L".join(f"{x} {y}" for x, y in places)
    parts = [f'<path d="M{line}" fill="none" stroke="{colour}" stroke-width="2"/>']
    for (x, y), row in zip(places, points, strict=True):
        low, high = y_scale.place(row.low), y_scale.place(row.high)
        parts.append(f'<path d="M{x} {low}V{high}" stroke="{colour}"/>')
        label = f"{axis} {number_short(float(row.x or 0))}: {number(row.median)} {row.unit} ({row.case})"
        label = f"{name}, {label}" if name else label
        parts.append(f'<circle cx="{x}" cy="{y}" r="3.5" fill="{colour}"><title>{escape(label)}</title></circle>')
    return parts


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
