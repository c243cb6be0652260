"""The report of what was solved."""

from __future__ import annotations

from dataclasses import replace

import pytest

from arcbatt.data.tasks import Task
from arcbatt.search.report import Outcome, judge, solve_html, why
from arcbatt.search.solution import Attempt, Solution

GRIDS = [((number, 0), (0, 1)) for number in range(6)]
PROGRAM = "def solve_found(I):\n    return I\n"


def attempts(*grids, program=PROGRAM):
    return tuple(Attempt(grid, 0.5, 3, "two images", 4.0, program) for grid in grids)


def solved(grids, wanted=GRIDS[0], program=PROGRAM):
    task = Task("a<b", ((GRIDS[4], GRIDS[5]),), ((GRIDS[1], wanted),))
    return judge(task, Solution("a<b", (attempts(*grids, program=program),), 0.5))


@pytest.mark.parametrize(
    ("judged", "outcome"),
    [
        (solved(GRIDS[0:3]), Outcome.FIRST),
        (solved((GRIDS[1], GRIDS[0])), Outcome.SECOND),
        (solved((GRIDS[1], GRIDS[2], GRIDS[0])), Outcome.MISSED),
        (solved(GRIDS[1:3]), Outcome.WRONG),
        (solved(GRIDS[1:3], None), Outcome.UNKNOWN),
        (solved(GRIDS[1:3], program=""), Outcome.NOTHING),
    ],
)
def test_what_came_of_a_task_and_how_it_is_shown(judged, outcome):
    assert judged.outcome is outcome
    page = solve_html("Solving x", {"budget": 1.0}, [judged])
    assert f'id="{outcome.name.lower()}"' in page
    assert "a&lt;b" in page
    assert "a<b" not in page
    assert ("description length 4.0" in page) == (outcome is not Outcome.NOTHING)


def test_no_tasks_and_more_than_are_shown():
    assert "0 tasks" in solve_html("Solving nothing", {}, [])
    assert "2 more are not shown" in solve_html("Solving", {}, [solved(GRIDS[0:2])] * 3, limit=1)


def test_what_an_answer_does_not_share_with_demonstrations_is_said():
    attempt = replace(attempts(GRIDS[0])[0], departures="colours, any change")
    assert why(attempt).endswith("; unlike all demonstrations in: colours, any change")
    assert "unlike" not in why(replace(attempt, departures=""))
