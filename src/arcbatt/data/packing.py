"""Many grids in one buffer: packed once, shared by every engine."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from arcbatt.data.tasks import Task
from arcbatt.errors import DataError
from arcbatt.language.sample import Sample
from arcbatt.language.values import Grid

_MOST_CELL: Final = 127


@dataclass(frozen=True)
class PackedSamples:
    """Samples as arrays. Grids are numbered; a sample names its input, expected output and task."""

    cells: NDArray[np.uint8]
    offset: NDArray[np.int64]
    height: NDArray[np.int32]
    width: NDArray[np.int32]
    input: NDArray[np.int32]
    expected: NDArray[np.int32]
    task: NDArray[np.int32]
    first: NDArray[np.int32]
    count: NDArray[np.int32]
    demo: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.input)

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        return sum(array.nbytes for array in vars(self).values())

    def only(self, rows: slice | NDArray[np.int64]) -> PackedSamples:
        """Some of the samples, over the same grids."""
        return replace(self, input=self.input[rows], expected=self.expected[rows], task=self.task[rows])


def pack_samples(samples: Sequence[Sample]) -> PackedSamples:
    """Pack samples; a grid that is the same object in several places is stored once."""
    numbers: dict[int, int] = {}
    grids: list[Grid] = []

    def number(grid: Grid) -> int:
        known = numbers.get(id(grid))
        if known is None:
            known = numbers[id(grid)] = len(grids)
            grids.append(grid)
        return known

    tasks: dict[int, int] = {}
    first: list[int] = []
    count: list[int] = []
    demo: list[int] = []
    inputs, expected, task = [], [], []
    for sample in samples:
        inputs.append(number(sample.I))
        expected.append(-1 if sample.C is None else number(sample.C))
        if id(sample.S) not in tasks:
            tasks[id(sample.S)] = len(first)
            first.append(len(demo) // 2)
            count.append(len(sample.S))
            for given, wanted in sample.S:
                demo += [number(given), number(wanted)]
        task.append(tasks[id(sample.S)])
    height = np.array([len(grid) for grid in grids], np.int32)
    width = np.array([len(grid[0]) if grid else 0 for grid in grids], np.int32)
    return PackedSamples(
        cells=_cells(grids),
        offset=_starts(height, width),
        height=height,
        width=width,
        input=np.array(inputs, np.int32),
        expected=np.array(expected, np.int32),
        task=np.array(task, np.int32),
        first=np.array(first, np.int32),
        count=np.array(count, np.int32),
        demo=np.array(demo, np.int32),
    )


def _cells(grids: Sequence[Grid]) -> NDArray[np.uint8]:
    """All cells in a row, a byte each; negative ones, which a program may give, as the engine reads them."""
    try:
        cells = np.frombuffer(b"".join([bytes(row) for grid in grids for row in grid]), np.uint8)
        if cells.max(initial=0) <= _MOST_CELL:
            return cells
    except ValueError:  # a cell that is no byte
        pass
    try:
        return np.frombuffer(array("b", [cell for grid in grids for row in grid for cell in row]), np.uint8)
    except OverflowError as error:
        raise DataError(f"a grid to pack has a cell that is not from -128 to {_MOST_CELL}") from error


def _starts(height: NDArray[np.int32], width: NDArray[np.int32]) -> NDArray[np.int64]:
    """Where each grid's cells start."""
    ends = np.cumsum(height.astype(np.int64) * width)
    return np.concatenate([np.zeros(1, np.int64), ends])[: len(height)]


