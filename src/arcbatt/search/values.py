"""The values of a task in one view: images of its inputs, and images of some of those images."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from arcbatt.language.values import Grid
from arcbatt.search.bank import Images
from arcbatt.search.features import Feature
from arcbatt.search.views import View
from arcbatt.search.write import Writer

_PARENT_COST: Final = 0.5
"""What an image of an image costs beyond both features."""


@dataclass(frozen=True)
class Values:
    """Features of the bank on the inputs of a view, then on each parent, an image that the bank made of them.

    Every block has the features from the first on, as many as it has columns.
    """

    view: View
    features: tuple[Feature, ...]
    blocks: tuple[Images, ...]
    parents: tuple[int, ...] = ()
    """The features that made the inputs of the second block and those after it."""

    def grown(self, parents: Sequence[int], blocks: Sequence[Images]) -> Values:
        """The same and the images of more parents."""
        return Values(self.view, self.features, (*self.blocks, *blocks), (*self.parents, *parents))

    @cached_property
    def native(self) -> Any:
        """The images for the compiled core, which keeps the arrays."""
        base = self.blocks[0].cost
        more = [
            block.cost + base[parent] + _PARENT_COST
            for block, parent in zip(self.blocks[1:], self.parents, strict=True)
        ]
        cost = [base, *more]
        core: Any = importlib.import_module("arcbatt._search")
        made = core.FeatureImages(np.concatenate(cost).astype(np.float32))
        for block in self.blocks:
            made.add(cells=block.cells, offset=block.offset, height=block.height, width=block.width)
        return made

    def place(self, number: int) -> tuple[int, int]:
        """The block of a column, and the feature in it."""
        for block, images in enumerate(self.blocks):
            if number < len(images.cost):
                return block, number
            number -= len(images.cost)
        raise IndexError("no such column")

    def late(self, images: Images) -> Values:
        """The same and more features on the inputs."""
        return Values(self.view, self.features, (self.blocks[0].beside(images), *self.blocks[1:]), self.parents)

    def write(self, writer: Writer, number: int) -> str:
        """The expression of a feature of any block; what it is of comes first, as lines of the program."""
        block, feature = self.place(number)
        over = self.view.input
        if block:
            over = writer.let(self.features[self.parents[block - 1]].over(over))
        return self.features[feature].over(over)

    def cheap_images(self, dearest: float) -> Iterator[int]:
        """Different images of colours, other than the input, that cost at most so much, cheapest first."""
        images = self.blocks[0]
        order = np.argsort(images.cost, kind="stable")
        seen = {_content(images, 0)}
        for number in order[images.cost[order] <= dearest].tolist():
            if self.is_of_colours(number) and (content := _content(images, number)) not in seen:
                seen.add(content)
                yield number

    def is_of_colours(self, number: int) -> bool:
        """Whether a feature of the first block has an image of ARC's colours for every sample."""
        images = self.blocks[0]
        if (images.offset[:, number] < 0).any() or not (images.height[:, number] * images.width[:, number]).all():
            return False
        return all(cells.min() >= 0 and cells.max() <= 9 for cells in _cells(images, number))

    def grids(self, number: int) -> list[Grid]:
        """The images of a feature of the first block as grids."""
        return [tuple(map(tuple, cells.tolist())) for cells in _cells(self.blocks[0], number)]


def _cells(images: Images, number: int) -> Iterator[NDArray[np.int8]]:
    for row in range(len(images.offset)):
        start, tall, wide = (int(array[row, number]) for array in (images.offset, images.height, images.width))
        yield images.cells[start : start + tall * wide].reshape(tall, wide)


def _content(images: Images, number: int) -> tuple[bytes, ...]:
    return tuple(bytes(cells.shape) + cells.tobytes() for cells in _cells(images, number))
