from __future__ import annotations

import sys

import numpy as np
import pytest

from arcbatt.devtools.verify.compare import compare
from arcbatt.devtools.verify.sides import EngineSide, GpuSide, ReferenceSide, engines_here, side_named
from arcbatt.devtools.verify.workload import BATCH, Batch, file_batches, random_batch, random_batches, spread_tasks
from arcbatt.engine.cpu import CpuEngine
from arcbatt.errors import DataError, UsageError
from arcbatt.language.sample import Sample
from arcbatt.syntax import parse_program, parse_text
from devtools.planted import Planted, uses


def test_engines_agree_on_random_programs():
    sides = [side_named(name) for name in ("python", *engines_here())]
    found = compare([random_batch(60, 5)], sides)
    assert found.differ == 0
    assert found.evaluations == 240
    for name in ("cpu", "lanes"):
        assert found.tallies[name].compared > 150
        assert found.tallies[name].answered + sum(found.tallies[name].absent.values()) == 240
    assert found.tallies["dynamic"].answered == 240


def test_a_wrong_side_is_found_and_what_is_absent_is_counted():
    batch = random_batch(40, 3)
    wrong = Planted(lambda _, program, sample: sample is batch.samples[0], lambda program: program.name == "solve_r0")
    found = compare([batch], [ReferenceSide(), wrong], keep=2)
    tally = found.tallies["planted"]
    assert tally.absent == {"not here": 4}
    assert tally.answered == tally.compared == 156
    assert 0 < found.differ == tally.compared - tally.agree <= 39
    assert len(found.differences) == 2
    assert found.differences[0].again == "--random 40 --seed 3 --generator 5"


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
    assert engines_here()[:3] == ["cpu", "dynamic", "lanes"]
    with pytest.raises(UsageError, match="no backend 'abacus'"):
        side_named("abacus")


def test_an_install_without_emulated_lanes_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "arcbatt._core_lanes", None)
    assert "lanes" not in engines_here()
    with pytest.raises(UsageError, match=r"`make \.venv/installed` in a checkout builds them"):
        side_named("lanes")


def test_uses():
    assert uses(parse_program("def solve_a(I):\n    x1 = hmirror(I)\n    return height(I)\n")) == {"height", "I"}


class FakeGpu:
    """As much of the GPU's engine as a side asks for, on the CPU's."""

    def __init__(self, engine, shift):
        self.engine, self.shift, self.names = engine, shift, engine.names

    @classmethod
    def of(cls, programs, shift=0):
        return cls(CpuEngine.of(programs, threads=1, arena_bytes=1 << 20), shift)

    def run(self, samples, outputs, max_steps, max_total, complete, stop=None):
        assert complete is False
        found = self.engine.run(samples, outputs, max_steps=max_steps, max_total=max_total, complete=False, stop=stop)
        found.hashes += np.uint64(self.shift)
        return found

    def values(self, sample, max_steps, max_total):
        return self.engine.values(sample, max_steps, max_total)


def test_the_side_of_a_gpu_shows_its_own_values():
    sample = Sample(((1, 2), (3, 4)))
    grid, number, failed, left = parse_text(
        "def solve_a(I):\n    return hmirror(I)\n\ndef solve_b(I):\n    return height(I)\n\n"
        "def solve_c(I):\n    return divide(ONE, ZERO)\n\ndef solve_d(I):\n    return hmirror\n"
    ).check()
    side = GpuSide("cuda", FakeGpu, {})
    assert side.value(grid, sample) == ((3, 4), (1, 2))
    assert side.value(number, sample) == 2
    assert side.value(failed, sample).reason == "zero-division"
    assert compare([Batch([grid, number, failed, left], [sample], "")], [ReferenceSide(), side]).differ == 0
    assert side.answers([left], [sample], lambda: False).reasons[0].startswith("not lowered")
    wrong = GpuSide("cuda", FakeGpu, {"shift": 1})
    with pytest.raises(DataError, match="no grid, with the hash"):
        wrong.value(number, sample)


def test_programs_of_a_file_count_once():
    programs = parse_text("def solve_a(I):\n    return hmirror(I)\n").check()
    batches = list(file_batches(programs, spread_tasks("arcagi", 5), "", most=3))
    assert len(batches) > 3
    found = compare(batches, [ReferenceSide(), side_named("cpu")])
    assert found.programs == 1
    assert found.evaluations == sum(len(batch.samples) for batch in batches)