@dataclass(frozen=True)
class TaskArrays:
    """Whole tasks as arrays, the grids of a task side by side: demonstrations pair by pair, then tests.

    Any run of tasks is a slice of every array. `grid_start`, `sample_start`, `demo_start` and `id_start` have one
    entry more than there are tasks: where the next one would start.
    """

    cells: NDArray[np.uint8]
    offset: NDArray[np.int64]
    height: NDArray[np.int32]
    width: NDArray[np.int32]
    input: NDArray[np.int32]
    expected: NDArray[np.int32]
    grid_start: NDArray[np.int32]
    sample_start: NDArray[np.int32]
    demo_start: NDArray[np.int32]
    id_start: NDArray[np.int64]
    ids: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.grid_start) - 1

    def id(self, task: int) -> str:
        """The id of a task."""
        return self.ids[self.id_start[task] : self.id_start[task + 1]].tobytes().decode()

    def grid(self, number: int) -> Grid:
        """A grid as a plain value."""
        start, height, width = int(self.offset[number]), int(self.height[number]), int(self.width[number])
        cells = self.cells[start : start + height * width].tobytes()
        return tuple([tuple(cells[at : at + width]) for at in range(0, height * width, width)])

    def task(self, number: int) -> Task:
        """A task as a plain value."""
        first, last = self.sample_start[number : number + 2].tolist()
        tests = first + int(self.demo_start[number + 1] - self.demo_start[number])
        given, wanted = self.input[first:last].tolist(), self.expected[first:last].tolist()
        pairs = list(zip(given, wanted, strict=True))
        return Task(
            self.id(number),
            tuple((self.grid(a), self.grid(b)) for a, b in pairs[: tests - first]),
            tuple((self.grid(a), None if b < 0 else self.grid(b)) for a, b in pairs[tests - first :]),
        )

    def packed(self, start: int, stop: int) -> PackedSamples:
        """Tasks [start, stop) as `pack_samples` would pack their samples; cells and sizes are views."""
        grids = slice(int(self.grid_start[start]), int(self.grid_start[stop]))
        samples = slice(int(self.sample_start[start]), int(self.sample_start[stop]))
        offset = self.offset[grids]
        base = int(offset[0]) if len(offset) else 0
        end = int(offset[-1]) + int(self.height[grids][-1]) * int(self.width[grids][-1]) if len(offset) else 0
        given, wanted = self.input[samples] - np.int32(grids.start), self.expected[samples]
        demo_start = self.demo_start[start : stop + 1]
        count = np.diff(demo_start).astype(np.int32)
        task = np.repeat(np.arange(stop - start, dtype=np.int32), np.diff(self.sample_start[start : stop + 1]))
        within = np.arange(len(given)) - (self.sample_start[start:stop] - samples.start)[task]
        is_demo = within < count[task]
        demo = np.stack([given[is_demo], wanted[is_demo] - np.int32(grids.start)], axis=1)
        return PackedSamples(
            cells=self.cells[base:end],
            offset=offset - base,
            height=self.height[grids],
            width=self.width[grids],
            input=given,
            expected=np.where(wanted < 0, np.int32(-1), wanted - np.int32(grids.start)).astype(np.int32),
            task=task,
            first=(demo_start[:-1] - demo_start[0]).astype(np.int32),
            count=count,
            demo=demo.reshape(-1),
        )


TASK_ARRAYS: Final = tuple(field.name for field in fields(TaskArrays))
_CODES: Final = {"height": "i", "width": "i", "input": "i", "expected": "i", "grid_start": "i", "sample_start": "i",
                 "demo_start": "i", "id_start": "q"}  # fmt: skip


class TaskPacker:
    """Builds TaskArrays task by task; the cells go to `write` as they come, so only the small arrays are held."""

    def __init__(self, write: Callable[[bytes], Any]) -> None:
        self._write = write
        self._ids = bytearray()
        self._columns = {name: array(code) for name, code in _CODES.items()}
        for name in ("grid_start", "sample_start", "demo_start", "id_start"):
            self._columns[name].append(0)

    def add(self, task: Task) -> None:
        """One task more."""
        columns = self._columns
        rows: list[bytes] = []
        for pairs in (task.train, task.test):
            for given, wanted in pairs:
                columns["input"].append(self._grid(given, rows))
                columns["expected"].append(-1 if wanted is None else self._grid(wanted, rows))
        self._write(b"".join(rows))
        self._ids += task.id.encode()
        columns["grid_start"].append(len(columns["height"]))
        columns["sample_start"].append(len(columns["input"]))
        columns["demo_start"].append(columns["demo_start"][-1] + len(task.train))
        columns["id_start"].append(len(self._ids))

    def _grid(self, grid: Grid, rows: list[bytes]) -> int:
        self._columns["height"].append(len(grid))
        self._columns["width"].append(len(grid[0]))
        rows += map(bytes, grid)
        return len(self._columns["height"]) - 1

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Every array of TaskArrays but the cells."""
        done: dict[str, NDArray[Any]] = {
            name: np.frombuffer(column, np.int64 if column.typecode == "q" else np.int32)
            if column
            else np.zeros(0, np.int32)
            for name, column in self._columns.items()
        }
        done["offset"] = _starts(done["height"], done["width"])
        done["ids"] = np.frombuffer(bytes(self._ids), np.uint8)
        return done


def pack_tasks(tasks: Iterable[Task]) -> TaskArrays:
    """Tasks as arrays in memory."""
    cells = bytearray()
    packer = TaskPacker(cells.extend)
    for task in tasks:
        packer.add(task)
    return TaskArrays(cells=np.frombuffer(bytes(cells), np.uint8), **packer.arrays())
