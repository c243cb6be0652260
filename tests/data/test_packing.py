from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcbatt.data.packing import PackedSamples, pack_samples, pack_tasks
from arcbatt.data.tasks import load_tasks
from arcbatt.data.taskset import TaskSet
from arcbatt.engine.cpu import CpuEngine
from arcbatt.errors import DataError, UsageError
from arcbatt.language.reference import evaluate
from arcbatt.language.sample import Sample
from arcbatt.syntax import parse_program
from data.support import task_lists


def distinct(tasks):
    """The tasks with every grid an object of its own, so that nothing is shared between them."""
    return list(TaskSet.of(tasks))


def assert_same(one: PackedSamples, other: PackedSamples) -> None:
    for field in fields(PackedSamples):
        a, b = getattr(one, field.name), getattr(other, field.name)
        assert a.dtype == b.dtype, field.name
        assert a.flags.c_contiguous, field.name
        assert np.array_equal(a, b), field.name


@given(task_lists)
def test_tasks_as_arrays_and_back(tasks):
    packed = TaskSet.of(tasks)
    assert list(packed) == tasks
    assert packed.ids == [task.id for task in tasks]
    assert packed.sample_count == len(packed.packed()) == sum(len(task.samples) for task in tasks)


@given(task_lists, st.data())
def test_a_slice_is_packed_as_its_samples_are(tasks, data):
    tasks = distinct(tasks)
    bound = st.none() | st.integers(-len(tasks) - 1, len(tasks) + 1)
    which = slice(data.draw(bound), data.draw(bound))
    samples = [sample for task in tasks[which] for sample in task.samples]
    whole = TaskSet.of(tasks)
    assert_same(whole.packed(which), pack_samples(samples))
    assert_same(whole[which].packed(), pack_samples(samples))
    assert list(whole[which]) == tasks[which]


def test_the_bundled_tasks_pack_alike():
    tasks = distinct(load_tasks("arcagi"))
    assert_same(pack_tasks(tasks).packed(0, 400), pack_samples([sample for task in tasks for sample in task.samples]))


def test_items_and_slices():
    tasks = load_tasks("arcagi")[:5]
    some = TaskSet.of(tasks)
    assert (some[0], some[-1], some[1:4][-1]) == (tasks[0], tasks[4], tasks[3])
    assert (len(some[1:4]), some[1:4].ids, list(some[3:1])) == (3, [task.id for task in tasks[1:4]], [])
    for out in (5, -6):
        with pytest.raises(IndexError, match=f"task {out} of 5"):
            some[out]
    with pytest.raises(IndexError, match="task 0 of 0"):
        some[:0][0]
    with pytest.raises(UsageError, match="a slice of tasks is a run of them, step 1, got step 2"):
        some[::2]
    assert list(some.only([tasks[3].id, tasks[1].id])) == [tasks[3], tasks[1]]
    with pytest.raises(UsageError, match="no task x, y among the 5 tasks"):
        some.only(["x", tasks[0].id, "y"])


def test_cells_beyond_the_colours():
    """A program's output may be packed in its turn; its cells are signed bytes."""
    grid = ((-128, -1, 0), (9, 10, 127))
    packed = pack_samples([Sample(grid, ((grid, ((3,),)),), ((5,),))])
    assert packed.cells.view(np.int8).tolist() == [-128, -1, 0, 9, 10, 127, 5, 3]
    sample = Sample(grid, (), grid)
    programs = [parse_program(f"def solve_{name}(I):\n    return {name}(I)\n") for name in ("hmirror", "palette")]
    values = CpuEngine.of(programs, threads=1).values(sample)
    assert values == {program.name: evaluate(program, sample) for program in programs}
    for cell in (128, 255, 256, -129):
        with pytest.raises(DataError, match="a grid to pack has a cell that is not from -128 to 127"):
            pack_samples([Sample(((cell,),))])
