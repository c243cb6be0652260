"""Batches as curves."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcbatt.runs.store.live import BatchProgress, FirstSolver
from arcbatt.runs.store.reading import BatchDone
from arcbatt.watch.curves import BUCKETS, current_rate, evaluations_by_device, rate_lines, solved_lines, spans_of


def batch(first_task=0, tasks=1, first_program=0, programs=10, seconds=1.0, evaluations=100, ended=None, on=None):
    return BatchProgress(BatchDone(first_task, tasks, first_program, programs, seconds, evaluations), ended, on, None)


BATCHES = st.lists(
    st.tuples(
        st.floats(0, 50), st.floats(0, 100), st.dictionaries(st.sampled_from(["cpu", "cuda:0"]), st.integers(1, 10**6))
    ),
    min_size=1,
    max_size=30,
)


@given(BATCHES)
def test_the_area_under_the_rates_is_the_evaluations(given_batches):
    now, batches = 0.0, []
    for seconds, pause, on in given_batches:
        now += seconds + pause
        batches.append(batch(seconds=seconds, ended=1000 + now, evaluations=sum(on.values()), on=on or None))
    spans = spans_of(batches, 1000.0)
    names = list(evaluations_by_device(batches, "engine"))
    lines = rate_lines(spans, names, "engine")
    if spans[-1].ended <= 0:
        assert lines == ()
        return
    width = spans[-1].ended / BUCKETS
    for line, name in zip(lines, names, strict=True):
        assert line.name == name
        total = evaluations_by_device(batches, "engine")[name]
        assert sum(value for _, value in line.points) * width == pytest.approx(total, rel=1e-6, abs=1e-6)
        assert all(value >= 0 for _, value in line.points)


def test_a_task_is_solved_when_the_batch_of_its_first_solver_ended():
    batches = [
        batch(0, 2, 0, ended=11.0),
        batch(2, 2, 0, ended=12.0),
        batch(0, 2, 10, ended=13.0),
        batch(2, 2, 10, ended=14.0),
    ]
    solvers = [FirstSolver(0, 3, 3), FirstSolver(1, 12, None), FirstSolver(3, 9, 15)]
    demos, tests = solved_lines(spans_of(batches, 10.0), solvers)
    assert demos.points == ((0.0, 0.0), (1.0, 1.0), (2.0, 2.0), (3.0, 3.0), (4.0, 3.0))
    assert tests.points == ((0.0, 0.0), (1.0, 1.0), (4.0, 2.0))


def test_batches_without_a_time_follow_one_another():
    spans = spans_of([batch(seconds=2.0), batch(seconds=3.0)], 10.0)
    assert [(span.began, span.ended) for span in spans] == [(0.0, 2.0), (2.0, 5.0)]
    assert current_rate(spans) == pytest.approx(40.0)


def test_nothing_was_done_yet():
    assert spans_of([], 1.0) == []
    assert rate_lines([], [], "cpu") == ()
    assert current_rate([]) is None
    demos, tests = solved_lines([], [FirstSolver(0, 0, 0)])
    assert demos.last == tests.last == 0


def test_the_current_rate_is_of_the_last_batches():
    batches = [batch(seconds=10, evaluations=1, ended=10.0 * k) for k in range(1, 20)]
    batches.append(batch(seconds=20, evaluations=4000, ended=210.0))
    assert current_rate(spans_of(batches, 0.0)) == pytest.approx(200.0)
