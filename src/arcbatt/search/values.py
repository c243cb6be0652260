"""The values of a task in one view: images of its inputs, and images of some of those images."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator
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
class Block:
    """Images of features that follow one another, of the inputs of a view or of an image of them."""

    images: Images
    first: int = 0
    """The number of the first feature."""
    parent: int | None = None
    """The image that they are of, as a number of an earlier column; None: the inputs."""

    def __len__(self) -> int:
        return len(self.images.cost)


@dataclass(frozen=True)
class Values:
    """The images of a task in one view, block by block, their columns numbered through."""

    view: View
    features: tuple[Feature, ...]
    blocks: tuple[Block, ...]

    def with_blocks(self, blocks: Iterable[Block]) -> Values:
        """The same and more images."""
        return Values(self.view, self.features, (*self.blocks, *(block for block in blocks if len(block))))

    @cached_property
    def native(self) -> Any:
        """The images for the compiled core, which keeps the arrays."""
        core: Any = importlib.import_module("arcbatt._search")
        made = core.FeatureImages(np.concatenate([self._cost(block) for block in self.blocks]))
        for block in self.blocks:
            images = block.images
            made.add(cells=images.cells, offset=images.offset, height=images.height, width=images.width)
        return made

    def _cost(self, block: Block) -> NDArray[np.float32]:
        if block.parent is None:
            return block.images.cost
        parent, column = self.place(block.parent)
        more = np.float32(parent.images.cost[column] + _PARENT_COST)
        return (block.images.cost + more).astype(np.float32)

    def place(self, number: int) -> tuple[Block, int]:
        """The block of a column, and its place there."""
        for block in self.blocks:
            if number < len(block):
                return block, number
            number -= len(block)
        raise IndexError("no such column")

    def write(self, writer: Writer, number: int) -> str:
        """The expression of a column; what it is of comes first, as lines of the program."""
        block, column = self.place(number)
        over = self.view.input if block.parent is None else writer.let(self.write(writer, block.parent))
        return self.features[block.first + column].over(over)

    def is_of_inputs(self, number: int) -> bool:
        """Whether a column is of the inputs, not of images of them."""
        return self.place(number)[0].parent is None

    def cheap_images(self, dearest: float) -> Iterator[int]:
        """Different images of colours, other than the input, that cost at most so much, cheapest first."""
        images = self.blocks[0].images
        order = np.argsort(images.cost, kind="stable")
        seen = {_content(images, 0)}
        for number in order[images.cost[order] <= dearest].tolist():
            if self.is_of_colours(number) and (content := _content(images, number)) not in seen:
                seen.add(content)
                yield number

    def is_of_colours(self, number: int) -> bool:
        """Whether a column has an image of ARC's colours for every sample."""
        block, column = self.place(number)
        images = block.images
        if (images.offset[:, column] < 0).any() or not (images.height[:, column] * images.width[:, column]).all():
            return False
        return all(cells.min() >= 0 and cells.max() <= 9 for cells in _cells(images, column))

    def grids(self, number: int) -> list[Grid]:
        """The images of a column as grids."""
        block, column = self.place(number)
        return [tuple(map(tuple, cells.tolist())) for cells in _cells(block.images, column)]


def _cells(images: Images, number: int) -> Iterator[NDArray[np.int8]]:
    for row in range(len(images.offset)):
        start, tall, wide = (int(array[row, number]) for array in (images.offset, images.height, images.width))
        yield images.cells[start : start + tall * wide].reshape(tall, wide)


def _content(images: Images, number: int) -> tuple[bytes, ...]:
    return tuple(bytes(cells.shape) + cells.tobytes() for cells in _cells(images, number))
