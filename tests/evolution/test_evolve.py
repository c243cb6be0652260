"""Programs that are changed, run and kept: what stays, that it goes on, and that tests are not looked at."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

import arcbatt as ab
from arcbatt.errors import DataError, UsageError
from arcbatt.evolution.api import EvolveOptions
from arcbatt.evolution.population import PROGRAMS, STATE, Population, Standing
from arcbatt.runs.lock import LOCK, RecordLock
from cli.commands import arcbatt

SMALL = {"children": 40, "generations": 2, "backend": "cpu", "threads": 1}


def task(name, change, tests_known=True):
    grids = [((1, 2, 0), (0, 3, 3)), ((4, 0, 4), (5, 5, 0)), ((7, 7, 7), (0, 1, 2))]
    return ab.Task(
        name, [(one, change(one)) for one in grids[:2]], [(grids[2], change(grids[2]) if tests_known else None)]
    )


def upside_down(grid):
    return grid[::-1]


def turned_round(grid):
    return tuple(row[::-1] for row in grid[::-1])


@pytest.fixture
def tasks():
    return [task("down", upside_down), task("round", turned_round)]


@pytest.fixture
def programs():
    return ab.parse("def solve_near(I):\n    x1 = vmirror(I)\n    x2 = replace(x1, NINE, TWO)\n    return x2\n")


def test_a_program_of_the_same_type_is_found(tasks, programs):
    found = ab.evolve(programs, tasks, places=8, children=300, generations=4, backend="cpu", threads=1)
    assert set(found.solved) == {"down", "round"}
    by_name = {one.name: one for one in found.programs}
    for one in tasks:
        program = by_name[found.solved[one.id]]
        assert all(program(given) == wanted for given, wanted in one.train)


def test_every_standing_is_what_the_reference_says(tasks, programs):
    population = ab.evolve(programs, tasks, **SMALL).population
    for one in tasks:
        assert population.best[one.id]
        for standing in population.best[one.id]:
            outputs = [population.programs[standing.name](given) for given, _ in one.train]
            assert standing.right == sum(got == wanted for got, (_, wanted) in zip(outputs, one.train, strict=True))
            assert standing.shortness == -len(population.programs[standing.name].lines)


def test_the_same_seed_gives_the_same_programs(tasks, programs):
    first, second = (ab.evolve(programs, tasks, **SMALL) for _ in range(2))
    assert first.programs == second.programs
    assert first.generations == second.generations
    other = ab.evolve(programs, tasks, **SMALL, seed=1)
    assert other.programs != first.programs


def test_tests_are_not_looked_at(tasks, programs):
    hidden = [replace_tests(one) for one in tasks]
    assert ab.evolve(programs, hidden, **SMALL).programs == ab.evolve(programs, tasks, **SMALL).programs


def replace_tests(one):
    return ab.Task(one.id, one.train, [(given, None) for given, _ in one.test])


def test_going_on_gives_what_one_go_gives(tasks, programs, tmp_path):
    whole = ab.evolve(programs, tasks, **SMALL, out=tmp_path / "whole")
    part = ab.evolve(programs, tasks, **SMALL | {"generations": 1}, out=tmp_path / "part")
    assert len(part.generations) == 2
    rest = ab.evolve(programs, tasks, **SMALL, out=tmp_path / "part", resume=True)
    assert rest.solved == whole.solved
    assert rest.population.best == whole.population.best
    assert (tmp_path / "part" / PROGRAMS).read_text() == (tmp_path / "whole" / PROGRAMS).read_text()


def test_a_stop_keeps_what_was_done(tasks, programs, tmp_path):
    done = []
    found = ab.evolve(programs, tasks, **SMALL, out=tmp_path, told=done.append, stop=lambda: bool(done))
    assert len(done) == 1
    assert found.generations == tuple(done)
    assert ab.parse(tmp_path / PROGRAMS)


def test_a_population_that_another_process_writes_is_left_alone(tasks, programs, tmp_path):
    ab.evolve(programs, tasks, **SMALL | {"generations": 1}, out=tmp_path)
    before = (tmp_path / STATE).read_bytes()
    with RecordLock(tmp_path), pytest.raises(UsageError, match="another run is writing to it"):
        ab.evolve(programs, tasks, **SMALL, out=tmp_path, resume=True)
    assert (tmp_path / STATE).read_bytes() == before
    ab.evolve(programs, tasks, **SMALL, out=tmp_path, resume=True)
    assert not (tmp_path / LOCK).exists()


def test_what_is_refused(tasks, programs, tmp_path):
    ab.evolve(programs, tasks, **SMALL | {"generations": 1}, out=tmp_path)
    with pytest.raises(UsageError, match="--resume"):
        ab.evolve(programs, tasks, **SMALL, out=tmp_path)
    with pytest.raises(UsageError, match="another --children"):
        ab.evolve(programs, tasks, **SMALL | {"children": 41}, out=tmp_path, resume=True)
    with pytest.raises(UsageError, match="other tasks, down"):
        ab.evolve(programs, tasks[1:], **SMALL, out=tmp_path, resume=True)
    with pytest.raises(UsageError, match="no option child"):
        ab.evolve(programs, tasks, child=3)
    with pytest.raises(UsageError, match="no backend '999'; there are"):
        EvolveOptions(backend="999")
    with pytest.raises(UsageError, match="--threads is a number above 0"):
        EvolveOptions(threads=-1)
    with pytest.raises(UsageError, match="children is a number above 0"):
        EvolveOptions(children=0)
    with pytest.raises(UsageError, match="read S or C"):
        ab.evolve("def solve_a(S, I):\n    return first(first(S))\n", tasks, **SMALL)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"best": {"down": [3]}, "options": {}, "generation": 1, "log": []}'])
def test_a_damaged_population(tasks, programs, tmp_path, text):
    ab.evolve(programs, tasks, **SMALL | {"generations": 1}, out=tmp_path)
    (tmp_path / STATE).write_text(text)
    with pytest.raises(DataError, match="not what evolve writes"):
        ab.evolve(programs, tasks, **SMALL, out=tmp_path, resume=True)


def test_places_and_the_shortest_of_a_solved_task(programs):
    (program,) = programs
    named = {name: replace(program, name=name) for name in ("a", "b", "c", "d")}
    population = Population({"t": 2}, places=2)
    population.offer("t", [Standing(0, 0.5, -3, "a"), Standing(1, 0.2, -9, "b"), Standing(0, 0.9, -1, "c")], named)
    assert [one.name for one in population.best["t"]] == ["b", "c"]
    assert not population.solved
    population.offer("t", [Standing(2, 1.0, -5, "a"), Standing(2, 1.0, -4, "d")], named)
    assert population.solved == {"t": "d"}
    assert [one.name for one in population.best["t"]] == ["d"]


def test_the_command(tasks, tmp_path):
    data = {one.id: {"train": [{"input": a, "output": b} for a, b in one.train],
                     "test": [{"input": a, "output": b} for a, b in one.test]} for one in tasks}  # fmt: skip
    (tmp_path / "tasks.json").write_text(json.dumps(data))
    (tmp_path / "mine.py").write_text("def solve_near(I):\n    return replace(vmirror(I), ONE, TWO)\n")
    given = ("evolve", "--solvers", tmp_path / "mine.py", "--dataset", tmp_path / "tasks.json", "--children", 30,
             "--backend", "cpu", "--out", tmp_path / "out", "-q")  # fmt: skip
    done = arcbatt(*given, "--generations", 1)
    assert "generation 0: 1 program, 1 of them new" in done.out
    assert "of 2 solved" in done.out
    assert f"arcbatt run --solvers {tmp_path / 'out' / PROGRAMS}" in done.out
    more = arcbatt(*given, "--generations", 2, "--resume")
    assert "generation 2:" in more.out
    assert "generation 1:" not in more.out
