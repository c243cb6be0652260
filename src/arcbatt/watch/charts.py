"""Curves and bars as SVG that stretches with the page; the words around them are HTML, so they stay readable."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from arcbatt.watch.model import Line
from arcbatt.watch.words import duration, markup, short

WIDTH: Final = 600
HEIGHT: Final = 180
COLOURS: Final = 6
"""Different colours of curves in the style sheet."""


def step_chart(title: str, lines: Sequence[Line], seconds: float, top: float = 0, unit: str = "") -> str:
    """Counts over time, as stairs; `top` is a number the axis reaches at least."""
    highest = _round_up(max([top, 1, *(line.last for line in lines)]))
    drawn = "".join(_stairs(line, number, seconds, highest) for number, line in enumerate(lines))
    return _figure(title, lines, [f"{line.last:,.0f}" for line in lines], drawn, seconds, highest, unit)


def area_chart(title: str, lines: Sequence[Line], seconds: float, unit: str = "") -> str:
    """Rates over time, one upon the other."""
    count = max((len(line.points) for line in lines), default=0)
    totals = [0.0] * count
    layers = []
    for line in lines:
        below = list(totals)
        totals = [low + value for low, (_, value) in zip(totals, line.points, strict=True)]
        layers.append((line, below, totals))
    highest = _round_up(max([1.0, *totals]))
    drawn = "".join(  # the lowest is drawn last, so that its line is not hidden by a thin layer on it
        _layer([at for at, _ in line.points], below, above, number, seconds, highest)
        for number, (line, below, above) in reversed(list(enumerate(layers)))
    )
    means = [f"{short(_mean(line))}/s" for line in lines]
    return _figure(title, lines, means, drawn, seconds, highest, unit)


def bars(rows: Sequence[tuple[str, float, str]]) -> str:
    """A table of names and values with a bar each; the text of a value stands beside it."""
    most = max((value for _, value, _ in rows), default=0) or 1
    cells = "".join(
        f'<tr><th scope="row">{markup(name)}</th><td class="num">{markup(text)}</td>'
        f'<td class="share">{_bar(value / most)}</td></tr>'
        for name, value, text in rows
    )
    return f'<table class="bars">{cells}</table>'


def meter(share: float, label: str) -> str:
    """How much of something is used."""
    return f'<span class="meter" role="img" aria-label="{markup(label)}">{_bar(share)}</span>'


def spark(points: Sequence[tuple[float, float]]) -> str:
    """A small curve of shares from 0 to 1."""
    if len(points) < 2:
        return ""
    first, last = points[0][0], points[-1][0]
    span = (last - first) or 1.0
    path = "L".join(f"{_n(WIDTH * (at - first) / span)} {_n(40 - 38 * min(1.0, value))}" for at, value in points)
    return (
        f'<svg class="spark" viewBox="0 0 {WIDTH} 40" preserveAspectRatio="none" aria-hidden="true">'
        f'<path class="l0" d="M{path}"/></svg>'
    )


def _bar(share: float) -> str:
    width = _n(100 * min(1.0, max(0.0, share)))
    return (
        '<svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect class="track" width="100" '
        f'height="8"/><rect class="fill" width="{width}" height="8"/></svg>'
    )


def _figure(
    title: str, lines: Sequence[Line], values: Sequence[str], drawn: str, seconds: float, highest: float, unit: str
) -> str:
    legend = "".join(
        f'<li><i class="k{number % COLOURS}"></i>{markup(line.name)} <b>{markup(value)}</b></li>'
        for number, (line, value) in enumerate(zip(lines, values, strict=True))
    )
    said = ", ".join(f"{line.name} {value}" for line, value in zip(lines, values, strict=True))
    rules = "".join(f'<path class="rule" d="M0 {_n(HEIGHT * k / 4)}H{WIDTH}"/>' for k in range(5))
    ticks = "".join(f"<span>{short(highest * (4 - k) / 4)}</span>" for k in (0, 2, 4))
    times = "".join(f"<span>{duration(seconds * k / 2)}</span>" for k in range(3))
    return (
        f'<figure class="chart"><figcaption><h3>{markup(title)}</h3><ul class="legend">{legend}</ul></figcaption>'
        f'<div class="plot"><div class="ys" aria-hidden="true">{ticks}</div>'
        f'<svg viewBox="0 -1 {WIDTH} {HEIGHT + 2}" preserveAspectRatio="none" role="img" '
        f'aria-label="{markup(f"{title} after {duration(seconds)}: {said}{unit}")}">{rules}{drawn}</svg></div>'
        f'<div class="xs" aria-hidden="true">{times}</div></figure>'
    )


def _stairs(line: Line, number: int, seconds: float, highest: float) -> str:
    x, y = _scales(seconds, highest)
    path = f"M0 {y(0)}"
    for at, value in line.points:
        path += f"H{x(at)}V{y(value)}"
    path += f"H{WIDTH}"
    colour = number % COLOURS
    line_class = f"l{colour} wide" if not number else f"l{colour}"  # a line that lies on it leaves it to be seen
    return f'<path class="a{colour}" d="{path}V{HEIGHT}H0Z"/><path class="{line_class}" d="{path}"/>'


def _layer(
    times: Sequence[float], below: Sequence[float], above: Sequence[float], number: int, seconds: float, highest: float
) -> str:
    x, y = _scales(seconds, highest)
    if not times:
        return ""
    there = "L".join(f"{x(at)} {y(value)}" for at, value in zip(times, above, strict=True))
    back = "L".join(f"{x(at)} {y(value)}" for at, value in reversed(list(zip(times, below, strict=True))))
    colour = number % COLOURS
    return f'<path class="a{colour} full" d="M{there}L{back}Z"/><path class="l{colour}" d="M{there}"/>'


class _Scale:
    def __init__(self, most: float, length: float, flipped: bool) -> None:
        self.most, self.length, self.flipped = most or 1.0, length, flipped

    def __call__(self, value: float) -> str:
        share = min(1.0, max(0.0, value / self.most))
        return _n(self.length * (1 - share if self.flipped else share))


def _scales(seconds: float, highest: float) -> tuple[_Scale, _Scale]:
    return _Scale(seconds, WIDTH, False), _Scale(highest, HEIGHT, True)


def _n(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _mean(line: Line) -> float:
    return sum(value for _, value in line.points) / len(line.points) if line.points else 0.0


def _round_up(value: float) -> float:
    """The next number of two digits, even so that half of it is round too."""
    unit = 10 ** max(0, math.floor(math.log10(max(value, 1))) - 1)
    return float(math.ceil(value / unit / 2) * 2 * unit)
