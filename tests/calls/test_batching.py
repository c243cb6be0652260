from __future__ import annotations

from types import ModuleType

import pytest

from arcbatt import dsl
from arcbatt.calls.batching import batching
from arcbatt.data.tasks import load_tasks
from arcbatt.errors import UsageError
from arcbatt.language.constants import CONSTANTS
from arcbatt.language.failures import Failed, Reason
from arcbatt.language.program import unparse
from arcbatt.language.reference import evaluate
from arcbatt.language.table import STANDARD
from arcbatt.solvers import library

A = ((1, 0, 2), (0, 0, 2))
B = ((3, 4), (5, 3))


def test_calls_run_together_when_a_value_is_needed():
    with batching() as b:
        found = [b.objects(grid, True, False, True) for grid in (A, B, A)]
        sizes = [b.size(one) for one in found]
        assert b.runs == 0
        assert "not run" in repr(sizes[0])
        assert sizes[0].value == 2
        assert b.runs == 2
        assert [one.value for one in found] == [dsl.objects(grid, True, False, True) for grid in (A, B, A)]
        assert b.runs == 2
    assert b.ran == {"cpu": 6}


def test_what_is_left_runs_at_the_end():
    with batching() as b:
        turned = b.rot90(A)
    assert turned.outcome == dsl.rot90(A)
    with batching() as b:
        pass
    assert b.runs == 0


def test_looking_at_a_value_is_needing_it():
    with batching() as b:
        palette = b.palette(A)
        assert len(palette) == 3
        assert 2 in palette
        assert sorted(palette) == [0, 1, 2]
        assert palette == frozenset({0, 1, 2}) == b.palette(A)
        assert hash(palette) == hash(frozenset({0, 1, 2}))
        assert bool(b.even(2))
        assert [5, 6, 7][b.size((1, 2))] == 7
        assert b.rot90(A)[0] == (0, 1)


def test_functions_are_made_and_called_before_they_are_there():
    with batching() as b:
        small = b.matcher(b.size, b.size(b.palette(B)))
        boxes = b.mapply(b.compose(b.box, b.toindices), b.o_g(A, 5))
        chosen = b.sfilter(b.o_g(A, 5), small)
        called = b.rbind(b.upscale, 2)(A)
    assert boxes.value == dsl.mapply(dsl.compose(dsl.box, dsl.toindices), dsl.o_g(A, 5))
    assert chosen.value == dsl.sfilter(dsl.o_g(A, 5), dsl.matcher(dsl.size, 3))
    assert called.value == dsl.upscale(A, 2)


def test_a_failure_stays_where_it_is():
    with batching() as b:
        bad, good = b.first(b.palette("x")), b.first(b.palette(A))
        odd = b.rot90(A)(1)
        power = b.apply(b.power(b.rot90, 0), (A, A))
    assert bad.value == Failed(Reason.TYPE)
    assert odd.value == Failed(Reason.TYPE)
    assert power.value == Failed(Reason.BOUNDS)
    assert good.value == 0


def test_wrong_calls_are_errors():
    with batching() as b:
        with pytest.raises(UsageError, match="takes 1 argument"):
            b.rot90(A, 1)
        with pytest.raises(AttributeError, match="no primitive"):
            b.rot91(A)


def test_ten_thousand():
    with batching() as b:
        sums = [b.add(k, b.multiply(k, 2)) for k in range(10_000)]
    assert [one.value for one in sums] == [3 * k for k in range(10_000)]
    assert b.runs == 2


def test_an_interrupt_leaves_what_was_collected(monkeypatch):
    with batching() as b:
        one = b.rot90(A)
        with monkeypatch.context() as patched:
            patched.setattr("arcbatt.calls.batching.call_each", interrupted)
            with pytest.raises(KeyboardInterrupt):
                b.flush()
        assert one.value == dsl.rot90(A)


def interrupted(*_, **__):
    raise KeyboardInterrupt


def test_programs_as_python_code_run_unchanged():
    programs = library()[:60]
    solvers = ModuleType("solvers")
    vars(solvers).update(dict.fromkeys(STANDARD.ops, None.__class__) | CONSTANTS)
    for program in programs:
        exec(unparse(program), vars(solvers))
    grids = [task.train[0][0] for task in load_tasks("arcagi")[:4]]
    one = [program for program in programs if program.params == ("I",)]
    with batching(solvers) as b:
        results = [getattr(solvers, program.name)(grid) for program in one for grid in grids]
    samples = [task.samples[0] for task in load_tasks("arcagi")[:4]]
    wanted = [evaluate(program, sample) for program in one for sample in samples]
    assert [result.value for result in results] == wanted
    assert b.ran["cpu"] > 0.8 * b.ran.total()
    assert solvers.rot90 is None.__class__
