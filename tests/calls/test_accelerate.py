"""Code in arc-dsl's style on the engine: our own slow functions stand for that module's."""

from __future__ import annotations

import sys
import threading
from types import ModuleType

import pytest

from arcbatt import dsl
from arcbatt.calls import accelerate as module
from arcbatt.calls.accelerate import accelerate, measure
from arcbatt.language.reference import call as reference
from arcbatt.language.table import STANDARD

A = ((1, 0, 2), (0, 0, 2))
SLOW = """
slow_calls = []

def _slowly():
    slow_calls.append(1)

def objects(grid, univalued, diagonal, without_bg):
    _slowly()
    return reference("objects", grid, univalued, diagonal, without_bg)

def fill(grid, value, patch):
    _slowly()
    return reference("fill", grid, value, patch)

def rot90(grid):
    _slowly()
    return ((9,),)

def increment(x):
    return x + 1 if isinstance(x, int) else (x[0] + 1, x[1] + 1)

def mapply(function, container):
    return reference("merge", type(container)(function(item) for item in container))

def hmirror(one, two):
    return one
"""


@pytest.fixture
def code(monkeypatch):
    """A module of functions, and one that has them by `from ... import *`; what is slow there is by definition."""
    made = ModuleType("slow_dsl")
    made.reference = reference
    exec(SLOW, vars(made))
    user = ModuleType("slow_solvers")
    vars(user).update({name: value for name, value in vars(made).items() if name[0] != "_"})
    exec("def solve(I):\n    return fill(I, 3, max(objects(I, True, False, True), key=len))", vars(user))
    sys.modules |= {"slow_dsl": made, "slow_solvers": user}

    def seconds(function, examples):
        before = len(made.slow_calls)
        for args in examples:
            function(args)
        if function.__name__ == "one":  # the engine's
            return 1.0
        return 2.0 if len(made.slow_calls) > before else 0.5

    monkeypatch.setattr(module, "_time", seconds)
    yield made, user
    del sys.modules["slow_dsl"], sys.modules["slow_solvers"]


def test_code_runs_on_the_engine_and_is_put_back(code):
    made, user = code
    before = {name: value for one in code for name, value in vars(one).items()}
    wanted = user.solve(A)
    with accelerate(made) as state:
        assert made.objects is not before["objects"]
        assert user.objects is made.objects
        assert user.solve(A) == wanted
        assert made.fill(A, 9, frozenset({(0, 0)})) == ((9, 0, 2), (0, 0, 2))
    assert {name: value for one in code for name, value in vars(one).items()} == before
    assert state.served == {"objects": 1, "fill": 2}
    assert not state.passed_on.total()
    user.solve(A)
    assert state.served.total() == 3


def test_only_what_is_faster_and_the_same_is_replaced(code):
    made, _ = code
    with accelerate(made) as state:
        assert state.replaced == ["fill", "objects"]
        assert made.rot90(A) == ((9,),)  # gives something else than the primitive
        assert made.increment(1) == 2
    assert state.measured.keys() == {"objects", "fill", "rot90", "increment"}
    assert state.measured["objects"].speedup == 2
    assert state.measured["increment"].speedup == 0.5
    assert state.measured["rot90"].rules == ()


def test_measuring_happens_once(code, monkeypatch):
    made, _ = code
    with accelerate(made):
        pass
    monkeypatch.setattr(module, "measure", None)
    with accelerate(made) as state:
        assert state.replaced == ["fill", "objects"]


@pytest.mark.parametrize("when", [0, 1, 2, 3])
def test_an_interrupt_leaves_no_function_replaced(code, monkeypatch, when):
    made, _ = code
    originals = {name: getattr(made, name) for name in ("fill", "objects", "rot90", "increment")}
    put, calls = module._Patch.put, []

    def interrupted(self, old, new):
        calls.append(1)
        if len(calls) == when + 1:
            raise KeyboardInterrupt
        put(self, old, new)

    monkeypatch.setattr(module._Patch, "put", interrupted)
    with pytest.raises(KeyboardInterrupt), accelerate(made):
        pass
    assert {name: getattr(made, name) for name in originals} == originals


