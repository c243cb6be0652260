from __future__ import annotations

import pytest

from arcbatt.errors import UsageError
from arcbatt.frontend import parse_program
from arcbatt.verify.compare import compare
from arcbatt.verify.sides import EngineSide, ReferenceSide, engines_here, side_named
from arcbatt.verify.workload import BATCH, random_batch, random_batches, spread_tasks
from verify.planted import Planted, uses


def test_engines_agree_on_random_programs():
    sides = [side_named(name) for name in ("python", *engines_here())]
    found = compare([random_batch(60, 5)], sides)
    assert found.differ == 0
    assert found.evaluations == 240
    for name in ("cpu", "lanes"):
        assert found.tallies[name].compared > 150
        assert found.tallies[name].answered + sum(found.tallies[name].absent.values()) == 240


def test_a_wrong_side_is_found_and_what_is_absent_is_counted():
    batch = random_batch(40, 3)
    wrong = Planted(lambda _, program, sample: sample is batch.samples[0], lambda program: program.name == "solve_r0")
    found = compare([batch], [ReferenceSide(), wrong], keep=2)
    tally = found.tallies["planted"]
    assert tally.absent == {"not here": 4}
    assert tally.answered == tally.compared == 156
    assert 0 < found.differ == tally.compared - tally.agree <= 39
    assert len(found.differences) == 2
    assert found.differences[0].again == "--random 40 --seed 3"


def test_engines_are_compared_where_the_reference_has_no_answer():
    batch = random_batch(10, 4)
    silent = Planted(lambda *_: False, lambda _: True, name="silent")
    wrong = Planted(lambda _, program, sample: sample is batch.samples[0])
    found = compare([batch], [silent, ReferenceSide(), wrong])
    assert found.differ
    assert {one.base.name for one in found.differences} == {"python"}


def test_the_reference_leaves_what_takes_too_long():
    programs = [parse_program("def solve_a(I):\n    x1 = asindices(I)\n    return size(product(x1, x1))\n")]
    answers = ReferenceSide(most_steps=1000).answers(programs, random_batch(1, 1).samples, lambda: False)
    assert answers.reasons == ["more than 1,000 steps in one call"]
    assert answers.absent.any()


def test_a_batch_is_named_by_its_seed():
    second = list(random_batches(BATCH + 20, 7))[1]
    assert second == random_batch(20, 8)
    assert len({program.name for program in second.programs}) == 20


def test_stopping_keeps_what_is_done():
    asked = iter([False] * 25 + [True] * 1000)
    found = compare(random_batches(2000, 1), [ReferenceSide(), side_named("cpu")], stop=lambda: next(asked))
    assert found.stopped
    assert 0 < found.tallies["python"].answered < found.evaluations == 4 * BATCH
    assert found.tallies["python"].absent["stopped"]


def test_tasks_are_spread_over_the_set():
    tasks = spread_tasks("arcagi", 4)
    assert [task.id for task in tasks] == [spread_tasks("arcagi", None)[k].id for k in (0, 100, 200, 300)]


def test_names_of_sides():
    assert isinstance(side_named("lanes"), EngineSide)
    assert engines_here()[:2] == ["cpu", "lanes"]
    with pytest.raises(UsageError, match="no backend 'abacus'"):
        side_named("abacus")


def test_uses():
    assert uses(parse_program("def solve_a(I):\n    x1 = hmirror(I)\n    return height(I)\n")) == {"height", "I"}
