"""Packed samples are checked when the core is given them."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from arcbatt.data.packing import PackedSamples, pack_samples
from arcbatt.data.tasks import load_tasks
from arcbatt.engine.cpu import CpuEngine
from arcbatt.syntax import parse_program

ENGINE = CpuEngine.of([parse_program("def solve_a(I):\n    return I\n")])
DATA = pack_samples([sample for task in load_tasks("arcagi")[:3] for sample in task.samples])


def changed(name: str, at: int, value: int) -> PackedSamples:
    array = getattr(DATA, name).copy()
    array[at] = value
    return dataclasses.replace(DATA, **{name: array})


def longer(name: str) -> PackedSamples:
    array = getattr(DATA, name)
    return dataclasses.replace(DATA, **{name: np.concatenate([array, array[:1]])})


def test_good_samples_pass():
    ENGINE.run(DATA)
    ENGINE.run(pack_samples([]))


GRIDS, SAMPLES, TASKS = len(DATA.height), len(DATA), len(DATA.first)
BAD = {
    "height has": longer("height"),
    "width has": longer("width"),
    "expected has": longer("expected"),
    "task has": longer("task"),
    "count has": longer("count"),
    "demo has .* an odd number": longer("demo"),
    "grid 0 of -1 by": changed("height", 0, -1),
    "grid 1 of .* by 40000 at .* is not within the": changed("width", 1, 40_000),
    "grid 2 of .* at -5": changed("offset", 2, -5),
    "grid 3 of .* at 9223372036854775807 is not within the": changed("offset", 3, 2**63 - 1),
    "grid 4 of .* at -9223372036854775808 is not within the": changed("offset", 4, -(2**63)),
    rf"input\[1\] is {GRIDS}, there are {GRIDS}": changed("input", 1, GRIDS),
    r"input\[0\] is -1": changed("input", 0, -1),
    rf"expected\[{SAMPLES - 1}\] is -2": changed("expected", SAMPLES - 1, -2),
    rf"task\[0\] is {TASKS}, there are {TASKS}": changed("task", 0, TASKS),
    r"demo\[2\] is -1": changed("demo", 2, -1),
    "task 0 has .* demonstrations from 1000": changed("first", 0, 1000),
    "task 1 has 99999 demonstrations": changed("count", 1, 99_999),
    "task 2 has -1 demonstrations": changed("count", 2, -1),
}


@pytest.mark.parametrize("message", BAD)
def test_what_names_nothing_is_refused(message):
    with pytest.raises(ValueError, match=f"packed samples that cannot be run: {message}"):
        ENGINE.run(BAD[message])


def test_an_expected_output_may_be_unknown():
    ENGINE.run(changed("expected", 0, -1))