def test_a_module_that_is_not_imported_can_be_given(monkeypatch):
    made = ModuleType("given")
    exec("def increment(x):\n    return x + 1", vars(made))
    rules = tuple(rule for rule in STANDARD.ops["increment"].rules if str(rule) == "Int -> Int")
    monkeypatch.setattr(module, "measure", lambda function: module.Measured("increment", 2.0, 1.0, rules))
    original = made.increment
    with accelerate(made) as state:
        assert made.increment is not original
        assert made.increment(3) == 4
    assert made.increment is original
    assert state.served == {"increment": 1}


def test_what_the_engine_cannot_do_is_passed_on(code):
    made, _ = code
    with accelerate(made) as state:
        assert made.fill(((300,),), 1, frozenset({(0, 0)})) == ((1,),)
        assert made.fill(grid=A, value=9, patch=frozenset({(0, 0)})) == ((9, 0, 2), (0, 0, 2))
        with pytest.raises(Exception, match="expected"):
            made.fill("x", 1, frozenset({(0, 0)}))
        with pytest.raises(TypeError):
            made.fill(A)
    assert state.passed_on["fill"] == 2
    assert state.served["fill"] == 1


def test_a_replaced_function_looks_like_the_one_it_stands_for(code):
    made, _ = code
    original = made.fill
    with accelerate(made):
        assert made.fill is not original
        assert made.fill.__code__.co_argcount == 3
        assert made.fill.__code__.co_varnames == original.__code__.co_varnames[:3]
        assert (made.fill.__name__, made.fill.__doc__) == (original.__name__, original.__doc__)


def test_one_in_another(code):
    made, user = code
    original = made.fill
    with accelerate(made) as outer:
        with accelerate([made, user]) as inner:
            user.solve(A)
        assert made.fill is not original
        user.solve(A)
    assert made.fill is original is user.fill
    assert (inner.served.total(), outer.served.total()) == (2, 4)


def test_in_threads(code):
    made, user = code
    original, wanted, seen = made.fill, user.solve(A), []

    def work():
        for _ in range(20):
            with accelerate(made) as state:
                seen.extend(user.solve(A) == wanted for _ in range(5))
                assert state.served.total() >= 10

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [True] * 400
    assert made.fill is original


def test_an_error_inside_puts_everything_back(code):
    made, _ = code
    original = made.fill
    with pytest.raises(KeyboardInterrupt), accelerate(made):
        raise KeyboardInterrupt
    assert made.fill is original


def test_a_module_imported_meanwhile_is_put_right_too(code):
    made, _ = code
    late = ModuleType("late")
    sys.modules["late"] = late
    with accelerate(made):
        late.fill = made.fill
    del sys.modules["late"]
    assert late.fill is made.fill


def test_every_rule_without_variables_has_examples_that_work():
    """Of the primitives that people's own files of functions have; those that came later are in none."""
    missing = []
    for name, spec in STANDARD.ops.items():
        for rule in spec.rules if spec.since == 1 else ():
            if spec.kind is module.Kind.PLAIN and not any(True for one in rule.params for _ in module.variables(one)):
                examples = list(module._examples(rule))
                assert all(not isinstance(getattr(dsl, name)(*args), dsl.Failed) for args in examples), name
                missing += [name] * (not examples)
    assert set(missing) <= {"colorfilter", "maximum", "minimum"}


def test_measuring_a_function_that_raises():
    def rot90(grid):
        raise ValueError

    assert measure(rot90).rules == ()


def test_times_are_of_a_call():
    calls = []
    assert module._time(calls.append, [(1,), (2,)]) > 0
    assert len(calls) >= 6
