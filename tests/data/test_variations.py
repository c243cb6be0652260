from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcbatt.data.tasks import Task, load_tasks
from arcbatt.data.variations import TURNS, Variation, vary, write_tasks
from arcbatt.errors import UsageError
from arcbatt.language.primitives.grids import hmirror, rot90, rot180, rot270, vmirror
from data.support import tasks
from strategies import grids

SAME = tuple(range(10))
TASKS = load_tasks("arcagi")[:4]


@given(grids())
def test_turns_are_the_languages(grid):
    made = {turn: Variation(turn, SAME).grid(grid) for turn in TURNS}
    assert made["r0"] == grid
    assert (made["r90"], made["r180"], made["r270"]) == (rot90(grid), rot180(grid), rot270(grid))
    assert made["m0"] == vmirror(grid)
    assert made["m180"] == hmirror(grid)
    assert made["m90"] == rot90(vmirror(grid))


def test_colours():
    assert Variation("r0", (0, 5, 4, 3, 2, 1, 6, 7, 8, 9)).grid(((0, 1, 2),)) == ((0, 5, 4),)


def test_a_task_is_varied_as_a_whole():
    task = Task("a", ((((1, 0),), ((2,),)),), ((((0, 2),), None),))
    made = Variation("m0", (0, 2, 1, 3, 4, 5, 6, 7, 8, 9)).task(task)
    assert made == Task("a-m0-0213456789", ((((0, 2),), ((1,),)),), ((((1, 0),), None),))


@given(st.lists(tasks("a"), min_size=1, max_size=3), st.integers(0, 2**32))
def test_variations_are_distinct_and_repeatable(some, seed):
    some = [Task(str(number), task.train, task.test) for number, task in enumerate(some)]
    try:
        made = list(vary(some, 12, seed))
    except UsageError:  # nothing but 0 in the tasks
        return
    assert made == list(vary(some, 12, seed))
    assert len({task.id for task in made}) == 12
    for task in made:
        own, turn, colours = task.id.split("-")
        assert Variation(turn, tuple(map(int, colours))).task(some[int(own)]) == task


def test_every_variation_there_is():
    task = Task("a", ((((1, 0), (0, 0)), ((1, 1),)),), ((((0, 1, 1),), None),))
    made = list(vary([task], 8 * 9 - 1))
    assert len({(one.train, one.test) for one in made} | {(task.train, task.test)}) == 72
    with pytest.raises(UsageError, match="72 variations asked for, these 1 tasks have 71"):
        vary([task], 72)
    assert len(list(vary([task, TASKS[0]], 500))) == 500  # goes on with the other task


@pytest.mark.parametrize("name", ["set.jsonl", "set.json", "folder"])
def test_written_and_read(tmp_path, name):
    made = sorted(vary(TASKS, 9, 5), key=lambda task: task.id)
    assert write_tasks(made, tmp_path / name) == 9
    assert load_tasks(tmp_path / name, strict=True) == made
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_what_was_there_stays_when_writing_fails(tmp_path):
    def broken():
        yield TASKS[0]
        raise RuntimeError("no more")

    path = tmp_path / "set.json"
    path.write_text("before")
    with pytest.raises(RuntimeError):
        write_tasks(broken(), path)
    assert path.read_text() == "before"
    with pytest.raises(RuntimeError):
        write_tasks(broken(), tmp_path / "folder")
    assert [path.name for path in tmp_path.iterdir()] == ["set.json"]


def test_places_that_cannot_be_written(tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").touch()
    with pytest.raises(UsageError, match="full: is there already; remove it or give another place"):
        write_tasks(TASKS, tmp_path / "full")
    for name in ("no/set.json", "no/folder"):
        with pytest.raises(UsageError, match="cannot be written: No such file or directory"):
            write_tasks(TASKS, tmp_path / name)
    with pytest.raises(UsageError, match=r"task '\.\./x': this id cannot name a file; write to FILE\.jsonl"):
        write_tasks([Task("../x", TASKS[0].train, TASKS[0].test)], tmp_path / "folder")


def test_an_empty_object(tmp_path):
    write_tasks([], tmp_path / "set.json")
    assert json.loads((tmp_path / "set.json").read_text()) == {}
