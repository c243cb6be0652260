"""What came of tasks: the same words whoever asks, and nothing that one lookup in S could change."""

from __future__ import annotations

import random

import pytest

import arcbatt
from arcbatt.data.tasks import Task
from arcbatt.report.reading import read_report
from arcbatt.runs.comparison import compare_runs
from arcbatt.runs.outcomes import Standing, nearest_first, outcomes
from arcbatt.solvers import library
from arcbatt.syntax import parse_program, parse_text

LOOKUP = parse_program("def solve_lookup(S, I, C):\n    return last(extract(S, matcher(first, I)))\n")
HALF = parse_program("def solve_half(S, I, C):\n    return branch(equality(I, first(first(S))), last(first(S)), I)\n")
"""Looks up the first demonstration only: right on one of them."""


@pytest.fixture(scope="module")
def tasks():
    return arcbatt.load_tasks("arcagi")


def hidden(task: Task) -> Task:
    return Task(task.id, task.train, tuple((given, None) for given, _ in task.test))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("looks_up", [(LOOKUP,), (HALF,), (LOOKUP, HALF)], ids=["all", "one", "both"])
def test_programs_that_look_answers_up_bury_no_other(tasks, seed, looks_up):
    draw = random.Random(seed)
    some = draw.sample(tasks, 12)
    some[:3] = map(hidden, some[:3])
    programs = draw.sample(library(), 15)
    honest = arcbatt.run(programs, some, backend="cpu").record
    both = arcbatt.run([*looks_up, *programs], some, backend="cpu").record
    lookups = {one.id for one in looks_up}
    from_samples = lookups | honest.reading_samples
    for before, after in zip(outcomes(honest), outcomes(both), strict=True):
        assert set(before.solved_by) == set(after.solved_by) - lookups
        if any(name not in from_samples for name in (one.program for one in before.near)):
            first = [one.program for one in before.near if one.program not in from_samples]
            assert [one.program for one in after.near if one.program not in from_samples] == first
        if before.standing in (Standing.SOLVED, Standing.TESTS_WRONG, Standing.NEAR):
            assert after.standing is before.standing


def test_the_report_shows_the_near_misses_all_the_same(tasks):
    some, programs = tasks[:12], library()[::20]
    honest = {one.task.id: one for one in read_report(arcbatt.run(programs, some, backend="cpu").record, 99).tasks}
    both = read_report(arcbatt.run([LOOKUP, *programs], some, backend="cpu").record, 99)
    near = [one for one in both.tasks if one.standing is Standing.NEAR]
    assert near
    for one in near:
        assert one.attempts == honest[one.task.id].attempts
        assert one.from_samples == ("lookup",)
        assert "lookup" in one.programs
    left = [one for one in both.tasks if one.standing is Standing.ONLY_FROM_S]
    assert all(honest[one.task.id].standing is Standing.OPEN for one in left)
    counts = {one.program: one for one in both.programs}
    assert counts["lookup"].demos_only == len(some)
    assert counts["lookup"].reads_samples
    assert sum(len(one.solves) for one in both.programs) >= sum(one.standing is Standing.SOLVED for one in both.tasks)


def test_a_hidden_test_counts_for_programs_that_do_not_read_s(tasks):
    own = next(one for one in library() if one.id == tasks[0].id)
    (one,) = outcomes(arcbatt.run([own, LOOKUP], [hidden(tasks[0])], backend="cpu").record)
    assert (one.standing, one.solved_by, one.demos_only) == (Standing.SOLVED, (own.id,), ("lookup",))
    (one,) = outcomes(arcbatt.run([LOOKUP], [hidden(tasks[0])], backend="cpu").record)
    assert (one.standing, one.solved_by, one.demos_only) == (Standing.ONLY_FROM_S, (), ("lookup",))


def test_the_nearest_are_first(tasks):
    found = nearest_first(outcomes(arcbatt.run(library()[::30], tasks[:30], backend="cpu").record))
    shares = [one.nearest.agreement for one in found if one.nearest]
    assert shares == sorted(shares, reverse=True)


def test_a_comparison_is_what_the_outcomes_say(tasks):
    texts = "def solve_a(I):\n    return {}\n\n\ndef solve_b(I):\n    return vmirror(I)\n"
    one = arcbatt.run(parse_text(texts.format("vmirror(I)")).check(), tasks[:250], backend="cpu").record
    two = arcbatt.run(parse_text(texts.format("hmirror(I)")).check()[:1], tasks[50:300], backend="cpu").record
    found = compare_runs(one, two)
    assert found.common == 200
    before, after = ({o.task: o for o in outcomes(record)} for record in (one, two))
    for change in found.changes:
        assert (change.before, change.after) == (before[change.task], after[change.task])
    same = set(before) & set(after) - {change.task for change in found.changes}
    assert all(before[task].standing is after[task].standing for task in same)
    assert found.gained
    assert found.lost
    assert {one.task for one in found.changes} == {one.task for one in (*found.gained, *found.lost, *found.others)}
    assert [(one.program, one.after, one.rewritten) for one in found.programs] == [
        ("a", len([o for o in found.after if "a" in o.solved_by and o.task in before]), True),
        ("b", None, False),
    ]
    reverse = compare_runs(two, one)
    assert [one.task for one in reverse.gained] == [one.task for one in found.lost]
    assert compare_runs(one, one).changes == compare_runs(one, one).programs == ()
