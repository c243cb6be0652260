from __future__ import annotations

import pytest

from arcbatt.batt import make_card, write_batt
from arcbatt.batt.differs import standard_differs
from arcbatt.calls.custom import op, remove_op
from arcbatt.data.tasks import load_tasks
from arcbatt.devtools.batt_profile import profile_batt_operations
from arcbatt.errors import UsageError
from arcbatt.runs.coordinator import BatchInput
from arcbatt.solvers import library
from arcbatt.syntax import parse_text

PROGRAMS = parse_text(
    "def solve_a(I):\n    x1 = o_g(I, R5)\n    x2 = mapply(toindices, x1)\n    return fill(I, ONE, x2)\n\n"
    "def solve_b(I):\n    x1 = o_g(I, R5)\n    x2 = first(hsplit(I, ZERO))\n    return rot90(x2)\n"
).check()
SAMPLES = [sample for task in load_tasks("arcagi")[:4] for sample in task.samples]


def test_calls_are_counted_by_line_and_primitive():
    profile = profile_batt_operations(PROGRAMS, SAMPLES)
    by_text = {line.text.partition("(")[0]: line for line in profile.lines}
    count = len(SAMPLES)
    assert {name: line.calls for name, line in by_text.items()} == dict.fromkeys(by_text, count)
    assert profile.primitives["o_g"].calls == count  # shared by both programs
    assert profile.primitives["toindices"].calls > count  # once per object
    assert "rot90" not in profile.primitives  # never reached
    assert by_text["hsplit"].failures == {"zero-division": count}
    assert by_text["first"].failures == by_text["rot90"].failures == {}
    assert profile.primitives["hsplit"].failures == {"zero-division": count}


def test_times_add_up():
    profile = profile_batt_operations(PROGRAMS, SAMPLES)
    own = sum(cost.seconds for cost in profile.primitives.values())
    assert 0 < own <= sum(line.seconds for line in profile.lines) <= profile.seconds


def test_the_engines_times_are_there_and_are_its_own():
    profile = profile_batt_operations(PROGRAMS, SAMPLES)
    by_text = {line.text.partition("(")[0]: line for line in profile.lines}
    assert {name for name, line in by_text.items() if line.engine_seconds is not None} >= {"o_g", "mapply", "fill"}
    assert profile.primitives["o_g"].engine_seconds > 0
    assert 0 < sum(line.engine_seconds or 0 for line in profile.lines) <= profile.engine_seconds * 1.001
    assert "reference     engine    calls  failed  primitive" in profile.report()


def test_lines_the_engine_has_no_form_for_have_no_time_there():
    @op("Grid -> Grid")
    def own(grid):
        """On the reference alone."""
        return grid

    try:
        programs = parse_text("def solve_a(I):\n    x1 = own(I)\n    return rot90(x1)\n").check()
        profile = profile_batt_operations(programs, SAMPLES[:2])
    finally:
        remove_op("own")
    assert [line.engine_seconds for line in profile.lines] == [None, None]
    assert [line.calls for line in profile.lines] == [2, 2]
    assert profile.report().splitlines()[3].split()[1] == "-"


def test_a_batt_file_with_differs_and_any_input(tmp_path):
    write_batt(make_card(library()[:3], standard_differs()), tmp_path / "batt.py")
    task = load_tasks("arcagi")[0]
    sample = task.samples[0]
    inputs = [sample, (sample.S, sample.I, sample.C), BatchInput(task.id, sample.S, sample.I, sample.C)]
    profile = profile_batt_operations(tmp_path / "batt.py", inputs)
    assert all(line.calls == 3 for line in profile.lines)
    report = profile.report(5)
    assert "3 inputs" in report
    assert "= " in report


def test_nothing_and_what_is_no_input():
    profile = profile_batt_operations(PROGRAMS, [])
    assert (profile.inputs, profile.primitives) == (0, {})
    with pytest.raises(UsageError, match="an input is"):
        profile_batt_operations(PROGRAMS, [5])
