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
    drawn = _Drawing(nodes)
    return image(drawn.svg(), drawn.width, drawn.height, text)


class _Drawing:
    """Where boxes and edges are. An edge past other rows has a place in each of them, so that no box hides it."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        self.nodes = list(nodes)
        self.depths = _depths(nodes)
        self.boxes = len(nodes)
        self.bends: dict[tuple[int, int], list[int]] = {}
        """Of each edge the places on its way, as numbers behind those of the boxes."""
        for number, node in enumerate(nodes):
            for given in dict.fromkeys(node.inputs):
                self.bends[given, number] = self._way(given, number)
        self.widths = [round(len(node.label) * _LETTER) + 16 if node.label else 2 for node in self.nodes]
        centres = self._centres()
        halves = [width / 2 for width in self.widths]
        left = min(centre - half for centre, half in zip(centres, halves, strict=True)) - _EDGE
        right = max(centre + half for centre, half in zip(centres, halves, strict=True)) + _EDGE
        self.centres = [centre - left for centre in centres]
        self.tops = [depth * _DOWN + _EDGE for depth in self.depths]
        self.width, self.height = round(right - left), max(self.depths) * _DOWN + _HEIGHT + 2 * _EDGE

    def _way(self, given: int, number: int) -> list[int]:
        way: list[int] = []
        for depth in range(self.depths[given] + 1, self.depths[number]):
            self.nodes.append(Node("", (way[-1] if way else given,)))
            self.depths.append(depth)
            way.append(len(self.nodes) - 1)
        return way

    def _centres(self) -> list[float]:
        """Where boxes stand from left to right: each about below the middle of what it takes, none over another."""
        centres = [0.0] * len(self.nodes)
        for depth in range(max(self.depths) + 1):
            row = [number for number, own in enumerate(self.depths) if own == depth]
            for number in row:
                given = [self.bends.get((one, number), [])[-1:] or [one] for one in self.nodes[number].inputs]
                places = [centres[one] for (one,) in given]
                centres[number] = sum(places) / len(places) if places else 0.0
            row.sort(key=lambda number: (centres[number], number))
            boxes = [number for number in row if number < self.boxes]
            wanted = sum(centres[number] for number in boxes) / len(boxes)
            end = 0.0
            for number in row:
                centres[number] = end + self.widths[number] / 2
                end += self.widths[number] + _APART
            middle = sum(centres[number] for number in boxes) / len(boxes)
            for number in row:
                centres[number] += wanted - middle
        return centres

    def svg(self) -> str:
        """The whole picture."""
        edges = "".join(self._edge([given, *way, number]) for (given, number), way in self.bends.items())
        boxes = "".join(map(self._box, range(self.boxes)))
        size = f'width="{self.width}" height="{self.height}" viewBox="0 0 {self.width} {self.height}"'
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" {size}>'
            f'<path fill="none" stroke="{_LINE}" stroke-width="1.3" d="{edges}"/>'
            f'<g {_FONT} text-anchor="middle">{boxes}</g></svg>'
        )

    def _edge(self, way: list[int]) -> str:
        """From the bottom of a box to the top of another, straight down past the rows between."""
        x, y = self.centres[way[0]], self.tops[way[0]] + _HEIGHT
        path = [f"M{x:.0f} {y}"]
        for number in way[1:]:
            to_x, to_y = self.centres[number], self.tops[number]
            bend = (to_y - y) / 2
            path.append(f"C{x:.0f} {y + bend:.0f} {to_x:.0f} {to_y - bend:.0f} {to_x:.0f} {to_y}")
            x, y = to_x, to_y
            if number != way[-1]:
                y += _HEIGHT
                path.append(f"V{y}")
        return "".join(path)

    def _box(self, number: int) -> str:
        node, centre, top, width = self.nodes[number], self.centres[number], self.tops[number], self.widths[number]
        fill = _FILL if node.inputs else _INPUT
        return (
            f'<rect x="{centre - width / 2:.0f}" y="{top}" width="{width}" height="{_HEIGHT}" rx="5" fill="{fill}" '
            f'stroke="{_LINE}"/><text x="{centre:.0f}" y="{top + 16}" fill="{_INK}">{escape(node.label)}</text>'
        )


def _depths(nodes: Sequence[Node]) -> list[int]:
    """How far below the top each box stands: just below the lowest it takes a value of."""
    depths: list[int] = []
    for node in nodes:
        depths.append(1 + max((depths[given] for given in node.inputs), default=-1))
    return depths
