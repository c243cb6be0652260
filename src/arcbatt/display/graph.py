"""Graphs of calls as pictures: a box a call, below the boxes whose values it takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from arcbatt.display.pictures import image

MOST_NODES: Final = 120
"""Boxes of the largest graph that is drawn."""

_LETTER: Final = 7.3
"""Pixels of a letter, about: boxes are made a little too wide rather than too narrow."""
_HEIGHT, _DOWN, _APART, _EDGE = 24, 46, 14, 6
_FILL, _INPUT, _INK, _LINE = "#f3f4f6", "#dbeafe", "#1f2937", "#8b93a1"
_FONT: Final = 'font-family="ui-monospace,Menlo,Consolas,\'DejaVu Sans Mono\',monospace" font-size="12"'


@dataclass(frozen=True, slots=True)
class Node:
    """A box: what is written in it, and the numbers of the boxes, all before it, whose values it takes."""

    label: str
    inputs: tuple[int, ...] = ()


def graph_image(nodes: Sequence[Node], text: str) -> str:
    """A graph as an image; nothing where it has too many boxes to be read."""
    if not nodes or len(nodes) > MOST_NODES:
        return ""
    depths = _depths(nodes)
    widths = [round(len(node.label) * _LETTER) + 16 for node in nodes]
    centres = _centres(nodes, depths, widths)
    left = min(centre - width / 2 for centre, width in zip(centres, widths, strict=True)) - _EDGE
    right = max(centre + width / 2 for centre, width in zip(centres, widths, strict=True)) + _EDGE
    width, height = round(right - left), max(depths) * _DOWN + _HEIGHT + 2 * _EDGE
    tops = [depth * _DOWN + _EDGE for depth in depths]
    edges = "".join(
        _edge(centres[given] - left, tops[given] + _HEIGHT, centres[number] - left, tops[number])
        for number, node in enumerate(nodes)
        for given in dict.fromkeys(node.inputs)
    )
    boxes = "".join(
        _box(node, centre - left, top, size)
        for node, centre, top, size in zip(nodes, centres, tops, widths, strict=True)
    )
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
        f'<path fill="none" stroke="{_LINE}" stroke-width="1.3" d="{edges}"/>'
        f'<g {_FONT} text-anchor="middle">{boxes}</g></svg>'
    )
    return image(svg, width, height, text)


def _depths(nodes: Sequence[Node]) -> list[int]:
    """How far below the top each box stands: just below the lowest it takes a value of."""
    depths: list[int] = []
    for node in nodes:
        depths.append(1 + max((depths[given] for given in node.inputs), default=-1))
    return depths


def _centres(nodes: Sequence[Node], depths: list[int], widths: list[int]) -> list[float]:
    """Where boxes stand from left to right: each about below the middle of what it takes, none over another."""
    centres = [0.0] * len(nodes)
    for depth in range(max(depths) + 1):
        row = [number for number, own in enumerate(depths) if own == depth]
        for number in row:
            given = nodes[number].inputs
            centres[number] = sum(centres[one] for one in given) / len(given) if given else 0.0
        row.sort(key=lambda number: (centres[number], number))
        wanted = sum(centres[number] for number in row) / len(row)
        end = 0.0
        for number in row:
            centres[number] = end + widths[number] / 2
            end += widths[number] + _APART
        middle = (end - _APART) / 2
        for number in row:
            centres[number] += wanted - middle
    return centres


def _edge(x: float, y: float, to_x: float, to_y: float) -> str:
    bend = (to_y - y) / 2
    return f"M{x:.0f} {y}C{x:.0f} {y + bend:.0f} {to_x:.0f} {to_y - bend:.0f} {to_x:.0f} {to_y}"


def _box(node: Node, centre: float, top: int, width: int) -> str:
    fill = _FILL if node.inputs else _INPUT
    return (
        f'<rect x="{centre - width / 2:.0f}" y="{top}" width="{width}" height="{_HEIGHT}" rx="5" fill="{fill}" '
        f'stroke="{_LINE}"/><text x="{centre:.0f}" y="{top + 16}" fill="{_INK}">{escape(node.label)}</text>'
    )
