from __future__ import annotations

import random

import pytest

from arcbatt import dsl
from arcbatt.batt import make_card, write_batt
from arcbatt.batt.load import load_batt
from arcbatt.calls.batching import batching
from arcbatt.calls.custom import is_of, op, remove_op
from arcbatt.calls.grids import batch_grid_operations
from arcbatt.calls.many import call_many
from arcbatt.data.tasks import load_tasks
from arcbatt.engine.cpu import CpuEngine
from arcbatt.errors import UsageError
from arcbatt.language.failures import Failed, Reason
from arcbatt.language.table import current
from arcbatt.language.types import parse_type
from arcbatt.runs.api import run
from arcbatt.syntax import parse_program, parse_text
from engine.routes import to_dynamic

A = ((1, 0, 2), (0, 0, 2))


@pytest.fixture
def brighter():
    @op("Grid, Int -> Grid", check=[(A, 1), (A, 0), ("x", 1)])
    def brighter(grid, by):
        """The grid with every colour greater by a number; fails beyond 9."""
        made = tuple(tuple(cell + by for cell in row) for row in grid)
        if max(map(max, made)) > 9:
            raise OverflowError("beyond 9")
        return made

    yield brighter
    remove_op("brighter")


def test_it_is_a_primitive(brighter):
    assert brighter(A, 1) == ((2, 1, 3), (1, 1, 3))
    assert brighter(A, 9) == Failed(Reason.LIMIT)
    assert brighter("x", 1) == Failed(Reason.TYPE)
    assert dsl.brighter is brighter
    assert dsl.compose(dsl.rot90, dsl.rbind(brighter, 1)).arity == 1


def test_programs_use_it_and_the_engine_counts_it(brighter):
    programs = parse_text(
        "def solve_a(I):\n    x1 = brighter(I, 1)\n    return rot90(x1)\n\ndef solve_b(I):\n    return rot90(I)\n"
    ).check()
    samples = [sample for task in load_tasks("arcagi")[:3] for sample in task.samples]
    outputs = CpuEngine.of(programs).run(samples, "grid")
    for row, sample in enumerate(samples):
        wanted = dsl.rot90(brighter(sample.I, 1))
        if isinstance(wanted, Failed):
            assert outputs.grid(row, 0) is None
        else:
            assert tuple(map(tuple, outputs.grid(row, 0).tolist())) == wanted
    assert sum(to_dynamic(outputs).values()) == len(samples)
    assert run(programs, load_tasks("arcagi")[:2]).record.solved() == {}


def test_it_can_be_in_a_loop_and_in_a_batt(brighter, tmp_path):
    program = parse_program(
        "def solve_a(I):\n    x1 = hsplit(I, ONE)\n    x2 = rbind(brighter, ONE)\n    return apply(x2, x1)\n"
    )
    write_batt(make_card([program]), tmp_path / "batt.py")
    card = load_batt(tmp_path / "batt.py")
    sample = load_tasks("arcagi")[0].samples[0]
    assert CpuEngine.of(card.graph).values(sample) == {"solve_a": (brighter(sample.I, 1),)}


def test_batches_take_it(brighter):
    grids = [A, ((9,),), A]
    results = call_many("brighter", [(grid, 1) for grid in grids])
    assert results == [brighter(A, 1), Failed(Reason.LIMIT), brighter(A, 1)]
    assert sum(count for where, count in results.ran.items() if where.startswith("dynamic")) == 3
    assert batch_grid_operations(grids, dsl.rbind(brighter, 1)) == results
    with batching() as b:
        turned = b.rot90(b.brighter(A, 1))
    assert turned.value == dsl.rot90(brighter(A, 1))


def test_a_result_of_another_type_fails():
    @op("Grid -> Grid")
    def flat(grid):
        """Its first row."""
        return grid[0]

    try:
        assert flat(A) == Failed(Reason.TYPE)
        assert "declared Grid -> Grid" in flat(A).detail
    finally:
        remove_op("flat")


def test_an_interrupt_is_no_failure():
    @op("Grid -> Grid")
    def stuck(grid):
        """Never ends by itself."""
        raise KeyboardInterrupt

    try:
        with pytest.raises(KeyboardInterrupt):
            stuck(A)
    finally:
        remove_op("stuck")


def wrong():
    """Different every time."""
    return random.random()


def flat(grid):
    """Its first row."""
    return grid[0]


def unsteady(grid):
    """Some number."""
    return random.getrandbits(30)


def undocumented(grid):
    return grid


@pytest.mark.parametrize(
    ("signature", "function", "options", "problem"),
    [
        ("a -> a", flat, {}, "without variables"),
        ("(Int -> Int), Grid -> Grid", flat, {}, "without variables"),
        ("Grid -> Grid", undocumented, {}, "docstring"),
        ("Grid, Int -> Grid", flat, {}, "does not take"),
        ("Grid -> Grid", flat, {"name": "rot90"}, "taken"),
        ("Grid -> Grid", flat, {"name": "ONE"}, "taken"),
        ("Grid -> Grid", flat, {"name": "a b"}, "no name"),
        ("Grid -> Grid", flat, {"check": [(A,)]}, "declared"),
        ("Grid -> Int", unsteady, {"check": [(A,)]}, "when called again"),
    ],
)
def test_what_cannot_be_an_operation(signature, function, options, problem):
    before = set(current().ops)
    with pytest.raises(UsageError, match=problem):
        op(signature, **options)(function)
    assert set(current().ops) == before


def test_only_custom_operations_can_be_removed():
    with pytest.raises(UsageError):
        remove_op("rot90")


@pytest.mark.parametrize(
    ("value", "kind", "good"),
    [
        (A, "Grid", True),
        (((1,), (1, 2)), "Grid", False),
        (((True,),), "Grid", False),
        ((), "Grid", True),
        (2**31, "Int", False),
        (True, "Int", False),
        (True, "Bool", True),
        (None, "Int?", True),
        (None, "Int", False),
        (frozenset({(1, (2, 3))}), "Object", True),
        (frozenset({(1, 2)}), "Object", False),
        ((1, 2), "[Int]", True),
        ([1], "[Int]", False),
    ],
)
def test_values_are_of_types(value, kind, good):
    assert is_of(value, parse_type(kind)) is good
