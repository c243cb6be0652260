"""Tasks as text, for tests of what is read from files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from arcbatt.data.tasks import Task
from strategies import grids


def pair(given: Any = ((1,),), wanted: Any = ((2,),)) -> dict[str, Any]:
    return {"input": given, "output": wanted}


def raw(**changes: Any) -> dict[str, Any]:
    """A good task as ARC's JSON, with changes; a value of ... leaves the key out."""
    made = {"train": [pair()], "test": [pair(((3,),), ((4,),))], **changes}
    return {key: value for key, value in made.items() if value is not ...}


def put(path: Path, value: Any) -> Path:
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


ids = st.text(min_size=1, max_size=5).filter(str.isprintable)


@st.composite
def tasks(draw: st.DrawFn, key: str | None = None) -> Task:
    grid = grids(4)
    train = draw(st.lists(st.tuples(grid, grid), min_size=1, max_size=3))
    test = draw(st.lists(st.tuples(grid, st.none() | grid), min_size=1, max_size=3))
    return Task(draw(ids) if key is None else key, tuple(train), tuple(test))


task_lists = st.lists(tasks(), min_size=1, max_size=5, unique_by=lambda task: task.id)

json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 12) | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["train", "test", "input", "output", "id", "attempt_1", "attempt_2", "x"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)
